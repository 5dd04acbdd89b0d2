"""How a study stands: unregistered, registered or seen, with its amendments, by its ledger."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import SealBroken
from evenhand.formats.results.ledger import LEDGER, read_ledger, whole
from evenhand.model.json_text import loads
from evenhand.study.ledger.plan_diff import applied

if TYPE_CHECKING:
    from evenhand.model.ledger import Entry, Ledger
    from evenhand.model.plan.study import Plan

__all__ = [
    "CLAIMS",
    "NOT_STAMPED",
    "Standing",
    "accepted",
    "gold_of",
    "ledger_of",
    "settled",
    "staged",
    "standing_of",
]

NOT_STAMPED = "registration not independently time-stamped"
CLAIMS = (
    "The ledger stops accidents, and shows later edits relative to an anchor that somebody else holds. "
    "It cannot show that nobody looked."
)


@dataclass(frozen=True)
class Standing:
    """One study by its ledger. ``registration`` is what was registered; None where nothing was.

    ``folder`` is the study's; ``at`` the path of the ledger.
    """

    study: str
    folder: Path
    at: Path
    ledger: Ledger
    registration: Mapping[str, Any] | None = None
    file: str = ""

    def entries(self, *kinds: str) -> tuple[Entry, ...]:
        """The entries of this study."""
        return self.ledger.of(self.study, *kinds)

    @property
    def amendments(self) -> tuple[Entry, ...]:
        """What was changed after registration, in order."""
        return self.entries("amended")

    @property
    def look(self) -> Entry | None:
        """The one look at the holdout, where there was one."""
        return next(iter(self.entries("look")), None)

    @property
    def reported(self) -> Entry | None:
        """The entry that says what came out of the look, where it was finished."""
        return next(iter(self.entries("reported")), None)

    @property
    def anchors(self) -> list[dict[str, Any]]:
        """What somebody else holds, as it was said when registering or later."""
        found = [entry.content.get("anchor") for entry in self.entries("registered", "anchored")]
        return [dict(one) for one in found if one]

    @property
    def state(self) -> str:
        """``unregistered``, ``registered`` or ``seen``."""
        if self.registration is None:
            return "unregistered"
        return "seen" if self.look is not None else "registered"

    @cached_property
    def content(self) -> dict[str, Any]:
        """What holds now: what was registered, with the amendments put into effect."""
        made = [change for entry in self.amendments for change in entry.content.get("changes", ())]
        return applied(self.registration or {}, made)

    def planned(self, *path: str) -> Any:
        """The value that was registered under a path; None where there was none."""
        place: Any = self.registration or {}
        for key in path:
            if not isinstance(place, Mapping) or key not in place:
                return None
            place = place[key]
        return place

    def until(self, n: int) -> Standing:
        """As it was when the ledger had *n* entries."""
        early = self.ledger.until(n)
        known = any(entry.kind == "registered" for entry in early.of(self.study))
        return Standing(
            self.study, self.folder, self.at, early, self.registration if known else None, self.file
        )


def gold_of(plan: Plan, folder: Path) -> Path:
    """The file (or folder) of the dev questions."""
    return folder / str(plan.gold.get("path") or plan.gold.get("topics") or "gold.jsonl")


def ledger_of(plan: Plan, folder: Path) -> Path:
    """The ledger beside the gold set."""
    return gold_of(plan, folder).parent / LEDGER


def standing_of(plan: Plan, folder: Path) -> Standing:
    """How *plan* stands by the ledger beside its gold set.

    Raises SealBroken where the chain of the ledger is broken, or the registration is not the one that the
    ledger names; and where there is a registration of this study that no ledger knows.
    """
    at = ledger_of(plan, folder)
    ledger = read_ledger(at)
    whole(ledger)
    entry = next(iter(ledger.of(plan.name, "registered")), None)
    if entry is None:
        _orphan(plan, folder, at)
        return Standing(plan.name, folder, at, ledger)
    file = settled(folder / str(entry.content["file"]), str(entry.content["seal"]))
    try:
        data = file.read_bytes()
    except OSError as error:
        raise SealBroken(
            f"{at.name} says that {plan.name!r} was registered, and {file.name} cannot be read",
            mend="take it from git as it was; it is needed to say what was promised",
        ) from error
    if hashlib.sha256(data).hexdigest() != entry.content["seal"]:
        raise SealBroken(
            f"{file.name} is not what was registered: its SHA-256 is not the one in {at.name}",
            mend="take it from git as it was; to change what was planned, `evenhand study amend`",
        )
    return Standing(plan.name, folder, at, ledger, loads(data), file.name)


def staged(file: Path, seal: str) -> Path:
    """Where a registration lies until the ledger names it."""
    return file.with_name(f".{file.name}.{seal[:16]}")


def settled(file: Path, seal: str) -> Path:
    """*file*, which the ledger names: put in its place, where a kill came between the ledger and that."""
    if not file.exists():
        with suppress(OSError):
            staged(file, seal).replace(file)
    return file


def _orphan(plan: Plan, folder: Path, at: Path) -> None:
    """A registration whose ledger has gone is said: without it nobody can tell what was looked at."""
    file = folder / "registration.json"
    try:
        name = loads(file.read_bytes()).get("study")
    except (OSError, ValueError, AttributeError):
        return
    if name == plan.name:
        raise SealBroken(
            f"{file.name} holds a registration of {plan.name!r}, and {at.name} does not know it",
            mend="take the ledger from git as it was; if nothing was ever registered, remove the file",
        )


def accepted(amendments: Sequence[Entry]) -> frozenset[str]:
    """What amendments accept in writing (``--accept``): names of criteria of trust that have failed."""
    return frozenset(str(name) for entry in amendments for name in entry.content.get("accepts", ()))
