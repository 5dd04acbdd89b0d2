"""Drafts as plain JSON: counts and meters, and every rejected one with its reason."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from evenhand.gold.drafting.parse_reply import REASONS
from evenhand.study.drafting.setup import Desk

if TYPE_CHECKING:
    from evenhand.study.drafting.ask import Drafted
    from evenhand.study.drafting.setup import Desk

__all__ = ["told", "write_rejected"]

OVERLAP = 0.8  # of a question's words in its evidence, from which on it is said to be copied


def told(made: Drafted, desk: Desk) -> dict[str, Any]:
    """Counts and meters as plain JSON; money is told apart."""
    kept = Counter(draft.ask.kind.name for draft in made.kept)
    notes = [draft.question.extra["meta"]["draft"] for draft in made.kept if draft.question is not None]
    shares = [one["overlap"] for one in notes if one.get("overlap") is not None]
    flags = [one["bm25_trivial"] for one in notes if one.get("bm25_trivial") is not None]
    return {
        "schema": "evenhand.draft/1",
        "model": desk.plan.model,
        "kinds": {
            kind: {"wanted": n, "asked": made.asked.get(kind, 0), "kept": kept[kind]}
            for kind, n in desk.wanted.items()
        },
        "rejected": dict(sorted(Counter(draft.reason for draft in made.rejected).items())),
        "unasked": sum(made.unasked.values()),
        "unasked_why": dict(sorted(made.whys.items())),
        "likeness": made.likeness,
        "note": made.note,
        "overlap": {
            "median": round(median(shares), 4) if shares else None,
            "copied": sum(share >= OVERLAP for share in shares),
            "from": OVERLAP,
            "n": len(shares),
        },
        "bm25_trivial": {"k": sum(flags), "n": len(flags)},
    }


def write_rejected(path: Path, made: Drafted) -> None:
    """Every rejected draft with its reason, a line each: ``drafts.rejected.jsonl``."""
    from evenhand.formats.raw_bytes import write_bytes

    lines = []
    for draft in made.rejected:
        row = {
            "draft": draft.ask.name,
            "passages": [one.name for one in draft.ask.passages],
            "reason": draft.reason,
            "words": REASONS[draft.reason],
            "detail": draft.detail,
            "said": dict(draft.said),
        }
        text = json.dumps(row, ensure_ascii=False)
        lines.append((text if _whole(text) else json.dumps(row)) + "\n")
    write_bytes(path, "".join(lines).encode())


def _whole(text: str) -> bool:
    """Whether UTF-8 can hold it: half a surrogate pair cannot be."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
