"""A sheet: what a judge is told, and the ordered levels to choose from. Its version is its hash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.model.seal import seal

__all__ = ["EVIDENCE", "Level", "Mode", "Sheet"]

EVIDENCE = ("no", "ask", "must")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level of a scale and the key that gives it.

    ``evidence``: is a span asked for at this level (no, ask, must)? ``modes``: is the failure mode asked?
    """

    grade: float
    key: str
    label: str
    help: str = ""
    evidence: str = "no"
    modes: bool = False

    def __post_init__(self) -> None:
        if self.evidence not in EVIDENCE:
            raise InputError(
                f"level {self.label!r} has evidence {self.evidence!r}", mend=nearest(self.evidence, EVIDENCE)
            )
        if not abs(self.grade) < float("inf"):
            raise InputError(f"level {self.label!r} has grade {self.grade!r}", mend="give a finite number")
        object.__setattr__(self, "grade", float(self.grade))  # 1 and 1.0 are one version


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """One way in which a text fails; asked only on a "no"."""

    name: str
    key: str
    label: str


@dataclass(frozen=True)
class Sheet:
    """Instructions and scale. ``ask`` is the question to the judge, ``guideline`` plain text or Markdown.

    Levels ascend. ``modes`` are asked after a level that says so. ``cannot_tell``: is "cannot tell" an
    answer? (It is a label, not a missing value.) ``seal`` is the version: any edit makes another.
    """

    name: str
    ask: str
    guideline: str
    levels: tuple[Level, ...]
    modes: tuple[Mode, ...] = ()
    cannot_tell: bool = True

    def __post_init__(self) -> None:
        grades = [level.grade for level in self.levels]
        if len(grades) < 2 or grades != sorted(set(grades)):
            raise InputError(
                f"sheet {self.name!r} has levels {grades}",
                mend="two levels or more, each grade above the last",
            )
        for what, keys in (
            ("levels", [level.key for level in self.levels]),
            ("modes", [mode.key for mode in self.modes]),
        ):
            if len(set(keys)) != len(keys) or not all(len(key) == 1 and key.isprintable() for key in keys):
                raise InputError(
                    f"sheet {self.name!r}: the keys of its {what} are {keys}",
                    mend="give each a key of its own, one character",
                )

    @cached_property
    def seal(self) -> str:
        """The version: SHA-256 over every word."""
        return seal(self.as_json())

    def level(self, grade: float) -> Level:
        """The level of *grade*, or an error that names what there is."""
        for level in self.levels:
            if level.grade == grade:
                return level
        raise InputError(
            f"{grade!r} is no grade of sheet {self.name!r}",
            mend=f"use one of: {', '.join(f'{level.grade:g}' for level in self.levels)}",
        )

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, from which `of_json` makes the same sheet."""
        return {
            "schema": "evenhand.sheet/1",
            "name": self.name,
            "ask": self.ask,
            "guideline": self.guideline,
            "levels": [asdict(level) for level in self.levels],
            "modes": [asdict(mode) for mode in self.modes],
            "cannot_tell": self.cannot_tell,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Sheet:
        """The sheet written by `as_json`."""
        return cls(
            name=data["name"],
            ask=data["ask"],
            guideline=data["guideline"],
            levels=tuple(Level(**level) for level in data["levels"]),
            modes=tuple(Mode(**mode) for mode in data.get("modes", ())),
            cannot_tell=bool(data.get("cannot_tell", True)),
        )
