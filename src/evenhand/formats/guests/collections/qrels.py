"""Judgements of whole documents, beside the questions they judge: TREC, BEIR (TSV) and LIMIT (JSONL)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.formats.runs.trec import read_qrels
from evenhand.gold.lint_finding import Finding
from evenhand.gold.location_text import few
from evenhand.gold.unresolved import RawNugget, RawQuestion, RawQuote
from evenhand.text.plural import counted

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["with_judgements"]


def with_judgements(
    raws: list[RawQuestion], path: Path, file: str
) -> tuple[list[RawQuestion], list[Finding]]:
    """Questions with the grades of the qrels file at *path*; evidence is each document graded above 0.

    Questions with no such document cannot be measured and are left out; judgements of questions that do
    not exist, and what only a ranking held against the file itself could use, are named: all are warnings.
    """
    qrels = read_qrels(path)
    kept: list[RawQuestion] = []
    bare: list[str] = []
    for raw in raws:
        name = str(raw.question.id)
        grades = qrels.judged(name) if name in qrels.position else {}
        docs = [doc for doc, grade in grades.items() if grade > 0]
        if not docs:
            bare.append(name)
            continue
        spans = tuple(RawQuote(doc=doc, whole=True) for doc in docs)
        question = replace(raw.question, grades=grades)
        kept.append(replace(raw, question=question, nuggets=(RawNugget(spans=spans),), judged_in=path.name))
    known = {str(raw.question.id) for raw in raws}
    stray = [question for question in qrels.questions if question not in known]
    findings = []
    for kind, names, what in (
        ("unjudged", bare, "questions have no relevant document and are left out"),
        ("stray", stray, "judged questions are not among the questions"),
    ):
        if names:
            message = f"{counted(len(names), what)}: {few(names)}"
            findings.append(Finding(kind=kind, severity="warning", file=file, message=message))
    for kind, n, what in (
        ("subtopics", qrels.notes.get("subtopics", 0), "subtopics count as one fact each question needs"),
        ("excluded", int(qrels.excluded.sum()), "documents that no ranking may hold are ranked like others"),
    ):
        if n:
            findings.append(
                Finding(
                    kind=kind,
                    severity="warning",
                    file=path.name,
                    message=counted(n, what),
                    mend="`evenhand eval` with the qrels file itself keeps them",
                )
            )
    return kept, findings
