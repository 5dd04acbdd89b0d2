"""Raters' desks in a store: packs under their seals, one desk a rater and pack, one log a desk."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from evenhand.answer.rating.batch import ORDERS, Pack
from evenhand.answer.rating.rating_log import RaterBook
from evenhand.errors import InputError, nearest
from evenhand.model.judging import NAME
from evenhand.model.seal import seal
from evenhand.text.plural import noun, verb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenhand.protocols import Store

__all__ = [
    "HIDE",
    "RaterDesk",
    "checks_of",
    "desks_of",
    "events_log",
    "findings_in",
    "findings_of",
    "keep_pack",
    "log_of",
    "open_desk",
    "pack_named",
    "rated_at",
]

DESKS = "rubric/desks"
PACK, CHECKS = "rubric-pack", "rubric-checks"
HIDE = ("faithful", "item")  # until when checks are hidden: the first answer, or all answers on the item
SEAL = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterDesk:
    """One rater's desk on one pack: its order follows from ``order``, ``seed`` and the rater's name.

    ``hide``: checks are hidden until ``faithful`` is rated, or until the whole ``item`` is.
    """

    id: str
    pack: str
    rater: str
    order: str = "blocks"
    seed: int = 0
    hide: str = "faithful"
    at: str = ""


def log_of(pack: str, rater: str) -> str:
    """The log of one rater of one pack."""
    return f"rubric/{pack}/{rater}"


def events_log(pack: str, rater: str) -> str:
    """What happened at the desk beside its acts."""
    return f"rubric-events/{pack}/{rater}"


def keep_pack(store: Store, pack: Pack, findings: Iterable[Mapping[str, Any]], *, at: str) -> str:
    """Keep a pack, and what checks found in its items apart from it; returns the pack's seal.

    *findings* are plain JSON. Checks that were made anew stand beside the earlier ones; the last are shown.
    """
    mark = store.put(PACK, pack.as_json())
    known = [one for one in findings if one["item"] in pack.by_id]
    checks = store.put(CHECKS, {"schema": "evenhand.rubric-checks/1", "pack": mark, "findings": known})
    said = f"rubric/{mark}"
    if checks_of(store, mark) != checks:
        store.append(said, {"checks": checks, "at": at})
    return mark


def checks_of(store: Store, pack: str) -> str:
    """The seal of what checks last found in a pack; empty where none were made."""
    return next((str(line["checks"]) for _, line in reversed(list(store.lines(f"rubric/{pack}")))), "")


def findings_in(store: Store, checks: str) -> dict[str, list[dict[str, Any]]]:
    """Item → what checks found in it, plain JSON, of what is kept under this seal."""
    found: dict[str, list[dict[str, Any]]] = {}
    for one in store.get(checks)["findings"]:
        found.setdefault(one["item"], []).append(one)
    return found


def findings_of(store: Store, pack: str) -> dict[str, list[dict[str, Any]]]:
    """Item → what checks found in it last."""
    checks = checks_of(store, pack)
    return findings_in(store, checks) if checks else {}


def open_desk(
    store: Store,
    pack: str,
    rater: str,
    *,
    order: str = "blocks",
    seed: int = 0,
    hide: str = "faithful",
    at: str,
) -> RaterDesk:
    """The rater's desk on a pack: made, or the one that is there; one filled in another way is an error."""
    for what, word, known in (("order", order, ORDERS), ("time to show checks", hide, HIDE)):
        if word not in known:
            raise InputError(f"no {what} is called {word!r}", mend=nearest(word, known))
    if not NAME.fullmatch(rater):
        raise InputError(
            f"{rater!r} is no name for a rater", mend="1 to 80 characters, none of them a control"
        )
    name = seal(["rubric-desk/1", pack, rater])[:20]
    made = RaterDesk(id=name, pack=pack, rater=rater, order=order, seed=seed, hide=hide, at=at)
    store.append(DESKS, asdict(made), token=name)
    (there,) = desks_of(store, pack=pack, rater=rater)
    for what in ("order", "seed", "hide"):
        if getattr(there, what) != getattr(made, what):
            raise InputError(
                f"{rater} has a desk on this pack already, with {what} {getattr(there, what)!r}",
                mend=f"leave {what} as it was: {getattr(there, what)}",
            )
    return there


def desks_of(store: Store, *, pack: str = "", rater: str = "") -> list[RaterDesk]:
    """Desks in the order in which they came, of one pack or rater when named."""
    every = [RaterDesk(**line) for _, line in store.lines(DESKS)]
    return [desk for desk in every if pack in ("", desk.pack) and rater in ("", desk.rater)]


def rated_at(store: Store) -> tuple[int, int, int]:
    """How many packs and desks of raters there are, and items with a rating or skip that stands, by desk."""
    desks = desks_of(store)
    books = [RaterBook.of(store.lines(log_of(desk.pack, desk.rater))) for desk in desks]
    return len(store.seals(PACK)), len(desks), sum(len(book.items) for book in books)


def pack_named(store: Store, name: str) -> Pack:
    """The pack of this name, or whose seal begins with it; without a name the last one."""
    marks = store.seals(PACK)
    if not marks:
        raise InputError("the store has no pack of items", mend="evenhand answers rate answers.jsonl")
    if SEAL.fullmatch(name) and name in marks:
        return Pack.of_json(store.get(name))
    packs = [Pack.of_json(store.get(mark)) for mark in marks] if name else []
    found = [one for one in packs if one.name == name or (len(name) > 3 and one.seal.startswith(name))]
    if not name:
        return Pack.of_json(store.get(marks[-1]))
    if not found:
        raise InputError(f"no pack is called {name!r}", mend=nearest(name, [one.name for one in packs]))
    if len(found) > 1:
        raise InputError(
            f"{len(found)} {noun(len(found), 'pack')} {verb(len(found), 'is', 'are')} called {name!r}",
            mend=f"name one by its seal: {', '.join(one.seal[:12] for one in found)}",
        )
    return found[0]
