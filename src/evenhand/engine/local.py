"""The processes of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, TypeVar

from evenhand.engine.ordered_map import ordered
from evenhand.errors import InputError

__all__ = ["Local"]

A = TypeVar("A")
B = TypeVar("B")

AHEAD = 4  # items handed in for each process

_shared: tuple[Any, ...] = ()  # of this process, when it is one of a pool


class Local:
    """Processes of this machine; one worker means this process itself."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def map(
        self,
        work: Callable[..., B],
        items: Iterable[A],
        *,
        shared: Sequence[Any] = (),
        waits: bool = False,
    ) -> Iterator[B]:
        """See `evenhand.protocols.Engine`; what only *waits* runs in this process."""
        if self.workers == 1 or waits:
            for item in items:
                yield work(*shared, item)
            return
        context = get_context("spawn")
        with ProcessPoolExecutor(
            self.workers, mp_context=context, initializer=_hold, initargs=(tuple(shared),)
        ) as pool:

            def start(item: A) -> Future[B]:
                return pool.submit(_one, work, item)

            try:
                yield from ordered(items, start, Future.result, _cancel, ahead=AHEAD * self.workers)
            except BrokenProcessPool as error:
                raise InputError(
                    "a process of this machine ended before its work was done",
                    mend="most often the memory was not enough: use fewer workers",
                ) from error

    def close(self) -> None:
        """Nothing is held between two maps."""


def _hold(shared: tuple[Any, ...]) -> None:
    global _shared  # noqa: PLW0603 - this process lives for one map
    _shared = shared


def _one(work: Callable[..., B], item: Any) -> B:
    return work(*_shared, item)


def _cancel(future: Future[Any]) -> None:
    future.cancel()
