"""chunklab's question sets (0.5), YAML: snippets that are looked up, a nested list holds alternatives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.guests.exporting import Going
from evenhand.formats.guests.importing import Coming, nugget
from evenhand.formats.guests.yaml_text import read_yaml, yaml_text
from evenhand.formats.raw_bytes import write_bytes

__all__ = ["CARRIES", "SAYS", "read", "write"]

SAYS = "chunklab questions: YAML"
CARRIES = frozenset({"ids", "tags", "reference", "facts", "alternatives"})


def read(path: Path, coming: Coming) -> None:
    """Each slot of ``gold_snippets`` is a nugget; ``reviewed: false`` is a draft that nobody has read."""
    whole = read_yaml(path)
    rows = whole.get("questions") if isinstance(whole, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path.name} has no list of questions", mend="give chunklab's own file")
    for line, row in enumerate(rows, start=1):
        evidence = []
        slots = row.get("gold_snippets") or []
        for slot in slots:
            texts = [slot] if isinstance(slot, str) else [str(one) for one in slot]
            spans = [one for text in texts for one in coming.found(text)]
            if spans:
                evidence.append(nugget(spans))
        if not slots:
            coming.lose("questions have no snippet: chunklab does not score them, and they are left out")
        elif len(evidence) < len(slots):
            coming.lose("questions lose a snippet, and are left out: they would be too easy")
        else:
            made = {"origin": "synthetic"} if row.get("reviewed") is False else {}
            coming.take(
                line,
                {
                    "id": str(row.get("id", "")),
                    "text": row.get("query"),
                    "tags": row.get("tags"),
                    "evidence": evidence,
                    "reference": row.get("gold_answer"),
                    **made,
                },
            )


def write(path: Path, going: Going) -> None:
    """Questions with the words of their vital evidence; a document's name has no place."""
    rows: list[dict[str, Any]] = []
    for q in going.questions:
        slots: list[Any] = []
        for fact in q.evidence:
            words = [*dict.fromkeys(one.quote for one in fact.spans if one.quote.strip())]
            if fact.vital and words:
                slots.append(words[0] if len(words) == 1 else words)
            going.lose("nuggets that are not vital are left out", int(not fact.vital))
        row: dict[str, Any] = {"id": str(q.id), "query": q.text, "gold_snippets": slots}
        if q.reference:
            row["gold_answer"] = q.reference
        if q.tags:
            row["tags"] = list(q.tags)
        row["reviewed"] = not q.provisional
        rows.append(row)
    write_bytes(path, yaml_text({"questions": rows}).encode())
