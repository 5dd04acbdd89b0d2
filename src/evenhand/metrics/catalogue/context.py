"""Context precision, each variant under its own name, and what a run says about answering at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.metrics.catalogue.metric_type import Kind, Param, Values, rel
from evenhand.metrics.catalogue.ranked import average_precision, no_relevant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.metrics.measure.view import Cut, View

__all__ = ["KINDS"]


def context_precision(view: View, cut: Cut, *, rel: float, weight: str) -> Values:
    """Share of the units shown that are relevant, of those shown and not of k; 0 where nothing is shown.

    ``weight=rank``: rank i weighs 1/i, over the ranks shown: relevant units at the top count more.
    """
    _, none, reason = no_relevant(view, rel)
    good, taken = view.within(cut) & (view.grade >= rel), view.taken(cut)
    if weight == "none":
        return Values(view.total(good) / np.maximum(taken, 1), none, reason)
    deep = int(taken.max(initial=0))
    harmonic = np.concatenate(
        [[1.0], np.cumsum(1.0 / np.arange(1.0, deep + 1.0))]
    )  # 1 where nothing is shown
    return Values(view.total(good, 1.0 / view.rank) / harmonic[taken], none, reason)


def ragas_context_precision(view: View, cut: Cut, *, rel: float) -> Values:
    """Mean precision at the relevant units shown: what is not shown costs nothing.

    The formula of Ragas 0.4 and of DeepEval's contextual precision, with grades for verdicts; equal to
    AP(denom=retrieved).
    """
    return average_precision(view, cut, rel=rel, denom="retrieved")


def _answered(view: View, rel: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Per question: was it answered, is the top unit right, can it be answered?"""
    right = np.zeros(view.n, dtype=bool)
    right[view.question[(view.rank == 1) & (view.grade >= rel)]] = True
    return ~view.missing, right, view.judged.relevant(rel) > 0


def answered_precision(view: View, cut: Cut, *, rel: float) -> Values:  # noqa: ARG001
    """Of the questions answered (a ranking is there), the share whose top unit is relevant."""
    answered, right, _ = _answered(view, rel)
    return Values(right.astype(float), ~answered, "the system did not answer")


def answerable_coverage(view: View, cut: Cut, *, rel: float) -> Values:  # noqa: ARG001
    """Of the questions with a relevant unit, the share answered with one on top."""
    _, right, can = _answered(view, rel)
    return Values(right.astype(float), ~can, "the question cannot be answered")


def false_answer_rate(view: View, cut: Cut, *, rel: float) -> Values:  # noqa: ARG001
    """Of the questions without a relevant unit, the share answered all the same."""
    answered, _, can = _answered(view, rel)
    return Values(answered.astype(float), can, "the question can be answered")


def decision_accuracy(view: View, cut: Cut, *, rel: float) -> Values:  # noqa: ARG001
    """Share of the questions answered rightly, or rightly left without an answer."""
    answered, right, can = _answered(view, rel)
    return Values((right | (~can & ~answered)).astype(float))


def _decision(name: str, score: object, says: str) -> Kind:
    return Kind(
        name=name,
        score=score,  # type: ignore[arg-type]
        says=says,
        source="El-Yaniv and Wiener 2010",
        params=rel(),
        cutoff="none",
        budget=False,
        proportion=True,
        condensed=False,
        decides=True,
    )


KINDS = (
    Kind(
        name="ContextPrecision",
        score=context_precision,
        params={**rel(), "weight": Param("none", ("none", "rank"))},
        says="share of what is shown that is relevant",
        source="precision over the units shown",
    ),
    Kind(
        name="RagasContextPrecision",
        score=ragas_context_precision,
        params=rel(),
        says="whether relevant units stand above the others shown; blind to what is not shown",
        source="Ragas 0.4 (its formula, given the verdicts)",
    ),
    _decision("AnsweredPrecision", answered_precision, "how often an answer given is right"),
    _decision("AnswerableCoverage", answerable_coverage, "how often a question that can be answered is"),
    _decision("FalseAnswerRate", false_answer_rate, "how often a question is answered that should not be"),
    _decision("DecisionAccuracy", decision_accuracy, "how often the system does the right thing"),
)
