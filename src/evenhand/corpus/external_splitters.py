"""Outside splitters: their pieces are found again in the document, so that their offsets are true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.corpus.offset_normalize import Folded, fold
from evenhand.errors import EvenhandError, InputError
from evenhand.guest_errors import raised
from evenhand.model.text import Units

if TYPE_CHECKING:
    from evenhand.corpus.unit_length import Tokens
    from evenhand.model.text import Corpus, Document

__all__ = ["Guest", "locate_pieces"]

_TEXTS = ("text", "page_content", "content")
_OFFSETS = (("start_index", "end_index"), ("start", "end"), ("start_char_idx", "end_char_idx"))


@dataclass(frozen=True)
class Guest:
    """Any splitter: ``split_text`` (LangChain), ``chunk`` (chonkie), or a callable (semchunk, a function).

    It gets a text and returns pieces in reading order: texts, pairs (start, end), or objects or mappings
    with a text and perhaps offsets. Offsets are believed when the text there is the piece; otherwise the
    piece is searched for, in order, blind to white space. One that cannot be found is an
    :class:`InputError`.
    """

    split: Any
    name: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def call(self) -> Callable[[str], Any]:
        """The function that splits one text."""
        for method in ("split_text", "chunk"):
            found = getattr(self.split, method, None)
            if callable(found) and not isinstance(self.split, type):
                return found  # type: ignore[no-any-return]
        if callable(self.split) and not isinstance(self.split, type):
            return self.split  # type: ignore[no-any-return]
        raise InputError(
            f"splitter {self.label!r} cannot be called",
            mend="give a function text -> list of str, or an object with split_text, chunk or __call__",
        )

    @property
    def label(self) -> str:
        """What messages and reports call it."""
        own = getattr(self.split, "__qualname__", "") or type(self.split).__qualname__
        return self.name or own

    def settings(self, tokens: Tokens | None = None) -> dict[str, Any]:  # noqa: ARG002
        """What the units were cut by, for reports and seals."""
        return {"rule": self.label, **self.options}

    def cut(self, corpus: Corpus, *, name: str = "", tokens: Tokens | None = None) -> Units:
        """Cut every document; the splitter sees the body alone, never front matter."""
        rows: list[tuple[int, int, int]] = []
        for d, document in enumerate(corpus):
            body = document.text[document.body :]
            if not body.strip():
                continue
            try:
                made = self.call(body)
            except EvenhandError:
                raise
            except Exception as error:
                raise InputError(
                    f"splitter {self.label!r} failed on {document.id!r}: {raised(error)}",
                    mend="look at its settings, or try it on this document by itself",
                ) from error
            if isinstance(made, str | bytes | Mapping) or not hasattr(made, "__iter__"):
                raise InputError(
                    f"splitter {self.label!r} returned {type(made).__name__} for {document.id!r}",
                    mend="it must return a list of texts, of (start, end) pairs or of objects with a text",
                )
            found = locate_pieces(body, list(made), document=document, splitter=self.label)
            rows.extend((d, s + document.body, e + document.body) for s, e in found)
        return Units.of(corpus, name or self.label, rows, settings=self.settings(tokens))


def locate_pieces(text: str, made: list[Any], *, document: Document, splitter: str) -> list[tuple[int, int]]:
    """``[start, end)`` of each piece that is not blank, in the order given."""
    read = [_read(piece, i, document, splitter) for i, piece in enumerate(made)]
    wanted = [(piece, at) for piece, at in read if at is not None or (piece and not piece.isspace())]
    if all(at is not None and (not piece or text[slice(*at)] == piece) for piece, at in wanted):
        spans = [at for _, at in wanted if at is not None]
        wrong = next((at for at in spans if not 0 <= at[0] < at[1] <= len(text)), None)
        if wrong is None:
            return [at for at in spans if not text[slice(*at)].isspace()]
        raise InputError(
            f"splitter {splitter!r} gave piece {wrong[0]}:{wrong[1]} of {document.id!r}, "
            f"whose body has {len(text)} characters",
            mend="offsets must satisfy 0 <= start < end <= length of the text it was given",
        )
    texts = [piece or text[slice(*at)] if at else piece for piece, at in wanted]
    seeker = _Seeker(text)
    # most splitters go on where the last piece ended; those with overlap go back, which only a repetitive
    # text can hide from the first pass, and then that pass comes to a piece it cannot find
    found, lost = seeker.walk(texts, follow=True)
    if lost is not None:
        again, still = seeker.walk(texts, follow=False)
        found, lost = (again, still) if still is None or still > lost else (found, lost)
    if lost is not None:
        raise InputError(
            f"splitter {splitter!r}: piece {lost + 1} of {document.id!r} is not in the document: "
            f"{texts[lost][:60]!r}",
            mend="a splitter may drop or change white space, but not words; turn off its rewriting",
        )
    return found


class _Seeker:
    """Finds pieces one after the other; folds the text only when one is not there letter for letter."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def bare(self) -> Folded:
        return fold(self.text, spaces="remove")

    def walk(self, texts: list[str], *, follow: bool) -> tuple[list[tuple[int, int]], int | None]:
        """Spans of the pieces up to the first that is not found, and which that is."""
        found: list[tuple[int, int]] = []
        start, end = 0, 0
        for i, piece in enumerate(texts):
            at = self._after(piece, end) if follow else None
            # LangChain may give a heading and then heading and text: only the same words must move on
            again = i > 0 and piece == texts[i - 1]
            at = at or self._search(piece, start + again, end)
            if at is None:
                return found, i
            start, end = at
            found.append(at)
        return found, None

    def _after(self, piece: str, end: int) -> tuple[int, int] | None:
        """The piece right at *end*, or after nothing but white space, in which alone it may differ."""
        if self.text.startswith(piece, end):
            return end, end + len(piece)
        solid = piece.strip()
        window = self.text[end : end + len(solid) + 64]
        at = end + len(window) - len(window.lstrip())
        if not self.text.startswith(solid, at):
            bare = "".join(piece.split())
            low = int(np.searchsorted(self.bare.index, end))
            return self.bare.span(low, low + len(bare)) if self.bare.text.startswith(bare, low) else None
        lead = at - (len(piece) - len(piece.lstrip()))
        if lead >= end and self.text.startswith(piece, lead):
            return lead, lead + len(piece)
        return at, at + len(solid)

    def _search(self, piece: str, start: int, end: int) -> tuple[int, int] | None:
        """The first place from *start*; letter for letter, unless that would skip text after *end*."""
        at = self.text.find(piece, start, end + len(piece))
        if at >= 0:
            return at, at + len(piece)
        bare = "".join(piece.split())
        low = int(np.searchsorted(self.bare.index, start))
        near = low + 2 * (end - start) + 4 * len(bare)  # look nearby first: the end of the text may be far
        found = self.bare.text.find(bare, low, near)
        found = found if found >= 0 else self.bare.text.find(bare, low)
        if found < 0:
            return None
        span = self.bare.span(found, found + len(bare))
        at = self.text.find(piece, start, span[0] + len(piece))
        return (at, at + len(piece)) if at >= 0 else span


def _read(piece: Any, i: int, document: Document, splitter: str) -> tuple[str, tuple[int, int] | None]:
    """The text and the offsets of one piece, as far as it has them."""
    if isinstance(piece, str):
        return piece, None
    if isinstance(piece, tuple | list) and len(piece) == 2 and all(_whole(p) for p in piece):
        return "", (int(piece[0]), int(piece[1]))

    def get(key: str) -> Any:
        return piece.get(key) if isinstance(piece, Mapping) else getattr(piece, key, None)

    text = next((get(key) for key in _TEXTS if isinstance(get(key), str)), None)
    for low, high in _OFFSETS:
        if _whole(get(low)) and _whole(get(high)):
            return text or "", (int(get(low)), int(get(high)))
    if text is None:
        raise InputError(
            f"splitter {splitter!r}: piece {i + 1} of {document.id!r} is {type(piece).__name__}, no text",
            mend="return texts, (start, end) pairs, or objects with .text or .page_content",
        )
    return text, None


def _whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
