"""What became of each question under a gate's rules, as plain JSON: rates, failures, errors, decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.gate.outcomes import KINDS, Outcomes

if TYPE_CHECKING:
    from evenhand.gate.table import Table as Rates
    from evenhand.study.gate.labelled_questions import Candidate, Ground

__all__ = ["cases_told", "decisions_told", "errors_told", "failures_told", "rule_told"]


def rule_told(one: Candidate, found: Outcomes | None, rates: Rates | None, *, main: bool) -> dict[str, Any]:
    """One rule of the decision table: every rate, the kinds of decisions, what was flagged."""
    flagged = Counter(row.reason or "" for row in found.rows if row.flagged) if found else Counter[str]()
    return {
        "name": one.name,
        "planned": main,
        "how": one.how,
        "reason": one.reason,
        "notes": list(one.notes),
        "rates": [] if rates is None else [_rate(row) for row in rates.rows],
        "kinds": found.kinds if found else {},
        "flagged": dict(sorted(flagged.items())),
        "n": len(found.rows) if found else 0,
    }


def _rate(row: Any) -> dict[str, Any]:
    return {
        "name": row.name,
        "says": row.says,
        "k": row.k,
        "n": row.n,
        "rate": row.rate,
        "wilson": [row.wilson.low, row.wilson.high],
        "exact": [row.clopper_pearson.low, row.clopper_pearson.high],
        "lower": row.lower.low,
        "upper": row.upper.high,
        "lower_exact": row.lower_exact.low,
        "upper_exact": row.upper_exact.high,
        "descriptive": row.descriptive,
        "reason": row.reason,
    }


def cases_told(found: Outcomes, ground: Ground) -> list[dict[str, Any]]:
    """Kinds of decisions by tag: exploratory."""
    tags = {str(one.id): one.tags for one in ground.gold}
    counted: dict[str, Counter[str]] = {}
    for row in found.rows:
        for tag in tags[row.question]:
            counted.setdefault(tag, Counter())[row.kind] += 1
    return [
        {"tag": tag, "n": sum(kinds.values()), "kinds": {kind: kinds[kind] for kind in KINDS if kinds[kind]}}
        for tag, kinds in sorted(counted.items())
    ]


def _row(row: Any, texts: Mapping[str, str]) -> dict[str, Any]:
    return {
        "question": row.question,
        "text": texts[row.question],
        "expect": row.expect,
        "kind": row.kind,
        "top": row.top,
        "reason": row.reason,
        "below": row.below,
        "knew": list(row.knew),
        "dissent": list(row.dissent),
        "superseded": row.superseded,
    }


def failures_told(found: Outcomes, texts: Mapping[str, str]) -> dict[str, Any]:
    """Answerable questions that were deferred: who disagreed, who knew, and where the answer stood."""
    rows = [row for row in found.rows if row.kind == "needless_deferral"]
    on_top = sum(row.below == 1 for row in rows)
    return {
        "n": len(rows),
        "dissent": found.dissent,
        "on_top": on_top,
        "below": sum(row.below is not None and row.below > 1 for row in rows),
        "not_ranked": sum(row.below is None for row in rows),
        "somebody_knew": sum(bool(row.knew) for row in rows),
        "ranks": {
            str(rank): n for rank, n in sorted(Counter(r.below for r in rows if r.below is not None).items())
        },
        "rows": [_row(row, texts) for row in rows],
    }


def errors_told(found: Outcomes, texts: Mapping[str, str], corpus: Any) -> list[dict[str, Any]]:
    """The wrong answers by kind, each with the document answered from."""
    rows = []
    for row in found.errors():
        if row.kind == "needless_deferral":
            continue  # these are the failures
        document = corpus[row.top] if row.top is not None else None
        about = {"title": document.title, "status": document.status} if document is not None else {}
        rows.append({**_row(row, texts), "title": "", "status": "", **about})
    return rows


def decisions_told(
    rules: Sequence[Candidate], outcomes: Sequence[Outcomes | None], texts: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One line a question and rule: what was decided, from which document, and what that was."""
    rows = []
    for one, found in zip(rules, outcomes, strict=True):
        if found is None or one.decisions is None:
            continue
        value = dict(zip(one.decisions.questions, (made.value for made in one.decisions.made), strict=True))
        rows += [
            {"rule": one.name, **_row(row, texts), "value": value[row.question], "flagged": row.flagged}
            for row in found.rows
        ]
    return rows
