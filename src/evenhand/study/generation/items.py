"""Generated items for a report: each with what checks looked for, what they found, and where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.answer.checks.citation_markers import cited
from evenhand.answer.diagnosis.failure_rates import state_of

if TYPE_CHECKING:
    from evenhand.model.answer import Finding, Generation, Item

__all__ = ["finding_told", "items_told"]

LONGEST = 160  # code points of a place that are shown
MOST = 12  # of sought, found, missing and places


def items_told(
    generations: Iterable[Generation], findings: Mapping[str, Sequence[Finding]]
) -> list[dict[str, Any]]:
    """A row an item, and a row for each topic that gave none; in the order of the plan."""
    rows = []
    for one in generations:
        if not one.items:
            rows.append({**_head(one), "state": state_of(one), "why": one.why, "item": None})
        for item in one.items:
            leads = cited(one, item)
            rows.append(
                {
                    **_head(one),
                    "state": state_of(one),
                    "why": one.why,
                    "item": {
                        "id": item.id,
                        "number": item.number,
                        "kind": item.kind,
                        "text": item.text,
                        "options": list(item.options),
                        "key": item.key,
                        "answer": item.answer,
                        "cites": [
                            {
                                "marker": citation.marker,
                                "quote": citation.quote,
                                "unit": one.passages[lead].unit if lead is not None else None,
                            }
                            for citation, lead in zip(leads.citations, leads.leads, strict=True)
                        ],
                        "findings": [finding_told(f, one, item) for f in findings.get(item.id, ())],
                    },
                }
            )
    return rows


def _head(one: Generation) -> dict[str, Any]:
    return {
        "system": one.system,
        "topic": one.topic,
        "ask": one.ask,
        "expect": one.expect,
        "units": [passage.unit for passage in one.passages],
    }


def finding_told(one: Finding, generation: Generation, item: Item) -> dict[str, Any]:
    """A finding with the words at each of its places."""
    return {
        "check": one.check,
        "passed": one.passed,
        "why": one.why,
        "sought": list(one.sought[:MOST]),
        "found": list(one.found[:MOST]),
        "missing": list(one.missing[:MOST]),
        "places": [
            {"place": place, "start": start, "end": end, "words": _words(place, start, end, generation, item)}
            for place, start, end in one.where[:MOST]
        ],
    }


def _words(place: str, start: int, end: int, generation: Generation, item: Item) -> str:
    """The words that a finding points at; empty where the place is not known."""
    kind, _, number = place.partition(" ")
    n = int(number) - 1 if number.isdigit() else -1
    text = ""
    if kind == "passage" and 0 <= n < len(generation.passages):
        text = generation.passages[n].text
    elif kind == "option" and 0 <= n < len(item.options):
        text = item.options[n]
    elif place in ("item", "answer"):
        text = item.text if place == "item" else item.answer
    cut = text[start:end]
    return cut if len(cut) <= LONGEST else cut[: LONGEST - 1] + "…"
