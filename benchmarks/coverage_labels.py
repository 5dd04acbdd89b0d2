"""Coverage of the intervals around labels: three raters, a few human labels beside a judge, AUC by source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from evenhand.stats.auc_sources import auc_by_source
from evenhand.stats.gwet import gwet_ac1
from evenhand.stats.krippendorff import krippendorff_alpha
from evenhand.stats.ppi import ppi_mean
from evenhand.stats.ppi_samples import ppi_clustered
from evenhand.stats.rogan_gladen import rogan_gladen

if TYPE_CHECKING:
    from evenhand.model.result import Interval

__all__ = ["labels"]

Study = Callable[[np.random.Generator, int], bool | None]
# part, interval, setting, coverage by n
Found = tuple[str, str, str, dict[int, float]]
YES, RIGHT = 0.3, 0.9  # share of yes; how often a rater sees it right
ONLY = 1000  # items with the judge's label alone
OF = 5  # items of a cluster
ALIKE = 0.55  # an item follows its cluster with this chance: correlation about 0.3


def labels(ns: Sequence[int], *, studies: int, few: int, resamples: int, seed: int) -> list[Found]:
    """Every line: *studies* of each closed form, *few* of each that resamples."""

    def share(one: Study, key: int, many: int, least: int = 12) -> dict[int, float]:
        at = {}
        for n in ns:
            if n < least:
                continue
            dice = np.random.default_rng([seed, n, key])
            told = [held for held in (one(dice, n) for _ in range(many)) if held is not None]
            at[n] = float(np.mean(told))
        return at

    options = {"resamples": min(1000, resamples), "seed": seed}
    seen = YES * RIGHT + (1 - YES) * (1 - RIGHT)
    same, chance = RIGHT**2 + (1 - RIGHT) ** 2, 2 * seen * (1 - seen)
    ac1, alpha = (same - chance) / (1 - chance), (same - 1 + chance) / chance

    def raters(measure: Callable[..., object], truth: float, *, grouped: bool) -> Study:
        def one(dice: np.random.Generator, n: int) -> bool | None:
            real = _real(dice, n, grouped=grouped)
            votes = np.where(dice.random((n, 3)) < RIGHT, real[:, None], ~real[:, None]).astype(int).tolist()
            where = {"clusters": (np.arange(n) // OF).tolist()} if grouped else {}
            found = measure(votes, categories=[0, 1], **where, **options)
            return _holds(found.interval, truth)  # type: ignore[attr-defined]

        return one

    def judged(dice: np.random.Generator, n: int) -> bool | None:
        human, judge = _judged(_real(dice, n, grouped=False), dice)
        _, alone = _judged(_real(dice, ONLY, grouped=False), dice)
        return _holds(ppi_mean(human, judge, alone).interval, YES)

    def by_query(dice: np.random.Generator, n: int) -> bool | None:
        real = _real(dice, n + ONLY, grouped=True)
        human, judge = _judged(real, dice)
        at = (np.arange(n + ONLY) // OF).tolist()
        known = [y if i < n - n % OF else None for i, y in enumerate(human.tolist())]
        return _holds(ppi_clustered(known, judge, at, form="ratio").interval, YES)

    def corrected(dice: np.random.Generator, n: int) -> bool | None:
        human, judge = _judged(_real(dice, n, grouped=False), dice)
        _, alone = _judged(_real(dice, ONLY, grouped=False), dice)
        yes, no = int(human.sum()), int(n - human.sum())
        if not yes or not no:
            return None  # undefined, and said so
        found = rogan_gladen(
            float(alone.mean()),
            sensitivity=float(judge[human == 1].mean()),
            specificity=float(1 - judge[human == 0].mean()),
            n=ONLY,
            negatives=no,
            positives=yes,
        )
        return _holds(found.interval, YES)

    def area(dice: np.random.Generator, n: int) -> bool | None:
        source = np.arange(n) // OF
        good = dice.random(n) < 0.4
        score = good + dice.normal(0, 0.5, n // OF + 1)[source] + dice.normal(size=n)
        found = auc_by_source(score, good.astype(int), source.tolist(), **options).interval
        return _holds(found, NormalDist().cdf(1 / np.sqrt(2.5)))

    three, topics = "30% yes, each right in 90%", f"30% yes, each right in 90%, topics of {OF}"
    known = f"30% yes, judge right in 85%, {ONLY:,} more items"
    part, beside, ac, kr = (
        "three raters",
        "few human labels beside a judge",
        "Gwet's AC1",
        "Krippendorff's alpha",
    )
    return [
        (part, f"{ac}, over items", three, share(raters(gwet_ac1, ac1, grouped=False), 21, few)),
        (part, f"{ac}, over topics", topics, share(raters(gwet_ac1, ac1, grouped=True), 22, few, 40)),
        (part, f"{kr}, over items", three, share(raters(krippendorff_alpha, alpha, grouped=False), 23, few)),
        (
            part,
            f"{kr}, over topics",
            topics,
            share(raters(krippendorff_alpha, alpha, grouped=True), 24, few, 40),
        ),
        (beside, "PPI++", known, share(judged, 25, studies)),
        (beside, "PPI++ by clusters", f"{known}, clusters of {OF}", share(by_query, 26, studies, 40)),
        (beside, "Rogan-Gladen, adjusted", known, share(corrected, 27, studies)),
        (
            "a score against a label",
            "AUC, over sources",
            f"AUC 0.74, sources of {OF}",
            share(area, 28, few, 40),
        ),
    ]


def _real(dice: np.random.Generator, n: int, *, grouped: bool) -> np.ndarray:
    """The truth of *n* items, bool[n]; *grouped*: those of one cluster are alike."""
    own = dice.random(n) < YES
    if not grouped:
        return own
    topic = (dice.random(n // OF + 1) < YES)[np.arange(n) // OF]
    return np.where(dice.random(n) < ALIKE, topic, own)


def _judged(real: np.ndarray, dice: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return real.astype(float), np.where(dice.random(len(real)) < 0.85, real, ~real).astype(float)


def _holds(found: Interval, truth: float) -> bool | None:
    """Whether the interval holds the truth; None where a report prints none."""
    if found.low is None or found.high is None or "zero_width" in found.flags:
        return None
    return found.low <= truth <= found.high
