"""The ledger of a gold set: what was promised and looked at, line after line, each holding the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.model.seal import canonical, seal

__all__ = ["FIRST", "KINDS", "Entry", "Fault", "Ledger"]

FIRST = "0" * 64  # what stands before the first entry
KINDS = ("registered", "anchored", "amended", "look", "reported", "integrity", "verified")
COUNTING = ("registered", "anchored", "amended", "look", "reported")  # what a report tells of


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line. ``n`` counts from 1; ``before`` is the hash of the entry before it, `FIRST` for the first.

    ``at`` is the time that the writer's clock showed (ISO 8601, UTC): nobody vouches for it. ``study`` is
    the name of the study that it belongs to; ``content`` is plain JSON.
    """

    n: int
    kind: str
    at: str
    study: str
    before: str
    content: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"a ledger has no entries of kind {self.kind!r}", mend=nearest(self.kind, KINDS))

    def as_json(self) -> dict[str, Any]:
        """What is hashed."""
        return {
            "n": self.n,
            "kind": self.kind,
            "at": self.at,
            "study": self.study,
            "before": self.before,
            "content": dict(self.content),
        }

    @property
    def hash(self) -> str:
        """SHA-256 of the canonical form of everything in it, the hash of the entry before included."""
        return seal(self.as_json())

    def line(self) -> bytes:
        """The bytes of its line, newline included."""
        return canonical({**self.as_json(), "hash": self.hash}) + b"\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is wrong with one line (from 1) of a ledger."""

    line: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """All entries that could be read, the faults of the chain, and the lines that a kill has torn.

    A torn line was never finished, so nothing rests on it: it is said, and is no fault.
    """

    entries: tuple[Entry, ...] = ()
    faults: tuple[Fault, ...] = ()
    torn: tuple[int, ...] = ()
    name: str = "ledger.jsonl"

    @property
    def head(self) -> str:
        """The hash that the next entry will name."""
        return self.entries[-1].hash if self.entries else FIRST

    def of(self, study: str, *kinds: str) -> tuple[Entry, ...]:
        """The entries of one study, of some kinds or of all."""
        return tuple(e for e in self.entries if e.study == study and (not kinds or e.kind in kinds))

    def until(self, n: int) -> Ledger:
        """The ledger as it was when it had *n* entries."""
        return Ledger(entries=self.entries[:n], name=self.name)

    def counting(self, study: str) -> int:
        """How many entries there were after the last one of *study* that a report tells of; 0: none."""
        return max((e.n for e in self.of(study, *COUNTING)), default=0)

    def seen(self) -> dict[str, tuple[str, str]]:
        """Hash of the words of each question of a holdout that was looked at -> (study, id)."""
        found: dict[str, tuple[str, str]] = {}
        for entry in self.entries:
            if entry.kind == "look":
                for question, words in entry.content.get("seen", {}).items():
                    found.setdefault(str(words), (entry.study, str(question)))
        return found
