"""bm25s, loaded without what it would take along unasked."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import Lock
from typing import Any

__all__ = ["bm25s"]

_LOADING = Lock()


def bm25s(*, compiled: bool = False) -> Any:
    """The library bm25s; with numba only when *compiled*.

    Where numba is installed bm25s loads it (60 MB, a second) whether it will be used or not.
    """
    with _LOADING:
        there = sys.modules.get("bm25s")
        if there is not None and compiled and not there.NUMBA_AVAILABLE:
            for name in [name for name in sys.modules if name.split(".")[0] == "bm25s"]:
                del sys.modules[name]
            there = None
        if there is None:
            with _absent(() if compiled else ("numba",)):
                there = import_module("bm25s")
            logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG
        return there


@contextmanager
def _absent(names: tuple[str, ...]) -> Iterator[None]:
    """Let modules that are not loaded yet look as if they were not installed."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None is Python's word for it
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
