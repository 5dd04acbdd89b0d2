"""A side of a check made of numbers."""

from dataclasses import replace

import numpy as np

from evenhand.metrics.catalogue.definition import definition
from evenhand.model.plan.check import Side


def side(values=None, *, n=60, seed=1, shift=0.0, **changes):
    """One or two systems on *n* questions: nDCG@10, and Success(rel=2)@5 in yes and no."""
    dice = np.random.default_rng(seed)
    questions = tuple(f"q{i:03}" for i in range(n))
    base = dice.random(n)
    if values is None:
        values = {
            ("a", "nDCG@10"): (base + shift).tolist(),
            ("b", "nDCG@10"): (base[::-1] + shift).tolist(),
            ("a", "Success(rel=2)@5"): [float(x > 0.3) for x in base],
            ("b", "Success(rel=2)@5"): [float(x > 0.5) for x in base],
        }
    metrics = tuple(dict.fromkeys(m for _, m in values))
    made = Side(
        kind="results",
        study="made",
        primary="nDCG@10",
        metrics=metrics,
        split="dev",
        spans="nuggets",
        gold="g" * 64,
        corpus="c" * 64,
        judgements="",
        questions=questions,
        content={q: f"seal of {q}" for q in questions},
        cluster={},
        systems={s: f"seal of {s}" for s in dict.fromkeys(s for s, _ in values)},
        not_run={},
        values=values,
        definitions={m: definition(m) for m in metrics},
        versions={"evenhand": "0.1.0"},
        report="r" * 64,
        seed=20241009,
        resamples=500,
    )
    return replace(made, **changes)


def only(made, questions):
    """The same side on fewer questions."""
    kept = [i for i, q in enumerate(made.questions) if q in set(questions)]
    return replace(
        made,
        questions=tuple(made.questions[i] for i in kept),
        values={key: [column[i] for i in kept] for key, column in made.values.items()},
        gold="h" * 64,
    )
