"""Rows of report.json on a gate: see `evenhand.study.gate.section`."""

from __future__ import annotations

from typing import Any, Literal

from evenhand.report.schema.gate_signals import CostsRow, CurveRow, ExplorerRow, PromiseRow, SeparationRow
from evenhand.report.schema.shared import Row

__all__ = ["GateRow"]


class NumberRow(Row):
    """A number that criteria may speak of as ``gate.NAME``."""

    point: float | None
    low: float | None
    high: float | None
    level: float
    n: int
    k: int | None
    method: str
    reason: str | None


class RateRow(Row):
    """One rate of the decision table; bounds are one-sided, Wilson and exact."""

    name: str
    says: str
    k: int
    n: int
    rate: float | None
    wilson: tuple[float | None, float | None]
    exact: tuple[float | None, float | None]
    lower: float | None
    upper: float | None
    lower_exact: float | None
    upper_exact: float | None
    descriptive: bool
    reason: str | None


class RuleRow(Row):
    """One rule; ``how``: whether it was fixed, frozen in a file, chosen out of fold, promised, or refused."""

    name: str
    planned: bool
    how: Literal["fixed", "frozen", "out of fold", "promised", "baseline", "refused"]
    reason: str
    notes: list[str]
    rates: list[RateRow]
    kinds: dict[str, int]
    flagged: dict[str, int]
    n: int


class QuestionsRow(Row):
    """The questions that are reported on; ``calibration``: those kept apart to choose a threshold."""

    n: int
    answer: int
    clarify: int
    abstain: int
    clusters: int
    unreachable: int
    calibration: int


class CaseRow(Row):
    """Kinds of decisions of one tag."""

    tag: str
    n: int
    kinds: dict[str, int]


class DecidedRow(Row):
    """One question; see `evenhand.gate.outcomes.Outcome`."""

    question: str
    text: str
    expect: str
    kind: str
    top: str | None
    reason: str | None
    below: int | None
    knew: list[str]
    dissent: list[str]
    superseded: bool
    title: str | None = None
    status: str | None = None


class FailuresRow(Row):
    """Answerable questions that were deferred."""

    n: int
    dissent: dict[str, int]
    on_top: int
    below: int
    not_ranked: int
    somebody_knew: int
    ranks: dict[str, int]
    rows: list[DecidedRow]


class ListedRow(Row):
    """How many, and the first of them."""

    n: int
    first: list[Any]


class StatusRow(Row):
    """See `document_status.Standing`; ``outdated_first``: outdated documents on top, by system."""

    documents: int
    by_status: dict[str, int]
    faults: int
    without_status: ListedRow
    without_owner: ListedRow
    dangling: ListedRow
    one_sided: ListedRow
    circular: ListedRow
    twice_current: ListedRow
    unreplaced: ListedRow
    outdated_first: list[dict[str, Any]]


class RerankedRow(Row):
    """What putting current documents first did to first documents."""

    system: str
    of: str
    n: int
    moved: int
    gained: int
    lost: int
    replaces: int
    rows: list[dict[str, Any]]


class QueueRow(Row):
    """Deferred questions for people: the first of them; queue.jsonl has all."""

    n: int
    flagged: int
    rows: list[dict[str, Any]]


class GateRow(Row):
    """The section ``gate``."""

    split: str
    level: float
    seed: int
    of: list[str]
    answers: str
    rule: str
    how: str
    registered: bool  # amended: another gate was registered
    chosen_here: bool  # frozen on these very questions
    sufficient: str
    questions: QuestionsRow
    rules: list[RuleRow]
    cases: list[CaseRow]
    failures: FailuresRow | None
    errors: list[DecidedRow]
    curves: list[CurveRow]
    separation: list[SeparationRow]
    explorer: ExplorerRow | None
    costs: CostsRow | None
    promises: list[PromiseRow]
    corpus: StatusRow
    reranked: list[RerankedRow]
    queue: QueueRow
    before_use: list[str]
    not_shown: list[str]
    numbers: dict[str, NumberRow]
    sentences: list[str]
