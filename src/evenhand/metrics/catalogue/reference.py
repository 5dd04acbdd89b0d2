"""The same metrics for one question, in plain Python: easy to read, and an oracle for the columns.

``ranking`` is a list of unit ids, best first; ``qrels`` maps a unit to its grade. Undefined is None.
Sources and variants: STATISTICS §9 and the columnar functions of this package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from evenhand.metrics.catalogue.pooled import EPSILON

__all__ = [
    "alpha_ndcg",
    "average_precision_ranked",
    "bpref",
    "chroma_span_scores",
    "condensed_ndcg",
    "err",
    "infap",
    "judged_at_k",
    "mrr_at_k",
    "ndcg",
    "nugget_coverage_at_k",
    "precision_at_k",
    "r_precision",
    "rbp",
    "recall_at_k",
    "success_at_k",
    "trec_tie_order",
]

Grades = Mapping[str, float]
HUGE = {"linear": 1e150, "exp": 500.0}  # grades whose gains are taken relative to the best


def _gain(grade: float, gain: str, top: float) -> float:
    # both terms of a ratio by the best grade, where it is beyond what may be summed up
    grade, top = max(grade, 0.0), top if top > HUGE[gain] else 0.0
    if gain == "exp":
        return float(2.0 ** (grade - top) - 2.0**-top)
    return grade / top if top else grade


def _known(qrels: Grades, rel: float) -> int:
    return sum(grade >= rel for grade in qrels.values())


def _marks(ranking: Sequence[str], qrels: Grades, rel: float) -> list[bool]:
    return [unit in qrels and qrels[unit] >= rel for unit in ranking]


def _discount(rank: int, base: float) -> float:
    # Järvelin and Kekäläinen: no discount before rank b; with b = 2 and rank + 1 the base cancels
    return log2(rank + 1) / log2(base)


def ndcg(  # noqa: PLR0917 - the golden cases name them so
    ranking: Sequence[str],
    qrels: Grades,
    k: int | None = None,
    gain: str = "linear",
    ideal: str = "judged",
    log_base: float = 2,
) -> float | None:
    """Discounted gain over that of the ideal order, of all judged units or (inflating) of those retrieved."""
    highest = max(qrels.values(), default=0.0)
    got = [_gain(qrels.get(unit, 0.0), gain, highest) for unit in ranking]
    pool = [_gain(g, gain, highest) for g in qrels.values()] if ideal == "judged" else got
    best = sorted(pool, reverse=True)[:k]
    top = sum(g / _discount(i, log_base) for i, g in enumerate(best, 1))
    if not any(grade > 0 for grade in qrels.values()):
        return None
    return sum(g / _discount(i, log_base) for i, g in enumerate(got[:k], 1)) / top if top else 0.0


def mrr_at_k(ranking: Sequence[str], qrels: Grades, k: int | None = None, rel: float = 1) -> float | None:
    """1/rank of the first relevant unit in the top k, else 0."""
    if not _known(qrels, rel):
        return None
    return next((1.0 / i for i, hit in enumerate(_marks(ranking[:k], qrels, rel), 1) if hit), 0.0)


def recall_at_k(ranking: Sequence[str], qrels: Grades, k: int | None = None, rel: float = 1) -> float | None:
    """Share of the relevant units in the top k."""
    known = _known(qrels, rel)
    return sum(_marks(ranking[:k], qrels, rel)) / known if known else None


def precision_at_k(ranking: Sequence[str], qrels: Grades, k: int, rel: float = 1) -> float | None:
    """Relevant units in the top k over k."""
    return sum(_marks(ranking[:k], qrels, rel)) / k if _known(qrels, rel) else None


def success_at_k(ranking: Sequence[str], qrels: Grades, k: int, rel: float = 1) -> float | None:
    """1 if any relevant unit is in the top k."""
    return float(any(_marks(ranking[:k], qrels, rel))) if _known(qrels, rel) else None


def average_precision_ranked(
    ranking: Sequence[str],
    qrels: Grades,
    k: int | None = None,
    rel: float = 1,
    denominator: str = "R",
) -> float | None:
    """Mean precision at the relevant units, over ``R``, ``min(R,k)`` or the relevant ``retrieved``."""
    known = _known(qrels, rel)
    if not known:
        return None
    found, total = 0, 0.0
    for i, hit in enumerate(_marks(ranking[:k], qrels, rel), 1):
        if hit:
            found += 1
            total += found / i
    if denominator == "min(R,k)" and k is not None:
        return total / min(known, k)
    if denominator == "retrieved":
        return total / found if found else 0.0
    return total / known


def r_precision(ranking: Sequence[str], qrels: Grades, rel: float = 1) -> float | None:
    """Precision at rank R."""
    known = _known(qrels, rel)
    return sum(_marks(ranking[:known], qrels, rel)) / known if known else None


def rbp(ranking: Sequence[str], qrels: Grades, p: float = 0.8, rel: float = 1) -> dict[str, float]:
    """Rank-biased precision and its residual: what unjudged ranks and the tail could add."""
    weight = [(1 - p) * p**i for i in range(len(ranking))]
    marks = _marks(ranking, qrels, rel)
    return {
        "rbp": sum(w for w, hit in zip(weight, marks, strict=True) if hit),
        "residual": sum(w for w, unit in zip(weight, ranking, strict=True) if unit not in qrels)
        + p ** len(ranking),
    }


def err(ranking: Sequence[str], qrels: Grades, k: int | None = None, max_grade: float = 4) -> float | None:
    """Expected reciprocal rank of being satisfied."""
    if not _known(qrels, 1):
        return None
    reach, total = 1.0, 0.0
    for i, unit in enumerate(ranking[:k], 1):
        stop = 2.0 ** (min(max(qrels.get(unit, 0.0), 0.0), max_grade) - max_grade) - 2.0**-max_grade
        total += reach * stop / i
        reach *= 1.0 - stop
    return total


def bpref(ranking: Sequence[str], qrels: Grades, rel: float = 1) -> float | None:
    """How rarely judged non-relevant units stand above relevant ones."""
    known = _known(qrels, rel)
    if not known:
        return None
    low = sum(0 <= grade < rel for grade in qrels.values())
    above, total = 0, 0.0
    for unit in ranking:
        grade = qrels.get(unit, -1)
        if grade >= rel:
            total += 1.0 - (min(above, known) / min(known, low) if above else 0.0)
        elif grade >= 0:
            above += 1
    return total / known


def infap(ranking: Sequence[str], qrels: Grades, rel: float = 1) -> float | None:
    """Inferred average precision; a grade of -1 is pooled but not judged."""
    known = _known(qrels, rel)
    if not known:
        return None
    good, bad, open_, total = 0, 0, 0, 0.0
    for i, unit in enumerate(ranking):
        if unit not in qrels:
            continue
        if qrels[unit] >= rel:
            share = (good + bad + open_) / i if i else 0.0
            chance = (good + EPSILON) / (good + bad + 2 * EPSILON)
            total += 1.0 if i == 0 else 1.0 / (i + 1) + i / (i + 1) * share * chance
            good += 1
        elif qrels[unit] >= 0:
            bad += 1
        else:
            open_ += 1
    return total / known


def judged_at_k(ranking: Sequence[str], qrels: Grades, k: int) -> float:
    """Share of the top k with a judgement; over k."""
    return sum(unit in qrels for unit in ranking[:k]) / k


def condensed_ndcg(
    ranking: Sequence[str], qrels: Grades, k: int | None = None, gain: str = "linear"
) -> dict[str, list[str] | float | None]:
    """The nDCG left after dropping the unjudged units, and the list that is left."""
    condensed = [unit for unit in ranking if unit in qrels]
    return {"condensed": condensed, "ndcg": ndcg(condensed, qrels, k, gain)}


def greedy_dcg(covers: Sequence[Sequence[object]], k: int | None, alpha: float) -> float:
    """Alpha-DCG of the greedy order of units that cover these nuggets; of equals the first is taken."""
    left = [list(nuggets) for nuggets in covers if nuggets]
    seen: dict[object, int] = {}
    total = 0.0
    for rank in range(1, min(len(left), len(left) if k is None else k) + 1):
        worth = [sum((1.0 - alpha) ** seen.get(n, 0) for n in nuggets) for nuggets in left]
        best = max(range(len(left)), key=worth.__getitem__)
        total += worth[best] / log2(rank + 1)
        for nugget in left.pop(best):
            seen[nugget] = seen.get(nugget, 0) + 1
    return total


def alpha_ndcg(
    ranking: Sequence[str], nuggets: Mapping[str, Sequence[str]], k: int | None = None, alpha: float = 0.5
) -> float | None:
    """The nDCG in which a nugget seen before gains less."""
    best = greedy_dcg([nuggets[unit] for unit in sorted(nuggets, reverse=True)], k, alpha)
    seen: dict[str, int] = {}
    total = 0.0
    for rank, unit in enumerate(ranking[:k], 1):
        for nugget in nuggets.get(unit, ()):
            total += (1.0 - alpha) ** seen.get(nugget, 0) / log2(rank + 1)
            seen[nugget] = seen.get(nugget, 0) + 1
    return total / best if best else None


def nugget_coverage_at_k(
    ranking: Sequence[str], nuggets: Mapping[str, Sequence[str]], k: int | None = None
) -> float | None:
    """Share of all nuggets that the top k covers."""
    every = {nugget for of_one in nuggets.values() for nugget in of_one}
    found = {nugget for unit in ranking[:k] for nugget in nuggets.get(unit, ())}
    return len(found) / len(every) if every else None


def chroma_span_scores(
    chunks: Sequence[Sequence[int]],
    references: Sequence[Sequence[int]],
    dedup_chunks: bool = False,
) -> dict[str, float | None]:
    """Precision, recall and IoU of half-open ranges; overlapping chunks each time, or as sets."""
    shown = {x for start, end in chunks for x in range(start, end)}
    wanted = {x for start, end in references for x in range(start, end)}
    both = len(shown & wanted)
    size = len(shown) if dedup_chunks else sum(end - start for start, end in chunks)
    either = size + len(wanted) - both
    return {
        "precision": both / size if size else None,
        "recall": both / len(wanted) if wanted else None,
        "iou": both / either if either else None,
    }


def trec_tie_order(scores: Mapping[str, float], qrels: Grades) -> dict[str, list[str] | float | None]:
    """Units by score, then id, both descending; and the reciprocal rank of that order."""
    order = [unit for unit, _ in sorted(scores.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)]
    return {"order": order, "recip_rank": mrr_at_k(order, qrels)}
