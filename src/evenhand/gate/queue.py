"""The deferred questions, for people: what was asked, why it was deferred, what each system found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.gate.columns import Decisions
    from evenhand.gate.rankings import Rankings

__all__ = ["Deferred", "queue_of"]

SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferred:
    """One question for a person. ``value``: of the rule's signal; None where it could not be had."""

    place: int  # from 1
    question: str
    text: str
    reason: str
    value: float | None
    flagged: bool
    documents: Mapping[str, tuple[str, ...]]  # system -> its first documents

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, keys in a fixed order."""
        return {
            "place": self.place,
            "question": self.question,
            "text": self.text,
            "reason": self.reason,
            "value": self.value,
            "flagged": self.flagged,
            "documents": {system: list(found) for system, found in self.documents.items()},
        }


def queue_of(
    decisions: Decisions,
    rankings: Rankings,
    texts: Mapping[str, str],
    *,
    shown: int = SHOWN,
    higher: bool = True,
) -> tuple[Deferred, ...]:
    """Deferred questions in the order to look at them.

    First those flagged (something is broken: a score was missing), then by the rule's value, nearest to being
    answered first (*higher* False: of a distance), those without a value last; equal ones by id.
    *texts*: question id -> text; nothing of the truth is shown.
    """

    def order(i: int) -> tuple[bool, bool, float, str]:
        made = decisions.made[i]
        value = made.value or 0.0
        return not made.flagged, made.value is None, -value if higher else value, decisions.questions[i]

    deferred = [i for i, made in enumerate(decisions.made) if made.decision == "defer"]
    at = {question: i for i, question in enumerate(rankings.questions)}
    return tuple(
        Deferred(
            place=place,
            question=decisions.questions[i],
            text=texts.get(decisions.questions[i], ""),
            reason=decisions.made[i].reason or "",
            value=decisions.made[i].value,
            flagged=decisions.made[i].flagged,
            documents={
                name: tuple(rankings.documents(name, at[decisions.questions[i]], shown))
                for name in rankings.systems
            },
        )
        for place, i in enumerate(sorted(deferred, key=order), 1)
    )
