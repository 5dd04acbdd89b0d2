"""A gold set of another tool on its way in: rows as in ``gold.jsonl``, quotes looked up, losses counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.corpus.quote_match import Place
from evenhand.text.plural import counted

if TYPE_CHECKING:
    from evenhand.model.text import Corpus, Document

__all__ = ["OURS", "Coming", "nugget", "ours_in", "span"]

OURS = "evenhand"  # the key of a tool's metadata under which a question of ours lies whole
SHORT = 5  # characters: a quote this short stands in many places and means none
PASSAGE = 100  # characters from which a text may begin or end inside a word: a splitter cut it


def span(doc: str, start: int, end: int, quote: str) -> dict[str, Any]:
    """A span as in ``gold.jsonl``."""
    return {"doc": doc, "start": start, "end": end, "quote": quote}


def nugget(spans: Iterable[Mapping[str, Any]], name: str = "", *, vital: bool = True) -> dict[str, Any]:
    """A nugget as in ``gold.jsonl``: each of *spans* alone supports it."""
    return {"nugget": name, "vital": vital, "spans": list(spans)}


def ours_in(meta: Any) -> dict[str, Any] | None:
    """The question that lies whole in a tool's metadata, None where there is none."""
    inner = meta.get(OURS) if isinstance(meta, Mapping) else None
    return dict(inner) if isinstance(inner, Mapping) else None


@dataclass
class Coming:
    """An import under way. *chunks* is a file of the tool's own passages, where it has one."""

    file: str
    corpus: Corpus | None = None
    chunks: Path | None = None
    rows: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    losses: Counter[str] = field(default_factory=Counter)
    places: dict[str, Place] = field(default_factory=dict)
    known: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def lose(self, what: str, n: int = 1) -> None:
        """Count something that is not carried over, or not as it was."""
        if n:
            self.losses[what] += n

    def take(self, line: int, row: Mapping[str, Any]) -> None:
        """Add a question; keys without a value are left out. A whole one of ours comes as it is."""
        self.rows.append(
            (line, {key: value for key, value in row.items() if value not in (None, "", [], {})})
        )

    def told(self) -> tuple[str, ...]:
        """All losses in words, each with its count."""
        return tuple(counted(n, what) for what, n in sorted(self.losses.items()))

    @cached_property
    def _by_tail(self) -> dict[str, list[str]]:
        """Document ids by their last part."""
        made: dict[str, list[str]] = {}
        for document in self.corpus or ():
            made.setdefault(document.id.rsplit("/", 1)[-1], []).append(str(document.id))
        return made

    def doc(self, path: str) -> str:
        """The document that a path of another machine means: the longest id that ends it; else *path*."""
        path = path.replace("\\", "/")
        if self.corpus is None or path in self.corpus.position:
            return path
        same = self._by_tail.get(path.rsplit("/", 1)[-1], [])
        fits = [name for name in same if f"/{path}".endswith(f"/{name}")]
        return max(fits, key=len) if fits else same[0] if len(same) == 1 else path

    def document(self, name: str) -> Document | None:
        """A document of the corpus, where it is there."""
        if self.corpus is None or name not in self.corpus.position:
            return None
        found: Document = self.corpus.documents[self.corpus.position[name]]  # type: ignore[index]
        return found

    def whole(self, name: str) -> dict[str, Any] | None:
        """All of a document, without the blanks around it; None is counted."""
        document = self.document(self.doc(name))
        if document is None:
            self.lose(
                "documents are named and are not in the corpus"
                if self.corpus is not None
                else "documents are named, and could not be looked up: give --corpus"
            )
            return None
        text = document.text[document.body :]
        start = document.body + len(text) - len(text.lstrip())
        words = text.strip()
        return span(str(document.id), start, start + len(words), words) if words else None

    def at(self, quote: str, place: str) -> list[dict[str, Any]]:
        """The span that *place* (``document#start-end``) names, where *quote* stands there; else `found`."""
        match = re.fullmatch(r"(.+)#(\d+)-(\d+)", place, re.DOTALL)
        if match is None:
            return self.found(quote, place.rsplit("#", 1)[0] if "#" in place else "")
        name, start, end = self.doc(match[1]), int(match[2]), int(match[3])
        document = self.document(name)
        words = quote if self.corpus is None else document.text[start:end] if document is not None else ""
        if words == quote and end - start == len(quote):
            return [span(name, start, end, quote)]
        return self.found(quote, name)

    def found(self, quote: str, doc: str = "") -> list[dict[str, Any]]:
        """The places that hold *quote*, each as good as the others; that there is none is counted.

        Every place letter for letter, else the first of each document in another form, by the rule of
        `evenhand.corpus.normal_form`. With *doc* that document is searched, others only where it lacks the
        words.
        """
        words = quote.strip()
        if self.corpus is None:
            self.lose("quotes could not be looked up: give --corpus")
            return []
        if len(words) < SHORT:
            self.lose(f"quotes have fewer than {SHORT} characters, and could stand anywhere")
            return []
        if not doc and words in self.known:
            return self.known[words]
        first = self.document(self.doc(doc)) if doc else None
        spans = self._within(words, [first]) if first is not None else []
        if not spans:
            spans = self._within(words, self.corpus)
            self.lose("quotes are in another document than they name", int(bool(spans and doc)))
        if not spans:
            self.lose("quotes are in no document")
        self.lose("quotes stand in several places: each will do", int(len(spans) > 1))
        if not doc:
            self.known[words] = spans
        return spans

    def _within(self, words: str, documents: Iterable[Document]) -> list[dict[str, Any]]:
        places = [(one, self.places.setdefault(str(one.id), Place(one.text))) for one in documents]
        cut = len(words) >= PASSAGE
        spans = [span(str(one.id), *at, words) for one, place in places for at in place.exact(words, cut=cut)]
        if spans:
            return spans
        spans = [
            span(str(one.id), *at, one.text[slice(*at)])
            for one, place in places
            for at in place.alike(words, cut=cut)[:1]
        ]
        other = "quotes were found in another form (white space, case, punctuation)"
        self.lose(f"{other}: the document's own words stand", int(bool(spans)))
        return spans
