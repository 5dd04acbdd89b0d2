"""Cutting a corpus into units: every rule, and the one function that applies them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.corpus.chunking_config import rule_of
from evenhand.corpus.external_splitters import Guest
from evenhand.corpus.fixed import Fixed, Whole
from evenhand.corpus.headings import Headings
from evenhand.corpus.recursive import Recursive
from evenhand.corpus.sentences import Sentences
from evenhand.corpus.unit_length import Tokens, token_lengths
from evenhand.errors import InputError
from evenhand.model.text import Units

if TYPE_CHECKING:
    from evenhand.model.text import Corpus

__all__ = [
    "Fixed",
    "Guest",
    "Headings",
    "Recursive",
    "Sentences",
    "Tokens",
    "Whole",
    "chunk",
    "rule_of",
    "token_lengths",
]


def chunk(corpus: Corpus, rule: Any, *, name: str = "", tokens: Tokens | None = None) -> Units:
    """Cut *corpus* by *rule*: one of ours, anything with ``cut(corpus)``, or an outside splitter.

    *name* is what reports call the chunking; *tokens* is the tokenizer that ``count="tokens"`` means.
    Raises :class:`InputError` when no unit comes out.
    """
    if isinstance(rule, Fixed | Sentences | Headings | Recursive | Whole | Guest):
        units = rule.cut(corpus, name=name, tokens=tokens)
    elif callable(getattr(rule, "cut", None)) and not isinstance(rule, type):
        units = rule.cut(corpus)
        if not isinstance(units, Units) or units.corpus.seal != corpus.seal:
            raise InputError(
                f"{type(rule).__name__}.cut did not return Units of the corpus it was given",
                mend="return Units.of(corpus, name, rows of (document position, start, end))",
            )
    else:
        units = Guest(rule).cut(corpus, name=name, tokens=tokens)
    if not len(units):
        raise InputError(
            f"chunking {units.chunking!r} made no unit out of {len(corpus)} documents",
            mend="the documents are blank, or the splitter returns nothing: look at one with read_corpus",
        )
    return units
