"""Judgements of whole documents, beside the questions they judge: TREC, BEIR (TSV) and LIMIT (JSONL)."""

from __future__ import annotations

import gzip
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.formats.gold_json import strict
from evenhand.gold.finding import Finding
from evenhand.gold.raw import RawNugget, RawQuestion, RawQuote

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["judged", "with_judgements"]

EXPECTED = "expected `question iteration document grade`, or query-id, corpus-id and score"


def judged(path: Path) -> dict[str, dict[str, float]]:
    """Grades by question and document; ids are strings, byte for byte, blanks in them kept.

    Raises InputError naming file and line for a row of another form, a grade that is no finite number,
    and a pair that occurs twice.
    """
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        text = data.decode("utf-8-sig")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        why = "does not exist" if isinstance(error, FileNotFoundError) else f"cannot be read ({error})"
        raise InputError(f"qrels {path} {why}", mend="give the path of a whole file of judgements") from None
    grades: dict[str, dict[str, float]] = {}
    first: dict[tuple[str, str], int] = {}
    for line, question, doc, grade in _rows(text, path.name):
        try:
            value = float(grade)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value) or isinstance(grade, bool):
            raise InputError(f"{path.name}:{line}: grade {grade!r} is not a number", mend=EXPECTED)
        before = first.setdefault((question, doc), line)
        if before != line:
            raise InputError(
                f"{path.name}:{line}: judges {doc!r} for question {question!r} again, after line {before}",
                mend="keep one grade a pair",
            )
        grades.setdefault(question, {})[doc] = value
    if not grades:
        raise InputError(f"qrels {path.name} holds no judgements", mend=EXPECTED)
    return grades


def _rows(text: str, file: str) -> Iterator[tuple[int, str, str, object]]:
    for line, raw in enumerate(text.split("\n"), start=1):
        row = raw.rstrip("\r")
        if not row.strip():
            continue
        if row.lstrip().startswith("{"):
            try:
                thing = strict(row)
                yield line, str(thing["query-id"]), str(thing["corpus-id"]), thing["score"]
            except (ValueError, KeyError):
                raise InputError(f"{file}:{line}: is not a judgement", mend=EXPECTED) from None
            continue
        tabs, blanks = row.split("\t"), row.split()
        if len(tabs) == 3:
            if line == 1 and tabs[0].lower() in ("query-id", "query_id", "qid"):
                continue
            yield line, tabs[0], tabs[1], tabs[2]
        elif len(tabs) == 4:
            yield line, tabs[0], tabs[2], tabs[3]
        elif len(blanks) == 4:
            yield line, blanks[0], blanks[2], blanks[3]
        else:
            raise InputError(f"{file}:{line}: is not a judgement", mend=EXPECTED)


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
            shown = ", ".join(names[:10]) + (" …" if len(names) > 10 else "")
            message = f"{len(names)} {what}: {shown}"
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
