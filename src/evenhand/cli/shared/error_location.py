"""Errors about a section of a study file, with the file and the line, whatever found them and when."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["places_errors"]

P = ParamSpec("P")
T = TypeVar("T")


def places_errors(command: Callable[P, T]) -> Callable[P, T]:
    """*command*, whose first argument is a study file or its folder, with its errors placed in that file."""

    @wraps(command)
    def run(*args: P.args, **told: P.kwargs) -> T:
        from evenhand.formats.study_file.error_location import placing

        study = next((one for one in (*args, *told.values()) if isinstance(one, Path)), None)
        if study is None:
            return command(*args, **told)
        with placing(study / "study.toml" if study.is_dir() else study):
            return command(*args, **told)

    return run
