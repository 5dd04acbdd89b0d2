"""``queries.jsonl`` of BEIR, MTEB and LIMIT: ids and words; the judgements lie in a file of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.formats.gold.fields import Fields, shown
from evenhand.formats.gold.jsonl import strict
from evenhand.gold.lint_finding import Finding
from evenhand.gold.unresolved import RawQuestion
from evenhand.model.gold import Question, QuestionId

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["beside", "parse_queries"]


def parse_queries(text: str, file: str) -> tuple[list[RawQuestion], list[Finding]]:
    """Questions without evidence; other keys than ``_id`` and ``text`` are kept under ``meta``."""
    found: list[RawQuestion] = []
    findings: list[Finding] = []
    for line, row in enumerate(text.split("\n"), start=1):
        if not row.strip():
            continue
        fields = Fields({}, file=file, line=line)
        try:
            thing = strict(row)
        except ValueError as error:
            thing = None
            fields.wrong("", "is not a JSON object", detail=str(error), mend='{"_id": "q1", "text": "…"}')
        if isinstance(thing, dict):
            fields.thing = thing
            name, words = fields.name("_id"), fields.text("text", needed=True)
            rest = {key: value for key, value in thing.items() if key not in ("_id", "text") and value}
            extra = {"meta": rest} if rest else {}
            if not fields.findings:
                question = Question(id=QuestionId(name), text=words, extra=extra, line=line)
                found.append(RawQuestion(question=question))
        elif thing is not None:
            fields.wrong("", f"found {shown(thing)}, expected an object", mend='{"_id": "q1", "text": "…"}')
        findings += fields.findings
    return found, findings


def beside(path: Path) -> Path:
    """The qrels that lie beside ``queries.jsonl``: ``qrels/*.tsv``, ``qrels.tsv`` or ``qrels.jsonl``."""
    folder = path.parent
    near = [folder / "qrels.jsonl", folder / "qrels.tsv", *sorted((folder / "qrels").glob("*.tsv"))]
    there = [candidate for candidate in near if candidate.is_file()]
    if len(there) == 1:
        return there[0]
    if not there:
        raise InputError(f"{path.name} has no qrels beside it", mend="name the file of judgements: qrels=")
    names = ", ".join(str(candidate.relative_to(folder)) for candidate in there)
    raise InputError(f"{path.name} has several qrels beside it", mend=f"name the one to use: {names}")
