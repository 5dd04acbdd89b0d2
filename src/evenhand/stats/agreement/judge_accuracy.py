"""A judge held against people on yes/no labels: everything that must stand beside a raw agreement."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.stats.agreement.gwet import gwet_ac1
from evenhand.stats.agreement.kappa import Kappa, cohen_kappa
from evenhand.stats.agreement.raters import RESAMPLES, SEED, Coefficient, kept_of, yes_of
from evenhand.stats.agreement.raw_agreement import (
    Sides,
    both_given,
    no_skill_agreement,
    raw_agreement,
    share_of,
    sides,
)
from evenhand.stats.intervals.clusters import Direction, direction

__all__ = ["Judged", "judge_against_human"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A judge against people. Raw agreement, kappa, AC1 and the side of "no" belong together; none alone."""

    n: int
    dropped: int  # items without both labels
    both_yes: int
    judge_only: int  # judge yes, human no
    human_only: int
    both_no: int
    agreement: Coefficient
    no_skill: Coefficient  # what a judge reaches who always says the same
    kappa: Kappa
    ac1: Coefficient
    sides: Sides  # the positive one is F1
    judge_rate: Coefficient
    human_rate: Coefficient
    sensitivity: Coefficient  # of the human yes, the judge's yes
    specificity: Coefficient
    precision: Coefficient  # of the judge's yes, the human yes
    direction: Direction


def judge_against_human(
    judge: Sequence[Hashable | None],
    human: Sequence[Hashable | None],
    *,
    positive: Hashable = 1,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Judged:
    """All that is said about a judge of yes/no questions, on the items that both labelled.

    Yes is *positive*, no the one other label (beside 1: 0); a third is refused. Shares have Wilson's
    interval, or the bootstrap over whole *clusters*; see the functions of each part for what is undefined
    when, and for their sources.
    Source: the four-fold table; Byrt, Bishop & Carlin 1993 on why no single number will do.
    """
    code, names, groups = both_given(judge, human, clusters)
    yes = yes_of(code, names, positive)
    a, b = yes[:, 0], yes[:, 1]
    said, truth = a.astype(np.int64).tolist(), b.astype(np.int64).tolist()
    options = {"level": level, "resamples": resamples, "seed": seed}

    def rate(hits: np.ndarray, among: np.ndarray, reason: str) -> Coefficient:
        return share_of(
            hits[among],
            clusters=kept_of(groups, among),
            level=level,
            resamples=resamples,
            seed=seed,
            dropped=len(judge) - len(code),
            reason=reason,
        )

    every = np.ones(len(a), dtype=bool)
    tp, fp, fn = int((a & b).sum()), int((a & ~b).sum()), int((~a & b).sum())
    return Judged(
        n=len(code),
        dropped=len(judge) - len(code),
        both_yes=tp,
        judge_only=fp,
        human_only=fn,
        both_no=len(code) - tp - fp - fn,
        agreement=raw_agreement(said, truth, clusters=groups, **options),  # type: ignore[arg-type]
        no_skill=no_skill_agreement(truth, clusters=groups, **options),  # type: ignore[arg-type]
        kappa=cohen_kappa(said, truth, categories=(0, 1), clusters=groups, **options),  # type: ignore[arg-type]
        ac1=gwet_ac1(
            list(zip(said, truth, strict=True)),
            categories=(0, 1),
            clusters=groups,
            **options,  # type: ignore[arg-type]
        ),
        sides=sides(said, truth, clusters=groups, **options),  # type: ignore[arg-type]
        judge_rate=rate(a, every, "no items"),
        human_rate=rate(b, every, "no items"),
        sensitivity=rate(a, b, "people called nothing yes" if len(code) else "no labels"),
        specificity=rate(~a, ~b, "people called nothing no" if len(code) else "no labels"),
        precision=rate(b, a, "the judge called nothing yes" if len(code) else "no labels"),
        direction=direction(fp, fn, len(code)),
    )
