"""Answer or defer: areas under risk against coverage, thresholds with a promise, and non-inferiority.

A question of confidence c, uniform on 0..1, is answered wrong with the chance w (1 - c): the risk of answering
from confidence t on is w (1 - t) / 2, the share of all questions answered and wrong w (1 - t)^2 / 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from benchmarks.coverage_lines import OF, SEED, Array, Line, Size, alike, groups, held, lines, repeated
from benchmarks.coverage_values import ties, true_mean
from evenhand.stats.power.paired import noninferiority_bootstrap, noninferiority_newcombe, noninferiority_t
from evenhand.stats.selective.guarantee import conformal_risk_control, learn_then_test, learn_then_test_losses
from evenhand.stats.selective.intervals import areas_bootstrap
from evenhand.stats.selective.risk_coverage import coverage_at_risk

__all__ = ["areas", "noninferiority", "promises"]

CLUSTERS = f"clusters of {OF}"
THRESHOLDS = [t / 100 for t in range(74, 0, -5)]  # 0.59 and 0.19 are just past what is allowed
DELTA = 0.1
ALLOWED = ((0.5, 0.1, 61), (1.0, 0.4, 63))  # w, the risk allowed, key
METHODS: tuple[tuple[Literal["bonferroni", "fixed_sequence"], str], ...] = (
    ("bonferroni", "Learn-then-Test, Bonferroni"),
    ("fixed_sequence", "Learn-then-Test, fixed sequence"),
)
GRADED = "Learn-then-Test, fixed sequence, graded losses"
Told = dict[str, float | None]


def _answers(
    dice: np.random.Generator, n: int, wrong: float = 0.5, *, grouped: bool = False
) -> tuple[Array, Array]:
    """Confidence and loss (1: wrong) of *n* questions; *grouped*: those of a cluster are alike."""
    made = alike(lambda m: dice.random((m, 2)), dice, n, grouped=grouped)
    return made[:, 0], (made[:, 1] < wrong * (1 - made[:, 0])).astype(float)


def areas(ns: Sequence[int], size: Size) -> list[Line]:
    """AURC, E-AURC, AUGRC where one answer in four is wrong."""
    true = {"AURC": 1 / 8, "E-AURC": 1 / 8 - (1 / 4 + 3 / 4 * math.log(3 / 4)), "AUGRC": 1 / 12}
    made = []
    for words, grouped, drawn, key in (
        ("over questions", False, False, 71),
        ("over clusters", True, True, 72),
        ("clusters ignored", True, False, 72),
    ):

        def one(
            dice: np.random.Generator, n: int, grouped: bool = grouped, drawn: bool = drawn
        ) -> dict[str, bool | None]:
            c, x = _answers(dice, n, grouped=grouped)
            found = areas_bootstrap(
                c, x, clusters=groups(n) if drawn else None, resamples=size.draws, seed=SEED
            )
            three = zip(true.items(), (found.aurc, found.e_aurc, found.augrc), strict=True)
            return {name: held(area.interval, value) for (name, value), area in three}

        told = repeated(one, key, ns, size.few, least=40 if grouped else 12)
        setting = "one in four wrong" + (f", {CLUSTERS}" if grouped else "")
        made += lines("selective risk", setting, {f"{name}, {words}": at for name, at in told.items()})
    return sorted(made, key=lambda line: list(true).index(line.interval.split(",")[0]))


def promises(ns: Sequence[int], size: Size) -> list[Line]:
    """How often a chosen threshold's true risk is above what was allowed, and the mean risk under control."""
    certified, controlled, loose = [], [], []
    for grouped in (False, True):
        for wrong, allowed, key in ALLOWED:
            setting = f"risk at most {allowed:.0%}" + (f", {CLUSTERS}" if grouped else "")

            def one(
                dice: np.random.Generator,
                n: int,
                grouped: bool = grouped,
                wrong: float = wrong,
                allowed: float = allowed,
            ) -> Told:
                c, x = _answers(dice, n, wrong, grouped=grouped)
                told = _chosen(c, x, wrong, allowed)
                return told if grouped else told | _graded(c, dice, wrong, allowed)

            found = repeated(one, key + grouped, ns, size.slow, least=40 if grouped else 12)
            part = "certified thresholds"
            for name in (name for name in (METHODS[0][1], METHODS[1][1], GRADED) if name in found):
                certified.append(Line(part, name, setting, found[name], most=DELTA))
                some = found[f"{name}: something certified"]
                certified.append(Line(part, f"{name}: something certified", setting, some, plain=True))
            loose.append(Line(part, "coverage at risk, no promise", setting, found["none"], plain=True))
            part, name = "controlled risk", "conformal risk control: mean risk"
            controlled.append(Line(part, name, setting, found["crc"], most=allowed, slack=0.002))
    return [*certified, *loose, *controlled]


def _graded(c: Array, dice: np.random.Generator, wrong: float, allowed: float) -> Told:
    """The same for losses between 0 and 1 of the same mean."""
    mean = np.clip(wrong * (1 - c), 1e-9, 1 - 1e-9)
    losses = dice.beta(2 * mean, 2 * (1 - mean))
    answered = [int((c >= t).sum()) for t in THRESHOLDS]
    risks = [float(losses[c >= t].mean()) if n else 0.0 for t, n in zip(THRESHOLDS, answered, strict=True)]
    options = {"alpha": allowed, "delta": DELTA, "method": "fixed_sequence"}
    found = learn_then_test_losses(THRESHOLDS, answered, risks, **options)  # type: ignore[arg-type]
    return _said(GRADED, found.selected, wrong, allowed)


def _said(name: str, threshold: float | None, wrong: float, allowed: float) -> Told:
    broken = threshold is not None and wrong * (1 - threshold) / 2 > allowed
    return {name: broken, f"{name}: something certified": threshold is not None}


def _chosen(c: Array, x: Array, wrong: float, allowed: float) -> Told:
    """What each method chose on one calibration set: is its true risk above *allowed*?"""
    told: Told = {}
    answered = [int((c >= t).sum()) for t in THRESHOLDS]
    errors = [int(x[c >= t].sum()) for t in THRESHOLDS]
    for method, name in METHODS:
        found = learn_then_test(
            THRESHOLDS,
            answered,
            errors,
            alpha=allowed,
            delta=DELTA,
            method=method,
        )
        told |= _said(name, found.selected, wrong, allowed)
    at = coverage_at_risk(c, x, allowed).threshold
    told["none"] = at is not None and wrong * (1 - at) / 2 > allowed
    steps = np.arange(0, 101) / 100
    losses = (c[:, None] >= steps[None, :]) * x[:, None]
    control = conformal_risk_control(losses, steps.tolist(), alpha=allowed).selected
    # nothing qualifies: nothing is answered
    told["crc"] = 0.0 if control is None else wrong * (1 - control) ** 2 / 2
    return told


def _worse(dice: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return -ties(dice, shape)


def _rare(dice: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Nine in ten are ties, the rest lose a half."""
    return np.where(dice.random(shape) < 0.9, 0.0, -0.5)


def noninferiority(ns: Sequence[int], size: Size) -> list[Line]:
    """The new system is worse by exactly the margin: both verdicts are wrong in at most 5% of studies."""
    made = []
    for setting, mean, draw, grouped, key in (
        ("six in ten tied", true_mean(ties), _worse, False, 81),
        ("nine in ten tied, the rest lose a half", 0.05, _rare, False, 82),
        (f"six in ten tied, {CLUSTERS}", true_mean(ties), _worse, True, 83),
    ):

        def one(dice: np.random.Generator, n: int, mean=mean, draw=draw, grouped=grouped) -> Told:  # type: ignore[no-untyped-def]
            d = alike(lambda m: draw(dice, (m,)), dice, n, grouped=grouped)
            few = {"resamples": size.draws // 2, "seed": SEED}
            found = {
                "paired t": noninferiority_t(d, mean).verdict,
                "paired bootstrap": noninferiority_bootstrap(d, mean, **few).verdict,
            }
            return _wrong(found)

        made += _errors(setting, repeated(one, key, ns, size.slow, least=40 if grouped else 12))
    cells = (
        ("hit rates 0.80 after 0.85", (0.75, 0.05, 0.1, 0.1), False, 84),
        ("hit rates 0.90 after 0.95, none won", (0.9, 0.0, 0.05, 0.05), False, 85),
        (f"hit rates 0.80 after 0.85, {CLUSTERS}", (0.75, 0.05, 0.1, 0.1), True, 86),
    )
    for setting, chances, grouped, key in cells:

        def pairs(dice: np.random.Generator, n: int, chances=chances, grouped=grouped) -> Told:  # type: ignore[no-untyped-def]
            kind = alike(lambda m: dice.choice(4, size=m, p=chances), dice, n, grouped=grouped)
            both, new, old, neither = np.bincount(kind.astype(int), minlength=4).tolist()
            return _wrong({"Newcombe": noninferiority_newcombe(both, new, old, neither, 0.05).verdict})

        made += _errors(setting, repeated(pairs, key, ns, size.slow, least=40 if grouped else 12))
    return sorted(made, key=lambda line: line.interval.split(":")[0], reverse=True)


def _wrong(found: Mapping[str, str]) -> Told:
    made: Told = {}
    for name, verdict in found.items():
        made[f"{name}: wrongly passed"] = verdict == "pass"
        made[f"{name}: wrongly failed"] = verdict == "fail"
    return made


def _errors(setting: str, found: dict[str, dict[int, float]]) -> list[Line]:
    return [Line("non-inferiority", name, setting, at, most=0.05) for name, at in found.items()]
