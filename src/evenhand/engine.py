"""Where work runs, and nothing else: the engine never changes a result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

__all__ = ["Local"]

A = TypeVar("A")
B = TypeVar("B")


class Local:
    """Processes of this machine; one worker means this process itself."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def map(self, work: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        """Apply *work* to each item; results in the order of *items*."""
        if self.workers == 1:
            yield from map(work, items)
            return
        with ProcessPoolExecutor(self.workers, mp_context=get_context("spawn")) as pool:
            yield from pool.map(work, items)
