"""The columns of a comparison and their common resamples: drawn once, read by every estimate and contrast."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError
from evenhand.metrics.catalogue.names import kind, parse
from evenhand.stats.intervals.resample import resampled_means

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from evenhand.model.result import Measurements
    from evenhand.protocols import Engine

__all__ = ["Draws", "Settings", "decides", "how", "place"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What every number of one comparison shares."""

    level: float = 0.95
    resamples: int = 10_000
    signs: int = 20_000
    seed: int = 20241009

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise InputError(f"level is {self.level!r}", mend="give a level between 0 and 1, such as 0.95")
        for name, number in (("resamples", self.resamples), ("signs", self.signs)):
            if number < 100:
                raise InputError(
                    f"{name} is {number}", mend="use 100 or more; the defaults are 10,000 and 20,000"
                )

    @property
    def alpha(self) -> float:
        """1 - level, without its float dust."""
        return round(1 - self.level, 12)


def how(metric: str) -> str:
    """What a metric's values are, by its name: ``share`` (yes/no), ``mean``, or ``total`` (no mean at all).

    A name the catalogue does not know (a measurement brought from elsewhere) is a mean.
    """
    try:
        entry = kind(parse(metric))
    except InputError:
        return "mean"
    if entry.total != "mean":
        return "total"
    return "share" if entry.proportion else "mean"


def decides(metric: str) -> bool:
    """Does each system choose the questions of *metric* itself (it is about those that it answers)?"""
    try:
        return kind(parse(metric)).decides
    except InputError:
        return False


def place(m: Measurements, system: str, metric: str) -> tuple[int, int]:
    """Positions of a system and a metric; other spellings of the metric (``ndcg_cut_10``) are understood."""
    if metric not in m.metrics:
        try:
            spelt = str(parse(metric))
        except InputError:
            spelt = metric
        metric = spelt if spelt in m.metrics else metric
    return m.at(system, metric)


@dataclass
class Draws:
    """Columns of measurements under a mask of questions, and their means in the common resamples.

    Columns with the same mask are drawn together, and a column's resampled means do not depend on which
    other columns were drawn with it. ``engine``: whose workers draw, where there is much to be drawn.
    """

    measurements: Measurements
    settings: Settings
    engine: Engine | None = None
    _means: dict[tuple[bytes, int, int], NDArray[np.float64]] = field(default_factory=dict)

    def defined(self, system: int, metric: int) -> NDArray[np.bool_]:
        """bool[q]: where the metric has a value."""
        return np.asarray(self.measurements.why[system, metric] == 0)

    def common(self, metric: int) -> NDArray[np.bool_]:
        """bool[q]: questions on which every system has a value; systems without any value do not count."""
        defined = self.measurements.why[:, metric] == 0
        alive = defined.any(axis=1)
        return np.asarray(
            defined[alive].all(axis=0) if alive.any() else np.zeros(defined.shape[1], dtype=bool)
        )

    def values(self, system: int, metric: int, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        """float64[n]: the values under *mask*."""
        return np.asarray(self.measurements.value[system, metric][mask])

    def draw(self, wanted: Iterable[tuple[int, int, NDArray[np.bool_]]]) -> None:
        """Draw what is not yet drawn of (system, metric, mask), one draw of indices for each mask."""
        groups: dict[bytes, tuple[NDArray[np.bool_], list[tuple[int, int]]]] = {}
        for system, metric, mask in wanted:
            key = mask.tobytes()
            if (key, system, metric) not in self._means and mask.any():
                columns = groups.setdefault(key, (mask, []))[1]
                if (system, metric) not in columns:
                    columns.append((system, metric))
        for key, (mask, columns) in groups.items():
            table = np.column_stack([self.values(s, m, mask) for s, m in columns])
            means = resampled_means(
                table, resamples=self.settings.resamples, seed=self.settings.seed, engine=self.engine
            )
            for at, (s, m) in enumerate(columns):
                self._means[key, s, m] = means[:, at]

    def means(self, system: int, metric: int, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        """float64[B]: the means of one column in the resamples of *mask*."""
        self.draw([(system, metric, mask)])
        return self._means[mask.tobytes(), system, metric]
