"""Which drafts BM25 finds at once, and where it looks for those without an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.gold.drafting.filter import noted
from evenhand.gold.drafting.parse_reply import Draft
from evenhand.study.drafting.setup import Desk

if TYPE_CHECKING:
    from evenhand.model.gold import Question
    from evenhand.model.text import Units
    from evenhand.study.drafting.setup import Desk

__all__ = ["flagged"]


def flagged(kept: Iterable[Draft], desk: Desk) -> Iterator[Draft]:
    """Each with its flag: does BM25 rank a unit with the evidence first? None where there is none."""
    from evenhand.retrieve.lexical.bm25 import BM25
    from evenhand.retrieve.search import retrieve

    drafts = list(kept)
    asked = {draft.ask.name: draft.question.text for draft in drafts if draft.question is not None}
    if not asked:
        return
    run = retrieve(BM25(), desk.units, asked, depth=1)
    first = {
        name: int(run.unit[run.offsets[i]]) if run.offsets[i + 1] > run.offsets[i] else None
        for i, name in enumerate(run.questions)
    }
    for draft in drafts:
        assert draft.question is not None  # noqa: S101 - kept drafts have one
        top = first[draft.ask.name]
        flag = _holds(desk.units, top, draft.question) if draft.question.evidence else None
        more: dict[str, Any] = {"bm25_trivial": flag}
        if not draft.question.evidence and top is not None:
            more["bm25_first"] = str(
                desk.units.id(top)
            )  # where a reviewer looks whether it is answered after all
        yield replace(draft, question=noted(draft.question, more))


def _holds(units: Units, top: int | None, question: Question) -> bool:
    if top is None:
        return False
    unit = units[top]
    return any(
        str(quote.span.doc) == str(unit.doc) and unit.start <= quote.span.start and quote.span.end <= unit.end
        for nugget in question.evidence
        for quote in nugget.spans
    )
