"""What a check says: a sentence a row, the verdict first, and what silently biases it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.report.output.number_format import number, signed, signed_interval
from evenhand.study.ledger.criteria import NOT_MET, UNDECIDED
from evenhand.text.plural import many, noun, verb

if TYPE_CHECKING:
    from evenhand.metrics.comparison.noninferiority import Case

__all__ = ["row_sentence", "sentences", "warnings"]

LARGE = 1.5  # a design effect from which on an interval that takes questions for independent is too narrow
FEW = 20  # questions below which the t-test passes too easily
STATUS = {"pass": "Passed", "fail": "Failed", "inconclusive": "Inconclusive"}
POLICY = {
    "4": "inconclusive is neither: exit code 4",
    "fail": "by the declared policy that counts as a fail",
    "pass": "by the declared policy that is let through",
}


def row_sentence(row: Mapping[str, Any]) -> str:
    """One comparison in a sentence."""
    who = row["system"] if row["system"] == row["against"] else f"{row['system']} (against {row['against']})"
    gap = f"{signed(row['difference'])} {signed_interval(row['low'], row['high'])}".strip()
    told = f"{who}, {row['metric']}: {gap}, n={row['n']}, margin {row['margin']:g}: "
    if row["verdict"] == "pass":
        return told + f"no worse than the baseline by {row['margin']:g} or more."
    if row["verdict"] == "fail":
        return told + f"worse than the baseline by more than {row['margin']:g}."
    told += "it cannot be told whether it is worse by more than the margin"
    if row["not_run"]:
        return f"{told}: {many(row['not_run'], 'question')} could not be asked."
    needed = row["needed"] or {}
    if needed.get("if_equal") is None:
        return f"{told} ({row['reason'] or 'no number of questions is known that would decide it'})."
    equal, more = needed["if_equal"], needed["as_seen"]
    told += (
        f"; about {many(equal, 'question')} would decide it {needed['power']:.0%} of the time if "
        "there is truly "
    )
    told += "no difference"
    if more is None:
        return f"{told}, and none if the difference is as seen."
    return told + (f", about {more:,} if it is as seen." if more != equal else ".")


def sentences(made: Mapping[str, Any]) -> Iterator[str]:
    """The verdict over all rows, with how it was come by; then what the report itself promised."""
    yield f"{STATUS[made['status']]}: {_why(made)}."
    family = (
        f"Holm over {made['family']} {noun(made['family'], 'comparison')}"
        if made["family"]
        else "each at that level; all of them passing needs no adjustment"
    )
    yield f"One-sided tests at {made['alpha']:g}, {family}."
    if made["criteria"]:
        yield _criteria(made["criteria"])


def _why(made: Mapping[str, Any]) -> str:
    """What the status rests on: comparisons first, then criteria where they count."""
    rows = made["rows"]
    of = f"{many(len(rows), 'comparison')} on {many(made['questions']['paired'], 'question')} in pairs"
    counted = [row["verdict"] for row in (made["criteria"] or {}).get("rows", ()) if row["counts"]]
    lost, open_ = (sum(row["verdict"] == word for row in rows) for word in ("fail", "inconclusive"))
    told = f"{of}, none worse than its margin"
    if lost:
        also = f", {open_} cannot be told" if open_ else ""
        told = f"{lost} of {of} worse by more than the margin{also}"
    elif open_:
        told = f"{open_} of {of} cannot be told"
    parts = [told] + [
        f"{counted.count(word)} of {len(counted)} {verb(len(counted), 'criterion', 'criteria')} {word}"
        for word in (NOT_MET, UNDECIDED)
        if word in counted
    ]
    if not lost and not open_:
        parts = [*parts[1:], told]  # what decided comes first
    if made["verdict"] == "inconclusive":
        parts.append(POLICY[made["inconclusive"]])
    return "; ".join(parts)


def _criteria(made: Mapping[str, Any]) -> str:
    told = f"Criteria of the report: {made['met']} of {made['of']} met"
    lost = [r["name"] for r in made["rows"] if r["verdict"] != "met" and r["role"] != "descriptive"]
    told += f" ({', '.join(lost)} not)" if lost else ""
    fresh = [r["name"] for r in made["rows"] if r["name"] in lost and r["before"] == "met"]
    told += f"; met in the baseline: {', '.join(fresh)}" if fresh else ""
    return told + ("; they count here." if made["counts"] else "; they do not count here (--criteria).")


def warnings(made: Mapping[str, Any], cases: Sequence[Case], *, named: bool) -> Iterator[dict[str, Any]]:
    """What a reader must know before believing a pass: kind, count and text."""
    asked, old, new = made["questions"], made["baseline"], made["results"]
    for key, told in (
        ("only_results", "in the results only, left out"),
        ("only_baseline", "in the baseline only, left out"),
        ("changed", "changed since the baseline, left out"),
    ):
        if asked[key]:
            yield _counted(key, len(asked[key]), f"{many(len(asked[key]), 'question')} {told}")
    if not asked["same_gold"] and not (asked["only_results"] or asked["only_baseline"] or asked["changed"]):
        yield _counted("gold", 1, "the gold sets differ only in what no metric reads (tags, reviews, places)")
    if new["corpus"] != old["corpus"]:
        yield _counted(
            "corpus",
            1,
            "the documents are not those of the baseline: a difference may be theirs, not the systems'",
        )
    if new["versions"].get("evenhand") != old["versions"].get("evenhand"):
        yield _counted(
            "version",
            1,
            f"evenhand {new['versions'].get('evenhand')} made the results, "
            f"{old['versions'].get('evenhand')} the baseline",
        )
    gone = made["systems"]["only_baseline"]
    if gone and not named:
        yield _counted(
            "systems",
            len(gone),
            f"{many(len(gone), 'system')} of the baseline not in the results: {', '.join(gone)}",
        )
    yield from (_counted("provisional", 1, f"the results are provisional: {text}") for text in new["notes"])
    for side in ("results", "baseline"):
        lost = max(row[f"undefined_{side}"] for row in made["rows"])
        if lost:
            text = f"{many(lost, 'question')} undefined in the {side} alone, which makes no pair"
            yield _counted(f"undefined_{side}", lost, text)
    yield from _shaky(made["rows"], cases)


def _shaky(rows: Sequence[Mapping[str, Any]], cases: Sequence[Case]) -> Iterator[dict[str, Any]]:
    """Few questions, and questions that belong together: both let too much pass."""
    few = min(row["n"] for row in rows)
    if few < FEW:
        yield _counted(
            "few", few, f"only {few} {noun(few, 'question')}: below {FEW} these tests pass too easily"
        )
    from evenhand.stats.intervals.clusters import cluster_mean

    worst, of = 1.0, None
    for row, case in zip(rows, cases, strict=True):
        if row["test"].startswith("linearised") or len(set(case.cluster)) == len(case.cluster):
            continue
        effect = cluster_mean(case.gaps, case.cluster).design_effect
        if effect is not None and effect > worst:
            worst, of = effect, (row, len(set(case.cluster)))
    if of is not None and worst >= LARGE:
        row, clusters = of
        yield _counted(
            "clusters",
            clusters,
            f"the {row['n']} {noun(row['n'], 'question')} {verb(row['n'], 'comes', 'come')} from {clusters} "
            f"{noun(clusters, 'cluster')}, and the test takes them for independent: "
            f"the difference of {row['system']} in {row['metric']} is as sure as "
            f"{max(1, round(row['n'] / worst))} independent "
            f"{noun(max(1, round(row['n'] / worst)), 'question')} (design effect "
            f"{number(worst, digits=1)}); --test clusters reckons with them",
        )


def _counted(kind: str, count: int, text: str) -> dict[str, Any]:
    return {"kind": kind, "count": count, "text": text}
