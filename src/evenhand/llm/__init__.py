"""Models behind endpoints: embeddings, and chats that judge, draft and answer."""

from __future__ import annotations

from evenhand.llm.embeddings import Embeddings
from evenhand.llm.http import key_of, masked, post, secret, shown, without_keys
from evenhand.llm.transport import client

__all__ = ["Embeddings", "client", "key_of", "masked", "post", "secret", "shown", "without_keys"]
