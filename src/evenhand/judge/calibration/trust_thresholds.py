"""The lines that a panel has to pass before its rate may stand: those of the house, and those of a study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.judge.calibration.numbers import sized

if TYPE_CHECKING:
    from evenhand.model.plan.sections import CriterionPlan

__all__ = ["DEFAULTS", "NONE", "Line", "lines_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the set. ``by`` is what must be on the right side: the point, the lower or upper bound.

    ``code`` is its place in the set (G1 to G7), empty for a line of the study's own. ``number`` names what
    it is about, as in ``panel.NUMBER``. ``beat``: at_least is that number's point, and must be exceeded.
    ``level``: the one-sided level that a criterion asks of the bound (see
    `evenhand.judge.calibration.numbers.bound_of`); None takes the end of the interval that is reported.
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
    level: float | None = None


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
                size=sized(one),
                planned=True,
                level=one.level,
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
