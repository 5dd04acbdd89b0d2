"""Judgements of whole documents, beside the questions they judge: TREC, BEIR (TSV) and LIMIT (JSONL)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.formats.trec import read_qrels
from evenhand.gold.finding import Finding
from evenhand.gold.places import few
from evenhand.gold.raw import RawNugget, RawQuestion, RawQuote
from evenhand.model.amount import counted

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["judged", "with_judgements"]


def judged(path: Path) -> dict[str, dict[str, float]]:
    """Grades by question and document of any qrels file."""
    qrels = read_qrels(path)
    return {question: qrels.judged(question) for question in qrels.questions}


def with_judgements(
    raws: list[RawQuestion], grades: dict[str, dict[str, float]], file: str
) -> tuple[list[RawQuestion], list[Finding]]:
    """Questions whose evidence is the whole body of each document with a grade above 0.

    Questions with no such document cannot be measured and are left out; judgements of questions that do
    not exist, and grades above 1 that alignment cannot tell apart, are named: all three are warnings.
    """
    kept: list[RawQuestion] = []
    bare: list[str] = []
    for raw in raws:
        docs = [doc for doc, grade in grades.get(raw.question.id, {}).items() if grade > 0]
        if not docs:
            bare.append(raw.question.id)
            continue
        spans = tuple(RawQuote(doc=doc, whole=True) for doc in docs)
        kept.append(replace(raw, nuggets=(RawNugget(spans=spans),)))
    known = {raw.question.id for raw in raws}
    stray = [question for question in grades if question not in known]
    levels = {grade for of_one in grades.values() for grade in of_one.values() if grade > 0}
    findings = []
    for kind, names, what in (
        ("unjudged", bare, "questions have no relevant document and are left out"),
        ("stray", stray, "judged questions are not among the questions"),
    ):
        if names:
            message = f"{counted(len(names), what)}: {few(names)}"
            findings.append(Finding(kind=kind, severity="warning", file=file, message=message))
    if len(levels) > 1:
        findings.append(
            Finding(
                kind="levels",
                severity="warning",
                file=file,
                message=f"grades {min(levels):g} to {max(levels):g} all count as relevant evidence",
                mend="`evenhand eval` with the qrels file itself keeps the grades apart",
            )
        )
    return kept, findings
