"""A family of commands in the house's manner."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from evenhand.errors import InputError, nearest

__all__ = ["Group", "group"]


class Group(TyperGroup):
    """Commands by name; an unknown one names the nearest."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            names = [name for name in self.list_commands(ctx) if not self.commands[name].hidden]
            raise InputError(
                f"no command {ctx.command_path.split(' ', 1)[-1] + ' ' if ctx.parent else ''}{args[0]!r}",
                mend=nearest(args[0], names),
            )
        return super().resolve_command(ctx, args)


def group(**options: Any) -> typer.Typer:
    """A family of commands in the house's manner: plain help, our errors, nothing imported early."""
    return typer.Typer(
        cls=Group,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **options,
    )
