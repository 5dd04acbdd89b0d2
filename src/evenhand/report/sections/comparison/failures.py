"""Where systems fail: questions that all miss or one alone solves, near misses, evidence cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.formats.results.ranks import Ranks

__all__ = ["failures", "listed_values"]

Values = Mapping[str, Mapping[str, float | None]]


def listed_values(report: Mapping[str, Any], metric: str) -> dict[str, dict[str, float | None]]:
    """Values of *metric* by system and question, for the questions that the report lists; no null systems."""
    asked = report["questions"]
    at = asked["metrics"].index(metric)
    null = {one["name"] for one in report["systems"] if one["provenance"].get("null")}
    return {
        name: {row["id"]: row["values"][s][at] for row in asked["rows"] if row["values"]}
        for s, name in enumerate(asked["systems"])
        if name not in null
    }


def failures(
    report: Mapping[str, Any], values: Values, metric: str, *, ranks: Ranks | None = None
) -> dict[str, Any]:
    """Four lists of questions by their value of *metric*; a system solves a question when it is above 0.

    *values* are by system and question, None where undefined: a question counts only where every system
    has a value. Near misses are read from the rankings beside a report (*ranks*), else from what it keeps of
    them: the first unit of a question's best grade stands below the cutoff k of *metric*, at rank 2k at
    most. Cut: no unit of a chunking holds the evidence of the question whole.
    """
    systems = list(values)
    common = (
        [q for q in values[systems[0]] if all(values[s].get(q) is not None for s in systems)]
        if systems
        else []
    )
    misses, alone = [], []
    for q in common:
        solved = [s for s in systems if (values[s][q] or 0.0) > 0]
        if not solved:
            misses.append({"question": q})
        elif len(solved) == 1 and len(systems) > 1:
            alone.append({"question": q, "system": solved[0], "value": values[solved[0]][q]})
    near, kept, cutoff = _near(report, systems, metric, ranks)
    return {
        "metric": metric,
        "of": len(common),
        "systems": systems,
        "misses": misses,
        "alone": alone,
        "near": near,
        "near_of": kept,
        "cutoff": cutoff,
        "cut": [
            {"question": q, "chunking": one["name"]}
            for one in report["chunkings"]
            for q in one["unreachable"] or ()
        ],
    }


def _near(
    report: Mapping[str, Any], systems: Sequence[str], metric: str, ranks: Ranks | None
) -> tuple[list[dict[str, Any]], int, int | None]:
    """Near misses, nearest first; of how many questions rankings are kept; the cutoff, if there is one."""
    from evenhand.metrics.catalogue.names import parse

    rows = [row for row in report["questions"]["rows"] if row["found"] is not None]
    try:
        k = parse(metric).cutoff
    except InputError:
        k = None
    if ranks is not None:
        asked = ranks.depth["question"].n_unique()
        below = [
            {"question": question, "system": system, "rank": rank}
            for question, system, rank in (ranks.firsts() if k is not None else ())
            if system in systems and k is not None and k < rank <= 2 * k
        ]
        return below, asked, k
    if k is None:
        return [], len(rows), None
    near = [
        {"question": row["id"], "system": name, "rank": found["first"]}
        for row in rows
        for name, found in zip(report["questions"]["systems"], row["found"], strict=True)
        if name in systems
        and found is not None
        and found["first"] is not None
        and k < found["first"] <= 2 * k
    ]
    near.sort(key=lambda one: one["rank"])
    return near, len(rows), k
