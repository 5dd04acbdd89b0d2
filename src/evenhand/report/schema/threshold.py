"""Rows of report.json on a threshold study: see `evenhand.study.threshold.section`."""

from __future__ import annotations

from typing import Any, Literal

from evenhand.report.schema.shared import Row

__all__ = ["ThresholdRow"]


class NumberRow(Row):
    """A number that criteria may speak of as ``threshold.NAME``."""

    point: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    k: int | None
    method: str
    reason: str | None


class GridRow(Row):
    """One value of the grid; one that was registered stays when the plan drops it (``withdrawn``)."""

    threshold: float
    planned: bool
    added: bool
    withdrawn: bool
    primary: bool
    planned_primary: bool


class MacroRow(Row):
    """The mean of the rates of sources; ``least``, ``most`` if pairs without a verdict were all one way."""

    point: float | None
    low: float | None
    high: float | None
    method: str
    flags: list[str]
    reason: str | None
    least: float | None
    most: float | None


class PooledRow(MacroRow):
    """All pairs together, Wilson at the effective n; ``by_source``: the same rate, sources resampled."""

    icc: float | None
    n_eff: float | None
    by_source: dict[str, float | None]


class RateRow(Row):
    """What passes one threshold, of all pairs or a group; see `false_discovery.Passing`."""

    arm: str
    threshold: float
    by: Literal["all", "role", "type", "role and type"]
    role: str
    type: str
    pairs: int
    n: int
    wrong: int
    undecided: int
    questions: int
    sources: int
    empty: int
    macro: MacroRow
    pooled: PooledRow
    sparse: list[str]


class AreaRow(Row):
    """Similarity against sufficiency among what passes; ``says``: does its interval leave one half out?"""

    arm: str
    threshold: float
    auc: float | None
    n: int
    sufficient: int
    sources: int
    by_source: dict[str, Any]
    delong: dict[str, Any]
    says: bool | None
    reason: str | None


class ArmRow(Row):
    """One chunking: what was asked and found, and how many questions reach each value."""

    name: str
    called: str
    main: bool
    documents: int
    questions: int
    not_asked: int
    sources: int
    units: int
    characters: float | None
    retrieved: int
    judged: int
    top1: list[float] | None
    topk: list[float] | None
    reached: list[dict[str, float | None]]


class OverlapRow(Row):
    """Two roles or two types at the primary threshold: do their macro intervals overlap?"""

    by: Literal["role", "type"]
    a: str
    b: str
    overlap: bool
    sparse: bool


class HeadlineRow(Row):
    """The primary threshold; without a point while it is withheld, and then ``bracket`` has two ends."""

    name: str
    own_name: str
    threshold: float
    state: Literal["corrected", "accepted", "withheld", "spans"]
    point: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    method: str
    reasons: list[str]
    bracket: dict[str, Any] | None
    people: dict[str, Any] | None


class PairRow(Row):
    """One pair of the main arm with its verdicts, people's grade and the unit."""

    arm: str
    question: str
    ask: str
    type: str
    role: str
    source: str
    unit: str
    rank: int
    similarity: float
    sufficient: bool | None
    item: str
    panel: dict[str, Any] | None
    votes: list[dict[str, Any]]
    human: dict[str, Any] | None
    drawn: bool
    text: str


class PairsRow(Row):
    """The best pairs of the main arm; ``of`` counts all, which are in pairs.jsonl."""

    of: int
    rows: list[PairRow]


class ThresholdRow(Row):
    """The section ``threshold``."""

    system: str
    scope: Literal["source", "corpus"]
    k: int
    sufficiency: Literal["panel", "span"]
    level: float
    resamples: int
    seed: int
    min_n: int
    min_sources: int
    role: str
    grid: list[GridRow]
    primary: float
    planned_primary: float
    relaxation: dict[str, Any] | None
    types: dict[str, Any]
    corpus: dict[str, Any]
    arms: list[ArmRow]
    rates: list[RateRow]
    areas: list[AreaRow]
    overlaps: list[OverlapRow]
    headline: HeadlineRow
    cohesion: dict[str, NumberRow] | None
    explorer: list[RateRow]
    pairs: PairsRow
    numbers: dict[str, NumberRow]
    does_not_claim: list[str]
    sentences: list[str]
