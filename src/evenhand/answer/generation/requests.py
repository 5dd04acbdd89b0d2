"""What a model is asked for one question or topic: instructions of ours, passages as data behind marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from evenhand.answer.generation.parse_reply import items_of, others_name
from evenhand.answer.generation.prompts import Template
from evenhand.judge.panel.delimiters import fenced, harmless, mark_of, restored
from evenhand.model.answer import Generation, Passage
from evenhand.model.call import Message, Request

if TYPE_CHECKING:
    from evenhand.model.call import Call
    from evenhand.model.run import Run

__all__ = ["CLOSED_BOOK", "MAX_TOKENS", "Ask", "generation", "passages_of", "request"]

CLOSED_BOOK = " (closed book)"  # behind the system's name, of the arm that sees no passage
MAX_TOKENS = {"answers": 1024, "study-items": 4096, "closed-book": 1024}
WORDS = {"answers": "answer", "study-items": "items", "closed-book": "closed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question or topic that is put to one system, with the passages that go along.

    ``expect`` is that of the gold question, empty for topics.
    """

    topic: str
    ask: str
    system: str
    passages: tuple[Passage, ...] = ()
    expect: str = ""

    def task(self, template: Template) -> str:
        """Its name in recordings: ``answer/q001``, ``items/lights``, ``closed/q001``."""
        return f"{WORDS[template.kind]}/{self.topic}"


def passages_of(run: Run, question: str, k: int) -> tuple[Passage, ...]:
    """The first *k* units that a run has for a question, named ``1``, ``2`` … in its order."""
    units = run.units
    if units is None:
        return ()
    made = []
    for place, code in enumerate(run.codes(question, k).tolist(), start=1):
        if code >= len(units):  # a hit of a guest that lies in none of our units
            continue
        unit = units[code]
        made.append(
            Passage(
                unit=str(unit.id),
                text=unit.text,
                marker=str(place),
                doc=str(unit.doc),
                start=unit.start,
                end=unit.end,
                title=units.corpus[str(unit.doc)].title,
            )
        )
    return tuple(made)


def request(ask: Ask, template: Template, *, max_tokens: int = 0, seed: int | None = None) -> Request:
    """The request for one question or topic, at temperature 0.

    It holds the question, and of each passage its number, title and text; never a similarity, a rank beyond
    the number, or the name of a system. Texts are not filled into a template: they stand whole between marks,
    braces and instructions in them left as they are.
    """
    parts = [("topic" if template.kind == "study-items" else "question", ask.ask)]
    if template.kind != "closed-book":
        for one in ask.passages:
            title = " ".join(one.title.split())
            parts.append((f"passage {one.marker}", f"({title})\n{one.text}" if title else one.text))
    texts = [harmless(text) for _, text in parts]
    mark = mark_of([text for _, text in parts] + texts)
    blocks = [fenced(name, text, mark) for (name, _), text in zip(parts, texts, strict=True)]
    head = f"Each part stands between two lines that hold the mark {mark}."
    none = ["No passage was found."] if template.kind != "closed-book" and not ask.passages else []
    return Request(
        task=ask.task(template),
        prompt=template.seal,
        messages=(
            Message(role="system", content=template.instructions),
            Message(role="user", content="\n\n".join([head, *blocks, *none])),
        ),
        schema=template.schema,
        schema_name="items" if template.kind == "study-items" else "answer",
        temperature=0.0,
        max_tokens=max_tokens or MAX_TOKENS[template.kind],
        seed=seed,
    )


def generation(call: Call, ask: Ask, template: Template, *, called: Sequence[str] = ()) -> Generation:
    """What a call came to.

    A reply of the form asked for is ``made``; one that is not ``invalid``; a refusal and a reply cut off at
    its limit keep their names, and a fault of network, key or rate stays one. *called* are the names by which
    the model asked may call itself in a reply: where another name stands there, a fallback wrote it, and it
    counts as refused (empty: names are not looked at). What the endpoint did not take (temperature, seed) is
    kept as ``without``.
    """
    made = Generation(
        topic=ask.topic,
        ask=ask.ask,
        system=ask.system,
        passages=ask.passages if template.kind != "closed-book" else (),
        expect=ask.expect,
        model=call.model,
        prompt=template.seal,
        call=call.key,
    )
    if call.outcome != "reply" or call.reply is None:
        state = call.outcome if call.outcome != "reply" else "fault"
        return replace(made, state=state, why=call.why)
    extra: dict[str, Any] = {"written_by": call.reply.model} if call.reply.model else {}
    if call.reply.without:
        extra["without"] = list(call.reply.without)
    if called and (other := others_name(call.reply.model, called)):
        why = f"another model wrote it: {other}"
        return replace(made, state="refused", why=why, extra={**extra, "fallback": other})
    data = restored(call.reply.data, [ask.ask, *(one.text for one in ask.passages)])
    found = items_of(data, ask, template)
    if not found.items:
        why = call.why if call.reply.data is None and call.why else found.why
        return replace(made, state="invalid", why=why, extra=extra)
    return replace(made, items=found.items, extra={**extra, **found.notes})
