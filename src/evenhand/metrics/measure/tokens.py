"""Tokens of documents as a scale: where a span of characters begins and ends, counted in tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from evenhand.model.text import Corpus

__all__ = ["Scale", "words"]

_WORD = re.compile(r"\w+|[^\w\s]")


def words(text: str) -> NDArray[np.int64]:
    """int64[t, 2]: start and end of each word (letters, digits, _) or other visible character."""
    found = [one.span() for one in _WORD.finditer(text)]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


class Scale:
    """Tokens of the documents met so far. *tokens* gives start and end of each in code points of a text."""

    def __init__(self, tokens: Callable[[str], NDArray[Any]] | None = None) -> None:
        self.tokens = words if tokens is None else tokens
        self._of: dict[int, NDArray[np.int64]] = {}

    def learn(self, corpus: Corpus, documents: NDArray[Any]) -> None:
        """Tokenise those of *documents* (positions in *corpus*) that were not met before."""
        for doc in np.unique(documents).tolist():
            if doc not in self._of:
                self._of[doc] = np.asarray(self.tokens(corpus[doc].text), dtype=np.int64).reshape(-1, 2)

    def place(
        self, doc: NDArray[Any], start: NDArray[np.int64], end: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The tokens ``[first, behind)`` that the spans ``[start, end)`` of *doc* hold a character of."""
        first, behind = np.zeros(len(doc), dtype=np.int64), np.zeros(len(doc), dtype=np.int64)
        order = np.argsort(doc, kind="stable")
        edge = np.flatnonzero(np.diff(doc[order])) + 1
        for rows in np.split(order, edge):
            if len(rows):
                token = self._of[int(doc[rows[0]])]
                first[rows] = np.searchsorted(token[:, 1], start[rows], side="right")
                behind[rows] = np.searchsorted(token[:, 0], end[rows], side="left")
        return first, np.maximum(behind, first)
