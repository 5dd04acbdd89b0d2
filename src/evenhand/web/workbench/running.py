"""What runs just now: read from the files that commands leave beside their caches, and asked for by pages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from evenhand.report.output.number_format import count
from evenhand.store.progress_file import watched_in
from evenhand.web.server.app_state import house, visitor
from evenhand.web.server.render import as_page
from evenhand.web.server.routes import asks
from evenhand.web.workbench.results_index import DEEP, folders_in
from evenhand.web.workbench.running_contexts import RunLine, RunningPage

if TYPE_CHECKING:
    from evenhand.store.progress_file import Watched

__all__ = ["Running", "routes"]

routes = APIRouter()
CACHE = ".evenhand"
ABOVE = 2  # folders of a report above it: results/ is in the study's, results/holdout/ a folder deeper
FRESH = 5.0  # seconds for which the list of caches is believed
Names = dict[Path, str]
LEFT = " left"  # how the note of a panel says what its own estimate is


@asks(routes, "/running.json", RunningPage, refuses=(401, 403))
def running(request: Request) -> Response:
    """What runs, ran or was stopped beside the studies that are shown; pages ask each second or two."""
    visitor(request, "owner")
    return as_page(request, "", RunningPage(runs=house(request).running.lines()))


@dataclass
class Running:
    """Commands beside *places* and the reports found there; *names*: addresses of studies by their report."""

    places: Sequence[Path]
    names: Callable[[], Mapping[Path, str]]
    _known: tuple[float, Names, tuple[Path, ...]] = field(default=(-FRESH, {}, ()), repr=False)

    def lines(self) -> tuple[RunLine, ...]:
        """One line a study and split: what is at work, else what was heard of last.

        What is done, and whose results lie elsewhere, is not told of.
        """
        names, caches = self._found()
        best: dict[tuple[Path, str, str], Watched] = {}
        for root in caches:
            for one in watched_in(root):
                key = one.home, one.study, one.split
                if key not in best or _order(one) > _order(best[key]):
                    best[key] = one
        told = ((one, _name(one, names)) for one in best.values())
        return tuple(_line(one, name) for one, name in told if name or one.state != "done")

    def _found(self) -> tuple[Names, tuple[Path, ...]]:
        """Names of studies by the folder of their report, and the caches that may tell of them."""
        at, names, caches = self._known
        if time.monotonic() - at < FRESH:
            return names, caches
        names = {path.resolve().parent: name for path, name in self.names().items()}
        found: dict[Path, None] = {}
        for place in self.places:
            home, deep = (place, DEEP) if place.is_dir() else (place.parent, 0)
            for folder in (*folders_in(home, deep), home.resolve().parent):
                found[folder.resolve() / CACHE] = None
        for folder in names:
            found.update(dict.fromkeys(above / CACHE for above in folder.parents[:ABOVE]))
        caches = tuple(one for one in found if one.is_dir())
        self._known = time.monotonic(), names, caches
        return names, caches


def _order(one: Watched) -> tuple[bool, str]:
    return one.state == "running", one.at


def _name(one: Watched, names: Names) -> str:
    """The address of the study whose results it makes; by its folder where it makes none."""
    if one.out:
        return names.get((one.home / one.out).resolve(), "")
    home = one.home.resolve()
    return next((name for folder, name in sorted(names.items()) if folder.parent == home), "")


def _line(one: Watched, name: str) -> RunLine:
    last = one.stages[-1] if one.stages else None
    notes = tuple(part for part in last["note"].split(" · ") if part) if last else ()
    left = None
    if last and one.state == "running" and not any(part.endswith(LEFT) for part in notes):
        left = last["left"]
    return RunLine(
        study=one.study,
        name=name,
        key=f"{one.study} {one.split}",
        what=one.what,
        split=one.split,
        state=one.state,
        command=one.command,
        begun=one.begun,
        at=one.at,
        stage=last["stage"] if last else "",
        done=last["done"] if last else 0,
        total=last["total"] if last else 0,
        left_s=left,
        notes=notes,
        error=one.error,
        words=" · ".join(_words(one, last, notes, left)),
        brief=_brief(one, last, notes),
    )


def _words(one: Watched, last: Any, notes: Sequence[str], left: float | None) -> Iterator[str]:
    where = f"{last['stage']}, {count(last['done'])} of {count(last['total'])}" if last else ""
    when = one.at[:16].replace("T", " ")
    if one.state == "running":
        yield f"{one.what}: {where or 'begins'}"
        if left is not None:
            yield f"about {_span(left)} left"
        yield from notes
    elif one.state == "done":
        yield f"{one.what} finished {when} UTC"
    else:
        ended = {"failed": "failed", "stopped": "stopped", "silent": "has told nothing since"}[one.state]
        yield f"{one.what} {ended} {when} UTC{f' at {where}' if where else ''}"
        if one.error:
            yield one.error
        if one.state == "failed":
            yield "once that is mended, go on with"
        else:
            yield "what was done is kept; go on with"


def _brief(one: Watched, last: Any, notes: Sequence[str]) -> str:
    """What is worth saying aloud: a stage, a wait, an end; not each step."""
    if one.state != "running":
        return f"{one.study}: {one.what} {'finished' if one.state == 'done' else one.state}"
    wait = next((part.partition(": ")[2] for part in notes if part.startswith("waiting ")), "")
    stage = last["stage"] if last else "begins"
    return f"{one.study}: {stage}" + (f", waiting for {wait}" if wait else "")


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
