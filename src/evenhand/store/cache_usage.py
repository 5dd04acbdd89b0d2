"""What lies in a cache folder, by kind and by model, and how to make room in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evenhand.errors import InputError, nearest
from evenhand.store.calls.journal import FOLDER, Calls
from evenhand.store.calls.record import Recorded

__all__ = ["Asked", "Shelf", "ago", "asked", "prune_calls", "prune_steps", "shelves"]


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """One kind of cached step: how many files, their bytes, when the oldest and the newest were made."""

    kind: str
    n: int
    size: int
    oldest: datetime
    newest: datetime


@dataclass(kw_only=True)
class Asked:
    """Calls to one model that are in the journal; ``price`` in US dollars, as far as it is known.

    ``twice`` are lines that repeat another one: they take room, and are no calls of their own.
    """

    chat: str
    n: int = 0
    size: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    price: float = 0.0
    unpriced: int = 0
    oldest: str = ""
    newest: str = ""
    twice: int = 0

    def add(self, one: Recorded, size: int, *, again: bool = False) -> None:
        """Count a call, or *again* the line of one that was counted."""
        self.size += size
        self.twice += again
        if again:
            return
        self.n += 1
        self.outcomes[one.call.outcome] = self.outcomes.get(one.call.outcome, 0) + 1
        self.price += one.call.price or 0.0
        self.unpriced += one.call.price is None and one.call.reply is not None
        self.oldest = min(self.oldest or one.at, one.at)
        self.newest = max(self.newest, one.at)


def shelves(root: Path) -> list[Shelf]:
    """The kinds of cached steps, in the order of their names; the journal of calls is not one."""
    found = []
    for kind in _kinds(root):
        told = [path.stat() for path in _files(root / kind)]
        if told:
            times = [datetime.fromtimestamp(one.st_mtime, UTC) for one in told]
            found.append(
                Shelf(
                    kind=kind,
                    n=len(told),
                    size=sum(one.st_size for one in told),
                    oldest=min(times),
                    newest=max(times),
                )
            )
    return found


def asked(journal: Calls) -> list[Asked]:
    """What is in the journal by the names of the models, in the order of those."""
    found: dict[str, Asked] = {}
    for one, size, again in _once(journal):
        found.setdefault(one.chat, Asked(chat=one.chat)).add(one, size, again=again)
    return [found[name] for name in sorted(found)]


def _once(journal: Calls) -> Iterator[tuple[Recorded, int, bool]]:
    """Each line with its size, and whether the very same call stood before it: copied files hold it twice."""
    seen: set[tuple[object, ...]] = set()
    for one, size in journal.lines():
        call = (one.call.key, one.at, one.call.outcome, one.call.seconds)
        yield one, size, call in seen
        seen.add(call)


def prune_steps(root: Path, *, kind: str = "", before: datetime | None = None, dry: bool = False) -> Shelf:
    """Take away cached steps of a kind ("" for all) that were made *before*; what went, or would go.

    Nothing is lost but time: a step that is needed again is made again.
    """
    kinds = _kinds(root)
    if kind and kind not in kinds:
        raise InputError(f"{root} holds nothing of kind {kind!r}", mend=nearest(kind, [FOLDER, *kinds]))
    n, size = 0, 0
    now = datetime.now(UTC)
    oldest = newest = now
    for one in [kind] if kind else kinds:
        for path in list(_files(root / one)):
            told = path.stat()
            made = datetime.fromtimestamp(told.st_mtime, UTC)
            if before is not None and made >= before:
                continue
            n, size = n + 1, size + told.st_size
            oldest, newest = min(oldest, made), max(made, newest if newest != now else made)
            if not dry:
                path.unlink(missing_ok=True)
        if not dry:
            with suppress(OSError):  # not empty
                (root / one).rmdir()
    return Shelf(kind=kind, n=n, size=size, oldest=oldest, newest=newest)


def prune_calls(
    journal: Calls, *, chat: str = "", before: datetime | None = None, faults: bool = False, dry: bool = False
) -> Asked:
    """Take calls out of the journal: of a model, made *before*, only faults; what went, or would go.

    Replies were paid for: whoever needs one again pays again.
    """
    went = Asked(chat=chat)
    known = set()

    def goes(one: Recorded) -> bool:
        known.add(one.chat)
        late = before is not None and datetime.fromisoformat(one.at) >= before
        return not ((chat and one.chat != chat) or late or (faults and one.call.outcome != "fault"))

    for one, size, again in _once(journal):
        if goes(one):
            went.add(one, size, again=again)
    if chat and chat not in known:
        raise InputError(f"the journal has no calls to {chat!r}", mend=nearest(chat, known or {"no model"}))
    if went.n and not dry:
        journal.keep(lambda one: not goes(one))
    return went


def ago(text: str, now: datetime) -> datetime:
    """The moment so long before *now*: ``36h``, ``30d``, ``8w``."""
    units = {"h": 1, "d": 24, "w": 168}
    if not text[:-1].isdigit() or text[-1] not in units:
        raise InputError(f"{text!r} is no age", mend="write hours, days or weeks: 36h, 30d, 8w")
    return now - timedelta(hours=int(text[:-1]) * units[text[-1]])


def _kinds(root: Path) -> list[str]:
    if not root.is_dir():
        return []
    return sorted(path.name for path in root.iterdir() if path.is_dir() and path.name != FOLDER)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())
