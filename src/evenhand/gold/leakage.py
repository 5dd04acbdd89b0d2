"""One pass over the corpus: questions copied from it, and evidence that stands elsewhere too."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evenhand.gold.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evenhand.model.text import Corpus

__all__ = ["Copies", "copies"]

N = 4  # words in a gram
_MIX = np.uint64(0x9E3779B97F4A7C15)


class Copies(NamedTuple):
    """``copied``: question → (share of its grams, document). ``twins``: quote → where else it stands."""

    copied: dict[int, tuple[float, int]]
    twins: dict[int, list[int]]


def copies(
    corpus: Corpus, questions: Sequence[str], quotes: Sequence[tuple[int, str]], *, share: float = 0.6
) -> Copies:
    """Compare word 4-grams of *questions* and *quotes* (own document position, text) with every document.

    A question is copied when at least *share* of its distinct 4-grams stand in one document. A twin is a
    document with the same words in the same order; the quote's own is one where they stand there twice.
    Quotes of fewer than four words are left out: they stand anywhere. Grams are compared by a 64-bit mix of
    word numbers.
    """
    known: dict[str, int] = {}

    def numbers(text: str) -> NDArray[np.uint64]:
        return np.array([known.setdefault(word, len(known) + 1) for word in words(text)], dtype=np.uint64)

    asked = [np.unique(_grams(numbers(text))) for text in questions]
    flat = np.concatenate([np.zeros(0, dtype=np.uint64), *asked])
    grams, slot = np.unique(flat, return_inverse=True)
    owner = np.repeat(np.arange(len(asked)), [len(one) for one in asked])
    total = np.maximum(1, np.array([len(one) for one in asked], dtype=np.int64))
    # who asks with each gram: a document costs what it holds, however many questions there are
    owner = owner[np.argsort(slot, kind="stable")]
    begin = np.concatenate([[0], np.cumsum(np.bincount(slot, minlength=len(grams)))]).astype(np.int64)

    sought = [numbers(text) for _, text in quotes]
    first: dict[int, list[int]] = {}
    for i, sequence in enumerate(sought):
        if len(sequence) >= N:
            first.setdefault(int(_grams(sequence[:N])[0]), []).append(i)
    keys = np.array(sorted(first), dtype=np.uint64)

    copied: dict[int, tuple[float, int]] = {}
    twins: dict[int, list[int]] = {}
    for d, document in enumerate(corpus):
        sequence = np.array([known.get(word, 0) for word in words(document.text)], dtype=np.uint64)
        here = _grams(sequence)
        if not len(here):
            continue
        hit = np.unique(_within(grams, here)[1])
        askers = [owner[begin[gram] : begin[gram + 1]] for gram in hit.tolist()]
        of, shared = np.unique(np.concatenate([owner[:0], *askers]), return_counts=True)
        shares = shared / total[of]
        for i in np.flatnonzero(shares >= share - 1e-9).tolist():
            if shares[i] > copied.get(int(of[i]), (0.0, 0))[0]:
                copied[int(of[i])] = (float(shares[i]), d)
        end: dict[int, int] = {}  # of the quote's own place in its own document
        for at in _within(keys, here)[0].tolist():
            for i in first[int(here[at])]:
                there = sequence[at : at + len(sought[i])]
                if d in twins.get(i, []) or not np.array_equal(there, sought[i]):
                    continue
                if quotes[i][0] == d and at < end.setdefault(i, at + len(there)):
                    continue
                twins.setdefault(i, []).append(d)
    return Copies(copied, twins)


def _within(
    known: NDArray[np.uint64], here: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which of *here* are in *known* (sorted, distinct), and where they stand there."""
    if not len(known):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    place = np.minimum(np.searchsorted(known, here), len(known) - 1)
    at = np.flatnonzero(known[place] == here)
    return at, place[at]


def _grams(sequence: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """uint64[max(0, n − 3)]: a mix of each four word numbers in a row (0: a word nobody asks for)."""
    size = max(0, len(sequence) - N + 1)
    mixed = np.zeros(size, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for offset in range(N):
            mixed = (mixed ^ sequence[offset : offset + size]) * _MIX
            mixed ^= mixed >> np.uint64(29)
    return mixed
