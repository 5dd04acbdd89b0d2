"""A threshold study by another way: rates by plain counting of the pairs in results/, areas by scipy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.model.json_text import loads
from evenhand.plugins import need
from evenhand.study.verification.recompute_tests import _bootstrap, _slack
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from polars import DataFrame

    from evenhand.model.gold import GoldSet
    from evenhand.study.threshold.arms import Arm
    from evenhand.study.verification.verify import Verified

__all__ = ["threshold_again", "threshold_checked"]

NEAR = 1e-8  # a report rounds to ten significant digits
SCORE = 1.5e-6  # cosines are rounded to six decimals, and may fall to either side of a half
TOLERANCE = 1e-9  # a similarity this little below a threshold passes it
Pair = Mapping[str, Any]


def threshold_checked(
    report: Mapping[str, Any], results: Path, gold: GoldSet, made: Verified, *, arms: Sequence[Arm]
) -> None:
    """Note what differs in the threshold section of a report, by the pairs and the rankings beside it."""
    import polars as pl

    from evenhand.store.blobs import safe_name

    part = report["threshold"]
    what = f"{results.name}: threshold by counting, statsmodels and scipy"
    try:
        lines = (results / "pairs.jsonl").read_text("utf-8").splitlines()
        pairs = [loads(line) for line in lines]
        ranked = {
            arm: pl.read_parquet(results / "runs" / f"{safe_name(arm.entrant)}.parquet") for arm in arms
        }
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        made.add("fault", what, f"the pairs cannot be read: {error}")
        return
    faults = list(_found(part, pairs, ranked, gold))
    more, good = threshold_again(part, pairs)
    made.sort(what, faults + more, good)


def threshold_again(part: Mapping[str, Any], pairs: Sequence[Pair]) -> tuple[list[str], str]:
    """What differs in the rates and areas of a section when its *pairs* are counted, and what was counted."""
    faults: list[str] = []
    by_arm: dict[str, list[Pair]] = {arm["name"]: [] for arm in part["arms"]}
    for pair in pairs:
        by_arm.setdefault(pair["arm"], []).append(pair)
    known = {arm["name"]: int(arm["sources"]) for arm in part["arms"]}
    drawn = 0
    for row in part["rates"] + part["explorer"]:
        here = [pair for pair in by_arm[row["arm"]] if _of(pair, row)]
        every = known[row["arm"]] if row["by"] == "all" else len({pair["source"] for pair in here})
        faults += _rate(row, here, every, part["level"])
    for row in part["rates"]:
        if row["by"] == "all" and row["macro"]["low"] is not None:
            faults += _resampled(row, by_arm[row["arm"]], part["level"], part["resamples"])
            drawn += 1
    for row in part["areas"]:
        faults += _area(row, by_arm[row["arm"]])
    return faults, (
        f"{len(part['rates']) + len(part['explorer'])} "
        f"{noun(len(part['rates']) + len(part['explorer']), 'rate')}, macro and pooled, by plain counting "
        "and "
        f"statsmodels, {drawn} of their intervals by scipy, {len(part['areas'])} "
        f"{noun(len(part['areas']), 'area')} by scipy"
    )


def _of(pair: Pair, row: Mapping[str, Any]) -> bool:
    """Whether a pair is of the row's group."""
    by = row["by"]
    return ("role" not in by or pair["role"] == row["role"]) and (
        "type" not in by or pair["type"] == row["type"]
    )


def _passing(here: Sequence[Pair], threshold: float) -> list[Pair]:
    return [pair for pair in here if pair["similarity"] >= threshold - TOLERANCE]


def _sources(pairs: Sequence[Pair]) -> dict[str, list[int]]:
    """Of the pairs with a verdict, by source: 1 for each that cannot answer, 0 for each that can."""
    made: dict[str, list[int]] = {}
    for pair in pairs:
        if pair["sufficient"] is not None:
            made.setdefault(pair["source"], []).append(0 if pair["sufficient"] else 1)
    return made


def _found(
    part: Mapping[str, Any], pairs: Sequence[Pair], ranked: Mapping[Arm, DataFrame], gold: GoldSet
) -> Iterator[str]:
    """Pairs that are not those of the exported rankings, and sources that are not the gold set's."""
    least = min(one["threshold"] for one in part["grid"] if not one["withdrawn"])
    for arm, run in ranked.items():
        rows = run.select("question", "unit", "rank", "score").iter_rows()
        there = {(q, u): (r, s) for q, u, r, s in rows}
        ours = {
            (p["question"], p["unit"]): (p["rank"], p["similarity"]) for p in pairs if p["arm"] == arm.name
        }
        # within a part of the corpus ranks are others, and not all pairs are in the ranking
        if part["scope"] == "corpus" and not arm.parted:
            for key, (rank, score) in there.items():
                if rank <= part["k"] and score >= least - TOLERANCE and ours.get(key, (0, 0.0))[0] != rank:
                    yield f"{key[1]} is at rank {rank} for {key[0]}, and no pair of that rank"
        for key in sorted(ours.keys() & there.keys()):
            score = there[key][1]
            if abs(ours[key][1] - score) > SCORE:
                yield f"the similarity of {key[0]} and {key[1]} is {ours[key][1]}, and {score} in the ranking"
    sources = {str(q.id): q.source or q.cluster or str(q.id) for q in gold}
    for pair in pairs:
        if sources.get(pair["question"]) != pair["source"]:
            yield f"the source of {pair['question']} is {pair['source']}, and {sources.get(pair['question'])}"
            return


def _rate(row: Mapping[str, Any], here: Sequence[Pair], known: int, level: float) -> Iterator[str]:
    proportion = need("statsmodels.stats.proportion", extra="verify")
    where = f"{row['arm']} at {row['threshold']:g}, {row['role'] or row['type'] or 'all'}"
    good = _passing(here, row["threshold"])
    sources = _sources(good)
    n, wrong = sum(map(len, sources.values())), sum(map(sum, sources.values()))
    counted = {
        "pairs": len(good),
        "n": n,
        "wrong": wrong,
        "undecided": len(good) - n,
        "questions": len({pair["question"] for pair in good}),
        "sources": len(sources),
        "empty": known - len(sources),
    }
    for key, size in counted.items():
        if row[key] != size:
            yield f"{where}: {key} is {row[key]}, and {size} when counted"
            return
    if not n:
        return
    rates = [sum(one) / len(one) for one in sources.values()]
    macro, pooled = row["macro"]["point"], row["pooled"]
    if abs(macro - sum(rates) / len(rates)) > NEAR:
        yield f"{where}: the macro rate is {macro}, and {sum(rates) / len(rates)} by source"
    if abs(pooled["point"] - wrong / n) > NEAR:
        yield f"{where}: the pooled rate is {pooled['point']}, and {wrong / n} when counted"
    icc = _icc(list(sources.values()))
    alike = 1.0 if icc is None else max(0.0, icc)
    n_eff = n / (1 + (n / len(sources) - 1) * alike)
    low, high = proportion.proportion_confint(wrong / n * n_eff, n_eff, 1 - level, "wilson")
    for key, value in (("n_eff", n_eff), ("low", low), ("high", high)):
        if abs(pooled[key] - value) > NEAR * max(1.0, n):
            yield f"{where}: {key} of the pooled rate is {pooled[key]}, and {value} recomputed"


def _icc(groups: Sequence[Sequence[int]]) -> float | None:
    """How alike the pairs of a source are, by a one-way analysis of variance; None where nothing varies."""
    n, k = sum(map(len, groups)), len(groups)
    mean = sum(map(sum, groups)) / n
    within = sum((x - sum(one) / len(one)) ** 2 for one in groups for x in one)
    between = sum(len(one) * (sum(one) / len(one) - mean) ** 2 for one in groups)
    if k < 2 or n == k or within + between == 0:
        return None
    size = (n - sum(len(one) ** 2 for one in groups) / n) / (k - 1)
    a, b = between / (k - 1), within / (n - k)
    return (a - b) / (a + (size - 1) * b)


def _resampled(row: Mapping[str, Any], here: Sequence[Pair], level: float, resamples: int) -> Iterator[str]:
    """The macro interval by scipy's bootstrap of sources; two Monte Carlo runs differ a little."""
    sources = _sources(_passing(here, row["threshold"]))
    rates = np.array([sum(one) / len(one) for one in sources.values()])
    slack = _slack(rates, resamples)
    for key, value in zip(("low", "high"), _bootstrap(rates, level, resamples), strict=True):
        if abs(row["macro"][key] - value) > slack:
            yield (
                f"{row['arm']} at {row['threshold']:g}: {key} of the macro rate is {row['macro'][key]}, and "
                f"{value} by scipy"
            )


def _area(row: Mapping[str, Any], here: Sequence[Pair]) -> Iterator[str]:
    """The area under the curve as the statistic of Mann and Whitney, over the pairs of both kinds."""
    from scipy import stats

    good = [pair for pair in _passing(here, row["threshold"]) if pair["sufficient"] is not None]
    yes = [pair["similarity"] for pair in good if pair["sufficient"]]
    no = [pair["similarity"] for pair in good if not pair["sufficient"]]
    area = float(stats.mannwhitneyu(yes, no).statistic) / (len(yes) * len(no)) if yes and no else None
    if (row["auc"] is None) != (area is None) or (area is not None and abs(row["auc"] - area) > NEAR):
        where = f"{row['arm']} at {row['threshold']:g}"
        yield f"{where}: the area is {row['auc']}, and {area} by Mann and Whitney"
