"""A gold set in the forms of others; what a form has no place for is counted and said."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.formats.guests.exporting import Going
from evenhand.formats.guests.gold_registry import WRITES, go
from evenhand.formats.raw_bytes import write_bytes
from evenhand.formats.tables import ESCAPED, inert, table_text
from evenhand.gold.nuggets import as_nuggets

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet
    from evenhand.model.text import Corpus

__all__ = ["FORMS", "export_gold"]

# what the forms written here carry (the others say it in their modules)
CARRIES = {
    "chroma": frozenset({"place", "facts"}),
    "squad": frozenset({"ids", "expectation", "place", "alternatives", "facts"}),
    "beir": frozenset({"ids", "kind", "tags", "alternatives", "grades"}),
}
FORMS = (*CARRIES, *WRITES)


def export_gold(
    path: str | os.PathLike[str], form: str, gold: GoldSet, corpus: Corpus | None = None
) -> Going:
    """Write *gold* in a *form* of `FORMS`: ``written`` questions, and in ``told()`` what was lost, in words.

    ``beir`` makes a folder (``queries.jsonl``, ``qrels/dev.tsv``, and with a corpus ``corpus.jsonl``), as
    ``autorag`` does; ``squad`` and ``autorag`` need the *corpus*, whose documents they hold.
    """
    if form not in FORMS:
        raise InputError(f"no gold set is written as {form!r}", mend=nearest(form, FORMS))
    going = Going(list(as_nuggets(gold)), corpus)
    if form in WRITES:
        go(Path(path), form, going)
        return going
    going.count(CARRIES[form])
    if form == "beir":
        _beir(Path(path), going, corpus)
        return going
    text = _chroma(going) if form == "chroma" else _squad(going, corpus)
    write_bytes(path, text.encode("utf-8", "surrogatepass"))
    return going


def _chroma(going: Going) -> str:
    table: list[list[str]] = [["question", "references", "corpus_id"]]
    for question in going.questions:
        spans = [nugget.spans[0] for nugget in question.evidence if nugget.spans]
        docs = {str(one.span.doc) for one in spans}
        if len(docs) != 1 or not min(docs).endswith(".md"):
            going.leave_out("questions without evidence in exactly one .md document")
            continue
        references = [
            {"content": one.quote, "start_index": one.span.start, "end_index": one.span.end} for one in spans
        ]
        table.append([question.text, json.dumps(references), min(docs).removesuffix(".md")])
    going.lose(ESCAPED, sum(inert(cell) != cell for row in table for cell in row))
    return table_text(table)


def _squad(going: Going, corpus: Corpus | None) -> str:
    if corpus is None:
        raise InputError("SQuAD holds the documents too", mend="give --corpus")
    by_doc: dict[str, list[dict[str, Any]]] = {}
    for question in going.questions:
        if len(question.evidence) > 1:
            going.leave_out("questions of several facts")
            continue
        spans = question.evidence[0].spans if question.evidence else ()
        doc = str(spans[0].span.doc) if spans else question.source
        if doc not in corpus.position:
            going.leave_out("questions of no document")
            continue
        if not spans and question.expect == "answer":  # no answer is known, which is not to have none
            going.leave_out("questions that expect an answer and have no evidence")
            continue
        kept = [one for one in spans if str(one.span.doc) == doc]
        if len(kept) < len(spans):
            going.lose("alternative spans in other documents", len(spans) - len(kept))
        answers = [{"text": one.quote, "answer_start": one.span.start} for one in kept]
        by_doc.setdefault(doc, []).append(
            {"id": question.id, "question": question.text, "answers": answers, "is_impossible": not answers}
        )
    data = [
        {"title": doc, "paragraphs": [{"context": corpus.documents[corpus.position[doc]].text, "qas": qas}]}  # type: ignore[index]
        for doc, qas in by_doc.items()
    ]
    return json.dumps({"version": "v2.0", "data": data}) + "\n"


def _beir(folder: Path, going: Going, corpus: Corpus | None) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is no folder", mend="BEIR is a folder: name one")
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    asked = []
    rows: list[tuple[Any, ...]] = [("query-id", "corpus-id", "score")]
    for question in going.questions:
        more = {
            name: value
            for name, value in (
                ("type", question.type),
                ("tags", list(question.tags)),
                ("cluster", question.cluster),
            )
            if value
        }
        asked.append({"_id": question.id, "text": question.text, **({"metadata": more} if more else {})})
        docs = dict.fromkeys((str(o.span.doc) for nugget in question.evidence for o in nugget.spans), 1.0)
        graded = {doc: int(g) if g.is_integer() else g for doc, g in (docs | dict(question.grades)).items()}
        rows += [(str(question.id), doc, grade) for doc, grade in graded.items()]
    write_bytes(folder / "queries.jsonl", _lines(asked))
    write_bytes(folder / "qrels" / "dev.tsv", table_text(rows, tabs=True).encode("utf-8", "surrogatepass"))
    going.lose(ESCAPED, sum(inert(cell) != cell for row in rows for cell in row))
    if corpus is not None:
        things = ({"_id": d.id, "title": d.title, "text": d.text} for d in corpus)
        write_bytes(folder / "corpus.jsonl", _lines(things))


def _lines(rows: Any) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
