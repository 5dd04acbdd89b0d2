"""Rows of report.json on the signals of a gate, what mistakes cost, and which threshold keeps a promise."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from evenhand.report.schema.shared import Row

__all__ = ["CostsRow", "CurveRow", "ExplorerRow", "PromiseRow", "SeparationRow"]


class AreaRow(Row):
    """An area under risk against coverage."""

    point: float | None
    low: float | None
    high: float | None
    method: str
    reason: str | None


class CurveRow(Row):
    """Risk against coverage of one signal; ``points`` in columns, strictest first."""

    signal: str
    scale: dict[str, Any]
    n: int
    undefined: dict[str, int]
    varies: bool
    aurc: AreaRow
    e_aurc: AreaRow
    augrc: AreaRow
    oracle: float | None
    risk: float | None
    thresholds: int  # of which ``points`` are all, or some at equal steps
    points: dict[str, list[float | int | None]]
    at_risk: list[dict[str, float | None]]


class SeparationRow(Row):
    """How far one signal tells two kinds of questions apart; ``overlap`` is over the bins of ``edges``."""

    signal: str
    of: str
    positives: int
    negatives: int
    undefined: int
    auc: float | None
    low: float | None
    high: float | None
    ks: float | None
    ks_p: float | None
    cliffs_delta: float | None
    overlap: float | None
    edges: list[float] = Field(default_factory=list)
    reason: str | None


class ExplorerRow(Row):
    """Values of each signal by question, in columns."""

    questions: list[str]
    expect: list[str]
    right: list[bool]
    top: list[str | None]
    values: dict[str, list[float | None]]


class CostRow(Row):
    """The expected cost a question of one rule."""

    rule: str
    cost: float | None
    low: float | None
    high: float | None
    best: float | None
    wrong: float | None
    deferred: float | None
    answered: float | None
    prevalences: list[float | None] | None
    ratios: list[float | None] | None


class CostsRow(Row):
    """All rules at one set of costs; ``given``: the study named them."""

    given: bool
    false_answer: float
    needless_deferral: float
    prevalence: float | None
    prevalence_given: bool
    best: str | None
    undefined: int
    reason: str | None
    rules: list[CostRow]


class PromiseRow(Row):
    """Learn-then-Test on one signal; ``grid``: threshold, answered, wrong, p, upper bound, certified."""

    signal: str
    threshold: float | None
    says: str
    calibration: int
    needed_error_free: int | None
    needed_at_seen: int | None
    needed_questions: int | None
    grid: list[list[Any]]
    reported: dict[str, Any] | None
