"""Has the panel earned its headline? A set of lines, each with value, bound and n, and one verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.judge.calibration.numbers import TOLERANCE, bound_of
from evenhand.judge.calibration.trust_thresholds import NONE
from evenhand.labelling.desk.agreement_text import rounded
from evenhand.stats.intervals.proportion import wilson
from evenhand.stats.power.proportion import n_for_wilson_lower

if TYPE_CHECKING:
    from evenhand.judge.calibration.trust_thresholds import Line

__all__ = ["ACCEPTS", "FAIL", "OPEN", "PASS", "VERDICTS", "accepted", "trust"]

PASS, FAIL, OPEN = "pass", "fail", "cannot be decided"
VERDICTS = ("pass", "corrected-only", "human-only", "insufficient n", OPEN)
ACCEPTS = "panel.trust"  # what an amendment that lives with failed lines says it accepts


def trust(
    numbers: Mapping[str, Mapping[str, Any]], lines: Sequence[Line], *, left_out: Sequence[str] = ()
) -> dict[str, Any]:
    """Every line held against the *numbers* (see `calibration.numbers`), and the verdict, as plain JSON.

    By a bound: pass when the bound is on the right side, fail when not even the point is, and between the
    two it cannot be decided: more labels could. ``verdict``: ``pass``; ``corrected-only`` when nothing but
    the bias of the rate (G4) fails; ``human-only`` when anything else does; ``insufficient n`` when more
    labels could decide; ``cannot be decided`` when something was not measured. ``withheld``: may the rate
    not stand as a settled figure? ``exit`` is the exit code.
    """
    if not lines:
        raise InputError(NONE[0], mend=NONE[1])
    rows = [_held(line, numbers) for line in lines]
    failed = [row for row in rows if row["state"] == FAIL]
    waiting = [row for row in rows if row["state"] == OPEN]
    if any(row["code"] != "G4" for row in failed):
        verdict = "human-only"
    elif any(row["value"] is None for row in waiting):
        verdict = OPEN
    elif waiting:
        verdict = "insufficient n"
    else:
        verdict = "corrected-only" if failed else "pass"
    return {
        "verdict": verdict,
        "withheld": verdict not in ("pass", "corrected-only"),
        "lines": rows,
        "left_out": list(left_out),
        "exit": 1 if failed else 4 if waiting else 0,
    }


def _held(line: Line, numbers: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    found = numbers.get(line.number) or _absent(line.number)
    limit = numbers[line.beat]["point"] if line.beat else line.at_least
    upward = line.at_most is not None
    if upward:
        limit = line.at_most
    value = found["point"]
    bound, short, method = _bound(line, found)
    if line.size and value is not None:
        value = abs(value)
    state, reason, needed = OPEN, found.get("reason"), None
    if value is None or limit is None:
        reason = reason or "there is no value"
    elif line.by == "point":
        state, reason = (PASS, None) if _good(value, limit, upward, line.beat) else (FAIL, None)
    elif not _good(value, limit, upward, line.beat):
        state, reason = FAIL, None
    elif short or bound is None:
        reason = short or reason or "there is no interval"
    elif _good(bound, limit, upward, line.beat):
        state, reason = PASS, None
    else:
        side = "upper" if upward else "lower"
        reason = f"its {side} bound does not reach {limit:.3g}"
        needed = None if line.level is not None else _needed(value, limit, upward, found)
    made = asdict(line)
    del made["size"], made["beat"], made["level"]
    return {
        **made,
        "at_least": None if upward else rounded(limit),
        "beats": line.beat or None,
        "value": rounded(value),
        "bound": rounded(bound),
        "n": found.get("n", 0),
        "method": method,
        "state": state,
        "reason": reason,
        "needed": needed,
    }


def _bound(line: Line, found: Mapping[str, Any]) -> tuple[float | None, str, str]:
    """The bound that a line looks at, why it is not enough (empty: it is), and how it was made."""
    plain = found.get("method", "")
    if line.by == "point":
        return None, "", plain
    if line.size:
        ends = (found["low"], found["high"])
        return (None if None in ends else max(map(abs, ends))), "", plain
    if line.level is None:
        return found["low" if line.by == "lower" else "high"], "", plain
    bound, level, method = bound_of(found, "lower" if line.at_most is None else "upper", line.level)
    if level is not None and level < line.level - TOLERANCE:
        short = f"its interval is one-sided at {level:.12g}, and {line.level:.12g} was asked for"
        return bound, short, method
    return bound, "", method or plain


def _good(value: float, limit: float, upward: bool, beat: str) -> bool:
    if upward:
        return value <= limit + TOLERANCE
    return value > limit + TOLERANCE if beat else value >= limit - TOLERANCE


def _needed(value: float, limit: float, upward: bool, found: Mapping[str, Any]) -> int | None:
    """Labels with which a share like the one seen would show it, by Wilson.

    None where its interval is not that of independent items: more questions would be needed then.
    """
    if found.get("method") != wilson(1, 1).method or not 0 <= value <= 1:
        return None
    return n_for_wilson_lower(1 - value, 1 - limit) if upward else n_for_wilson_lower(value, limit)


def _absent(number: str) -> dict[str, Any]:
    why = (
        "how gullible the panel is was not measured: `evenhand judge stress`"
        if number == "gullibility"
        else f"the panel reports no {number!r}"
    )
    return {"point": None, "low": None, "high": None, "n": 0, "method": "", "reason": why}


def accepted(
    amendments: Iterable[Mapping[str, Any]], found: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """The last amendment that accepts failed lines of trust in writing: its author, reason and number.

    *amendments*: entries of the ledger as a report shows them (``accepts``, ``author``, ``reason``, ``n``).
    ``accepts`` names ``panel.trust``, or, over all of them, every line of *found* (see `trust`) that has
    not passed. One without author, reason or place in the ledger does not count. Nothing else turns a
    withheld headline into one: no flag, no setting, no argument.
    """
    rest = {row["name"] for row in (found or {}).get("lines", ()) if row["state"] != PASS}
    last = None
    for one in amendments:
        signed = all(str(one.get(key) or "").strip() for key in ("author", "reason")) and one.get("n")
        names = set(one.get("accepts", ()))
        if not signed or not names:
            continue
        touched = bool(names & rest)
        rest -= names
        if ACCEPTS in names or (touched and not rest):
            last = {"author": str(one["author"]), "reason": str(one["reason"]), "n": one["n"]}
    return last
