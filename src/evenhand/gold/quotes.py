"""Verify each quote against the corpus, and find it again where its document has changed."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.gold.finding import Finding
from evenhand.gold.offsets import from_utf16
from evenhand.gold.places import Place, near_document, search
from evenhand.model.gold import Nugget, Question, Quote
from evenhand.model.text import DocId, Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evenhand.gold.raw import RawNugget, RawQuestion, RawQuote
    from evenhand.model.text import Corpus, Document

__all__ = ["resolve"]

NO_EVIDENCE = "expects an answer and has no evidence"


def resolve(
    raws: Iterable[RawQuestion], corpus: Corpus | None, *, file: str = "", lenient: bool = False
) -> tuple[tuple[Question, ...], list[Finding]]:
    """Questions whose every span is placed, and what was found on the way.

    With a *corpus* ``text[start:end] == quote`` is checked; where it fails the quote is searched (exact,
    white-space tolerant, Unicode-normalised, fuzzy) and the move reported. Unmatched or ambiguous quotes
    are errors; with *lenient* they are warnings: the span is left out, and with it any question that
    loses a vital nugget or all its evidence, because a shortened question would be too easy to answer.
    """
    questions: list[Question] = []
    findings: list[Finding] = []
    absent: list[str] = []
    bodies: dict[str, Quote] = {}
    for raw in raws:
        work = _Work(raw.question, file, corpus, bodies)
        placed = [work.nugget(nugget) for nugget in raw.nuggets]
        evidence = tuple(
            Nugget(name=nugget.name, vital=nugget.vital, spans=spans)
            for nugget, spans in zip(raw.nuggets, placed, strict=True)
            if spans
        )
        lost = any(n.vital and not spans for n, spans in zip(raw.nuggets, placed, strict=True))
        question = replace(raw.question, evidence=evidence)
        absent += work.absent
        if question.expect == "answer" and (not raw.nuggets or (work.absent and not evidence)):
            work.note(
                "no-evidence",
                "error",
                "is judged only on documents that are not in the corpus" if work.absent else NO_EVIDENCE,
                mend=near_document(work.absent[0], corpus)
                if work.absent and corpus
                else 'give it its evidence, or set "expect" to "clarify" or "abstain"',
            )
        failed = any(f.severity == "error" for f in work.findings)
        if not failed:
            work.findings = [
                replace(f, correction=question.as_json()) if f.kind in ("moved", "no-quote") else f
                for f in work.findings
            ]
        gone = failed and (lost or (question.expect == "answer" and not evidence))
        if gone and lenient:
            work.note("left-out", "warning", "is left out: evidence it needs was not found")
        findings += [f.softened() for f in work.findings] if lenient else work.findings
        if not gone:
            questions.append(question)
    if absent and corpus is not None:
        few = ", ".join(absent[:5]) + (" …" if len(absent) > 5 else "")
        findings.append(
            Finding(
                kind="absent-documents",
                severity="warning",
                file=file,
                message=f"{len(absent)} relevant documents are not in the corpus and not counted: {few}",
                mend=near_document(absent[0], corpus),
            )
        )
    return tuple(questions), findings


@dataclass
class _Work:
    """One question on its way."""

    question: Question
    file: str
    corpus: Corpus | None
    bodies: dict[str, Quote]  # of whole documents, each cut once however many questions it answers
    findings: list[Finding] = field(default_factory=list)
    path: str = ""
    absent: list[str] = field(default_factory=list)  # judged documents that the corpus does not hold

    def note(self, kind: str, severity: str, message: str, *, detail: str = "", mend: str = "") -> None:
        self.findings.append(
            Finding(
                kind=kind,
                severity=severity,
                message=message,
                question=self.question.id,
                file=self.file,
                line=self.question.line,
                field=self.path,
                detail=detail,
                mend=mend,
            )
        )

    def nugget(self, nugget: RawNugget) -> tuple[Quote, ...]:
        placed = []
        for raw in nugget.spans:
            self.path = raw.field
            quote = self.without_corpus(raw) if self.corpus is None else self.within(raw, self.corpus)
            if quote is not None and quote not in placed:
                placed.append(quote)
        self.path = ""
        return tuple(placed)

    def without_corpus(self, raw: RawQuote) -> Quote | None:
        if raw.start is None or raw.end is None:
            what = "names a whole document" if raw.whole else "is a quote without offsets"
            self.note("needs-corpus", "error", what, mend="read the gold set together with its corpus")
            return None
        if raw.quote and len(raw.quote) != raw.end - raw.start:
            self.note(
                "length",
                "error",
                f"has a quote of {len(raw.quote)} characters and offsets {raw.start}:{raw.end}",
                mend="offsets count code points; give the corpus, and the right ones are found",
            )
            return None
        return Quote(Span(DocId(raw.doc), raw.start, raw.end), raw.quote)

    def within(self, raw: RawQuote, corpus: Corpus) -> Quote | None:
        position = corpus.position.get(DocId(raw.doc))
        if position is None and raw.whole:
            self.absent.append(raw.doc)
            return None
        if position is None:
            self.note(
                "no-document",
                "error",
                f"names document {raw.doc!r}, which is not in the corpus",
                mend=near_document(raw.doc, corpus),
            )
            return None
        document = corpus.documents[position]
        if raw.whole:
            return self.body(document)
        if raw.start is not None and raw.end is not None and raw.end <= len(document.text):
            words = document.text[raw.start : raw.end]
            if words == raw.quote:
                return Quote(Span(document.id, raw.start, raw.end), words)
            if not raw.quote:
                self.note("no-quote", "warning", "has offsets without a quote", mend="add the quote")
                return Quote(Span(document.id, raw.start, raw.end), words)
        if not raw.quote.strip():
            self.note(
                "beyond",
                "error",
                f"lies beyond the end of {document.id!r} ({len(document.text)} characters)",
                detail=f"found {raw.start}:{raw.end}",
                mend="give the quote, and it is found again",
            )
            return None
        return self.again(raw, document)

    def body(self, document: Document) -> Quote | None:
        """All of a document but its front matter and the blanks around it."""
        known = self.bodies.get(document.id)
        if known is not None:
            return known
        text = document.text
        start = document.body + len(text[document.body :]) - len(text[document.body :].lstrip())
        end = len(text.rstrip())
        if start >= end:
            self.note("empty-document", "error", f"names document {document.id!r}, which is empty")
            return None
        made = Quote(Span(document.id, start, end), text[start:end])
        return self.bodies.setdefault(document.id, made)

    def again(self, raw: RawQuote, document: Document) -> Quote | None:
        """Search the quote; offsets, where given, say which occurrence is meant."""
        text = document.text
        places = search(raw.quote, text, hint=raw.start)
        best = places[0] if places else None
        if best is None or not best.certain:
            self.lost(document, best)
            return None
        if len(places) > 1:
            self.ambiguous(document, places)
            return None
        words = text[best.start : best.end]
        if _numbers(words) != _numbers(raw.quote):
            self.note(
                "number-changed",
                "error",
                f"was found in {document.id!r} at {best.start}:{best.end} with other numbers in it",
                detail=f"quote {raw.quote!r}, document {words!r}",
                mend="decide which is right: the evidence may have been overtaken by the document",
            )
            return None
        if raw.start is None:
            if best.how == "exact":
                return Quote(Span(document.id, best.start, best.end), words)
            moved = "was found"
        else:
            moved = f"has moved from {raw.start}:{raw.end}"
            if _is_utf16(raw, text, best):
                moved += " (those count UTF-16 units, as a browser does)"
        how = best.how if best.distance == 0 else f"{best.how}, distance {best.distance:g}"
        self.note(
            "moved",
            "warning",
            f"{moved}, now {best.start}:{best.end} of {document.id!r} ({how})",
            detail="" if words == raw.quote else f"now reads {words!r}",
            mend="paste the corrected line",
        )
        return Quote(Span(document.id, best.start, best.end), words)

    def lost(self, document: Document, best: Place | None) -> None:
        detail = mend = ""
        if best is not None:
            words = document.text[best.start : best.end]
            detail = f"closest, at {best.start}:{best.end}, distance {best.distance:g}: {words!r}"
            mend = "if that is meant, paste its words as the quote"
        self.note(
            "unmatched",
            "error",
            f"has a quote that is not in {document.id!r}",
            detail=detail,
            mend=mend or "copy the quote from the document, letter for letter",
        )

    def ambiguous(self, document: Document, places: list[Place]) -> None:
        spots = ", ".join(f"{place.start}:{place.end}" for place in places[:5])
        more = f" and {len(places) - 5} more" if len(places) > 5 else ""
        self.note(
            "ambiguous",
            "error",
            f"has a quote that occurs {len(places)} times in {document.id!r}",
            mend=f"give start and end of the one meant: {spots}{more}",
        )


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+", unicodedata.normalize("NFKC", text))


def _is_utf16(raw: RawQuote, text: str, place: Place) -> bool:
    if raw.start is None or raw.end is None:
        return False
    try:
        return from_utf16(text, raw.start, raw.end) == (place.start, place.end)
    except InputError:
        return False
