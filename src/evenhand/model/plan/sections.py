"""Sections of a study beside the comparison: a panel, a threshold, a gate, answers, and the criteria."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evenhand.errors import InputError, nearest

__all__ = [
    "AnswersPlan",
    "ArmPlan",
    "CalibrationPlan",
    "CriterionPlan",
    "DraftPlan",
    "GatePlan",
    "JudgePlan",
    "PanelPlan",
    "StressPlan",
    "ThresholdPlan",
]

BOUNDS = ("point", "lower", "upper")
CRITERIA = ("success", "trust", "descriptive")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePlan:
    """One ``[panel.judge.NAME]``: a model by ``provider:name``, and whose it is.

    ``family`` follows from the name where it is known. ``settings``: base_url, key_env, timeout, price …
    """

    name: str
    model: str
    family: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelPlan:
    """``[panel]``: which models judge, by which sheet, and what it may cost.

    ``of`` says what is judged: ``pool`` (the tops of the study's systems to ``depth``), ``threshold`` (the
    pairs of [threshold]); ``votes`` is the file the votes are kept in, relative to the study. ``trust`` and
    ``settings`` hold the criteria of trust and the rest.
    """

    judges: tuple[JudgePlan, ...]
    sheet: str = "sufficiency"
    of: str = "pool"
    depth: int = 10
    votes: str = "votes.jsonl"
    repeats: int = 1
    concurrency: int = 8
    budget: float | None = None
    deadline: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationPlan:
    """``[calibration]``: the human sample a panel is held against, and the criteria of trust.

    ``sample`` is the file that names the items drawn, with their probabilities; ``n`` its planned size.
    ``by`` is ``uniform`` or ``stratified`` (unanimous / split). ``labels`` is the file of people's labels of
    it, beside those of ``[gold] judgements``; ``yes`` the grade from which on an item counts as yes (None:
    the sheet's highest).
    """

    n: int = 100
    by: str = "uniform"
    sample: str = "calibration.json"
    labels: str = "calibration.jsonl"
    yes: float | None = None
    half_width: float = 0.10
    trust: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StressPlan:
    """``[stress]``: which perturbations a panel is put to, on how many items, by which sheets.

    ``n`` is the size of each half of the base set (items of grade 0, items that answer). ``sheets`` empty:
    the panel's own. ``yes`` is the grade from which on a verdict counts as positive (None: the lowest above
    half of the scale). ``texts``, ``answers`` and ``pairs`` are files of what cannot be made by rule;
    ``suite`` is the version of the suite (empty: the newest).
    """

    only: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    n: int = 50
    repeats: int = 3
    yes: float | None = None
    votes: str = "stress.votes.jsonl"
    items: str = "stress.items.jsonl"
    result: str = "stress.json"
    texts: str = ""
    answers: str = ""
    pairs: str = ""
    suite: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """What it writes and reads beside the study."""
        named = (self.votes, self.items, self.result, self.texts, self.answers, self.pairs)
        return tuple(name for name in named if name)


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPlan:
    """``[draft]``: the model that drafts questions from the documents, how many of each kind, the filters.

    ``near`` is the likeness of two questions from which on the later one is dropped (share of words in
    common), ``near_cosine`` the same by an embedder; ``weak`` and ``weak_cosine`` are the likeness of a
    question and its evidence below which it is dropped. ``embedder`` empty: words alone are compared.
    ``settings`` are the model's (base_url, key_env, price …).
    """

    model: str
    family: str = ""
    single: int = 20
    multi: int = 5
    abstain: int = 5
    clarify: int = 5
    attempts: float = 2.0
    window: int = 1600
    near: float = 0.7
    near_cosine: float = 0.92
    weak: float = 0.0
    weak_cosine: float = 0.2
    embedder: str = ""
    language: str = ""
    out: str = "drafts.jsonl"
    rejected: str = "drafts.rejected.jsonl"
    budget: float | None = None
    deadline: float | None = None
    concurrency: int = 8
    max_tokens: int = 1024
    seed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmPlan:
    """One ``[threshold.arms.CHUNKING]``: another size of units, on the documents that the patterns name."""

    name: str
    documents: tuple[str, ...] = ()
    called: str = ""  # what the sub-corpus is called


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdPlan:
    """``[threshold]``: of the units that pass a cosine threshold, what share cannot answer?

    ``grid`` and ``primary`` are as planned; a relaxation has ``added`` values and may have ``moved`` the
    primary, for a ``reason``. ``chunking`` is the main arm (empty: the first of the study), ``arms`` the
    others. ``role`` is the key of the documents' metadata that holds their content role; ``types`` the closed
    list of question types (empty: as the gold set has them), given by ``typist`` into the file ``typed``.
    ``words`` and ``documents``: so many documents must give so many clean words; ``roles``: how many
    documents of each role were planned; ``seal``: that of the corpus.
    """

    system: str
    grid: tuple[float, ...]
    primary: float
    scope: str = "source"
    k: int = 5
    min_n: int = 30
    min_sources: int = 10
    chunking: str = ""
    arms: tuple[ArmPlan, ...] = ()
    added: tuple[float, ...] = ()
    moved: float | None = None
    reason: str = ""
    sufficiency: str = "panel"
    role: str = "role"
    types: tuple[str, ...] = ()
    typist: JudgePlan | None = None
    typed: str = "types.json"
    words: int = 500
    documents: int | None = None
    roles: Mapping[str, int] = field(default_factory=dict)
    seal: str = ""

    @property
    def values(self) -> tuple[float, ...]:
        """Every value of the grid, planned or added, rising."""
        return tuple(sorted({*self.grid, *self.added}))

    @property
    def main(self) -> float:
        """The primary threshold: as planned, or as moved."""
        return self.primary if self.moved is None else self.moved


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePlan:
    """``[gate]``: the rule that answers or defers, the systems it looks at, and what else is compared.

    ``rule`` is consensus, a signal (score(dense), margin(bm25), agreement@5, rbo@10 …), learned, or the
    gate.json of an earlier run. ``of``: the systems; the last one answers. ``also``: rules compared on dev
    alone. ``threshold`` is of the rule, ``thresholds`` of the others by name. ``alpha`` and ``delta``: a
    threshold with a promise, chosen on the share ``calibration`` of the dev questions. ``grid``: thresholds
    to test. ``signals``: those looked at and learned from; none: score and margin of each system and how far
    they agree. ``costs``: false_answer, needless_deferral, prevalence. ``sufficient``: evidence or units.
    ``level`` 0: that of [compare].
    """

    rule: str
    of: tuple[str, ...]
    also: tuple[str, ...] = ()
    threshold: float | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)
    signals: tuple[str, ...] = ()
    alpha: float | None = None
    delta: float = 0.1
    method: str = "fixed_sequence"
    calibration: float = 0.5
    grid: tuple[float, ...] = ()
    costs: Mapping[str, float] = field(default_factory=dict)
    risks: tuple[float, ...] = (0.05, 0.1, 0.2)
    folds: int = 5
    sufficient: str = "evidence"
    level: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersPlan:
    """``[answers]``: what is generated, from which passages, by whom, and the checks made on it.

    ``kind``: ``answers`` to the gold questions, or ``study-items`` on ``topics`` (a file). ``model`` is
    asked, or outputs come from ``source``: a file of generations, ``python:module:function`` or an address.
    ``system`` is the retriever that gives the first ``k`` units; ``name`` what the generator is called.
    ``prompt`` is a file of own instructions, ``out`` the file of generations, ``ratings`` that of people.
    ``closed_book`` asks all questions once more without passages. ``only`` are the checks made (none: all),
    ``checks`` their settings. ``panel`` bears out claims, or ``entailment`` does, a model whose label
    ``entailment_label`` means that a claim follows. ``also_called``: names of the model in replies beside
    its own; any other is a fallback. ``settings`` are the model's (base_url, key_env, price …).
    """

    kind: str = "answers"
    model: str = ""
    source: str = ""
    name: str = ""
    family: str = ""
    system: str = ""
    k: int = 5
    topics: str = ""
    multiple_choice: int = 4
    short_answer: int = 3
    language: str = ""
    prompt: str = ""
    out: str = "answers.jsonl"
    ratings: str = "ratings.jsonl"
    closed_book: bool = False
    also_called: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    checks: Mapping[str, Any] = field(default_factory=dict)
    panel: PanelPlan | None = None
    entailment: str = ""
    entailment_label: str = ""
    concurrency: int = 8
    budget: float | None = None
    deadline: float | None = None
    max_tokens: int = 0
    seed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def files(self) -> list[str]:
        """The files it names, relative to the study: none of them is a document."""
        models = [self.model, *(one.model for one in (self.panel.judges if self.panel else ()))]
        recordings = [model.partition(":")[2] for model in models if model.startswith("recorded:")]
        brought = [self.source] if self.source.endswith(".jsonl") else []
        votes = (
            [self.panel.votes, self.panel.votes.replace(".jsonl", ".faithful.jsonl")] if self.panel else []
        )
        named = [self.topics, self.prompt, self.out, self.ratings, *brought, *recordings, *votes]
        return [name for name in named if name]


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionPlan:
    """One line of ``[criteria]``: a named condition on a reported number.

    ``on`` is ``section.number`` (``gate.answered_precision``); one of ``at_least`` and ``at_most`` is
    given; ``by`` is what must fulfil it: the point, or the lower or upper bound at ``level``. One whose
    ``role`` is ``descriptive`` is shown beside the others and never counts.
    """

    name: str
    on: str
    at_least: float | None = None
    at_most: float | None = None
    by: str = "point"
    level: float = 0.95
    role: str = "success"

    def __post_init__(self) -> None:
        for what, word, known in (("bound", self.by, BOUNDS), ("role", self.role, CRITERIA)):
            if word not in known:
                raise InputError(f"criterion {self.name!r} has {what} {word!r}", mend=nearest(word, known))
        if (self.at_least is None) == (self.at_most is None):
            raise InputError(
                f"criterion {self.name!r} needs exactly one of at_least and at_most", mend="at_least = 0.75"
            )
