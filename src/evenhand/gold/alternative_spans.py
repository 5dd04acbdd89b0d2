"""Where else the words of a quote stand: other spans that carry the same evidence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evenhand.model.text import Span

if TYPE_CHECKING:
    from evenhand.model.text import Corpus

__all__ = ["elsewhere"]


def elsewhere(quote: str, corpus: Corpus, *, but: Span, most: int = 50) -> tuple[Span, ...]:
    """Spans with the words of *quote*, whatever white space lies between them; *but* is left out.

    In the order of the documents, *most* at most; linear in the corpus. A quote of blanks has none.
    """
    words = quote.split()
    if not words:
        return ()
    # as words of their own: "12 crowns" does not stand in "112 crowns"
    ends = [r"\b" if re.match(r"\w", sign) else "" for sign in (words[0][0], words[-1][-1])]
    pattern = re.compile(ends[0] + r"\s+".join(re.escape(word) for word in words) + ends[1])
    rarest = max(words, key=len)
    found: list[Span] = []
    for document in corpus:
        if rarest not in document.text:
            continue
        for hit in pattern.finditer(document.text, document.body):
            span = Span(document.id, hit.start(), hit.end())
            if not span.overlap(but):
                found.append(span)
                if len(found) == most:
                    return tuple(found)
    return tuple(found)
