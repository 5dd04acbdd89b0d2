"""The order of a desk: blocks of a question, all mixed, by unit id, or by priority; repeats hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from evenhand.model.pool import PoolItem

if TYPE_CHECKING:
    from numpy.random import Generator

__all__ = ["ORDERS", "Placed", "arranged"]

ORDERS = ("blocks", "mixed", "unit-id", "priority")
GAP = 20  # tasks between an item and its repeat, where there are as many
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """An item to be put on a desk: as what, and (in adjudication) about which entries."""

    item: PoolItem
    kind: str = "main"
    about: tuple[str, ...] = ()


def arranged(
    main: Sequence[PoolItem],
    again: Sequence[PoolItem],
    attention: Sequence[PoolItem],
    *,
    order: str,
    questions: Sequence[str],
    dice: Generator,
) -> list[Placed]:
    """All items of a desk in order; *again* are those of *main* that come a second time, later.

    In blocks, a question with a repeat is visited twice, and its second visit mixes repeats with items
    not yet seen, so that coming back to a question gives nothing away. Linear but for sorting.
    """
    if order == "blocks":
        return _blocks(main, again, attention, dice)
    rank = {question: i for i, question in enumerate(questions)}
    if order == "unit-id":
        base = sorted(main, key=lambda item: (rank[item.question], item.doc, item.start, item.end))
    elif order == "priority":
        base = sorted(main, key=lambda item: (-item.priority, item.id))
    else:
        base = _shuffled(sorted(main, key=lambda item: item.id), dice)
    n = len(base)
    at = {item.id: i for i, item in enumerate(base)}
    keyed: list[tuple[float, str, Placed]] = [
        (float(i), "", Placed(item=item)) for i, item in enumerate(base)
    ]
    for item in again:
        soonest = min(at[item.id] + GAP, n - 1)
        keyed.append((dice.uniform(soonest + 0.5, n), item.id, Placed(item=item, kind="repeat")))
    keyed.extend((dice.uniform(0, n), item.id, Placed(item=item, kind="attention")) for item in attention)
    return [placed for *_, placed in sorted(keyed, key=lambda row: row[:2])]


def _blocks(
    main: Sequence[PoolItem], again: Sequence[PoolItem], attention: Sequence[PoolItem], dice: Generator
) -> list[Placed]:
    own: dict[str, list[PoolItem]] = {}
    for item in sorted(main, key=lambda item: item.id):
        own.setdefault(item.question, []).append(item)
    repeats: dict[str, list[PoolItem]] = {}
    for item in sorted(again, key=lambda item: item.id):
        repeats.setdefault(item.question, []).append(item)
    planted: dict[str, list[PoolItem]] = {}
    for item in sorted(attention, key=lambda item: item.id):
        # a question this judge does not see: the planted text opens a block of its own
        planted.setdefault(item.question, []).append(item)
    lots = _shuffled(sorted({*own, *planted}), dice)
    n = len(lots)
    visits: list[tuple[float, str, list[Placed]]] = []
    for place, question in enumerate(lots):
        items = _shuffled(own.get(question, []), dice)
        twice = repeats.get(question, [])
        here = [Placed(item=item, kind="attention") for item in planted.get(question, [])]
        later: list[Placed] = []
        if twice:
            marked = {item.id for item in twice}
            others = [item for item in items if item.id not in marked]
            kept = others[: len(others) // 2]
            here += [Placed(item=item) for item in (*kept, *twice)]
            later = [Placed(item=item) for item in others[len(kept) :]]
            later += [Placed(item=item, kind="repeat") for item in twice]
        else:
            here += [Placed(item=item) for item in items]
        visits.append((float(place), question, _shuffled(here, dice)))
        if later:
            soonest = min(place + 1.5, n - 0.5)
            visits.append((dice.uniform(soonest, n), question, _shuffled(later, dice)))
    return [one for *_, visit in sorted(visits, key=lambda row: row[:2]) for one in visit]


def _shuffled(things: Sequence[T], dice: Generator) -> list[T]:
    return [things[i] for i in dice.permutation(len(things))]
