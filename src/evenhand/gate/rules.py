"""Rules that say answer or defer, from the rankings alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evenhand.errors import InputError

__all__ = ["Decision", "consensus"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Answer from this document, or defer and say why."""

    decision: Literal["answer", "defer"]
    top: str | None  # the document answered from
    reason: str | None = None  # why it defers


def consensus(rankings: Sequence[Sequence[str]]) -> Decision:
    """Answer when every ranking has the same first document; defer otherwise.

    *rankings*: one list of document ids a system, best first; units collapse to their document before
    (the gate decides on documents). An empty ranking defers. A tie at rank 1 must have been resolved by
    the system's stated order. No rankings at all are refused: a gate of nobody would always agree.
    """
    if not rankings:
        raise InputError("the gate has no rankings", mend="name one system or more under [gate] of =")
    if not all(rankings):
        return Decision(decision="defer", top=None, reason="a system found nothing")
    tops = {ranking[0] for ranking in rankings}
    if len(tops) > 1:
        return Decision(decision="defer", top=None, reason=f"{len(tops)} different first documents")
    return Decision(decision="answer", top=rankings[0][0])
