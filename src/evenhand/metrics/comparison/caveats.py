"""What the chosen metrics cannot show, said beside them: each with a kind, a count and a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evenhand.errors import InputError
from evenhand.metrics.catalogue.names import here, kind
from evenhand.metrics.comparison.notices import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evenhand.metrics.catalogue.metric_type import Metric
    from evenhand.model.result import Measurements
    from evenhand.model.run import Qrels

__all__ = ["Advice", "advice"]

HITS = ("Success", "AllVital")  # yes or no: blind to ranks
BLIND = (
    "P",
    "R",
    "Judged",
    "SetP",
    "SetF",
    "SetAP",
    "RelativeP",
    "ContextPrecision",
    "Utility",
)  # so are they
CAPPED = 0.95  # a ceiling of P@k from which on nobody is misled


class Advice(NamedTuple):
    """One warning: its kind, how often it holds, and the words."""

    kind: str
    times: int
    text: str


def advice(m: Measurements, qrels: Qrels, *, chunkings: int = 1) -> Iterator[Advice]:
    """What a reader of these metrics should know: RR's second facts, P@k's ceiling, ranks unseen, chunkings.

    *qrels* are those of one chunking; *chunkings* counts them all.
    """
    metrics = _known(m.metrics)
    yield from _across(metrics, chunkings)
    yield from _capped(metrics, qrels)
    yield from _second_facts(metrics, qrels)
    yield from _hits(metrics, m)


def _known(names: Sequence[str]) -> list[Metric]:
    found = []
    for name in names:
        try:
            found.append(here(name))
        except InputError:  # a measurement brought from elsewhere
            continue
    return found


def _across(metrics: Sequence[Metric], chunkings: int) -> Iterator[Advice]:
    units = [str(metric) for metric in metrics if kind(metric).needs == "grades"]
    if chunkings > 1 and units:
        yield Advice(
            "across chunkings",
            chunkings,
            f"{listed(units)} {'counts' if len(units) == 1 else 'count'} units, and {chunkings} chunkings "
            "differ in which units are relevant: "
            "between chunkings compare SpanRecall, SpanPrecision or NuggetRecall, best at one token budget "
            "(budget = 2000 under [measure])",
        )


def _capped(metrics: Sequence[Metric], qrels: Qrels) -> Iterator[Advice]:
    owner = np.repeat(np.arange(len(qrels)), np.diff(qrels.offsets))
    for metric in metrics:
        if metric.name != "P" or not metric.cutoff:
            continue
        level = float(kind(metric).full(metric)["rel"])
        known = np.bincount(owner[qrels.grade >= level], minlength=len(qrels))
        known = known[known > 0]
        if not len(known):
            continue
        top = float(np.mean(np.minimum(known, metric.cutoff)) / metric.cutoff)
        if top < CAPPED:
            yield Advice(
                "P@k capped",
                int(np.sum(known < metric.cutoff)),
                f"{metric} can reach {top:.2f} at most: a question has {known.mean():.1f} relevant units "
                "on average; R@k or RPrec has no such ceiling",
            )


def _second_facts(metrics: Sequence[Metric], qrels: Qrels) -> Iterator[Advice]:
    blind = [str(metric) for metric in metrics if metric.name == "RR"]
    if len(qrels.nugget_offsets) < 2 or not blind:
        return
    owner = np.repeat(np.arange(len(qrels)), np.diff(qrels.nugget_offsets))
    several = int((np.bincount(owner[qrels.vital], minlength=len(qrels)) >= 2).sum())
    if several:
        needing = "1 question needs" if several == 1 else f"{several} questions need"
        yield Advice(
            "RR blind",
            several,
            f"{needing} two facts or more, and {', '.join(blind)} is blind to all after the "
            "first; NuggetRecall is not",
        )


def _hits(metrics: Sequence[Metric], m: Measurements) -> Iterator[Advice]:
    hits = [str(metric) for metric in metrics if metric.name in HITS]
    ranked = any(kind(one).needs == "grades" and one.name not in (*HITS, *BLIND) for one in metrics)
    if hits and not ranked and not any(one.name == "alphaNDCG" for one in metrics):
        yield Advice(
            "hit rate alone",
            len(hits),
            f"{', '.join(hits)} does not see ranks: add nDCG@10 or RR(rel=2)@10",
        )
    told = []
    for name in hits:
        sent = {s: by[name] for s, by in m.extra.get("tokens", {}).items() if by.get(name) is not None}
        if sent:
            each = ", ".join(f"{system} {round(tokens)}" for system, tokens in sent.items())
            told.append(f"{each} at {name}")
    if told:
        text = f"tokens that the units of a question hold, on average: {'; '.join(told)}"
        yield Advice("tokens sent", 1, text)
