"""What a pool is made of, and what it will cost: to be looked at before anybody judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evenhand.labelling.desk.assign import Filling
    from evenhand.model.pool import Pool

__all__ = ["Cost", "Part", "composition", "cost"]

SLOW, QUICK = 180.0, 400.0  # words a minute, read with care and skimmed
THINK = (2.0, 6.0)  # seconds an item beside the reading, for the quick and for the slow


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One system, or one kind of system: items it found, and items that nobody else found."""

    name: str
    found: int
    only: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What judging a pool takes: hours from the quick to the slow reader, all judges together."""

    items: int
    judgements: int
    words: int
    hours: tuple[float, float]
    money: tuple[float, float] | None = None


def composition(pool: Pool, *, by: str = "kind") -> list[Part]:
    """Items by ``kind`` of system or by ``system``, in the order of the pool's runs.

    A pool that mostly one kind filled favours that kind: what the others would find has no label.
    """
    if by not in ("kind", "system"):
        raise InputError(f"composition by {by!r}", mend="use kind or system")
    label = [run.kind if by == "kind" else run.system for run in pool.runs]
    names = list(dict.fromkeys(label))
    code = np.array([names.index(one) for one in label], dtype=np.int64)
    found = np.zeros((len(names), len(pool)), dtype=bool)
    if len(pool.found_item):
        found[code[pool.found_run], pool.found_item] = True
    alone = found.sum(axis=0) == 1
    return [
        Part(name=name, found=int(row.sum()), only=int((row & alone).sum()))
        for name, row in zip(names, found, strict=True)
    ]


def cost(
    pool: Pool,
    texts: Iterable[str],
    filling: Filling,
    *,
    judges: int,
    planted: int = 0,
    an_hour: float | None = None,
) -> Cost:
    """Before it starts: items, judgements with overlap and repeats, words to read, hours, money.

    *texts* are those of the pool's items; *planted* warm-up and attention items come at every desk;
    *an_hour* is what an hour of judging costs.
    """
    twice = filling.overlap if filling.per_item < judges else 0.0
    passes = (filling.per_item + twice) * (1 + filling.repeats)
    judgements = round(len(pool) * passes) + planted * judges
    words = sum(len(text.split()) for text in texts)
    asked: dict[str, int] = {}
    for item in pool.items:
        asked[item.question] = asked.get(item.question, 0) + 1
    own = sum(len(pool.questions[question].split()) for question in asked)
    read = words * passes + own * min(judges, filling.per_item + twice)
    hours = (
        read / QUICK / 60 + judgements * THINK[0] / 3600,
        read / SLOW / 60 + judgements * THINK[1] / 3600,
    )
    money = (hours[0] * an_hour, hours[1] * an_hour) if an_hour is not None else None
    return Cost(items=len(pool), judgements=judgements, words=round(read), hours=hours, money=money)
