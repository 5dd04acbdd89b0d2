"""Generated items as a table: what was made, what checks found, how people rated; no formula acts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from evenhand.formats.tables import table_text
from evenhand.model.answer import RATED, Finding, Generation, Item, Rating

__all__ = ["answers_csv"]

HEAD = (
    *("system", "topic", "ask", "expect", "state", "why", "item", "number", "kind", "text"),
    *("options", "key", "answer", "citations", "abstained"),
)
RATING = ("rater", "by", "checks_shown_before_rating", "after_checks", *RATED, "comment", "at", "active_ms")
PASSED = {True: "pass", False: "fail", None: "undecided"}


def answers_csv(
    generations: Iterable[Generation], findings: Iterable[Finding] = (), ratings: Iterable[Rating] = ()
) -> str:
    """CSV with a header. A row an item, or an item and rating where it was rated; a bare row a failed topic.

    Each check has two columns, ``check:NAME`` (pass, fail, undecided; empty where it does not apply) and
    ``why:NAME``. Each rating says whether the checks were on screen before it,
    and which of its fields were rated after they had been shown.
    """
    by_item: dict[str, dict[str, Finding]] = defaultdict(dict)
    names: dict[str, None] = {}
    for finding in findings:
        by_item[finding.item][finding.check] = finding
        names.setdefault(finding.check)
    rated: dict[str, list[Rating]] = defaultdict(list)
    for rating in ratings:
        rated[rating.item].append(rating)
    checks = list(names)
    table: list[Iterable[Any]] = [
        (*HEAD, *(f"{word}:{name}" for name in checks for word in ("check", "why")), *RATING)
    ]
    for generation in generations:
        for item in generation.items or (None,):
            head = _head(generation, item)
            found = by_item[item.id] if item is not None else {}
            cells = [cell for name in checks for cell in _cells(found.get(name))]
            given = rated[item.id] if item is not None and rated[item.id] else [None]
            table += [(*head, *cells, *_rating(one)) for one in given]
    return table_text(table, end="\r\n")


def _head(generation: Generation, item: Item | None) -> list[Any]:
    first = [getattr(generation, name) for name in ("system", "topic", "ask", "expect", "state", "why")]
    if item is None:
        return [*first, *[""] * (len(HEAD) - len(first))]
    return [
        *first,
        *(item.id, item.number, item.kind, item.text),
        "\n".join(f"{i}. {option}" for i, option in enumerate(item.options)),
        "" if item.key is None else item.key,
        item.answer,
        ", ".join(citation.marker for citation in item.citations),
        "" if item.abstained is None else item.abstained,
    ]


def _cells(finding: Finding | None) -> tuple[str, str]:
    return ("", "") if finding is None else (PASSED[finding.passed], finding.why)


def _rating(one: Rating | None) -> Sequence[Any]:
    if one is None:
        return [""] * len(RATING)
    return [
        *(one.rater, one.by, one.checks_shown_before_rating, ", ".join(one.after_checks)),
        *(one.given.get(name, "") for name in RATED),
        *(one.comment, one.at, "" if one.active_ms is None else one.active_ms),
    ]
