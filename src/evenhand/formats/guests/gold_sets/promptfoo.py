"""promptfoo's tests, YAML or CSV: variables and assertions. Nothing in them is run or followed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.formats.guests.exporting import EVERYTHING, Going
from evenhand.formats.guests.gold_sets.promptfoo_table import table_of, test_of
from evenhand.formats.guests.importing import OURS, Coming, ours_in
from evenhand.formats.guests.rag_table import cell_at, first, rows_at, take_row, texts
from evenhand.formats.guests.yaml_text import read_yaml, yaml_text
from evenhand.formats.raw_bytes import write_bytes

if TYPE_CHECKING:
    from evenhand.model.gold import Question

__all__ = ["CARRIES", "SAYS", "read", "write"]

SAYS = "promptfoo tests: YAML (a list, or a configuration with tests), CSV"
CARRIES = EVERYTHING  # a question goes along whole, as metadata
ASK = ("question", "query", "input", "user_input", "prompt")
EVIDENCE = "context-recall"
ANSWERS = ("factuality", "equals", "contains", "icontains", "similar")
TABLE = (".csv", ".tsv")


def read(path: Path, coming: Coming) -> None:
    """Tests; values of ``context-recall`` are looked up, other assertions are a reference or counted."""
    for line, test in _rows(path):
        whole = ours_in(test.get("metadata"))
        if whole is not None:
            coming.take(line, whole)
            continue
        given = test["vars"] if isinstance(test.get("vars"), Mapping) else {}
        asked = first(given, ASK) or (next(iter(given.values())) if len(given) == 1 else None)
        for name, value in given.items():
            coming.lose(f"variables called {name!r}", int(value is not asked))
        if isinstance(asked, str) and asked.startswith("file://"):
            coming.lose("questions lie in files of their own and are not read")
            continue
        contexts: list[str | None] = []
        reference = ""
        for one in test.get("assert") or ():
            kind, value = (one.get("type"), one.get("value")) if isinstance(one, Mapping) else (None, None)
            if kind == EVIDENCE:
                contexts += texts(value, where=cell_at(path.name, line, EVIDENCE))
            elif kind in ANSWERS and isinstance(value, str) and not reference:
                reference = value
            elif kind != "is-refusal":
                coming.lose(f"assertions {kind!r}: they test an output, and are no evidence")
        refuses = any(
            isinstance(one, Mapping) and one.get("type") == "is-refusal" for one in test.get("assert") or ()
        )
        meta = test.get("metadata")
        take_row(
            coming,
            line,
            name=(meta or {}).get("id") if isinstance(meta, Mapping) else None,
            ask=asked,
            contexts=contexts,
            reference=reference,
            meta=dict(meta) if isinstance(meta, Mapping) else None,
            **({"expect": "abstain"} if refuses else {}),
        )


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if path.suffix.lower() in TABLE:
        for line, row in rows_at(path):
            yield line, test_of(row)
        return
    whole = read_yaml(path)
    tests = whole.get("tests") if isinstance(whole, dict) else whole
    if not isinstance(tests, list):
        raise InputError(
            f"{path.name} holds no list of tests",
            mend="give the file that its `tests:` names"
            if isinstance(tests, str)
            else "give promptfoo's tests",
        )
    for n, test in enumerate(tests, start=1):
        if isinstance(test, dict):
            yield n, test


def write(path: Path, going: Going) -> None:
    """Tests for ``tests: file://…``; evidence as ``context-recall``, the reference as ``factuality``."""
    going.lose(
        "texts hold {{ or {%, which promptfoo takes for a template",
        sum(any(mark in text for mark in ("{{", "{%")) for q in going.questions for text in _texts(q)),
    )
    if path.suffix.lower() in TABLE:
        write_bytes(path, table_of([(q, _checks(q)) for q in going.questions]).encode("utf-8", "replace"))
        return
    tests = [
        {
            "description": str(q.id),
            "vars": {"question": q.text},
            "assert": _checks(q),
            "metadata": {OURS: q.as_json()},
        }
        for q in going.questions
    ]
    write_bytes(path, yaml_text(tests).encode())


def _texts(q: Question) -> list[str]:
    return [q.text, q.reference, *(one.quote for fact in q.evidence for one in fact.spans)]


def _checks(q: Question) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [
        {"type": EVIDENCE, "value": fact.spans[0].quote, "threshold": 0.9}
        for fact in q.evidence
        if fact.vital and fact.spans
    ]
    made += [{"type": "factuality", "value": q.reference}] if q.reference else []
    return made + ([{"type": "is-refusal"}] if q.expect == "abstain" else [])
