"""Questions drafted by a model: what it is asked, from which passages; nothing is called here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evenhand.errors import InputError, nearest
from evenhand.stats.sampling.seeds import stream

if TYPE_CHECKING:
    from evenhand.model.text import Units

__all__ = ["KINDS", "TYPES", "Ask", "Kind", "Passage", "asks"]

SHORT = 200  # characters of a passage that is drafted from, where its document has a longer one
TYPES = ("definition", "procedure", "interpretation", "comparison", "conceptual", "numeric")

SINGLE = """\
Write one question that the passage answers. List each fact that the answer needs, with the words of the
passage that state it."""
MULTI = """\
Write one question that can only be answered with both passages together: it needs a fact of the first
and a fact of the second. List each fact that the answer needs, with the words that state it, at least
one from each passage."""
ABSTAIN = """\
Write one question that a reader of the passage could well ask next, about the same thing, and that
neither the passage nor, as far as can be told from it, the documents around it answer. Nothing that is
said must answer it, and it must not be absurd. Say in "answer" what is missing."""
CLARIFY = """\
Write one question, as short as people ask it, whose answer depends on something that it leaves open, so
that the right reply is to ask back. List at least two ways to read it, each with the words of the
passage that would answer it then. Say in "answer" what has to be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of question: how many passages it is drafted from, what is asked, what it expects.

    ``pieces`` is what the list of quotes is called in the reply (empty: none is asked for), ``least`` how
    many there must be; ``each``: must every passage be quoted? ``tag`` goes to the question beside
    ``synthetic``.
    """

    name: str
    passages: int
    expect: str
    tag: str
    ask: str
    pieces: str = "facts"
    least: int = 1
    each: bool = False


KINDS: Mapping[str, Kind] = {
    one.name: one
    for one in (
        Kind(
            name="single",
            passages=1,
            expect="answer",
            tag="single-hop",
            ask=SINGLE,
        ),
        Kind(
            name="multi",
            passages=2,
            expect="answer",
            tag="multi-unit",
            ask=MULTI,
            least=2,
            each=True,
        ),
        Kind(
            name="abstain",
            passages=1,
            expect="abstain",
            tag="unanswerable",
            ask=ABSTAIN,
            pieces="",
            least=0,
        ),
        Kind(
            name="clarify",
            passages=1,
            expect="clarify",
            tag="needs-clarification",
            ask=CLARIFY,
            pieces="readings",
            least=2,
        ),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a document as the model sees it; offsets are code points of the document."""

    doc: str
    start: int
    end: int
    text: str
    title: str = ""

    @property
    def name(self) -> str:
        """``document#start-end``."""
        return f"{self.doc}#{self.start}-{self.end}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One draft to be asked for: its kind, its number among those of its kind, its passages."""

    kind: Kind
    number: int
    passages: tuple[Passage, ...] = field(default_factory=tuple)

    @property
    def name(self) -> str:
        """``draft/multi/3``: its name in recordings and among the rejected."""
        return f"draft/{self.kind.name}/{self.number}"


def asks(kind: str, units: Units, *, seed: int, leave_out: Sequence[str] = ()) -> Iterator[Ask]:
    """Asks of one kind without end: every document in turn by lot, in each another passage every time.

    *leave_out* names documents that nothing is drafted from. Of kinds with two passages both are of one
    document where it has two, else of two documents. Raises InputError when no passage is there.
    """
    if kind not in KINDS:
        raise InputError(f"no kind of question is called {kind!r}", mend=nearest(kind, KINDS))
    chosen = KINDS[kind]
    piles: dict[str, list[int]] = {}
    for i in range(len(units)):
        doc = str(units.corpus.documents[int(units.doc[i])].id)
        if doc not in leave_out and units.text(i).strip():
            piles.setdefault(doc, []).append(i)
    for doc, pile in piles.items():  # the end of a document is often too short to ask anything about
        piles[doc] = [i for i in pile if len(units.text(i)) >= SHORT] or pile
    if not piles:
        raise InputError(
            "there is no passage to draft from", mend="all documents are blank or obsolete: check the corpus"
        )
    dice = stream(seed, "draft", kind)
    docs = [sorted(piles)[i] for i in dice.permutation(len(piles)).tolist()]
    order = {doc: [piles[doc][i] for i in dice.permutation(len(piles[doc])).tolist()] for doc in docs}
    number = 0
    while True:
        turn, at = divmod(number, len(docs))
        pile = order[docs[at]]
        first = pile[turn % len(pile)]
        found = [first]
        if chosen.passages > 1:
            other = order[docs[(at + 1) % len(docs)]]
            found.append(pile[(turn + 1) % len(pile)] if len(pile) > 1 else other[turn % len(other)])
        yield Ask(
            kind=chosen,
            number=number,
            passages=tuple(_passage(units, i) for i in dict.fromkeys(found)),
        )
        number += 1


def _passage(units: Units, i: int) -> Passage:
    document = units.corpus.documents[int(units.doc[i])]
    return Passage(
        doc=str(document.id),
        start=int(units.start[i]),
        end=int(units.end[i]),
        text=units.text(i),
        title=document.title,
    )
