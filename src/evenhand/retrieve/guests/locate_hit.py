"""Where a guest's hit lies: at a unit, a span, a quotation, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evenhand.model.text import Units
from evenhand.retrieve.guests.document_names import Names

if TYPE_CHECKING:
    from evenhand.model.text import Corpus

__all__ = ["Places"]

SPAN_ID = re.compile(r"(?P<doc>.+)#(?P<start>[0-9]+)-(?P<end>[0-9]+)", re.DOTALL)
Place = tuple[int, int, int]  # document position, start, end


class Places:
    """Finds hits in the documents of *units*. ``ours``: a hit counts only where it is one of the units.

    ``notes``: ``reanchored`` hits whose text was found only with tolerance, ``ambiguous`` hits whose text
    stands in several places (the first is taken), ``offsets_against_text`` hits whose text stands elsewhere
    than they say (there they are taken to lie), ``offsets_unverified`` hits whose text
    stands nowhere, or there only nearly.
    """

    def __init__(self, units: Units, *, ours: bool) -> None:
        self.held, self.ours = units, ours
        self.corpus: Corpus = units.corpus
        self.notes: dict[str, int] = {}
        self._known: dict[tuple[str, int | None], Place | None] = {}
        self._names = Names(self.corpus)

    @cached_property
    def _spans(self) -> dict[Place, int]:
        held = self.held
        return {
            (d, s, e): i
            for i, (d, s, e) in enumerate(
                zip(held.doc.tolist(), held.start.tolist(), held.end.tolist(), strict=True)
            )
        }

    @cached_property
    def _texts(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for i, text in enumerate(self.held.texts()):
            found.setdefault(text.strip(), []).append(i)
        return found

    def find(self, hit: Mapping[str, Any]) -> Place | None:
        """The span of a hit by the surest of what it tells: a unit, a place, its text; or None."""
        if "unit" in hit:
            place = self._unit(str(hit["unit"]))
            if place is not None:
                return place
        if {"doc", "start", "end"} <= hit.keys():
            place = self._span(hit["doc"], hit["start"], hit["end"])
            if place is not None:
                return self._checked(place, str(hit["text"])) if hit.get("text") else place
        return self._text(hit) if "text" in hit else None

    def _unit(self, name: str) -> Place | None:
        if name in self.held.position:
            i = self.held.position[name]  # type: ignore[index]
            return int(self.held.doc[i]), int(self.held.start[i]), int(self.held.end[i])
        if self.ours:
            return None
        if match := SPAN_ID.fullmatch(name):
            return self._span(match["doc"], match["start"], match["end"])
        return self._span(name, 0, None)  # a guest may retrieve whole documents

    def _span(self, doc: Any, start: Any, end: Any) -> Place | None:
        d = self._names.find(doc)
        if d is None:
            return None
        length = len(self.corpus.documents[d].text)
        try:
            first, last = int(start), length if end is None else int(end)
        except (TypeError, ValueError):
            return None
        return (d, first, last) if 0 <= first < last <= length else None

    def _checked(self, place: Place, text: str) -> Place:
        """*place*, where *text* stands there; else where its document has it."""
        d, start, end = place
        if text.split() == self.corpus.documents[d].text[start:end].split():
            return place
        found = self._found(text, d)
        near = found is not None and found[1] < end and start < found[2]
        if found is None or (near and text not in self.corpus.documents[d].text):
            # it may have been put under a heading before it was embedded: the place says more
            self._count("offsets_unverified")
            return place
        self._count("offsets_against_text")
        return found

    def _text(self, hit: Mapping[str, Any]) -> Place | None:
        return self._found(str(hit["text"]), self._names.find(hit.get("doc")))

    def _found(self, text: str, d: int | None) -> Place | None:
        key = (text, d)
        if key not in self._known:
            self._known[key] = self._same(*key) if self.ours else self._anchor(*key)
        return self._known[key]

    def _same(self, text: str, d: int | None) -> Place | None:
        """The unit with this text, blanks around it aside."""
        rows = self._texts.get(text.strip(), [])
        if d is not None:
            rows = [i for i in rows if self.held.doc[i] == d]
        if not rows:
            # the guest may have folded white space: place it in the text, then ask for a unit there
            place = self._anchor(text, d)
            return place if place in self._spans else None
        if len(rows) > 1:
            self._count("ambiguous")
        i = rows[0]
        return int(self.held.doc[i]), int(self.held.start[i]), int(self.held.end[i])

    def _anchor(self, text: str, d: int | None) -> Place | None:
        """Where a document holds this text: exactly, else as `evenhand.corpus.quote_match` finds it."""
        if not text.strip():
            return None
        # of a document that is not known by its name: the text decides
        among = range(len(self.corpus)) if d is None else [d]
        exact: list[Place] = []
        for one in among:
            whole = self.corpus.documents[one].text
            at = whole.find(text)
            if at >= 0:
                exact.append((one, at, at + len(text)))
                if whole.find(text, at + 1) >= 0:
                    exact.append(exact[-1])
        if exact:
            if len(exact) > 1:
                self._count("ambiguous")
            return exact[0]
        return self._tolerant(text, among)

    def _tolerant(self, text: str, among: Any) -> Place | None:
        from evenhand.corpus.quote_match import find

        for d in among:
            found = find(text, self.corpus.documents[d].text, cut=True)
            if found is not None:
                self._count("reanchored")
                return d, int(found.start), int(found.end)
        return None

    def _count(self, name: str) -> None:
        self.notes[name] = self.notes.get(name, 0) + 1

    def units(self, name: str, places: list[Place | None]) -> tuple[Units, list[int]]:
        """The units a run of these hits ranks, and each hit's position in them (-1: none).

        Ours when every placed hit is one of ours; else the hits' own spans.
        """
        if self.ours or all(place is None or place in self._spans for place in places):
            return self.held, [-1 if place is None else self._spans.get(place, -1) for place in places]
        distinct = sorted({place for place in places if place is not None})
        settings = {"rule": "guest", "only": "spans that were retrieved"}
        own = Units.of(self.corpus, name, distinct, settings=settings)
        code = {place: i for i, place in enumerate(distinct)}
        return own, [-1 if place is None else code[place] for place in places]
