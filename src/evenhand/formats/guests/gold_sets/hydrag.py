"""hydrag's suites, YAML: phrases that are looked up."""

from __future__ import annotations

from pathlib import Path

from evenhand.errors import InputError
from evenhand.formats.guests.exporting import Going
from evenhand.formats.guests.importing import Coming
from evenhand.formats.guests.rag_table import take_row
from evenhand.formats.guests.yaml_text import read_yaml, yaml_text
from evenhand.formats.raw_bytes import write_bytes

__all__ = ["CARRIES", "SAYS", "read", "write"]

SAYS = "hydrag suite: YAML"
CARRIES = frozenset({"ids", "tags", "facts"})


def read(path: Path, coming: Coming) -> None:
    """Cases; each of ``relevant_phrases`` is a fact of its own."""
    whole = read_yaml(path)
    rows = whole.get("cases") if isinstance(whole, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{path.name} has no list of cases", mend="give hydrag's own file")
    for line, row in enumerate(rows, start=1):
        phrases = [str(one) for one in row.get("relevant_phrases") or ()]
        take_row(
            coming, line, name=row.get("id"), ask=row.get("query"), contexts=phrases, tags=row.get("tags")
        )


def write(path: Path, going: Going) -> None:
    """Cases with the words of their evidence."""
    rows = [
        {
            "id": str(q.id),
            "query": q.text,
            "relevant_phrases": [n.spans[0].quote for n in q.evidence if n.spans],
            "tags": list(q.tags),
        }
        for q in going.questions
    ]
    write_bytes(path, yaml_text({"cases": rows}).encode())
