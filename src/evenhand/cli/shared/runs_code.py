"""Which commands run code that a study brings, and which ask first: all others run none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ParamSpec, TypeVar

import typer

if TYPE_CHECKING:
    from evenhand.model.plan.study import Plan

__all__ = ["RunCode", "asked", "runs_code"]

SAYS = "Runs the code that the study names (python:, command:)."
RunCode = Annotated[
    bool, typer.Option("--run-code", help="Run the code that the study names (python:, command:), once read.")
]


P = ParamSpec("P")
T = TypeVar("T")


def runs_code(command: Callable[P, T]) -> Callable[P, T]:
    """A command that runs what its study brings, and whose help says so."""

    @wraps(command)
    def running(*args: P.args, **options: P.kwargs) -> T:
        from evenhand.plugins import code

        with code(runs=True):
            return command(*args, **options)

    running.__doc__ = f"{(command.__doc__ or '').rstrip()}\n\n    {SAYS}\n    "
    return running


@contextmanager
def asked(plan: Plan, study: Path, *, run: bool) -> Iterator[None]:
    """Let the code of a study run where that was *run*: asked for; refuse a study that needs it otherwise."""
    from evenhand.errors import InputError
    from evenhand.plugins import code
    from evenhand.study.steps.code_fingerprint import code_named

    named = code_named(plan)
    if named and not run:
        raise InputError(
            f"{study} would run {', '.join(named)}",
            mend="read that code first; the same command with --run-code runs it",
        )
    with code(runs=run):
        yield
