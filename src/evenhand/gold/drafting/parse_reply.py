"""What a model drafted, read strictly: a question with verbatim evidence, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from evenhand.corpus.quote_match import closest, find
from evenhand.gold.drafting.draft import TYPES, Ask, Passage
from evenhand.judge.panel.delimiters import harmless, restored
from evenhand.model.gold import Authoring, Nugget, Question, QuestionId, Quote
from evenhand.model.text import DocId, Span

if TYPE_CHECKING:
    from evenhand.model.call import Call

__all__ = ["REASONS", "SYNTHETIC", "Draft", "read"]

SYNTHETIC = "synthetic"  # origin and tag; neither is ever taken away
REASONS = {
    "fault": "no reply came",
    "refused": "the model refused",
    "cut-off": "the reply was cut off",
    "unparsable": "the reply cannot be read",
    "incomplete": "the reply lacks a field",
    "quote not found": "a quote does not occur in the passages",
    "too few quotes": "fewer facts are quoted than this kind needs",
    "one passage": "both passages were asked for, one is quoted",
    "speaks of the text": "the question names the passage it was drafted from",
    "same words": "another question has the same words",
    "near": "another question is nearly the same",
    "weak": "question and evidence are hardly related",
}
NAMES = ("the passage", "this passage", "the passages", "the text above", "passage 1", "passage 2")


@dataclass(frozen=True, kw_only=True)
class Draft:
    """One draft: a ``question``, or None and the ``reason`` (one of `REASONS`) with its ``detail``."""

    ask: Ask
    question: Question | None = None
    reason: str = ""
    detail: str = ""
    said: Mapping[str, Any] = field(default_factory=dict)  # the reply as it was understood

    def rejected(self, reason: str, detail: str) -> Draft:
        """The same, rejected; what was drafted stays in ``said``."""
        return replace(self, question=None, reason=reason, detail=detail)

    @property
    def evidence(self) -> str:
        """The words it stands on: its quotes, or the passage of a question without any."""
        quotes = [
            quote.quote
            for nugget in (self.question.evidence if self.question else ())
            for quote in nugget.spans
        ]
        return "\n".join(quotes) or "\n".join(one.text for one in self.ask.passages)


def read(call: Call, ask: Ask, *, model: str, by: str, on: str) -> Draft:
    """The draft that a call brought; *by* and *on* (ISO day) say who had it drafted, and when.

    Each quote must stand in one of the passages that were shown: letter for letter, white space and forms of
    characters (quotation marks, dashes) aside. The place in the document is kept with the document's words.
    """
    bare = Draft(ask=ask)
    if call.outcome != "reply" or call.reply is None:
        return bare.rejected(call.outcome, call.why)
    data = restored(call.reply.data, [one.text for one in ask.passages])
    if not isinstance(data, Mapping):
        return bare.rejected("unparsable", call.why or "the reply holds no JSON object")
    draft = replace(bare, said=dict(data))
    text, answer = data.get("question"), data.get("answer")
    for name, value in (("question", text), ("answer", answer)):
        if not isinstance(value, str) or not value.strip():
            return draft.rejected("incomplete", f"{name} is {value!r}"[:120])
    text, answer = " ".join(str(text).split()), " ".join(str(answer).split())
    named = next((name for name in NAMES if name in text.casefold()), None)
    if named is not None:
        return draft.rejected("speaks of the text", f"{named!r}")
    nuggets, why = _pieces(data.get(ask.kind.pieces), ask) if ask.kind.pieces else ([], None)
    if why is not None:
        return draft.rejected(*why)
    kind = str(data.get("type") or "").strip().casefold()
    return replace(
        draft,
        question=Question(
            id=QuestionId(ask.name),
            text=text,
            type=kind if kind in TYPES else "",
            tags=(SYNTHETIC, ask.kind.tag),
            expect=ask.kind.expect,
            cluster=ask.passages[0].doc,
            source=ask.passages[0].doc,
            origin=SYNTHETIC,
            saw_evidence=True,
            evidence=tuple(nuggets) if ask.kind.expect == "answer" else (),
            reference=answer,
            authoring=Authoring(by=by, model=model, on=on),
            extra={"meta": {"draft": _meta(ask, nuggets)}},
        ),
    )


def _meta(ask: Ask, nuggets: Sequence[Nugget]) -> dict[str, Any]:
    made: dict[str, Any] = {"kind": ask.kind.name, "passages": [one.name for one in ask.passages]}
    if ask.kind.expect == "clarify":  # ways to read it; as evidence they would say that it has an answer
        made["readings"] = [
            {"reading": one.name, "doc": str(one.spans[0].span.doc), "quote": one.spans[0].quote}
            for one in nuggets
        ]
    return made


def _pieces(given: Any, ask: Ask) -> tuple[list[Nugget], tuple[str, str] | None]:
    """Facts with their quotes in place; or none, and why."""
    rows = given if isinstance(given, list) else []
    nuggets: list[Nugget] = []
    quoted: set[str] = set()
    for number, row in enumerate(rows, start=1):
        words = row.get("quote") if isinstance(row, Mapping) else None
        if not isinstance(words, str) or not words.strip():
            return [], ("incomplete", f"quote {number} is {words!r}"[:120])
        place = _place(words, ask.passages)
        if place is None:
            return [], ("quote not found", f"{words[:80]!r}{_nearest(words, ask.passages)}")
        passage, quote = place
        quoted.add(passage.name)
        fact = row.get("fact")
        name = " ".join(fact.split()) if isinstance(fact, str) and fact.strip() else f"fact {number}"
        if quote not in [one.spans[0] for one in nuggets]:
            nuggets.append(Nugget(name=name[:120], spans=(quote,)))
    if len(nuggets) < ask.kind.least:
        return [], ("too few quotes", f"{len(nuggets)} of at least {ask.kind.least}")
    if ask.kind.each and len(quoted) < len(ask.passages):
        return [], ("one passage", f"only {', '.join(sorted(quoted))} is quoted")
    return nuggets, None


def _place(words: str, passages: Sequence[Passage]) -> tuple[Passage, Quote] | None:
    """Where a quote stands, as the document has it; what was shown with harmless marks is found as well."""
    for form in dict.fromkeys((words, words.strip().strip("\"'“”„«»"))):
        if not form.strip():
            continue
        for passage in passages:
            for text in dict.fromkeys((passage.text, harmless(passage.text))):
                found = find(form, text)
                if found is not None:
                    start, end = passage.start + found.start, passage.start + found.end
                    own = passage.text[found.start : found.end]
                    return passage, Quote(Span(DocId(passage.doc), start, end), own)
    return None


def _nearest(words: str, passages: Sequence[Passage]) -> str:
    """What comes nearest, for whoever looks at the rejected."""
    near = [
        (found.distance, passage.text[found.start : found.end])
        for passage in passages
        if (found := closest(words[:400], passage.text)) is not None
    ]
    return f"; the nearest is {min(near)[1][:80]!r}" if near else ""
