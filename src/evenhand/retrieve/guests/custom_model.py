"""A model that somebody brings: by name, as a class, an object or a plain function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evenhand.errors import InputError
from evenhand.plugins import find, made

__all__ = ["brought"]


def brought(
    thing: Any,
    kind: str,
    *,
    verb: str,
    function: Callable[[str, Any], Any],
    shape: str,
    settings: Mapping[str, Any],
) -> Any:
    """*thing* as an object that has the method *verb*: a name is found, a class made with *settings*.

    A plain function is wrapped by ``function(name, thing)``. Raises InputError where it is none of these
    (*shape* says in the mend what would be), or where the settings do not fit.
    """
    name = thing if isinstance(thing, str) else ""
    if isinstance(thing, str):
        thing = find(thing, kind)
    if isinstance(thing, type):
        where = f"{kind} {name or thing.__name__!r}"
        thing = made(thing, settings, where=where, mend="give the settings its class takes")
    elif settings:
        raise InputError(
            f"{kind} {name!r} takes no settings, but {sorted(settings)} are given", mend="leave them out"
        )
    if callable(getattr(thing, verb, None)):
        return thing
    if callable(thing):
        return function(name or getattr(thing, "__name__", "function"), thing)
    raise InputError(f"{name or thing!r} is not {'an' if kind[0] in 'aeiou' else 'a'} {kind}", mend=shape)
