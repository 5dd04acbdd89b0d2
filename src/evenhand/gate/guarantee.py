"""A threshold with a promise: chosen on questions that never report it.

Learn-then-Test: with confidence 1 - delta over the draw of the calibration questions, the selective risk
(wrong of answered) at the chosen threshold is at most alpha. Conformal risk control: the *expected* share of
all questions that are answered wrongly is at most alpha; named apart, since it is another promise.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

import numpy as np

from evenhand.errors import HoldoutSpent, InputError
from evenhand.gate.columns import passing
from evenhand.gate.scales import limit
from evenhand.gold.split import split
from evenhand.stats.checks import share
from evenhand.stats.guarantee import certificate, conformal_risk_control, learn_then_test, min_n_certified
from evenhand.stats.proportion import min_n_zero_errors

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from evenhand.gate.columns import Column
    from evenhand.model.gold import GoldSet

__all__ = [
    "Conformal",
    "Guarantee",
    "Tried",
    "calibration_split",
    "conformal",
    "guarantee",
    "one_per_cluster",
]

Method = Literal["fixed_sequence", "bonferroni"]


def calibration_split(
    gold: GoldSet, *, calibration: float = 0.5, seed: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids to choose the threshold on, and ids to report on; whole clusters, seeded, nothing in both.

    As `evenhand.gold.split`, with a seed of its own, so as not to follow the split into dev and holdout.
    """
    own = int.from_bytes(sha256(f"calibration:{seed}".encode()).digest()[:6], "big")
    report, chosen = split(gold, holdout=calibration, seed=own)
    return tuple(chosen), tuple(report)


def one_per_cluster(questions: Sequence[str], clusters: Sequence[Hashable], *, seed: int) -> tuple[str, ...]:
    """One question of each cluster, drawn by a hash of seed and id, in file order: they are independent."""
    if len(questions) != len(clusters):
        raise InputError(
            f"{len(clusters)} clusters for {len(questions)} questions", mend="name one a question"
        )
    first: dict[Hashable, tuple[bytes, str]] = {}
    for question, cluster in zip(questions, clusters, strict=True):
        drawn = sha256(f"{seed}:{question}".encode("utf-8", "surrogatepass")).digest(), question
        first[cluster] = min(first.get(cluster, drawn), drawn)
    kept = {question for _, question in first.values()}
    return tuple(question for question in questions if question in kept)


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
        _apart(self.calibration, reporting)


def _apart(calibration: Sequence[str], reporting: Sequence[str]) -> None:
    if shared := sorted(set(calibration) & set(reporting)):
        raise HoldoutSpent(
            f"{len(shared)} questions chose the threshold and would report it: {', '.join(shared[:5])}",
            mend="report on questions that chose nothing: calibration_split gives both",
        )


def _checked(column: Column, losses: ArrayLike, grid: Sequence[object]) -> tuple[np.ndarray, list[float]]:
    loss = np.asarray(losses, dtype=np.float64)
    if loss.shape != (len(column.questions),) or not np.isin(loss, (0.0, 1.0)).all():
        raise InputError(
            "losses do not fit the questions", mend="give 0 or 1 a question, as Truth.losses does"
        )
    scale = column.signal.scale
    steps = sorted({limit(step, scale, f"threshold on {column.signal.name}") for step in grid})
    if not steps:
        raise InputError("the grid has no threshold", mend="give one or more; grid_of makes one")
    return loss, steps[::-1] if scale.higher else steps


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
    loss, steps = _checked(column, losses, grid)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Conformal:
    """A threshold by conformal risk control; ``controls`` says in words what it does and does not promise."""

    signal: str
    threshold: float | None
    alpha: float
    adjusted: tuple[tuple[float, float], ...]  # threshold, (n R + 1) / (n + 1)
    calibration: tuple[str, ...]
    controls: str
    needed: int  # questions below which no threshold can qualify, however good

    def apart(self, reporting: Sequence[str]) -> None:
        """As `Guarantee.apart`."""
        _apart(self.calibration, reporting)


def conformal(column: Column, losses: ArrayLike, grid: Sequence[object], *, alpha: float) -> Conformal:
    """The loosest threshold at which *alpha* of all questions at most are expected to be answered wrongly.

    The joint loss 1{answered and wrong} falls as the threshold gets stricter. On average over calibration
    draws, not with confidence 1 - delta, and of all questions, not of the answered ones.
    Source: Angelopoulos, Bates, Fisch, Lei & Schuster 2024.
    """
    share(alpha, "alpha")
    loss, steps = _checked(column, losses, grid)
    loose = steps[::-1]
    table = np.stack([passing(column, step) * loss for step in loose], axis=1)
    found = conformal_risk_control(table, list(range(len(loose))), alpha=alpha)
    return Conformal(
        signal=column.signal.name,
        threshold=None if found.selected is None else loose[int(found.selected)],
        alpha=alpha,
        adjusted=tuple(zip(loose, found.adjusted, strict=True)),
        calibration=column.questions,
        controls="the expected share of all questions that are answered wrongly; not the risk among the "
        "answered, and not with a stated confidence",
        needed=int(np.ceil(1 / alpha - 1 - 1e-9)),
    )
