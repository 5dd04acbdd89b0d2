"""SQuAD 1.1 and 2.0 (XQuAD and others): answers as spans of paragraphs."""

from __future__ import annotations

from evenhand.formats.gold.fields import Fields, shown
from evenhand.formats.gold.jsonl import strict
from evenhand.gold.lint_finding import Finding
from evenhand.gold.unresolved import RawNugget, RawQuestion, RawQuote
from evenhand.model.gold import Question, QuestionId

__all__ = ["parse_squad"]


def parse_squad(text: str, file: str) -> tuple[list[RawQuestion], list[Finding]]:
    """Each paragraph is document ``{title}/{i:02d}``; the answers of a question are alternatives.

    The evidence is the answer span, which is tiny: a unit is relevant when it holds the answer's words
    there. Offsets are checked against the paragraph in the file. ``is_impossible`` expects "abstain".
    ``line`` is 0: the file is one JSON value.
    """
    findings: list[Finding] = []
    found: list[RawQuestion] = []
    try:
        whole = strict(text)
    except ValueError as error:
        mend = "give a file of SQuAD's form, or name its format"
        return [], [
            Finding(
                kind="not-json",
                severity="error",
                file=file,
                message="is not JSON",
                detail=str(error),
                mend=mend,
            )
        ]
    top = Fields(whole if isinstance(whole, dict) else {}, file=file, line=0)
    top.findings = findings
    for a, article in _objects(top, "data"):
        title = article.text("title") or f"article-{a:02d}"
        for p, paragraph in _objects(article, "paragraphs"):
            context, doc = paragraph.text("context", needed=True), f"{title}/{p:02d}"
            for _, entry in _objects(paragraph, "qas"):
                raw = _question(entry, context, doc, title)
                if raw is not None:
                    found.append(raw)
    return found, findings


def _objects(fields: Fields, key: str) -> list[tuple[int, Fields]]:
    made = []
    for i, thing in enumerate(fields.sequence(key)):
        if isinstance(thing, dict):
            made.append((i, fields.at(thing, f"{key}[{i}]")))
        else:
            fields.wrong(f"{key}[{i}]", f"found {shown(thing)}, expected an object", mend="see SQuAD 1.1")
    return made


def _question(entry: Fields, context: str, doc: str, title: str) -> RawQuestion | None:
    before = len(entry.findings)
    entry.question = entry.name("id")
    text = entry.text("question", needed=True)
    quotes: list[RawQuote] = []
    answers = [] if entry.truth("is_impossible") else _objects(entry, "answers")
    for j, answer in answers:
        answer.question = entry.question
        words, start = answer.text("text", needed=True), answer.whole("answer_start")
        if start is None or start < 0 or context[start : start + len(words)] != words:
            answer.wrong(
                "answer_start",
                "does not point at the answer in its context",
                detail=f"found {start}",
                mend="answer_start counts characters (code points) of the context",
            )
            continue
        quote = RawQuote(doc=doc, quote=words, start=start, end=start + len(words), field=f"answers[{j}]")
        if all((quote.start, quote.end) != (other.start, other.end) for other in quotes):
            quotes.append(quote)
    if len(entry.findings) > before:
        return None
    question = Question(
        id=QuestionId(entry.question),
        text=text,
        expect="abstain" if entry.truth("is_impossible") else "answer",
        cluster=title,
        source=doc,
        reference=quotes[0].quote if quotes else "",
    )
    return RawQuestion(question=question, nuggets=(RawNugget(spans=tuple(quotes)),) if quotes else ())
