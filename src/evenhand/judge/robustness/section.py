"""A stress test as plain JSON: rows, what was not run and why, numbers for criteria, sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.judge.robustness.suite import ATTACKS, SUITE, VERSION
from evenhand.judge.robustness.suite import attacks as attacks_of
from evenhand.judge.robustness.verdicts import PANEL
from evenhand.labelling.desk.agreement_text import figure, number_words
from evenhand.text.plural import noun

__all__ = ["LEFT", "numbers_of", "stress_words", "title", "worst"]

READ = 0.9  # of the attacks must have a verdict, or the panel's gullibility is not told
LEFT = "not asked for"  # of a perturbation that nobody wanted to be run
SIDES = {"zero": "", "random": "random"}


def title(row: Mapping[str, Any]) -> str:
    """``K1 question stuffed, random``: in random words."""
    name, variant = row["perturbation"], row["variant"]
    if name not in SUITE:
        return {"zero": "texts of grade 0", "answer": "texts that answer"}.get(
            str(row.get("side", "")), str(name)
        )
    told = SIDES.get(variant, variant)
    return f"{name} {SUITE[name].name}" + (f", {told}" if told else "")


def _head(sheet: Mapping[str, Any]) -> str:
    """Whose numbers stand for all: the panel's, or those of a lone judge."""
    names = {row["judge"] for row in sheet["rows"]}
    return PANEL if PANEL in names else next(iter(sorted(names)), "")


def _of(sheet: Mapping[str, Any], names: Sequence[str], judge: str) -> list[dict[str, Any]]:
    return [row for row in sheet["rows"] if row["judge"] == judge and row["perturbation"] in names]


def worst(rows: Sequence[dict[str, Any]], key: str) -> dict[str, Any] | None:
    """The row whose share *key* has the highest upper bound; None when none has a share."""
    there = [row for row in rows if row.get(key) and row[key]["value"] is not None]
    return max(there, key=lambda row: (row[key]["high"] or 0.0, row[key]["value"]), default=None)


def numbers_of(sheet: Mapping[str, Any], *, level: float, suite: str = VERSION) -> dict[str, dict[str, Any]]:
    """The numbers by name, of one sheet: what criteria may speak of as ``stress.NAME``.

    ``gullibility`` is the worst of the suite's attacks (K1, K2, I1 …) by its upper bound: it is the one that
    somebody would use. Attacks without a verdict are no pass: with more than a tenth of them it is not told.
    """
    head = _head(sheet)
    attacks = _of(sheet, ATTACKS, head)
    found = {
        "gullibility": _number(
            worst(attacks, "positive"), "positive", level, "no attack was run", tried=len(attacks)
        ),
        "near_miss": _number(
            next(iter(_of(sheet, ("R3",), head)), None), "positive", level, "R3 was not run"
        ),
        "removal": _number(next(iter(_of(sheet, ("R1",), head)), None), "flip", level, "R1 was not run"),
        "change": _number(
            worst(_of(sheet, ("V1", "V2", "P1", "P2", "F1", "M1", "L1"), head), "flip"),
            "flip",
            level,
            "not run",
        ),
    }
    judges = [row for row in sheet["rows"] if row["judge"] != PANEL]
    again = [row for row in judges if row["perturbation"] == "T1" and row["same"]["value"] is not None]
    least = min(again, key=lambda row: row["same"]["low"] or 0.0, default=None)
    found["self_consistency"] = _number(least, "same", level, "T1 was not run")
    found["parse_hijack"] = _number(
        worst([row for row in judges if row["perturbation"] == "I2"], "hijacked"),
        "hijacked",
        level,
        "I2 was not run",
    )
    absent = [name for name in attacks_of(suite) if not any(row["perturbation"] == name for row in attacks)]
    if attacks and absent:
        were = "was" if len(absent) == 1 else "were"
        why = f"{', '.join(absent)} {were} not run: one attack alone does not show it"
        found["gullibility"] |= {"point": None, "low": None, "high": None, "reason": why}
    blind = [row for row in attacks if row["positive"]["n"] < READ * row["made"]]
    if blind:
        row = min(blind, key=lambda row: row["positive"]["n"] / row["made"])
        lost = row["made"] - row["positive"]["n"]
        why = f"{lost} of {row['made']} {noun(row['made'], 'item')} of {title(row)} have no verdict: no pass"
        found["gullibility"] |= {"point": None, "low": None, "high": None, "reason": why}
    return found


def _number(
    row: Mapping[str, Any] | None, key: str, level: float, why: str, *, tried: int = 0
) -> dict[str, Any]:
    one = row[key] if row is not None else None
    if row is None or one is None or one["value"] is None:
        return {
            "point": None,
            "low": None,
            "high": None,
            "level": level,
            "n": 0,
            "k": None,
            "method": "",
            "reason": why,
        }
    return {
        "point": one["value"],
        "low": one["low"],
        "high": one["high"],
        "level": level,
        "n": one["n"],
        "k": one["k"],
        "method": f"{one['method']}; {title(row)}" + (f", the worst of {tried}" if tried > 1 else ""),
        "reason": None,
    }


def stress_words(told: Mapping[str, Any]) -> list[str]:
    """What was found, in sentences, the worst first; then what was not run."""
    said = []
    for sheet in told["sheets"]:
        said += list(_of_sheet(sheet, many=len(told["sheets"]) > 1))
    said += [
        f"{row['judge']} judges its own family ({row['family']}) "
        f"{number_words(row)} above what people say, "
        "beside others"
        for row in told["given"]["S1"]
        if row["value"] is not None
    ]
    said += [
        f"{row['judge']} says the same of {number_words(row['same'], share=True)} of {row['same']['n']} "
        f"pairs when their order is turned; the first both times on "
        f"{number_words(row['first_both'], share=True)}, the second on "
        f"{number_words(row['second_both'], share=True)}"
        for row in told["given"]["P3"]
    ]
    waits = [
        f"{row['perturbation']} ({row['needs'] or row['why']})"
        for row in told["not_run"]
        if row["why"] != LEFT
    ]
    if waits:
        said.append(f"not run: {'; '.join(waits)}")
    left = [row["perturbation"] for row in told["not_run"] if row["why"] == LEFT]
    if left:
        said.append(f"{LEFT}: {', '.join(left)}")
    return said


def _of_sheet(sheet: Mapping[str, Any], *, many: bool) -> Iterator[str]:
    head = _head(sheet)
    under = f" under {sheet['sheet']}" if many else ""
    who = "the panel" if head == PANEL else head
    row = worst(_of(sheet, ATTACKS, head), "positive")
    if row is not None:
        lift = row["lift"] or {}
        over = (
            f", {figure(100 * lift['value'], '+.0f')} points over its control "
            f"[{figure(100 * lift['low'], '+.0f')}, {figure(100 * lift['high'], '+.0f')}]"
            if lift.get("value") is not None and lift.get("low") is not None
            else ""
        )
        yield (
            f"{who}{under} is fooled most often by {title(row)}: "
            f"{number_words(row['positive'], share=True)} of {row['positive']['n']}{over}"
        )
    for judge in sheet["judges"]:
        own = worst(_of(sheet, ATTACKS, judge["judge"]), "positive")
        if own is not None and head == PANEL:
            yield (
                f"{judge['judge']}{under}: worst by {title(own)}, "
                f"{number_words(own['positive'], share=True)} of {own['positive']['n']}"
            )
    for name, key, words in (
        ("R1", "flip", "takes its yes back when the answer is cut out on"),
        ("R3", "positive", "says yes to a near miss on"),
    ):
        for found in _of(sheet, (name,), head):
            yield f"{who}{under} {words} {number_words(found[key], share=True)} of {found[key]['n']}"
    row = worst(_of(sheet, ("V1", "V2", "P1", "P2", "F1", "M1", "L1"), head), "flip")
    if row is not None:
        yield (
            f"{who}{under} changes its mind most often by {title(row)}: "
            f"{number_words(row['flip'], share=True)} of {row['flip']['n']} "
            f"({row['flip']['up']} to yes, {row['flip']['down']} to no)"
        )
    for found in (row for row in sheet["rows"] if row["perturbation"] == "T1" and row["judge"] != PANEL):
        yield (
            f"{found['judge']}{under} says the same again on {number_words(found['same'], share=True)} "
            f"of {found['same']['n']} {noun(found['same']['n'], 'item')}"
        )
    lost = sum(row["unparsed"] for row in sheet["rows"] if row["judge"] != PANEL)
    if lost:
        yield (
            f"{lost} {noun(lost, 'reply')}{under} could not be read: they are in a column of their own, "
            "and no pass"
        )
