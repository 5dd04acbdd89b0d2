"""context-grid's eval sets (0.9), JSON lines or CSV: spans that stand, or anchors that are looked up."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.formats.guests.exporting import EVERYTHING, Going
from evenhand.formats.guests.gold_sets.context_grid_table import item_of
from evenhand.formats.guests.importing import OURS, Coming, nugget, ours_in, span
from evenhand.formats.guests.labels.tasks import dumped
from evenhand.formats.guests.rag_table import rows_at
from evenhand.formats.raw_bytes import write_bytes

if TYPE_CHECKING:
    from evenhand.model.gold import Question

__all__ = ["CARRIES", "SAYS", "read", "write"]

SAYS = "context-grid eval set: JSON lines, CSV"
CARRIES = EVERYTHING  # a question goes along whole, as meta
FULL, PART = 2, 1  # its grades: answers fully, is partly relevant


def read(path: Path, coming: Coming) -> None:
    """Items; an anchor outlives another parse and is taken before a span of the same item.

    It does not say whether pieces of evidence replace or need each other: each is a fact of its own. Grade 0
    is no evidence; grade 1 beside a 2 makes a nugget that is not vital. No evidence at all: abstain.
    """
    for line, given in rows_at(path):
        if "_evalset" in given:
            continue
        is_item = isinstance(given.get("anchors", []), list) and ({"anchors", "gold", "meta"} & {*given})
        row = given if is_item and not isinstance(given.get("meta"), str) else item_of(given, line)
        whole = ours_in(row.get("meta"))
        if whole is not None:
            coming.take(line, whole)
            continue
        pieces = list(row.get("anchors") or row.get("gold") or ())
        best = max((_grade(one) for one in pieces), default=0)
        evidence = []
        for one in pieces:
            grade = _grade(one)
            if grade <= 0:
                coming.lose("pieces of evidence have grade 0, and are left out")
                continue
            spans = _anchored(one, coming) if "quote" in one else _spanned(one, coming)
            coming.lose(
                "pieces of grade 1 are nuggets that are not vital", int(PART <= grade < min(best, FULL))
            )
            if spans:
                evidence.append(nugget(spans, vital=grade >= min(best, FULL)))
        if pieces and not any(one["vital"] for one in evidence):
            coming.lose("questions have no evidence that could be placed, and are left out")
            continue
        meta = row.get("meta")
        coming.take(
            line,
            {
                "id": row.get("id"),
                "text": row.get("question"),
                "type": row.get("qtype"),
                "expect": "answer" if pieces else "abstain",
                "evidence": evidence,
                "reference": row.get("answer"),
                "meta": meta if isinstance(meta, dict) else None,
            },
        )


def _grade(piece: Mapping[str, Any]) -> int:
    return int(piece.get("grade", FULL))


def _anchored(anchor: Mapping[str, Any], coming: Coming) -> list[dict[str, Any]]:
    """The n-th occurrence of an anchor's quote in its document, else wherever its words are found."""
    doc, words = coming.doc(str(anchor.get("source_id"))), str(anchor.get("quote"))
    coming.lose("anchors lose their page", int(anchor.get("page_hint") is not None))
    document = coming.document(doc)
    at, left = -1, int(anchor.get("occurrence") or 0)
    while document is not None and left >= 0:
        at = document.text.find(words, at + 1)
        if at < 0:
            break
        left -= 1
    return [span(doc, at, at + len(words), words)] if at >= 0 else coming.found(words, doc)


def _spanned(piece: Mapping[str, Any], coming: Coming) -> list[dict[str, Any]]:
    doc, start, end = coming.doc(str(piece.get("doc_id"))), int(piece["start"]), int(piece["end"])
    document = coming.document(doc)
    return [span(doc, start, end, document.text[start:end] if document is not None else "")]


def write(path: Path, going: Going) -> None:
    """A head line, then an item a line with spans and anchors; alternatives stand side by side."""
    rows: list[dict[str, Any]] = [
        {"_evalset": {"id": path.stem, "version": 1, "source": OURS, "meta": {}}},
        *(_item(q, going) for q in going.questions),
    ]
    write_bytes(path, dumped(rows).encode())


def _item(q: Question, going: Going) -> dict[str, Any]:
    gold, anchors = [], []
    for fact in q.evidence:
        grade = FULL if fact.vital else PART
        going.lose(
            "alternatives, which context-grid counts like facts of their own", int(len(fact.spans) > 1)
        )
        for one in fact.spans:
            place = one.span
            text = going.corpus.documents[going.corpus.position[place.doc]].text if going.corpus else ""
            before = _before(text, one.quote, place.start) if text else 0
            gold.append({"doc_id": place.doc, "start": place.start, "end": place.end, "grade": grade})
            if one.quote.strip():
                anchors.append(
                    {
                        "source_id": place.doc,
                        "quote": one.quote,
                        "grade": grade,
                        "page_hint": None,
                        "occurrence": before,
                    }
                )
    return {
        "id": str(q.id),
        "question": q.text,
        "gold": gold,
        "anchors": anchors,
        "qtype": q.type or None,
        "answer": q.reference or None,
        "meta": {OURS: q.as_json()},
    }


def _before(text: str, quote: str, start: int) -> int:
    """How many times *quote* begins in *text* before *start*."""
    count, at = 0, text.find(quote)
    while 0 <= at < start:
        count, at = count + 1, text.find(quote, at + 1)
    return count
