"""What a model is asked: instructions of ours in the system message, texts of others as data behind marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evenhand.errors import InputError, nearest
from evenhand.judge.panel.delimiters import fenced, harmless, mark_of
from evenhand.judge.panel.instructions import LAST, closing, instructions, schema
from evenhand.judge.panel.prompt_spec import PROMPTS, Brief
from evenhand.model.call import Message, Request
from evenhand.model.label import Shown
from evenhand.model.seal import seal

__all__ = ["LEADS", "MAX_TOKENS", "ORDERS", "prompt_seal", "request"]

ORDERS = ("listed", "reversed")  # of the levels, as the sheet has them
LEADS = ("question", "text")  # what comes first
MAX_TOKENS = 1024


def request(
    brief: Brief,
    shown: Shown,
    *,
    more: Mapping[str, str] | None = None,
    length: int | None = None,
    order: str = "listed",
    lead: str = "question",
    repeat: int = 0,
    max_tokens: int = MAX_TOKENS,
    seed: int | None = None,
    logprobs: bool = False,
) -> Request:
    """The request for one item, the same for whichever model it goes to.

    It holds the question, the text, where the text comes from (document, title, headings; from prompt panel/2
    on the document's address, where it has one) and where it stands there (characters; *length* is the
    document's, None: not said), and *more* texts by name as the brief names them. It holds no similarity,
    rank, system, other vote or id of the question. *order* and *lead* are the order in which levels are
    listed and parts are shown (stress tests turn them round).
    Texts are not filled into a template: they stand whole and unread between marks.
    """
    for what, word, known in (("order", order, ORDERS), ("lead", lead, LEADS)):
        if word not in known:
            raise InputError(f"{what} is {word!r}", mend=nearest(word, known))
    parts = list(_parts(brief, shown, dict(more or {}), length))
    if lead == "text":
        parts.sort(key=lambda part: part[0] not in ("source", "text"))  # stable
    texts = [harmless(text, brief.fence) for _, text in parts]
    mark = mark_of([text for _, text in parts] + texts)
    blocks = [fenced(name, text, mark) for (name, _), text in zip(parts, texts, strict=True)]
    last = closing(brief, (text for _, text in parts))
    head = f"Each part stands between two lines that hold the mark {mark}."
    return Request(
        task=shown.item,
        prompt=prompt_seal(brief, order=order, lead=lead),
        messages=(
            Message(role="system", content=instructions(brief, order=order)),
            Message(role="user", content="\n\n".join([head, *blocks, *([last] if last else [])])),
        ),
        schema=schema(brief, order=order),
        max_tokens=max_tokens,
        seed=seed,
        logprobs=logprobs,
        repeat=repeat,
    )


def prompt_seal(brief: Brief, *, order: str = "listed", lead: str = "question") -> str:
    """The version of what is asked: sheet, prompt, every word, and the order of levels and parts."""
    # the template of panel/1 and panel/2 is one; brief.seal has which of them it is
    template = ["panel/1"] if brief.fence == 1 else [brief.prompt, LAST]
    return seal(["prompt/1", *template, brief.seal, instructions(brief, order=order), lead])


def _parts(brief: Brief, shown: Shown, more: dict[str, str], length: int | None) -> Iterator[tuple[str, str]]:
    if set(more) != set(brief.more):
        raise InputError(
            f"sheet {brief.sheet.name!r} shows {', '.join(brief.more) or 'nothing'} beside the "
            f"{brief.subject}, found {', '.join(sorted(more)) or 'nothing'}",
            mend=f"give exactly these: {', '.join(brief.more)}" if brief.more else "give nothing more",
        )
    yield brief.subject, shown.ask
    for name in brief.more:
        yield name, more[name]
    if brief.text:
        yield "source", _source(shown, length, shown.address if brief.prompt != PROMPTS[0] else "")
        yield "text", shown.text


def _source(shown: Shown, length: int | None, address: str) -> str:
    of = f" of {length}" if length is not None else ""
    rows = (
        ("document", shown.doc),
        ("address", address),
        ("title", shown.title),
        ("headings", " > ".join(shown.heading)),
        ("position", f"characters {shown.start} to {shown.end}{of}"),
    )
    return "\n".join(f"{name}: {' '.join(value.split())}" for name, value in rows if value.strip())
