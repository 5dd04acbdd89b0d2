"""The same text twice, and nearly the same: shingles, MinHash and verified Jaccard; linear and seeded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.model.text import Corpus, DocId, Units

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Duplicates", "Near", "duplicates", "near_duplicates", "twins"]

AT_ONCE = 512  # texts whose hashes are looked at together
PERMUTATIONS = 128
BANDS = 32  # of 4 rows: at Jaccard 0.8 a pair is missed once in 20 million times, at 0.5 once in 8
# Words where a script has blanks, single characters where it has none (Han, kana, Thai, Lao, Khmer, Burmese)
_WORDS = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """Two texts by position, *first* before *second*, and the Jaccard similarity of their shingles.

    ``jaccard`` is exact, ``estimated`` is what MinHash said before it was verified.
    """

    first: int
    second: int
    jaccard: float
    estimated: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicates:
    """Documents that are the same, in groups, and pairs that are nearly so (each same text stands once)."""

    exact: tuple[tuple[DocId, ...], ...]
    near: tuple[tuple[DocId, DocId, float], ...]

    def warnings(self) -> tuple[str, ...]:
        """One sentence a kind, naming the first few."""
        made = []
        if self.exact:
            made.append(
                f"{len(self.exact)} × the same text under several ids: "
                + "; ".join(" = ".join(group[:4]) for group in self.exact[:5])
            )
        if self.near:
            made.append(
                f"{len(self.near)} × documents that are nearly the same: "
                + "; ".join(f"{a} ~ {b} (Jaccard {j:.2f})" for a, b, j in self.near[:5])
            )
        return tuple(made)


def twins(texts: Iterable[str] | Units) -> tuple[tuple[int, ...], ...]:
    """Groups of positions whose texts are the same but for white space at the ends; blank ones are none.

    Texts are compared by a 128-bit digest, so nothing is held.
    """
    groups: dict[bytes, list[int]] = {}
    for i, text in enumerate(texts.texts() if isinstance(texts, Units) else texts):
        bare = text.strip()
        if bare:
            digest = blake2b(bare.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            groups.setdefault(digest, []).append(i)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def duplicates(corpus: Corpus, *, threshold: float = 0.8, seed: int = 0) -> Duplicates:
    """Documents of *corpus* with the same body, and those whose shingles overlap by *threshold* or more."""
    bodies = [document.text[document.body :] for document in corpus]
    same = twins(bodies)
    again = {i for group in same for i in group[1:]}
    kept = [i for i in range(len(bodies)) if i not in again]
    near = near_duplicates([bodies[i] for i in kept], threshold=threshold, seed=seed)
    ids = [document.id for document in corpus]
    return Duplicates(
        exact=tuple(tuple(ids[i] for i in group) for group in same),
        near=tuple((ids[kept[n.first]], ids[kept[n.second]], n.jaccard) for n in near),
    )


def near_duplicates(
    texts: Sequence[str], *, threshold: float = 0.8, words: int = 3, seed: int = 0
) -> tuple[Near, ...]:
    """Pairs whose sets of *words*-word shingles have a Jaccard similarity of at least *threshold*.

    Candidates are those that share a band of their MinHash signatures (Broder 1997; banding after Indyk and
    Motwani 1998). Within a bucket each text is compared with the first and with the one before it, and a
    pair is not looked at when others connect it already: a family of n texts gives the n - 1 pairs that
    hold it together, not n². Texts with fewer words than a shingle are one shingle. Linear in the text; the
    same for the same *seed*.
    """
    if not 0 < threshold <= 1:
        raise InputError(f"threshold = {threshold} is not a similarity", mend="give a number in (0, 1]")
    sets = list(_shingles(texts, words))
    if len(sets) < 2:
        return ()
    signatures = _signatures(sets, seed)
    found = []
    family = list(range(len(sets)))
    for a, b in sorted(_candidates(signatures, [len(s) for s in sets])):
        smaller, larger = sorted((len(sets[a]), len(sets[b])))
        if smaller < threshold * larger or _root(family, a) == _root(family, b):
            continue
        shared = len(np.intersect1d(sets[a], sets[b], assume_unique=True))
        jaccard = shared / (len(sets[a]) + len(sets[b]) - shared)
        if jaccard >= threshold:
            estimated = float((signatures[:, a] == signatures[:, b]).mean())
            family[_root(family, b)] = _root(family, a)
            found.append(Near(first=a, second=b, jaccard=jaccard, estimated=estimated))
    return tuple(found)


def _root(family: list[int], i: int) -> int:
    """The text that stands for the family of *i* (disjoint sets with path halving)."""
    while family[i] != i:
        family[i] = family[family[i]]
        i = family[i]
    return i


def _shingles(texts: Sequence[str], words: int) -> Iterator[NDArray[np.uint64]]:
    """The sorted, distinct hashes of each text's shingles of consecutive words, case-folded."""
    known: dict[str, int] = {}
    for text in texts:
        ids = np.array([known.setdefault(w, len(known)) for w in _WORDS.findall(text.casefold())], np.uint64)
        width = min(words, len(ids))
        if not width:
            yield np.empty(0, np.uint64)
            continue
        rolled = np.zeros(len(ids) - width + 1, np.uint64)
        for k in range(width):
            rolled = _mixed(rolled ^ (ids[k : len(ids) - width + 1 + k] + np.uint64(1)))
        yield np.unique(rolled)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits (the finaliser of SplitMix64, Steele et al. 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _signatures(sets: list[NDArray[np.uint64]], seed: int) -> NDArray[np.uint32]:
    """uint32[PERMUTATIONS, n]: the least hash of each set under each permutation."""
    dice = np.random.default_rng(seed)
    made = np.empty((PERMUTATIONS, len(sets)), np.uint32)
    factors = dice.integers(0, 1 << 63, size=PERMUTATIONS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    for first in range(0, len(sets), AT_ONCE):  # the hashes of all texts side by side would lie there twice
        part = sets[first : first + AT_ONCE]
        lengths = np.array([max(1, len(s)) for s in part])
        flat = np.concatenate([s if len(s) else np.zeros(1, np.uint64) for s in part])
        begins = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        for p, factor in enumerate(factors):
            # multiply-shift hashing (Dietzfelbinger et al. 1997) of values that are well mixed already
            hashed = ((flat * factor) >> np.uint64(32)).astype(np.uint32)
            made[p, first : first + len(part)] = np.minimum.reduceat(hashed, begins)
    return made


def _candidates(signatures: NDArray[np.uint32], sizes: list[int]) -> set[tuple[int, int]]:
    """Pairs that share a band: each text with the first and with the last before it in its bucket."""
    rows = len(signatures) // BANDS
    pairs: set[tuple[int, int]] = set()
    for band in range(BANDS):
        part = np.ascontiguousarray(signatures[band * rows : (band + 1) * rows].T)
        first: dict[bytes, int] = {}
        last: dict[bytes, int] = {}
        for i, row in enumerate(part):
            if not sizes[i]:
                continue
            key = row.tobytes()
            if key in first:
                pairs.update(((first[key], i), (last[key], i)))
            first.setdefault(key, i)
            last[key] = i
    return pairs
