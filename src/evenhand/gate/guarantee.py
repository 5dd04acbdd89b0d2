"""A threshold with a promise, by Learn-then-Test: chosen on questions that never report it.

With confidence 1 - delta over the draw of the calibration questions, the selective risk (wrong of answered)
at the chosen threshold is at most alpha. `evenhand.gate.conformal` makes another promise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evenhand.gate.calibration import apart, checked
from evenhand.gate.columns import passing
from evenhand.stats.argument_checks import share
from evenhand.stats.intervals.proportion import min_n_zero_errors
from evenhand.stats.selective.guarantee import certificate, learn_then_test, min_n_certified

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from evenhand.gate.columns import Column

__all__ = ["Guarantee", "Tried", "guarantee"]

Method = Literal["fixed_sequence", "bonferroni"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One threshold of the grid on the calibration questions.

    ``upper``: the one-sided Clopper-Pearson bound of its risk, at 1 - delta (Bonferroni: delta / thresholds).
    """

    threshold: float
    answered: int
    wrong: int
    p_value: float
    upper: float | None
    certified: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarantee:
    """A threshold and its promise, or a refusal in plain words (``threshold`` is None then).

    ``needed_error_free``: answered calibration questions that would do if none were wrong;
    ``needed_at_seen``: if they were wrong as often as at the threshold nearest to the promise (None: its risk
    seen is not below alpha, so that no number would do). ``needed_questions``: the same in questions of all,
    at the share answered there.
    """

    signal: str
    threshold: float | None
    alpha: float
    delta: float
    method: str
    grid: tuple[Tried, ...]  # strictest first
    calibration: tuple[str, ...]
    says: str
    needed_error_free: int
    needed_at_seen: int | None = None
    needed_questions: int | None = None

    def apart(self, reporting: Sequence[str]) -> None:
        """Raise HoldoutSpent where a question to report on helped to choose the threshold."""
        apart(self.calibration, reporting)


def guarantee(
    column: Column, losses: ArrayLike, grid: Sequence[object], *, alpha: float, delta: float,
    method: Method = "fixed_sequence",
) -> Guarantee:  # fmt: skip
    """The threshold of most coverage whose selective risk is at most *alpha*, with confidence 1 - *delta*.

    *column* and *losses* are of the calibration questions alone (`Rankings.take`), which must be independent
    (`one_per_cluster` where they come in clusters) and like those to come. *grid* was fixed without them.
    ``fixed_sequence`` tests from the strictest and stops at the first that fails: begin the grid where enough
    is answered. ``bonferroni`` tests all at delta / thresholds.
    Source: Angelopoulos, Bates, Candès, Jordan & Lei 2021.
    """
    share(alpha, "alpha")
    loss, steps = checked(column, losses, grid)
    passed = [passing(column, step) for step in steps]
    answered = [int(one.sum()) for one in passed]
    wrong = [int(loss[one].sum()) for one in passed]
    # the estimator orders by falling threshold: distances are turned round
    order = [step if column.signal.scale.higher else -step for step in steps]
    tested = learn_then_test(order, answered, wrong, alpha=alpha, delta=delta, method=method)
    each = delta / len(steps) if method == "bonferroni" else delta
    rows = tuple(
        Tried(
            threshold=step,
            answered=n,
            wrong=k,
            p_value=tested.p_values[i],
            upper=certificate(k, n, alpha=alpha, delta=each).upper,
            certified=tested.rejected[i],
        )
        for i, (step, n, k) in enumerate(zip(steps, answered, wrong, strict=True))
    )
    zero = min_n_zero_errors(alpha, each)
    common = {
        "signal": column.signal.name, "alpha": alpha, "delta": delta, "method": method, "grid": rows,
        "calibration": column.questions, "needed_error_free": zero,
    }  # fmt: skip
    if tested.selected is not None:
        row = rows[order.index(tested.selected)]
        says = (
            f"With confidence {1 - delta:g}, at most {alpha:.0%} of the answers at {row.threshold:g} "
            f"are wrong: {row.wrong} of {row.answered} were on {len(loss)} calibration questions."
        )
        return Guarantee(threshold=row.threshold, says=says, **common)  # type: ignore[arg-type]
    # nearest: least p among those that answered something
    near = min(rows, key=lambda row: (row.p_value, -row.answered))
    if near.answered == 0:
        says = "No threshold on the grid answers any calibration question."
        return Guarantee(threshold=None, says=says, **common)  # type: ignore[arg-type]
    seen = near.wrong / near.answered
    at_seen = min_n_certified(seen, alpha=alpha, delta=each) if seen < alpha else None
    questions = None if at_seen is None else -(-at_seen * len(loss) // near.answered)
    says = _refusal(near, rows[0], alpha, delta, zero, at_seen, questions, method)
    return Guarantee(
        threshold=None, says=says, needed_at_seen=at_seen, needed_questions=questions, **common  # type: ignore[arg-type]
    )  # fmt: skip


def _refusal(  # noqa: PLR0917 - one sentence needs them all, and one caller gives them
    near: Tried, strictest: Tried, alpha: float, delta: float, zero: int, at_seen: int | None,
    questions: int | None, method: str,
) -> str:  # fmt: skip
    says = (
        f"No threshold on the grid keeps wrong answers at {alpha:.0%} or less with confidence {1 - delta:g}. "
        f"Nearest is {near.threshold:g}: {near.wrong} of {near.answered} answers are wrong. "
        f"{zero} answered without an error would do"
    )
    if at_seen is None:
        seen = near.wrong / near.answered
        says += f"; wrong as often as here, no number would: {seen:.0%} is not below {alpha:.0%}."
        if seen < alpha:
            says = says.replace("no number would:", "no realistic number would:").replace(
                "is not", "is hardly"
            )
    elif near.wrong:
        says += f"; wrong as often as here, {at_seen:,} answered (about {questions:,} questions)."
    else:
        says += f" (about {questions:,} questions, at the share answered here)."
    if method == "fixed_sequence" and strictest.answered < zero and near.answered > strictest.answered:
        says += (
            f" The sequence stops at its first threshold, {strictest.threshold:g}, which answers only "
            f"{strictest.answered}: too few even without an error. Begin the grid where more is answered."
        )
    return says
