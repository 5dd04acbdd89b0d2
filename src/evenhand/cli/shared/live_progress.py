"""Progress of a command for the terminal and, beside the cache, for whoever watches in the workbench."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.model.plan.study import Plan
    from evenhand.protocols import Progress

__all__ = ["watched"]


@contextmanager
def watched(
    plan: Plan,
    folder: Path,
    *,
    command: str,
    what: str = "run",
    split: str = "dev",
    out: Path | None = None,
    cache: Path | None = None,
    silent: bool = False,
) -> Iterator[Progress]:
    """Progress of *command* on *plan*, whose folder is *folder*; *silent*: nothing on the terminal."""
    from evenhand.protocols import quiet
    from evenhand.report.output.terminal import progress
    from evenhand.store.progress_file import Live

    root = cache if cache is not None else folder / ".evenhand"
    results = ""
    if out is not None:
        with suppress(ValueError):  # on another drive, where there is no way from here
            results = os.path.relpath(out, root.parent)
    live = Live(root, study=plan.name, what=what, split=split, out=results, command=command)
    with live, nullcontext(quiet) if silent else progress() as lines:

        def both(stage: str, done: int, total: int, note: str = "") -> None:
            live(stage, done, total, note)
            lines(stage, done, total, note)

        yield both
