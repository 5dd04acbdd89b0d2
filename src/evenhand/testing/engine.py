"""What every engine promises, as a class of tests."""

# ruff: noqa: D102, S101 - each name is the sentence that is tested

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import EvenhandError, InputError, Unreachable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.protocols import Engine

__all__ = ["EngineContract"]

ITEMS = 12


class EngineContract:
    """All that `evenhand.protocols.Engine` promises. Fixture: ``engine``.

    Workers see the files of ``tmp_path``. ``apart``: work is done by processes that can be lost; set it to
    False for an engine that works in this process.
    """

    apart = True

    def test_results_come_in_the_order_of_the_items(self, engine: Engine) -> None:
        items = [(i, 0.05 if i % 3 == 0 else 0.0) for i in range(ITEMS)]
        assert list(engine.map(late, items)) == list(range(ITEMS))
        assert list(engine.map(late, [])) == []

    def test_what_is_shared_reaches_every_item_as_it_is(self, engine: Engine) -> None:
        table = np.arange(300_000, dtype=np.float64) / 7
        assert list(engine.map(entry, [(3, 5)], shared=(table,))) == [table[3] + table[5]]
        found = list(engine.map(scaled, range(ITEMS), shared=(table, "rows")))
        assert found == [("rows", float((table * i).sum())) for i in range(ITEMS)]

    def test_an_error_of_the_work_is_raised_as_it_is(self, engine: Engine) -> None:
        for wrong in (
            InputError("the third is wrong", mend="leave it out"),
            Unreachable("nobody there", mend="wait", why="HTTP 429", wait=2.5, again=False),
        ):
            try:
                list(engine.map(failing, [None, None, wrong]))
            except EvenhandError as error:
                told = error
            assert type(told) is type(wrong)
            assert vars(told) == vars(wrong)
        assert list(engine.map(late, [(1, 0.0)])) == [1]  # and the engine goes on

    def test_items_are_taken_as_they_are_needed(self, engine: Engine) -> None:
        taken: list[int] = []

        def endless() -> Any:
            for i in count():
                taken.append(i)
                yield i, 0.0

        results = engine.map(late, endless())
        assert list(islice(results, 5)) == [0, 1, 2, 3, 4]
        results.close()  # type: ignore[attr-defined]
        assert len(taken) < 1000

    def test_several_threads_may_ask(self, engine: Engine) -> None:
        def one(i: int) -> int:
            return next(iter(engine.map(late, [(i, 0.02)], waits=True)))

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(one, range(ITEMS))) == list(range(ITEMS))

    def test_the_bytes_are_those_of_this_process(self, engine: Engine) -> None:
        from evenhand.retrieve.dense.distributed_exact import nearest
        from evenhand.retrieve.dense.exact import cosine_top
        from evenhand.stats.intervals.resample import resampled_means
        from evenhand.stats.paired.signflip import signflips

        dice = np.random.default_rng(4)
        columns = dice.random((41, 3)) - 0.5
        options: dict[str, Any] = {"seed": 5, "cells": 41 * 400}
        assert _same(
            resampled_means(columns, resamples=1000, engine=engine, **options),
            resampled_means(columns, resamples=1000, **options),
        )
        assert signflips(columns, signs=1000, engine=engine, **options) == signflips(
            columns, signs=1000, **options
        )
        held = np.round(dice.random((400, 8)), 1).astype(np.float32)  # with ties
        held[17] = 0
        asked = np.concatenate([held[:20], np.zeros((1, 8), np.float32)])
        here, there = cosine_top(asked, held, 30), nearest(asked, held, 30, engine=engine)
        assert here[1:] == there[1:] == (1, 2)
        for (unit, cosine), (other, its) in zip(here[0], there[0], strict=True):
            assert _same(unit, other)
            assert _same(cosine, its)

    def test_work_of_a_lost_worker_is_done_again(self, engine: Engine, tmp_path: Path) -> None:
        if not self.apart:
            return
        table = np.ones(200_000)
        items = [(i, str(tmp_path / "killed") if i == 4 else "") for i in range(ITEMS)]
        assert list(engine.map(mortal, items, shared=(table,))) == [200_000.0 + i for i in range(ITEMS)]
        assert (tmp_path / "killed").exists()


def _same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return one.dtype == other.dtype and one.tobytes() == other.tobytes()


def late(item: tuple[int, float]) -> int:
    """The number of the item, after its seconds."""
    time.sleep(item[1])
    return item[0]


def entry(table: NDArray[np.float64], item: tuple[int, int]) -> float:
    """The sum of two entries."""
    return float(table[item[0]] + table[item[1]])


def scaled(table: NDArray[np.float64], name: str, item: int) -> tuple[str, float]:
    """A sum over all of the table."""
    return name, float((table * item).sum())


def failing(item: Exception | None) -> None:
    """Raise what it is given."""
    if item is not None:
        raise item


def mortal(table: NDArray[np.float64], item: tuple[int, str]) -> float:
    """A sum; the process that is given a file which is not there makes it, and ends at once."""
    number, file = item
    if file and not Path(file).exists():
        Path(file).touch()
        os._exit(1)
    return float(table.sum()) + number
