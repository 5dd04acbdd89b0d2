"""Asking one entrant every question, and the qrels its rankings are held against."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, MissingExtra, Unreachable
from evenhand.retrieve.guests.ask_guest import inherited
from evenhand.study.steps.participants import OWN, Participant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.run import Qrels, Run
    from evenhand.model.text import Units
    from evenhand.protocols import Progress
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts

__all__ = ["ask", "qrels_of"]


def ask(
    table: Table, one: Participant, larder: Artifacts, *, asked: str = "questions", runs: str = "run"
) -> tuple[Run, NDArray[np.float64]]:
    """The run of one entrant on the questions called *asked*, and the seconds each of them took.

    *runs*: what the runs of the entrants it is made from are called. What goes wrong on the way is said of
    the section that describes the system.
    """
    try:
        return _asked(table, one, larder, asked=asked, runs=runs)
    except (InputError, MissingExtra, Unreachable) as error:
        if error.what.startswith("["):
            raise
        raise error.reworded(f"[system.{one.system.name}] {error.what}") from error


def _asked(
    table: Table, one: Participant, larder: Artifacts, *, asked: str, runs: str
) -> tuple[Run, NDArray[np.float64]]:
    questions, depth = larder[asked], table.plan.measure.depth
    if one.system.kind == "run":
        from evenhand.study.comparison.external_results import read_bound

        return read_bound(table, one, larder, asked=asked), np.zeros(0)
    system = table.systems[one.system.name]
    if one.of:
        begun = perf_counter()
        run = system.combine(
            [larder[f"{runs}/{member}"] for member in one.of],
            name=one.name,
            depth=depth,
            questions=questions,
            cache=table.blobs,
            progress=table.progress,
        )
        run = inherited(run, [larder[f"{runs}/{member}"] for member in one.of])
        seconds = np.full(len(questions), (perf_counter() - begun) / len(questions))
        for member in one.of:
            held = table.blobs.get("times", larder.seals[f"{runs}/{member}"])
            if held is not None and len(held["seconds"]) == len(seconds):
                seconds = seconds + held["seconds"]
        return run, seconds
    from evenhand.retrieve.search import retrieve

    times: dict[str, float] = {}
    run = retrieve(
        system,
        _units(one, larder),
        questions,
        depth=depth,
        cache=table.blobs,
        times=times,
        progress=_of_chunking(table, one),
        name=one.name,
        engine=table.engine,
    )
    if one.chunking == OWN:
        from evenhand.study.comparison.external_results import completed

        run = completed(run, larder["gold"], table.cut_of(one))
    elif run.units is None or run.units.seal != _units(one, larder).seal:
        from evenhand.study.comparison.external_results import bound

        try:  # it cuts for itself, and is held against our units
            run = bound(run, _units(one, larder), one.name)
        except InputError:
            system.forget()
            raise
    return run, np.array([times[question] for question in questions], dtype=np.float64)


def _of_chunking(table: Table, one: Participant) -> Progress:
    """Progress that says which chunking it is on, where a system is asked on several."""
    if len({other.chunking for other in table.field if other.system.name == one.system.name}) < 2:
        return table.progress

    def tell(stage: str, done: int, total: int, note: str = "") -> None:
        table.progress(f"{stage} ({one.chunking})", done, total, note)

    return tell


def _units(one: Participant, larder: Artifacts) -> Units:
    """Its chunking; whole documents for a guest that cuts for itself, to find its hits in."""
    if one.chunking != OWN:
        return larder[f"units/{one.chunking}"]  # type: ignore[no-any-return]
    from evenhand.corpus.chunk import Whole, chunk

    return chunk(larder["corpus"], Whole(), name=OWN)


def qrels_of(table: Table, larder: Artifacts, units: Units | None) -> Qrels:
    """The gold set on these units, and what was judged; for bare ids the qrels file of the plan."""
    from evenhand.study.comparison.judgements import judged_qrels, labels_in

    if units is not None:
        return judged_qrels(larder["gold"], units, labels_in(table, larder))
    named = table.plan.gold.get("qrels")
    if not named:
        raise InputError(
            "a run file ranks bare ids, and there are no qrels for them",
            mend='name the chunking whose units it ranks (chunking = "…"), or give [gold] qrels = "…"',
        )
    from evenhand.formats.runs.trec import read_qrels

    return read_qrels(table.folder / named)
