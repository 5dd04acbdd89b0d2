"""Cards of what is given and what ran: gold sets, grades, runs, and the report of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from evenhand.model.result import Contrast, Estimate
from evenhand.report.notebook.card import Card, Grid, cut, facts
from evenhand.report.notebook.card_grids import contrasts_grid, estimates_grid
from evenhand.report.output.number_format import count

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet, Question
    from evenhand.model.run import Qrels, Run

__all__ = ["gold_card", "qrels_card", "report_card", "run_card"]

QUESTIONS, HITS = 3, 5  # shown of a run
LABELS = ("people", "evidence", "a panel")


def run_card(run: Run) -> Card:
    """What ran, and how its rankings begin."""
    hits = tuple(
        (question, str(hit.rank), hit.unit, f"{hit.score:.4f}")
        for question in run.questions[:QUESTIONS]
        for hit in run.ranking(question, HITS)
    )
    depths = [int(stop - start) for start, stop in zip(run.offsets[:-1], run.offsets[1:], strict=True)]
    shown = f"the first {HITS} hits of the first {QUESTIONS} questions"
    grid = Grid(
        head=("question", "rank", "unit", "score"), rows=hits, caption=shown, numbers=frozenset({1, 3})
    )
    return Card(
        title=f"Run of {run.system}",
        facts=facts(
            (
                "questions",
                f"{count(len(run))}; {count(len(run.unit))} hits, at most {max(depths, default=0)} each",
            ),
            ("chunking", run.units.chunking if run.units is not None else ""),
            ("notes", ", ".join(f"{count(n)} {what}" for what, n in run.notes.items())),
            ("not run", count(len(run.not_run)) if run.not_run else ""),
            ("what ran", "; ".join(f"{key} {value}" for key, value in _told(run.provenance))),
            ("seal", run.seal[:16] + "…"),
        ),
        grids=(grid,) if hits else (),
    )


def _told(provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(key, cut(str(value))) for key, value in islice(provenance.items(), 12)]


def qrels_card(qrels: Qrels) -> Card:
    """How many grades there are of each kind, and whose they are."""
    grades = Counter(qrels.grade.tolist())
    labels = Counter(qrels.label.tolist()) if len(qrels.label) else {}
    rows = tuple((f"{grade:g}", count(n)) for grade, n in sorted(grades.items(), reverse=True))
    return Card(
        title=f"Qrels: {count(len(qrels.unit))} grades of {count(len(qrels))} questions",
        facts=facts(
            ("labels of", ", ".join(f"{LABELS[code]}: {count(n)}" for code, n in sorted(labels.items()))),
            (
                "unreachable",
                f"{count(int(qrels.unreachable.sum()))} questions" if qrels.unreachable.any() else "",
            ),
            ("notes", ", ".join(f"{count(n)} {what}" for what, n in qrels.notes.items())),
            ("seal", qrels.seal[:16] + "…"),
        ),
        grids=(Grid(head=("grade", "units"), rows=rows, numbers=frozenset({0, 1})),),
    )


def gold_card(gold: GoldSet) -> Card:
    """How many questions there are of each kind, and the first of them; of a holdout counts alone."""

    def counts(values: Iterable[str]) -> str:
        return ", ".join(f"{count(n)} {value or 'none'}" for value, n in sorted(Counter(values).items()))

    hidden = gold.split == "holdout"  # its words are not shown
    shown = () if hidden else gold.questions[: QUESTIONS + 2]
    rows = tuple((str(one.id), cut(one.text), one.type, one.expect, _quotes(one)) for one in shown)
    grid = Grid(
        head=("id", "question", "type", "expects", "evidence"), rows=rows, caption="the first questions"
    )
    return Card(
        title=f"Gold set: {count(len(gold))} {gold.split} questions",
        facts=facts(
            ("expect", counts(one.expect for one in gold)),
            ("types", "" if hidden else counts(one.type for one in gold)),
            ("origin", counts(one.origin for one in gold)),
            ("waiting for a person", count(sum(one.provisional for one in gold)) if len(gold) else ""),
            ("clusters", count(len({one.cluster for one in gold if one.cluster}))),
            ("seal", gold.seal[:16] + "…"),
        ),
        grids=(grid,) if rows else (),
        notes=("a holdout is counted and not shown",) if hidden else gold.warnings,
    )


def report_card(report: Mapping[str, Any]) -> Card:
    """What the report of a study says first: how it stands, its headline and its figures."""
    told = report.get("registration") or {}
    primary = report["study"]["primary"]
    estimates = [Estimate(**row) for row in report["estimates"]]
    contrasts = [Contrast(**row) for row in report["contrasts"] if not row["exploratory"]]
    state, split = told.get("word", "provisional"), report["gold"]["split"]
    waiting = report["provisional"]["waiting"] if report["provisional"]["state"] else 0
    plan = report["repeat"]["seals"].get("plan", "")
    return Card(
        title=f"Study {report['study']['name']}: {state}, {split}",
        facts=facts(
            ("primary metric", primary),
            ("incomplete", "some questions could not be asked" if report["incomplete"]["state"] else ""),
            ("waiting for a person", f"{waiting:,} questions" if waiting else ""),
            ("plan", plan[:16] + "…"),
        ),
        grids=(estimates_grid(estimates), *([contrasts_grid(contrasts)] if contrasts else ())),
        notes=(
            report["headline"],
            *(row["text"] for row in report["warnings"]),
        ),
    )


def _quotes(one: Question) -> str:
    return cut(" / ".join(quote.quote for nugget in one.evidence for quote in nugget.spans))
