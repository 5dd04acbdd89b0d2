"""Rates of judges and panels: over what has a grade, with intervals by question and bounds over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.judge.panel.majority import STATUS, rate
from evenhand.labelling.desk.agreement_text import rounded, share_json
from evenhand.stats.agreement.raters import RESAMPLES, SEED
from evenhand.stats.agreement.raw_agreement import share_of

if TYPE_CHECKING:
    from evenhand.judge.panel.majority import Decision
    from evenhand.judge.panel.prompt_spec import Brief
    from evenhand.model.vote import Vote

__all__ = ["decided_json", "rate_json"]

INTERVAL = ("low", "high", "method", "flags", "clusters", "no_interval")


def rate_json(
    made: Sequence[Decision | Vote | None],
    brief: Brief,
    clusters: Mapping[str, str] | None = None,
    *,
    level: float = 0.95,
    seed: int = SEED,
) -> dict[str, Any]:
    """The share at the top level over what has a grade, its interval by question, its bounds over all."""
    found, top = rate(made, brief), brief.sheet.levels[-1].grade
    graded = [one for one in made if one is not None and one.grade is not None]
    groups = [(clusters or {}).get(one.question, one.question) for one in graded]
    around = share_of(
        np.array([one.grade == top for one in graded], dtype=bool),
        clusters=groups if len(set(groups)) < len(groups) else None,
        level=level,
        resamples=RESAMPLES,
        seed=seed,
    )
    told = {
        "point": rounded(found.mean),
        "n": found.n,
        "of": found.of,
        "bound_low": rounded(found.low),
        "bound_high": rounded(found.high),
    }
    bounds = {key: value for key, value in share_json(around).items() if key in INTERVAL}
    return told | bounds | ({"reason": found.reason} if found.reason else {})


def decided_json(
    made: Sequence[Decision],
    brief: Brief,
    *,
    clusters: Mapping[str, str] | None = None,
    level: float = 0.95,
    seed: int = SEED,
) -> dict[str, Any]:
    """How many items were decided in which way, the panel's rate, and the ways to fail."""
    status = Counter(one.status for one in made)
    words: Mapping[float, str] = {grade: word for word, grade in brief.options.items()}
    grades = Counter(one.grade for one in made)
    modes = Counter(one.mode for one in made if one.mode)
    return {
        "items": len(made),
        "questions": len({one.question for one in made}),
        "status": {word: status[word] for word in STATUS if status[word]},
        "grades": {word: grades[grade] for grade, word in words.items() if grades[grade]},
        "rate": rate_json(made, brief, clusters, level=level, seed=seed),
        "modes": dict(sorted(modes.items(), key=lambda pair: (-pair[1], pair[0]))),
    }
