"""LlamaIndex's data set of questions and contexts, JSON: queries, corpus of nodes, relevant nodes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.gold.jsonl import strict
from evenhand.formats.guests.exporting import Going
from evenhand.formats.guests.importing import Coming
from evenhand.formats.guests.rag_table import take_row, text_at
from evenhand.formats.raw_bytes import write_bytes

__all__ = ["CARRIES", "SAYS", "read", "write"]

SAYS = "LlamaIndex question-context pairs (EmbeddingQAFinetuneDataset): JSON"
CARRIES = frozenset({"ids", "place", "facts"})


def read(path: Path, coming: Coming) -> None:
    """Questions; every relevant node is needed, and its text is looked up in the documents."""
    try:
        whole = strict(text_at(path))
    except ValueError as error:
        raise InputError(f"{path.name}: {error}", mend="give the file as save_json wrote it") from error
    parts = [
        whole.get(name) if isinstance(whole, dict) else None
        for name in ("queries", "corpus", "relevant_docs")
    ]
    if not all(isinstance(part, dict) for part in parts):
        raise InputError(
            f"{path.name} has no queries, corpus and relevant_docs", mend="give LlamaIndex's file"
        )
    queries, nodes, relevant = (dict(part or {}) for part in parts)
    if whole.get("mode", "text") != "text":
        coming.lose("data sets are not of text", 1)
    for line, (name, asked) in enumerate(queries.items(), start=1):
        names = [str(one) for one in relevant.get(name, ())]
        gone = [one for one in names if one not in nodes]
        coming.lose("relevant nodes are not in the file's corpus", len(gone))
        kept = [one for one in names if one not in gone]
        take_row(
            coming,
            line,
            name=name,
            ask=asked,
            contexts=[str(nodes[one]) for one in kept],
            places=kept,
        )


def write(path: Path, going: Going) -> None:
    """The nodes are the pieces of evidence, called ``document#start-end``, and nothing but them."""
    nodes: dict[str, str] = {}
    relevant: dict[str, list[str]] = {}
    queries: dict[str, Any] = {}
    for q in going.questions:
        spans = [fact.spans[0] for fact in q.evidence if fact.spans]
        if not spans:
            going.leave_out("questions without evidence")
            continue
        names = [f"{s.span.doc}#{s.span.start}-{s.span.end}" for s in spans]
        nodes |= {name: one.quote for name, one in zip(names, spans, strict=True)}
        queries[str(q.id)], relevant[str(q.id)] = q.text, [*dict.fromkeys(names)]
    going.lose("data set holds the evidence alone as its corpus: too easy to be searched", 1)
    made = {"queries": queries, "corpus": nodes, "relevant_docs": relevant, "mode": "text"}
    write_bytes(path, (json.dumps(made, indent=1) + "\n").encode())
