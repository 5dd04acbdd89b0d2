"""A file of another tool is read by looking into it; what is missing there is no fault of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from evenhand.errors import InputError

__all__ = ["of_form"]

# what looking into rows, keys and numbers of another form raises
_ODD = (
    TypeError,
    AttributeError,
    KeyError,
    IndexError,
    ValueError,
    OverflowError,
    RecursionError,
)


@contextmanager
def of_form(file: str, tool: str, *, mend: str) -> Iterator[None]:
    """Within, *file* is read as *tool* writes it; raises InputError where it has another form."""
    try:
        yield
    except _ODD as error:
        raise InputError(
            f"{file} has not the form of {tool} ({type(error).__name__}: {error})", mend=mend
        ) from error
