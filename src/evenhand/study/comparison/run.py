"""`conduct`: a plan to its results; the steps are in `evenhand.study.comparison.steps`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.model.plan.sections import StressPlan
from evenhand.model.seal import seal
from evenhand.plugins import importable
from evenhand.protocols import Progress, quiet
from evenhand.study.comparison.judgements import JUDGEMENTS, labels_of_plan
from evenhand.study.comparison.steps import Table, metrics_of
from evenhand.study.ledger.holdout_overlap import kept_apart
from evenhand.study.steps.loop import Artifacts, perform
from evenhand.study.steps.participants import Participant, entrants, pairs_of
from evenhand.study.steps.questions import NAME as QUESTIONS
from evenhand.study.steps.questions import questions_file
from evenhand.study.steps.sections import check_parts, part_files
from evenhand.study.steps.systems import Systems
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet
    from evenhand.model.label import Label
    from evenhand.model.plan.study import Plan
    from evenhand.model.text import Corpus
    from evenhand.protocols import Engine
    from evenhand.store.blobs import Blobs

__all__ = ["Outcome", "conduct", "corpus_of", "importable", "inputs", "laid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came out: ``report`` is what report.json holds, ``text`` its bytes; ``page`` is report.html."""

    report: Mapping[str, Any]
    text: bytes
    folder: Path
    page: Path
    costs: Mapping[str, Any]
    fresh: tuple[str, ...]  # what this run made itself, and did not find in the cache

    def _repr_html_(self) -> str:
        from evenhand.report.notebook.cards import html

        return html(self.report)


def conduct(
    plan: Plan,
    folder: str | Path,
    *,
    progress: Progress = quiet,
    out: str | Path | None = None,
    cache: str | Path | None = None,
    holdout: GoldSet | None = None,
    entries: int | None = None,
    engine: Engine | str | None = None,
    file: str = "",
) -> Outcome:
    """Carry out *plan*, whose paths are relative to *folder*, and write the results.

    Results go to *out* (default ``results/`` in *folder*) when all of them are there, and are never read
    back; those of another study, by its name or by the name of its *file*, are not overwritten. What was made
    already from the same inputs by the same code is taken from *cache* (default ``.evenhand/`` in *folder*),
    so that a run which was stopped goes on, and one that changes nothing asks no system anything. Where
    questions could not be asked, the report says that it is incomplete, and the next run asks these alone.
    The report depends on the plan and the files it names (the ledger beside the gold set among them), not on
    the clock, folder, thread count or hash seed.

    *holdout* are the questions to ask in place of those of the gold set:
    `evenhand.study.registration.holdout` gives them, after it has written the look into the ledger.
    *entries*: the report knows the first so many entries of the ledger (default: all that it tells of).
    *engine*: where work runs, as an engine or as a study file names it (default: the plan's); it is
    connected when there is work for it, and closed at the end unless it was brought. The same bytes come
    out of every engine.
    """
    from evenhand.engine.factory import at_work
    from evenhand.formats.results.folder import COSTS, check_owner, write_results
    from evenhand.report.output.assemble import dumps
    from evenhand.store.blobs import Blobs

    home = Path(folder)
    target = Path(out) if out is not None else home / "results"
    check_owner(target, plan.name, file)
    blobs = Blobs(Path(cache) if cache is not None else home / ".evenhand")
    own = plan.engine if engine is None else engine
    with importable(home), at_work(own, paths=(home.resolve(),)) as workers:
        table, larder = laid(
            plan, home, target, blobs, progress, holdout=holdout, entries=entries, engine=workers
        )
        perform(table.steps(), blobs, larder)
        files = _files(table, larder)
        report = larder["report"]
        text = dumps(report)
    costs = {"study": {"name": plan.name, "file": file}, **_costs(table, larder)}
    import json

    files = {
        "report.json": text,
        "report.html": larder["page"],
        **files,
        COSTS: (json.dumps(costs, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode(),
    }
    write_results(target, files, unlisted=(COSTS,))
    if not report["incomplete"]["state"]:
        blobs.finish()
    return Outcome(
        report=report,
        text=text,
        folder=target,
        page=target / "report.html",
        costs=costs,
        fresh=tuple(larder.fresh),
    )


def laid(
    plan: Plan,
    home: Path,
    target: Path,
    blobs: Blobs,
    progress: Progress,
    *,
    holdout: GoldSet | None = None,
    entries: int | None = None,
    engine: Engine | None = None,
) -> tuple[Table, Artifacts]:
    """Everything checked and read before the first step: the table of steps, and what it starts from."""
    from evenhand.study.ledger.criteria import check_criteria
    from evenhand.study.ledger.section import record_of

    systems = Systems(plan, home, blobs)
    field = entrants(plan, own=systems.own)
    pairs = pairs_of(plan, field)
    check_criteria(plan, [one.name for one in field], metrics_of(plan))
    check_parts(plan, field)
    corpus, dev = inputs(plan, home, progress, made=(target, blobs.root))
    gold = holdout if holdout is not None else dev
    table = Table(
        plan=plan,
        folder=home,
        field=field,
        pairs=pairs,
        systems=systems,
        warnings=(*corpus.warnings, *gold.warnings),
        blobs=blobs,
        progress=progress,
        dev=dev,
        split=gold.split,
        others=len(gold) - len(gold.answerable()),
        record=record_of(plan, home, corpus, dev, systems, split=gold.split, entries=entries),
        engine=engine,
    )
    return table, _stocked(plan, corpus, gold, labels_of_plan(plan, home))


def inputs(plan: Plan, home: Path, progress: Progress, *, made: tuple[Path, ...]) -> tuple[Corpus, GoldSet]:
    """Corpus and dev questions of a plan; what lies in *made* is no document."""
    from evenhand.formats.gold.gold_set import read_gold

    progress("read", 0, 2)
    corpus = corpus_of(plan, home, made=made)
    progress("read", 1, 2, many(len(corpus), "document"))
    files = plan.gold
    qrels = files.get("qrels")
    gold = read_gold(
        home / (files.get("path") or files["topics"]),
        corpus,
        qrels=home / qrels if qrels else None,
        bare=files.get("evidence") == "optional",
        **{name: files[name] for name in ("format", "spans", "exclude", "lenient") if name in files},
    )
    kept_apart(plan, home, gold)
    progress("read", 2, 2, many(len(gold), "question"))
    return corpus, gold


def corpus_of(plan: Plan, home: Path, *, made: tuple[Path, ...]) -> Corpus:
    """The documents of a plan."""
    from evenhand.formats.corpus.read import read_corpus
    from evenhand.formats.results.ledger import LEDGER

    given = plan.corpus
    root = home / given["path"]
    # what a run writes is no document, nor are gold sets and study files, also where they lie among them
    ours = [f"{found}/**" for path in made if (found := _inside(path, root))]
    named = [plan.gold[key] for key in ("path", "topics", "qrels", "judgements") if plan.gold.get(key)]
    if plan.panel is not None:
        recordings = (judge.model for judge in plan.panel.judges if judge.model.startswith("recorded:"))
        named += [plan.panel.votes, *(model.partition(":")[2] for model in recordings)]
        named += (plan.stress or StressPlan()).files
    if plan.calibration is not None:
        named += [plan.calibration.sample, plan.calibration.labels]
    if plan.draft is not None:
        door, _, file = plan.draft.model.partition(":")
        named += [plan.draft.out, plan.draft.rejected, *([file] if door == "recorded" else ())]
    if plan.answers is not None:
        named += plan.answers.files
    asked = [home / name for name in named] + sorted(home.glob("*.toml"))
    for place in {home, *(path.parent for path in asked)}:
        for pattern in ("*.holdout.*", "registration*.json", LEDGER):
            asked += sorted(place.glob(pattern))
    ours += [found for path in dict.fromkeys(asked) if (found := _inside(path, root))]
    return read_corpus(
        root,
        exclude=[*given.get("exclude", ()), *ours],
        **{name: given[name] for name in ("format", "glob") if name in given},
    )


def _inside(path: Path, root: Path) -> str:
    """*path* as seen from *root*, when it lies below it."""
    here, there = path.resolve(), root.resolve()
    return here.relative_to(there).as_posix() if here != there and here.is_relative_to(there) else ""


def _stocked(plan: Plan, corpus: Corpus, gold: GoldSet, labels: tuple[str, list[Label]] | None) -> Artifacts:
    """A larder with what is given: the corpus, the gold set, the questions that are asked."""
    asked = gold.answerable()
    if not len(asked):
        raise InputError(
            f"none of the {len(gold)} {noun(len(gold), 'question')} expects an answer, so nothing can be "
            "measured",
            mend='give at least one question with "expect": "answer" and its evidence',
        )
    _slices_there(plan, gold)
    questions = {str(question.id): question.text for question in asked}
    others = {str(one.id): one.text for one in gold if str(one.id) not in questions}
    return Artifacts(
        {
            "corpus": (corpus.seal, corpus),
            "gold": (gold.seal, gold),
            "questions": (seal(list(questions.items())), questions),
            "others": (seal(list(others.items())), others),
            **({JUDGEMENTS: labels} if labels is not None else {}),
        }
    )


def _slices_there(plan: Plan, gold: GoldSet) -> None:
    known = {"type", "tags", "source", "cluster", "origin", "expect"}
    known |= {name for question in gold for name in question.extra}
    for name in plan.measure.slices:
        if name not in known:
            raise InputError(f"[measure] slices: questions have no {name!r}", mend=nearest(name, known))


def _files(table: Table, larder: Artifacts) -> dict[str, bytes]:
    from evenhand.store.blobs import safe_name

    files = {
        **larder["export"],
        QUESTIONS: questions_file(larder["gold"], metrics_of(table.plan)),
    }
    for one in table.field:
        files[f"runs/{safe_name(one.name)}.parquet"] = larder[f"export/{one.name}"]
    return files | part_files(table, larder)


def _costs(table: Table, larder: Artifacts) -> dict[str, Any]:
    """Seconds by step, and for each system the latency of a question; of the run that did the work."""
    return {
        "note": "seconds as measured when the work was done; not part of the report or its manifest",
        "made_now": list(larder.fresh),
        "seconds": {name: round(took, 4) for name, took in larder.seconds.items()},
        "systems": {one.name: _latency(table, larder, one) for one in table.field},
    }


def _latency(table: Table, larder: Artifacts, one: Participant) -> dict[str, Any]:
    import numpy as np

    held = table.blobs.get("times", larder.seals[f"run/{one.name}"])
    if held is None or not len(held["seconds"]):
        return {"questions": 0, "measured": None, "mean_ms": None, "p50_ms": None, "p95_ms": None}
    seconds = held["seconds"]
    told = {"questions": len(seconds), "mean_ms": round(float(np.mean(seconds)) * 1000, 3)}
    # all at once and divided: no question was timed by itself, and the shares have no spread
    if bool(np.any(held.get("batch", len(seconds) > 1 and float(np.ptp(seconds)) == 0.0))):
        return {**told, "measured": "batch", "p50_ms": None, "p95_ms": None}
    low, high = np.quantile(seconds, [0.5, 0.95]) * 1000
    return {
        **told,
        "measured": "each question",
        "p50_ms": round(float(low), 3),
        "p95_ms": round(float(high), 3),
    }
