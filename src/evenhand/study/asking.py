"""Asking one entrant every question, and the qrels its rankings are held against."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.study.entrants import OWN, Entrant, null_systems

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from evenhand.model.run import Qrels, Run
    from evenhand.model.study import Plan
    from evenhand.model.text import Units
    from evenhand.study.steps import Larder
    from evenhand.study.table import Table

__all__ = ["ask", "build_all", "cuts_for_itself", "qrels_of"]


def build_all(plan: Plan, folder: Path) -> dict[str, Any]:
    """What is asked, by system; everything that is wrong with any of them is told before work begins."""
    from evenhand.plugins import find
    from evenhand.retrieve.fuse import Fusion
    from evenhand.retrieve.rerank import ByModel, ByStatus
    made = {}
    for system in (*plan.systems, *null_systems(plan)):
        if system.kind == "retriever":
            made[system.name] = find(system.what, "retriever")(**system.settings)
        elif system.kind == "fuse":
            made[system.name] = Fusion(of=system.of, **system.settings)
        elif system.kind == "rerank" and system.what == "status":
            made[system.name] = ByStatus(of=system.of, **system.settings)
    return made


def cuts_for_itself(system: Any) -> bool:
    """Whether a guest brings its own index, and so is its own chunking."""
    return False


def ask(table: Table, one: Entrant, larder: Larder) -> tuple[Run, NDArray[np.float64]]:
    """The run of one entrant, and the seconds each question took."""
    system, questions, depth = table.systems[one.system.name], larder["questions"], table.plan.measure.depth
    if one.of:
        begun = perf_counter()
        run = system.combine(
            [larder[f"run/{member}"] for member in one.of],
            name=one.name,
            depth=depth,
            questions=questions,
            cache=table.blobs,
            progress=table.progress,
        )
        seconds = np.full(len(questions), (perf_counter() - begun) / len(questions))
        for member in one.of:
            held = table.blobs.get("times", larder.seals[f"run/{member}"])
            if held is not None:
                seconds = seconds + held["seconds"]
        return run, seconds
    from evenhand.retrieve.search import retrieve

    times: dict[str, float] = {}
    run = retrieve(
        system,
        larder[f"units/{one.chunking}"],
        questions,
        depth=depth,
        cache=table.blobs,
        times=times,
        progress=table.progress,
        name=one.name,
    )
    return run, np.array(list(times.values()), dtype=np.float64)


def qrels_of(table: Table, larder: Larder, units: Units | None) -> Qrels:
    """The gold set on these units; for rankings of bare ids, the qrels file of the plan."""
    from evenhand.gold.align import align

    if units is not None:
        return align(larder["gold"], units)
    named = table.plan.gold.get("qrels")
    if not named:
        raise InputError(
            "a run file ranks bare ids, and there are no qrels for them",
            mend='name the chunking whose units it ranks (chunking = "…"), or give [gold] qrels = "…"',
        )
    from evenhand.formats.trec import read_qrels

    return read_qrels(table.folder / named)
