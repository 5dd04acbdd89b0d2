"""Coverage of intervals around labels: a few human labels beside judges, and a score against a label."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage_lines import OF, SEED, Array, Line, Size, alike, groups, held, lines, repeated
from evenhand.stats.agreement.judge_accuracy_weighted import effective_share, weighted_judge_against_human
from evenhand.stats.intervals.auc_sources import auc_by_source
from evenhand.stats.intervals.ranking import auc_delong
from evenhand.stats.prediction_powered.designs import ppi_several_judges, ppi_stratified
from evenhand.stats.prediction_powered.mean import ppi_difference, ppi_mean, ppi_share
from evenhand.stats.prediction_powered.rogan_gladen import rogan_gladen
from evenhand.stats.prediction_powered.samples import ppi_clustered, ppi_inclusion

__all__ = ["areas_under", "beside_a_judge", "other_designs", "unequal_chances"]

YES = 0.3  # share of yes
ONLY = 1000  # items with the judge's label alone
JUDGES = (0.85, 0.8, 0.75)  # how often each of several is right
BESIDE = "few human labels beside a judge"
KNOWN = f"30% yes, judge right in 85%, {ONLY:,} more items"
THREE = f"30% yes, three judges right in 85, 80 and 75%, {ONLY:,} more items"
Told = dict[str, bool | None]


def _real(dice: np.random.Generator, n: int, *, grouped: bool) -> NDArray[np.bool_]:
    """The truth of *n* items, bool[n]; *grouped*: those of one cluster are alike."""
    return alike(lambda m: dice.random(m) < YES, dice, n, grouped=grouped).astype(bool)


def _judged(real: NDArray[np.bool_], dice: np.random.Generator, right: float = 0.85) -> tuple[Array, Array]:
    return real.astype(float), np.where(dice.random(len(real)) < right, real, ~real).astype(float)


def _some(human: Array, n: int) -> list[float | None]:
    """The first *n* labels; of the others people said nothing."""
    return [*human[:n].tolist(), *[None] * (len(human) - n)]


def beside_a_judge(ns: Sequence[int], size: Size) -> list[Line]:
    """PPI++, by clusters, Rogan and Gladen."""

    def judged(dice: np.random.Generator, n: int) -> Told:
        human, judge = _judged(_real(dice, n, grouped=False), dice)
        _, alone = _judged(_real(dice, ONLY, grouped=False), dice)
        return {"PPI++": held(ppi_mean(human, judge, alone).interval, YES)}

    def by_query(dice: np.random.Generator, n: int) -> Told:
        real = _real(dice, n + ONLY, grouped=True)
        human, judge = _judged(real, dice)
        known = _some(human, n - n % OF)
        found = ppi_clustered(known, judge, groups(n + ONLY), form="ratio")
        return {"PPI++ by clusters": held(found.interval, YES)}

    def corrected(dice: np.random.Generator, n: int) -> Told:
        human, judge = _judged(_real(dice, n, grouped=False), dice)
        _, alone = _judged(_real(dice, ONLY, grouped=False), dice)
        yes, no = int(human.sum()), int(n - human.sum())
        if not yes or not no:
            return {}  # undefined, and said so
        found = rogan_gladen(
            float(alone.mean()),
            sensitivity=float(judge[human == 1].mean()),
            specificity=float(1 - judge[human == 0].mean()),
            n=ONLY,
            negatives=no,
            positives=yes,
        )
        return {"Rogan-Gladen, adjusted": held(found.interval, YES)}

    return [
        *lines(BESIDE, KNOWN, repeated(judged, 25, ns, size.slow)),
        *lines(BESIDE, f"{KNOWN}, clusters of {OF}", repeated(by_query, 26, ns, size.slow, least=40)),
        *lines(BESIDE, KNOWN, repeated(corrected, 27, ns, size.slow)),
    ]


def other_designs(ns: Sequence[int], size: Size) -> list[Line]:
    """Several judges, two systems, strata, chances of a label that differ."""

    def shared(dice: np.random.Generator, n: int) -> Told:
        human, judge = _judged(_real(dice, n + ONLY, grouped=False), dice)
        return {"PPI++, share of yes": held(ppi_share(human[:n], judge[:n], judge[n:]).interval, YES)}

    def several(dice: np.random.Generator, n: int, grouped: bool = False) -> Told:
        real = _real(dice, n + ONLY, grouped=grouped)
        table = np.column_stack([_judged(real, dice, right)[1] for right in JUDGES])
        found = ppi_several_judges(_some(real.astype(float), n), table)
        name = "PPI++ with three judges" + (", clusters ignored" if grouped else "")
        return {name: held(found.interval, YES)}

    def difference(dice: np.random.Generator, n: int) -> Told:
        """The first system is good where the second is, and on 0.1 of the questions more."""
        second = _real(dice, n + ONLY, grouped=False)
        first = second | (dice.random(n + ONLY) < 0.1 / (1 - YES))
        (a, f), (b, g) = _judged(first, dice), _judged(second, dice)
        return {
            "PPI++, difference of two systems": held(
                ppi_difference(_some(a, n), _some(b, n), f, g).interval, 0.1
            )
        }

    def strata(dice: np.random.Generator, n: int) -> Told:
        """A quarter of the items, half of them yes, is labelled as much as the rest, where 7 in 30 are."""
        at = np.arange(n + ONLY) % 4 == 0
        real = dice.random(n + ONLY) < np.where(at, 0.5, (YES - 0.125) / 0.75)
        human, judge = _judged(real, dice)
        one, other = np.flatnonzero(at)[: n // 2], np.flatnonzero(~at)[: n - n // 2]
        known: list[float | None] = [None] * (n + ONLY)
        for i in (*one.tolist(), *other.tolist()):
            known[i] = float(human[i])
        return {"PPI++ in two strata": held(ppi_stratified(known, judge, at.tolist()).interval, YES)}

    def chances(dice: np.random.Generator, n: int) -> Told:
        """What the judge calls yes is labelled twice as often; n labels are expected."""
        human, judge = _judged(_real(dice, n + ONLY, grouped=False), dice)
        chance = (1 + judge) * n / (n + ONLY) / (1 + 0.36)  # the judge says yes in 36%
        known = [y if one else None for y, one in zip(human, dice.random(n + ONLY) < chance, strict=True)]
        return {"PPI++ with known chances": held(ppi_inclusion(known, judge, chance).interval, YES)}

    def together(dice: np.random.Generator, n: int) -> Told:
        return several(dice, n, grouped=True)

    return [
        *lines(BESIDE, KNOWN, repeated(shared, 51, ns, size.slow)),
        *lines(BESIDE, THREE, repeated(several, 52, ns, size.slow)),
        *lines(BESIDE, f"{THREE}, clusters of {OF}", repeated(together, 53, ns, size.slow, least=40)),
        *lines(
            BESIDE,
            f"0.4 against 0.3, judge right in 85%, {ONLY:,} more",
            repeated(difference, 54, ns, size.slow),
        ),
        *lines(
            BESIDE, "strata of 50% and 23% yes, as many labels in each", repeated(strata, 55, ns, size.slow)
        ),
        *lines(BESIDE, "what the judge calls yes twice as likely", repeated(chances, 56, ns, size.slow)),
    ]


def unequal_chances(ns: Sequence[int], size: Size) -> list[Line]:
    """A judge held against people where what it calls yes was drawn twice as often."""
    yes = YES * 0.85 + (1 - YES) * 0.15  # the judge's
    chance = yes * YES + (1 - yes) * (1 - YES)
    kappa = (0.85 - chance) / (1 - chance)
    middle = (yes + YES) / 2
    ac1 = (0.85 - 2 * middle * (1 - middle)) / (1 - 2 * middle * (1 - middle))

    def drawn(dice: np.random.Generator, n: int) -> tuple[list[int], list[int], Array]:
        human, judge = _judged(_real(dice, n + ONLY, grouped=False), dice)
        chances = (1 + judge) * n / (n + ONLY) / (1 + yes)
        here = dice.random(n + ONLY) < chances
        return judge[here].astype(int).tolist(), human[here].astype(int).tolist(), chances[here]

    def share(dice: np.random.Generator, n: int) -> Told:
        _, human, chances = drawn(dice, n)
        return {"share of yes, Wilson on Kish's n": held(effective_share(human, chances).interval, YES)}

    def whole(dice: np.random.Generator, n: int) -> Told:
        found = weighted_judge_against_human(*drawn(dice, n), resamples=size.draws, seed=SEED)
        return {
            "kappa, weighted, over items": held(found.kappa.interval, kappa),
            "Gwet's AC1, weighted, over items": held(found.ac1.interval, ac1),
        }

    setting = "what the judge calls yes twice as likely"
    return [
        *lines(BESIDE, setting, repeated(share, 59, ns, size.slow)),
        *lines(BESIDE, setting, repeated(whole, 60, ns, size.few)),
    ]


def areas_under(ns: Sequence[int], size: Size) -> list[Line]:
    """AUC of a score, sources resampled and not."""
    part, setting = "a score against a label", f"AUC 0.74, sources of {OF}"

    def drawn(dice: np.random.Generator, n: int) -> tuple[Array, NDArray[np.int64], list[int]]:
        source = np.arange(n) // OF
        good = dice.random(n) < 0.4
        score = good + dice.normal(0, 0.5, n // OF + 1)[source] + dice.normal(size=n)
        return score, good.astype(int), source.tolist()

    truth = NormalDist().cdf(1 / float(np.sqrt(2.5)))

    def over(dice: np.random.Generator, n: int) -> Told:
        found = auc_by_source(*drawn(dice, n), resamples=size.draws, seed=SEED)
        return {"AUC, over sources": held(found.interval, truth)}

    def ignored(dice: np.random.Generator, n: int) -> Told:
        return {"AUC, DeLong, sources ignored": held(auc_delong(*drawn(dice, n)[:2]).interval, truth)}

    def single(dice: np.random.Generator, n: int) -> Told:
        good = dice.random(n) < 0.4
        found = auc_delong(good + dice.normal(0, np.sqrt(1.25), n), good.astype(int))
        return {"AUC, DeLong": held(found.interval, truth)}

    return [
        *lines(part, setting, repeated(over, 28, ns, size.few, least=40)),
        *lines(part, setting, repeated(ignored, 57, ns, size.slow, least=40)),
        *lines(part, "AUC 0.74, independent items", repeated(single, 58, ns, size.slow)),
    ]
