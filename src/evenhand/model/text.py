"""Documents, spans and units: what is searched, and the pieces that can be retrieved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NewType

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.model.seal import seal, seal_arrays, seal_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["STATUSES", "Corpus", "DocId", "Document", "Span", "Unit", "UnitId", "Units"]

DocId = NewType("DocId", str)
UnitId = NewType("UnitId", str)

STATUSES = ("current", "obsolete", "draft", "unknown")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters ``[start, end)`` (Unicode code points) of one document. The currency of all evidence."""

    doc: DocId
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise InputError(
                f"span {self.start}:{self.end} of {self.doc!r} is empty or reversed",
                mend="give character offsets with 0 <= start < end",
            )

    def overlap(self, other: Span) -> int:
        """Characters shared with *other*; 0 when the documents differ."""
        if self.doc != other.doc:
            return 0
        return max(0, min(self.end, other.end) - max(self.start, other.start))


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document of a corpus.

    ``text`` is stored once and every offset counts its code points. ``body`` is where the searchable
    text begins: front matter before it belongs to the text (so that offsets are those an editor shows)
    but to no unit.
    """

    id: DocId
    text: str
    title: str = ""
    source: str = ""
    kind: str = "text"  # text | markdown | html | pdf | ... : what the reader took it for
    body: int = 0
    role: str = ""
    status: str = "unknown"
    version: str = ""
    date: str = ""
    supersedes: tuple[DocId, ...] = ()
    superseded_by: tuple[DocId, ...] = ()
    owner: str = ""
    sensitivity: str = ""
    meta: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise InputError(
                f"document {self.id!r} has status {self.status!r}", mend=nearest(self.status, STATUSES)
            )

    def header(self) -> dict[str, Any]:
        """Everything but the text, as plain JSON."""
        return {
            "id": self.id,
            "title": self.title,
            "source": self.source,
            "kind": self.kind,
            "body": self.body,
            "role": self.role,
            "status": self.status,
            "version": self.version,
            "date": self.date,
            "supersedes": list(self.supersedes),
            "superseded_by": list(self.superseded_by),
            "owner": self.owner,
            "sensitivity": self.sensitivity,
            "meta": dict(self.meta),
        }


@dataclass(frozen=True)
class Corpus(Sequence[Document]):
    """Documents in the order of their ids; each id once."""

    documents: tuple[Document, ...]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.documents, key=lambda d: d.id))
        object.__setattr__(self, "documents", ordered)
        for one, two in pairwise(ordered):
            if one.id == two.id:
                raise InputError(
                    f"document id {one.id!r} occurs twice ({one.source or '?'} and {two.source or '?'})",
                    mend="give each document an id of its own",
                )

    def __len__(self) -> int:
        return len(self.documents)

    def __getitem__(self, key: Any) -> Any:
        """A document by id or position."""
        if isinstance(key, str):
            return self.documents[self.position[DocId(key)]]
        return self.documents[key]

    def __contains__(self, key: object) -> bool:
        return key in self.position if isinstance(key, str) else key in self.documents

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)

    @cached_property
    def position(self) -> dict[DocId, int]:
        """Where each document stands, by id."""
        return {document.id: i for i, document in enumerate(self.documents)}

    @cached_property
    def seal(self) -> str:
        """Seal over ids, headers and texts."""
        headers = seal([document.header() for document in self.documents])
        return seal([headers, seal_texts(document.text for document in self.documents)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One retrievable piece: a view, made on iteration. ``text == document.text[start:end]``."""

    id: UnitId
    doc: DocId
    start: int
    end: int
    text: str
    heading: tuple[str, ...] = ()

    @property
    def span(self) -> Span:
        """Where it lies."""
        return Span(self.doc, self.start, self.end)


@dataclass(frozen=True)
class Units(Sequence[Unit]):
    """All units of one chunking, in columns, ordered by (document id, start, end).

    ``doc``: int32[n], position of the document in ``corpus``; ``start``, ``end``: int64[n], code points.
    ``headings`` (n tuples, or empty when the chunking knows none) is the path of headings above a unit.
    The order is the order of unit ids, and the rule for ties everywhere: a lower position wins.
    """

    corpus: Corpus
    chunking: str
    doc: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    headings: tuple[tuple[str, ...], ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        chunking: str,
        spans: Sequence[tuple[int, int, int]] | NDArray[np.int64],
        *,
        headings: Sequence[tuple[str, ...]] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Units:
        """Make units of (document position, start, end) rows: checked, sorted, repeats dropped."""
        rows = np.asarray(spans, dtype=np.int64).reshape(-1, 3)
        order = np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))
        rows = rows[order]
        keep = np.ones(len(rows), dtype=bool)
        keep[1:] = np.any(rows[1:] != rows[:-1], axis=1)
        rows = rows[keep]
        lengths = np.array([len(document.text) for document in corpus], dtype=np.int64)
        wrong = (rows[:, 1] < 0) | (rows[:, 1] >= rows[:, 2]) | (rows[:, 2] > lengths[rows[:, 0]])
        if wrong.any():
            d, s, e = rows[int(np.argmax(wrong))]
            raise InputError(
                f"chunking {chunking!r} made unit {s}:{e} of {corpus[int(d)].id!r}, "
                f"which has {lengths[d]} characters",
                mend="a unit's offsets must satisfy 0 <= start < end <= length of the text",
            )
        heads: tuple[tuple[str, ...], ...] = ()
        if headings is not None:
            heads = tuple(headings[i] for i in order[keep])
        return cls(
            corpus=corpus,
            chunking=chunking,
            doc=rows[:, 0].astype(np.int32),
            start=rows[:, 1].copy(),
            end=rows[:, 2].copy(),
            headings=heads,
            settings=dict(settings or {}),
        )

    def __len__(self) -> int:
        return len(self.doc)

    def id(self, i: int) -> UnitId:
        """The id of unit *i*: ``document#start-end``."""
        return UnitId(f"{self.corpus.documents[self.doc[i]].id}#{self.start[i]}-{self.end[i]}")

    @cached_property
    def ids(self) -> Sequence[UnitId]:
        """All ids, in order; each is made when it is looked at."""
        return _Ids(self.corpus, self.doc, self.start, self.end)  # not of self: that would be a ring

    def text(self, i: int) -> str:
        """The text of unit *i*, cut from its document."""
        whole: str = self.corpus.documents[self.doc[i]].text
        return whole[int(self.start[i]) : int(self.end[i])]

    def texts(self) -> Iterator[str]:
        """The texts in order, cut one after the other; nothing is held twice."""
        return (self.text(i) for i in range(len(self)))

    def __getitem__(self, i: Any) -> Any:
        """The unit at a position, or a list of units for a slice."""
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if i < 0:
            i += len(self)
        if not 0 <= i < len(self):
            raise IndexError(i)
        return Unit(
            id=self.id(i),
            doc=self.corpus.documents[self.doc[i]].id,
            start=int(self.start[i]),
            end=int(self.end[i]),
            text=self.text(i),
            heading=self.headings[i] if self.headings else (),
        )

    def __iter__(self) -> Iterator[Unit]:
        return (self[i] for i in range(len(self)))

    @cached_property
    def position(self) -> dict[UnitId, int]:
        """Where each unit stands, by id."""
        return {unit: i for i, unit in enumerate(self.ids)}

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """int64[documents + 1]: units of document d are ``first[d]:first[d + 1]``."""
        return np.searchsorted(self.doc, np.arange(len(self.corpus) + 1)).astype(np.int64)

    @cached_property
    def seal(self) -> str:
        """Seal over the corpus and all spans; the name of the chunking does not matter."""
        return seal([self.corpus.seal, seal_arrays(self.doc, self.start, self.end)])


class _Ids(Sequence[UnitId]):
    """The ids of units, made from their columns: none is held. Equal to a tuple of the same."""

    __slots__ = ("_columns", "_corpus")

    def __init__(
        self, corpus: Corpus, doc: NDArray[np.int32], start: NDArray[np.int64], end: NDArray[np.int64]
    ) -> None:
        self._corpus, self._columns = corpus, (doc, start, end)

    def __len__(self) -> int:
        return len(self._columns[0])

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return tuple(self[j] for j in range(*i.indices(len(self))))
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        doc, start, end = self._columns
        return UnitId(f"{self._corpus.documents[doc[i]].id}#{start[i]}-{end[i]}")

    def __iter__(self) -> Iterator[UnitId]:
        names = [document.id for document in self._corpus]
        for first in range(0, len(self), 4096):
            part = (column[first : first + 4096].tolist() for column in self._columns)
            yield from (UnitId(f"{names[d]}#{s}-{e}") for d, s, e in zip(*part, strict=True))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, (tuple, _Ids)):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))
