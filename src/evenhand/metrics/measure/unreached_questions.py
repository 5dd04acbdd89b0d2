"""Questions that a system could not be asked: undefined with the reason, never a failure of the system."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evenhand.model.result import Measurements

__all__ = ["PREFIX", "span_of", "withheld"]

PREFIX = "not run: "  # what the reasons begin with


def withheld(m: Measurements, not_run: Sequence[Mapping[str, str]]) -> Measurements:
    """*m* with the questions of each system that are in its *not_run* (by id, the reason) undefined."""
    if not any(not_run):
        return m
    position = {question: q for q, question in enumerate(m.questions)}
    value, why = m.value.copy(), m.why.copy()
    unreachable, missing = m.unreachable.copy(), m.missing.copy()
    reasons = list(m.reasons)
    tokens = dict(m.extra.get("tokens", {}))
    for s, lost in enumerate(not_run):
        there = {position[question]: reason for question, reason in lost.items() if question in position}
        for q, reason in there.items():
            told = PREFIX + reason
            if told not in reasons:
                reasons.append(told)
            why[s, :, q], value[s, :, q] = reasons.index(told), 0.0
            unreachable[s, :, q], missing[s, q] = False, False
        name, asked = m.systems[s], len(m.questions) - len(there)
        if there and name in tokens:  # a mean over the questions that were asked
            scale = len(m.questions) / asked if asked else 0.0
            tokens[name] = {metric: mean * scale for metric, mean in tokens[name].items()}
    extra: dict[str, Any] = {**m.extra, "tokens": tokens}
    return replace(
        m,
        value=value,
        why=why,
        reasons=tuple(reasons),
        unreachable=unreachable,
        missing=missing,
        extra=extra,
    )


def span_of(m: Measurements, system: str, metric: str) -> dict[str, float | int] | None:
    """What the questions that were not run could make of the mean of a metric between 0 and 1.

    ``point``: the mean over the ``n`` that were run; ``low``: with each of the ``lost`` counted 0;
    ``high``: with each counted 1. Questions undefined for another reason are left out of all three. None
    when none was lost, or none was run.
    """
    s, x = m.at(system, metric)
    lost = {i for i, reason in enumerate(m.reasons) if reason.startswith(PREFIX)}
    gone = int(np.isin(m.why[s, x], list(lost)).sum()) if lost else 0
    defined = m.why[s, x] == 0
    n = int(defined.sum())
    if not gone or not n:
        return None
    total = float(m.value[s, x][defined].sum())
    return {
        "n": n,
        "lost": gone,
        "point": total / n,
        "low": total / (n + gone),
        "high": (total + gone) / (n + gone),
    }
