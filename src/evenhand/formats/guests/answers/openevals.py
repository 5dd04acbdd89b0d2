"""Rows as LangChain's openevals take them: ``inputs``, ``outputs``, ``reference_outputs``, ``context``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.formats.guests.answers.export import Outgoing, judged, reference_of, shown
from evenhand.formats.guests.answers.rows import OURS, Taking, answer_row, rows_of, words_of
from evenhand.formats.guests.labels.tasks import dumped

__all__ = ["read", "write"]


def read(text: str, taking: Taking) -> None:
    """Rows; ``context`` is what was retrieved: texts, ``Document``s, or an object that holds them."""
    for number, row in rows_of(text, taking.file):
        flat = {name: value for name, value in row.items() if name not in ("context", "reference_outputs")}
        given: Any = row.get("context")
        if isinstance(given, Mapping):
            given = next(
                (given[name] for name in ("documents", "context", "contexts") if name in given), None
            )
        if given is not None:
            flat["documents"] = given if isinstance(given, list) else [given]
        reference = words_of(row.get("reference_outputs"))
        if reference is not None:
            flat["reference"] = reference
        answer_row(flat, number, taking)


def write(out: Outgoing) -> str:
    """A row an item; passages as LangChain's ``Document`` has them, ours whole as metadata."""
    out.all_of_it()
    return dumped(
        {
            "inputs": {"question": one.ask},
            "outputs": None if item is None else {"answer": shown(item)},
            "reference_outputs": {"answer": reference_of(one)} if reference_of(one) is not None else None,
            "context": {
                "documents": [
                    {
                        "page_content": passage.text,
                        "metadata": {"id": passage.unit, "source": passage.doc},
                    }
                    for passage in one.passages
                ]
            },
            "metadata": {OURS: ours, **judged(found, rated)},
        }
        for one, item, ours, found, rated in out
    )
