"""A rater's desk at work: its items in their order, and its book, read as far as it has grown."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING, Any

from evenhand.answer.rating.batch import Pack, order_of, shown
from evenhand.answer.rating.rater_queues import RaterDesk, checks_of, desks_of, findings_in, log_of
from evenhand.answer.rating.rating_log import Act, RaterBook
from evenhand.answer.rating.rubric import RUBRIC
from evenhand.errors import InputError
from evenhand.model.seal import seal
from evenhand.web.rubric.contexts import RubricProgress
from evenhand.web.server.app_state import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evenhand.model.judging import Access
    from evenhand.protocols import Store

__all__ = ["Room", "Rooms"]

LAST = 20  # items behind the pace


class Room:
    """One desk. Its book is read and written under one lock."""

    def __init__(self, store: Store, desk: RaterDesk, pack: Pack) -> None:
        self.store, self.desk, self.pack = store, desk, pack
        self.order = order_of(pack, order=desk.order, seed=desk.seed, rater=desk.rater)
        self.tasks = {seal(["rubric-task/1", desk.id, item])[:16]: item for item in self.order}
        self.places = {item: i for i, item in enumerate(self.order)}
        self.names = {item: task for task, item in self.tasks.items()}
        self.log = log_of(desk.pack, desk.rater)
        self.lock = threading.RLock()
        self._book = RaterBook()
        self._done: dict[str, bool] = {}  # as far as it is known; what an act touches is looked at again

    def book(self) -> RaterBook:
        """The book, up to date. Hold the lock while looking into it."""
        for number, line in self.store.lines(self.log, after=self._book.length):
            self._done.pop(self._book.add(Act.of_json(line, number)), None)
        return self._book

    def _all_done(self) -> list[str]:
        book = self.book()
        for item in self.order:
            if item not in self._done:
                self._done[item] = book.done(item, self.asked(item))
        return [item for item in self.order if self._done[item]]

    def item_of(self, task: str) -> str:
        """The item of a task of this desk."""
        if task not in self.tasks:
            raise InputError("this desk has no such task", mend="reload the page")
        return self.tasks[task]

    def asked(self, item: str) -> tuple[str, ...]:
        """The fields by which an item is rated."""
        return RUBRIC.asked(self.pack.by_id[item]["kind"])

    def put(self, act: Act) -> tuple[Act, bool]:
        """Add an act; returns what stands under its token, and whether it is new."""
        with self.lock:
            there = self.book().tokens.get(act.token)
            if there is None:
                # another process may have been quicker: then what it wrote comes back under the token
                self.store.append(self.log, act.as_json(), token=act.token)
                written = self.book().tokens[act.token]
                fresh = written.what == act.what
                there = written
            else:
                fresh = False
            if act.act != "undo" and there.what != act.what:
                raise InputError("this token was used for another answer", mend="answer again")
            return there, fresh

    def sent(self, item: str) -> dict[str, Any]:
        """What the rater receives of an item, with the ratings of their own that stand."""
        with self.lock:
            book = self.book()
            skip = book.skipped(item)
            return shown(
                self.pack,
                item,
                task=self.names[item],
                position=self.places[item],
                total=len(self.order),
                given={name: act.said for name, act in book.given(item).items()},
                skipped=skip.reason if skip is not None else "",
                comment=book.comment(item),
            )

    def open_after(self, after: int) -> Iterator[str]:
        """Items behind a position that are not done, then those from the start."""
        with self.lock:
            done = set(self._all_done())
            turned = self.order[after + 1 :] + self.order[: after + 1]
            yield from [item for item in turned if item not in done]

    def skipped(self) -> list[str]:
        """The items that are skipped, in the desk's order."""
        with self.lock:
            book = self.book()
            return [item for item in self.order if book.skipped(item) is not None]

    def may_see(self, item: str) -> bool:
        """Whether the checks of an item are no longer hidden."""
        with self.lock:
            book = self.book()
            if self.desk.hide == "item":
                return book.done(item, self.asked(item))
            return "faithful" in book.given(item)

    def see(self, item: str, *, token: str, early: bool, at: str) -> bool:
        """Write down that the checks of an item are sent, before they are; returns whether it is early."""
        with self.lock:
            if not self.may_see(item):
                if not early and not self.book().early(item):
                    raise Refused(
                        403, "the checks are hidden until this is rated", mend="rate it, or see them early"
                    )
                early = True
            else:
                early = False
            if not self.book().seen(item):
                self.put(Act(token=token, act="checks", item=item, early=early, at=at))
            return early

    def rated(self, act: Act) -> Act:
        """A rating with whether the checks had been sent before it."""
        return replace(act, checks_shown_before_rating=self.book().seen(act.item))

    def progress(self) -> RubricProgress:
        """The counts in the words of a page."""
        with self.lock:
            book = self.book()
            done = self._all_done()
            times: dict[str, int] = {}
            for act in book.acts:
                times[act.item] = times.pop(act.item, 0) + (act.active_ms or 0)
            finished = set(done)
            last = [ms for item, ms in times.items() if item in finished and ms][-LAST:]
            skipped = sum(book.skipped(item) is not None for item in done)
        pace = median(last) / 1000 if last else None
        left = None if pace is None else pace * (len(self.order) - len(done))
        return RubricProgress(
            done=len(done), total=len(self.order), skipped=skipped, pace_s=pace, left_s=left
        )


class Rooms:
    """Every rater's desk, opened when it is first asked for."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.pack = lru_cache(16)(lambda mark: Pack.of_json(store.get(mark)))
        self._checks = lru_cache(16)(lambda mark: findings_in(store, mark))  # by seal: never another content
        self._held: dict[str, Room] = {}
        self._lock = threading.Lock()

    def own(self, rater: str = "") -> list[Room]:
        """The desks of a rater; of everybody without a name."""
        return [self._room(desk) for desk in desks_of(self.store, rater=rater)]

    def of(self, access: Access, name: str) -> Room:
        """A desk by its id, if it is this person's; another's is as unknown as one that is not there."""
        with self._lock:
            held = self._held.get(name)
        found = [held.desk] if held else [one for one in desks_of(self.store) if one.id == name]
        if not found or found[0].rater != access.name:
            raise Refused(404, "there is no such desk", mend="go to your desks")
        return self._room(found[0])

    def findings(self, room: Room, item: str) -> list[dict[str, Any]]:
        """What checks found in an item."""
        mark = checks_of(self.store, room.desk.pack)
        return self._checks(mark).get(item, []) if mark else []

    def _room(self, desk: RaterDesk) -> Room:
        with self._lock:
            if desk.id not in self._held:
                self._held[desk.id] = Room(self.store, desk, self.pack(desk.pack))
            return self._held[desk.id]
