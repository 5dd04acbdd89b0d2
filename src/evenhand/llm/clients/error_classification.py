"""What went wrong between us and an endpoint, in words, and whether asking again can help."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from evenhand.errors import Unreachable
from evenhand.llm.clients.http_calls import masked, shown, without_keys
from evenhand.llm.costs.prices import withdrawn
from evenhand.llm.scheduling.rate_limits import rates_of, wait_of

__all__ = ["Where", "filtered", "mend_of", "odd", "of_connection", "of_status"]

_WORTH = (408, 409, 425, 429)
_LATE = (408, 504, 524)  # the time was over, for whoever asked the model; the model may have gone on
_SPENT = ("insufficient_quota", "billing_not_active", "credit balance is too low")
_STATUS = re.compile(r"HTTP status (\d{3})( \(no credit\))?")


class Where:
    """An endpoint as errors name it; ``secret`` are headers whose values no error may repeat."""

    def __init__(self, name: str, url: str, model: str, key_env: str, secret: Mapping[str, str]) -> None:
        self.name, self.url, self.model = name, shown(url), model
        self.key_env, self.secret = key_env, secret
        self._hidden = _secrets_in(url)

    def line(self, thing: Any, most: int = 200) -> str:
        """The beginning of what it said, on one line, without keys: those sent, and what looks like one."""
        text = thing if isinstance(thing, str) else json.dumps(thing, ensure_ascii=False, default=str)
        text = masked(text, self.secret, len(text))[: 8 * most]
        for value in self._hidden:
            text = text.replace(value, "…")
        return " ".join(without_keys(text).split())[:most]


def of_status(where: Where, status: int, headers: Mapping[str, str], body: Any) -> Unreachable:
    """The fault behind an error status."""
    message = _message(body)
    told = where.line(message) if message else ""
    spent = any(word in where.line(body, 2000) for word in _SPENT)
    again = not spent and (status in _WORTH or status >= 500)
    if 300 <= status < 400 and (to := headers.get("Location") or headers.get("location")):
        told = f"it points at {where.line(shown(to))}"
    rates = rates_of(headers) if status == 429 else None
    return Unreachable(
        f"{where.name}: {where.url} answered with status {status}: {told!r}",
        mend=_mend(where, status, spent=spent),
        why=f"HTTP status {status}" + (" (no credit)" if spent else ""),
        said=told,
        wait=wait_of(headers) if again else None,
        again=again,
        of_model=rates is not None and rates.of_model,
        charged=status in _LATE,
    )


def mend_of(why: str, where: Where) -> str:
    """The mend of a fault of which only its `why` was kept, with the call; empty: none is known."""
    found = _STATUS.match(why)
    if found is not None:
        return _mend(where, int(found[1]), spent=bool(found[2]))
    if why.startswith("no connection"):
        return f"start the server, or check the address, {where.url}"
    return ""


def _mend(where: Where, status: int, *, spent: bool) -> str:
    """What helps against an error status."""
    if spent or status == 402:
        return "the account has no credit left: add some, or use another model"
    if status in (401, 403):
        if not where.key_env:
            return 'the server asks for a key: name its variable, key_env = "…"'
        return f"check that {where.key_env} holds a key that may use {where.model}"
    if status == 404:
        gone = withdrawn(where.model)
        return f"check the model's name, {where.model!r}, and base_url, {where.url}" + (gone and f"; {gone}")
    if status == 429:
        return "wait, or ask with a lower concurrency"
    if status >= 500:
        return "the trouble is the server's own: ask again later"
    if 300 <= status < 400:
        return f"{where.url} redirects, which is not followed with a key: give base_url the address meant"
    return "the endpoint does not take this request: see what it says"


def _secrets_in(url: str) -> tuple[str, ...]:
    """The password and the values of the query of an address: neither may be repeated."""
    parts = urlsplit(url)
    found = [parts.password or "", *(value for _, value in parse_qsl(parts.query))]
    return tuple(value for value in found if len(value) >= 6)


def of_connection(where: Where, error: BaseException, seconds: float) -> Unreachable:
    """The fault behind an error of the line: nothing listens, no answer in time, broken off."""
    import httpx2

    inner = error.__cause__ or error.__context__ or error
    cause = error if isinstance(error, httpx2.TransportError) else inner
    line = where.line(f"{type(cause).__name__}: {cause}")
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
        return Unreachable(
            f"{where.name}: nothing answers at {where.url} ({line})",
            mend="start the server, or check the address",
            why="no connection",
            there=False,
        )
    if isinstance(cause, httpx2.TimeoutException):
        return Unreachable(
            f"{where.name}: {where.url} did not answer within {seconds:.3g} s",
            mend="raise the time a call may take, or lower the concurrency",
            why="no answer in time",
            charged=True,
        )
    return Unreachable(
        f"{where.name}: the connection to {where.url} broke ({line})",
        mend="ask again; when it keeps breaking, look into the server's log",
        why="the connection broke",
        said=line,
        charged=True,
    )


def odd(where: Where, body: Any) -> Unreachable:
    """The fault of a reply with status 200 that holds no answer: an error, a page, something else."""
    error = body.get("error") if isinstance(body, Mapping) else None
    code = error.get("code") if isinstance(error, Mapping) else None
    again = not isinstance(code, int) or not 400 <= code < 500 or code in _WORTH
    what = "with an error, though with status 200" if error else "with something that is no reply of a model"
    said = where.line(_message(body))
    return Unreachable(
        f"{where.name}: {where.url} answered {what}: {said!r}",
        mend="check that the address is the endpoint's; ask again later",
        why="an error in a reply of status 200" if error else "no reply of a model",
        said=said,
        again=again,
        charged=True,
    )


def filtered(body: Any) -> str:
    """What a filter of contents said when it refused the whole request with an error; empty: it was none."""
    error = body.get("error", body) if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        return ""
    inner = error.get("innererror")
    codes = {str(error.get("code")), str(error.get("type"))}
    codes |= {str(inner.get("code"))} if isinstance(inner, Mapping) else set()
    marks = {"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"}
    return str(error.get("message") or "refused by a filter of contents") if codes & marks else ""


def _message(body: Any) -> Any:
    if isinstance(body, list) and body:  # Gemini's form
        body = body[0]
    error = body.get("error", body) if isinstance(body, Mapping) else body
    return error.get("message") or error if isinstance(error, Mapping) else error
