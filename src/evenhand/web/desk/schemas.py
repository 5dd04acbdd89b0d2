"""What a desk sends: answers, undos and events, each under a token of its own; anything else is refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import CoreSchema, core_schema

__all__ = ["AnswerIn", "Delivery", "EventsIn", "In", "Milliseconds", "Nothing", "Whole", "words"]

Token = Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,80}$")]
Id = Annotated[str, Field(max_length=20)]
Time = Annotated[str, Field(pattern=r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z)?$", max_length=40)]


class words:  # noqa: N801 - stands in annotations as a function would
    """A text of at most so many characters."""

    def __init__(self, most: int) -> None:
        self.most = most

    # pydantic's own strings refuse half a surrogate pair, which a text may hold and a quote must then repeat
    def __get_pydantic_core_schema__(self, *_: Any) -> CoreSchema:
        """A plain check, and what a description says of it."""
        told = {"type": "string", "maxLength": self.most}
        return core_schema.no_info_plain_validator_function(
            self._checked, metadata={"pydantic_js_functions": [lambda *_: told]}
        )

    def _checked(self, thing: Any) -> str:
        if not isinstance(thing, str) or len(thing) > self.most:
            raise ValueError("not a text of that length")
        return thing


def _integer(thing: Any) -> Any:
    return int(thing) if isinstance(thing, float) and thing.is_integer() else thing


# JSON has one kind of number: 1.0 is a whole one too; beyond 2**53 - 1 a browser has none
Whole = Annotated[int, Field(le=2**53 - 1), BeforeValidator(_integer)]
Milliseconds = Annotated[int, Field(ge=0, le=86_400_000), BeforeValidator(_integer)]  # of one day


class In(BaseModel):
    """What is sent: nothing beyond its fields, and each of its own type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class MarkIn(In):
    """Marked words: code points of the text as it was sent, and the words themselves."""

    start: Whole = Field(ge=0)
    end: Whole = Field(ge=1)
    quote: Annotated[str, words(200_000)]


class AnswerIn(In):
    """One act at a desk."""

    token: Token
    task: Id = ""
    kind: Literal["grade", "cannot-tell", "skip", "undo"]
    grade: float | None = None
    mode: str = Field(default="", max_length=80)
    reason: Annotated[str, words(500)] = ""
    comment: Annotated[str, words(5000)] = ""
    evidence: list[MarkIn] = Field(default_factory=list, max_length=200)
    sheet: str = Field(default="", max_length=64)
    shown_at: Time = ""
    active_ms: Milliseconds | None = None


class Delivery(In):
    """Acts in the order in which they were made."""

    answers: list[AnswerIn] = Field(min_length=1, max_length=500)


class EventIn(In):
    """Something that happened at a desk."""

    token: Token
    kind: str = Field(max_length=20)
    at: Time
    task: Id = ""
    body: dict[str, bool | int | float | Annotated[str, Field(max_length=200)] | None] = Field(
        default_factory=dict, max_length=10
    )


class EventsIn(In):
    """Events in their order."""

    events: list[EventIn] = Field(min_length=1, max_length=500)


class Nothing(In):
    """An act that needs no more than its address: ``{}``."""
