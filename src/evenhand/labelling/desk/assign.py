"""Who judges what, and in which order: seeded, even, and telling the judge nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.labelling.desk.task_order import ORDERS, Placed, arranged
from evenhand.model.judging import Desk, Task
from evenhand.model.seal import seal
from evenhand.stats.sampling.seeds import stream
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from numpy.random import Generator

    from evenhand.model.pool import Pool, PoolItem

__all__ = ["Filling", "assign", "open_desk"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """How desks are filled; all of it goes into the settings of each desk.

    ``per_item`` judges see every item, one more sees a share ``overlap`` of them (0..1, drawn at random;
    no more than there are judges). ``by``: are ``item``s dealt out (each judge sees a part of every
    question, so that a strict judge is strict to all) or whole ``question``s? ``order``: ``blocks`` of a
    question, shuffled within and without; ``mixed``; ``unit-id``; ``priority`` (the active order).
    ``repeats``: the share (0..1) of a desk's own items that come again, hidden.
    """

    per_item: int = 1
    overlap: float = 0.2
    by: str = "item"
    order: str = "blocks"
    repeats: float = 0.05

    def __post_init__(self) -> None:
        if self.per_item < 1:
            raise InputError(f"{self.per_item} judges an item", mend="give at least 1")
        for name, share in (("overlap", self.overlap), ("repeats", self.repeats)):
            if not 0 <= share <= 1:
                raise InputError(f"{name} is {share!r}", mend="give a share between 0 and 1")
        if self.order not in ORDERS:
            raise InputError(f"no order is called {self.order!r}", mend=nearest(self.order, ORDERS))
        if self.by not in ("item", "question"):
            raise InputError(
                f"items are not dealt out by {self.by!r}", mend=nearest(self.by, ("item", "question"))
            )


def assign(
    pool: Pool,
    judges: Sequence[str],
    *,
    sheet: str,
    seed: int,
    filling: Filling | None = None,
    warm_up: Sequence[PoolItem] = (),
    attention: Sequence[PoolItem] = (),
    at: str = "",
) -> list[tuple[Desk, list[Task]]]:
    """A desk for each judge, with its tasks in order. The same arguments give the same desks.

    Every item goes to ``per_item`` judges (or one more), and the judges' shares differ by one item at
    most (when whole questions are dealt out: as little as the questions allow). *warm_up* items come
    first at every desk and *attention* items among the rest; neither counts. The order of the pool, the
    systems and the order in which judges are named have no influence on what one judge sees where.
    """
    filling = filling or Filling()
    names = sorted(judges)
    if not names or len(set(names)) != len(names):
        raise InputError(f"judges are {list(judges)!r}", mend="name at least one judge, each once")
    if filling.per_item > len(names):
        raise InputError(
            f"{filling.per_item} {noun(filling.per_item, 'judge')} an item, and there are {len(names)}",
            mend="name more judges, or ask for fewer an item",
        )
    if not len(pool):
        raise InputError(f"pool {pool.name!r} is empty", mend="there is nothing to judge")
    shares = _shares(pool, len(names), filling, stream(seed, "assign", pool.seal))
    settings = {
        "seed": seed,
        "judges": names,
        "per_item": filling.per_item,
        "overlap": filling.overlap if filling.per_item < len(names) else 0.0,
        "by": filling.by,
        "order": filling.order,
        "repeats": filling.repeats,
        "warm_up": [item.id for item in warm_up],
        "attention": [item.id for item in attention],
    }
    desks = []
    for name, share in zip(names, shares, strict=True):
        dice = stream(seed, "order", pool.seal, name)
        main = [pool.items[i] for i in share]
        again = _again(main, filling.repeats, dice)
        placed = arranged(
            main, again, attention, order=filling.order, questions=list(pool.questions), dice=dice
        )
        lots = dice.permutation(len(warm_up)).tolist()
        first = [Placed(item=warm_up[i], kind="warm-up") for i in lots]
        desks.append(open_desk(pool.seal, name, [*first, *placed], sheet=sheet, settings=settings, at=at))
    return desks


def open_desk(
    pool: str,
    judge: str,
    placed: Sequence[Placed],
    *,
    sheet: str,
    settings: Mapping[str, object],
    kind: str = "judge",
    at: str = "",
) -> tuple[Desk, list[Task]]:
    """A desk with these items in this order; its id and those of its tasks follow from the rest."""
    items = [[one.item.id, one.kind, list(one.about)] for one in placed]
    mark = seal([pool, judge, kind, sheet, dict(settings), items])[:20]
    desk = Desk(id=mark, pool=pool, judge=judge, sheet=sheet, kind=kind, settings=dict(settings), at=at)
    tasks = [
        Task(
            id=seal([mark, position])[:20],
            desk=mark,
            position=position,
            item=one.item.id,
            kind=one.kind,
            about=one.about,
        )
        for position, one in enumerate(placed)
    ]
    return desk, tasks


def _shares(pool: Pool, judges: int, filling: Filling, dice: Generator) -> list[list[int]]:
    """Positions of the items of each judge: always to those who have least so far, ties by lot."""
    groups: dict[str, list[int]] = {}
    for i, item in enumerate(pool.items):
        groups.setdefault(item.question, []).append(i)
    order = list(groups)
    lots = [order[i] for i in dice.permutation(len(order))]
    piles: list[list[int]] = []
    for question in lots:
        rows = groups[question]
        if filling.by == "question":
            piles.append(rows)
        else:
            piles.extend([rows[i]] for i in dice.permutation(len(rows)))
    extra = round(filling.overlap * len(piles)) if filling.per_item < judges else 0
    twice = set(dice.choice(len(piles), size=extra, replace=False).tolist()) if extra else set()
    load = np.zeros(judges, dtype=np.int64)
    shares: list[list[int]] = [[] for _ in range(judges)]
    for n, pile in enumerate(piles):
        wanted = filling.per_item + (n in twice)
        by_load = np.lexsort((dice.random(judges), load))[:wanted]
        for judge in by_load.tolist():
            shares[judge].extend(pile)
            load[judge] += len(pile)
    return shares


def _again(main: Sequence[PoolItem], share: float, dice: Generator) -> list[PoolItem]:
    n = round(share * len(main))
    if share and not n and len(main) >= 10:
        n = 1
    return [main[i] for i in dice.choice(len(main), size=n, replace=False)] if n else []
