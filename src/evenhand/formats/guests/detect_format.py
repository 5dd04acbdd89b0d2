"""Whose gold set a file is, told by what is in it; a name decides nothing but that a file is YAML."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

from evenhand.formats.raw_bytes import is_packed, open_bytes, read_bytes
from evenhand.model.json_text import loads

__all__ = ["whose"]

HEAD = 1 << 14  # bytes that are looked at
# tool -> keys of which all must be there, in the order in which they are asked
KEYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("context-grid", ("_evalset",)),
    ("context-grid", ("question", "anchors")),
    ("ragproof", ("question", "expected_source_ids")),
    ("llama-index", ("queries", "corpus")),
    ("legalbench-rag", ("query", "snippets")),
    ("freshstack", ("nuggets", "relevant_corpus_ids")),
    ("bright", ("query", "gold_ids")),
    ("langfuse", ("datasetName", "input")),
    ("langsmith", ("inputs", "outputs")),
    ("langsmith", ("inputs", "reference_outputs")),
    ("deepeval", ("input", "expected_output")),
    ("deepeval", ("input", "expectedOutput")),
    ("deepeval", ("input", "context")),
    ("ragas", ("user_input",)),
    ("ragas", ("question", "ground_truth")),
    ("ragas", ("question", "ground_truths")),
)
YAML = {"questions": "chunklab", "cases": "hydrag", "tests": "promptfoo"}


def whose(path: Path) -> str:
    """The tool of a gold set; empty where it is one that evenhand reads itself, or nothing is told."""
    if path.is_dir():
        return "autorag" if (path / "qa.parquet").is_file() else ""
    if not path.is_file():
        return ""
    head = open_bytes(path, lambda stream: stream.read(HEAD))
    if head.startswith(b"PAR1"):
        return _of_columns(path)
    text = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if path.suffix.lower() in (".yaml", ".yml"):
        found = re.search(rf"^({'|'.join(YAML)}):", text, re.MULTILINE)
        return YAML[found[1]] if found else "promptfoo" if text.startswith("- ") else ""
    if text[:1] in ("{", "["):
        if _ours(text):
            return ""
        there = set(re.findall(r'"(\w+)"\s*:', text))
        return next((tool for tool, keys in KEYS if there.issuperset(keys)), "")
    return "promptfoo" if "__expected" in text.split("\n", 1)[0] else ""


def _ours(text: str) -> bool:
    """Whether the first object is a question of ours, whatever lies in its meta."""
    try:
        first = loads(text.split("\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    first = first[0] if isinstance(first, list) and first else first
    return isinstance(first, dict) and "text" in first and "evidence" in first


def _of_columns(path: Path) -> str:
    import polars as pl

    try:
        columns = pl.read_parquet_schema(BytesIO(read_bytes(path)) if is_packed(path) else path)
    except pl.exceptions.PolarsError:
        return ""
    return "autorag" if "retrieval_gt" in columns else "parquet"
