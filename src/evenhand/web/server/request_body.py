"""The body of a request, read as what it should be."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from evenhand.model.json_text import loads
from evenhand.web.server.app_state import Refused

__all__ = ["body", "parsed"]

In = TypeVar("In", bound=BaseModel)


async def body(request: Request) -> bytes:
    """The body of a JSON request."""
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise Refused(415, "this is not JSON", mend="send application/json")
    return await request.body()


def parsed(kind: type[In], data: bytes) -> In:
    """A body as what it should be."""
    try:
        # python's reader, because half a surrogate pair is an error to pydantic's
        return kind.model_validate(loads(data, parse_constant=_no_constant))
    except (ValidationError, ValueError, RecursionError) as error:
        raise Refused(422, "the request is not understood", mend="reload the page") from error


def _no_constant(name: str) -> float:
    raise ValueError(name)
