"""How a database compares vectors, and its numbers as scores: higher is better."""

from __future__ import annotations

import math

from evenhand.errors import InputError, nearest

__all__ = ["METRICS", "SCORE_DECIMALS", "check_metric", "score", "told"]

METRICS = ("cosine", "dot", "l2")
SCORE_DECIMALS = 6  # single precision ends there: what differs later is equal, and goes by unit
OURS = "cosine"  # what an embedder is made for, unless it says otherwise


def check_metric(name: str) -> None:
    """InputError for no known measure."""
    if name not in METRICS:
        raise InputError(f"metric is {name!r}", mend=nearest(name, METRICS))


def score(value: float, *, distance: bool = False) -> float | None:
    """*value* as a score, rounded; a distance with its sign turned. None for what is not finite."""
    found = -float(value) if distance else float(value)
    return round(found, SCORE_DECIMALS) + 0.0 if math.isfinite(found) else None


def told(metric: str, embedder: object) -> list[str]:
    """A sentence where the index compares otherwise than *embedder* is made for."""
    made = str(getattr(embedder, "metric", "") or OURS)
    if metric == made:
        return []
    names = {"cosine": "by cosine", "dot": "by dot product", "l2": "by Euclidean distance"}
    text = (
        f"the index of {{system}} compares {names.get(metric, f'by {metric}')}, and its embedder is made to "
        f"be compared {names.get(made, f'by {made}')}: they rank alike only where all vectors have length 1"
    )
    return [text]
