"""What approximate search finds of what exact search does, in words that stand beside each number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.report.output.number_format import interval, number
from evenhand.text.plural import noun

__all__ = ["marks"]


def marks(systems: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """By system of a report that searches approximately: its recall, in words."""
    made = {}
    for one in systems:
        found = one["provenance"].get("recall")
        if isinstance(found, Mapping) and {"at", "point", "low", "high", "questions"} <= found.keys():
            made[str(one["name"])] = (
                f"approximate: recall@{found['at']} {number(found['point'])} "
                f"{interval(found['low'], found['high'])} of exact search, on {found['questions']} "
                f"{noun(found['questions'], 'question')}"
            )
    return made
