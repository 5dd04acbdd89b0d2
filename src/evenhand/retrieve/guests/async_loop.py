"""A loop of its own for guests that are asked asynchronously, also where another one runs (notebooks)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from typing import Any

__all__ = ["Loop"]


class Loop:
    """One event loop in a thread, from the first question to the last: clients are bound to their loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, awaited: Awaitable[Any]) -> Any:
        """What *awaited* gives, or raises."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="guest", daemon=True)
            self._thread.start()
        return asyncio.run_coroutine_threadsafe(_of(awaited), self._loop).result()

    def close(self) -> None:
        """Stop it; a later `run` begins another."""
        loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(_finish(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _of(awaited: Awaitable[Any]) -> Any:
    return await awaited


async def _finish() -> None:
    """End what a guest has left running, as `asyncio.run` does."""
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
