"""The verbs of the Python API that put several packages together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.errors import expect
from evenhand.model.text import Corpus, Units

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["chunk", "token_lengths"]


def chunk(corpus: Corpus, rule: Any, *, name: str = "", tokens: Any | None = None) -> Units:
    """Cut *corpus* by *rule*, and count in tokens of the embedded embedder where the rule says ``tokens``.

    *rule* is one of ours (``Sentences(size=200)``), anything with ``cut(corpus)``, or an outside splitter;
    *tokens* is another tokenizer, with ``name`` and ``offsets(text)``. Raises `MissingExtra` where the
    tokenizer is wanted and not installed.
    """
    from evenhand.corpus.chunk import chunk as cut

    expect(corpus, Corpus, "the first argument", "chunk(corpus, rule)")
    if tokens is None and getattr(rule, "count", "") == "tokens":
        from evenhand.retrieve.models.minilm import MiniLM

        tokens = MiniLM().tokens
    return cut(corpus, rule, name=name, tokens=tokens)


def token_lengths(units: Units, *, tokens: Any | None = None) -> NDArray[np.int64]:
    """Tokens of each unit, as ``measure(..., lengths=...)`` takes them for metrics such as ``R@1000tokens``.

    Counted in tokens of the embedded embedder, as `chunk` counts; *tokens* is another tokenizer, with
    ``name`` and ``offsets(text)``. Raises `MissingExtra` where the tokenizer is wanted and not installed.
    """
    from evenhand.corpus.chunk import token_lengths as lengths

    expect(units, Units, "the first argument", "token_lengths(units)")
    if tokens is None:
        from evenhand.retrieve.models.minilm import MiniLM

        tokens = MiniLM().tokens
    return lengths(units, tokens)
