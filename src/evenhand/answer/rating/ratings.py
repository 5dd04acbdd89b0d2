"""Ratings that stand: from the logs of raters to one rating a rater and item."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evenhand.answer.rating.rater_queues import desks_of, log_of
from evenhand.answer.rating.rating_log import RaterBook
from evenhand.model.answer import Rating

if TYPE_CHECKING:
    from evenhand.protocols import Store

__all__ = ["is_blind", "last_of_each", "ratings_in", "ratings_of"]


def ratings_of(book: RaterBook, rater: str) -> list[Rating]:
    """The ratings of one book, by item: what stands of each item that is not skipped.

    An item that was begun and not finished has the fields that were answered. ``at`` is the time of the last
    of them, ``sheet`` its version, ``active_ms`` the sum of all of them.
    """
    made = []
    for item in sorted(book.items):
        given = book.given(item)
        if book.skipped(item) is not None or not given:
            continue
        last = max(given.values(), key=lambda act: act.number)
        times = [act.active_ms for act in given.values() if act.active_ms is not None]
        after = book.after_checks(item)
        made.append(
            Rating(
                item=item,
                rater=rater,
                given={name: act.said for name, act in given.items()},
                # without an answer to "faithful" it is whether they were sent at all
                checks_shown_before_rating="faithful" in after if "faithful" in given else book.seen(item),
                after_checks=after,
                comment=book.comment(item),
                at=last.at,
                active_ms=sum(times) if times else None,
                sheet=last.sheet,
            )
        )
    return made


def ratings_in(store: Store, pack: str) -> list[Rating]:
    """All ratings of a pack that stand, raters in the order of their desks."""
    return [
        rating
        for desk in desks_of(store, pack=pack)
        for rating in ratings_of(RaterBook.of(store.lines(log_of(pack, desk.rater))), desk.rater)
    ]


def last_of_each(ratings: Iterable[Rating]) -> list[Rating]:
    """One rating of each rater and item, the last that is there; their order is that of the first."""
    found: dict[tuple[str, str, str], Rating] = {}
    for one in ratings:
        found[one.by, one.rater, one.item] = one
    return list(found.values())


def is_blind(rating: Rating, field: str = "faithful") -> bool:
    """Whether a field was rated before anything that checks found was on screen. Only these are compared."""
    if field == "faithful":
        return not rating.checks_shown_before_rating
    if rating.after_checks:
        return field not in rating.after_checks
    # ratings from elsewhere say it of the first field alone: then it holds of all
    return not rating.checks_shown_before_rating
