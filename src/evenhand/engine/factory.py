"""From what a study file or ``--engine`` says to an engine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import InputError, nearest
from evenhand.plugins import may_run

if TYPE_CHECKING:
    from evenhand.engine.dask import Dask
    from evenhand.engine.ray import Ray
    from evenhand.protocols import Engine

__all__ = ["FORMS", "at_work", "checked", "engine_of"]

FORMS = ("local", "dask://HOST:PORT", "ray://HOST:PORT", "dask://", "ray://")
KINDS = ("dask", "ray")

_FORM = re.compile(r"(?P<kind>dask|ray)://(?:(?P<place>(?:[^\s/:@\[\]]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}))?")


def checked(name: str) -> str:
    """*name* itself, when it is of the form of an engine; InputError when it is not."""
    if name != "local" and _FORM.fullmatch(name) is None:
        kind = name.partition(":")[0]
        known = kind in KINDS
        raise InputError(
            f"engine is {name!r}",
            mend=f"write {kind}://host:port" if known else f"{nearest(name, FORMS)}",
        )
    return name


def engine_of(name: str, *, paths: Sequence[str | Path] = ()) -> Dask | Ray | None:
    """The engine called *name*, not yet connected; None for ``local``: work is done here and now.

    *paths*: folders in which workers look for modules of the user.
    """
    found = _FORM.fullmatch(checked(name))
    if found is None:
        return None
    may_run(name)  # what comes back from there is unpickled here
    place = found["place"] or ""
    if found["kind"] == "dask":
        from evenhand.engine.dask import Dask

        return Dask(place, paths=paths)
    from evenhand.engine.ray import Ray

    return Ray(place, paths=paths)


@contextmanager
def at_work(engine: Engine | str | None, *, paths: Sequence[str | Path] = ()) -> Iterator[Engine | None]:
    """An engine by name, closed at the end; one that was brought stays open."""
    if not isinstance(engine, str):
        yield engine
        return
    made = engine_of(engine, paths=paths)
    try:
        yield made
    finally:
        if made is not None:
            made.close()
