"""Coverage of intervals of agreement: two raters and three, yes/no and grades, with and without topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage_lines import OF, SEED, Array, Line, Size, alike, groups, held, lines, repeated
from evenhand.stats.agreement.gwet import fleiss_kappa, gwet_ac1, gwet_ac2
from evenhand.stats.agreement.kappa import cohen_kappa, kappa_by_topic
from evenhand.stats.agreement.krippendorff import krippendorff_alpha
from evenhand.stats.agreement.raw_agreement import no_skill_agreement, panel, raw_agreement, sides

__all__ = ["grades", "kappas", "three_raters", "yes_or_no"]

YES, RIGHT = 0.3, 0.9  # share of yes; how often a rater sees it right
SEEN = YES * RIGHT + (1 - YES) * (1 - RIGHT)  # a rater's share of yes
SAME = RIGHT**2 + (1 - RIGHT) ** 2  # two raters agree
BOTH = YES * RIGHT**2 + (1 - YES) * (1 - RIGHT) ** 2  # two raters say yes
CHANCE = 2 * SEEN * (1 - SEEN)
YES_NO = f"{YES:.0%} yes, each right in {RIGHT:.0%}"
# grades 0 to 3: how often each is true, and what a rater says of each
TRUE = np.array([0.4, 0.3, 0.2, 0.1])
SAYS = np.array([[0.75, 0.2, 0.05, 0], [0.15, 0.7, 0.15, 0], [0, 0.15, 0.7, 0.15], [0, 0.05, 0.2, 0.75]])
GRADES = "grades 0 to 3, each right in about 72%"
Measured = Callable[[NDArray[np.int64], Mapping[str, object]], dict[str, bool | None]]


def kappas(ns: Sequence[int], size: Size) -> list[Line]:
    """Two raters, 30% yes, kappa 0.6; by topic: a topic's own share of yes moves."""
    p, kappa = 0.3, 0.6
    off = p * (1 - p) * (1 - kappa)
    chances = (p * p + kappa * p * (1 - p), off, off, (1 - p) ** 2 + kappa * p * (1 - p))
    plain, topics = {}, {}
    for n in ns:
        drawn = np.random.default_rng([SEED, n, 9]).multinomial(n, chances, size=size.slow)
        tables, times = np.unique(drawn, axis=0, return_counts=True)
        inside = 0
        for (a, b, c, d), many in zip(tables.tolist(), times.tolist(), strict=True):
            one = cohen_kappa([1] * (a + b) + [0] * (c + d), [1] * a + [0] * b + [1] * c + [0] * d).interval
            inside += many * (one.low is not None and one.high is not None and one.low <= kappa <= one.high)
        plain[n] = inside / size.slow
    for n in (n for n in ns if n >= 40):
        kept = []
        dice = np.random.default_rng([SEED, n, 11])
        for _ in range(max(20, size.slow // 4)):
            labels = dice.choice(4, size=n, p=chances)
            topic = (np.arange(n) // 5).tolist()
            first, second = (labels < 2).astype(int).tolist(), (labels % 2 == 0).astype(int).tolist()
            one = kappa_by_topic(
                first, second, topic, resamples=min(1000, size.resamples), seed=SEED
            ).interval
            kept.append(one.low is not None and one.high is not None and one.low <= kappa <= one.high)
        topics[n] = float(np.mean(kept))
    setting = "kappa 0.6, 30% yes"
    return [
        Line("agreement", "kappa, large-sample", setting, plain),
        Line("agreement", "kappa, bootstrap over topics of 5", setting, topics),
    ]


def _votes(dice: np.random.Generator, n: int, *, grouped: bool) -> NDArray[np.int64]:
    """Yes or no of three raters: int64[n, 3]."""
    real = alike(lambda m: dice.random(m) < YES, dice, n, grouped=grouped)
    return np.where(dice.random((n, 3)) < RIGHT, real[:, None], ~real[:, None]).astype(np.int64)


def _graded(dice: np.random.Generator, n: int, *, grouped: bool) -> NDArray[np.int64]:
    """Grades of three raters: int64[n, 3]."""
    real = alike(lambda m: dice.choice(4, size=m, p=TRUE), dice, n, grouped=grouped).astype(np.int64)
    upto = np.cumsum(SAYS, axis=1)[real]
    return (dice.random((n, 3))[:, :, None] > upto[:, None, :-1]).sum(axis=2)


def _both(
    setting: str,
    draw: Callable[..., NDArray[np.int64]],
    measured: Measured,
    key: int,
    *,
    ns: Sequence[int],
    size: Size,
) -> list[Line]:
    """Over items, and over topics when items of a topic are alike."""
    made = []
    for grouped in (False, True):
        over = "topics" if grouped else "items"

        def one(dice: np.random.Generator, n: int, grouped: bool = grouped) -> dict[str, bool | None]:
            options: dict[str, object] = {"resamples": size.draws, "seed": SEED}
            options |= {"clusters": groups(n)} if grouped else {}
            return measured(draw(dice, n, grouped=grouped), options)

        found = repeated(one, key + grouped, ns, size.few, least=40 if grouped else 12)
        where = f"{setting}, topics of {OF}" if grouped else setting
        made += lines("three raters", where, {f"{name}, over {over}": at for name, at in found.items()})
    return made


def three_raters(ns: Sequence[int], size: Size) -> list[Line]:
    """AC1 and alpha of yes and no."""
    ac1, alpha = (SAME - CHANCE) / (1 - CHANCE), (SAME - 1 + CHANCE) / CHANCE

    def first(votes: NDArray[np.int64], options: Mapping[str, object]) -> dict[str, bool | None]:
        found = gwet_ac1(votes.tolist(), categories=[0, 1], **options)  # type: ignore[arg-type]
        return {"Gwet's AC1": held(found.interval, ac1)}

    def second(votes: NDArray[np.int64], options: Mapping[str, object]) -> dict[str, bool | None]:
        found = krippendorff_alpha(votes.tolist(), categories=[0, 1], **options)  # type: ignore[arg-type]
        return {"Krippendorff's alpha": held(found.interval, alpha)}

    return [
        *_both(YES_NO, _votes, first, 21, ns=ns, size=size),
        *_both(YES_NO, _votes, second, 23, ns=ns, size=size),
    ]


def yes_or_no(ns: Sequence[int], size: Size) -> list[Line]:
    """The other numbers of raters who say yes or no."""
    kappa = (SAME - 1 + CHANCE) / CHANCE

    def one(votes: NDArray[np.int64], options: Mapping[str, object]) -> dict[str, bool | None]:
        rows, (a, b, _) = votes.tolist(), votes.T.tolist()
        by_side = sides(a, b, **options)  # type: ignore[arg-type]
        three = panel(rows, **options)  # type: ignore[arg-type]
        return {
            "Fleiss' kappa": held(fleiss_kappa(rows, **options).interval, kappa),  # type: ignore[arg-type]
            "raw agreement of two": held(raw_agreement(a, b, **options).interval, SAME),  # type: ignore[arg-type]
            "agreement on yes (F1)": held(by_side.positive.interval, BOTH / SEEN),
            "agreement on no": held(by_side.negative.interval, (1 - 2 * SEEN + BOTH) / (1 - SEEN)),
            "all three agree": held(three.unanimity.interval, RIGHT**3 + (1 - RIGHT) ** 3),
            "mean pairwise agreement": held(three.pairwise.interval, SAME),
            "always the commonest answer": held(
                no_skill_agreement(a, **options).interval,  # type: ignore[arg-type]
                max(SEEN, 1 - SEEN),
            ),
        }

    return _both(YES_NO, _votes, one, 41, ns=ns, size=size)


def grades(ns: Sequence[int], size: Size) -> list[Line]:
    """Coefficients with partial credit."""
    together, single = SAYS.T @ (TRUE[:, None] * SAYS), TRUE @ SAYS
    apart = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    ordinal, square = 1 - apart * (apart + 1) / 12, 1 - (apart / 3) ** 2
    by_chance = float(ordinal.sum() / 12 * (single * (1 - single)).sum())
    ac2 = (float((ordinal * together).sum()) - by_chance) / (1 - by_chance)

    def corrected(near: Array) -> float:
        expected = float(single @ near @ single)
        return (float((near * together).sum()) - expected) / (1 - expected)

    kappa = corrected(square)
    categories = (0, 1, 2, 3)

    def one(votes: NDArray[np.int64], options: Mapping[str, object]) -> dict[str, bool | None]:
        rows, (a, b, _) = votes.tolist(), votes.T.tolist()
        more: dict[str, object] = {**options, "categories": categories}
        told = {
            "Gwet's AC2, ordinal weights": held(gwet_ac2(rows, **more).interval, ac2),  # type: ignore[arg-type]
            "Krippendorff's alpha, interval scale": held(
                krippendorff_alpha(rows, scale="interval", **more).interval,  # type: ignore[arg-type]
                kappa,
            ),
        }
        weighted = cohen_kappa(a, b, weights="quadratic", **more)  # type: ignore[arg-type]
        return {**told, "kappa of two, quadratic weights": held(weighted.interval, kappa)}

    return _both(GRADES, _graded, one, 43, ns=ns, size=size)
