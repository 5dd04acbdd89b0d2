"""What a reply costs, by the providers' list prices of a known day or by the user's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.model.call import Reply
from evenhand.model.json_text import toml_loads

__all__ = ["FREE", "Price", "checked", "given_price", "listed_price", "price_of", "withdrawn"]

_MILLION = 1_000_000
_VERSION = re.compile(r"(?:[-@](?:latest|\d{4,8}(?:-\d{2}-\d{2})?))?")
_KEYS = ("input", "output", "cached", "written")
WRITTEN = 1.25  # of the price of input, for what is put into the provider's cache: OpenAI's and Anthropic's


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens; ``cached`` is for those found in the provider's cache.

    ``written`` is for those put into it (None: `WRITTEN` times the price of input).
    ``checked`` is the day the list was looked at; empty for a price that the user gave.
    """

    input: float
    output: float
    cached: float | None = None
    written: float | None = None
    checked: str = ""


FREE = Price(input=0.0, output=0.0)


@cache
def _list() -> dict[str, Any]:
    return toml_loads(files("evenhand.llm.costs").joinpath("prices.toml").read_text("utf-8"))


def checked() -> str:
    """The day of the price list, ISO."""
    return str(_list()["checked"])


def listed_price(provider: str, model: str) -> Price | None:
    """The list price of a model, also under a name with a date behind it; None when it is not in the list."""
    known = _list().get(provider, {})
    for name in sorted(known, key=len, reverse=True):
        if model == name or (model.startswith(name) and _VERSION.fullmatch(model[len(name) :])):
            told = {key: value for key, value in known[name].items() if key in _KEYS}
            return Price(**told, checked=checked())
    return None


def withdrawn(model: str) -> str:
    """When a model's provider takes it away and what it names instead, in words; empty: that is not known."""
    for known in _list().values():
        told = known.get(_VERSION.sub("", model)) or known.get(model) if isinstance(known, dict) else None
        if told is not None and "until" in told:
            instead = f", and names {told['instead']} instead" if "instead" in told else ""
            return f"its provider takes {model} away on {told['until']}{instead} (as of {checked()})"
    return ""


def given_price(content: Any, *, where: str) -> Price:
    """The price a user wrote: ``{ input = …, output = …, cached = … }``, in dollars for a million tokens."""
    if not isinstance(content, Mapping) or not {"input", "output"} <= content.keys():
        raise InputError(
            f"{where}: price: found {content!r}, expected what a million tokens cost",
            mend="price = { input = 1.0, output = 5.0 }, in US dollars",
        )
    for key, value in content.items():
        if key not in _KEYS:
            raise InputError(f"{where}: price: unknown key {key!r}", mend=nearest(str(key), _KEYS))
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
            raise InputError(
                f"{where}: price: {key} is {value!r}, expected US dollars for a million tokens",
                mend="give a number from 0",
            )
    given = {key: float(value) for key, value in content.items()}
    return Price(
        input=given["input"],
        output=given["output"],
        cached=given.get("cached"),
        written=given.get("written"),
    )


def price_of(reply: Reply, price: Price | None) -> float | None:
    """US dollars of a reply; None when the price or a count of tokens is not known (a price of 0 is 0).

    A count of 0 beside a text is none: no reply is made of nothing.
    """
    if price is None:
        return None
    if price.input == price.output == 0:
        return 0.0
    if reply.tokens_in is None or reply.tokens_out is None:
        return None
    if reply.text and not (reply.tokens_in and reply.tokens_out):
        return None
    again = min(reply.tokens_cached or 0, reply.tokens_in)
    kept = min(reply.tokens_written or 0, reply.tokens_in - again)
    for_cached = price.input if price.cached is None else price.cached
    for_kept = WRITTEN * price.input if price.written is None else price.written
    dollars = (reply.tokens_in - again - kept) * price.input + again * for_cached + kept * for_kept
    dollars += reply.tokens_out * price.output
    return dollars / _MILLION
