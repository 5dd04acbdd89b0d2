"""Rows of report.json on a panel held against people."""

from __future__ import annotations

from typing import Any, Literal

from evenhand.report.schema.shared import Row

__all__ = ["PanelRow"]


class NumberRow(Row):
    """A number that criteria may speak of as ``panel.NAME``."""

    point: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    k: int | None
    method: str
    reason: str | None


class TrustLineRow(Row):
    """One line of trust; ``needed``: labels with which a share like this would show it."""

    name: str
    number: str
    code: str
    at_least: float | None
    at_most: float | None
    by: Literal["point", "lower", "upper"]
    planned: bool
    beats: str | None
    value: float | None
    bound: float | None
    n: int
    method: str
    state: Literal["pass", "fail", "cannot be decided"]
    reason: str | None
    needed: int | None


class TrustRow(Row):
    """The lines of trust and the verdict; ``left_out``: lines of the full set that the study leaves out."""

    verdict: Literal["pass", "corrected-only", "human-only", "insufficient n", "cannot be decided"]
    withheld: bool
    lines: list[TrustLineRow]
    left_out: list[str]
    exit: int


class RateRow(Row):
    """One estimate of the rate of yes (or of the mean grade)."""

    name: str
    point: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    method: str
    flags: list[str]
    gain: float | None
    effective_n: float | None
    reason: str | None
    weights: list[float | None]


class SampleRow(Row):
    """What became of the items drawn for people."""

    design: str
    verdicts_existed: bool | None
    drawn: int
    labelled: int
    questions: int
    clusters: int | None = None  # not in reports made before
    cannot_tell: int
    skipped: int
    waiting: int
    outside: int
    share: float | None


class StratumRow(Row):
    """One stratum: unanimous, split, undecided."""

    stratum: str
    items: int
    labelled: int
    agreement: dict[str, Any]
    panel_rate: float | None
    human_rate: dict[str, Any]


class PanelRow(Row):
    """The section ``panel``; see `calibrate.calibrate` and `trust_verdict.trust`.

    ``withheld``: the rate may not stand as a settled figure, and ``bracket`` has its two ends. ``accepted``:
    the amendment that lives with that in writing.
    """

    level: float
    seed: int
    scale: list[float]
    yes: float
    sheet: str
    judges: list[dict[str, str]]
    population: dict[str, int]
    sample: SampleRow
    another_sheet: int
    confusion: dict[str, int | bool]
    agreement: dict[str, Any]
    no_skill: dict[str, Any]
    kappa: dict[str, Any]
    ac1: dict[str, Any]
    positive: dict[str, Any]
    negative: dict[str, Any]
    sensitivity: dict[str, Any]
    specificity: dict[str, Any]
    precision: dict[str, Any]
    sample_panel_rate: dict[str, Any]
    sample_human_rate: dict[str, Any]
    disputed: dict[str, Any]
    direction: dict[str, Any]
    unlabelled: list[str]
    thin: dict[str, int] = {}  # noqa: RUF012 - a pydantic default; reports of before have none
    by_stratum: list[StratumRow]
    singles: list[dict[str, Any]]
    ceiling: dict[str, Any]
    panel: dict[str, Any]
    panel_rate: dict[str, Any]
    human_rate: RateRow
    raters: dict[str, Any] | None = None  # not in reports made before
    rate: RateRow | None
    rates: list[RateRow]
    outlook: dict[str, Any]
    if_missing: dict[str, Any] | None
    grade: dict[str, Any] | None = None
    trust: TrustRow
    accepted: dict[str, Any] | None
    withheld: bool
    bracket: dict[str, Any] | None
    light: str
    numbers: dict[str, NumberRow]
    sentences: list[str]
    next: list[str]
