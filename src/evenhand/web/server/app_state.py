"""What all pages share: the store, the doors, the tallies; and who is asking."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from evenhand.errors import EvenhandError, InputError
from evenhand.web.desk.progress import Tallies
from evenhand.web.server.sessions import Sessions

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.model.judging import Access, Desk, Task
    from evenhand.model.pool import PoolItem
    from evenhand.model.sheet import Sheet
    from evenhand.protocols import Store
    from evenhand.web.authoring.library import Library
    from evenhand.web.rubric.session import Rooms
    from evenhand.web.server.chart_cache import Pictures
    from evenhand.web.workbench.results_index import Shelf
    from evenhand.web.workbench.running import Running

__all__ = ["COOKIE", "AppState", "Refused", "house", "visitor"]

COOKIE = "evenhand"


@dataclass
class AppState:
    """The store, and what is kept beside it in memory: only what never changes once it is there."""

    store: Store
    secure: bool = False
    library: Library | None = None
    results: tuple[Path, ...] = ()
    doors: Sessions = field(init=False)
    tallies: Tallies = field(init=False)
    rooms: Rooms = field(init=False)
    shelf: Shelf = field(init=False)
    pictures: Pictures = field(init=False)
    running: Running = field(init=False)
    described: dict[str, Any] | None = field(init=False, default=None)  # made when it is first asked for
    desk: Callable[[str], Desk] = field(init=False)
    task: Callable[[str], Task] = field(init=False)
    item: Callable[[str], PoolItem] = field(init=False)
    text: Callable[[str], str] = field(init=False)
    total: Callable[[str], int] = field(init=False)

    def __post_init__(self) -> None:
        self.doors = Sessions(self.store)
        from evenhand.web.rubric.session import Rooms  # which refuses by what is defined here
        from evenhand.web.server.chart_cache import Pictures
        from evenhand.web.workbench.results_index import Shelf
        from evenhand.web.workbench.running import Running

        self.shelf = Shelf(self.results)
        self.running = Running(self.results, self.shelf.names)
        self.pictures = Pictures()
        self.tallies = Tallies(self.store)
        self.rooms = Rooms(self.store)
        self.desk = lru_cache(1024)(self.store.desk)
        self.task = lru_cache(8192)(self.store.task)
        self.item = lru_cache(8192)(self.store.item)
        self.text = lru_cache(256)(self.store.text)
        self.total = lru_cache(1024)(lambda desk: self.store.progress(desk)[1])

    def warm(self) -> None:
        """Read all results and have their pictures drawn, so that the first visitor need not wait."""
        from evenhand.web.workbench.failures import lists
        from evenhand.web.workbench.pages import compiled
        from evenhand.web.workbench.results_index import Unread

        compiled()
        for found in self.shelf:
            if isinstance(found, Unread) or found[1].closed:
                continue
            found[1].view  # noqa: B018 - made here and kept
            self.pictures.begin(found[1])
            with suppress(Exception):  # which the page says to who asks for it
                found[1].measured  # noqa: B018 - read here and kept
                found[1].ranks  # noqa: B018
                if primary := found[1].report["questions"]["primary"]:
                    lists(found[1], primary)

    def sheet(self, desk: Desk) -> Sheet:
        """The sheet a desk shows: its pool's present one; where that has none, the one it was opened with."""
        try:
            return self.store.sheet_of(desk.pool)
        except InputError:
            return self.store.sheet(desk.sheet)

    @property
    def cookie(self) -> str:
        """The cookie's name; with the prefix that binds it to HTTPS and to this host, where it can be."""
        return f"__Host-{COOKIE}" if self.secure else COOKIE

    def desk_for(self, access: Access, name: str) -> Desk:
        """The desk, if it is this person's; another's desk is as unknown as one that is not there."""
        try:
            desk = self.desk(name)
        except InputError:
            desk = None
        allowed = desk is not None and desk.judge == access.name
        if desk is None or not allowed or (desk.kind == "adjudication" and access.role == "judge"):
            raise Refused(404, "there is no such desk", mend="go to your desks")
        return desk


class Refused(EvenhandError):
    """A request that is answered with an error page."""

    def __init__(self, status: int, what: str, *, mend: str) -> None:
        super().__init__(what, mend=mend)
        self.status = status


def house(request: Request) -> AppState:
    """The house of a request."""
    there: AppState = request.app.state.house
    return there


def visitor(request: Request, *roles: str) -> Access:
    """Who is asking; refused when nobody, or not of these roles."""
    there = house(request)
    access = there.doors.who(request.cookies.get(there.cookie, ""))
    if access is None:
        raise Refused(
            401, "you are not signed in", mend="open your link again, or ask the owner for a new one"
        )
    if roles and access.role not in roles:
        raise Refused(403, "this page is not for you", mend="go to your desks")
    return access
