"""Checks of citations and quotations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evenhand.answer.checks.content_words import words
from evenhand.answer.checks.context import CheckContext, place_of
from evenhand.corpus.quote_match import Place
from evenhand.model.answer import Finding

__all__ = ["citations_resolve", "cites_retrieved", "quotations_verbatim"]

_QUOTED = re.compile(
    r"\"([^\"\n]{1,2000})\"|“([^“”\n]{1,2000})[”“]|„([^„“”\n]{1,2000})[“”]|«([^«»\n]{1,2000})»|»([^«»\n]{1,2000})«"
    r"|「([^「」\n]{1,2000})」"
)
_GAP = re.compile(r"\s*(?:\[[^\]]{0,80}\]|\(\s*(?:…|\.\.\.)\s*\)|…|\.\.\.)\s*")
_CUT = re.compile(r"\w\[|\]\w")  # "[t]he tenant": a piece that begins inside a word
_MARKS = "\"'“”„‟«»‘’‚,.;:!? \t\n"


def cites_retrieved(sight: CheckContext) -> Finding:
    """Does the item cite at least one passage that it was given?"""
    given = sight.cited
    if sight.uncited:
        return sight.finding("cites-retrieved", None, "not applicable: it cites nothing, and need not")
    good = [(c, lead) for c, lead in zip(given.citations, given.leads, strict=True) if lead is not None]
    return sight.finding(
        "cites-retrieved",
        bool(good),
        "" if good else "cites nothing" if not given.citations else "no citation leads to a passage",
        sought=[f"one of {len(sight.generation.passages)} passages"],
        found=dict.fromkeys(f"{c.marker} → {place_of(lead)}" for c, lead in good),
        missing=[c.marker for c, lead in zip(given.citations, given.leads, strict=True) if lead is None],
        where=[("item", c.start, c.end) for c, _ in good if c.start is not None and c.end is not None],
    )


def citations_resolve(sight: CheckContext) -> Finding:
    """Does every citation lead to a passage that was given?"""
    given = sight.cited
    pairs = list(zip(given.citations, given.leads, strict=True))
    if not pairs:
        return sight.finding("citations-resolve", None, "cites nothing")
    lost = [c for c, lead in pairs if lead is None]
    return sight.finding(
        "citations-resolve",
        not lost,
        f"{len(lost)} of {len(pairs)} lead nowhere" if lost else "",
        sought=[c.marker for c, _ in pairs],
        found=[f"{c.marker} → {place_of(lead)}" for c, lead in pairs if lead is not None],
        missing=[c.marker for c in lost],
        where=[("item", c.start, c.end) for c in lost if c.start is not None and c.end is not None],
    )


def quotations_verbatim(sight: CheckContext) -> Finding:
    """Do words in quotation marks, and those that citations quote, stand in the passages?

    They may differ in what `evenhand.corpus.normal_form` lets differ, never in a letter, a word or a number;
    an ellipsis or square brackets part a quotation in pieces that must follow each other.
    """
    quotes = list(_quotes(sight))
    if not quotes:
        least = sight.settings.quote_words
        return sight.finding("quotations-verbatim", None, f"quotes nothing of {least} words or more")
    places: dict[int, Place] = {}
    found, missing, where = [], [], []
    for words_, place, positions in quotes:
        spot = next(
            (
                (place_of(i), *span)
                for i in positions
                if (span := _spot(words_, places.setdefault(i, Place(sight.generation.passages[i].text))))
                is not None
            ),
            None,
        )
        if spot is None:
            missing.append(words_)
            if place is not None:
                where.append(("item", *place))
        else:
            found.append(words_)
            where.append(spot)
    return sight.finding(
        "quotations-verbatim",
        not missing,
        sight.absent(f"{len(missing)} of {len(quotes)}") if missing else "",
        sought=[words_ for words_, _, _ in quotes],
        found=found,
        missing=missing,
        where=where,
    )


def _quotes(sight: CheckContext) -> Iterator[tuple[str, tuple[int, int] | None, tuple[int, ...]]]:
    """(words, place in the item, passages to look in); a citation's quote must be in its own passage."""
    for citation, lead in zip(sight.cited.citations, sight.cited.leads, strict=True):
        if citation.quote.strip():
            span = (citation.start, citation.end) if citation.start is not None else None
            yield citation.quote, span, () if lead is None else (lead,)  # type: ignore[misc]
    for match in _QUOTED.finditer(sight.item.text):
        group = next(i for i in range(1, 7) if match[i] is not None)
        if len(words(match[group])) >= sight.settings.quote_words:
            yield match[group], (match.start(group), match.end(group)), sight.against


def _spot(quote: str, passage: Place) -> tuple[int, int] | None:
    """Where *quote* stands: from its first piece to its last, each after the one before."""
    parts = [part for piece in _GAP.split(quote) if (part := piece.strip(_MARKS))]
    cut = _CUT.search(quote) is not None
    spans: list[tuple[int, int]] = []
    for part in parts:
        at = spans[-1][1] if spans else 0
        span = next((one for one in passage.alike(part, cut=cut) if one[0] >= at), None)
        if span is None:
            return None
        spans.append(span)
    return (spans[0][0], spans[-1][1]) if spans else None
