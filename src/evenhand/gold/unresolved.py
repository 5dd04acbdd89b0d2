"""Questions as a file gives them, before their quotes are found in the corpus."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.model.gold import Question

__all__ = ["RawNugget", "RawQuestion", "RawQuote"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawQuote:
    """Evidence by quote, by offsets (code points), by both, or (``whole``) the body of a document."""

    doc: str
    quote: str = ""
    start: int | None = None
    end: int | None = None
    whole: bool = False
    field: str = ""  # where it stands in its line, for messages


@dataclass(frozen=True, slots=True, kw_only=True)
class RawNugget:
    """One fact, its alternatives not yet placed."""

    name: str = ""
    vital: bool = True
    spans: tuple[RawQuote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RawQuestion:
    """A question (its ``evidence`` still empty) and its raw nuggets."""

    question: Question
    nuggets: tuple[RawNugget, ...] = ()
    judged_in: str = ""  # the file that says so, where judgements lie beside the questions
