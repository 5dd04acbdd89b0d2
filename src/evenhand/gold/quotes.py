"""Verify each quote against the corpus, and find it again where its document has changed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from evenhand.corpus.quote_match import Place, closest, difference, find
from evenhand.errors import InputError
from evenhand.gold.align import body_of
from evenhand.gold.lint_finding import Finding
from evenhand.gold.location_text import few, near_document, spots
from evenhand.gold.offsets import from_utf16
from evenhand.model.gold import Nugget, Question, Quote
from evenhand.model.text import DocId, Span
from evenhand.text.plural import counted, noun, verb

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evenhand.corpus.quote_match import Anchor
    from evenhand.gold.unresolved import RawNugget, RawQuestion, RawQuote
    from evenhand.model.text import Corpus, Document

__all__ = ["resolve"]

MEANT = 0.5  # likeness from which the nearest passage is offered as what was meant
EACH = 10  # places up to which a quote that stands several times is offered with all of them


def resolve(
    raws: Iterable[RawQuestion],
    corpus: Corpus | None,
    *,
    file: str = "",
    lenient: bool = False,
    bare: bool = False,
) -> tuple[tuple[Question, ...], list[Finding]]:
    """Questions whose every span is placed, and what was found on the way.

    With a *corpus* ``text[start:end] == quote`` is checked; where it fails the quote is searched by the rule
    of `evenhand.corpus.normal_form` (no letter, word or number may differ) and the move reported. Unmatched
    or ambiguous quotes are errors, with the line to paste where what was meant can be guessed; with *lenient*
    they are warnings: the span is left out, and with it any question that loses a vital nugget or all its
    evidence, because a shortened question would be too easy to answer. With *bare* a question without any
    evidence stands, and is counted.
    """
    questions: list[Question] = []
    findings: list[Finding] = []
    absent: list[str] = []
    empty: list[str] = []
    idle: list[str] = []  # judged on empty documents alone
    unmarked: list[str] = []
    waiting: list[Question] = []  # an answer is expected, and nobody has said where it stands
    total = 0
    source = file
    shelf = _Shelf()
    for total, raw in enumerate(raws, start=1):  # noqa: B007 - how many there are
        line = 0 if raw.judged_in else raw.question.line
        work = _Work(raw.question, raw.judged_in or file, corpus, shelf, line)
        placed = [work.nugget(nugget) for nugget in raw.nuggets]
        evidence = tuple(
            Nugget(name=nugget.name, vital=nugget.vital, spans=spans)
            for nugget, spans in zip(raw.nuggets, placed, strict=True)
            if spans
        )
        lost = any(n.vital and not spans for n, spans in zip(raw.nuggets, placed, strict=True))
        question = replace(raw.question, evidence=evidence)
        absent += work.absent
        empty += work.empty
        source = raw.judged_in or source
        if work.empty and not work.absent and not evidence:
            idle.append(str(question.id))
            findings += work.findings
            continue
        if question.expect == "answer" and not raw.nuggets and bare:
            unmarked.append(str(question.id))
        elif question.expect == "answer" and not raw.nuggets:
            waiting.append(question)
            continue
        elif question.expect == "answer" and work.absent and not evidence:
            work.note(
                "no-evidence",
                "error",
                "is judged only on documents that are not in the corpus",
                mend=near_document(work.absent[0], corpus) if corpus else "",
            )
        failed = any(f.severity == "error" for f in work.findings)
        work.correct(question, raw)
        gone = failed and (lost or (question.expect == "answer" and not evidence))
        if gone and lenient:
            work.note("left-out", "warning", "is left out: evidence it needs was not found")
        findings += [f.softened() for f in work.findings] if lenient else work.findings
        if not gone:
            questions.append(question)
    if waiting:
        first = waiting[0]
        mend = (
            "give each its evidence (evenhand gold add, or write it in the browser: evenhand serve), or set "
            '"expect" to "clarify" or "abstain"; where people or a panel judge, [gold] evidence = "optional"'
        )
        findings.append(
            Finding(
                kind="no-evidence",
                severity="warning" if lenient else "error",
                file=file,
                line=first.line,
                question=first.id if len(waiting) == 1 else "",
                message=(
                    f"{len(waiting)} of {total} {noun(total, 'question')} "
                    f"{verb(len(waiting), 'expects', 'expect')} an answer and "
                    f"{verb(len(waiting), 'has', 'have')} no evidence"
                    f"{' (left out)' if lenient else ''}: {few([str(one.id) for one in waiting], 5)}"
                ),
                mend=mend,
            )
        )
    if unmarked:
        findings.append(
            Finding(
                kind="bare",
                severity="warning",
                file=file,
                message=(
                    f"{len(unmarked)} {noun(len(unmarked), 'question')} "
                    f"{verb(len(unmarked), 'has', 'have')} no evidence: {few(unmarked, 5)}"
                ),
                mend="they are known by what people or a panel judge, and by nothing else",
            )
        )
    for kind, names, what in (
        ("empty-document", empty, "relevant documents are empty and cannot be found"),
        ("left-out", idle, "questions are judged only on empty documents and are left out"),
    ):
        if names:
            message = f"{counted(len(names), what)}: {few(names, 5)}"
            findings.append(Finding(kind=kind, severity="warning", file=source, message=message))
    if absent and corpus is not None:
        findings.append(
            Finding(
                kind="absent-documents",
                severity="warning",
                file=source,
                message=(
                    f"{len(absent)} relevant {noun(len(absent), 'document')} "
                    f"{verb(len(absent), 'is', 'are')} not in the corpus: {few(absent, 5)}"
                ),
                mend=f"they cannot be found, and are not counted; {near_document(absent[0], corpus)}",
            )
        )
    return tuple(questions), findings


@dataclass
class _Shelf:
    """What is made once a document, however many questions it answers."""

    bodies: dict[str, Quote] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)


@dataclass
class _Work:
    """One question on its way."""

    question: Question
    file: str
    corpus: Corpus | None
    shelf: _Shelf
    line: int
    findings: list[Finding] = field(default_factory=list)
    path: str = ""
    absent: list[str] = field(default_factory=list)  # judged documents that the corpus does not hold
    empty: list[str] = field(default_factory=list)  # judged documents without a word
    meant: dict[str, tuple[Quote, ...]] = field(default_factory=dict)  # by field, of refused quotes
    offered: list[tuple[Quote, ...]] = field(default_factory=list)  # by nugget, what may be meant included

    def note(self, kind: str, severity: str, message: str, *, detail: str = "", mend: str = "") -> None:
        self.findings.append(
            Finding(
                kind=kind,
                severity=severity,
                message=message,
                question=self.question.id,
                file=self.file,
                line=self.line,
                field=self.path,
                detail=detail,
                mend=mend,
            )
        )

    def nugget(self, nugget: RawNugget) -> tuple[Quote, ...]:
        placed, offered = dict[Quote, None](), dict[Quote, None]()
        for raw in nugget.spans:
            self.path = raw.field
            quote = self.without_corpus(raw) if self.corpus is None else self.within(raw, self.corpus)
            if quote is not None:
                placed[quote] = None
            offered |= dict.fromkeys(self.meant.get(raw.field, ()) if quote is None else (quote,))
        self.path = ""
        self.offered.append(tuple(offered))
        return tuple(placed)

    def correct(self, question: Question, raw: RawQuestion) -> None:
        """Give findings the corrected line: moves where all else is right, refusals where all is offered."""
        errors = [f for f in self.findings if f.severity == "error"]
        line: dict[str, Any] = {
            "mend": "mend what else is wrong with this question; its corrected line is printed then"
        }
        if not errors:
            line = {"correction": question.as_json()}
        offer: dict[str, Any] = {}
        if errors and all(f.field in self.meant for f in errors):
            evidence = tuple(
                Nugget(name=nugget.name, vital=nugget.vital, spans=spans)
                for nugget, spans in zip(raw.nuggets, self.offered, strict=True)
            )
            offer = {"correction": replace(question, evidence=evidence).as_json()}
        self.findings = [
            replace(f, **(line if f.kind in ("moved", "no-quote") else offer if f in errors else {}))
            for f in self.findings
        ]

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
        known = self.shelf.bodies.get(document.id)
        if known is not None:
            return known
        text = document.text
        start, end = body_of(text, document.body)
        if start >= end:
            self.empty.append(str(document.id))
            return None
        made = Quote(Span(document.id, start, end), text[start:end])
        return self.shelf.bodies.setdefault(document.id, made)

    def again(self, raw: RawQuote, document: Document) -> Quote | None:
        """Search the quote. Where it occurs more than once nothing is guessed, not even by its offsets."""
        place = self.shelf.places.setdefault(document.id, Place(document.text))
        start, end, how = _from_browser(raw, document.text)
        if not how:
            anchor = find(raw.quote, place, hint=raw.start)
            if anchor is None:
                self.lost(raw, document, closest(raw.quote, place))
                return None
            if anchor.ambiguous:
                every = place.all(raw.quote)
                mend = f"give start and end of the one meant: {spots(every, raw.start)}"
                if len(every) <= EACH:
                    self.meant[raw.field] = tuple(_quote(document, *one) for one in every)
                    mend += "; or paste the corrected line, and each of them counts"
                times = f"has a quote that occurs {anchor.occurrences} times in {document.id!r}"
                self.note("ambiguous", "error", times, mend=mend)
                return None
            start, end, how = anchor.start, anchor.end, anchor.how
        words = document.text[start:end]
        if raw.start is not None or words != raw.quote:
            before = "was found at" if raw.start is None else f"has moved from {raw.start}:{raw.end} to"
            if (start, end) == (raw.start, raw.end):
                before = "is not letter for letter what stands at"
            self.note(
                "moved",
                "warning",
                f"{before} {start}:{end} of {document.id!r} ({how})",
                detail="" if words == raw.quote else f"it reads {words!r}",
                mend="paste the corrected line",
            )
        return Quote(Span(document.id, start, end), words)

    def lost(self, raw: RawQuote, document: Document, best: Anchor | None) -> None:
        """A quote that is nowhere; the nearest words of its document with the difference, to be pasted."""
        detail, mend = "", "copy the quote from the document, letter for letter"
        if best is not None:
            near = _quote(document, best.start, best.end)
            like = max(0.0, 1 - best.distance / max(len(raw.quote), best.end - best.start))
            detail = f"nearest, {like:.0%} alike, at {best.start}:{best.end}: {near.quote!r}"
            if like >= MEANT:
                detail += f"; the difference: {difference(raw.quote, near.quote)}"
                mend = "if that is what was meant, paste the corrected line"
                self.meant[raw.field] = (near,)
        self.note(
            "unmatched", "error", f"has a quote that is not in {document.id!r}", detail=detail, mend=mend
        )


def _quote(document: Document, start: int, end: int) -> Quote:
    return Quote(Span(document.id, start, end), document.text[start:end])


def _from_browser(raw: RawQuote, text: str) -> tuple[int, int, str]:
    """The quote at its offsets counted in UTF-16 units, as browsers do; an empty reason when it is not."""
    if raw.start is None or raw.end is None or text.isascii():
        return 0, 0, ""
    try:
        start, end = from_utf16(text, raw.start, raw.end)
    except InputError:
        return 0, 0, ""
    same = text[start:end] == raw.quote
    return start, end, "the offsets count UTF-16 units, as a browser does" if same else ""
