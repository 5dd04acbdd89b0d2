"""Words and word shingles of questions and quotes: for likeness, never for relevance."""

from __future__ import annotations

import hashlib
import re
import unicodedata

__all__ = ["shingles", "words"]

# Scripts without blanks between words count each character as a word, or a sentence would be one word.
_UNSPACED = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


def words(text: str) -> list[str]:
    """Words of *text*, compatibility-normalised and case-folded; punctuation and blanks are gone."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def shingles(text: str, n: int = 3) -> frozenset[int]:
    """64-bit hashes of the word *n*-grams of *text*; of all its words where there are fewer than *n*.

    The words cannot be read back from hashes, so that a holdout can be compared without being shown.
    """
    found = words(text)
    if not found:
        return frozenset()
    grams = (found[i : i + n] for i in range(max(1, len(found) - n + 1)))
    return frozenset(
        int.from_bytes(hashlib.blake2b("\x1f".join(gram).encode(), digest_size=8).digest(), "big")
        for gram in grams
    )
