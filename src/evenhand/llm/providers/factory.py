"""From the name of a model to a chat: ``provider:name``, a recording, a program, an object of yours.

There is no default provider: a name says who is asked, and nobody is asked who was not named.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.llm.clients.http_calls import named_key
from evenhand.llm.costs.prices import FREE, given_price, listed_price
from evenhand.llm.providers.registry import DOORS, PROVIDERS, address_of, provider_of

if TYPE_CHECKING:
    from evenhand.llm.clients.endpoint import Endpoint
    from evenhand.protocols import Chat

__all__ = ["SETTINGS", "chat_of", "ready"]

SETTINGS = ("base_url", "key_env", "family", "parameters", "rung", "price", "api_version")
# parameters of ours that a study's request fixes, and such as let a server answer with another model
_OURS = ("model", "messages", "temperature", "seed", "max_tokens", "max_completion_tokens", "logprobs")
_FORMS = ("response_format", "tools", "tool_choice", "stream", "n")
_SWAPS = ("models", "fallbacks", "fallback", "route")
_NAMED = {
    "recorded": ("the file of the recording", "FILE.jsonl"),
    "command": ("the program", "program arguments"),
    "python": ("what to import", "package.module:Thing"),
}


def chat_of(
    model: str, settings: Mapping[str, Any] | None = None, *, name: str = "", folder: Path | None = None
) -> Chat:
    """The chat behind *model*: ``openai:gpt-…``, ``ollama:qwen3:8b``, ``recorded:FILE.jsonl`` and others.

    *settings*: ``base_url``, ``key_env`` (the variable with the key; ``""`` for a server that asks for none),
    ``family`` where the name does not show it, ``parameters`` (sent as they are, and part of the seal),
    ``rung`` (the highest of the ladder to be tried), ``price``, ``api_version`` (Anthropic). *name* is how
    reports call it. Relative paths are looked for in *folder*.

    Nothing is opened and no key is read before the first call; `ready` does both. Raises InputError for an
    unknown provider or setting, with the nearest known one.
    """
    told = dict(settings or {})
    label = name or model
    door, rest = _parts(model, label)
    if door == "recorded":
        from evenhand.llm.clients.replay import Recording

        kept = _only(told, ("family",), label)
        return Recording((folder or Path()) / rest, name=label, **kept)
    if door == "command":
        from evenhand.llm.clients.command import Command

        return Command(rest, name=label, folder=folder, **_only(told, ("family",), label))
    if door == "python":
        from evenhand.llm.clients.custom_chat import guest_of

        return guest_of(model, told, name=label)
    return _endpoint(door, rest, told, label)


def _parts(model: str, label: str) -> tuple[str, str]:
    """Who serves a model, and its name there."""
    door, colon, rest = model.partition(":")
    if not colon or not door.strip():
        raise InputError(
            f"{label}: model: {model!r} does not say who serves the model",
            mend="write provider:name, such as ollama:qwen3:8b; "
            + (nearest(door, (*PROVIDERS, *DOORS)) if door else f"use one of: {', '.join(PROVIDERS)}"),
        )
    if not rest.strip() and door in (*PROVIDERS, *DOORS):
        what, example = _NAMED.get(door, ("the model", "NAME"))
        raise InputError(
            f"{label}: model: {model!r} does not name {what}",
            mend=f'write it behind the colon: model = "{door}:{example}"',
        )
    if door not in DOORS:
        try:
            provider_of(door)
        except InputError as error:
            raise InputError(f"{label}: model: {error.what}", mend=error.mend) from error
    return door, rest


def ready(chat: Any) -> None:
    """Raise what would keep every call of a chat from being made: a missing key, package, program or file."""
    check = getattr(chat, "ready", None)
    if callable(check):
        check()


def _only(told: Mapping[str, Any], known: tuple[str, ...], label: str) -> dict[str, Any]:
    for key in told:
        if key not in known:
            raise InputError(f"{label}: {key}: unknown setting {key!r}", mend=nearest(str(key), known))
    return dict(told)


def _text(told: Mapping[str, Any], key: str, label: str) -> str:
    value = told.get(key, "")
    if not isinstance(value, str):
        raise InputError(f"{label}: {key}: found {value!r}, expected a text", mend=f'write {key} = "…"')
    return value


def _endpoint(door: str, model: str, told: dict[str, Any], label: str) -> Endpoint:
    provider = provider_of(door)
    known = SETTINGS if provider.form == "anthropic" else SETTINGS[:-1]
    _only(told, known, label)
    try:
        base_url = address_of(door, _text(told, "base_url", label))
        keys = provider.keys
        if "key_env" in told:
            variable = named_key(_text(told, "key_env", label))
            keys = (variable,) if variable else ()
    except InputError as error:
        raise InputError(f"{label}: {error.what.removeprefix(f'{label}: ')}", mend=error.mend) from error
    price = given_price(told["price"], where=label) if "price" in told else None
    if price is None:
        price = FREE if provider.local else listed_price(door, model)
    kind = _kind(provider.form)
    more = {"api_version": _text(told, "api_version", label)} if "api_version" in told else {}
    rung = _text(told, "rung", label)
    if rung and rung not in kind.rungs:
        raise InputError(f"{label}: rung: there is no rung {rung!r}", mend=nearest(rung, kind.rungs))
    return kind(
        model,
        provider=door,
        base_url=base_url,
        keys=keys,
        name=label,
        family=_text(told, "family", label),
        parameters=_parameters(told.get("parameters", {}), label),
        rung=rung,
        price=price,
        **more,
    )


def _kind(form: str) -> type[Endpoint]:
    if form == "anthropic":
        from evenhand.llm.clients.anthropic_chat import Messages

        return Messages
    from evenhand.llm.clients.openai_chat import Completions

    return Completions


def _parameters(told: Any, label: str) -> dict[str, Any]:
    if not isinstance(told, Mapping):
        raise InputError(
            f"{label}: parameters: found {told!r}, expected a section", mend="parameters = { top_p = 1.0 }"
        )
    for key in told:
        if key in (*_OURS, *_FORMS):
            raise InputError(
                f"{label}: parameters: {key!r} is set by the study itself", mend=f"leave {key} away here"
            )
        if key in _SWAPS:
            raise InputError(
                f"{label}: parameters: {key!r} would let another model answer under this one's name",
                mend="name each model that may judge as a judge of its own",
            )
    return dict(told)
