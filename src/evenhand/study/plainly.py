"""The verbs of the Python API that put several packages together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.model.text import Corpus, Units

__all__ = ["chunk"]


def chunk(corpus: Corpus, rule: Any, *, name: str = "", tokens: Any | None = None) -> Units:
    """Cut *corpus* by *rule*, and count in tokens of the embedded embedder where the rule says ``tokens``.

    *rule* is one of ours (``Sentences(size=200)``), anything with ``cut(corpus)``, or an outside splitter;
    *tokens* is another tokenizer, with ``name`` and ``offsets(text)``. Raises `MissingExtra` where the
    tokenizer is wanted and not installed.
    """
    from evenhand.corpus.chunk import chunk as cut

    if tokens is None and getattr(rule, "count", "") == "tokens":
        from evenhand.retrieve.minilm import MiniLM

        tokens = MiniLM().tokens
    return cut(corpus, rule, name=name, tokens=tokens)
