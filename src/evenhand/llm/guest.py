"""A chat that somebody else brings, ``python:module:thing``: of our shape, or a model of pydantic-ai."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from evenhand.errors import InputError
from evenhand.llm.prices import given_price
from evenhand.llm.pydantic_ai import PydanticAI
from evenhand.plugins import find

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
        try:
            thing = thing(**rest)
        except TypeError as error:
            raise InputError(
                f"{name}: {path!r} cannot be made: {error}",
                mend="it must take the settings of its section, and nothing else",
            ) from error
    elif rest:
        raise InputError(
            f"{name}: {path!r} is an object already and takes no {', '.join(map(repr, rest))}",
            mend="name a class or a function to hand settings to",
        )
    if asyncio.iscoroutinefunction(getattr(thing, "request", None)) and hasattr(thing, "model_name"):
        price = given_price(ours["price"], where=name) if "price" in ours else None
        family, rung = str(ours.get("family", "")), str(ours.get("rung", ""))
        return PydanticAI(thing, path=path, name=name, family=family, price=price, rung=rung)
    missing = [part for part in _SHAPE if not hasattr(thing, part)]
    if missing or ours:
        raise InputError(
            f"{name}: {path!r} has no {', '.join(missing)}"
            if missing
            else f"{name}: {path!r} is a chat of its own and takes no {' and no '.join(ours)}",
            mend="a chat has name, family, seal and ask(request, *, timeout); see evenhand.protocols.Chat"
            if missing
            else f"leave {' and '.join(ours)} away",
        )
    return cast("Chat", thing)
