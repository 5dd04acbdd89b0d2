"""A table of questions: the form people write by hand, with the column names they use."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.gold.fields import Fields, bad_name, shown
from evenhand.formats.tables import rows_of
from evenhand.gold.lint_finding import Finding
from evenhand.gold.unresolved import RawNugget, RawQuestion, RawQuote
from evenhand.model.gold import EXPECTATIONS, Question, QuestionId

__all__ = ["parse_csv"]

COLUMNS = {
    "id": ("id", "question_id", "query_id", "qid"),
    "text": ("question", "query", "q", "text"),
    "source": ("source", "doc", "document", "file", "filename", "source_id", "doc_id"),
    "quote": ("quote", "evidence", "context", "passage", "span", "answer_span"),
    "start": ("start", "start_index"),
    "end": ("end", "end_index"),
    "reference": ("reference", "answer", "expected_answer", "gold_answer"),
    "type": ("type", "qtype", "question_type", "category"),
    "tags": ("tags", "tag"),
    "expect": ("expect",),
    "cluster": ("cluster",),
    "nugget": ("nugget",),
}
NAMES = {alias: column for column, aliases in COLUMNS.items() for alias in aliases}


def parse_csv(text: str, file: str) -> tuple[list[RawQuestion], list[Finding]]:
    """Questions of a table. Rows of one id (without ids: of one wording) are nuggets of one question."""
    header, rows = rows_of(text, file)
    columns = [_column(name, file, header) for name in header]
    for needed in ("text",):
        if needed not in columns:
            raise InputError(
                f"{file}:1: has no column of questions (found {', '.join(header)})",
                mend=f"name one column {' or '.join(COLUMNS[needed][:3])}",
            )
    made: dict[str, RawQuestion] = {}
    others: list[RawQuestion] = []
    findings: list[Finding] = []
    by_text: dict[str, str] = {}
    for line, cells in rows:
        if len(cells) != len(header):
            raise InputError(
                f"{file}:{line}: has {len(cells)} cells, the header {len(header)}",
                mend="quote a cell that holds the separator",
            )
        row = {column: cell for column, cell in zip(columns, cells, strict=True) if cell.strip()}
        name = row.get("id") or by_text.setdefault(row.get("text", ""), f"q{len(by_text):04d}")
        raw = _row(row, name, file, line, findings)
        if raw is None:
            continue
        one = made.setdefault(name, raw)
        if one is raw:
            continue
        if not _agree(one.question, raw.question):
            others.append(raw)  # an id of two questions: the check of duplicates names both lines
        elif set(raw.nuggets) <= set(one.nuggets):
            findings.append(
                Finding(
                    kind="repeated",
                    severity="warning",
                    file=file,
                    line=line,
                    question=name,
                    message="is repeated word for word; counted once",
                    mend="take the line out",
                )
            )
        else:
            source = one.question.source if one.question.source == raw.question.source else ""
            question = replace(one.question, source=source)
            made[name] = RawQuestion(question=question, nuggets=one.nuggets + raw.nuggets)
    return [*made.values(), *others], findings


def _agree(one: Question, two: Question) -> bool:
    """Whether a later row is of the same question: the same words, and nothing said otherwise."""
    pairs = (
        (one.type, two.type),
        (one.tags, two.tags),
        (one.cluster, two.cluster),
        (one.reference, two.reference),
    )
    return one.text == two.text and one.expect == two.expect and all(b in (a, "", ()) for a, b in pairs)


def _column(name: str, file: str, header: list[str]) -> str:
    known = NAMES.get(name.lower().replace(" ", "_"))
    if known is None and not name.lower().startswith("meta."):
        raise InputError(
            f"{file}:1: has an unknown column {name!r}",
            mend=f"{nearest(name.lower(), NAMES)}; what is yours goes under meta.{name or 'name'}",
        )
    if sum(NAMES.get(other.lower().replace(" ", "_")) == known for other in header) > 1 and known:
        raise InputError(f"{file}:1: has two columns for {known!r}", mend="take one of them out")
    return known or name


def _row(row: dict[str, str], name: str, file: str, line: int, findings: list[Finding]) -> RawQuestion | None:
    fields = Fields(row, file=file, line=line, question=name)
    text = fields.text("text", needed=True)
    if bad_name(name):
        fields.wrong("id", bad_name(name), mend="use an id without control characters")
    expect = fields.one_of("expect", EXPECTATIONS, "answer")
    start, end = _number(fields, "start"), _number(fields, "end")
    source = row.get("source", "")
    nuggets: tuple[RawNugget, ...] = ()
    if "quote" in row or start is not None:
        if not source:
            fields.wrong("source", "is missing", mend="name the document the evidence is from")
        if (start is None) != (end is None) or (start is not None and not 0 <= start < (end or 0)):
            fields.wrong("start", "does not go with its end", mend="offsets are 0 <= start < end, or none")
        quote = RawQuote(doc=source, quote=row.get("quote", ""), start=start, end=end, field="quote")
        nuggets = (RawNugget(name=row.get("nugget", ""), spans=(quote,)),)
    findings += fields.findings
    if any(finding.severity == "error" for finding in fields.findings):
        return None
    meta: dict[str, Any] = {key[5:]: value for key, value in row.items() if key.lower().startswith("meta.")}
    question = Question(
        id=QuestionId(name),
        text=text,
        type=row.get("type", ""),
        tags=tuple(tag.strip() for tag in re.split("[;,|]", row.get("tags", "")) if tag.strip()),
        expect=expect,
        cluster=row.get("cluster", ""),
        source=source,
        reference=row.get("reference", ""),
        extra={"meta": meta} if meta else {},
        line=line,
    )
    return RawQuestion(question=question, nuggets=nuggets)


def _number(fields: Fields, key: str) -> int | None:
    cell = fields.thing.get(key)
    if cell is None:
        return None
    if not re.fullmatch(r"\s*[0-9]+\s*", cell):
        fields.wrong(
            key, "is not a whole number", detail=f"found {shown(cell)}", mend="offsets count characters"
        )
        return None
    return int(cell)
