"""The owner's overview: desks, progress and pace, and links to end; nothing of what was answered."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from evenhand.answer.rating.rubric import RUBRIC
from evenhand.errors import InputError
from evenhand.store.clock import now
from evenhand.web.desk.contexts import AccessLine, DeskLine, OverviewPage, Revoked
from evenhand.web.desk.schemas import Nothing
from evenhand.web.rubric.session import Room
from evenhand.web.server.app_state import AppState, Refused, house, visitor
from evenhand.web.server.render import as_page
from evenhand.web.server.request_body import body, parsed
from evenhand.web.server.routes import shows, takes

__all__ = ["routes"]

routes = APIRouter()


@shows(routes, "/overview", OverviewPage, refuses=())
def overview(request: Request) -> Response:
    """All desks and all links."""
    visitor(request, "owner")
    there = house(request)
    names = {mark: name for mark, name, _ in there.store.pools()}
    desks = (
        *(_line(there, names, desk.id) for desk in there.store.desks()),
        *(_rated(room) for room in there.rooms.own()),
    )
    page = OverviewPage(
        desks=desks,
        people=_people(there),
        done=sum(line.done for line in desks),
        total=sum(line.total for line in desks),
    )
    return as_page(request, "overview.html", page)


@takes(routes, "/access/{access}/revoke.json", Nothing, Revoked)
def revoke(request: Request, access: str, data: Annotated[bytes, Depends(body)]) -> Response:
    """End a link and every session that came in by it."""
    visitor(request, "owner")
    there = house(request)
    parsed(Nothing, data)
    try:
        there.store.revoke(access, at=now())
    except InputError as error:
        raise Refused(404, "there is no such link", mend="reload the page") from error
    there.doors.links(anew=True)
    return as_page(request, "", Revoked(revoked=access))


def _line(there: AppState, names: dict[str, str], name: str) -> DeskLine:
    desk = there.store.desk(name)
    sheet = there.sheet(desk)
    tally = there.tallies.of(name)
    progress = tally.progress(sheet, there.total(name))
    return DeskLine(
        desk=name,
        pool=names.get(desk.pool, desk.pool[:12]),
        judge=desk.judge,
        kind=desk.kind,
        sheet=f"{sheet.name} {sheet.seal[:8]}",
        done=progress.done,
        total=progress.total,
        skipped=tally.skipped,
        pace_s=progress.pace_s,
        left_s=progress.left_s,
        last=tally.last,
    )


def _rated(room: Room) -> DeskLine:
    far = room.progress()
    with room.lock:
        last = max((act.at for act in room.book().acts), default="")
    return DeskLine(
        desk=room.desk.id,
        pool=room.pack.name,
        judge=room.desk.rater,
        kind="rubric",
        sheet=f"{RUBRIC.name} {RUBRIC.seal[:8]}",
        done=far.done,
        total=far.total,
        skipped=far.skipped,
        pace_s=far.pace_s,
        left_s=far.left_s,
        last=last,
    )


def _people(there: AppState) -> tuple[AccessLine, ...]:
    links = there.doors.links(anew=True)
    parents = {name: there.doors.link_of(name) for name in links}
    sessions = Counter(parent for parent in parents.values() if parent is not None)
    return tuple(
        AccessLine(
            access=one.id,
            name=one.name,
            role=one.role,
            since=one.at,
            revoked=one.revoked,
            sessions=sessions[one.id],
        )
        for one in links.values()
        if parents[one.id] is None
    )
