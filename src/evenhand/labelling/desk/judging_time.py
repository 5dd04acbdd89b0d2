"""Time, haste and drift of each judge, by rules that are written down; warm-up and decoys apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.labelling.desk.agreement_text import interval_json, rounded
from evenhand.stats.intervals.clusters import cluster_mean
from evenhand.stats.intervals.proportion import wilson

if TYPE_CHECKING:
    from evenhand.labelling.desk.labels import Answer, Results

__all__ = ["RULES", "paces"]

HASTE = 1 / 3  # of the judge's own median time a word
OFTEN = 0.1
QUARTERS = 4
LEAST = 20  # timed or graded items, from which haste and drift are looked at

RULES = {
    "haste": "an item that took less than a third of the judge's own median active time a word; "
    "a judge is flagged when more than one item in ten did (of 20 or more)",
    "drift": "mean grade by quarter of the judge's own order, items of one question together; a judge is "
    "flagged when the intervals of the first and the last quarter do not meet (20 items or more)",
    "attention": "texts of random words, for which any grade above the lowest of the scale is wrong; "
    "a judge is flagged when one was",
    "time": "active time: idle and absent time left out; items without one are counted as untimed",
}


def paces(results: Results, *, lowest: float = 0.0, level: float = 0.95) -> list[dict[str, Any]]:
    """For each judge: answers by kind, active hours, seconds and words a minute, flags with their reasons.

    *lowest*: the grade that an attention item deserves.
    """
    by_judge: dict[str, list[Answer]] = {}
    for answer in results.answers:
        by_judge.setdefault(answer.judge, []).append(answer)
    return [_pace(results, judge, by_judge[judge], lowest, level) for judge in sorted(by_judge)]


def _pace(
    results: Results, judge: str, answers: Sequence[Answer], lowest: float, level: float
) -> dict[str, Any]:
    main = sorted((a for a in answers if a.task == "main"), key=lambda a: (a.desk, a.position))
    kinds = [a.entry.kind for a in main]
    timed = [(a, a.entry.active_ms) for a in main if a.entry.active_ms]
    spent = np.array([ms for _, ms in timed], dtype=np.float64)
    words = np.array([max(1, results.words.get(a.item.id, 0)) for a, _ in timed], dtype=np.float64)
    hasty = spent / words < HASTE * float(np.median(spent / words)) if timed else np.zeros(0, dtype=bool)
    quarters = _quarters([a for a in main if a.entry.grade is not None], level)
    decoys = [a for a in answers if a.task == "attention" and a.entry.kind != "skip"]
    fooled = sum(a.entry.grade is not None and a.entry.grade > lowest for a in decoys)
    flags = []
    if len(timed) >= LEAST and hasty.mean() > OFTEN:
        flags.append("haste")
    if len(main) >= LEAST and _apart(quarters):
        flags.append("drift")
    if fooled:
        flags.append("attention")
    at = sorted(a.entry.at for a in answers if a.entry.at)
    all_ms = sum(a.entry.active_ms or 0 for a in answers)
    return {
        "judge": judge,
        "from": at[0] if at else "",
        "to": at[-1] if at else "",
        "answers": len(main),
        "graded": kinds.count("grade"),
        "cannot_tell": kinds.count("cannot-tell"),
        "skipped": kinds.count("skip"),
        "warm_up": sum(a.task == "warm-up" for a in answers),
        "repeats": sum(a.task == "repeat" for a in answers),
        "attention": {"n": len(decoys), "wrong": fooled},
        "active_hours": rounded(all_ms / 3_600_000),
        "timed": len(timed),
        "untimed": len(main) - len(timed),
        "seconds": rounded(float(np.median(spent)) / 1000) if timed else None,
        "words_a_minute": rounded(float(words.sum() / (spent.sum() / 60_000))) if timed else None,
        "hasty": {
            "n": int(hasty.sum()),
            "of": len(timed),
            "share": rounded(float(hasty.mean())) if timed else None,
            **interval_json(wilson(int(hasty.sum()), len(timed), level=level)),
        },
        "quarters": quarters,
        "flags": flags,
    }


def _quarters(graded: Sequence[Answer], level: float) -> list[dict[str, Any]]:
    cut = [round(i * len(graded) / QUARTERS) for i in range(QUARTERS + 1)]
    made = []
    for i in range(QUARTERS):
        part = graded[cut[i] : cut[i + 1]]
        grades = [0.0 if a.entry.grade is None else a.entry.grade for a in part]
        found = cluster_mean(grades, [a.item.question for a in part], level=level)
        made.append(
            {"quarter": i + 1, "n": len(part), "mean": rounded(found.mean), **interval_json(found.interval)}
        )
    return made


def _apart(quarters: Sequence[dict[str, Any]]) -> bool:
    first, last = quarters[0], quarters[-1]
    if first["low"] is None or last["low"] is None:
        return False
    return bool(first["high"] < last["low"] or last["high"] < first["low"])
