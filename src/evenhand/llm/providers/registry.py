"""Who serves models, at which address, and which variable of the environment holds the key."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from evenhand.errors import InputError, nearest
from evenhand.llm.clients.http_calls import shown

__all__ = ["DOORS", "PROVIDERS", "Provider", "address_of", "provider_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """``form`` is the protocol it speaks; ``keys`` are tried in turn, none for a server that asks for none.

    ``base_url`` is empty where only the user can know it; ``base_env`` may hold another. ``local``: it runs
    on the user's own machines, so a call costs no money.
    """

    form: str = "openai"
    base_url: str = ""
    keys: tuple[str, ...] = ()
    base_env: str = ""
    local: bool = False


PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        base_url="https://api.openai.com/v1", keys=("OPENAI_API_KEY",), base_env="OPENAI_BASE_URL"
    ),
    "anthropic": Provider(
        form="anthropic",
        base_url="https://api.anthropic.com",
        keys=("ANTHROPIC_API_KEY",),
        base_env="ANTHROPIC_BASE_URL",
    ),
    "deepseek": Provider(base_url="https://api.deepseek.com/v1", keys=("DEEPSEEK_API_KEY",)),
    "gemini": Provider(
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    "openrouter": Provider(base_url="https://openrouter.ai/api/v1", keys=("OPENROUTER_API_KEY",)),
    "ollama": Provider(base_url="http://localhost:11434/v1", base_env="OLLAMA_BASE_URL", local=True),
    "vllm": Provider(base_url="http://localhost:8000/v1", base_env="VLLM_BASE_URL", local=True),
    "llama.cpp": Provider(base_url="http://localhost:8080/v1", base_env="LLAMACPP_BASE_URL", local=True),
    "lmstudio": Provider(base_url="http://localhost:1234/v1", base_env="LMSTUDIO_BASE_URL", local=True),
    "openai-compatible": Provider(),
}
DOORS = ("recorded", "command", "python")  # ways to a model that are no endpoints


def provider_of(name: str) -> Provider:
    """The provider of this name; the error names the nearest one."""
    if name not in PROVIDERS:
        raise InputError(
            f"no provider of models is called {name!r}",
            mend=f"{nearest(name, (*PROVIDERS, *DOORS))}; any other endpoint of OpenAI's form is "
            "openai-compatible:MODEL with a base_url",
        )
    return PROVIDERS[name]


def address_of(name: str, given: str = "") -> str:
    """The base address: the one given, the environment's, the provider's own; without a slash at the end.

    A local server's address without a path gets ``/v1``, which is where all of them put it.
    """
    provider = provider_of(name)
    told = given or (os.environ.get(provider.base_env, "") if provider.base_env else "") or provider.base_url
    if not told:
        raise InputError(
            f"base_url: {name} has no address of its own", mend='base_url = "http://host:port/v1"'
        )
    if not _address(told):
        source = "" if given or told == provider.base_url else f" (in {provider.base_env})"
        where = "base_url: " if given else ""
        raise InputError(
            f"{where}{shown(told)!r}{source} is not an address", mend="write http://host:port/v1"
        )
    told = told.rstrip("/")
    return f"{told}/v1" if provider.local and not urlsplit(told).path.strip("/") else told


def _address(text: str) -> bool:
    """Whether *text* is the address of a server."""
    try:
        parts = urlsplit(text)
        _ = parts.port  # a word, or a number too high, shows only when it is asked for
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
