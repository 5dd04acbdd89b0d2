"""Claims of generated items as a model of entailment bears them out: asked once, kept under its weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evenhand.answer.checks.context import Borne
from evenhand.answer.checks.settings import settings_of
from evenhand.answer.claims.claims import borne_by_model
from evenhand.answer.generation.requests import CLOSED_BOOK
from evenhand.retrieve.models.entailment import Entailment
from evenhand.study.generation.generations import GENERATIONS
from evenhand.study.generation.requests import plan_of
from evenhand.study.steps.code_fingerprint import code_seal
from evenhand.study.steps.loop import Step
from evenhand.study.steps.serialize import json_form

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.model.plan.sections import AnswersPlan
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts

__all__ = ["ENTAILED", "borne_in", "entailed_steps", "entailment_of"]

ENTAILED = "entailed"  # what the larder calls them


def entailment_of(plan: AnswersPlan, folder: Path) -> Entailment:
    """The model that ``[answers] entailment`` names: a folder beside the study file, or a name of a hub."""
    beside = folder / plan.entailment
    return Entailment(str(beside) if beside.is_dir() else plan.entailment, label=plan.entailment_label)


def entailed_steps(table: Table) -> Iterator[Step]:
    """The step that puts each claim to the model; none where the study names no model.

    It is done again when generations, thresholds or the model's weights are others.
    """
    plan = plan_of(table.plan)
    if not plan.entailment:
        return
    model = entailment_of(plan, table.folder)
    settings = settings_of(plan.checks)

    def work(larder: Artifacts) -> dict[str, Any]:
        from evenhand.formats.answers.jsonl import generation_of

        every = [generation_of(row, "generations") for row in larder[GENERATIONS]["rows"]]
        mine = [one for one in every if not one.system.endswith(CLOSED_BOOK)]
        found: dict[str, list[Borne]] = {}
        for done, one in enumerate(mine, start=1):
            found |= borne_by_model([one], model, settings=settings)
            table.progress("entail", done, len(mine))
        return {item: [asdict(claim) for claim in claims] for item, claims in found.items()}

    yield Step(
        makes=ENTAILED,
        needs=(GENERATIONS,),
        work=work,
        settings={"model": model.seal, "label": plan.entailment_label, "checks": dict(plan.checks)},
        code=code_seal("answer", "retrieve", "study"),
        form=json_form(),
    )


def borne_in(kept: Mapping[str, Any]) -> dict[str, list[Borne]]:
    """Item → its claims, of what the step kept."""
    return {item: [Borne(**claim) for claim in claims] for item, claims in kept.items()}
