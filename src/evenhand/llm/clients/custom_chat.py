"""A chat that somebody else brings, ``python:module:thing``: of our shape, or a model of pydantic-ai."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from evenhand.errors import InputError
from evenhand.llm.clients.pydantic_ai import PydanticAI
from evenhand.llm.costs.prices import given_price
from evenhand.plugins import OWN, find, guarded, made

if TYPE_CHECKING:
    from evenhand.protocols import Chat

__all__ = ["guest_of"]

_SHAPE = ("name", "family", "seal", "ask")
_OWN = ("family", "price", "rung")


def guest_of(path: str, settings: Mapping[str, Any], *, name: str) -> Chat:
    """The chat behind ``python:module:thing``.

    A class or a function is called with the *settings* of its section; an object takes none but ``family``,
    ``price`` and ``rung``, and those only when it is a model of pydantic-ai.
    """
    thing = find(path, "chat")
    ours = {key: settings[key] for key in _OWN if key in settings}
    rest = {key: value for key, value in settings.items() if key not in ours}
    if isinstance(thing, type) or (callable(thing) and not hasattr(thing, "ask")):
        mend = "it must take the settings of its section, and nothing else"
        thing = made(thing, rest, where=f"{name}: {path!r}", mend=mend)
    elif rest:
        raise InputError(
            f"{name}: {path!r} is an object already and takes no {', '.join(map(repr, rest))}",
            mend="name a class or a function to hand settings to",
        )
    if asyncio.iscoroutinefunction(getattr(thing, "request", None)) and hasattr(thing, "model_name"):
        price = given_price(ours["price"], where=name) if "price" in ours else None
        family, rung = str(ours.get("family", "")), str(ours.get("rung", ""))
        return PydanticAI(thing, path=path, name=name, family=family, price=price, rung=rung)
    missing = []
    for part in _SHAPE:
        with guarded(f"{name}: {path!r}: reading its {part}", OWN):
            missing += [] if hasattr(thing, part) else [part]
    if missing or ours:
        raise InputError(
            f"{name}: {path!r} has no {', '.join(missing)}"
            if missing
            else f"{name}: {path!r} is a chat of its own and takes no {' and no '.join(ours)}",
            mend="a chat has name, family, seal and ask(request, *, timeout); see evenhand.protocols.Chat"
            if missing
            else f"leave {' and '.join(ours)} away",
        )
    _checked(thing, f"{name}: {path!r}")
    return cast("Chat", thing)


def _checked(thing: Any, where: str) -> None:
    """Raise InputError for an object that has the names of a chat and other things behind them."""
    for part in ("name", "family", "seal"):
        with guarded(f"{where}: reading its {part}", OWN):
            found = getattr(thing, part)
        if not isinstance(found, str) or (part == "seal" and not found):
            raise InputError(
                f"{where}: its {part} is {type(found).__name__} {str(found)[:60]!r}, expected a text",
                mend=f"give {part} as a text" + (" that no other model has" if part == "seal" else ""),
            )
    if not callable(thing.ask):
        raise InputError(f"{where}: its ask cannot be called", mend="ask(request, *, timeout) gives a Reply")
