"""Claims of answers and references, each held against one text: what a panel is asked to take them apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evenhand.answer.claims.claims import claims_of
from evenhand.answer.diagnosis.evidence import given, vital_of
from evenhand.metrics.catalogue.claims import Claimed
from evenhand.model.answer import Generation
from evenhand.model.gold import Question
from evenhand.model.label import Shown
from evenhand.model.seal import seal_texts

__all__ = ["Pairs", "pairs_of", "right_by_claims"]


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """What is asked about one answer.

    ``correct``: its claims against the reference; ``held``: its claims against each passage; ``made``: the
    claims of the reference against the answer. Which passage holds a claim of the reference (``there``) is
    known by the places of the evidence, and nobody is asked; None for a passage without text or place.
    ``known``: the passages are those that were given.
    """

    item: str
    correct: tuple[Shown, ...]
    held: tuple[tuple[Shown, ...], ...]
    made: tuple[Shown, ...]
    there: tuple[tuple[bool | None, ...], ...] = field(default=())
    known: bool = True

    def shown(self) -> Iterator[Shown]:
        """All of them, in order."""
        yield from self.correct
        for row in self.held:
            yield from row
        yield from self.made

    def claimed(self, said: Mapping[str, bool | None]) -> Claimed:
        """The decisions put together; *said*: `Shown.item` → borne out, None or absent where undecided."""
        unknown = () if self.known else (None,)
        return Claimed(
            correct=tuple(said.get(one.item) for one in self.correct),
            held=tuple(tuple(said.get(one.item) for one in row) or unknown for row in self.held),
            made=tuple(said.get(one.item) for one in self.made),
            there=tuple(row or unknown for row in self.there),
        )


def pairs_of(generation: Generation, question: Question, *, spans: str = "nuggets") -> Pairs | None:
    """The pairs of the answer to a gold question; None where there is no answer or no evidence.

    A claim of the reference is the first quote of each vital nugget: the corpus in its own words. The
    reference that claims of the answer are held against is the gold set's, with all those quotes.
    """
    nuggets = vital_of(question, spans)
    if not generation.items or not nuggets or question.expect != "answer":
        return None
    item = generation.items[0]
    if item.abstained:
        return None
    mine = claims_of(generation, item)
    theirs = [nugget.spans[0].quote for nugget in nuggets]
    reference = "\n\n".join(filter(str.strip, [question.reference, *theirs]))
    texts = [passage.text for passage in generation.passages]
    there = [given(question, [passage], spans=spans) for passage in generation.passages]
    return Pairs(
        item=item.id,
        correct=tuple(_shown(f"{item.id}.{i}.reference", claim, reference) for i, claim in enumerate(mine)),
        known=generation.passages_known,
        held=tuple(
            tuple(_shown(f"{item.id}.{i}.passage{j + 1}", claim, text) for j, text in enumerate(texts))
            for i, claim in enumerate(mine)
        ),
        made=tuple(_shown(f"{item.id}.gold{i}", claim, item.text) for i, claim in enumerate(theirs)),
        there=tuple(
            tuple(None if one.blank else i in one.held for one in there) for i in range(len(nuggets))
        ),
    )


def right_by_claims(one: Claimed) -> bool | None:
    """Every claim of the reference is made, and every claim of the answer is correct; None if undecided."""
    said = (*one.made, *one.correct)
    if False in said:
        return False
    return None if None in said or not said else True


def _shown(name: str, claim: str, text: str) -> Shown:
    return Shown(
        question=name, ask=claim, text=text, doc="", start=0, end=len(text), text_sha256=seal_texts([text])
    )
