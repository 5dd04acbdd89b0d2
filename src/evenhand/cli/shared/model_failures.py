"""What failed, on a terminal: a line a model with the other side's words, and the mend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["say_failures"]


def say_failures(failed: Iterable[Mapping[str, Any]], on: Console) -> None:
    """Print them; nothing where nothing failed."""
    from rich.text import Text

    from evenhand.llm.scheduling.failure_summary import said_of
    from evenhand.report.output.terminal import clean

    for one in failed:
        for line in said_of(one):
            indent = len(line) - len(line.lstrip())
            on.print(Text(" " * indent + clean(line)), soft_wrap=True)
