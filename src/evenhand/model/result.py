"""Measurements, estimates and contrasts: a number never travels alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.model.notebook_repr import Framed, Shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Contrast", "Estimate", "Interval", "Measurement", "Measurements", "Standing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval(Shown):
    """An interval, or the reason why there is none. Bounds are never NaN or infinite."""

    low: float | None
    high: float | None
    level: float
    method: str
    reason: str | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement(Framed):
    """One metric of one system on one question. Undefined is a state with a reason, never NaN or 0."""

    system: str
    metric: str
    question: str
    value: float | None
    undefined: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Framed):
    """A population value with its interval, and everything needed to repeat it."""

    system: str
    metric: str
    point: float | None
    low: float | None
    high: float | None
    n: int
    level: float
    method: str
    undefined: int = 0
    missing: int = 0  # questions the run has no ranking for: counted 0
    unreachable: int = 0  # questions no unit of the chunking can answer: counted 0
    judged: float | None = None  # share of the units at the cutoff that have a label
    labels: Mapping[str, float] = field(default_factory=dict)  # share by human, aligned, panel
    seed: int | None = None
    resamples: int | None = None
    k: int | None = None  # successes, for proportions
    reason: str | None = None  # why point or interval is missing

    def __str__(self) -> str:
        if self.point is None:
            return f"– ({self.reason}) n={self.n}"
        text = f"{self.point:.3f}"
        text += (
            f" [{self.low:.3f}, {self.high:.3f}]"
            if self.low is not None and self.high is not None
            else f" ({self.reason})"
        )
        text += f" n={self.n}"
        return text + (f", {self.undefined} undefined" if self.undefined else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast(Framed):
    """The paired difference a − b on the questions both define."""

    a: str
    b: str
    metric: str
    difference: float | None
    low: float | None
    high: float | None
    n: int
    level: float
    method: str  # of the interval
    test: str
    p: float | None
    p_adjusted: float | None = None
    family: int | None = None  # tests adjusted together
    d_z: float | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    sd: float | None = None  # of the paired differences, ddof 1
    undefined: int = 0
    seed: int | None = None
    resamples: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)  # both, only_a, only_b, neither: for hit rates
    needed: Mapping[str, Any] = field(
        default_factory=dict
    )  # n, low, high, power, alpha: questions to settle it
    verdict: str = ""  # better | worse | cannot tell | identical
    exploratory: bool = False
    reason: str | None = None

    def __str__(self) -> str:
        if self.difference is None:
            return f"– ({self.reason}) n={self.n}"
        nothing = not self.wins and not self.losses
        text = "0.000" if nothing else f"{self.difference:+.3f}".replace("-", "−")
        if self.low is not None and self.high is not None:
            text += f" [{self.low:+.3f}, {self.high:+.3f}]".replace("-", "−")
        elif self.reason:
            text += f" ({self.reason})"
        if self.d_z is not None:
            text += f" d_z={self.d_z:.2f}".replace("-", "−")
        text += f" W/T/L {self.wins}/{self.ties}/{self.losses}"
        return text + (f" p={self.p:.3g}" if self.p is not None else "")


@dataclass(frozen=True)
class Measurements(Framed):
    """Systems × metrics × questions, in columns.

    ``value``: float64[systems, metrics, questions], 0.0 where undefined; ``why``: int16 of the same
    shape, 0 where defined, else a position in ``reasons``. ``unreachable``: bool of the same
    shape: no unit of the chunking can answer the question at the metric's level, so it counts 0;
    ``missing``: bool[systems, questions] (the run holds no ranking: counted 0).
    ``extra``: numbers about a whole system × metric (judged shares, tied questions ...).
    """

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    questions: tuple[str, ...]
    value: NDArray[np.float64]
    why: NDArray[np.int16]
    reasons: tuple[str, ...] = ("",)
    unreachable: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0, 0), dtype=bool))
    missing: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    extra: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _system(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.systems)}

    @cached_property
    def _metric(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.metrics)}

    def at(self, system: str, metric: str) -> tuple[int, int]:
        """Positions of a system and a metric; an unknown name names the nearest."""
        if system not in self._system:
            raise InputError(f"no system {system!r} was measured", mend=nearest(system, self.systems))
        if metric not in self._metric:
            raise InputError(f"no metric {metric!r} was measured", mend=nearest(metric, self.metrics))
        return self._system[system], self._metric[metric]

    def values(self, system: str, metric: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Values (float64[q]) and where they are defined (bool[q])."""
        s, m = self.at(system, metric)
        return self.value[s, m], self.why[s, m] == 0

    def measurement(self, system: str, metric: str, question: str) -> Measurement:
        """One cell."""
        s, m = self.at(system, metric)
        q = self.questions.index(question)
        why = int(self.why[s, m, q])
        return Measurement(
            system=system,
            metric=metric,
            question=question,
            value=None if why else float(self.value[s, m, q]),
            undefined=self.reasons[why] if why else None,
        )

    def estimate(self, system: str, metric: str, **options: Any) -> Estimate:
        """The population value of one system; see `evenhand.metrics.comparison.summary.estimate`."""
        return _summary("estimate", self, system, metric, **options)  # type: ignore[no-any-return]

    def contrast(self, a: str, b: str, metric: str, **options: Any) -> Contrast:
        """The paired difference a − b; see `evenhand.metrics.comparison.summary.contrast`."""
        return _summary("contrast", self, a, b, metric, **options)  # type: ignore[no-any-return]

    @staticmethod
    def join(parts: Sequence[Measurements]) -> Measurements:
        """Put systems measured apart (one chunking each) side by side; questions and metrics must agree."""
        first = parts[0]
        reasons = list(first.reasons)
        codes = []
        for part in parts:
            if part.questions != first.questions or part.metrics != first.metrics:
                raise InputError(
                    "measurements over different questions or metrics cannot be joined",
                    mend="measure every system on the same gold set with the same metrics",
                )
            for reason in part.reasons:
                if reason not in reasons:
                    reasons.append(reason)
            codes.append(np.array([reasons.index(r) for r in part.reasons], dtype=np.int16)[part.why])
        extra: dict[str, Any] = {}
        for part in parts:
            for key, entry in part.extra.items():
                if isinstance(entry, Mapping):
                    extra[key] = {**extra.get(key, {}), **entry}
                else:
                    extra[key] = entry
        return Measurements(
            systems=tuple(s for part in parts for s in part.systems),
            metrics=first.metrics,
            questions=first.questions,
            value=np.concatenate([part.value for part in parts]),
            why=np.concatenate(codes),
            reasons=tuple(reasons),
            unreachable=np.concatenate([part.unreachable for part in parts]),
            missing=np.concatenate([part.missing for part in parts]),
            extra=extra,
        )


def _summary(name: str, *args: Any, **options: Any) -> Any:
    # the verbs live a storey higher; looked up by name so that the nouns import nothing above them
    from importlib import import_module

    return getattr(import_module("evenhand.metrics.comparison.summary"), name)(*args, **options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing(Framed):
    """A whole field on one metric: who leads, in which share of the common resamples, who is in play."""

    metric: str
    leader: str
    best: Mapping[str, float]  # P(best) by system, ties split; sums to 1
    in_play: tuple[str, ...]  # not worse than the leader after adjustment, the leader included
    n: int
    resamples: int
    seed: int
    sentence: str = ""
