"""A rate that may not stand as settled: panel and people as its two ends, and in words why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.judge.calibration.corrected_rate import ALONE
from evenhand.judge.calibration.trust_verdict import FAIL, OPEN
from evenhand.labelling.desk.agreement_text import asked_words, figure
from evenhand.text.plural import many, noun

__all__ = [
    "FUZZY",
    "LIGHT",
    "ONE_PERSON",
    "bracket",
    "direction_words",
    "end_words",
    "line_words",
    "name_ends",
    "trust_words",
]

FUZZY = "What is sufficient is a fuzzy construct: neither people nor panel are ground truth."
ONE_PERSON = "With one person, how far people agree with each other is unknown."
LIGHT = "sufficiency is a judgement on which people differ"
NAMES = {
    "completeness": "valid votes",
    "agreement": "agreement with people",
    "no_skill": "agreement above that of a judge who always says the same",
    "kappa": "kappa with people",
    "ac1": "AC1 with people",
    "bias": "distance of the panel's rate from the corrected one",
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "gullibility": "gullibility",
    "human_human": "agreement between people",
    "disputed": "disputed",
    "undecided": "without a decision",
}


def bracket(made: Mapping[str, Any]) -> dict[str, Any]:
    """The two ends of *made* (see `calibration.calibrate`): the panel's rate, and people's on the sample.

    Each end has its interval; the panel's is of the items that it decided. ``direction``: whether the
    disagreement leans to one side, tested on the items that both have; only that test makes an end strict or
    loose (`name_ends`).
    """
    panel = made["panel_rate"]
    ends = [
        {
            "who": "panel",
            "value": panel["value"],
            "low": panel["low"],
            "high": panel["high"],
            "n": panel["n"],
            "method": f"share of decided items, {panel['method']}",
            "least": panel["least"],
            "most": panel["most"],
        },
        *people_ends(made),
    ]
    name_ends(ends, made["direction"])
    return {"ends": ends, "direction": made["direction"], "sentences": _words(made, ends)}


def people_ends(made: Mapping[str, Any]) -> list[dict[str, Any]]:
    """People's own rate, as one end; as two, by the strictest and the loosest, where they differ."""
    rows = [("people", made["human_rate"])]
    if (made.get("raters") or {}).get("contested"):  # reports made before have none
        rows = [(row["name"], row) for row in made["rates"] if row["name"].startswith(f"{ALONE}, ")] or rows
    return [
        {
            "who": who.replace(ALONE, "people"),
            "value": row["point"],
            "low": row["low"],
            "high": row["high"],
            "n": row["n"],
            "method": row["method"],
            "least": None,
            "most": None,
        }
        for who, row in rows
    ]


LEAN = 0.05  # below this p the lean of a disagreement is more than chance


def _decided(found: Mapping[str, Any]) -> str | None:
    """Who is the stricter by the items that both have, where the test decides it: panel or people."""
    b, c = found["lenient"], found["strict"]
    if b == c or _chance(found) >= LEAN:
        return None
    return "people" if b > c else "panel"


def _chance(found: Mapping[str, Any]) -> float:
    return float(found["p_by_cluster"] if found["p_by_cluster"] is not None else found["p"])


def name_ends(
    ends: list[dict[str, Any]], direction: Mapping[str, Any], *, of_no: bool = False
) -> list[dict[str, Any]]:
    """*ends* with ``end``: strict or loose by the tested *direction*, else None.

    The rates of the two ends are of different items: all that the panel decided, and the people's sample.
    Where they stand the other way round than the paired comparison, neither end is named. *of_no*: they are
    rates of no.
    """
    strict = _decided(direction)
    value = {end["who"]: end["value"] for end in ends}
    if "people" not in value:  # several people, who differ: neither side is one end
        strict = None
    if strict is not None and None not in value.values():
        other = "people" if strict == "panel" else "panel"
        if not (value[strict] > value[other] if of_no else value[strict] < value[other]):
            strict = None
    for end in ends:
        end["end"] = None if strict is None else "strict" if end["who"] == strict else "loose"
    return ends


def end_words(end: Mapping[str, Any]) -> str:
    """``strict, ``, or nothing where the paired comparison names no end."""
    return f"{end['end']}, " if end["end"] else ""


def _words(made: Mapping[str, Any], ends: list[dict[str, Any]]) -> list[str]:
    panel, *people = ends
    if panel["value"] is None or people[0]["value"] is None:
        who = "the panel has decided nothing" if panel["value"] is None else "no person has labelled an item"
        return [f"There is no bracket: {who}."]
    told = [
        (
            f"The rate is withheld as a settled figure. It lies in a bracket: panel {panel['value']:.0%} "
            f"({end_words(panel)}{_between(panel)}{many(panel['n'], 'decided item')}), "
            + ", ".join(
                f"{end['who']} {end['value']:.0%} ({end_words(end)}{_between(end)}{many(end['n'], 'item')})"
                for end in people
            )
            + "."
        ),
        direction_words(made["direction"]),
        FUZZY,
    ]
    if not made["ceiling"]["n"]:
        told.append(ONE_PERSON)
    return told


def _between(end: Mapping[str, Any]) -> str:
    return "" if end["low"] is None else f"{end['low']:.0%} to {end['high']:.0%}, "


def direction_words(found: Mapping[str, Any]) -> str:
    """On which side they differ, and whether that could be chance: only then is one called stricter."""
    b, c = found["lenient"], found["strict"]
    if not b + c:
        return f"Panel and people differ on none of {found['n']} {noun(found['n'], 'item')}."
    p, strict = _chance(found), _decided(found)
    over = f", over {asked_words(found)}" if found["p_by_cluster"] is not None else ""
    chance = f"p {p:.3f}{over}" if p >= 0.001 else f"p < 0.001{over}"
    if strict is None:
        lean = f"Which of the two is stricter is not decided: that may be chance ({chance})."
    else:
        side = "more lenient" if strict == "people" else "stricter"
        lean = f"The panel is {side}; the lean is more than chance ({chance})."
    return (
        f"They differ on {b + c} of {found['n']} {noun(found['n'], 'item')}: panel yes and people no {b}, "
        "panel no and people "
        f"yes {c}. {lean}"
    )


def trust_words(found: Mapping[str, Any], accepted: Mapping[str, Any] | None = None) -> list[str]:
    """The verdict in words, with the lines that failed or are open."""
    verdict = found["verdict"]
    told = [
        {
            "pass": "The panel has passed every line of trust.",
            "corrected-only": "The panel's own rate is off: only the corrected rate is published.",
            "human-only": "The panel has not earned trust: its rate is no headline.",
            "insufficient n": "Too few human labels to say whether the panel can be trusted.",
            OPEN: "Whether the panel can be trusted cannot be decided.",
        }[verdict]
    ]
    rows = [row for row in found["lines"] if row["state"] in (FAIL, OPEN)]
    blank = [row for row in rows if not row["n"] and row["name"] != "gullibility"]
    if len(blank) > 1:
        labelled = any(row["name"] == "bias" and row["n"] for row in found["lines"])
        told.append(
            "No item has both a person's label and a decision of the panel."
            if labelled
            else "No drawn item has been labelled by a person yet."
        )
        rows = [row for row in rows if row not in blank]
    told += [f"{line_words(row)}: {row['state']}." for row in rows]
    if found["left_out"]:
        names = ", ".join(NAMES.get(name, name) for name in found["left_out"])
        told.append(f"The study leaves out of the set: {names}.")
    if accepted is not None:
        told.append(
            f"Accepted in writing by {accepted['author']} (entry {accepted['n']} of the ledger): "
            f"{accepted['reason']}"
        )
    return told


def line_words(row: Mapping[str, Any]) -> str:
    """``G2 agreement with people 65% (lower bound 43%, n 20), at least 75%``."""
    digits = _digits(row)

    def number(value: float | None) -> str:
        if row["number"] in ("kappa", "ac1"):
            return figure(value, f".{2 + digits}f") if value is not None else "–"
        if value is None:
            return "–"
        if row["number"] == "rate_bias":  # a difference of two shares
            points = figure(100 * value, f".{digits}f")
            return f"{points} {'point' if points == '1' else 'points'}"
        return f"{value:.{digits}%}"

    limit = row["at_most"] if row["at_most"] is not None else row["at_least"]
    side = "at most" if row["at_most"] is not None else "above" if row["beats"] else "at least"
    value = number(row["value"])
    code = f"{row['code']} " if row["code"] else ""
    name = NAMES.get(row["name"], row["name"])
    if row["value"] is None:
        return f"{code}{name} is not known: {row['reason']}"
    bound = f"{row['by']} bound {number(row['bound'])}, " if row["by"] != "point" else ""
    needed = f"; {many(row['needed'], 'label')} would do at this share" if row["needed"] else ""
    return f"{code}{name} {value} ({bound}n {row['n']:,}), {side} {number(limit)}{needed}"


def _digits(row: Mapping[str, Any]) -> int:
    """Digits after the point with which value and bound are told from the limit: 98.0% may be below 98%."""
    limit = row["at_most"] if row["at_most"] is not None else row["at_least"]
    near = [abs(x - limit) for x in (row["value"], row["bound"]) if x is not None and limit is not None]
    return 2 if min(near, default=1.0) < 0.0005 else 1 if min(near, default=1.0) < 0.005 else 0
