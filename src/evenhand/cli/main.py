"""The front door. Heavy libraries are imported inside the commands, so that ``--help`` is quick."""

from __future__ import annotations

import typer

__all__ = ["app", "run"]

app = typer.Typer(
    name="evenhand",
    help="The truth about your retrieval, and how sure you may be of it.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
