"""Kinship: judges of one family are no two opinions, and nobody judges the work of its own house blindly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["kinship"]

LEAST = 3  # judges of a panel


def kinship(judges: Mapping[str, str], others: Mapping[str, str]) -> list[dict[str, Any]]:
    """Warnings (kind, count, text) on who is of whose family.

    *judges*: family by judge, empty where it is not known. *others*: family by part played (``embedder of
    dense``, ``drafter of questions``, ``writer of answers``, ``reranker of best``).
    """
    made: list[dict[str, Any]] = []

    def warn(kind: str, count: int, text: str) -> None:
        made.append({"kind": kind, "count": count, "text": text})

    n = len(judges)
    if n < LEAST:
        has = f"{n} judge{'' if n == 1 else 's'}"
        warn("few judges", n, f"the panel has {has}: a majority needs three, of different families")
    families: dict[str, list[str]] = {}
    for judge, family in judges.items():
        families.setdefault(family, []).append(judge)
    unknown = families.pop("", [])
    for family, names in families.items():
        if len(names) > 1:
            text = (
                f"judges {', '.join(names)} are of one family ({family}): they err together, and agree for it"
            )
            warn("same family", len(names), text)
    if unknown:
        text = f"whose model {', '.join(unknown)} is cannot be told from its name: give family"
        warn("family unknown", len(unknown), text)
    for part, family in others.items():
        kin = families.get(family, []) if family else []
        if kin:
            named = f"{', '.join(kin)} {'is' if len(kin) == 1 else 'are'}"
            text = f"{named} of the family of the {part} ({family}): models favour their own"
            warn("judge of its own", len(kin), text)
    return made
