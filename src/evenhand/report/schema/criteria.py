"""Rows of report.json on criteria and on the registration."""

from __future__ import annotations

from typing import Any, Literal

from evenhand.report.schema.shared import Row

__all__ = ["CriteriaRow", "RegistrationRow"]

Verdict = Literal["met", "not met", "cannot be decided"]


class CriterionRow(Row):
    """One criterion; ``verdict`` is by what was registered, ``by_point`` and ``by_bound`` stand beside it.

    ``planned``: where it was amended, what was registered and the verdict by that; ``absent`` when it was
    added, ``withdrawn`` when it was taken away.
    """

    name: str
    on: str
    role: Literal["success", "trust", "descriptive"]
    at_least: float | None
    at_most: float | None
    by: Literal["point", "lower", "upper"]
    level: float
    point: float | None
    n: int | None
    k: int | None
    bound: float | None
    bound_side: Literal["lower", "upper"]
    bound_level: float | None
    bound_method: str
    verdict: Verdict
    by_point: Verdict
    by_bound: Verdict
    reasons: list[str]
    planned: dict[str, Any] | None


class CriteriaRow(Row):
    """All criteria; a value within ``tolerance`` of its limit fulfils it.

    ``as_registered``: how many of the registered criteria are met by what was registered, where an
    amendment changed any.
    """

    rows: list[CriterionRow]
    sentences: list[str]
    tolerance: float
    of: int
    met: int
    not_met: int
    undecided: int
    met_by_point: int
    met_by_bound: int
    as_registered: dict[str, int] | None = None


class LookRow(Row):
    """One look at the holdout; ``n`` is its entry in the ledger."""

    n: int
    at: str
    seal: str
    questions: int


class AmendmentRow(Row):
    """One amendment: who, why, and each value as planned and as amended."""

    n: int
    at: str
    author: str
    reason: str
    changes: list[dict[str, Any]]
    changes_count: int
    accepts: list[str]


class HeadRow(Row):
    """The ledger as this report knows it."""

    entries: int
    head: str


class RegistrationRow(Row):
    """How the study stands by its ledger; ``changed``: what differs from it without an amendment."""

    state: Literal["unregistered", "registered", "seen"]
    word: Literal["provisional", "registered", "seen"]
    split: str
    file: str | None
    seal: str | None
    at: str | None
    ledger: HeadRow
    seals: dict[str, Any]
    code: dict[str, str] | None
    anchors: list[dict[str, Any]]
    looks: list[LookRow]
    amendments: list[AmendmentRow]
    accepted: list[str]
    changed: list[dict[str, Any]]
    changed_count: int
    claims: str
    sentences: list[str]
    planned: dict[str, Any] | None
