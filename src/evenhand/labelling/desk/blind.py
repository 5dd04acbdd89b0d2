"""What a judge sees has no field that could bias; what a judge sends back is held against the sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest

if TYPE_CHECKING:
    from evenhand.model.judging import Entry, Task
    from evenhand.model.pool import PoolItem
    from evenhand.model.sheet import Sheet

__all__ = ["PAYLOAD_KEYS", "fits", "payload"]

PAYLOAD_KEYS = frozenset({"task", "position", "total", "question", "text", "heading", "title", "sheet"})


def payload(
    task: Task, item: PoolItem, *, question: str, text: str, sheet: str, total: int
) -> dict[str, Any]:
    """All that a desk receives of a task: exactly `PAYLOAD_KEYS`, and no other field may be added.

    No rank, score, system, stratum, probability; no id of question, document or item; no kind of task,
    judge or other label. ``position`` (from 0) and ``total`` are the desk's own; ``sheet`` is the hash of
    the guideline in use.
    """
    if task.item != item.id:
        raise InputError(f"task {task.id} is about item {task.item}, not {item.id}", mend="ask for its item")
    return {
        "task": task.id,
        "position": task.position,
        "total": total,
        "question": question,
        "text": text,
        "heading": list(item.heading),
        "title": item.title,
        "sheet": sheet,
    }


def fits(entry: Entry, sheet: Sheet, text: str) -> None:
    """Refuse an entry that the sheet does not allow or whose evidence is not in *text* word for word."""
    if entry.sheet != sheet.seal:
        raise InputError(
            "the answer was given under another version of the guideline",
            mend="show the present guideline and ask again",
        )
    if entry.kind == "undo":
        raise InputError("an undo is not saved as an answer", mend="use undo")
    if entry.kind == "skip" and not entry.reason.strip():
        raise InputError("a skip has no reason", mend="say in a few words why")
    if entry.kind == "cannot-tell" and not sheet.cannot_tell:
        raise InputError(
            f"sheet {sheet.name!r} has no answer 'cannot tell'", mend="choose a level, or skip with a reason"
        )
    level = sheet.level(entry.grade) if entry.grade is not None else None
    if entry.mode:
        if level is None or not level.modes:
            raise InputError("a failure mode goes only with a level that asks for it", mend="leave it out")
        if entry.mode not in {mode.name for mode in sheet.modes}:
            raise InputError(
                f"no failure mode {entry.mode!r}",
                mend=nearest(entry.mode, [mode.name for mode in sheet.modes]),
            )
    if level is not None and level.evidence == "must" and not entry.evidence:
        raise InputError(f"{level.label!r} needs its evidence", mend="mark the words that carry the answer")
    for mark in entry.evidence:
        if text[mark.start : mark.end] != mark.quote:
            raise InputError(
                f"evidence {mark.start}:{mark.end} is not what the text says there",
                mend="offsets count Unicode code points of the text as it was sent",
            )
