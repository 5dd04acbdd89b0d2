"""Tokens and money of a request before it is sent: about, and at the most."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from evenhand.llm.scheduling.attempt import price_of_reply
from evenhand.model.call import Reply, Request

__all__ = ["dearest", "most", "price_of_tokens", "tokens_about", "tokens_at_most"]

PER_MESSAGE = 8  # tokens of roles and separators around a message, generously


def _texts(request: Request) -> list[str]:
    texts = [one.content for one in request.messages]
    if request.schema is not None:
        texts.append(json.dumps(dict(request.schema), ensure_ascii=False))
    return texts


def tokens_about(request: Request, count: Callable[[str], int] | None = None) -> int:
    """Tokens of a request by a tokenizer's *count*, or as characters / 4.

    The latter is fair for English and far too low for Chinese.
    """
    if count is not None:
        return sum(count(text) for text in _texts(request))
    return sum(len(text) for text in _texts(request)) // 4 + 1


def tokens_at_most(request: Request) -> int:
    """Tokens that a request is hardly above: one for each two bytes (English has four), some for the form."""
    size = sum(len(text.encode("utf-8", "replace")) for text in _texts(request))
    return size // 2 + PER_MESSAGE * (len(request.messages) + 1)


def price_of_tokens(chat: Any, tokens_in: int, tokens_out: int) -> float | None:
    """US dollars of so many tokens at *chat*; None when its price is not known."""
    return price_of_reply(chat, Reply(text="", tokens_in=tokens_in, tokens_out=tokens_out))


def most(chat: Any, request: Request) -> float | None:
    """The most a call may come to: all tokens of the reply are used, and where JSON is asked for, twice.

    The second time is the one re-ask after a reply that cannot be read, which repeats question and reply.
    """
    tokens_in, tokens_out = tokens_at_most(request), request.max_tokens
    if request.schema is not None:
        tokens_in, tokens_out = 2 * tokens_in + tokens_out, 2 * tokens_out
    return dearest(chat, tokens_in, tokens_out)


def dearest(chat: Any, tokens_in: int, tokens_out: int) -> float | None:
    """The same at the most: what is put in may be put into the provider's cache, which costs more."""
    reply = Reply(text="", tokens_in=tokens_in, tokens_out=tokens_out, tokens_written=tokens_in)
    return price_of_reply(chat, reply)
