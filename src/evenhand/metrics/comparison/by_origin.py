"""Who wins on the questions of people, who on those a model drafted: where they differ, people's count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from evenhand.metrics.comparison.slices import slices
from evenhand.metrics.comparison.verdict import signed
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from evenhand.model.comparison import Slice
    from evenhand.model.gold import Question
    from evenhand.model.result import Measurements

__all__ = ["HUMAN", "SYNTHETIC", "Winners", "winners", "written_by"]

HUMAN, SYNTHETIC = "human", "synthetic"
WRITTEN = "written by"  # the field that slices are made of


@dataclass(frozen=True, kw_only=True)
class Winners:
    """The leader of each set on one metric, and the sentence on it; ``differ``: the sets name two leaders."""

    metric: str
    human: str
    synthetic: str
    n: Mapping[str, int]
    sentence: str

    @property
    def differ(self) -> bool:
        """Whether the two sets name different systems."""
        return self.human != self.synthetic


def written_by(question: Question) -> str:
    """``synthetic`` for what a model drafted, ``human`` for logs and experts, empty where it is not known."""
    if question.origin == SYNTHETIC or question.authoring.model is not None:
        return SYNTHETIC
    return HUMAN if question.origin in ("log", "expert") else ""


def winners(
    measurements: Measurements,
    questions: Iterable[Question],
    *,
    metric: str,
    systems: Sequence[str] = (),
    level: float = 0.95,
    resamples: int = 10_000,
    signs: int = 20_000,
    seed: int = 20241009,
) -> Winners | None:
    """The leaders on the human and on the synthetic questions; None unless both sets are there.

    *systems* are those that may lead (default: all). A leader has the highest mean; of equal ones the first.
    The difference of the two leaders on the human set is told with its interval.
    """
    known = [
        replace(question, extra={**question.extra, WRITTEN: side})
        for question in questions
        if (side := written_by(question))
    ]
    able = [name for name in (systems or measurements.systems) if name in measurements.systems]
    if len(able) < 2 or {question.extra[WRITTEN] for question in known} != {HUMAN, SYNTHETIC}:
        return None
    options: dict[str, Any] = {"level": level, "resamples": resamples, "signs": signs, "seed": seed}
    parts = _parts(slices(measurements, known, by=(WRITTEN,), metrics=[metric], **options))
    if parts.keys() != {HUMAN, SYNTHETIC}:
        return None
    means = {side: _means(part, able) for side, part in parts.items()}
    if not all(len(found) > 1 for found in means.values()):
        return None
    first = {side: max(found, key=found.__getitem__) for side, found in means.items()}
    human, synthetic = first[HUMAN], first[SYNTHETIC]
    n = {side: part.n for side, part in parts.items()}
    sentence = (
        f"{human} leads on both, {n[HUMAN]} human and {n[SYNTHETIC]} synthetic "
        f"{noun(n[SYNTHETIC], 'question')} ({metric})"
    )
    if human != synthetic:
        again = slices(
            measurements, known, by=(WRITTEN,), metrics=[metric], pairs=[(human, synthetic)], **options
        )
        mine, theirs = means[HUMAN], means[SYNTHETIC]
        around = _around(_parts(again)[HUMAN], human)
        sentence = (
            f"{human} leads on the {n[HUMAN]} human {noun(n[HUMAN], 'question')} ({metric} "
            f"{mine[human]:.3f}, {synthetic} "
            f"{mine[synthetic]:.3f}{around}), {synthetic} on the {n[SYNTHETIC]} synthetic ones "
            f"({theirs[synthetic]:.3f}, {human} {theirs[human]:.3f}): the human set's verdict is the verdict"
        )
    return Winners(metric=metric, human=human, synthetic=synthetic, n=n, sentence=sentence)


def _parts(found: Iterable[Slice]) -> dict[str, Slice]:
    return {part.value: part for part in found}


def _means(part: Slice, systems: Sequence[str]) -> dict[str, float]:
    return {
        one.system: one.point for one in part.estimates if one.system in systems and one.point is not None
    }


def _around(part: Slice, first: str) -> str:
    """``; difference +0.050 [−0.010, +0.110]``, from the leader's side."""
    for one in part.contrasts:
        if one.difference is not None and one.low is not None and one.high is not None:
            turn = 1 if one.a == first else -1
            low, high = sorted((turn * one.low, turn * one.high))
            return f"; difference {signed(turn * one.difference)} [{signed(low)}, {signed(high)}]"
    return ""
