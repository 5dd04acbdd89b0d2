"""Rows of the suite computed from verdicts given: own family preferred (S1), order of a pair (P3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.judge.robustness.rates import share
from evenhand.labelling.desk.agreement_text import interval_json, rounded
from evenhand.stats.intervals.clusters import cluster_mean

__all__ = ["PAIRED", "Pair", "Rated", "pair_order", "self_preference"]

PAIRED = ("a", "b", "tie")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """An answer that a model of *family* wrote, as people and one judge found it (higher is better)."""

    question: str
    answer: str
    family: str
    judge: str
    grade: float
    human: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What one judge said of two answers shown as A, B (``ab``) and as B, A (``ba``): a, b or tie.

    Both name the answer, not the place: a judge that looks at the answers says the same twice.
    """

    question: str
    pair: str
    judge: str
    ab: str
    ba: str


def self_preference(
    rated: Sequence[Rated], families: Mapping[str, str], *, level: float = 0.95
) -> list[dict[str, Any]]:
    """For each judge: how much kinder than people it is to its own family than to others.

    Of each question with answers of both kinds: (judge less people) over its own family's answers, less the
    same over the others'; the mean over questions, its interval by question. Source: the definition;
    difference in differences, so that answers that are better in truth do not count as preference.
    """
    made = []
    for judge in dict.fromkeys(one.judge for one in rated):
        family = families.get(judge, "")
        by: dict[str, dict[bool, list[float]]] = {}
        for one in rated:
            if one.judge == judge:
                sides = by.setdefault(one.question, {True: [], False: []})
                sides[one.family == family].append(one.grade - one.human)
        both = {q: sides for q, sides in by.items() if sides[True] and sides[False]}
        gaps = [_mean(sides[True]) - _mean(sides[False]) for sides in both.values()]
        row: dict[str, Any] = {
            "judge": judge,
            "family": family,
            "questions": len(both),
            "left_out": len(by) - len(both),
        }
        if not family or not gaps:
            why = (
                "its family is not known"
                if not family
                else "no question has answers of its family and of others"
            )
            made.append({**row, "value": None, "low": None, "high": None, "reason": why})
            continue
        found = cluster_mean(gaps, list(both), level=level)
        made.append({**row, "value": rounded(_mean(gaps)), **interval_json(found.interval), "reason": None})
    return made


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def pair_order(pairs: Sequence[Pair], *, level: float = 0.95) -> list[dict[str, Any]]:
    """For each judge: the share of pairs with one verdict in both orders, and the first or second twice."""
    made = []
    for judge in dict.fromkeys(one.judge for one in pairs):
        own = [one for one in pairs if one.judge == judge]
        questions = [one.question for one in own]
        made.append(
            {
                "judge": judge,
                "same": share([one.ab == one.ba for one in own], questions, level=level),
                "first_both": share([(one.ab, one.ba) == ("a", "b") for one in own], questions, level=level),
                "second_both": share([(one.ab, one.ba) == ("b", "a") for one in own], questions, level=level),
            }
        )
    return made
