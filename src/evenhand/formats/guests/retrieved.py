"""Rows of other tools that name what was retrieved and what should have been: a run, or judgements.

A question without an id of its own is called by the hash of its words, so that two files of the same
questions fit together whatever their order.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.encoding import decode
from evenhand.formats.guests.answers.rows import id_of_words, rows_of
from evenhand.formats.guests.rag_table import listed
from evenhand.formats.runs.rows import Rows
from evenhand.formats.tables import rows_of as table_of
from evenhand.model.json_text import loads

__all__ = ["is_autorag", "retrieved"]

IDS = ("qid", "query_id", "question_id", "id")
ASK = ("user_input", "query", "question", "questions")
FOUND = {"ragas": "retrieved_context_ids", "llama-index": "retrieved_ids", "autorag": "retrieved_ids"}
WANTED = {"ragas": "reference_context_ids", "llama-index": "expected_ids", "autorag": "retrieval_gt"}
SCORES = ("retrieve_scores", "retrieved_scores", "scores")
HINTS = {
    "ragas": "fill retrieved_context_ids and reference_context_ids of your samples",
    "llama-index": "dump each RetrievalEvalResult with model_dump(mode='json')",
    "haystack": "dump the inputs of the run: questions, retrieved_documents, ground_truth_documents",
    "autorag": "give the best_*.parquet of the node that retrieves, and qa.parquet for judgements",
}


def retrieved(data: bytes, file: str, tool: str, *, qrels: bool) -> Rows:
    """The rows of a run, best first; with *qrels* of judgements, every unit that is named at grade 1.

    AutoRAG's lists in a list are facts of which each alternative will do: nuggets, in judgements. Without
    scores in the file a unit's score is its place from the end.
    """
    rows = Rows(file, place="", nuggets=qrels and tool == "autorag")
    for number, row in enumerate(_rows(data, file, tool), start=1):
        where = f"{file}, row {number}"
        name = _name(row, where)
        if qrels:
            _judge(rows, name, row, tool, where)
        else:
            _rank(rows, name, row, tool, where)
    return rows


def is_autorag(source: Path | io.BytesIO) -> bool:
    """Whether a Parquet file has AutoRAG's columns of what was retrieved or expected."""
    import polars as pl

    try:
        columns = pl.read_parquet_schema(source)
    except pl.exceptions.PolarsError:
        return False
    return "retrieved_ids" in columns or "retrieval_gt" in columns


def _rows(data: bytes, file: str, tool: str) -> Iterator[dict[str, Any]]:
    if data.startswith(b"PAR1"):
        import polars as pl

        yield from pl.read_parquet(io.BytesIO(data)).to_dicts()
        return
    text, _ = decode(data, where=file)
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        header, rows = table_of(text, file)
        yield from (dict(zip(header, cells, strict=False)) for _, cells in rows)
        return
    if tool != "haystack":
        yield from (row for _, row in rows_of(text, file))
        return
    whole = loads(text, parse_constant=lambda _: None)
    inputs = whole.get("inputs", whole) if isinstance(whole, dict) else {}
    columns = {name: values for name, values in inputs.items() if isinstance(values, list)}
    if not columns:
        raise InputError(f"{file} has no columns of inputs", mend=HINTS[tool])
    for i in range(max(map(len, columns.values()))):
        yield {name: values[i] for name, values in columns.items() if i < len(values)}


def _name(row: Mapping[str, Any], where: str) -> str:
    given = next((row[name] for name in IDS if row.get(name) not in (None, "")), None)
    if given is not None:
        return str(given)
    asked = next((row[name] for name in ASK if isinstance(row.get(name), str) and row[name].strip()), None)
    if asked is None:
        raise InputError(f"{where}: names no question", mend=f"one of: {', '.join((*IDS, *ASK))}")
    return id_of_words(asked)


def _units(values: Any, where: str = "") -> list[str]:
    """Ids of units: as they are, spelled out in a cell, or of serialized documents."""
    return [
        str(one.get("id") or one.get("content")) if isinstance(one, Mapping) else str(one)
        for one in listed(values, where=where)
        if one is not None
    ]


def _rank(rows: Rows, name: str, row: Mapping[str, Any], tool: str, where: str) -> None:
    key = "retrieved_documents" if tool == "haystack" else FOUND[tool]
    if key not in row:
        raise InputError(f"{where}: has no {key}", mend=HINTS[tool])
    units = _units(row[key], f"{where}: column {key!r}")
    given = next((row[one] for one in SCORES if isinstance(row.get(one), list)), None)
    if tool == "haystack" and all(isinstance(one, Mapping) for one in row[key] or ()):
        given = [one.get("score") for one in row[key] or ()]
    scores = [*(given or ())]
    known = len(scores) == len(units) and all(_number(one) for one in scores)
    falling = known and all(a >= b for a, b in pairwise(scores))
    for i, unit in enumerate(units):
        _add(rows, name, unit, float(scores[i]) if falling else float(len(units) - i))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def _judge(rows: Rows, name: str, row: Mapping[str, Any], tool: str, where: str) -> None:
    key = "ground_truth_documents" if tool == "haystack" else WANTED[tool]
    if key not in row:
        raise InputError(f"{where}: has no {key}", mend=HINTS[tool])
    at = f"{where}: column {key!r}"
    if tool == "autorag":
        facts = [[slot] if isinstance(slot, str) else _units(slot) for slot in listed(row[key], where=at)]
    else:
        facts = [_units(row[key], at)]
    if not rows.nuggets:
        for unit in dict.fromkeys(unit for fact in facts for unit in fact):
            _add(rows, name, unit, 1.0)
        return
    for number, fact in enumerate(facts, start=1):
        for unit in dict.fromkeys(one for one in fact if one):
            _add(rows, name, unit, 1.0)
            rows.extra.append(str(number).encode())


def _add(rows: Rows, name: str, unit: str, value: float) -> None:
    rows.question.append(name.encode("utf-8", "surrogatepass"))
    rows.unit.append(unit.encode("utf-8", "surrogatepass"))
    rows.value.append(value)
