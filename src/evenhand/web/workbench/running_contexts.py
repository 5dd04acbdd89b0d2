"""What pages of the workbench show of a run under way. Only owners receive any of it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RunLine", "RunningPage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A command on a study, as last heard of (``at``).

    ``name``: the study's address, empty where it has no results yet; ``state``: see
    `evenhand.store.progress_file.STATES`; ``stage``, ``done``, ``total``: of the stage at work; ``left_s``:
    seconds that stage will take, where that can be told and no note tells it; ``notes``: what it waits for,
    what was spent, what came from the cache; ``words``: all this in one line; ``brief``: what is said aloud;
    ``command``: what to call again.
    """

    study: str
    name: str
    key: str
    what: str
    split: str
    state: str
    command: str
    begun: str
    at: str
    stage: str
    done: int
    total: int
    left_s: float | None
    notes: tuple[str, ...]
    error: str
    words: str
    brief: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningPage:
    """The runs beside the studies that are shown: of each study and split the one at work, or the last."""

    runs: tuple[RunLine, ...]
