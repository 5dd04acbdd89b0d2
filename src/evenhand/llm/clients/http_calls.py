"""Asking over HTTP: tries, refusals, and what of an address and a reply may be shown."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from evenhand.errors import InputError, Unreachable
from evenhand.redact import may_be_key, secret, without_keys

__all__ = ["key_of", "masked", "named_key", "post", "secret", "shown", "without_keys"]

_PLACE = re.compile(r"(?:\[[^\]]*\]|[^:@]*)(?::\d+)?")  # host and port, with no name before them
PATIENCE = 60.0  # seconds: the longest wait a server's Retry-After is followed for


class _Again(Exception):
    """A reply that asks for another try: too many requests, or a server's own trouble."""

    def __init__(self, status: int, wait: float | None, said: str = "") -> None:
        super().__init__(f"HTTP status {status}")
        self.wait, self.said = wait, said


def post(
    client: Any,
    url: str,
    content: Mapping[str, Any],
    *,
    retries: int,
    headers: Mapping[str, str] | None = None,
) -> Any:
    """POST JSON, and give back the JSON of the reply.

    Tries again after connection errors, time-outs, 429 (as long as its Retry-After says) and 5xx. Raises
    Unreachable when the tries are used up, InputError for a refusal and for a reply that is not JSON.
    """
    import httpx2
    from tenacity import RetryError, Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

    grow = wait_exponential(multiplier=0.2, max=8.0)

    def wait(state: Any) -> float:
        error = state.outcome.exception()
        asked = error.wait if isinstance(error, _Again) else None
        return min(asked, PATIENCE) if asked is not None else float(grow(state))

    def once() -> Any:
        reply = client.post(url, json=dict(content), headers=dict(headers or {}))
        if reply.status_code == 429 or reply.status_code >= 500:
            told = masked(reply.text, headers, 200)
            raise _Again(reply.status_code, _seconds(reply.headers.get("retry-after")), told)
        return reply

    again = retry_if_exception_type((_Again, httpx2.TransportError))
    try:
        reply = Retrying(stop=stop_after_attempt(retries + 1), wait=wait, retry=again)(once)
    except RetryError as error:
        last = error.last_attempt.exception()
        tries = f"{retries + 1} tries" if retries else "1 try"
        raise Unreachable(
            f"{shown(url)} could not be reached in {tries}: {_line(last)}",
            mend="check that the server runs and that the address is right; raise timeout if it is slow",
            why=_why(last),
            said=last.said if isinstance(last, _Again) else "",
            there=not isinstance(last, httpx2.ConnectError),
        ) from last
    except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
        raise InputError(
            f"{shown(url)!r} is not an address: {error}", mend="write http://host:port/path"
        ) from error
    if reply.status_code >= 300:
        told = masked(reply.text, headers, 200)
        raise InputError(
            f"{shown(url)} refused the request with status {reply.status_code}: {told!r}",
            mend="check the address, the model's name and the key",
        )
    try:
        return reply.json()
    except ValueError as error:
        raise InputError(
            f"{shown(url)} replied with something that is not JSON: {masked(reply.text, headers)!r}",
            mend="check that the address is the endpoint's, and not a page's",
        ) from error


def shown(url: str) -> str:
    """*url* as it may be shown and kept: without a name, a password and the values of its query.

    What is no address yet, without its scheme or with a password that breaks it, is shown without them too.
    """
    scheme, mark, rest = url.partition("://") if "://" in url else ("", "", url)
    host = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" not in host and not _PLACE.fullmatch(host):  # a password with a slash or a mark in it
        rest = rest.rpartition("@")[2]
    rest = rest.partition("#")[0]
    place, query = (*rest.split("?", 1), "")[:2]
    host, slash, path = place.partition("/")
    named = "&".join(f"{part.split('=', 1)[0]}=…" for part in query.split("&")) if query else ""
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}{'?' if named else ''}{named}"


def named_key(name: str) -> str:
    """*name* of a variable; InputError, which does not repeat it, for a key that was put in its place."""
    if name and may_be_key(name):
        raise InputError(
            "key_env: found what is no name of a variable, and may be a key (it is not shown)",
            mend='put the key into a variable of the environment, and write its NAME: key_env = "MY_KEY"',
        )
    return name


def key_of(name: str, url: str) -> dict[str, str]:
    """The header with the key that the environment holds as *name*; nothing for an empty name."""
    if not named_key(name):
        return {}
    key = os.environ.get(name, "").strip()
    if not key:
        raise InputError(
            f"the environment has no key {name!r} for {shown(url)}",
            mend=f'export {name}=..., or key_env = "" for a server that asks for none',
        )
    return {"Authorization": f"Bearer {key}"}


def masked(reply: Any, headers: Mapping[str, str] | None, most: int = 80) -> str:
    """The beginning of a reply, to be shown; a server may repeat the key that it was given."""
    text = str(reply)
    for value in (headers or {}).values():
        text = text.replace(value.removeprefix("Bearer "), "…")
    return text[:most]


def _why(error: BaseException | None) -> str:
    import httpx2

    if isinstance(error, _Again):
        return str(error)
    if isinstance(error, httpx2.TimeoutException):
        return "no answer in time"
    return "no connection" if isinstance(error, httpx2.ConnectError) else "the connection broke"


def _line(error: BaseException | None) -> str:
    words = " ".join(str(error).split())[:200]
    if isinstance(error, _Again):
        return f"{words}: {error.said!r}" if error.said.strip() else words
    return f"{type(error).__name__}: {words}"


def _seconds(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:  # a date: the usual growing wait will do
        return None
