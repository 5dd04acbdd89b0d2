"""``questions_df.csv`` of Chroma's chunking_evaluation: references with character offsets."""

from __future__ import annotations

from typing import Any

from evenhand.errors import InputError
from evenhand.formats.gold.fields import Fields, shown
from evenhand.formats.gold.jsonl import strict
from evenhand.formats.tables import rows_of
from evenhand.gold.lint_finding import Finding
from evenhand.gold.unresolved import RawNugget, RawQuestion, RawQuote
from evenhand.model.gold import Question, QuestionId

__all__ = ["parse_chroma"]


def parse_chroma(text: str, file: str) -> tuple[list[RawQuestion], list[Finding]]:
    """Questions ``q0000``… in file order; each reference is a vital nugget of ``{corpus_id}.md``.

    A row whose references are not JSON is an error (there it becomes None without a word).
    """
    header, rows = rows_of(text, file)
    missing = [name for name in ("question", "references", "corpus_id") if name not in header]
    if missing:
        raise InputError(
            f"{file}:1: has no column {missing[0]!r} (found {', '.join(header)})",
            mend="give the questions_df.csv of chunking_evaluation, or a table with question and quote",
        )
    found: list[RawQuestion] = []
    findings: list[Finding] = []
    for i, (line, cells) in enumerate(rows):
        row = dict(zip(header, cells, strict=False))
        fields = Fields(row, file=file, line=line, question=f"q{i:04d}")
        words, source = fields.text("question", needed=True), fields.text("corpus_id", needed=True)
        doc = f"{source}.md"
        nuggets = tuple(
            RawNugget(
                spans=(
                    RawQuote(
                        doc=doc,
                        quote=reference.text("content", needed=True),
                        start=reference.whole("start_index"),
                        end=reference.whole("end_index"),
                        field=reference.path,
                    ),
                )
            )
            for reference in _references(fields)
        )
        for nugget in nuggets:
            _check(nugget.spans[0], fields)
        findings += fields.findings
        if not fields.findings:
            question = Question(
                id=QuestionId(f"q{i:04d}"), text=words, type=source, cluster=source, source=doc, line=line
            )
            found.append(RawQuestion(question=question, nuggets=nuggets))
    return found, findings


def _references(fields: Fields) -> list[Fields]:
    mend = 'write references as JSON: [{"content": "…", "start_index": 0, "end_index": 1}]'
    try:
        things: Any = strict(fields.thing.get("references", ""))
    except ValueError as error:
        fields.wrong("references", "is not JSON", detail=str(error), mend=mend)
        return []
    if not isinstance(things, list) or not all(isinstance(thing, dict) for thing in things):
        fields.wrong("references", "is not a list of objects", detail=f"found {shown(things)}", mend=mend)
        return []
    return [fields.at(thing, f"references[{j}]") for j, thing in enumerate(things)]


def _check(quote: RawQuote, fields: Fields) -> None:
    if quote.start is None or quote.end is None or not 0 <= quote.start < quote.end:
        fields.wrong(
            quote.field,
            "has no usable offsets",
            detail=f"found {quote.start}:{quote.end}",
            mend="start_index and end_index count characters, 0 <= start < end",
        )
