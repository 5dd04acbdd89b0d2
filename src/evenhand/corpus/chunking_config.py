"""From a section of a study file to the rule it describes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from evenhand.corpus.external_splitters import Guest
from evenhand.corpus.fixed import Fixed, Whole
from evenhand.corpus.headings import Headings
from evenhand.corpus.recursive import Recursive
from evenhand.corpus.sentences import Sentences
from evenhand.errors import EvenhandError, InputError, nearest
from evenhand.plugins import find, made

__all__ = ["RULES", "rule_of"]

RULES: dict[str, type] = {
    "fixed": Fixed,
    "sentences": Sentences,
    "headings": Headings,
    "recursive": Recursive,
    "document": Whole,
}


def rule_of(name: str, settings: Mapping[str, Any], *, where: str) -> Any:
    """The rule called *name*, with its *settings*; *where* names file and section in messages.

    *name* is ``fixed``, ``sentences``, ``headings``, ``recursive``, ``document`` or
    ``python:package.module:thing``. A guest that is a class, or a function that takes more than the text,
    gets the settings as keyword arguments. Raises :class:`InputError` for unknown words, wrong types and
    impossible sizes.
    """
    given = {key: value for key, value in settings.items() if key != "rule"}
    if not isinstance(name, str):
        raise InputError(f"{where}: rule = {name!r} is not a text", mend=f"use one of: {', '.join(RULES)}")
    if name not in RULES:
        return _guest(name, given, where=where)
    kind = RULES[name]
    known = [f.name for f in fields(kind)]
    for key in given:
        if key not in known:
            mend = nearest(key, known) if known else "this rule has no settings: leave it out"
            raise InputError(f"{where}: rule {name!r} has no setting {key!r}", mend=mend)
    if "size" in known and "size" not in given and name != "headings":
        raise InputError(f"{where}: rule {name!r} needs a size", mend="write for example size = 200")
    if isinstance(given.get("separators"), list):
        given["separators"] = tuple(given["separators"])
    try:
        return kind(**given)
    except InputError as error:
        raise InputError(f"{where}: {error.what}", mend=error.mend) from error


def _guest(name: str, given: Mapping[str, Any], *, where: str) -> Any:
    with _placed(where):
        thing = find(name, "chunking")
    try:
        if isinstance(thing, type):
            mend = f"its signature is {_signature(thing)}"
            with _placed(where):
                thing = made(thing, given, where=name, mend=mend)
        elif given and not _is_splitter(thing):
            thing = _bound(thing, given)
    except TypeError as error:
        raise InputError(
            f"{where}: {name} does not take these settings: {error}",
            mend=f"its signature is {_signature(thing)}",
        ) from error
    if callable(getattr(thing, "cut", None)):
        return thing
    guest = Guest(thing, name=name, options=dict(given))
    try:
        _ = guest.call  # say now, not after the corpus is read, that it cannot be called
    except InputError as error:
        raise InputError(f"{where}: {error.what}", mend=error.mend) from error
    return guest


@contextmanager
def _placed(where: str) -> Iterator[None]:
    """Say with *where* what goes wrong with a guest."""
    try:
        yield
    except EvenhandError as error:
        raise InputError(f"{where}: {error.what}", mend=error.mend) from error


def _is_splitter(thing: Any) -> bool:
    return any(callable(getattr(thing, method, None)) for method in ("split_text", "chunk", "cut"))


def _bound(thing: Any, given: Mapping[str, Any]) -> Any:
    """A function with all but its first argument fixed."""
    from functools import partial

    inspect.signature(thing).bind("", **given)
    return partial(thing, **given)


def _signature(thing: Any) -> str:
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "not known"
