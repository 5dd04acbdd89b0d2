"""Runs to be pooled: those of a study (made, or taken from its cache), or files tied to a corpus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import InputError, nearest
from evenhand.protocols import Progress, quiet
from evenhand.text.plural import many, noun, verb

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet
    from evenhand.model.plan.study import Plan
    from evenhand.model.run import Run
    from evenhand.model.text import Corpus

__all__ = ["Gathered", "left_out", "of_files", "of_study", "tied"]

UNIT = re.compile(r"(?P<doc>.+)#(?P<start>\d{1,15})-(?P<end>\d{1,15})", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """What is pooled: the runs, the questions they answer (text by id), and the documents behind."""

    corpus: Corpus
    gold: GoldSet | None
    questions: Mapping[str, str]
    runs: Sequence[Run]


def of_study(
    plan: Plan,
    folder: Path,
    *,
    systems: Collection[str] = (),
    cache: Path | None = None,
    progress: Progress = quiet,
) -> Gathered:
    """The runs of a study's systems (of all, or of those named), without its null systems.

    Nothing is measured: pooling comes before any number.
    """
    from evenhand.store.blobs import Blobs
    from evenhand.study.comparison.run import importable, laid
    from evenhand.study.steps.loop import perform

    blobs = Blobs(cache if cache is not None else folder / ".evenhand")
    with importable(folder):
        table, larder = laid(plan, folder, folder / "results", blobs, progress)
        wanted = [one.name for one in table.field if not one.system.null]
        for name in set(systems) - set(wanted):
            raise InputError(f"the study has no system {name!r}", mend=nearest(name, wanted))
        perform([step for step in table.steps() if step.makes.startswith(("units/", "run/"))], blobs, larder)
        runs = [larder[f"run/{name}"] for name in wanted if not systems or name in systems]
    return Gathered(corpus=larder["corpus"], gold=larder["gold"], questions=larder["questions"], runs=runs)


def left_out(gold: GoldSet | None) -> str:
    """Which questions have no item to be judged, as they expect no answer; in words, empty: none."""
    counts = Counter(question.expect for question in gold or () if question.expect != "answer")
    if not counts:
        return ""
    n = sum(counts.values())
    kinds = ", ".join(f"{expect} {count:,}" for expect, count in sorted(counts.items()))
    which = f"{many(n, 'question')} that {verb(n, 'expects', 'expect')} no answer ({kinds})"
    return f"{which} {verb(n, 'is', 'are')} left out"


def of_files(files: Sequence[Path], corpus: Corpus, gold: GoldSet) -> Gathered:
    """Run files over a corpus: their ids are ``document#start-end`` or documents."""
    from evenhand.formats.runs.trec import read_run

    questions = {str(question.id): question.text for question in gold.answerable()}
    runs = [tied(read_run(file), corpus, file.name) for file in files]
    for run, file in zip(runs, files, strict=True):
        if not questions.keys() & run.position.keys():
            raise InputError(
                f"{file.name} ranks none of the {len(questions)} {noun(len(questions), 'question')} of the "
                "gold set",
                mend="the first column of a run file is the question's id, as in gold.jsonl",
            )
    return Gathered(corpus=corpus, gold=gold, questions=questions, runs=runs)


def tied(run: Run, corpus: Corpus, name: str) -> Run:
    """*run* with its ids tied to the text they name; those that name none are counted by `bound`."""
    from evenhand.corpus.fixed import Whole
    from evenhand.model.text import DocId, Units
    from evenhand.study.comparison.external_results import bound

    rows = []
    for unit in run.table:
        found = UNIT.fullmatch(unit)
        if found and found["doc"] in corpus:
            start, end = int(found["start"]), int(found["end"])
            if 0 <= start < end <= len(corpus[found["doc"]].text):
                rows.append((corpus.position[DocId(found["doc"])], start, end))
    units = Units.of(corpus, name, rows) if rows else Whole().cut(corpus)
    return bound(run, units, name)
