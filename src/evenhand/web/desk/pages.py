"""The blind desk: its page, its next items, its answers and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from evenhand.errors import InputError
from evenhand.labelling.desk.blind import payload
from evenhand.web.desk.adjudication import sides
from evenhand.web.desk.contexts import DeskPage, DesksPage, Items, Kept, OwnDesk, Taken
from evenhand.web.desk.save import record, take
from evenhand.web.desk.schemas import Delivery, EventsIn
from evenhand.web.server.app_state import Refused, house, visitor
from evenhand.web.server.render import as_page, guideline_html
from evenhand.web.server.request_body import body, parsed
from evenhand.web.server.routes import asks, shows, takes

if TYPE_CHECKING:
    from evenhand.model.judging import Desk, Task
    from evenhand.model.sheet import Sheet
    from evenhand.protocols import Store
    from evenhand.web.server.app_state import AppState

__all__ = ["routes"]

RUBRIC_ASK = "Rate what was generated"
AHEAD = 16  # items sent with the page, and the most that one request brings
routes = APIRouter()
Body = Annotated[bytes, Depends(body)]


@routes.get("/", include_in_schema=False)
@shows(routes, "/desks", DesksPage, refuses=())
def desks(request: Request) -> Response:
    """A visitor's own desks; straight to the desk when there is one, and to the overview for an owner."""
    access = visitor(request)
    there = house(request)
    store = there.store
    own = [desk for desk in store.desks(judge=access.name) if desk.kind == "judge" or access.role != "judge"]
    if request.url.path == "/" and access.role == "owner":
        return RedirectResponse("/overview", 303)
    rooms = there.rooms.own(access.name)
    if request.url.path == "/" and len(own) + len(rooms) == 1:
        return RedirectResponse(f"/desk/{own[0].id}" if own else f"/rubric/{rooms[0].desk.id}", 303)
    lines = []
    for desk in own:
        done, total = store.progress(desk.id)
        ask = there.sheet(desk).ask
        at = f"/desk/{desk.id}"
        lines.append(OwnDesk(desk=desk.id, at=at, kind=desk.kind, ask=ask, done=done, total=total))
    for room in rooms:
        far, at = room.progress(), f"/rubric/{room.desk.id}"
        lines.append(
            OwnDesk(desk=room.desk.id, at=at, kind="rubric", ask=RUBRIC_ASK, done=far.done, total=far.total)
        )
    return as_page(request, "desks.html", DesksPage(desks=tuple(lines), owner=access.role == "owner"))


@asks(routes, "/desk/{name}/items.json", Items)
def items(  # noqa: PLR0917 - a query's parameters
    request: Request,
    name: str,
    after: Annotated[int, Query(ge=-1)] = -1,
    n: Annotated[int, Query(ge=1, le=AHEAD)] = AHEAD,
    skipped: bool = False,
    task: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """The next open items behind a position; or those that were skipped; or one item by its task."""
    there = house(request)
    desk = there.desk_for(visitor(request), name)
    sheet = there.sheet(desk)
    if task:
        found = [_task_here(there.store, desk, task)]
    elif skipped:
        standing = there.store.standing(desk.id)
        found = [one.task for one in standing if one.entry is not None and one.entry.kind == "skip"]
        found = [one for one in found if one.position > after][:n]
    else:
        found = _ahead(there.store, desk, after, n)
    return as_page(
        request,
        "",
        Items(
            items=tuple(_item(there, desk, sheet, one) for one in found),
            sheet=sheet.seal,
            progress=_progress(there, desk, sheet),
        ),
    )


@shows(routes, "/desk/{name}", DeskPage)
def page(request: Request, name: str) -> Response:
    """The desk itself."""
    there = house(request)
    desk = there.desk_for(visitor(request), name)
    sheet = there.sheet(desk)
    found = _ahead(there.store, desk, -1, AHEAD)
    context = DeskPage(
        desk=desk.id,
        kind=desk.kind,
        sheet=sheet.as_json(),
        sheet_seal=sheet.seal,
        guideline_html=guideline_html(sheet.guideline),
        items=tuple(_item(there, desk, sheet, one) for one in found),
        progress=_progress(there, desk, sheet),
    )
    return as_page(request, "desk.html", context)


@takes(routes, "/desk/{name}/answers.json", Delivery, Taken)
def answers(request: Request, name: str, data: Body) -> Response:
    """Save a delivery; an answer that is acknowledged here is on the disk."""
    there = house(request)
    desk = there.desk_for(visitor(request), name)
    sheet = there.sheet(desk)
    results = take(there, desk, sheet, parsed(Delivery, data).answers)
    for result in results:
        if result.get("undone"):
            task = there.task(result["undone"]["task"])
            result["item"] = _item(there, desk, sheet, task)
    taken = Taken(results=tuple(results), sheet=sheet.seal, progress=_progress(there, desk, sheet))
    return as_page(request, "", taken)


@takes(routes, "/desk/{name}/events.json", EventsIn, Kept)
def events(request: Request, name: str, data: Body) -> Response:
    """Keep events."""
    there = house(request)
    desk = there.desk_for(visitor(request), name)
    return as_page(request, "", Kept(new=record(there.store, desk, parsed(EventsIn, data))))


def _task_here(store: Store, desk: Desk, name: str) -> Task:
    try:
        task = store.task(name)
    except InputError:
        task = None
    if task is None or task.desk != desk.id:
        raise Refused(404, "this desk has no such task", mend="reload the page")
    return task


def _ahead(store: Store, desk: Desk, after: int, n: int) -> list[Task]:
    found: list[Task] = []
    while len(found) < n:
        task = store.next_task(desk.id, after=after)
        if task is None or any(task.id == one.id for one in found):
            break
        found.append(task)
        after = task.position
    return found


def _item(there: AppState, desk: Desk, sheet: Sheet, task: Task) -> dict[str, Any]:
    store = there.store
    item = there.item(task.item)
    sent = payload(
        task,
        item,
        question=store.question(desk.pool, item.question),
        text=there.text(item.text_sha256),
        sheet=sheet.seal,
        total=there.total(desk.id),
    )
    return {**sent, "sides": sides(store, task)} if desk.kind == "adjudication" else sent


def _progress(there: AppState, desk: Desk, sheet: Sheet) -> Any:
    return there.tallies.of(desk.id).progress(sheet, there.total(desk.id))
