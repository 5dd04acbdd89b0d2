"""The form of report.json: one set of models gives its JSON Schema and checks a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError

from evenhand.errors import InputError
from evenhand.report.schema.criteria import CriteriaRow, RegistrationRow
from evenhand.report.schema.gate import GateRow
from evenhand.report.schema.generation import AnswersRow
from evenhand.report.schema.panel import PanelRow
from evenhand.report.schema.robustness import StressRow
from evenhand.report.schema.shared import DependenceRow, JudgementsRow, Row, StabilityRow
from evenhand.report.schema.threshold import ThresholdRow

__all__ = ["Report", "check", "schema"]


class Study(Row):
    """What was planned."""

    name: str
    primary: str
    secondary: list[str]
    pairs: list[tuple[str, str]] | str
    adjust: str


class Provisional(Row):
    """Whether questions drafted by a model wait for a person."""

    state: bool
    waiting: int
    drafted: int
    questions: int
    labels_changed: int


class NotRun(Row):
    """Questions that one system could not be asked, of how many, and why (reason to count)."""

    system: str
    asked: int
    questions: list[str]
    reasons: dict[str, int]


class Incomplete(Row):
    """Whether questions are undefined because they could not be asked; a further run asks them alone."""

    state: bool
    not_run: list[NotRun]
    votes_missing: int = 0  # of the panel: never asked for, or failed on their way
    answers_missing: int = 0  # generated answers, and votes on their claims


class EstimateRow(Row):
    """See `evenhand.Estimate`."""

    system: str
    metric: str
    point: float | None
    low: float | None
    high: float | None
    n: int
    level: float
    method: str
    undefined: int
    missing: int
    unreachable: int
    judged: float | None
    labels: dict[str, float]
    seed: int | None
    resamples: int | None
    k: int | None
    reason: str | None


class ContrastRow(Row):
    """See `evenhand.Contrast`."""

    a: str
    b: str
    metric: str
    difference: float | None
    low: float | None
    high: float | None
    n: int
    level: float
    method: str
    test: str
    p: float | None
    p_adjusted: float | None
    family: int | None
    d_z: float | None
    wins: int
    ties: int
    losses: int
    sd: float | None
    undefined: int
    seed: int | None
    resamples: int | None
    counts: dict[str, int]
    needed: dict[str, Any]
    verdict: str
    exploratory: bool
    reason: str | None


class StandingRow(Row):
    """See `evenhand.Standing`."""

    metric: str
    leader: str
    best: dict[str, float]
    in_play: list[str]
    n: int
    resamples: int
    seed: int
    sentence: str


class SliceRow(Row):
    """Questions of one type or tag: always exploratory."""

    by: str
    value: str
    n: int
    note: str
    exploratory: Literal[True]
    estimates: list[EstimateRow]
    contrasts: list[ContrastRow]


class WarningRow(Row):
    """One warning and how often it holds."""

    kind: str
    count: int
    text: str


class Gold(Row):
    """Counts of questions."""

    split: str
    spans: str
    questions: int
    measured: int
    by_expect: dict[str, int]
    by_type: dict[str, int]
    by_tag: dict[str, int]
    by_origin: dict[str, int]
    clusters: int
    saw_evidence: int


class CorpusRow(Row):
    """What was searched."""

    documents: int
    characters: int
    by_status: dict[str, int]
    seal: str


class Sizes(Row):
    """Sizes of units."""

    min: int
    median: float
    mean: float
    max: int
    sum: int


class Chunking(Row):
    """How documents were cut, and what was lost by it."""

    name: str
    settings: dict[str, Any]
    seal: str
    units: int
    characters: Sizes | None
    tokens: Sizes | None
    tokenizer: str | None
    limit: int | None
    cut: int | None
    cut_questions: int | None
    unreachable: list[str] | None
    notes: dict[str, Any]


class System(Row):
    """What truly ran."""

    name: str
    chunking: str
    seal: str
    notes: dict[str, Any]
    provenance: dict[str, Any]


class UnitRow(Row):
    """A unit that a row points at; ``from`` is where its text begins in the document."""

    id: str
    chunking: str
    document: int | None
    start: int | None = None
    end: int | None = None
    begin: int | None = Field(default=None, alias="from")
    text: str | None


class DocumentRow(Row):
    """A document that units point at."""

    id: str
    title: str
    status: str


class HitRow(Row):
    """One unit at a rank: its place in ``top``, from 1."""

    unit: int
    score: float
    grade: float | None
    covers: list[int]


class Found(Row):
    """What a system found; ``first`` is the rank of the first unit of the question's best grade."""

    depth: int
    first: int | None
    top: list[HitRow]


class SpanRow(Row):
    """Evidence: characters ``[start, end)`` of a document."""

    doc: str
    start: int
    end: int
    quote: str


class NuggetRow(Row):
    """One fact that an answer needs."""

    nugget: str
    vital: bool
    spans: list[SpanRow]


class QuestionRow(Row):
    """A question; ``values`` and ``found`` follow ``systems`` and ``metrics``."""

    id: str
    position: int
    text: str
    type: str
    tags: list[str]
    expect: str
    cluster: str
    reference: str
    provisional: bool
    measured: bool
    spread: float | None
    values: list[list[float | None]] | None
    undefined: list[tuple[str, str, str]]
    unreachable: list[str]
    missing: list[str]
    found: list[Found | None] | None
    evidence: list[NuggetRow]


class Questions(Row):
    """Question by question."""

    of: int
    listed: int
    drilled: int
    rule: str
    top: int
    metrics: list[str]
    primary: str
    systems: list[str]
    rows: list[QuestionRow]
    units: list[UnitRow]
    documents: list[DocumentRow]


class Repeat(Row):
    """All it takes to get the same numbers."""

    seed: int
    level: float
    resamples: int
    signs: int
    digits: int
    seals: dict[str, str]
    versions: dict[str, str]


class Report(Row):
    """A comparison of systems on a gold set."""

    schema_version: Literal["1.0"]
    kind: Literal["comparison"]
    study: Study
    headline: str
    sentences: list[str]
    provisional: Provisional
    incomplete: Incomplete
    does_not_claim: list[str]
    estimates: list[EstimateRow]
    contrasts: list[ContrastRow]
    standing: StandingRow | None
    slices: list[SliceRow]
    stability: StabilityRow | None = None
    warnings: list[WarningRow]
    gold: Gold
    dependence: DependenceRow | None = None
    judgements: JudgementsRow | None = None
    criteria: CriteriaRow | None = None
    panel: PanelRow | None = None
    threshold: ThresholdRow | None = None
    stress: StressRow | None = None
    gate: GateRow | None = None
    answers: AnswersRow | None = None
    registration: RegistrationRow | None = None
    corpus: CorpusRow | None
    chunkings: list[Chunking]
    systems: list[System]
    questions: Questions
    repeat: Repeat


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of report.json."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Report.model_json_schema()}


def check(report: Mapping[str, Any], *, name: str = "report.json") -> None:
    """Raise `InputError` when *report* has not the form of `schema`, naming the first field that differs."""
    try:
        # JSON mode: lists may stand for tuples, as they do in a file
        Report.model_validate_json(_dump(report))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"{name}: {place or 'the whole'}: {first['msg']} ({error.error_count()} fields differ)",
            mend="make it again with `evenhand run`; reports of other versions are not read",
        ) from error


def _dump(report: Mapping[str, Any]) -> str:
    import json

    return json.dumps(report)
