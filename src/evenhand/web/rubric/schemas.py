"""What a rubric desk sends: ratings, skips, comments and undos; and the wish to see the checks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evenhand.web.desk.schemas import Id, In, Milliseconds, Time, Token, words

__all__ = ["ChecksIn", "RatedIn", "Ratings"]


class RatedIn(In):
    """One act at a rubric desk; its token makes a second delivery harmless."""

    token: Token
    act: Literal["rate", "skip", "comment", "undo"]
    task: Id = ""
    field: str = Field(default="", max_length=20)
    said: str = Field(default="", max_length=20)
    reason: Annotated[str, words(500)] = ""
    comment: Annotated[str, words(5000)] = ""
    sheet: str = Field(default="", max_length=64)
    shown_at: Time = ""
    active_ms: Milliseconds | None = None


class Ratings(In):
    """Acts in the order in which they were made."""

    answers: list[RatedIn] = Field(min_length=1, max_length=500)


class ChecksIn(In):
    """The wish to see what checks found in an item; ``early``: also before its time, which is recorded."""

    token: Token
    task: Id
    early: bool = False
