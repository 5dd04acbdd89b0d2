"""What failed, for people: of each model the commonest reason, in the other side's words, and its mend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from evenhand.llm.clients.error_classification import mend_of
from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.protocols import Chat

__all__ = ["Failed", "commonest", "failures", "said_of"]

MOST = 240  # characters of a reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """``n`` calls to ``name`` failed, ``of`` them for the reason ``why``; ``mend`` may be empty."""

    name: str
    n: int
    of: int
    why: str
    mend: str

    def to_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)


def commonest(whys: Iterable[str]) -> tuple[int, str]:
    """How many failed for the commonest cause, and its words: such as say more than the cause, if any do.

    A cause is what stands before the colon (``HTTP status 401: no such key``): what a server says of it may
    name a request, and differ each time. What was not asked because others failed has the cause of those.
    """
    reasons = [why.rpartition(" does not answer: ")[2] for why in whys if why]
    causes = Counter(why.partition(": ")[0] for why in reasons)
    if not causes:
        return 0, ""
    cause, n = min(causes.items(), key=lambda pair: (-pair[1], pair[0]))
    told = Counter(why for why in reasons if why.startswith(f"{cause}: ")) or Counter([cause])
    words, _ = min(told.items(), key=lambda pair: (-pair[1], pair[0]))
    return n, words[:MOST]


def failures(whys: Mapping[str, Sequence[str]], chats: Mapping[str, Chat]) -> list[Failed]:
    """For each of *chats* (by name) of which calls failed: *whys* are their reasons."""
    found: list[Failed] = []
    for name, chat in chats.items():
        reasons = whys.get(name, ())
        n, why = commonest(reasons)
        if not n:
            continue
        where = getattr(chat, "where", None)
        mend = mend_of(why, where) if where is not None else ""
        found.append(Failed(name=name, n=len(reasons), of=n, why=why, mend=mend))
    return found


def said_of(one: Mapping[str, Any]) -> tuple[str, ...]:
    """Lines for people of a `Failed` as plain JSON: what failed, and the mend."""
    part = "" if one["of"] == one["n"] else f" ({one['of']:,} of them)"
    first = f"{one['name']}: {many(one['n'], 'call')} failed: {one['why']}{part}"
    return (first, f"  mend: {one['mend']}") if one["mend"] else (first,)
