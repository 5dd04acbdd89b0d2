"""The application: routes behind the guard, errors in two lines, nothing of the inside let out."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from evenhand.errors import EvenhandError
from evenhand.web.authoring import pages as authoring
from evenhand.web.desk import overview
from evenhand.web.desk import pages as desk
from evenhand.web.desk.contexts import Health, Message
from evenhand.web.rubric import pages as rubric
from evenhand.web.server.app_state import AppState, Refused, house, visitor
from evenhand.web.server.middleware import Guard
from evenhand.web.server.openapi import description
from evenhand.web.server.render import as_page, mark_of, static
from evenhand.web.server.routes import asks, shows
from evenhand.web.workbench import export, failures, questions, running, sections
from evenhand.web.workbench import studies as workbench

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from evenhand.protocols import Store
    from evenhand.web.authoring.library import Library

__all__ = ["create_app"]

front = APIRouter()
MONTH = 30 * 24 * 3600


@asks(front, "/healthz", Health, refuses=(), also=(503,))
def healthz(request: Request) -> Response:
    """Does the server answer, and does its store?"""
    try:
        house(request).store.seals("health")
    except Exception:  # noqa: BLE001 - whatever it is, the answer is no
        return as_page(request, "", Health(status="no store"), status=503)
    return as_page(request, "", Health(status="ok"))


@front.get("/static/{name}", include_in_schema=False)
def files(request: Request, name: str) -> Response:
    """Our own scripts and styles, by name."""
    found = static(name)
    if found is None:
        raise Refused(404, "there is no such file", mend="go to your desks")
    mark = mark_of(name)
    tag = f'"{mark}"'
    # an address that names the content leads to it for good; scripts name others without
    kept = request.query_params.get("v") == mark
    heads = {"etag": tag, "cache-control": "private, max-age=31536000, immutable" if kept else "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(None, 304, headers=heads)
    return Response(found[0], media_type=found[1], headers=heads)


@front.get("/j/{token}", include_in_schema=False)
def enter(request: Request, token: str) -> Response:
    """A judge's link: it becomes a session, and the token leaves the address bar."""
    there = house(request)
    peer = request.client.host if request.client else ""
    # a right link lets in however many wrong ones came from there: anybody can make browsers follow those
    link = there.doors.link(token)
    wait = 0 if link is not None else there.doors.wait(peer)
    if wait:
        page = Message(status=429, what="too many links that lead nowhere", mend=f"wait {wait} seconds")
        late = as_page(request, "message.html", page, status=429)
        late.headers["retry-after"] = str(wait)
        return late
    if link is None:
        there.doors.failed(peer)
        raise Refused(
            403, "this link lets nobody in", mend="if it was ended, the owner can give you a new one"
        )
    come = RedirectResponse("/welcome", 303)
    if request.scope.get("evenhand.head"):  # who only looks whether it is there does not come in
        return come
    session = there.doors.enter(link)
    come.set_cookie(
        there.cookie, session, max_age=MONTH, path="/", secure=there.secure, httponly=True, samesite="strict"
    )
    return come


@shows(front, "/welcome", Message, refuses=())
def welcome(request: Request) -> Response:
    """A step between: browsers keep a strict cookie back while a link from elsewhere is being followed."""
    page = Message(status=200, what="You are signed in.", mend="Go to your desks.")
    shown = as_page(request, "message.html", page)
    shown.headers["refresh"] = "0; url=/"
    return shown


@front.get("/openapi.json", include_in_schema=False)
def described(request: Request) -> Response:
    """All addresses that answer with JSON, in the form of OpenAPI 3.1."""
    visitor(request)
    there = house(request)
    if there.described is None:
        there.described = description(request.app, cookie=there.cookie)
    return as_page(request, "", there.described)


def create_app(
    store: Store,
    *,
    hosts: Iterable[str] = (),
    secure: bool = False,
    library: Library | None = None,
    results: Iterable[Path] = (),
) -> Guard:
    """The ASGI application over a store; ``hosts`` are its names, ``secure``: is it reached by TLS?

    ``library``: the documents about which owners write questions; without one they write none.
    ``results``: study files, results folders and folders of these, which owners see at ``/studies``.
    """
    app = FastAPI(
        title="evenhand", version=version("evenhand"), docs_url=None, redoc_url=None, openapi_url=None
    )
    app.state.house = there = AppState(store, secure=secure, library=library, results=tuple(results))
    # workbench_parts last: it takes any word
    pages = (workbench, questions, failures, running, export)
    studies = (*pages, sections)
    for part in (desk, rubric, overview, authoring, *studies):
        app.include_router(part.routes)
    app.include_router(front)

    def say(request: Request, status: int, what: str, mend: str) -> Response:
        message = Message(status=status, what=what, mend=mend)
        wants = "" if request.method != "GET" or request.url.path.startswith("/static/") else "message.html"
        return as_page(request, wants, message, status=status)

    async def refused(request: Request, error: Any) -> Response:
        return say(request, error.status, error.what, error.mend)

    async def ours(request: Request, error: Any) -> Response:
        # what the store says may name what this visitor may not see
        unavailable = type(error).__name__ == "Unreachable"
        if unavailable:
            return say(request, 503, "the store cannot be reached", "try again in a moment")
        return say(request, 400, "that cannot be done", "reload the page")

    async def http(request: Request, error: Any) -> Response:
        # 405 says what is done here, in Allow
        words = {404: "there is no such page", 405: "that is not done here"}
        told = words.get(error.status_code, "not understood")
        answer = say(request, error.status_code, told, "go to your desks")
        answer.headers.update(error.headers or {})
        if "GET" in answer.headers.get("allow", ""):
            answer.headers["allow"] += ", HEAD"
        return answer

    async def invalid(request: Request, _: Any) -> Response:
        return say(request, 422, "the request is not understood", "reload the page")

    from fastapi.exceptions import RequestValidationError

    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(EvenhandError, ours)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    return Guard(app, hosts=hosts, secure=secure, warm=there.warm)
