"""Has the panel earned its headline? A set of lines, each with value, bound and n, and one verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.judge.told import rounded
from evenhand.stats.proportion import wilson
from evenhand.stats.proportion_planning import n_for_wilson_lower

if TYPE_CHECKING:
    from evenhand.model.analysis import CriterionPlan

__all__ = ["DEFAULTS", "FAIL", "OPEN", "PASS", "VERDICTS", "Line", "accepted", "lines_of", "trust"]

PASS, FAIL, OPEN = "pass", "fail", "cannot be decided"
VERDICTS = ("pass", "corrected-only", "human-only", "insufficient n", OPEN)
ACCEPTS = "panel.trust"  # what an amendment that lives with failed lines says it accepts
NEAR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the set. ``by`` is what must be on the right side: the point, the lower or upper bound.

    ``code`` is its place in the set (G1 to G7), empty for a line of the study's own. ``number`` names what
    it is about, as in ``panel.NUMBER``. ``beat``: at_least is that number's point, and must be exceeded.
    """

    name: str
    number: str
    code: str = ""
    at_least: float | None = None
    at_most: float | None = None
    by: str = "point"
    beat: str = ""
    size: bool = False  # the size of the number counts, not its sign
    planned: bool = False  # the study file says so


DEFAULTS = {
    line.name: line
    for line in (
        Line(name="completeness", code="G1", number="completeness", at_least=0.98),
        Line(name="agreement", code="G2", number="human_agreement", at_least=0.75, by="lower"),
        Line(name="no_skill", code="G2", number="human_agreement", beat="no_skill", by="lower"),
        Line(name="kappa", code="G3", number="kappa", at_least=0.40, by="lower"),
        Line(name="bias", code="G4", number="rate_bias", at_most=0.05, size=True),
        Line(name="sensitivity", code="G5", number="sensitivity", at_least=0.60, by="lower"),
        Line(name="specificity", code="G5", number="specificity", at_least=0.60, by="lower"),
        Line(name="gullibility", code="G6", number="gullibility", at_most=0.10, by="upper"),
    )
}
OTHERS = {  # lines that a study may add, with what they look at by themselves
    line.name: line
    for line in (
        Line(name="ac1", code="G3", number="ac1", by="lower"),
        Line(name="human_human", code="G7", number="human_human", by="lower"),
        Line(name="disputed", number="disputed", by="upper"),
        Line(name="undecided", number="undecided", by="upper"),
        Line(name="precision", number="precision", by="lower"),
        Line(name="unanimity", number="unanimity", by="lower"),
        Line(name="pairwise", number="pairwise", by="lower"),
        Line(name="human_share", number="human_share", by="point"),
    )
}
UPWARDS = ("bias", "gullibility", "disputed", "undecided")  # where a bare number is the most, not the least
SETS = ("full", "plain")
NONE = ("no line of trust is left", "a panel that nothing could fail has not earned anything: keep one")


def lines_of(
    settings: Mapping[str, Any], criteria: Iterable[CriterionPlan] = ()
) -> tuple[tuple[Line, ...], tuple[str, ...]]:
    """The lines of ``[calibration.trust]``, and the names of default lines that the study leaves out.

    ``set = "full"`` (the default) begins with all of `DEFAULTS`, ``"plain"`` with none. Then each key is a
    line: a number (``agreement = 0.8``), ``{ at_least | at_most, by }``, or ``false`` to leave it out.
    *criteria* of role trust on ``panel.NUMBER`` are lines too; a plain set may have no others. Raises
    InputError, naming what is known.
    """
    known = {**DEFAULTS, **OTHERS}
    which = settings.get("set", "full")
    if which not in SETS:
        raise InputError(f"set is {which!r}", mend=nearest(str(which), SETS))
    made: dict[str, Line] = dict(DEFAULTS) if which == "full" else {}
    for name, said in settings.items():
        if name == "set":
            continue
        if name not in known:
            raise InputError(f"unknown key {name!r}", mend=nearest(name, [*known, "set"]))
        if said is False:
            made.pop(name, None)
        else:
            made[name] = _line(known[name], said)
    for one in criteria:
        section, _, number = one.on.partition(".")
        if one.role == "trust" and section == "panel":
            made[f"criteria.{one.name}"] = Line(
                name=one.name,
                number=number,
                at_least=one.at_least,
                at_most=one.at_most,
                by=one.by,
                planned=True,
            )
    if not made and which == "full":
        raise InputError(NONE[0], mend=NONE[1])
    return tuple(made.values()), tuple(name for name in DEFAULTS if name not in made)


def _line(line: Line, said: Any) -> Line:
    """*line* with what the study says of it."""
    name = line.name
    if line.beat:
        if said is True:
            return replace(line, planned=True)
        raise InputError(f"{name} is {said!r}", mend=f"write {name} = false to leave it out")
    if isinstance(said, bool) or not isinstance(said, int | float | Mapping):
        raise InputError(f"{name} is {said!r}", mend=f"write {name} = 0.75, or {name} = false")
    if not isinstance(said, Mapping):
        said = {"at_most" if name in UPWARDS else "at_least": said}
    for key in said:
        if key not in ("at_least", "at_most", "by"):
            raise InputError(f"{name} has {key!r}", mend=nearest(key, ("at_least", "at_most", "by")))
    limits = {key: said[key] for key in ("at_least", "at_most") if key in said}
    if len(limits) != 1:
        raise InputError(f"{name} needs one of at_least and at_most", mend=f"{name} = {{ at_least = 0.75 }}")
    (side, limit), *_ = limits.items()
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not -1 <= limit <= 1:
        raise InputError(f"{name}: {side} is {limit!r}", mend="give a number between -1 and 1")
    by = said.get("by", line.by if line.by == "point" else "lower" if side == "at_least" else "upper")
    right = "lower" if side == "at_least" else "upper"
    if by not in ("point", right):
        raise InputError(
            f"{name}: by is {by!r}",
            mend=f'write by = "{right}", or by = "point": the other end proves nothing',
        )
    other = {"at_least": None, "at_most": None, side: float(limit)}
    return replace(line, by=by, planned=True, **other)  # type: ignore[arg-type]


def trust(
    numbers: Mapping[str, Mapping[str, Any]], lines: Sequence[Line], *, left_out: Sequence[str] = ()
) -> dict[str, Any]:
    """Every line held against the *numbers* (see `evenhand.judge.numbers`), and the verdict, as plain JSON.

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
    bound = None if line.by == "point" else found["low" if line.by == "lower" else "high"]
    if line.size and value is not None:
        value = abs(value)
    state, reason, needed = OPEN, found.get("reason"), None
    if value is None or limit is None:
        reason = reason or "there is no value"
    elif line.by == "point":
        state, reason = (PASS, None) if _good(value, limit, upward, line.beat) else (FAIL, None)
    elif not _good(value, limit, upward, line.beat):
        state, reason = FAIL, None
    elif bound is None:
        reason = reason or "there is no interval"
    elif _good(bound, limit, upward, line.beat):
        state, reason = PASS, None
    else:
        side = "upper" if upward else "lower"
        reason = f"its {side} bound does not reach {limit:.3g}"
        needed = _needed(value, limit, upward, found)
    made = asdict(line)
    del made["size"], made["beat"]
    return {
        **made,
        "at_least": None if upward else rounded(limit),
        "beats": line.beat or None,
        "value": rounded(value),
        "bound": rounded(bound),
        "n": found.get("n", 0),
        "method": found.get("method", ""),
        "state": state,
        "reason": reason,
        "needed": needed,
    }


def _good(value: float, limit: float, upward: bool, beat: str) -> bool:
    if upward:
        return value <= limit + NEAR
    return value > limit + NEAR if beat else value >= limit - NEAR


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
