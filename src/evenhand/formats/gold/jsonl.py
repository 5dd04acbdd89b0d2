"""``gold.jsonl``: one question a line, each field checked, every fault named with its line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.formats.gold.fields import Fields, shown
from evenhand.gold.lint_finding import Finding
from evenhand.gold.unresolved import RawNugget, RawQuestion, RawQuote
from evenhand.model.gold import EXPECTATIONS, ORIGINS, REVIEWS, Authoring, Question, QuestionId, Review
from evenhand.model.json_text import loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["parse_json", "parse_lines", "parse_rows", "strict"]

KEYS = (
    "id",
    "text",
    "type",
    "tags",
    "expect",
    "cluster",
    "source",
    "origin",
    "saw_evidence",
    "evidence",
    "grades",
    "reference",
    "authoring",
    "review",
    "meta",
)
ALIASES = {"question": "text", "query": "text", "answer": "reference", "expected_answer": "reference"}


def strict(text: str) -> Any:
    """Parse JSON; a repeated key, NaN or infinity is an error (ValueError), never silently taken."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in items:
            if key in made:
                raise ValueError(f"key {key!r} occurs twice in one object")
            made[key] = value
        return made

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is not a JSON value")

    try:
        return loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None


def parse_lines(text: str, file: str) -> tuple[list[RawQuestion], list[Finding]]:
    """Questions of ``gold.jsonl``. Lines end at a line feed only: U+2028 belongs to a text."""
    found: list[RawQuestion] = []
    findings: list[Finding] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            thing = strict(line)
        except ValueError as error:
            findings.append(_broken(file, number, str(error)))
            continue
        _take(thing, file, number, found, findings)
    return found, findings


def parse_json(text: str, file: str) -> tuple[list[RawQuestion], list[Finding]]:
    """Questions of a JSON array of the same objects; the line of each is where it begins."""
    found: list[RawQuestion] = []
    findings: list[Finding] = []
    try:
        strict(text)  # the faults of the whole, before it is read piece by piece
    except ValueError as error:
        return [], [_broken(file, 0, str(error))]
    for number, thing in _pieces(text):
        _take(thing, file, number, found, findings)
    return found, findings


def parse_rows(rows: Iterable[tuple[int, Any]], file: str) -> tuple[list[RawQuestion], list[Finding]]:
    """Questions of such objects that were made of another tool's file, each with its line there."""
    found: list[RawQuestion] = []
    findings: list[Finding] = []
    for number, thing in rows:
        _take(thing, file, number, found, findings)
    return found, findings


def _pieces(text: str) -> Iterator[tuple[int, Any]]:
    decoder = json.JSONDecoder()
    at, line, counted = text.index("[") + 1, 1, 0
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at >= len(text) or text[at] == "]":
            return
        line += text.count("\n", counted, at)
        counted = at
        thing, at = decoder.raw_decode(text, at)
        yield line, thing


def _broken(file: str, line: int, what: str) -> Finding:
    return Finding(
        kind="not-json",
        severity="error",
        file=file,
        line=line,
        message="is not a JSON object",
        detail=what,
        mend='write one object a line: {"id": "q1", "text": "…", "evidence": [{"doc": "…", "quote": "…"}]}',
    )


def _take(thing: Any, file: str, line: int, found: list[RawQuestion], findings: list[Finding]) -> None:
    if not isinstance(thing, dict):
        findings.append(_broken(file, line, f"found {shown(thing)}, expected an object"))
        return
    name = thing.get("id")
    fields = Fields(thing, file=file, line=line, question=name if isinstance(name, str) else "")
    raw = _question(fields)
    findings.extend(fields.findings)
    if raw is not None and not any(f.severity == "error" for f in fields.findings):
        found.append(raw)


def _question(fields: Fields) -> RawQuestion | None:
    fields.known(KEYS, ALIASES)
    if any(f.kind == "unknown-key" for f in fields.findings):
        return None
    source = fields.text("source")
    nuggets = tuple(_nuggets(fields, source))
    meta = fields.mapping("meta")
    authoring = fields.inner("authoring", ("by", "model", "on"))
    review = fields.inner("review", ("status", "by", "on", "changed"))
    parts: dict[str, Any] = {
        "id": QuestionId(fields.name("id")),
        "text": fields.text("text", needed=True),
        "type": fields.text("type"),
        "tags": fields.texts("tags"),
        "expect": fields.one_of("expect", EXPECTATIONS, "answer"),
        "cluster": fields.text("cluster"),
        "source": source,
        "origin": fields.one_of("origin", ORIGINS, "unknown"),
        "saw_evidence": fields.truth("saw_evidence"),
        "grades": fields.numbers("grades"),
        "reference": fields.text("reference"),
        "authoring": Authoring(
            by=authoring.text("by"), model=authoring.maybe("model"), on=authoring.text("on")
        ),
        "review": Review(
            status=review.one_of("status", REVIEWS, "unreviewed"),
            by=review.maybe("by"),
            on=review.maybe("on"),
            changed=review.texts("changed"),
        ),
        "extra": {"meta": meta} if meta else {},
        "line": fields.line,
    }
    if any(finding.severity == "error" for finding in fields.findings):
        return None
    try:
        return RawQuestion(question=Question(**parts), nuggets=nuggets)
    except InputError as error:  # pragma: no cover - the fields above are checked already
        fields.wrong("", error.what, mend=error.mend)
        return None


def _nuggets(fields: Fields, source: str) -> Iterator[RawNugget]:
    """Evidence in its full form, or as quotes: a list in the list holds alternatives (AND of ORs)."""
    for i, entry in enumerate(fields.sequence("evidence")):
        place = f"evidence[{i}]"
        if isinstance(entry, dict) and ("spans" in entry or "nugget" in entry):
            inner = fields.at(entry, place)
            inner.known(("nugget", "vital", "spans"), {"name": "nugget", "text": "nugget"})
            vital = inner.truth("vital")
            spans = inner.sequence("spans")
            if not spans:
                inner.wrong("spans", "is empty", mend="give the nugget a span, or take it out")
            yield RawNugget(
                name=inner.text("nugget"),
                vital=True if vital is None else vital,
                spans=tuple(
                    _span(fields, span, f"{place}.spans[{j}]", source) for j, span in enumerate(spans)
                ),
            )
        else:
            spans = entry if isinstance(entry, list) else [entry]
            yield RawNugget(spans=tuple(_span(fields, span, place, source) for span in spans))


def _span(fields: Fields, entry: Any, place: str, source: str) -> RawQuote:
    if isinstance(entry, str):
        entry = {"quote": entry}
    if not isinstance(entry, dict):
        fields.wrong(
            place,
            f"found {shown(entry)}, expected a quote",
            mend='write {"doc": "file.md", "quote": "its words"}, with "start" and "end" where known',
        )
        return RawQuote(doc="", field=place)
    inner = fields.at(entry, place)
    inner.known(("doc", "start", "end", "quote"), {"document": "doc", "file": "doc", "content": "quote"})
    start, end = inner.whole("start"), inner.whole("end")
    doc, quote = inner.text("doc") or source, inner.text("quote")
    if not doc:
        inner.wrong("doc", "is missing", mend="name the document, here or as the question's source")
    if (start is None) != (end is None):
        inner.wrong("end" if end is None else "start", "is missing", mend="give both offsets or neither")
    elif start is None and not quote.strip():
        inner.wrong("quote", "is missing", mend="give the words of the evidence, its offsets or both")
    elif start is not None and end is not None and not 0 <= start < end:
        inner.wrong(
            "end",
            "does not lie beyond its start",
            detail=f"found {start}:{end}",
            mend="offsets count characters from 0: 0 <= start < end",
        )
    return RawQuote(doc=doc, quote=quote, start=start, end=end, field=place)
