"""What documents say of themselves: status, owner, what replaces what, and where that fails."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.model.text import Corpus

__all__ = ["Standing", "standing_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Documents by id, each list in the order of ids.

    ``dangling``: document, what it says (supersedes, superseded_by), and an id that is not there.
    ``one_sided``: an older and a newer document, linked by one of the two alone. ``circular``: documents
    that replace each other in a ring. ``twice_current``: pairs of current documents of which one replaces the
    other, or that have the same title. ``unreplaced``: obsolete documents that nothing replaces.
    """

    documents: int
    by_status: dict[str, int]
    without_status: tuple[str, ...]
    without_owner: tuple[str, ...]
    dangling: tuple[tuple[str, str, str], ...]
    one_sided: tuple[tuple[str, str], ...]
    circular: tuple[tuple[str, ...], ...]
    twice_current: tuple[tuple[str, str], ...]
    unreplaced: tuple[str, ...]

    @property
    def faults(self) -> int:
        """How many links and versions contradict each other."""
        return len(self.dangling) + len(self.circular) + len(self.twice_current)


def standing_of(corpus: Corpus) -> Standing:
    """Where status, owners and links of the documents fail; a rerank by status is no better than these."""
    status = {str(one.id): one.status for one in corpus}
    newer: dict[str, set[str]] = {}
    told: dict[str, Counter[tuple[str, str]]] = {"supersedes": Counter(), "superseded_by": Counter()}
    dangling: list[tuple[str, str, str]] = []
    for one in corpus:
        for key, names in (("supersedes", one.supersedes), ("superseded_by", one.superseded_by)):
            for other in map(str, names):
                if other not in status:
                    dangling.append((str(one.id), key, other))
                    continue
                old, new = (other, str(one.id)) if key == "supersedes" else (str(one.id), other)
                newer.setdefault(old, set()).add(new)
                told[key][old, new] += 1
    links = {pair for found in told.values() for pair in found}
    one_sided = {pair for pair in links if not all(pair in found for found in told.values())}
    current = [str(one.id) for one in corpus if one.status == "current"]
    titles: dict[str, list[str]] = {}
    for one in corpus:
        if one.status == "current" and one.title.strip():
            titles.setdefault(" ".join(one.title.casefold().split()), []).append(str(one.id))
    twice = {pair for pair in links if pair[0] in current and pair[1] in current and pair[0] != pair[1]}
    twice |= {(a, b) for same in titles.values() for i, a in enumerate(same) for b in same[i + 1 :]}
    return Standing(
        documents=len(corpus),
        by_status=dict(sorted(Counter(status.values()).items())),
        without_status=tuple(name for name, word in status.items() if word == "unknown"),
        without_owner=tuple(str(one.id) for one in corpus if not one.owner.strip()),
        dangling=tuple(sorted(dangling)),
        one_sided=tuple(sorted(one_sided)),
        circular=_rings(newer),
        twice_current=tuple(sorted(twice)),
        unreplaced=tuple(n for n, word in status.items() if word == "obsolete" and not newer.get(n)),
    )


def _rings(newer: dict[str, set[str]]) -> tuple[tuple[str, ...], ...]:
    """Documents that reach themselves by their links: each ring once, from its first id on."""
    rings: list[tuple[str, ...]] = []
    seen: set[str] = set()
    for start in sorted(newer):
        if start in seen:
            continue
        before: dict[str, str] = {}
        ahead = [start]
        while ahead:
            here = ahead.pop()
            for there in sorted(newer.get(here, ())):
                if there == start:
                    ring = [here]
                    while ring[-1] != start:
                        ring.append(before[ring[-1]])
                    rings.append(tuple(reversed(ring)))
                    seen.update(ring)
                    ahead.clear()
                    break
                if there not in before:
                    before[there] = here
                    ahead.append(there)
    return tuple(rings)
