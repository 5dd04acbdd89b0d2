"""`verify --independent`: metrics and rankings of written results by another way than ours.

Qrels are aligned by a plain loop over spans; metrics are trec_eval's; dense rankings are brute force over
the stored vectors in float64. Intervals and tests: `evenhand.study.verification.recompute_tests`;
gate and threshold in modules of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from evenhand.errors import EvenhandError, InputError
from evenhand.model.json_text import loads
from evenhand.plugins import need
from evenhand.protocols import Progress, quiet
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from polars import DataFrame

    from evenhand.metrics.catalogue.metric_type import Metric
    from evenhand.model.gold import GoldSet
    from evenhand.model.plan.study import Plan
    from evenhand.model.text import Units
    from evenhand.study.verification.verify import Verified

__all__ = ["independently"]

NEAR = 1e-9
SCORE = 1.5e-6  # cosines are rounded to six decimals, and may fall to either side of a half
TREC = {
    "nDCG": "ndcg_cut",
    "R": "recall",
    "P": "P",
    "Success": "success",
    "AP": "map_cut",
    "RR": "recip_rank",
}
PLAIN = ("NuggetRecall",)
NEEDED = ("units/", "run/", "within/", "sizes/", "qrels/")  # what is made before anything is measured

T = TypeVar("T")
Grades = dict[str, dict[str, int]]  # question -> unit -> grade
Covers = dict[str, dict[str, frozenset[int]]]  # question -> unit -> nuggets


def independently(
    plan: Plan,
    home: Path,
    results: Path,
    stored: Path,
    made: Verified,
    *,
    cache: Path,
    holdout: GoldSet | None = None,
    entries: int | None = None,
    progress: Progress = quiet,
) -> None:
    """Recompute what *results* hold and note what differs; *stored* holds the vectors, *cache* the units.

    Raises MissingExtra where the extra ``verify`` is not installed.
    """
    need("statsmodels", extra="verify")
    need("pytrec_eval", extra="verify")
    import polars as pl

    from evenhand.formats.results.parquet import names_of
    from evenhand.store.blobs import Blobs, safe_name
    from evenhand.study.comparison.run import importable, laid
    from evenhand.study.panel.steps import VOTES
    from evenhand.study.steps.loop import perform
    from evenhand.study.threshold.arms import arms_of
    from evenhand.study.verification.recompute_gate import gate_checked
    from evenhand.study.verification.recompute_tests import estimates, tests
    from evenhand.study.verification.recompute_threshold import threshold_checked

    what = f"{results.name}, independently"
    try:
        report = loads((results / "report.json").read_bytes())
        measured = pl.read_parquet(results / "measurements.parquet")
        blobs = Blobs(cache)
        with importable(home):
            table, larder = laid(plan, home, results, blobs, progress, holdout=holdout, entries=entries)
            perform(
                [s for s in table.steps() if s.makes.startswith(NEEDED) or s.makes == VOTES],
                blobs,
                larder,
            )
        runs = {
            one.name: pl.read_parquet(results / "runs" / f"{safe_name(one.name)}.parquet")
            for one in table.field
        }
    except (OSError, ValueError, KeyError, pl.exceptions.PolarsError) as error:
        made.add("fault", what, f"the results cannot be read: {error}")
        return
    gold: GoldSet = larder["gold"]
    faults: list[str] = []
    done: dict[str, int] = {}
    left: set[str] = set()
    for name in table.cuts:
        members = [one.name for one in table.field if table.cut_of(one) == name]
        qrels = larder[f"qrels/{name}"]
        if qrels.units is None or (len(qrels.excluded) and qrels.excluded.any()):
            left.add(f"the systems on {name} have bare ids, or units are left out")
            continue
        grades, covers = aligned(gold, qrels.units)
        faults += list(_labels(qrels, grades, judged=bool(table.judgements)))
        if table.judgements:
            grades = {q: {u: int(g) for u, g in qrels.judged(q).items()} for q in qrels.questions}
        called = dict(zip(qrels.table, names_of(qrels.table, qrels.units), strict=True))
        grades, covers = _called(grades, called), _called(covers, called)
        for system in members:
            found = _metrics(system, runs[system], measured, grades, covers, gold, done, left)
            faults += list(found)
    said = ", ".join(f"{many(n, 'value')} of {name}" for name, n in done.items())
    _note(made, f"{results.name}: metrics by trec_eval", faults, said, left)
    rows, ranked, blind = _dense(table, larder, runs, stored)
    _note(made, f"{results.name}: dense rankings by brute force", rows, ", ".join(ranked), blind)
    for what, rows_of, again in (("intervals", "estimates", estimates), ("tests", "contrasts", tests)):
        faults, counts = again(report, measured)
        other = {"no other library here has their methods"} if report[rows_of] and not counts else set()
        _note(made, f"{results.name}: {what} by scipy and statsmodels", faults, counts, other)
    if report.get("gate"):
        gate_checked(report, results, gold, larder["corpus"], made)
    if report.get("threshold"):
        threshold_checked(report, results, gold, made, arms=arms_of(plan, table.field))


def _note(made: Verified, what: str, faults: list[str], good: str, unchecked: Iterable[str]) -> None:
    """Faults, else what was found well; and apart from it what could not be checked, each with its reason."""
    if faults or good:
        made.sort(what, faults, good)
    for why in sorted(unchecked):
        made.unchecked(what, why)


def _called(found: Mapping[str, Mapping[str, T]], called: Mapping[str, str]) -> dict[str, dict[str, T]]:
    """The same by what the units are called in the exported files."""
    return {question: {called[unit]: one for unit, one in of.items()} for question, of in found.items()}


def aligned(gold: GoldSet, units: Units) -> tuple[Grades, Covers]:
    """Grades and nuggets by a plain reading: a unit that holds every vital nugget whole is 2, some is 1.

    One that holds all of a document that was judged as a whole has the grade of the document.
    """
    from evenhand.gold.nuggets import as_counted

    by_doc: dict[str, list[tuple[str, int, int]]] = {}
    for i, unit in enumerate(units.ids):
        doc = str(units.corpus.documents[int(units.doc[i])].id)
        by_doc.setdefault(doc, []).append((str(unit), int(units.start[i]), int(units.end[i])))
    grades: Grades = {}
    covers: Covers = {}
    for question in gold:
        if question.expect != "answer":
            continue
        nuggets = as_counted(question.evidence, gold.spans)
        vital = {i for i, nugget in enumerate(nuggets) if nugget.vital}
        held: dict[str, set[int]] = {}
        for i, nugget in enumerate(nuggets):
            for quote in nugget.spans:
                for name, start, end in by_doc.get(str(quote.span.doc), ()):
                    if start <= quote.span.start and quote.span.end <= end:
                        held.setdefault(name, set()).add(i)
        key = str(question.id)
        grades[key] = {name: 2 if vital <= some else 1 for name, some in held.items()}
        for doc, given in question.grades.items():
            for name, start, end in by_doc.get(doc, ()):
                of = units.corpus[doc]
                if not of.text[of.body : start].strip() and not of.text[end:].strip():
                    grades[key][name] = int(given)
        covers[key] = {name: frozenset(some) for name, some in held.items()}
    return grades, covers


def _labels(qrels: Any, grades: Grades, *, judged: bool) -> Iterator[str]:
    """Where the aligned grades are not those of the plain reading; judged ones stand over them."""
    for i, question in enumerate(qrels.questions):
        rows = range(int(qrels.offsets[i]), int(qrels.offsets[i + 1]))
        ours = {
            qrels.table[qrels.unit[j]]: int(qrels.grade[j])
            for j in rows
            if not judged or (len(qrels.label) and qrels.label[j] == 1)
        }
        theirs = grades.get(str(question), {})
        for unit in sorted({*ours, *(theirs if not judged else ())}):
            if ours.get(unit) != theirs.get(unit):
                told = f"is {ours.get(unit)}, and {theirs.get(unit)} by the spans"
                yield f"the grade of {unit} for {question} {told}"


def _metrics(  # noqa: PLR0917
    system: str,
    run: DataFrame,
    measured: DataFrame,
    grades: Grades,
    covers: Covers,
    gold: GoldSet,
    done: dict[str, int],
    left: set[str],
) -> Iterator[str]:
    import polars as pl

    from evenhand.metrics.catalogue.names import parse

    ranked = run.sort("question", "rank").group_by("question", maintain_order=True).agg("unit")
    rankings: dict[str, list[str]] = dict(ranked.iter_rows())
    own = measured.filter(pl.col("system") == system)
    for (name,), rows in own.group_by("metric", maintain_order=True):
        metric = parse(str(name))
        values = _values(metric, rankings, grades, covers, gold)
        if values is None:
            left.add(f"no other library here has {name}")
            continue
        known = rows.filter(pl.col("value").is_not_null())
        for question, value in known.select("question", "value").iter_rows():
            theirs = values.get(question, 0.0)
            if abs(value - theirs) > NEAR:
                yield f"{name} of {system} on {question} is {value!r}, and {theirs!r} recomputed"
        done[str(name)] = done.get(str(name), 0) + known.height


def _values(
    metric: Metric, rankings: Mapping[str, Sequence[str]], grades: Grades, covers: Covers, gold: GoldSet
) -> dict[str, float] | None:
    """The metric by question, by trec_eval or by its plain definition; None where neither has it."""
    params = dict(metric.params)
    if metric.budget is not None or set(params) - {"rel"}:
        return None
    if metric.name in PLAIN and metric.cutoff and not params:
        return _nuggets(rankings, covers, gold, metric.cutoff)
    level = params.get("rel", 1)
    if metric.name not in TREC or (metric.cutoff is None and metric.name not in ("AP", "RR")):
        return None
    if not isinstance(level, int | float) or level != int(level):
        return None
    measure = TREC[metric.name]
    cut = metric.cutoff
    if cut is not None and metric.name == "RR":
        rankings = {question: units[:cut] for question, units in rankings.items()}
    elif metric.name == "AP" and cut is None:
        measure = "map"
    asked = measure if measure in ("map", "recip_rank") else f"{measure}.{cut}"
    evaluator = need("pytrec_eval", extra="verify").RelevanceEvaluator(
        {question: units for question, units in grades.items() if units}, {asked}, relevance_level=int(level)
    )
    run = {
        question: {unit: float(len(units) - i) for i, unit in enumerate(units)}
        for question, units in rankings.items()
        if units
    }
    found = evaluator.evaluate(run)
    return {question: float(row[asked.replace(".", "_")]) for question, row in found.items()}


def _nuggets(
    rankings: Mapping[str, Sequence[str]], covers: Covers, gold: GoldSet, cut: int
) -> dict[str, float]:
    """Share of the vital nuggets (of all, where none is vital) that the top *cut* hold whole."""
    from evenhand.gold.nuggets import as_counted

    made: dict[str, float] = {}
    for question in gold:
        nuggets = as_counted(question.evidence, gold.spans) if question.expect == "answer" else ()
        vital = {i for i, nugget in enumerate(nuggets) if nugget.vital}
        held = covers.get(str(question.id), {})
        found = {i for unit in rankings.get(str(question.id), ())[:cut] for i in held.get(unit, ())}
        if vital:
            made[str(question.id)] = len(found & vital) / len(vital)
    return made


class _Stored:
    """An embedder that gives stored vectors and computes none."""

    def __init__(self, name: str, seal: str) -> None:
        self.name, self.seal = name, seal

    def embed(self, texts: Sequence[str]) -> Any:
        raise InputError(f"{len(texts)} vectors of {self.name!r} are not stored", mend="run the study first")


def _dense(
    table: Any, larder: Any, runs: Mapping[str, DataFrame], stored: Path
) -> tuple[list[str], list[str], list[str]]:
    """Each dense ranking by cosines in float64 over all stored vectors: faults, compared, unchecked."""
    from evenhand.formats.results.parquet import names_of
    from evenhand.store.blobs import Blobs

    faults: list[str] = []
    done: list[str] = []
    blind: list[str] = []
    blobs = Blobs(stored)
    questions: Mapping[str, str] = larder["questions"]
    for one in table.field:
        if one.system.what not in ("dense", "vectors") or one.chunking == "own":
            continue
        system, units = table.systems[one.system.name], larder[f"units/{one.chunking}"]
        if one.system.what == "vectors" and system.index != "exact":
            blind.append(f"{one.name} searches approximately")
            continue
        if one.system.what == "dense" and not system.model.seal:
            blind.append(f"the embedder of {one.name} has no seal, so no vectors are stored")
            continue
        try:
            held, rows = _vectors(system, units, list(questions.values()), blobs)
        except EvenhandError as error:
            faults.append(f"{one.name}: {error.what}")
            continue
        depth = table.plan.measure.depth
        faults += _ranked(
            one.name, runs[one.name], list(questions), names_of(units.ids, units), rows, held, depth
        )
        done.append(f"{one.name}: {many(len(questions), 'ranking')} over {len(held):,} vectors")
    return faults, done, blind


def _vectors(system: Any, units: Any, questions: list[str], blobs: Any) -> tuple[Any, Any]:
    """The vectors of units and of questions: from the files that a system names, else as they are stored."""
    if hasattr(system, "held"):
        asked = system.rows(questions)
        return system.held.array, getattr(asked, "array", asked)
    from evenhand.retrieve.vectors.embed import embed

    model: Any = _Stored(system.model.name, system.model.seal)
    made = []
    for prefix, texts in ((system.unit_prefix, units.texts()), (system.question_prefix, questions)):
        given = [prefix + text for text in texts]
        made.append(embed(model, given, total=len(given), cache=blobs))
    return made[0], made[1]


def _ranked(  # noqa: PLR0917
    name: str,
    run: DataFrame,
    questions: Sequence[str],
    ids: Sequence[str],
    rows: Any,
    held: Any,
    depth: int,
) -> Iterator[str]:
    unit = np.asarray(held, dtype=np.float64)
    size = np.linalg.norm(unit, axis=1)
    place = {str(one): i for i, one in enumerate(ids)}
    by_question = {
        question: (list(units), list(scores))
        for question, units, scores in run.sort("question", "rank")
        .group_by("question", maintain_order=True)
        .agg("unit", "score")
        .iter_rows()
    }
    for first in range(0, len(questions), 256):
        part = np.asarray(rows[first : first + 256], dtype=np.float64)
        norm = np.linalg.norm(part, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            cosines = part @ unit.T / norm[:, None] / size[None, :]
        for i, question in enumerate(questions[first : first + 256]):
            got, scores = by_question.get(question, ([], []))
            if not norm[i]:
                continue
            asked = min(depth, int((size > 0).sum()))
            if len(set(got)) != asked:
                yield (
                    f"{name} on {question} ranks {len(set(got))} {noun(len(set(got)), 'unit')}, and "
                    f"there are {asked} to rank"
                )
                continue
            cosine = np.where(size > 0, cosines[i], -np.inf)
            best = np.sort(cosine)[::-1][: len(got)]
            own = np.array([cosine[place[u]] if u in place else np.nan for u in got])
            for rank in range(len(got)):
                # the stored score is this unit's cosine, and no unit left out stands above it
                if not (abs(own[rank] - scores[rank]) <= SCORE and abs(best[rank] - own[rank]) <= SCORE):
                    yield (
                        f"{name} on {question}: rank {rank + 1} is {got[rank]} with {scores[rank]:.6f}; by "
                        f"brute force it has {own[rank]:.6f}, and that rank {best[rank]:.6f}"
                    )
                    break
