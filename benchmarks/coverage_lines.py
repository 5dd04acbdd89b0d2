"""What every part of the coverage study shares: sizes, lines of the page, and how one study is repeated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from evenhand.model.result import Interval

__all__ = [
    "ALIKE",
    "FULL",
    "NS",
    "OF",
    "QUICK",
    "SEED",
    "SHORT",
    "Array",
    "Line",
    "Size",
    "alike",
    "groups",
    "held",
    "lines",
    "repeated",
]

SEED = 20241009
NS = (12, 40, 100, 300)
SHORT = 0.93  # below this an interval is said to fall short
OF = 5  # items of a cluster
ALIKE = 0.55  # an item follows its cluster with this chance: correlation about 0.3
Array = NDArray[np.float64]
Study = Callable[[np.random.Generator, int], Mapping[str, float | None]]


@dataclass(frozen=True, slots=True)
class Size:
    """How much is simulated."""

    studies: int  # cheap intervals
    slow: int  # intervals computed one study at a time
    resamples: int

    @property
    def few(self) -> int:
        """Studies of what resamples each of them."""
        return max(20, self.slow // 4)

    @property
    def draws(self) -> int:
        """Resamples where each study has its own."""
        return min(1000, self.resamples)


FULL, QUICK = Size(10_000, 2000, 2000), Size(200, 40, 200)


@dataclass(frozen=True, slots=True)
class Line:
    """Coverage of one interval in one setting, by n; or a share of wrong decisions, at *most* so many."""

    part: str
    interval: str
    setting: str
    at: dict[int, float]
    most: float | None = None
    slack: float = 0.01  # what chance may add to *most*
    plain: bool = False  # nothing is promised

    def broken(self, x: float) -> bool:
        """Does *x* fall short of what is promised?"""
        return not self.plain and (x < SHORT if self.most is None else x > self.most + self.slack)


def held(found: Interval, truth: float) -> bool | None:
    """Whether the interval holds the truth; None where a report prints none."""
    if found.low is None or found.high is None or "zero_width" in found.flags:
        return None
    return found.low <= truth <= found.high


def repeated(
    one: Study, key: int, ns: Sequence[int], studies: int, *, least: int = 12
) -> dict[str, dict[int, float]]:
    """The mean over *studies* of each thing that *one* study tells (None: not counted), by name and n."""
    made: dict[str, dict[int, float]] = {}
    for n in ns:
        if n < least:
            continue
        dice = np.random.default_rng([SEED, n, key])
        told: dict[str, list[float]] = {}
        for _ in range(studies):
            for name, value in one(dice, n).items():
                if value is not None:
                    told.setdefault(name, []).append(float(value))
        for name, values in told.items():
            made.setdefault(name, {})[n] = float(np.mean(values))
    return made


def lines(part: str, setting: str, made: Mapping[str, dict[int, float]]) -> list[Line]:
    """What was `repeated`, as lines of coverage."""
    return [Line(part, name, setting, at) for name, at in made.items()]


def groups(n: int) -> list[int]:
    """The cluster of each of *n* items."""
    return (np.arange(n) // OF).tolist()


def alike(
    draw: Callable[[int], NDArray[Any]], dice: np.random.Generator, n: int, *, grouped: bool
) -> NDArray[Any]:
    """*n* draws (a row each); *grouped*: those of one cluster are often the same draw."""
    own = draw(n)
    if not grouped:
        return own
    topic = draw(n // OF + 1)[np.arange(n) // OF]
    same = dice.random(n) < ALIKE
    return np.where(same.reshape(n, *[1] * (own.ndim - 1)), topic, own)
