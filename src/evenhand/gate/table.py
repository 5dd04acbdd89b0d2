"""The exact decision table: every rate with its counts, both intervals, and one-sided bounds for criteria."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evenhand.errors import InputError, nearest
from evenhand.gate.outcomes import KINDS
from evenhand.stats.argument_checks import share
from evenhand.stats.intervals.proportion import clopper_pearson, wilson
from evenhand.stats.selective.risk_coverage import Rate, decisions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenhand.gate.outcomes import Outcomes
    from evenhand.model.result import Interval

__all__ = ["Met", "Row", "Table", "met", "table_of", "table_of_counts"]

ROOM = 1e-9  # a mean of 0.7s may be 0.6999999999999998


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One rate: k of n. One-sided bounds are at the table's level each; all are undefined for n = 0."""

    name: str
    says: str
    k: int
    n: int
    rate: float | None
    wilson: Interval
    clopper_pearson: Interval
    lower: Interval  # Wilson, one-sided
    upper: Interval
    lower_exact: Interval  # Clopper-Pearson, one-sided
    upper_exact: Interval
    descriptive: bool = False  # never a criterion
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What a gate did. ``kinds``: questions of each kind, see `evenhand.gate.outcomes.KINDS`."""

    rule: str
    rows: tuple[Row, ...]
    kinds: Mapping[str, int]
    n: int
    level: float

    def row(self, name: str) -> Row:
        """One rate by its name; an unknown one names the nearest."""
        names = [row.name for row in self.rows]
        if name not in names:
            raise InputError(f"no rate {name!r} in a decision table", mend=nearest(name, names))
        return self.rows[names.index(name)]


def table_of(outcomes: Outcomes, *, level: float = 0.95) -> Table:
    """The decision table of one rule's outcomes."""
    expected = {name: sum(row.expect == name for row in outcomes.rows) for name in ("clarify", "abstain")}
    return table_of_counts(
        outcomes.kinds,
        clarify=expected["clarify"],
        abstain=expected["abstain"],
        level=level,
        rule=outcomes.rule,
    )


def table_of_counts(
    kinds: Mapping[str, int], *, clarify: int, abstain: int, level: float = 0.95, rule: str = ""
) -> Table:
    """The decision table of counts by kind; *clarify* and *abstain*: how many questions expect each.

    Intervals suppose independent questions: with questions in clusters they are too narrow.
    """
    share(level, "level")
    if odd := [name for name in kinds if name not in KINDS]:
        raise InputError(f"no kind of decision {odd[0]!r}", mend=nearest(odd[0], KINDS))
    n = {kind: int(kinds.get(kind, 0)) for kind in KINDS}
    false_answers = n["clarify_answered"] + n["abstain_answered"]
    if false_answers + n["correct_deferral"] != clarify + abstain:
        raise InputError(
            f"{false_answers + n['correct_deferral']} decisions on {clarify + abstain} questions to defer",
            mend="count each question expecting clarify or abstain once",
        )
    wrong = n["obsolete"] + n["wrong_document"]
    four = decisions(
        answered_correct=n["correct"],
        answered_wrong=wrong,
        answered_should_defer=false_answers,
        deferred_answerable=n["needless_deferral"],
        deferred_correct=n["correct_deferral"],
        level=level,
    )
    counts = {
        "answered_precision": _counts(four.answered_precision),
        "answerable_coverage": _counts(four.answerable_coverage),
        "coverage": (n["correct"] + wrong + false_answers, sum(n.values())),
        "false_answer_rate": _counts(four.false_answer_rate),
        "false_answer_rate_clarify": (n["clarify_answered"], clarify),
        "false_answer_rate_abstain": (n["abstain_answered"], abstain),
        "decision_accuracy": _counts(four.accuracy),
    }
    rows = tuple(_row(name, k, of, level=level) for name, (k, of) in counts.items())
    return Table(rule=rule, rows=rows, kinds=n, n=sum(n.values()), level=level)


# what a rate is, and why it is undefined where n is 0
SAYS = {
    "answered_precision": ("correct of answered", "nothing was answered"),
    "answerable_coverage": ("correct of answerable", "nothing is answerable"),
    "coverage": ("answered of all", "no questions"),
    "false_answer_rate": ("answered of those to defer", "nothing is to be deferred"),
    "false_answer_rate_clarify": ("answered of those to ask back", "nothing is to be asked back"),
    "false_answer_rate_abstain": ("answered of those to abstain from", "nothing is to be abstained from"),
    "decision_accuracy": ("correct or rightly deferred, of all", "no questions"),
}


def _counts(found: Rate) -> tuple[int, int]:
    return found.k, found.n


def _row(name: str, k: int, n: int, *, level: float) -> Row:
    says, empty = SAYS[name]
    return Row(
        name=name,
        says=says,
        k=k,
        n=n,
        rate=k / n if n else None,
        wilson=wilson(k, n, level=level),
        clopper_pearson=clopper_pearson(k, n, level=level),
        lower=wilson(k, n, level=level, side="lower"),
        upper=wilson(k, n, level=level, side="upper"),
        lower_exact=clopper_pearson(k, n, level=level, side="lower"),
        upper_exact=clopper_pearson(k, n, level=level, side="upper"),
        descriptive=name == "decision_accuracy",
        reason=None if n else empty,
    )


By = Literal["point", "bound", "exact_bound"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """A criterion on one rate: ``met``, ``not met`` or ``cannot be decided``, and the number read."""

    verdict: str
    value: float | None
    reason: str | None = None


def met(row: Row, *, at_least: float | None = None, at_most: float | None = None, by: By = "point") -> Met:
    """Whether a rate meets its criterion.

    ``point``: the rate itself. ``bound``: the one-sided Wilson bound at the table's level (the lower for
    *at_least*, the upper for *at_most*), ``exact_bound``: Clopper-Pearson's; not met then means *not shown*.
    A rate of nothing cannot be decided. Comparisons have a tolerance of 1e-9. A descriptive rate is refused.
    """
    if (at_least is None) == (at_most is None):
        raise InputError("a criterion has one limit", mend="give at_least or at_most")
    if by not in ("point", "bound", "exact_bound"):
        raise InputError(f"by is {by!r}", mend="use point, bound or exact_bound")
    if row.descriptive:
        raise InputError(
            f"{row.name} is descriptive, never a criterion", mend="set a criterion on another rate"
        )
    low, high = (row.lower, row.upper) if by == "bound" else (row.lower_exact, row.upper_exact)
    value = row.rate if by == "point" else low.low if at_least is not None else high.high
    if value is None:
        return Met(verdict="cannot be decided", value=None, reason=row.reason)
    good = value >= at_least - ROOM if at_least is not None else value <= (at_most or 0.0) + ROOM
    return Met(verdict="met" if good else "not met", value=value)
