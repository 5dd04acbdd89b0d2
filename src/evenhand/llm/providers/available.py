"""Which models could be called from here: addresses, and whether their keys are set. Nothing is called."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import EvenhandError
from evenhand.llm.clients.endpoint import Endpoint
from evenhand.llm.clients.http_calls import shown
from evenhand.llm.providers.factory import chat_of, ready
from evenhand.llm.providers.registry import PROVIDERS, address_of

__all__ = ["of_model", "providers"]


def providers() -> dict[str, dict[str, Any]]:
    """By name: the address that would be called, the variables a key may be in, and which of them is set."""
    told: dict[str, dict[str, Any]] = {}
    for name, provider in PROVIDERS.items():
        try:
            address = shown(address_of(name)) if provider.base_url else ""
        except EvenhandError as error:
            address = error.what
        held = next((key for key in provider.keys if os.environ.get(key, "").strip()), "")
        told[name] = {"address": address, "keys": list(provider.keys), "set": held, "local": provider.local}
    return told


def of_model(
    name: str, model: str, settings: Mapping[str, Any], *, family: str, folder: Path
) -> dict[str, Any]:
    """What a judge or a drafter would call, its family, and what keeps it from that (empty: nothing)."""
    told: dict[str, Any] = {"name": name, "calls": model, "family": family}
    told |= {"key": "", "set": False, "why": "", "mend": ""}
    try:
        chat: Any = chat_of(
            model, {**settings, **({"family": family} if family else {})}, name=name, folder=folder
        )
        if isinstance(chat, Endpoint):
            told["calls"] += f" at {shown(chat.base_url)}"
            told["key"] = chat.key_name
            told["set"] = bool(os.environ.get(chat.key_name, "").strip()) if chat.key_name else False
        told["family"] = chat.family
        ready(chat)
    except EvenhandError as error:
        told["why"], told["mend"] = error.what.removeprefix(f"{name}: "), error.mend
    return told
