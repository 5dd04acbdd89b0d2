"""``evenhand judge panel --batch | --emit-batch | --collect``: many requests at once, and replies later."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.model.amount import many

if TYPE_CHECKING:
    from evenhand.llm.batch import Batches
    from evenhand.model.label import Shown
    from evenhand.study.panel_items import PanelItems
    from evenhand.study.panelled import Bench

__all__ = ["by_batch"]

Waiting = list[tuple[str, "Shown", int]]


def by_batch(
    bench: Bench,
    items: PanelItems,
    waiting: Waiting,
    folder: Path,
    *,
    emit: Path | None,
    collect: Sequence[Path],
    batch: bool,
    on: Any,
) -> Waiting:
    """Collect, emit, hand in; what is left to be asked one by one."""
    from evenhand.errors import InputError
    from evenhand.llm.batch import Batches
    from evenhand.store.calls import Calls

    if emit is not None and (collect or batch):
        raise InputError("--emit-batch goes alone", mend="collect what was emitted with a command of its own")
    journal = Calls(folder / ".evenhand")
    try:
        batches = Batches(bench.chats, journal)
        if emit is not None:
            _emit(bench, items, waiting, batches, emit, on=on)
            return []
        for file in collect:
            came = bench.record(batches.collect_file(file), items)
            on.print(f"  {many(came, 'vote')} out of {file.name}")
        if not batch:
            return []
        came = bench.record(batches.collect(), items)
        there = {
            (one.judge, one.item, one.repeat)
            for one in bench.standing(bench.kept()).votes
            if one.outcome != "fault"
        }
        left = [one for one in waiting if (one[0], one[1].item, one[2]) not in there]
        return _hand_in(bench, items, left, batches, came=came, on=on)
    finally:
        journal.close()


def _emit(
    bench: Bench, items: PanelItems, waiting: Waiting, batches: Batches, stem: Path, *, on: Any
) -> None:
    from evenhand.errors import InputError

    written = 0
    for judge in bench.judges:
        own = [one for one in waiting if one[0] == judge]
        if not own or not _takes_batches(bench, judge, "openai"):
            continue
        to = stem.with_name(f"{stem.name.removesuffix('.jsonl')}-{judge}.jsonl")
        made = batches.emit(bench.requests(items, own), to)
        if made is not None:
            written += 1
            on.print(f"  {many(made.n, 'request')} → {to}")
    if not written:
        raise InputError(
            "nothing was written: no judge asked in OpenAI's form lacks a vote that is in no batch",
            mend="use vllm:MODEL or openai-compatible:MODEL; `--collect FILE` takes in what was emitted",
        )


def _hand_in(
    bench: Bench, items: PanelItems, waiting: Waiting, batches: Batches, *, came: int, on: Any
) -> Waiting:
    able = {judge for judge in bench.judges if _takes_batches(bench, judge)}
    handed = batches.submit(bench.requests(items, [one for one in waiting if one[0] in able]))
    if came:
        on.print(f"  {many(came, 'vote')} out of batches that have ended")
    for one in handed:
        on.print(f"  {many(one.n, 'request')} handed in for {one.chat}: {one.id}")
    for one in batches.poll():
        if one.key not in {new.key for new in handed}:
            on.print(f"  batch of {one.chat} {one.id}: {one.done:,} of {one.n:,} answered")
    return [one for one in waiting if one[0] not in able]


def _takes_batches(bench: Bench, judge: str, sdk: str = "") -> bool:
    """Whether the endpoint of a judge has batches; recordings, programs and guests are asked one by one."""
    chat: Any = bench.chats[judge]
    return hasattr(chat, "written") and (not sdk or chat.sdk == sdk)
