"""What an endpoint says of its limits: how much is left, and how long to leave it alone.

Headers read: ``retry-after-ms``, ``retry-after`` (seconds or an HTTP date), ``x-ratelimit-*`` (OpenAI and
those that follow it), ``anthropic-ratelimit-*``, ``ratelimit-*`` (the IETF's draft names). The names that say
of what (``-requests``, ``-tokens``) are OpenAI's and Anthropic's, whose limits are a model's each; the others
are those of gateways, whose limits are the address's.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["Rates", "rates_of", "wait_of"]

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|us|µs|ns|h|m|s)")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_OF_MODEL = re.compile(r"x-ratelimit-\w+-(requests|tokens)|anthropic-ratelimit-[a-z-]+")
_EPOCH = 1e9  # a plain number above this is no number of seconds to wait, but a time


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """The limits as an endpoint last told them; None where it did not say.

    ``remaining_*`` and ``limit_*`` count the requests and tokens of the endpoint's own window. ``reset`` is
    after how many seconds, from when the reply came, the scarcer of the two is full again; ``at`` when that
    was, on the clock of ``time.monotonic``; ``of_model`` whether they are the model's, not the endpoint's.
    """

    remaining_requests: int | None = None
    remaining_tokens: int | None = None
    reset: float | None = None
    limit_requests: int | None = None
    limit_tokens: int | None = None
    at: float = 0.0
    of_model: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing is left of one of them."""
        return 0 in (self.remaining_requests, self.remaining_tokens)


def rates_of(headers: Mapping[str, str]) -> Rates | None:
    """The limits in the headers of a reply (names in any case); None when there are none."""
    low = {low: value for name, value in headers.items() if "ratelimit" in (low := name.lower())}
    if not low:
        return None

    def first(*names: str) -> str | None:
        return next((low[name] for name in names if name in low), None)

    requests = _count(
        first(
            "x-ratelimit-remaining-requests",
            "anthropic-ratelimit-requests-remaining",
            "x-ratelimit-remaining",
            "ratelimit-remaining",
        )
    )
    tokens = _count(first("x-ratelimit-remaining-tokens", "anthropic-ratelimit-tokens-remaining"))
    resets = {
        "requests": _seconds(
            first(
                "x-ratelimit-reset-requests",
                "anthropic-ratelimit-requests-reset",
                "x-ratelimit-reset",
                "ratelimit-reset",
            )
        ),
        "tokens": _seconds(first("x-ratelimit-reset-tokens", "anthropic-ratelimit-tokens-reset")),
    }
    limits = {
        "requests": _count(
            first(
                "x-ratelimit-limit-requests",
                "anthropic-ratelimit-requests-limit",
                "x-ratelimit-limit",
                "ratelimit-limit",
            )
        ),
        "tokens": _count(first("x-ratelimit-limit-tokens", "anthropic-ratelimit-tokens-limit")),
    }
    if requests is None and tokens is None and not any(one is not None for one in resets.values()):
        return None
    left = {"requests": requests, "tokens": tokens}
    known = [kind for kind in resets if resets[kind] is not None]
    scarce = min(known, key=lambda kind: _share(left[kind], limits[kind]), default=None)
    return Rates(
        remaining_requests=requests,
        remaining_tokens=tokens,
        reset=resets[scarce] if scarce else None,
        limit_requests=limits["requests"],
        limit_tokens=limits["tokens"],
        at=time.monotonic(),
        of_model=any(_OF_MODEL.fullmatch(name) for name in low),
    )


def wait_of(headers: Mapping[str, str]) -> float | None:
    """For how many seconds the endpoint asked to be left alone; None when it did not say.

    ``retry-after`` counts first; without one, the reset of a limit of which nothing is left.
    """
    low = {name.lower(): value for name, value in headers.items()}
    thousandths = _number(low.get("retry-after-ms"))
    if thousandths is not None:
        return thousandths / 1000
    told = _seconds(low.get("retry-after"))
    if told is not None:
        return told
    rates = rates_of(headers)
    if rates is None or rates.reset is None:
        return None
    return rates.reset if rates.empty else None


def _share(left: int | None, limit: int | None) -> float:
    if left is None:
        return math.inf
    return left / limit if limit else float(left)


def _count(text: str | None) -> int | None:
    number = _number(text)
    return int(number) if number is not None else None


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _seconds(text: str | None) -> float | None:
    """Seconds from now: a number, ``6m0s``, ``17ms``, an ISO or HTTP date, a time since 1970 in s or ms."""
    if text is None or not text.strip():
        return None
    text = text.strip()
    plain = _number(text)
    if plain is not None:
        if plain < _EPOCH:
            return plain
        moment = plain / 1000 if plain > _EPOCH * 1000 else plain
        return max(0.0, moment - time.time())
    parts = _PART.findall(text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return sum(float(number) * _UNITS[unit] for number, unit in parts)
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            when = read(text)
        except (ValueError, TypeError, OverflowError):  # OverflowError: a year of twenty digits
            continue
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return max(0.0, (when - datetime.now(UTC)).total_seconds())
    return None
