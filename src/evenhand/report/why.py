"""Why a metric has its value on one question: gains at the ranks that a report keeps, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.report.figures import count, number

if TYPE_CHECKING:
    from evenhand.metrics.kinds import Metric

__all__ = ["why"]


def why(
    metric: str,
    value: float | None,
    found: Mapping[str, Any] | None,
    *,
    reason: str = "",
    unreachable: bool = False,
    missing: bool = False,
    facts: int = 0,
) -> dict[str, Any]:
    """One sentence, and for nDCG the terms of its sum: rank, grade, gain and discounted gain.

    *found* is what `evenhand.report.drill` keeps of a system and question: only its first ranks. What lies
    below them is said to be unknown here, and never guessed; *facts* is the number of nuggets. An ideal or
    a number of relevant units is told only where the value and all ranks down to the cutoff give it.
    """
    told: dict[str, Any] = {"metric": metric, "value": value, "terms": [], "sentence": ""}
    if value is None:
        return {**told, "sentence": f"Not defined: {reason}." if reason else "Not defined."}
    if missing:
        return {**told, "sentence": "The run holds no ranking for this question: counted 0."}
    if unreachable and value == 0:
        return {**told, "sentence": "No unit of this chunking holds the evidence whole: counted 0."}
    if found is None:
        return {**told, "sentence": "What was found is not kept for this question."}
    from evenhand.metrics.names import parse

    try:
        asked = parse(metric)
    except InputError:
        return {**told, "sentence": "Measured elsewhere."}
    maker = _MAKERS.get(asked.name)
    if maker is None or asked.budget is not None:
        return {**told, "sentence": _catalogue(asked)}
    return {**told, **maker(_Ranks(asked, found), value, facts)}


class _Ranks:
    """The kept ranks above the cutoff of a metric; ``whole``: are they all of them?"""

    def __init__(self, metric: Metric, found: Mapping[str, Any]) -> None:
        from evenhand.metrics.names import kind

        top = found["top"]
        self.metric = metric
        self.full = kind(metric).full(metric)
        self.depth = found["depth"]
        self.cut = self.depth if metric.cutoff is None else min(metric.cutoff, self.depth)
        self.top = [(rank, hit["grade"], hit["covers"]) for rank, hit in enumerate(top[: self.cut], 1)]
        self.whole = len(self.top) >= self.cut
        self.rest = (
            f"ranks {len(self.top) + 1} to {self.cut}" if self.cut > len(self.top) + 1 else f"rank {self.cut}"
        )
        self.rel = float(self.full.get("rel", 1))
        self.good = [rank for rank, grade, _ in self.top if grade is not None and grade >= self.rel]
        self.what = f"unit of grade {self.rel:g} or more"


def _catalogue(metric: Metric) -> str:
    from evenhand.metrics.names import kind

    says = kind(metric).says
    return f"{says[:1].upper()}{says[1:]}."


def _ndcg(ranks: _Ranks, value: float, _: int) -> dict[str, Any]:
    from math import log2

    import numpy as np

    from evenhand.metrics.ranked import worth_of

    gain, table = str(ranks.full["gain"]), str(ranks.full["gains"])
    terms = []
    for rank, grade, _covers in ranks.top:
        got = float(worth_of(np.array([grade or 0.0]), gain, table)[0])
        if got > 0:
            terms.append({"rank": rank, "grade": grade, "gain": got, "adds": got / log2(rank + 1)})
    total = sum(term["adds"] for term in terms)
    if value == 0:
        return {"terms": [], "sentence": f"No unit with a gain among the first {count(ranks.cut)}."}
    if ranks.whole and total > 0:
        best = (
            "the best order there is" if value >= 1 else f"the best order would give {number(total / value)}"
        )
        return {"terms": terms, "sentence": f"Gains add up to {number(total)}; {best}: {number(value)}."}
    said = (
        f"Ranks 1 to {len(ranks.top)} add up to {number(total)}; {ranks.rest} count too and are not kept here"
    )
    return {"terms": terms, "sentence": f"{said}: {number(value)} of the best order in all."}


def _first(ranks: _Ranks, value: float, _: int) -> dict[str, Any]:
    if value == 0:
        return {"sentence": f"No {ranks.what} among the first {count(ranks.cut)}."}
    if ranks.metric.name == "RR":
        at = round(1 / value)
        return {"sentence": f"The first {ranks.what} stands at rank {at}: 1/{at}."}
    at_ = f"at rank {ranks.good[0]}" if ranks.good else f"within {ranks.rest}"
    return {"sentence": f"A {ranks.what} stands {at_}."}


def _counted(ranks: _Ranks, value: float, _: int) -> dict[str, Any]:
    hits = len(ranks.good)
    at = f" (rank{'s' if hits > 1 else ''} {', '.join(map(str, ranks.good))})" if hits else ""
    what = ranks.what if hits == 1 else ranks.what.replace("unit", "units", 1)
    said = f"{hits} {what} among the first {len(ranks.top)}{at}"
    if not ranks.whole:
        return {"sentence": f"{said}; {ranks.rest} count too and are not kept here."}
    if ranks.metric.name == "P":
        return {"sentence": f"{said}, of {ranks.metric.cutoff} places."}
    return {"sentence": f"{said}, of {round(hits / value)} known." if value > 0 and hits else f"{said}."}


def _facts(ranks: _Ranks, _: float, facts: int) -> dict[str, Any]:
    shown = {nugget for _rank, _grade, covers in ranks.top for nugget in covers}
    said = f"{len(shown)} of {facts} facts stand whole in the first {len(ranks.top)} units"
    return {
        "sentence": f"{said}." if ranks.whole else f"{said}; {ranks.rest} count too and are not kept here."
    }


_MAKERS = {
    "nDCG": _ndcg,
    "RR": _first,
    "Success": _first,
    "R": _counted,
    "P": _counted,
    "NuggetRecall": _facts,
}
