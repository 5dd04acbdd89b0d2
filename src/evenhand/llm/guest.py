"""A chat that somebody else brings, ``python:module:thing``: of our shape, or a model of pydantic-ai."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from evenhand.errors import InputError
from evenhand.llm.prices import given_price
from evenhand.llm.pydantic_ai import PydanticAI
from evenhand.plugins import find, guarded

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
        thing = _made(thing, rest, f"{name}: {path!r}")
    elif rest:
        raise InputError(
            f"{name}: {path!r} is an object already and takes no {', '.join(map(repr, rest))}",
            mend="name a class or a function to hand settings to",
        )
    if asyncio.iscoroutinefunction(getattr(thing, "request", None)) and hasattr(thing, "model_name"):
        price = given_price(ours["price"], where=name) if "price" in ours else None
        family, rung = str(ours.get("family", "")), str(ours.get("rung", ""))
        return PydanticAI(thing, path=path, name=name, family=family, price=price, rung=rung)
    with guarded(f"{name}: {path!r}: looking at it", "this error is the module's own: mend it there"):
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
    _checked(thing, f"{name}: {path!r}")
    return cast("Chat", thing)


def _made(thing: Any, settings: Mapping[str, Any], where: str) -> Any:
    """What a class or a function makes of the settings of its section."""
    with guarded(f"{where}: making it", "this error is the module's own: mend it there"):
        try:
            return thing(**settings)
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                raise  # it took the settings, and the error is from within
            raise InputError(
                f"{where} cannot be made: {error}",
                mend="it must take the settings of its section, and nothing else",
            ) from error


def _checked(thing: Any, where: str) -> None:
    """Raise InputError for an object that has the names of a chat and other things behind them."""
    for part in ("name", "family", "seal"):
        with guarded(f"{where}: reading its {part}", "this error is the module's own: mend it there"):
            found = getattr(thing, part)
        if not isinstance(found, str) or (part == "seal" and not found):
            raise InputError(
                f"{where}: its {part} is {type(found).__name__} {str(found)[:60]!r}, expected a text",
                mend=f"give {part} as a text" + (" that no other model has" if part == "seal" else ""),
            )
    if not callable(thing.ask):
        raise InputError(f"{where}: its ask cannot be called", mend="ask(request, *, timeout) gives a Reply")
