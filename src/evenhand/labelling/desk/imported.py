"""Labels made elsewhere become desks with entries, so that they are counted like any others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.labelling.desk.agreement import latest
from evenhand.labelling.desk.assign import open_desk
from evenhand.labelling.desk.task_order import Placed
from evenhand.model.judging import Desk, Entry, Task
from evenhand.model.seal import seal
from evenhand.text.plural import noun, verb

if TYPE_CHECKING:
    from evenhand.model.label import Label
    from evenhand.model.pool import Pool
    from evenhand.model.sheet import Sheet

__all__ = ["desks_of"]

KINDS = {"human": "judge", "adjudicated": "adjudication"}


def desks_of(
    pool: Pool,
    labels: Sequence[Label],
    *,
    sheet: Sheet,
    settings: Mapping[str, Any],
    there: Mapping[tuple[str, str], str],
    at: str = "",
) -> tuple[list[tuple[Desk, list[Task], list[Entry]]], list[str]]:
    """A desk for each judge with a task and an entry a label, in the order given; and what was left out.

    *there*: desks that the pool has, by (judge, kind): a judge has one desk on a pool, and the same import
    gives the same desk. Labels of a panel have no desk: they are left out and said. A grade that the
    *sheet* does not have is an error. The same import has the same ids and tokens.
    """
    kept, again, revised = latest(labels)
    found: dict[tuple[str, str], list[Label]] = {}
    left = 0
    for label in kept:
        if label.by not in KINDS or label.item not in pool.position:
            left += 1
            continue
        if label.grade is not None:
            sheet.level(label.grade)
        found.setdefault((label.judge, KINDS[label.by]), []).append(label)
    made = []
    for (judge, kind), of_one in found.items():
        placed = [Placed(item=pool.items[pool.position[label.item]]) for label in of_one]
        desk, tasks = open_desk(
            pool.seal, judge, placed, sheet=sheet.seal, settings=settings, kind=kind, at=at
        )
        if there.get((judge, kind), desk.id) != desk.id:
            raise InputError(
                f"{judge} has a desk on this pool already",
                mend="import under another name (--judge), or write a file (--out) and put both together",
            )
        entries = [
            Entry(
                desk=desk.id,
                task=task.id,
                token=seal([desk.id, task.id, str(label.answer), label.at])[:40],
                kind=label.kind,
                grade=label.grade,
                mode=label.mode,
                reason=label.reason or ("not said" if label.kind == "skip" else ""),
                comment=label.comment,
                evidence=label.evidence,
                sheet=sheet.seal,
                at=label.at or at,
                active_ms=label.active_ms,
            )
            for task, label in zip(tasks, of_one, strict=True)
        ]
        made.append((desk, tasks, entries))
    told = []
    if left:
        told.append(
            f"left out: {left} {noun(left, 'label')} of a panel, or of items that are not in the pool"
        )
    other = sum(
        bool(label.sheet) and label.sheet != sheet.seal for of_one in found.values() for label in of_one
    )
    if other:
        told.append(
            f"note: {other} {noun(other, 'label')} {verb(other, 'names', 'name')} another guideline than "
            "the one they now stand under"
        )
    if again or revised:
        told.append(
            f"left out: {again} {noun(again, 'label')} said twice, {revised} that a later one replaced"
        )
    return made, told
