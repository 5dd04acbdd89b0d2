"""What was counted while reading and measuring that could bias a number, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.metrics.catalogue.names import kind, parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evenhand.model.result import Measurements

__all__ = ["counted", "listed", "notices"]

SAID = {
    "duplicates": "repeated rows left out (the first of each unit is kept, ranks close up): {n}",
    "broken": "broken lines left out: {n}",
    "contradictions": "rows where rank and score disagree (the scores decide the order): {n}",
    "not_utf8": "the file is not UTF-8 and was read as Latin-1",
    "extra_columns": "lines with more than six columns (what follows the sixth is ignored): {n}",
    "unasked": "questions without any judgement, left out: {n}",
    "excluded": "units that the judgements exclude, taken out of the rankings: {n}",
    "not_in_all_runs": "questions that not every fused run ranks, fused from those that do: {n}",
    "unresolved": "hits that could not be found in the corpus (they keep their rank, not relevant): {n}",
}


def listed(names: list[str], most: int = 5) -> str:
    """Some names for a sentence, and how many more."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def counted(m: Measurements, system: str) -> Iterator[str]:
    """What reading and measuring one system dropped or found odd."""
    notes = m.extra.get("notes", {}).get(system, {})
    return (f"{system}: {text.format(n=notes[name])}" for name, text in SAID.items() if notes.get(name))


def notices(m: Measurements) -> Iterator[str]:
    """Sentences, system by system: what was dropped, contradicts, is missing, is tied, is unjudged."""
    for s, system in enumerate(m.systems):
        yield from counted(m, system)
        if m.missing.size and m.missing[s].any():
            gone = [m.questions[q] for q in m.missing[s].nonzero()[0]]
            yield f"{system}: without a result: {listed(gone)}"
        yield from _ties(m, system)
        yield from _unjudged(m, system)
        yield from _bounds(m, system)


def _ties(m: Measurements, system: str) -> Iterator[str]:
    for metric, found in m.extra.get("ties", {}).get(system, {}).items():
        if found.get("high", 0.0) - found.get("low", 0.0) >= 5e-5:  # what four digits can show
            yield (
                f"{system}: questions where equal scores touch a relevant unit: {found['questions']}; "
                f"over all orders of ties {metric} lies between {found['low']:.4f} and {found['high']:.4f}, "
                f"{found['expected']:.4f} on average"
            )


def _unjudged(m: Measurements, system: str) -> Iterator[str]:
    for metric, share in m.extra.get("judged", {}).get(system, {}).items():
        if share is not None and share < 1 and kind(parse(metric)).needs == "grades" and "@" in metric:
            yield (
                f"{system}: {1 - share:.0%} of the units that {metric} looks at are unjudged "
                "and count as not relevant"
            )
            return  # one is enough: the others are in the estimates


def _bounds(m: Measurements, system: str) -> Iterator[str]:
    for metric, found in m.extra.get("bounds", {}).get(system, {}).items():
        n = found["units"]
        none = "its one unjudged unit is not" if n == 1 else f"none of its {n} unjudged units is"
        every = "it is" if n == 1 else "all are"
        yield f"{system}: {metric} is {found['none']:.4f} if {none} relevant, {found['all']:.4f} if {every}"
