"""Rows of report.json on generated answers: see `evenhand.study.generation.section`."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from evenhand.report.schema.generation_items import GeneratedRow
from evenhand.report.schema.shared import Row

__all__ = ["AnswersRow"]


class NumberRow(Row):
    """A number that criteria may speak of as ``answers.NAME``."""

    point: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    k: int | None
    method: str
    reason: str | None


class ShareRow(Row):
    """*k* of *n* with Wilson's interval."""

    k: int
    n: int
    point: float | None
    low: float | None
    high: float | None


class RateRow(ShareRow):
    """A share whose items belong together in ``clusters``: Wilson's interval on n / Kish's design effect."""

    clusters: int
    method: str
    reason: str | None


class NamedRateRow(RateRow):
    """A rate of cases by name."""

    name: str
    says: str


class CheckRow(ShareRow):
    """One check over items of valid topics; ``bound_*``: the share if all undecided failed, or passed."""

    check: str
    clusters: int
    icc: float | None
    deff: float | None
    n_eff: float | None
    flags: list[str]
    undecided: int
    reasons: dict[str, int]
    bound_low: float | None
    bound_high: float | None


class AccountRow(Row):
    """What became of the topics of one system."""

    system: str
    topics: int
    states: dict[str, int]
    valid: ShareRow
    against: int
    again: list[str]
    items: int
    sentence: str
    rates: list[CheckRow]


class ExpectedRow(Row):
    """What was done with questions of one expectation."""

    system: str
    expect: str
    did: dict[str, int]
    right: ShareRow
    again: int


class CellRow(Row):
    """One cell; ``share`` of the cases that can be decided; ``closed``: right without any passage."""

    name: str
    says: str
    share: RateRow
    count: int
    causes: list[dict[str, str | int]]
    closed: int
    closed_n: int


class SufficientRow(Row):
    """A row of sufficient context × what was done."""

    name: str
    says: str
    n: int
    counts: list[dict[str, str | int]]
    right: RateRow
    again: int


class SliceRow(Row):
    """Cells and rates of the questions that share a value; exploratory."""

    by: str
    value: str
    n: int
    cells: dict[str, int]
    answer: RateRow
    retrieval: RateRow


class CaseRow(Row):
    """One question, or item of a topic, in its cell; ``rank``: from where on all its evidence is ranked."""

    question: str
    item: str
    cell: str
    cause: str
    retrieval: bool | None
    answer: bool | None
    by: str
    did: str
    why: str
    closed: bool | None
    rank: int | None
    expect: str


class DiagnosisRow(Row):
    """One system: cells, rates, sufficient context, slices, and every case.

    ``retrieval_unknown``: why it is not known whether the passages held what is needed, with counts.
    """

    system: str
    n: int
    by: dict[str, int]
    cells: list[CellRow]
    rates: list[NamedRateRow]
    retrieval_unknown: dict[str, int] = Field(default_factory=dict)
    sufficient: list[SufficientRow]
    slices: list[SliceRow]
    cases: list[CaseRow]


class ClaimRateRow(Row):
    """A rate of claims, a mean over answers; ``undefined``: answers for which it cannot be counted."""

    name: str
    says: str
    point: float | None
    low: float | None
    high: float | None
    n: int
    undefined: int
    method: str
    reason: str | None


class ClaimsRow(Row):
    """What the panel of claims came to."""

    judges: list[dict[str, str]]
    items: int
    asked: int
    missing: int
    failed: int
    answers: int
    undecided: int
    rates: list[ClaimRateRow]


class AnswersRow(Row):
    """The section ``answers``."""

    kind: str
    name: str
    model: str
    family: str
    source: str
    system: str
    k: int
    split: str
    level: float
    seed: int
    prompts: list[dict[str, str]]
    asked: int
    missing: int
    failed: int
    other: int
    reworded: int = 0
    lacks: list[dict[str, str]] = Field(default_factory=list)
    looked_in: dict[str, int] = Field(default_factory=dict)
    written_by: dict[str, int]
    accounts: list[AccountRow]
    expected: list[ExpectedRow]
    diagnosis: list[DiagnosisRow]
    claims: ClaimsRow | None
    rated: dict[str, int]
    agreement: dict[str, Any] | None = None
    checks: dict[str, dict[str, str]]
    items: list[GeneratedRow]
    not_shown: list[str]
    numbers: dict[str, NumberRow]
    sentences: list[str]
