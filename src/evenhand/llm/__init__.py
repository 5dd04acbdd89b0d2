"""Models behind endpoints: clients, scheduling, batches, replies, costs. Only this package calls models."""

from __future__ import annotations

from evenhand.llm.clients.embeddings import Embeddings
from evenhand.llm.clients.http_calls import key_of, masked, post, secret, shown, without_keys
from evenhand.llm.clients.transport import client

__all__ = ["Embeddings", "client", "key_of", "masked", "post", "secret", "shown", "without_keys"]
