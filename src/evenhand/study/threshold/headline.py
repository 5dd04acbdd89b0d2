"""The headline of a threshold study: corrected by people, or withheld as a settled figure and bracketed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.judge.calibration.rate_bounds import FUZZY, ONE_PERSON, direction_words, name_ends, people_ends
from evenhand.report.output.number_format import share, share_interval
from evenhand.stats.intervals.proportion import n_for_wilson_halfwidth
from evenhand.text.plural import many, verb

__all__ = ["NAME", "OWN_NAME", "headline", "headline_words"]

NAME = "share of passed units that cannot answer: a false discovery rate"
OWN_NAME = "false-positive rate"
HALF = 0.1  # half an interval that is called enough, where the study plans none


def headline(
    row: Mapping[str, Any],
    panel: Mapping[str, Any] | None,
    corpus: Mapping[str, Any],
    *,
    level: float,
    half_width: float = HALF,
) -> dict[str, Any]:
    """What is said of the primary threshold, as plain JSON.

    *row* is the cell of all pairs there; *panel* the section of that name, about the same pairs (None: spans
    decide). ``state`` is ``corrected`` (people's sample corrects the panel's pooled rate), ``accepted`` (it
    stands by an amendment, and its bracket with it), ``withheld`` or ``spans``. Nothing that is withheld has
    a point: the bracket holds its two ends.
    """
    made: dict[str, Any] = {
        "name": NAME,
        "own_name": OWN_NAME,
        "threshold": row["threshold"],
        "state": "spans",
        "point": row["macro"]["point"],
        "low": row["macro"]["low"],
        "high": row["macro"]["high"],
        "level": level,
        "n": row["n"],
        "method": row["macro"]["method"],
        "reasons": [],
        "bracket": None,
        "people": None,
    }
    failed = [corpus["sentence"]] if corpus["met"] is False else []
    if panel is None:
        if failed:
            made |= {"state": "withheld", "point": None, "low": None, "high": None, "reasons": failed}
        return made
    rate = panel["rate"] or {}
    made |= _turned(rate) | {"n": rate.get("n", 0), "method": rate.get("method", "")}
    made["state"] = "accepted" if panel["accepted"] is not None else "corrected"
    made["people"] = _people(panel, level=level, half_width=half_width)
    if panel["trust"]["withheld"]:
        made["bracket"] = _bracket(row, panel)
    reasons = failed + (_why(panel) if panel["withheld"] else [])
    if not reasons and made["point"] is None:
        reasons = [rate.get("reason") or "no sample of people was drawn"]
    if reasons:
        made |= {"state": "withheld", "point": None, "low": None, "high": None, "reasons": reasons}
        made["bracket"] = made["bracket"] or _bracket(row, panel)
    return made


def _turned(found: Mapping[str, Any]) -> dict[str, Any]:
    """Of those who can answer, those who cannot."""
    low, high = found.get("low"), found.get("high")
    point = found.get("point")
    return {
        "point": None if point is None else 1 - point,
        "low": None if high is None else 1 - high,
        "high": None if low is None else 1 - low,
    }


def _why(panel: Mapping[str, Any]) -> list[str]:
    from evenhand.judge.calibration.rate_bounds import line_words

    return [f"{line_words(row)}: {row['state']}" for row in panel["trust"]["lines"] if row["state"] != "pass"]


def _people(panel: Mapping[str, Any], *, level: float, half_width: float) -> dict[str, Any]:
    """How wide the people's sample leaves the interval, and how many labels would be enough."""
    found, n = panel["human_rate"], panel["human_rate"]["n"]
    low, high = found["low"], found["high"]
    wide = None if low is None or high is None else (high - low) / 2
    agreed = panel["agreement"]
    near = agreed.get("low")
    return {
        "labels": n,
        "drawn": panel["sample"]["drawn"],
        "of": panel["population"]["items"],
        "half_width": wide,
        "agreement_half_width": None if near is None else (agreed["high"] - near) / 2,
        "planned_half_width": half_width,
        "enough": n_for_wilson_halfwidth(found["point"], half_width, level=level)
        if found["point"] is not None
        else None,
    }


def _bracket(row: Mapping[str, Any], panel: Mapping[str, Any]) -> dict[str, Any]:
    """The panel's rate and the people's of what cannot answer; see `rate_bounds.name_ends`."""
    own = row["pooled"]
    ends: list[dict[str, Any]] = [
        {
            "who": "panel",
            "value": own["point"],
            "low": own["low"],
            "high": own["high"],
            "method": own["method"],
            "n": row["n"],
            "least": own["least"],
            "most": own["most"],
        },
        *({**end, **_turned({**end, "point": end["value"]})} for end in people_ends(panel)),
    ]
    for end in ends[1:]:
        end["value"] = end.pop("point")
    name_ends(ends, panel["direction"], of_no=True)
    alone = not panel["ceiling"]["n"]
    return {
        "ends": ends,
        "direction": panel["direction"],
        "sentences": [direction_words(panel["direction"]), FUZZY, *([ONE_PERSON] if alone else [])],
    }


def headline_words(made: Mapping[str, Any], row: Mapping[str, Any]) -> list[str]:
    """The headline in sentences: figure or bracket first, then what it rests on."""
    at = f"{made['threshold']:g}"
    told = []
    if made["state"] == "withheld":
        told.append(
            f"At {at} the share of passed units that cannot answer (a false discovery rate; the study calls "
            f"it {OWN_NAME}) is withheld as a settled figure: {'; '.join(made['reasons'])}."
        )
    else:
        by = {
            "spans": "by the evidence spans alone",
            "corrected": "corrected by people's sample, all pairs together",
            "accepted": "corrected by people's sample, and accepted in writing though trust failed",
        }[made["state"]]
        told.append(
            f"At {at}, {_rate(made)} of the units that pass cannot answer: a false discovery rate, {by} (the "
            f"study calls it {OWN_NAME})."
        )
    if made["bracket"] is not None:
        told += _bracket_words(made["bracket"])
    who = "panel" if made["state"] != "spans" else "spans"
    if row["macro"]["point"] is not None:
        told.append(
            f"By {who} the mean of the rates of {many(row['sources'], 'source')} is "
            f"{_rate(row['macro'])}, and all "
            f"{many(row['n'], 'pair')} together have {_rate(row['pooled'])}: two numbers, "
            "never mixed."
        )
    if row["undecided"]:
        told.append(
            f"{row['undecided']:,} of the {many(row['pairs'], 'pair')} "
            f"{verb(row['undecided'], 'has', 'have')} no verdict: if all could answer, or "
            f"none, the pooled rate were {share(row['pooled']['least'])} or {share(row['pooled']['most'])}."
        )
    if made["people"] is not None:
        told += _people_words(made["people"])
        does = "can correct" if made["state"] == "withheld" else "corrects"
        told.append(
            f"What people's sample {does} is one number: the rate of all pairs at or above {at} together. "
            "The mean over sources, and every rate of another value, role, type or arm, is the panel's own, "
            "uncorrected."
        )
    if made["state"] == "spans":
        told.append(
            "A unit that answers in other words than the evidence marked counts as one that cannot: the rate "
            "is an upper bound."
        )
    if row["sparse"]:
        told.append(f"Sparse at the primary threshold: {'; '.join(row['sparse'])}.")
    return told


def _rate(found: Mapping[str, Any]) -> str:
    near = share_interval(found["low"], found["high"])
    return f"{share(found['point'] if 'point' in found else found['value'])} {near}".strip()


def _bracket_words(found: Mapping[str, Any]) -> list[str]:
    ends = [
        f"{end['who']} {_rate(end)} ({end['end'] + ' bound, ' if end['end'] else ''}"
        f"{many(end['n'], 'pair')}, {end['method']})"
        for end in found["ends"]
        if end["value"] is not None
    ]
    if len(ends) < 2:
        return [f"There is no bracket yet: {ends[0] if ends else 'nothing was judged'}.", FUZZY]
    return [f"It lies in a bracket: {'; '.join(ends)}.", *found["sentences"]]


def _people_words(found: Mapping[str, Any]) -> list[str]:
    if not found["labels"]:
        return ["No person has graded a pair yet: evenhand judge calibrate STUDY.toml --draw N."]
    told = f"People graded {found['labels']:,} of {many(found['of'], 'pair')}"
    if found["half_width"] is not None:
        told += f", which leaves ±{100 * found['half_width']:.0f} points on their rate"
        if found["agreement_half_width"] is not None:
            told += f" and ±{100 * found['agreement_half_width']:.0f} on their agreement with the panel"
    if found["enough"] is not None:
        told += f"; {found['enough']:,} would leave ±{100 * found['planned_half_width']:.0f}"
    return [told + "."]
