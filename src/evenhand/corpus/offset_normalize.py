"""Texts made comparable, with the way back: every folded character knows where it came from."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Folded", "codes", "fold", "folded_characters"]

_SPACES = np.array([c for c in range(0x3001) if chr(c).isspace()], dtype=np.uint32)
_PUNCTUATION = {
    **dict.fromkeys("‘’‚‛ʼ′", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
}


@dataclass(frozen=True, slots=True)
class Folded:
    """``text`` after folding; ``index`` int64[len(text)] is the place of each character in the original."""

    text: str
    index: NDArray[np.int64]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The original ``[start, end)`` of folded ``[start, end)``, out to whole characters."""
        return int(self.index[start]), int(self.index[end - 1]) + 1


def folded_characters(character: str) -> str:
    """What one character becomes: compatibility decomposition, plain quotes and dashes, nothing if unseen.

    Decomposed (NFKD) and not composed, since only that works character by character: ``é`` written as one
    code point or as two folds to the same. Format characters (soft hyphen, zero-width space) vanish.
    """
    if character in _PUNCTUATION:
        return _PUNCTUATION[character]
    if unicodedata.category(character) == "Cf":
        return ""
    wide = unicodedata.normalize("NFKD", character)
    return "".join(_PUNCTUATION.get(c, c) for c in wide)


def fold(text: str, *, unicode: bool = False, spaces: str = "collapse") -> Folded:
    """Fold *text*; ``spaces="collapse"`` makes each run one blank, ``"remove"`` drops them. Linear.

    With *unicode* every character is folded by :func:`folded_characters` first.
    """
    index = np.arange(len(text), dtype=np.int64)
    if unicode and not text.isascii():
        table = {ord(c): folded_characters(c) for c in set(text) if c > "\x7f"}
        points = codes(text)
        lengths = np.ones(len(text), dtype=np.int64)
        beyond = np.flatnonzero(points > 0x7F)
        kinds, place = np.unique(points[beyond], return_inverse=True)
        lengths[beyond] = np.array([len(table[int(k)]) for k in kinds], dtype=np.int64)[place]
        index = np.repeat(index, lengths)
        text = text.translate(table)
    points = codes(text)
    blank = np.isin(points, _SPACES)
    keep = ~blank
    if spaces == "collapse":
        keep[1:] |= ~blank[:-1]
        points = np.where(blank, np.uint32(0x20), points)
    return Folded(points[keep].tobytes().decode("utf-32-le", "surrogatepass"), index[keep])


def codes(text: str) -> NDArray[np.uint32]:
    """uint32[len(text)]: the code points."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)
