"""Items handed in a few at a time, results given in the order of the items."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

__all__ = ["ordered"]

A = TypeVar("A")
B = TypeVar("B")
F = TypeVar("F")


def ordered(
    items: Iterable[A],
    start: Callable[[A], F],
    wait: Callable[[F], B],
    cancel: Callable[[F], None],
    *,
    ahead: int,
) -> Iterator[B]:
    """Results of *items* in their order; at most *ahead* are started and not yet given.

    Items are taken as they are needed. Whoever leaves early, or an error, cancels what is under way.
    """
    flying: deque[F] = deque()
    try:
        for item in items:
            flying.append(start(item))
            if len(flying) >= ahead:
                yield wait(flying.popleft())
        while flying:
            yield wait(flying.popleft())
    finally:
        for one in flying:
            cancel(one)
