"""A vote: what one model said of one question × piece of text, or why it said nothing that can be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.model.pool import item_id

__all__ = ["VOTES", "Vote"]

VOTES = ("verdict", "out-of-scale", "unparsable", "refused", "cut-off", "fault", "cannot-tell")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """``outcome`` is verdict, cannot-tell, or the way in which none was had; only a verdict has a grade.

    ``judge`` is the panel's name for the model, ``family`` whose it is, ``model`` the seal of model and
    parameters, ``prompt`` that of the sheet and the template, ``call`` the key in the journal. ``grade``
    lies on the sheet's scale. ``told`` is the rest of a verdict as plain JSON (``contribution``,
    ``evidence``: quotes that were found in the text word for word, ``lost``: how many were not).
    ``repeat`` counts further askings of the same thing from 0. ``why`` holds a few words on a failure.
    """

    question: str
    doc: str
    start: int
    end: int
    text_sha256: str
    judge: str
    sheet: str
    outcome: str = "verdict"
    grade: float | None = None
    mode: str = ""
    family: str = ""
    model: str = ""
    prompt: str = ""
    call: str = ""
    rung: str = ""
    repeat: int = 0
    why: str = ""
    told: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.outcome not in VOTES:
            raise InputError(f"a vote of outcome {self.outcome!r}", mend=nearest(self.outcome, VOTES))
        if (self.grade is not None) != (self.outcome == "verdict"):
            raise InputError(
                f"a vote of outcome {self.outcome!r} with grade {self.grade!r}",
                mend="a grade goes with a verdict and with nothing else",
            )

    @property
    def item(self) -> str:
        """The name of what was judged, in every pool."""
        return item_id(self.question, self.doc, self.start, self.end, self.text_sha256)
