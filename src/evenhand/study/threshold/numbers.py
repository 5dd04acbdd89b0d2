"""The numbers of a threshold study by name: what criteria may speak of as ``threshold.NAME``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["numbers_of"]

OF_PANEL = {
    "agreement": "human_agreement",
    "disputed": "disputed",
    "kappa": "kappa",
    "pairwise": "pairwise",
    "unanimity": "unanimity",
    "completeness": "completeness",
}
NO_PANEL = "no panel judges the pairs"


def numbers_of(
    made: Mapping[str, Any],
    row: Mapping[str, Any],
    area: Mapping[str, Any],
    corpus: Mapping[str, Any],
    panel: Mapping[str, Any] | None,
    *,
    level: float,
) -> dict[str, dict[str, Any]]:
    """point, low, high, level, n, k, method and reason of each.

    ``rate`` is the headline, without a point while it is withheld; ``macro_rate`` and ``pooled_rate`` are
    the panel's (or the spans') own; ``corpus_words`` counts documents.
    """
    withheld = f"withheld: {'; '.join(made['reasons'])}" if made["state"] == "withheld" else None
    found = {
        "rate": _number(made, level, n=made["n"], reason=withheld),
        "macro_rate": _number(row["macro"], level, n=row["n"]),
        "pooled_rate": _number(row["pooled"], level, n=row["n"]),
        "auc": _number(
            {**area["by_source"], "point": area["auc"]}, level, n=area["n"], reason=area["reason"]
        ),
        "corpus_words": _count(corpus["enough"], level, corpus["documents"], "documents with enough words"),
        "pairs": _count(row["pairs"], level, row["pairs"], "pairs at or above the primary threshold"),
        "questions": _count(row["questions"], level, row["questions"], "questions that retrieve anything"),
        "sources": _count(row["sources"], level, row["sources"], "sources with a pair that passes"),
    }
    for name, of in OF_PANEL.items():
        found[name] = dict(panel["numbers"][of]) if panel is not None else _count(None, level, 0, "")
    return found


def _number(found: Mapping[str, Any], level: float, *, n: int, reason: str | None = None) -> dict[str, Any]:
    why = reason or found.get("reason")
    return {
        "point": found["point"],
        "low": found["low"],
        "high": found["high"],
        "level": level,
        "n": n,
        "k": None,
        "method": found.get("method", ""),
        "reason": why or (None if found["point"] is not None else "no pair with a verdict passes"),
    }


def _count(value: float | None, level: float, n: int, method: str) -> dict[str, Any]:
    return {
        "point": value,
        "low": None,
        "high": None,
        "level": level,
        "n": n,
        "k": None,
        "method": method,
        "reason": None if value is not None else NO_PANEL,
    }
