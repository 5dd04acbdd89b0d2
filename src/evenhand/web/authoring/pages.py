"""Writing questions with their evidence, and reviewing them: pages for owners."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.corpus.outline import headings
from evenhand.errors import InputError
from evenhand.gold.alternative_spans import elsewhere
from evenhand.gold.author import found_of, history, waiting
from evenhand.gold.offsets import from_utf16
from evenhand.model.text import Span
from evenhand.store.clock import now
from evenhand.web.authoring.contexts import (
    AuthorPage,
    Checked,
    DocumentLine,
    DocumentPage,
    QuestionLine,
    QuestionsPage,
    ReviewPage,
    Saved,
)
from evenhand.web.authoring.library import desk_of
from evenhand.web.authoring.save import address, closed, past, save
from evenhand.web.authoring.schemas import SaveIn, SelectionIn
from evenhand.web.server.app_state import Refused
from evenhand.web.server.render import as_page
from evenhand.web.server.request_body import body, parsed
from evenhand.web.server.routes import shows, takes

if TYPE_CHECKING:
    from evenhand.model.gold import Question
    from evenhand.model.text import Corpus

__all__ = ["routes"]

LISTED = 200  # documents on one page
ROUND = 160  # characters shown on either side of a quote
routes = APIRouter()
Body = Annotated[bytes, Depends(body)]
Name = Annotated[str, Query(max_length=2000)]


@shows(routes, "/author", AuthorPage, refuses=(404, 409))
def documents(request: Request, find: Annotated[str, Query(max_length=200)] = "") -> Response:
    """The documents; with *find* those that hold these words in title, id or text."""
    _, library = desk_of(request)
    gold = library.open().gold
    used = Counter(chain.from_iterable({q.span.doc for n in one.evidence for q in n.spans} for one in gold))
    wanted = find.strip().casefold()
    found = [
        one
        for one in library.corpus
        if not wanted
        or wanted in one.title.casefold()
        or wanted in one.id.casefold()
        or wanted in one.text.casefold()
    ]
    lines = tuple(
        DocumentLine(
            doc=one.id,
            title=one.title or one.id,
            kind=one.kind,
            status=one.status,
            characters=len(one.text),
            questions=used[one.id],
            href=address("document", doc=one.id),
        )
        for one in found[:LISTED]
    )
    page = AuthorPage(
        gold=library.gold.name,
        find=find.strip(),
        documents=lines,
        found=len(found),
        total=len(library.corpus),
        questions=len(gold),
        waiting=len(waiting(gold)),
    )
    return as_page(request, "author.html", page)


@shows(routes, "/author/document", DocumentPage, refuses=(404, 409))
def document(request: Request, doc: Name, question: Name = "") -> Response:
    """One document to select evidence in, with the form of a new question or of one that is there."""
    access, library = desk_of(request)
    shown, opened = library.document(doc), library.open()
    old = opened.question(question) if question else None
    if question and (why := closed(opened, question)):
        raise Refused(409, f"{question} cannot be changed here", mend=why)
    page = DocumentPage(
        gold=library.gold.name,
        mark=opened.mark,
        me=access.name,
        doc=shown.id,
        title=shown.title or shown.id,
        text=shown.text,
        body=shown.body,
        sections=tuple({"start": h.start, "level": h.level, "title": h.title} for h in headings(shown)),
        questions=tuple(
            _line(one) for one in opened.gold if any(q.span.doc == doc for n in one.evidence for q in n.spans)
        ),
        question=old.as_json() if old is not None else None,
        types=tuple(sorted({one.type for one in opened.gold if one.type})),
        tags=tuple(sorted({tag for one in opened.gold for tag in one.tags})),
    )
    return as_page(request, "author_document.html", page)


@shows(routes, "/author/questions", QuestionsPage, refuses=(404, 409))
def questions(request: Request) -> Response:
    """All questions; first those that wait for a review."""
    _, library = desk_of(request)
    gold = library.open().gold
    open_ = waiting(gold)
    ids = {one.id for one in open_}
    page = QuestionsPage(
        gold=library.gold.name,
        waiting=tuple(_line(one) for one in open_),
        others=tuple(_line(one) for one in gold if one.id not in ids),
    )
    return as_page(request, "author_questions.html", page)


@shows(routes, "/author/question", ReviewPage, refuses=(404, 409))
def question(request: Request, id: Name) -> Response:  # noqa: A002 - the name in the address
    """One question with its evidence in its surroundings, and its history; to be reviewed."""
    access, library = desk_of(request)
    opened = library.open()
    one = opened.question(id)
    docs = [q.span.doc for nugget in one.evidence for q in nugget.spans]
    first = next((doc for doc in (*docs, one.source) if doc in library.corpus.position), None)
    why = closed(opened, id)
    after = [other for other in waiting(opened.gold) if other.id != id]
    page = ReviewPage(
        gold=library.gold.name,
        mark=opened.mark,
        me=access.name,
        question=one.as_json(),
        provisional=one.provisional,
        own=one.authoring.by == access.name,
        closed=why,
        nuggets=tuple(
            {
                "nugget": nugget.name,
                "vital": nugget.vital,
                "spans": [_around(library.corpus, q.span, q.quote) for q in nugget.spans],
            }
            for nugget in one.evidence
        ),
        history=tuple(past(entry) for entry in history(one)),
        findings=tuple(str(f) for f in found_of(one, opened.gold, library.corpus) if f.severity != "info"),
        change="" if why else address("document", doc=first or library.corpus.documents[0].id, question=id),
        next=address("question", id=after[0].id) if after else "",
    )
    return as_page(request, "author_question.html", page)


@takes(routes, "/author/check.json", SelectionIn, Checked)
def check(request: Request, data: Body) -> Response:
    """A selection as a span in code points; its words must be those that stand there."""
    _, library = desk_of(request)
    sent = parsed(SelectionIn, data)
    text = library.document(sent.doc).text
    try:
        start, end = from_utf16(text, sent.start, sent.end)
        span = Span(library.document(sent.doc).id, start, end)
    except InputError as error:
        raise Refused(422, error.what, mend="reload the page and mark the words again") from error
    if text[start:end] != sent.quote:
        raise Refused(422, "these words do not stand there", mend="reload the page and mark the words again")
    found = elsewhere(sent.quote, library.corpus, but=span)
    twins = tuple(
        _around(library.corpus, twin, library.document(twin.doc).text[twin.start : twin.end])
        for twin in found
    )
    return as_page(request, "", Checked(doc=span.doc, start=start, end=end, quote=sent.quote, twins=twins))


@takes(routes, "/author/save.json", SaveIn, Saved)
def keep(request: Request, data: Body) -> Response:
    """Write one line of the gold file."""
    access, library = desk_of(request)
    return as_page(request, "", save(library, parsed(SaveIn, data), by=access.name, on=now()[:10]))


def _line(question: Question) -> QuestionLine:
    return QuestionLine(
        id=question.id,
        text=question.text,
        type=question.type,
        status=question.review.status,
        provisional=question.provisional,
        by=question.authoring.by,
        model=question.authoring.model or "",
        on=question.authoring.on,
        href=address("question", id=question.id),
    )


def _around(corpus: Corpus, span: Span, quote: str) -> dict[str, Any]:
    """A span with the words before and after it, cut at blanks; none where its document is not here."""
    made = {"doc": span.doc, "start": span.start, "end": span.end, "quote": quote}
    if span.doc not in corpus.position:
        return {**made, "before": "", "after": ""}
    text = corpus.documents[corpus.position[span.doc]].text
    before = text[max(0, span.start - ROUND) : span.start]
    after = text[span.end : span.end + ROUND]
    if span.start > ROUND:
        before = "… " + before.split(maxsplit=1)[-1] if " " in before else before
    if span.end + ROUND < len(text):
        after = after.rsplit(maxsplit=1)[0] + " …" if " " in after else after
    return {**made, "before": before, "after": after}
