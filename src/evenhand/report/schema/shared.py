"""Rows of report.json that stand apart: how a study settles, and which questions belong together."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = ["DependenceRow", "JudgementsRow", "Row", "StabilityRow"]


class Row(BaseModel):
    """A record with exactly these fields; no NaN, no infinity."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True, populate_by_name=True)


class CurveRow(Row):
    """Values after each of ``sizes`` questions; ``seq_``: the confidence sequence."""

    mean: list[float]
    low: list[float | None]
    high: list[float | None]
    seq_low: list[float | None]
    seq_high: list[float | None]


class RankedRow(Row):
    """One system as questions are added."""

    system: str
    curve: CurveRow
    rank: list[int]


class GapRow(Row):
    """The leader minus its closest rival."""

    a: str
    b: str
    curve: CurveRow
    verdict: str
    decided: int | None
    needed: int | None
    needed_looking: int | None
    power: float
    seq_level: float


class StabilityRow(Row):
    """See `evenhand.metrics.comparison.stability.Stability`."""

    metric: str
    n: int
    level: float
    seed: int
    sizes: list[int]
    method: str
    sequence: str
    of: int
    curves: list[RankedRow]
    gap: GapRow | None
    leader: str
    led: list[float]
    orders: int
    sentences: list[str]


class DependenceRow(Row):
    """See `evenhand.metrics.comparison.clustering.Dependence`."""

    metric: str
    n: int
    clusters: int
    largest: int
    few: bool
    design_effect: dict[str, float | None]


class ConflictRow(Row):
    """See `evenhand.model.judging.Conflict`."""

    question: str
    unit: str
    human: float | None
    aligned: float | None
    panel: float | None
    grade: float


class JudgedCutRow(Row):
    """How judgements were used on one chunking; ``labels``: question × unit by where its grade is from."""

    chunking: str
    labels: dict[str, int]
    conflicts: int
    judgements_stale: int
    judgements_elsewhere: int
    judgements_unasked: int
    first_conflicts: list[ConflictRow]


class JudgementsRow(Row):
    """The data card of the judgements (``evenhand.card/1``), and their use by chunking.

    ``calibration``: panel against people, see `evenhand.judge.calibration.overlap`; None in reports made
    before.
    """

    card: dict[str, Any]
    calibration: list[dict[str, Any]] | None = None
    used: list[JudgedCutRow]
