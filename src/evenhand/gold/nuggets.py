"""How several references of one question count: ``any``, ``all``, or as its nuggets say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.errors import InputError, nearest
from evenhand.model.gold import GoldSet, Nugget

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SPANS", "as_counted", "as_nuggets"]

SPANS = ("any", "all", "nuggets")


def as_counted(evidence: Sequence[Nugget], spans: str) -> tuple[Nugget, ...]:
    """The nuggets that count under *spans*.

    ``any``: one vital nugget, each span an alternative. ``all``: each span a vital nugget of its own.
    ``nuggets``: as written, but where no nugget is vital all are (else everything would be sufficient).
    """
    if spans not in SPANS:
        raise InputError(f"spans is {spans!r}", mend=nearest(spans, SPANS))
    if spans == "any":
        quotes = tuple(quote for nugget in evidence for quote in nugget.spans)
        return (Nugget(name=evidence[0].name, spans=quotes),) if quotes else ()
    if spans == "all":
        return tuple(
            Nugget(name=nugget.name, spans=(quote,)) for nugget in evidence for quote in nugget.spans
        )
    kept = tuple(nugget for nugget in evidence if nugget.spans)
    if any(nugget.vital for nugget in kept):
        return kept
    return tuple(replace(nugget, vital=True) for nugget in kept)


def as_nuggets(gold: GoldSet) -> GoldSet:
    """The same gold set with its way of counting written into the nuggets (``spans`` is ``nuggets``)."""
    if gold.spans == "nuggets":
        return gold
    questions = tuple(replace(q, evidence=as_counted(q.evidence, gold.spans)) for q in gold.questions)
    return GoldSet(questions, "nuggets", gold.split, gold.warnings)
