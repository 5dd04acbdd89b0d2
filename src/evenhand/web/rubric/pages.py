"""The rubric desk: its page, its items, its ratings and events; and the checks, when their time has come."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.answer.checks.run_checks import CHECKS
from evenhand.answer.rating.rubric import RUBRIC
from evenhand.errors import InputError
from evenhand.store.clock import now
from evenhand.web.desk.schemas import EventsIn
from evenhand.web.rubric.contexts import Found, RubricItems, RubricKept, RubricPage, RubricTaken
from evenhand.web.rubric.save import record, take
from evenhand.web.rubric.schemas import ChecksIn, Ratings
from evenhand.web.server.app_state import Refused, house, visitor
from evenhand.web.server.render import as_page, guideline_html
from evenhand.web.server.request_body import body, parsed
from evenhand.web.server.routes import asks, shows, takes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evenhand.web.rubric.session import Room

__all__ = ["routes"]

AHEAD = 8  # items sent with the page, and the most that one request brings
TOLD = ("sought", "found", "missing")  # of a finding; where it stands in texts is not shown
routes = APIRouter()
Body = Annotated[bytes, Depends(body)]


def _room(request: Request, name: str) -> Room:
    return house(request).rooms.of(visitor(request), name)


def _items(room: Room, items: Iterable[str]) -> tuple[dict[str, Any], ...]:
    return tuple(room.sent(item) for item in items)


@asks(routes, "/rubric/{name}/items.json", RubricItems)
def items(  # noqa: PLR0917 - a query's parameters
    request: Request,
    name: str,
    after: Annotated[int, Query(ge=-1)] = -1,
    n: Annotated[int, Query(ge=1, le=AHEAD)] = AHEAD,
    at: Annotated[int, Query(ge=-1)] = -1,
    skipped: bool = False,
) -> Response:
    """The next open items behind a position; or the one at a position; or those that were skipped."""
    room = _room(request, name)
    if at >= 0:
        found = room.order[at : at + 1]
    elif skipped:
        found = tuple(item for item in room.skipped() if room.places[item] > after)[:n]
    else:
        found = tuple(islice(room.open_after(after), n))
    page = RubricItems(items=_items(room, found), sheet=RUBRIC.seal, progress=room.progress())
    return as_page(request, "", page)


@shows(routes, "/rubric/{name}", RubricPage)
def page(request: Request, name: str) -> Response:
    """The desk itself."""
    room = _room(request, name)
    context = RubricPage(
        desk=room.desk.id,
        rubric=RUBRIC.as_json(),
        sheet=RUBRIC.seal,
        hide=room.desk.hide,
        guideline_html=guideline_html(RUBRIC.guideline),
        items=_items(room, islice(room.open_after(-1), AHEAD)),
        progress=room.progress(),
    )
    return as_page(request, "rubric.html", context)


@takes(routes, "/rubric/{name}/answers.json", Ratings, RubricTaken)
def answers(request: Request, name: str, data: Body) -> Response:
    """Save a delivery; what is acknowledged here is on the disk."""
    room = _room(request, name)
    results = take(room, parsed(Ratings, data).answers)
    taken = RubricTaken(results=tuple(results), sheet=RUBRIC.seal, progress=room.progress())
    return as_page(request, "", taken)


@takes(routes, "/rubric/{name}/checks.json", ChecksIn, Found)
def checks(request: Request, name: str, data: Body) -> Response:
    """What checks found in an item, once it is rated; before that only early, which is written down."""
    room = _room(request, name)
    wish = parsed(ChecksIn, data)
    try:
        item = room.item_of(wish.task)
    except InputError as error:
        raise Refused(404, error.what, mend=error.mend) from error
    early = room.see(item, token=f"checks:{wish.token}"[:80], early=wish.early, at=now())
    found = tuple(_told(one) for one in house(request).rooms.findings(room, item))
    return as_page(request, "", Found(task=wish.task, findings=found, early=early))


@takes(routes, "/rubric/{name}/events.json", EventsIn, RubricKept)
def events(request: Request, name: str, data: Body) -> Response:
    """Keep events."""
    room = _room(request, name)
    return as_page(request, "", RubricKept(taken=record(house(request).store, room, parsed(EventsIn, data))))


def _told(one: Mapping[str, Any]) -> dict[str, Any]:
    known = CHECKS.get(one["check"])
    return {
        "check": one["check"],
        "asks": known.asks if known is not None else one["check"],
        "passed": one["passed"],
        "why": one.get("why", ""),
        **{name: list(one.get(name, ())) for name in TOLD},
    }
