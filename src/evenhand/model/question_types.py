"""Types of questions, given before anything is judged: by a model in one pass, or by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from evenhand.model.seal import seal

__all__ = ["QuestionTypes"]


@dataclass(frozen=True, kw_only=True)
class QuestionTypes:
    """The type of each question by its id; ``asked`` is the seal of the questions and their words.

    ``by`` is ``model`` or ``hand``; ``model`` names the model, ``model_seal``, ``prompt`` and ``sheet`` are
    seals of it and of what it was told. ``untyped``: questions that have none, with the reason; ``repeat``:
    how often the model had been asked before, so that the next pass is another one.
    """

    types: Mapping[str, str]
    by: str = "hand"
    model: str = ""
    family: str = ""
    model_seal: str = ""
    prompt: str = ""
    sheet: str = ""
    asked: str = ""
    untyped: Mapping[str, str] = field(default_factory=dict)
    repeat: int = 0

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, in a fixed order."""
        return {
            "schema": "evenhand.question-types/1",
            "by": self.by,
            "model": self.model,
            "family": self.family,
            "model_seal": self.model_seal,
            "sheet": self.sheet,
            "prompt": self.prompt,
            "asked": self.asked,
            **({"repeat": self.repeat} if self.repeat else {}),
            "types": dict(sorted(self.types.items())),
            "untyped": dict(sorted(self.untyped.items())),
        }

    @cached_property
    def seal(self) -> str:
        """Seal over all of it."""
        return seal(self.as_json())
