"""Which evidence the passages hold that a generator was given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evenhand.corpus.quote_match import Place
from evenhand.gold.nuggets import as_counted
from evenhand.model.answer import Passage
from evenhand.model.gold import Nugget, Question, Quote

__all__ = ["NO_PASSAGES", "NO_TEXT", "Given", "given", "rank_of_all"]

LONG = 100  # characters from which a quote may begin or end inside a word, as a splitter cuts
NO_EVIDENCE = "the gold set does not say what the answer needs"
NO_PASSAGES = "it is not known which passages it was given"
NO_TEXT = "passages came without their text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The vital nuggets of a question, by position: those that passages ``held``, and all (``vital``).

    ``sufficient`` is None where it cannot be said, and ``unknown`` says why: the question has no evidence, or
    it is not known what all of the passages were. ``placed``: every passage said where it lies; otherwise
    words were looked for.
    """

    vital: int
    held: tuple[int, ...]
    placed: bool = True
    blank: int = 0
    known: bool = True

    @property
    def sufficient(self) -> bool | None:
        """Whether all vital nuggets are held."""
        return None if self.unknown else len(self.held) == self.vital

    @property
    def unknown(self) -> str:
        """Why it cannot be said; empty where it can."""
        if not self.vital:
            return NO_EVIDENCE
        if len(self.held) == self.vital:
            return ""
        return NO_PASSAGES if not self.known else NO_TEXT if self.blank else ""


def vital_of(question: Question, spans: str) -> tuple[Nugget, ...]:
    """The nuggets that an answer needs, as *spans* of ``[gold]`` counts them."""
    return tuple(one for one in as_counted(question.evidence, spans) if one.vital)


def given(
    question: Question, passages: Sequence[Passage], *, spans: str = "nuggets", known: bool = True
) -> Given:
    """What *passages* hold of the evidence of *question*; *known*: these are all that were given.

    A nugget is held when one of its spans lies whole in one passage: by place where the passage says where
    it lies, else by the words of the quote, white space aside, not cut out of longer words or numbers.
    """
    vital = vital_of(question, spans)
    texts = {i: _plain(one.text) for i, one in enumerate(passages) if not _is_placed(one)}
    blank = sum(not text for text in texts.values())
    held = tuple(
        i
        for i, nugget in enumerate(vital)
        if any(
            _lies_in(quote, one, texts.get(at)) for quote in nugget.spans for at, one in enumerate(passages)
        )
    )
    return Given(vital=len(vital), held=held, placed=not texts, blank=blank, known=known)


def rank_of_all(question: Question, spans: str, units: Iterable[tuple[str, int, int]]) -> int | None:
    """How deep one has to look until every vital nugget is there; None where that never happens.

    *units* are (document, start, end) in the order of the ranking.
    """
    wanted = dict(enumerate(vital_of(question, spans)))
    if not wanted:
        return None
    for rank, (doc, start, end) in enumerate(units, start=1):
        for i in [
            i for i, nugget in wanted.items() if any(_inside(q, doc, start, end) for q in nugget.spans)
        ]:
            del wanted[i]
        if not wanted:
            return rank
    return None


def _is_placed(passage: Passage) -> bool:
    return bool(passage.doc) and passage.start is not None and passage.end is not None


def _lies_in(quote: Quote, passage: Passage, text: str | None) -> bool:
    if text is not None:
        if not quote.quote.strip() or _plain(quote.quote) not in text:
            return False
        # "5 EUR" is not in "15 EUR"
        return bool(Place(passage.text).all(quote.quote, cut=len(quote.quote) >= LONG))
    assert passage.start is not None  # noqa: S101 - placed passages have both
    assert passage.end is not None  # noqa: S101
    return _inside(quote, passage.doc, passage.start, passage.end)


def _inside(quote: Quote, doc: str, start: int, end: int) -> bool:
    span = quote.span
    return str(span.doc) == doc and start <= span.start and span.end <= end


def _plain(text: str) -> str:
    return " ".join(text.split())
