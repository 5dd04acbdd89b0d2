"""A report.json read again, for what builds on an earlier study; and a picture written beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.atomic import write_whole
from evenhand.model.json_text import loads

__all__ = ["read_report", "write_text"]


def read_report(path: Path) -> dict[str, Any]:
    """The report in a results folder of `evenhand run`, or in the file itself; errors name the file."""
    file = path / "report.json" if path.is_dir() else path
    try:
        thing = loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"{file} does not exist", mend="give the results folder of `evenhand run`, or its report.json"
        ) from None
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror or error}", mend="check its permissions"
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{file} is not a report: {error}", mend="make it again with `evenhand run`"
        ) from error
    if not isinstance(thing, dict) or thing.get("kind") != "comparison":
        raise InputError(
            f"{file} is not a report of a comparison", mend="give the report.json that `evenhand run` wrote"
        )
    return thing


def write_text(file: Path, text: str) -> None:
    """Write *file* under a temporary name and move it, so that nobody finds half of it."""
    try:
        write_whole(file, text.encode())
    except OSError as error:
        raise InputError(
            f"{file} cannot be written: {error.strerror or error}", mend="name a place where you may write"
        ) from error
