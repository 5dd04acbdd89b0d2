"""What code that somebody brings has raised, in words: its kind, its text, and where in their files."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from traceback import walk_tb

from evenhand.redact import in_line

__all__ = ["place_of", "raised"]

MOST = 300  # characters of an error's text
_OURS = str(Path(__file__).resolve().parent) + os.sep
_LIBRARIES = tuple(
    str(Path(path).resolve()) + os.sep
    for name in ("stdlib", "platstdlib", "purelib", "platlib")
    if (path := sysconfig.get_path(name))
)


def raised(error: BaseException, *, place: bool = True) -> str:
    """``KeyError: 'x' (judges.py:3)``, as it may be kept and shown; *place*: with file and line.

    On one line, without keys and without what would act on a terminal.
    """
    said = in_line(str(error), MOST)
    words = f"{type(error).__name__}: {said}" if said else type(error).__name__
    where = place_of(error) if place else ""
    return f"{words} ({where})" if where and where not in words else words


def place_of(error: BaseException) -> str:
    """File and line that an error came from: the innermost that is neither ours nor a library's."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{Path(error.filename).name}:{error.lineno}"
    own = [(path, line) for path, line in _lines(error) if not path.startswith((_OURS, *_LIBRARIES))]
    return f"{Path(own[-1][0]).name}:{own[-1][1]}" if own else ""


def _lines(error: BaseException) -> Iterator[tuple[str, int]]:
    """File and line of each frame that has a file, from the outermost."""
    for frame, line in walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if not name.startswith("<"):
            yield str(Path(name).resolve()), line
