"""The plan of a study: what will be done, in which words, before any of it is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evenhand.model.plan.sections import (
    AnswersPlan,
    CalibrationPlan,
    CriterionPlan,
    DraftPlan,
    GatePlan,
    PanelPlan,
    StressPlan,
    ThresholdPlan,
)
from evenhand.model.seal import seal

__all__ = ["Compare", "CutPlan", "MeasurePlan", "Plan", "SystemPlan"]

# of a plan: left out of its JSON, and so of its seal, where a study has them not
LATER = {"answers": ("entailment", "entailment_label"), "stress": ("suite",)}  # came after plans were sealed
SECTIONS = ("panel", "calibration", "threshold", "gate", "answers", "stress", "draft", "criteria")


@dataclass(frozen=True, slots=True, kw_only=True)
class CutPlan:
    """One ``[chunking.NAME]`` section: a rule and its settings."""

    name: str
    rule: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPlan:
    """One ``[system.NAME]`` section.

    ``kind`` is ``retriever``, ``fuse``, ``rerank`` or ``run``; ``of`` names the systems it is made from;
    ``what`` is the retriever's name, the run file's path, or how to rerank (``status`` or a model);
    ``chunking`` limits it to one chunking (empty: every chunking of the study).
    """

    name: str
    kind: str
    what: str = ""
    of: tuple[str, ...] = ()
    chunking: str = ""
    null: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurePlan:
    """``[measure]``: the metric declared before the first run, those beside it, and the slices."""

    primary: str = "nDCG@10"
    secondary: tuple[str, ...] = ()
    slices: tuple[str, ...] = ("type", "tags")
    depth: int = 100
    budget: int | None = None  # tokens: span metrics at this budget are measured beside the others


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """``[compare]``: which pairs, how adjusted, at which level."""

    pairs: tuple[tuple[str, str], ...] | str = "all"
    adjust: str = "holm"
    level: float = 0.95
    resamples: int = 10_000
    signs: int = 20_000
    null: tuple[str, ...] = ()  # built-in null systems every system is held against


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A whole study file, checked and resolved; paths stay as written, relative to the file."""

    name: str
    seed: int = 20241009
    corpus: Mapping[str, Any] = field(default_factory=dict)
    gold: Mapping[str, Any] = field(default_factory=dict)
    chunkings: tuple[CutPlan, ...] = ()
    systems: tuple[SystemPlan, ...] = ()
    measure: MeasurePlan = field(default_factory=MeasurePlan)
    compare: Compare = field(default_factory=Compare)
    claims: Mapping[str, Any] = field(default_factory=dict)  # "does not claim" and other words of the author
    panel: PanelPlan | None = None
    calibration: CalibrationPlan | None = None
    threshold: ThresholdPlan | None = None
    gate: GatePlan | None = None
    answers: AnswersPlan | None = None
    stress: StressPlan | None = None
    draft: DraftPlan | None = None
    criteria: tuple[CriterionPlan, ...] = ()
    engine: str = "local"  # where work runs: it changes nothing, so it is in no JSON and no seal

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, for the report and the seal; sections that the study has not are left out."""
        from dataclasses import asdict

        made = asdict(self)
        del made["engine"]
        for name in SECTIONS:
            if not made[name]:
                del made[name]
        for section, names in LATER.items():  # seals of plans without these keys stay what they were
            for name in names:
                if section in made and not made[section][name]:
                    del made[section][name]
        return made

    @property
    def seal(self) -> str:
        """Seal of everything planned."""
        return seal(self.as_json())
