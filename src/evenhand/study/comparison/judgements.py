"""Judgements of people and panels in a study: laid over the aligned evidence, and told in the report."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evenhand.model.gold import GoldSet
    from evenhand.model.label import Label
    from evenhand.model.plan.study import Plan
    from evenhand.model.run import Qrels
    from evenhand.model.text import Units
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts

__all__ = ["JUDGEMENTS", "as_grades", "judged_qrels", "labels_in", "labels_of_plan", "section", "told"]

JUDGEMENTS = "judgements"  # what the larder calls them, where the plan names any
PANEL = 2  # Qrels.label
SHOWN = 20  # conflicts of one chunking in the report
COUNTED = ("conflicts", "judgements_stale", "judgements_elsewhere", "judgements_unasked")


def labels_of_plan(plan: Plan, home: Path) -> tuple[str, list[Label]] | None:
    """The labels of ``[gold] judgements`` and their seal; None where the plan names no file."""
    named = plan.gold.get("judgements")
    if not named:
        return None
    from evenhand.formats.labels.judgements import label_json, read_labels
    from evenhand.labelling.desk.agreement import latest
    from evenhand.model.seal import seal

    labels = latest(read_labels(home / named))[0]
    return seal([label_json(label) for label in labels]), labels


def labels_in(table: Table, larder: Artifacts) -> list[Label] | None:
    """What people and panel judged, in this order; None where the plan has neither."""
    from evenhand.study.panel.steps import panel_labels

    if not table.judgements:
        return None
    people = list(larder[JUDGEMENTS]) if JUDGEMENTS in table.judgements else []
    return [*people, *panel_labels(table, larder)]


def as_grades(labels: Sequence[Label]) -> list[Label]:
    """Labels as grades of qrels: a yes to sufficiency is grade 2, since it says enough alone."""
    from evenhand.judge.sheets.built_in import CONTRIBUTION, SUFFICIENCY

    top, yes = CONTRIBUTION.levels[-1].grade, SUFFICIENCY.levels[-1].grade
    return [
        replace(one, grade=top) if one.sheet == SUFFICIENCY.seal and one.grade == yes else one
        for one in labels
    ]


def judged_qrels(gold: GoldSet, units: Units, labels: Sequence[Label] | None) -> Qrels:
    """The gold set on these units, with the judgements over it: human before alignment before panel."""
    from evenhand.gold.align import align

    qrels = align(gold, units)
    if labels is None:
        return qrels
    from evenhand.gold.merge_judgements import apply_judgements
    from evenhand.labelling.desk.labels import judgements_of

    return apply_judgements(qrels, judgements_of(as_grades(labels)))[0]


def told(table: Table, larder: Artifacts) -> Iterator[tuple[str, int, str]]:
    """Warnings (kind, count, text) on judgements that conflict or could not be used."""
    for name in table.cuts if table.judgements else ():
        notes = larder[f"qrels/{name}"].notes
        for key, text in (
            (
                "conflicts",
                "grades on {name} differ by source: people stand before evidence, evidence before a panel",
            ),
            (
                "judgements_stale",
                "judgements are of a text that has changed since, and do not count on {name}",
            ),
            ("judgements_elsewhere", "judgements are of no unit of {name}: they count for no unit there"),
            ("judgements_unasked", "judgements are of questions that are not asked on {name}"),
        ):
            if notes.get(key):
                yield key.replace("_", " "), int(notes[key]), text.format(name=name)
        if alone := int((larder[f"qrels/{name}"].label == PANEL).sum()):
            text = f"grades on {name} are a panel's alone: provisional until people have looked at them"
            yield "panel alone", alone, text


def section(table: Table, larder: Artifacts) -> dict[str, Any] | None:
    """What the report says of judgements: their card, panel against people, and their use by chunking."""
    labels = labels_in(table, larder)
    if labels is None:
        return None
    from evenhand.gold.align import align
    from evenhand.gold.merge_judgements import apply_judgements
    from evenhand.judge.calibration.overlap import calibration
    from evenhand.labelling.desk.agreement import agreement
    from evenhand.labelling.desk.data_card import card_of_labels
    from evenhand.labelling.desk.labels import judgements_of

    gold, plan = larder["gold"], table.plan
    clusters = {str(q.id): q.cluster or str(q.id) for q in gold}
    found = agreement(
        labels,
        types={str(q.id): q.type for q in gold},
        clusters=clusters,
        level=plan.compare.level,
        seed=plan.seed,
    )
    given = judgements_of(as_grades(labels))
    used = []
    for name in table.cuts:
        qrels: Qrels = larder[f"qrels/{name}"]
        if qrels.units is None or "conflicts" not in qrels.notes:
            continue
        conflicts = apply_judgements(align(gold, qrels.units), given)[1]
        used.append(
            {
                "chunking": name,
                "labels": {
                    word: int((qrels.label == i).sum())
                    for i, word in enumerate(("human", "aligned", "panel"))
                },
                **{key: int(qrels.notes.get(key, 0)) for key in COUNTED},
                "first_conflicts": [asdict(one) for one in conflicts[:SHOWN]],
            }
        )
    held = calibration(labels, clusters=clusters, level=plan.compare.level)
    return {"card": card_of_labels(labels, found), "calibration": held, "used": used}
