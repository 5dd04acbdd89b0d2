"""AutoRAG's ``qa.parquet`` and ``corpus.parquet``: chunks made spans by ``path`` and ``start_end_idx``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.formats.guests.gold_sets.autorag_export import write
from evenhand.formats.guests.importing import Coming, nugget, span
from evenhand.formats.guests.parquet_rows import parquet_rows

__all__ = ["CARRIES", "SAYS", "read", "write"]

SAYS = "AutoRAG: a folder with qa.parquet and corpus.parquet, or qa.parquet with --chunks corpus.parquet"
CARRIES = frozenset({"ids", "reference", "facts", "alternatives"})
MEND = "give qa.parquet, and corpus.parquet beside it or with --chunks"


def read(path: Path, coming: Coming) -> None:
    """``retrieval_gt`` lists facts (all needed), each a list of chunks of which any will do."""
    qa = path / "qa.parquet" if path.is_dir() else path
    beside = coming.chunks or next(
        (p for p in (qa.with_name("corpus.parquet"), qa.with_name(_corpus(qa.name))) if p.is_file()), None
    )
    chunks = (
        {str(row["doc_id"]): row for row in parquet_rows(beside, "doc_id", "contents", mend=MEND)}
        if beside
        else {}
    )
    if not chunks:
        coming.lose("files of chunks are missing (corpus.parquet): their ids are taken for documents")
    for line, row in enumerate(parquet_rows(qa, "qid", "query", "retrieval_gt", mend=MEND), start=1):
        evidence = []
        for slot in row["retrieval_gt"] or ():
            names = [str(one) for one in ([slot] if isinstance(slot, str) else slot or ()) if one]
            spans = [one for name in names for one in _placed(name, chunks, coming)]
            if spans:
                evidence.append(nugget(spans))
            elif names:
                coming.lose(
                    "facts could not be placed, so that questions would be too easy: these are left out"
                )
                evidence = []
                break
        if not evidence:
            coming.lose("questions have no evidence that could be placed")
            continue
        answers = row.get("generation_gt")
        answers = [answers] if isinstance(answers, str) else [*(answers or ())]
        coming.lose("further reference answers: the first stands", max(0, len(answers) - 1))
        reference = str(answers[0]) if answers else ""
        coming.take(
            line,
            {"id": str(row["qid"]), "text": str(row["query"]), "evidence": evidence, "reference": reference},
        )


def _corpus(name: str) -> str:
    return name.replace("qa", "corpus") if "qa" in name else "corpus.parquet"


def _placed(name: str, chunks: Mapping[str, Mapping[str, Any]], coming: Coming) -> list[dict[str, Any]]:
    """Where a chunk lies: by its path and offsets where its words stand there, else by its words."""
    if name not in chunks:
        if chunks:
            coming.lose("chunks are named and are not in corpus.parquet")
        one = coming.whole(name)
        return [one] if one else []
    row = chunks[name]
    words, path = str(row["contents"]), str(row.get("path") or "")
    first, last = _offsets(row.get("start_end_idx"))
    if not path or last <= first:
        coming.lose("chunks have no path or no start_end_idx: only their words place them")
        return coming.found(words, path and f"{coming.doc(path)}")
    doc = coming.doc(path)
    document = coming.document(doc)
    if coming.corpus is None:
        if last + 1 - first not in (len(words), len(words) + 1):
            coming.lose("chunks have other words than their offsets say: give --corpus")
            return []
        return [span(doc, first, first + len(words), words)]
    if document is not None:
        for end in (last + 1, last):  # AutoRAG's own chunkers count the last character in, others do not
            cut = document.text[first:end]
            if cut and (cut == words or words.endswith((f"\n{cut}", f" {cut}"))):
                coming.lose("chunks begin with other words than the document's", int(cut != words))
                return [span(doc, first, end, cut)]
    coming.lose("chunks are not where start_end_idx says: looked up by their words")
    return coming.found(words, doc)


def _offsets(value: Any) -> tuple[int, int]:
    pair = [*value.values()] if isinstance(value, Mapping) else [*(value or ())]
    return (int(pair[0]), int(pair[1])) if len(pair) == 2 and None not in pair else (0, 0)
