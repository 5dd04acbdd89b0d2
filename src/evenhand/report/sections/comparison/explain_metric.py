"""Why a metric has its value on one question: gains at the ranks that are kept, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.report.output.number_format import count, number
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from evenhand.formats.results.ranks import Found
    from evenhand.metrics.catalogue.metric_type import Metric

__all__ = ["why"]

SAME = 1e-6  # as near as a value and the one made of the kept ranks must be


def why(
    metric: str,
    value: float | None,
    found: Mapping[str, Any] | None,
    *,
    reason: str = "",
    unreachable: bool = False,
    missing: bool = False,
    facts: int = 0,
    ranks: Found | None = None,
) -> dict[str, Any]:
    """One sentence, and for nDCG and AP the terms of the sum: rank, grade, gain, what it adds.

    *ranks* is what lies beside a report: every graded unit of the ranking and all grades there are, so that
    each metric is told to its own cutoff, against its ideal. Without it *found* is what
    `evenhand.report.sections.comparison.per_question` keeps of a system and question: only its first ranks.
    What lies below them is said to be unknown here, and never guessed; an ideal or a number of relevant
    units is then told only where the value and all ranks down to the cutoff give it. *facts* is the number
    of nuggets. ``best`` are the gains of the best order: the ranks from ``rank`` to ``to`` have one grade
    each.
    """
    told: dict[str, Any] = {"metric": metric, "value": value, "terms": [], "best": [], "sentence": ""}
    if value is None:
        return {**told, "sentence": f"Not defined: {reason}." if reason else "Not defined."}
    if missing:
        return {**told, "sentence": "The run holds no ranking for this question: counted 0."}
    if unreachable and value == 0:
        return {**told, "sentence": "No unit of this chunking holds the evidence whole: counted 0."}
    if found is None and ranks is None:
        return {**told, "sentence": "What was found is not kept for this question."}
    from evenhand.metrics.catalogue.names import here

    try:
        asked = here(metric)
    except InputError:
        return {**told, "sentence": "Measured elsewhere."}
    maker = _MAKERS.get(asked.name)
    if maker is None or asked.budget is not None:
        return {**told, "sentence": _catalogue(asked)}
    return {**told, **maker(_Ranks(asked, found, ranks), value, facts)}


class _Ranks:
    """The kept ranks above the cutoff of a metric; ``whole``: are they all of them?

    ``shown`` counts the ranks that are kept, ``known`` are all grades there are, where they are kept.
    """

    def __init__(self, metric: Metric, found: Mapping[str, Any] | None, ranks: Found | None) -> None:
        from evenhand.metrics.catalogue.names import kind

        self.metric = metric
        self.full = kind(metric).full(metric)
        self.depth: int = ranks.depth if ranks is not None else found["depth"] if found else 0
        self.cut = self.depth if metric.cutoff is None else min(metric.cutoff, self.depth)
        self.known = None if ranks is None else ranks.known
        self.top: list[tuple[int, float | None, Sequence[int]]]
        if ranks is not None:
            self.top = [hit for hit in ranks.graded if hit[0] <= self.cut]
            self.shown = self.cut
        else:
            kept = found["top"][: self.cut] if found else []
            self.top = [(rank, hit["grade"], hit["covers"]) for rank, hit in enumerate(kept, 1)]
            self.shown = len(self.top)
        self.whole = self.shown >= self.cut
        self.rest = (
            f"ranks {self.shown + 1} to {self.cut}" if self.cut > self.shown + 1 else f"rank {self.cut}"
        )
        self.rel: float = float(self.full.get("rel", 1))
        self.good = [rank for rank, grade, _ in self.top if grade is not None and grade >= self.rel]
        self.what = f"unit of grade {self.rel:g} or more"


def _catalogue(metric: Metric) -> str:
    from evenhand.metrics.catalogue.names import kind

    says = kind(metric).says
    return f"{says[:1].upper()}{says[1:]}."


def _worth(ranks: _Ranks, grade: float) -> float:
    import numpy as np

    from evenhand.metrics.catalogue.ranked import worth_of

    return float(worth_of(np.array([grade]), str(ranks.full["gain"]), str(ranks.full["gains"]))[0])


def _ndcg(ranks: _Ranks, value: float, _: int) -> dict[str, Any]:
    from math import log2

    terms: list[dict[str, Any]] = []
    for rank, grade, _covers in ranks.top:
        got = _worth(ranks, grade or 0.0)
        if got > 0:
            terms.append({"rank": rank, "grade": grade, "gain": got, "adds": got / log2(rank + 1)})
    total = sum(term["adds"] for term in terms)
    if ranks.known is not None:
        return _against_ideal(ranks, value, terms, total)
    if value == 0:
        return {"terms": [], "sentence": f"No unit with a gain among the first {count(ranks.cut)}."}
    if ranks.whole and total > 0:
        best = (
            "the best order there is" if value >= 1 else f"the best order would give {number(total / value)}"
        )
        return {"terms": terms, "sentence": f"Gains add up to {number(total)}; {best}: {number(value)}."}
    said = f"Ranks 1 to {ranks.shown} add up to {number(total)}; {ranks.rest} count too and are not kept here"
    return {"terms": terms, "sentence": f"{said}: {number(value)} of the best order in all."}


def _against_ideal(ranks: _Ranks, value: float, terms: list[dict[str, Any]], total: float) -> dict[str, Any]:
    """The sum, and that of the best order of all that is graded, down to the same cutoff."""
    from math import log2

    gains = sorted(((_worth(ranks, grade), grade) for grade in ranks.known or ()), reverse=True)
    ideal = [one for one in gains if one[0] > 0][: ranks.metric.cutoff]
    best: list[dict[str, Any]] = []
    for rank, (gain, grade) in enumerate(ideal, 1):
        adds = gain / log2(rank + 1)
        if best and best[-1]["grade"] == grade:
            best[-1]["to"] = rank
            best[-1]["adds"] += adds
        else:
            best.append({"rank": rank, "to": rank, "grade": grade, "gain": gain, "adds": adds})
    most = sum(one["adds"] for one in best)
    if not most or abs(min(1.0, total / most) - value) > SAME:
        return {"sentence": "The rankings and grades beside this report do not give this value."}
    many = f"{count(len(ideal))} unit{'s' if len(ideal) > 1 else ''} with a gain"
    if value == 0:
        said = f"No unit with a gain among the first {count(ranks.cut)}; the best order of {many}"
        return {"best": best, "sentence": f"{said} would give {number(most)}."}
    said = f"Gains add up to {number(total)}; the best order of {many} gives {number(most)}"
    return {"terms": terms, "best": best, "sentence": f"{said}: {number(value)}."}


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
    said = f"{hits} {what} among the first {ranks.shown}{at}"
    if not ranks.whole:
        return {"sentence": f"{said}; {ranks.rest} count too and are not kept here."}
    if ranks.metric.name == "P":
        return {"sentence": f"{said}, of {ranks.metric.cutoff} places."}
    if ranks.known is not None:
        return {"sentence": f"{said}, of {sum(grade >= ranks.rel for grade in ranks.known)} known."}
    return {"sentence": f"{said}, of {round(hits / value)} known." if value > 0 and hits else f"{said}."}


def _average(ranks: _Ranks, value: float, _: int) -> dict[str, Any]:
    """AP: precision at each relevant rank."""
    if ranks.known is None or str(ranks.full["denom"]) != "R":
        return {"sentence": _catalogue(ranks.metric)}
    known = sum(grade >= ranks.rel for grade in ranks.known)
    terms: list[dict[str, Any]] = [
        {"rank": rank, "grade": None, "gain": place, "adds": place / rank}
        for place, rank in enumerate(ranks.good, 1)
    ]
    total = sum(term["adds"] for term in terms)
    if not known or abs(total / known - value) > SAME:
        return {"sentence": "The rankings and grades beside this report do not give this value."}
    said = f"Precision at the ranks of each {ranks.what} adds up to {number(total)}, divided by {known} known"
    return {"terms": terms, "sentence": f"{said}: {number(value)}."}


def _facts(ranks: _Ranks, _: float, facts: int) -> dict[str, Any]:
    shown = {nugget for _rank, _grade, covers in ranks.top for nugget in covers}
    of = f"{len(shown)} of {facts} facts stand" if facts else f"{len(shown)} facts stand"
    said = f"{of} whole in the first {ranks.shown} {noun(ranks.shown, 'unit')}"
    return {
        "sentence": f"{said}." if ranks.whole else f"{said}; {ranks.rest} count too and are not kept here."
    }


_MAKERS = {
    "nDCG": _ndcg,
    "RR": _first,
    "Success": _first,
    "R": _counted,
    "P": _counted,
    "AP": _average,
    "NuggetRecall": _facts,
}
