"""A check against a baseline: what is declared beforehand, and the two sides that are held together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evenhand.errors import InputError, nearest

__all__ = ["ADJUST", "POLICIES", "TESTS", "CheckPlan", "Side"]

POLICIES = ("fail", "pass", "4")
TESTS = ("auto", "t", "bootstrap", "clusters")
ADJUST = ("none", "holm")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPlan:
    """What is declared before the results are looked at.

    ``margins``: by metric, the largest loss that would not matter, above 0; the name ``""`` stands for the
    primary metric. ``systems``: only these (default: all that both sides name alike); ``against``: the one
    system of the baseline that they are held against. ``alpha``: one-sided. ``inconclusive``: what the
    exit code says where nothing is decided. ``common``: pair the common questions of two gold sets.
    ``criteria``: criteria of the report count for the exit code as well.
    """

    margins: Mapping[str, float]
    systems: tuple[str, ...] = ()
    against: str = ""
    alpha: float = 0.05
    adjust: str = "none"
    test: str = "auto"
    inconclusive: str = "4"
    common: bool = False
    criteria: bool = False

    def __post_init__(self) -> None:
        for name, value, known in (
            ("inconclusive", self.inconclusive, POLICIES),
            ("test", self.test, TESTS),
            ("adjust", self.adjust, ADJUST),
        ):
            if value not in known:
                raise InputError(f"{name} {value!r} is not known", mend=nearest(str(value), known))
        if not 0 < self.alpha < 0.5:
            raise InputError(f"alpha is {self.alpha:g}", mend="give a share above 0 and below 0.5, as 0.05")
        if not self.margins:
            raise InputError(
                "no margin is declared",
                mend='say beforehand which loss would not matter: --margin "nDCG@10=0.02"',
            )
        for metric, margin in self.margins.items():
            if not 0 < margin < float("inf"):
                raise InputError(
                    f"the margin of {metric or 'the primary metric'} is {margin:g}",
                    mend="fix a margin above 0, before looking at the results",
                )
        if self.against and len(self.systems) > 1:
            raise InputError(
                f"{len(self.systems)} systems are held against {self.against!r}",
                mend="give one --system with --against",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a check: a results folder, or the baseline that was kept of one.

    ``questions``: ids of the questions that were measured; ``content`` and ``cluster``, by id: the seal of
    all that a metric reads of a question (None where it is not known), and what it belongs to.
    ``values``: by system and metric, a value a question, None where undefined. ``definitions``: by metric,
    what it measures in words. ``systems``: by name, the seal of what ran. ``not_run``: by system, how
    many questions could not be asked.
    """

    kind: str  # results | baseline
    study: str
    primary: str
    metrics: tuple[str, ...]
    split: str
    spans: str
    gold: str
    corpus: str
    judgements: str
    questions: tuple[str, ...]
    content: Mapping[str, str] | None
    cluster: Mapping[str, str]
    systems: Mapping[str, str]
    not_run: Mapping[str, int]
    values: Mapping[tuple[str, str], Sequence[float | None]]
    definitions: Mapping[str, str]
    versions: Mapping[str, str]
    report: str
    seed: int
    resamples: int
    state: str = ""
    criteria: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = field(default=())
