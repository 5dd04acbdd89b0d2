"""Errors about a section of a study file, with file and line, found after the file was read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evenhand.errors import EvenhandError, InputError
from evenhand.formats.study_file.toml_reader import Problems, load_toml

__all__ = ["placed", "placing"]

_PLACE = re.compile(r"\[(?P<section>[^\[\]]+)\] ?(?:(?P<key>[\w-]+): )?")


def placed(path: str | Path, error: EvenhandError) -> EvenhandError:
    """*error* about ``[section]`` or ``[section] key: …``, with file and line put before it."""
    found = _PLACE.match(error.what)
    if found is None:
        return error
    try:
        _, book = load_toml(Path(path))
    except InputError:
        return error
    section, key = found["section"], found["key"] or ""
    told = error.what[found.end("section") + 1 :].strip()
    if key and book.has(section, key):
        told = told.removeprefix(f"{key}: ")
        return error.reworded(f"{book.where(section, key)}: {told}")
    key = next((k for s, k in book.lines if s == section and k and f"{k!r}" in error.what), "")
    return error.reworded(f"{book.where(section, key)} {told}")


@contextmanager
def placing(path: str | Path) -> Iterator[None]:
    """Say every error about a section of the study file *path* with the file and the line."""
    try:
        yield
    except Problems as error:
        raise Problems.of([placed(path, one) for one in error.problems]) from error
    except EvenhandError as error:
        raise placed(path, error) from error
