"""The part ``threshold`` of a study: its steps, what its panel judges, and what it leaves in results/."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.protocols import Progress, quiet
from evenhand.study.steps.code_fingerprint import code_seal
from evenhand.study.steps.loop import Artifacts, Step
from evenhand.study.steps.serialize import json_form
from evenhand.study.threshold.arms import Arm, arms_of, check_arms, found_in, planned, within_steps
from evenhand.study.threshold.pairs import cut_run

if TYPE_CHECKING:
    from evenhand.model.plan.study import Plan
    from evenhand.model.run import Run
    from evenhand.study.comparison.steps import Table
    from evenhand.study.panel.items import PanelItems
    from evenhand.study.steps.participants import Participant

__all__ = ["check", "files", "panel_items", "panel_items_in", "sealed", "steps"]

PAIRS = "pairs.jsonl"


def check(plan: Plan, field: Sequence[Participant]) -> None:
    """Refuse what could not be retrieved or judged, before anything is asked."""
    check_arms(plan, field)


def sealed(plan: Plan, folder: Path) -> Mapping[str, Any]:
    """What a registration holds beside the plan: the types that a model gave."""
    from evenhand.formats.gold.question_types import read_types

    asked = planned(plan)
    file = folder / asked.typed
    return {"types": read_types(file).seal} if asked.typist is not None and file.is_file() else {}


def panel_items(
    plan: Plan, folder: Path, *, cache: Path | None = None, progress: Progress = quiet
) -> PanelItems:
    """The pairs that a study's panel judges; its system is asked where it was not."""
    from evenhand.store.blobs import Blobs
    from evenhand.study.comparison.run import importable, laid
    from evenhand.study.steps.loop import perform

    blobs = Blobs(cache if cache is not None else folder / ".evenhand")
    with importable(folder):
        table, larder = laid(plan, folder, folder / "results", blobs, progress)
        wanted = ("units/", "run/", "within/")
        perform([step for step in table.steps() if step.makes.startswith(wanted)], blobs, larder)
        return panel_items_in(table, larder)


def panel_items_in(table: Table, larder: Artifacts) -> PanelItems:
    """The union over arms of the pairs within the top k and at or above the least value of the grid.

    People's sample is drawn from those of the main arm at or above the primary threshold. Raises InputError
    where a model is to type the questions first and has not.
    """
    from evenhand.study.panel.items import items_of_runs
    from evenhand.study.threshold.pairs import items_of
    from evenhand.study.threshold.question_types import given_types

    asked, gold = planned(table.plan), larder["gold"]
    given_types(table.plan, table.folder, gold)
    cuts = [(arm, _cut(arm, asked, larder)) for arm in arms_of(table.plan, table.field)]
    made = items_of_runs([run for _, run in cuts], larder["questions"], larder["corpus"], gold, depth=asked.k)
    main = next(run for arm, run in cuts if arm.main)
    rows, of, _ = cut_run(main, asked.k, asked.main)
    calibrated = items_of(main, rows, [main.questions[i] for i in of.tolist()])
    return replace(made, calibrates=frozenset(calibrated))


def _cut(arm: Arm, asked: Any, larder: Artifacts) -> Run:
    """The run of an arm without what lies below the least value; its order is kept."""
    run = found_in(arm, larder)
    rows, of, _ = cut_run(run, asked.k, min(asked.values))
    sizes = np.bincount(of, minlength=len(run.questions))
    return replace(
        run,
        system=arm.entrant,
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        unit=run.unit[rows],
        score=run.score[rows],
    )


def steps(table: Table) -> Iterator[Step]:
    """The steps that make the pairs with their verdicts, which are not kept, and ``part/threshold``."""
    from evenhand.formats.labels.judgements import label_json
    from evenhand.model.seal import seal
    from evenhand.study.panel.calibration import labels_of_calibration, sample_of
    from evenhand.study.panel.steps import VOTES

    plan, folder = table.plan, table.folder
    asked, arms = planned(plan), arms_of(plan, table.field)
    panel = plan.panel is not None and asked.sufficiency == "panel"
    runs = [step.makes for step in within_steps(table)]
    settings: dict[str, Any] = {"plan": plan.seal, "record": seal(dict(table.record))}
    if asked.typist is not None and (folder / asked.typed).is_file():
        settings["types"] = _bytes(folder / asked.typed)
    if panel and plan.panel is not None:
        # by now the votes of this run are written: their step comes before this one
        settings["votes"] = _bytes(folder / plan.panel.votes)
        sample = sample_of(plan, folder)
        settings["sample"] = sample.seal if sample is not None else None
        settings["labels"] = seal([label_json(one) for one in labels_of_calibration(plan, folder)])

    def pairs(larder: Artifacts) -> Any:
        from evenhand.study.threshold.section import pairs_found

        return pairs_found(table, larder)

    def work(larder: Artifacts) -> dict[str, Any]:
        from evenhand.study.threshold.section import section

        return section(table, larder)

    needs = (
        "corpus",
        "gold",
        "questions",
        *runs,
        *(f"run/{arm.entrant}" for arm in arms),
        *((VOTES,) if panel else tuple(f"qrels/{arm.name}" for arm in arms)),
    )
    yield Step(makes="pairs/threshold", needs=needs, work=pairs, settings=settings)
    yield Step(
        makes="part/threshold",
        needs=("pairs/threshold", *(("part/panel",) if panel else ()), *needs),
        work=work,
        settings=settings,
        code=code_seal("corpus", "gold", "judge", "labelling", "metrics", "stats", "report", "study"),
        form=json_form(),
    )


def _bytes(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def files(table: Table, larder: Artifacts) -> dict[str, bytes]:  # noqa: ARG001 - the shape of all parts
    """``pairs.jsonl``: every pair with its verdicts, the human's grade and the unit."""
    import json

    from evenhand.report.output.assemble import plain
    from evenhand.study.threshold.section import every_pair

    rows = (json.dumps(plain(row), ensure_ascii=False, sort_keys=True) for row in every_pair(larder))
    return {PAIRS: "".join(f"{row}\n" for row in rows).encode()}
