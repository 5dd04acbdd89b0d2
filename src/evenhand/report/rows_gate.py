"""Rows of report.json on a gate: see `evenhand.study.gate_told`."""

from __future__ import annotations

from typing import Any, Literal

from evenhand.report.rows import Row

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
    """How far one signal tells two kinds of questions apart."""

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


class ListedRow(Row):
    """How many, and the first of them."""

    n: int
    first: list[Any]


class StatusRow(Row):
    """See `evenhand.corpus.status.Standing`; ``outdated_first``: outdated documents on top, by system."""

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
