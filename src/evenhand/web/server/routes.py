"""Routes and what they show: a page and its ``.json`` twin are declared together, and so described."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from evenhand.web.desk.contexts import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fastapi import APIRouter
    from pydantic import BaseModel

    from evenhand.web.desk.contexts import Context

__all__ = ["STATUSES", "asks", "shows", "takes"]

Handler = TypeVar("Handler", bound="Callable[..., Any]")
STATUSES = {
    400: "it cannot be done, or the request is not HTTP as it should be",
    401: "nobody is signed in: the cookie is missing, unknown, ended or too old",
    403: "not for this role; of a POST also: it did not come from a page of this server",
    404: "there is no such thing, or it is somebody else's",
    409: "what is there has changed, or cannot be read",
    413: "the body is larger than 2,000,000 bytes",
    415: "the body is not application/json",
    421: "the server is not called by the name in Host",
    422: "a parameter or the body is not of the form described here",
    500: "a fault of evenhand; what went wrong is not told",
    503: "the store cannot be reached",
}
ALWAYS = (400, 421, 500, 503)
ANY_DOOR = (401, 403, 422)
SENT = (404, 409, 413, 415)


def shows(
    routes: APIRouter, path: str, context: type[Context], *, refuses: Iterable[int] = (404,)
) -> Callable[[Handler], Handler]:
    """A page at *path* and its twin at *path* + ``.json``: both are made from one *context*.

    *refuses*: statuses beside those that every page may have.
    """

    def both(handler: Handler) -> Handler:
        # the twin first: a name in a path takes any ending
        _json(routes, f"{path}.json", context, handler, refuses=(*ANY_DOOR, *refuses))
        routes.get(path, include_in_schema=False)(handler)
        return handler

    return both


def asks(
    routes: APIRouter,
    path: str,
    context: type[Context],
    *,
    refuses: Iterable[int] = (*ANY_DOOR, 404),
    also: Iterable[int] = (),
) -> Callable[[Handler], Handler]:
    """An address that has no page: a script, or a program, asks there for a *context*.

    *also*: other statuses under which the context comes, not a message.
    """

    def one(handler: Handler) -> Handler:
        _json(routes, path, context, handler, refuses=refuses, also=also)
        return handler

    return one


def takes(
    routes: APIRouter, path: str, body: type[BaseModel], context: type[Context]
) -> Callable[[Handler], Handler]:
    """An act: *body* is sent as JSON from a page of this server, and a *context* comes back."""

    def one(handler: Handler) -> Handler:
        _json(routes, path, context, handler, method="POST", sent=body, refuses=(*ANY_DOOR, *SENT))
        return handler

    return one


def _json(
    routes: APIRouter,
    path: str,
    context: type[Context],
    handler: Handler,
    *,
    refuses: Iterable[int],
    also: Iterable[int] = (),
    method: str = "GET",
    sent: type[BaseModel] | None = None,
) -> None:
    told = " ".join((handler.__doc__ or "").split())
    folder, _, module = handler.__module__.removeprefix("evenhand.web.").partition(".")
    extra = None
    if sent is not None:
        # what it refers to moves to the components when all is described
        form = sent.model_json_schema(ref_template="#/components/schemas/{model}")
        extra = {"requestBody": {"required": True, "content": {"application/json": {"schema": form}}}}
    routes.api_route(
        path,
        methods=[method],
        response_model=context,
        response_description="what the page shows" if method == "GET" else "what became of it",
        responses={
            status: {"model": context if status in also else Message, "description": STATUSES[status]}
            for status in sorted({*ALWAYS, *refuses, *also})
        },
        operation_id=f"{folder}.{module}.{handler.__name__}",
        tags=[folder],
        summary=told.split(": ")[0].split(";")[0].rstrip("."),
        description=told,
        openapi_extra=extra,
    )(handler)
