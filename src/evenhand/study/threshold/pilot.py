"""What a pilot shows of a threshold study: its own retrieval, arm by arm, and the corpus criterion."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.protocols import Progress, quiet
from evenhand.study.threshold.arms import Arm, arms_of, found_in, planned

if TYPE_CHECKING:
    from evenhand.model.plan.sections import ThresholdPlan
    from evenhand.model.plan.study import Plan
    from evenhand.model.run import Run

__all__ = ["arm_runs", "corpus_line", "named"]


def arm_runs(
    plan: Plan, folder: Path, *, cache: Path | None = None, progress: Progress = quiet
) -> list[tuple[Arm, Run]]:
    """What the system finds in each arm; no label is used."""
    from evenhand.store.blobs import Blobs
    from evenhand.study.comparison.run import importable, laid
    from evenhand.study.steps.loop import perform

    blobs = Blobs(cache if cache is not None else folder / ".evenhand")
    with importable(folder):
        table, larder = laid(plan, folder, folder / "results", blobs, progress)
        wanted = ("units/", "run/", "within/")
        perform([step for step in table.steps() if step.makes.startswith(wanted)], blobs, larder)
        return [(arm, found_in(arm, larder)) for arm in arms_of(plan, table.field)]


def corpus_line(plan: Plan, folder: Path) -> str:
    """The corpus criterion in a sentence: it is looked at before anything else."""
    from evenhand.study.comparison.run import corpus_of
    from evenhand.study.threshold.corpus_criterion import check_seal, corpus_told

    asked = planned(plan)
    corpus = corpus_of(plan, folder, made=(folder / "results", folder / ".evenhand"))
    check_seal(asked, corpus)
    return str(corpus_told(asked, corpus)["sentence"])


def named(asked: ThresholdPlan, arm: Arm) -> str:
    """How a row of the pilot is called: system, chunking, and where it looks."""
    where = "within the source" if asked.scope == "source" else "in the corpus"
    return f"{asked.system} on {arm.name}, {where}" + (f" ({arm.called})" if arm.called else "")
