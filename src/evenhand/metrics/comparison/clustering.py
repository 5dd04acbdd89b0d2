"""Questions that belong together: how many clusters there are, and what that does to an interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.metrics.comparison.resamples import Draws, Settings, how, place
from evenhand.stats.intervals.clusters import cluster_mean
from evenhand.text.plural import noun, verb

if TYPE_CHECKING:
    from evenhand.model.gold import Question
    from evenhand.model.result import Measurements

__all__ = ["FEW", "Dependence", "dependence", "dependence_warnings"]

FEW = 15  # clusters below which their spread is known too badly to correct for
LARGE = 1.5  # a design effect from which on intervals are too narrow to be left without a word


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """The clusters behind the questions of one metric, and each system's design effect.

    ``design_effect``: the factor by which clusters inflate the variance of the mean; n divided by it is
    the number of independent questions that would tell as much. None where it is undefined.
    """

    metric: str
    n: int
    clusters: int  # a question without a cluster is one of its own
    largest: int
    few: bool
    design_effect: Mapping[str, float | None]


def dependence(
    measurements: Measurements,
    questions: Iterable[Question],
    metric: str,
    *,
    systems: Iterable[str] | None = None,
) -> Dependence | None:
    """The clusters of the questions that all *systems* define; None when no two of them share one.

    The design effect is that of the linearised error of a mean over clusters, see
    `evenhand.stats.intervals.clusters.cluster_mean`.
    """
    m = measurements
    draws, x = Draws(m, Settings()), place(m, m.systems[0], metric)[1]
    named = list(m.systems if systems is None else systems)
    alive = [s for s in (m.at(name, m.metrics[x])[0] for name in named) if draws.defined(s, x).any()]
    mask = (m.why[alive, x] == 0).all(axis=0)
    of = {str(q.id): q.cluster for q in questions}
    inside = [q for q, yes in zip(m.questions, mask.tolist(), strict=True) if yes]
    # a prefix keeps a cluster named like a question apart from that question
    names = [f"c{of[q]}" if of.get(q) else f"q{q}" for q in inside]
    sizes = Counter(names)
    if how(m.metrics[x]) == "total" or len(sizes) == len(names):
        return None
    effect = {m.systems[s]: cluster_mean(draws.values(s, x, mask), names).design_effect for s in alive}
    return Dependence(
        metric=m.metrics[x],
        n=len(names),
        clusters=len(sizes),
        largest=max(sizes.values()),
        few=len(sizes) < FEW,
        design_effect=effect,
    )


def dependence_warnings(found: Dependence | None) -> Iterator[str]:
    """What to say of it: few clusters, or clusters that matter."""
    if found is None:
        return
    known = {name: x for name, x in found.design_effect.items() if x is not None}
    worst = max(known, key=known.__getitem__) if known else None
    if not found.few and (worst is None or known[worst] < LARGE):
        return
    text = (
        f"the {found.n} {noun(found.n, 'question')} {verb(found.n, 'comes', 'come')} from {found.clusters} "
        f"{noun(found.clusters, 'cluster')} (the largest holds {found.largest}), "
        "and intervals and tests treat them as independent"
    )
    if worst is not None and known[worst] > 1:
        text += (
            f": by the spread between clusters {found.metric} of {worst} is as sure as "
            f"{max(1, round(found.n / known[worst]))} independent "
            f"{noun(max(1, round(found.n / known[worst])), 'question')} "
            f"(design effect {known[worst]:.1f})"
        )
    if found.few:
        text += f"; fewer than {FEW} clusters are too few to correct for it, add sources"
    yield text
