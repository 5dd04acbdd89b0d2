"""``evenhand gold add | edit | review``: a gold set written by hand, its history kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.text.plural import noun, verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.model.gold import GoldSet, Question
    from evenhand.model.text import Corpus

__all__ = ["add", "documents_at", "edit", "review"]

GoldFile = Annotated[Path, typer.Argument(help="gold.jsonl; `add` makes it when it is not there.")]
Documents = Annotated[Path | None, typer.Option("--corpus", help="The documents the quotes are from.")]
By = Annotated[str, typer.Option("--by", help="Who does this; default: the user's name.")]
Line = Annotated[
    str,
    typer.Option("--json", help="A line as in gold.jsonl, or some of its fields; - reads it from a pipe."),
]
Reason = Annotated[str, typer.Option("--reason", help="Why; it goes into the question's history.")]
Text = Annotated[str | None, typer.Option("--text", help="The question.")]
Kind = Annotated[str | None, typer.Option("--type", help="definition, procedure, numeric …")]
Tag = Annotated[list[str] | None, typer.Option("--tag", help="Repeatable.")]
Expect = Annotated[str | None, typer.Option("--expect", help="answer, clarify or abstain.")]
Cluster = Annotated[
    str | None, typer.Option("--cluster", help="Questions that are not independent share it.")
]
Source = Annotated[str | None, typer.Option("--source", help="The document it is about.")]
Origin = Annotated[str | None, typer.Option("--origin", help="log, expert or synthetic.")]
Saw = Annotated[
    bool | None,
    typer.Option("--saw-evidence/--did-not-see", help="Was it written while reading the evidence?"),
]
Quotes = Annotated[
    list[str] | None,
    typer.Option(
        "--quote",
        help="document::its words. Each is a fact of its own; for alternatives use --json (repeatable).",
    ),
]
Reference = Annotated[str | None, typer.Option("--reference", help="The answer in words.")]


def add(  # noqa: PLR0917 - typer makes options of them
    gold: GoldFile,
    corpus: Documents = None,
    text: Text = None,
    type_: Kind = None,
    tag: Tag = None,
    expect: Expect = None,
    cluster: Cluster = None,
    source: Source = None,
    origin: Origin = None,
    saw: Saw = None,
    quote: Quotes = None,
    reference: Reference = None,
    name: Annotated[str, typer.Option("--id", help="Default: the next number.")] = "",
    model: Annotated[
        str | None, typer.Option(help="The model that drafted it: provisional until somebody accepts it.")
    ] = None,
    json: Line = "",
    by: By = "",
    dry: Annotated[bool, typer.Option("--dry-run", help="Print the line, write nothing.")] = False,
) -> None:
    """Add a question with its evidence; twins and what would bias a study are said before it is kept."""
    from evenhand.errors import InputError
    from evenhand.formats.gold.edit_lines import mark_of, put_question, question_of, read_lines
    from evenhand.gold.author import new_id, written

    documents, mark = documents_at(corpus), mark_of(gold)
    there, _ = read_lines(gold, documents)
    row = _row(json) | _given(text, type_, tag, expect, cluster, source, origin, saw, quote, reference)
    row["id"] = name or row.get("id") or new_id(there.ids)
    if row["id"] in there.position:
        raise InputError(f"{gold.name} has a question {row['id']}", mend="evenhand gold edit changes it")
    row.setdefault("origin", "synthetic" if model else "expert")
    person, day = _who(by)
    question, told = question_of(row, documents)
    question = written(question, by=person, on=day, model=model)
    _warn(question, there, documents, told, blind=documents is None and bool(question.evidence))
    if dry:
        _show(question)
        return
    put_question(gold, question, mark=mark)
    print(f"added {question.id} to {gold}" + _waits(question))


def edit(  # noqa: PLR0917 - typer makes options of them
    gold: GoldFile,
    name: Annotated[str, typer.Argument(metavar="ID", help="The question.")],
    reason: Reason,
    corpus: Documents = None,
    text: Text = None,
    type_: Kind = None,
    tag: Tag = None,
    expect: Expect = None,
    cluster: Cluster = None,
    source: Source = None,
    origin: Origin = None,
    saw: Saw = None,
    quote: Quotes = None,
    reference: Reference = None,
    json: Line = "",
    by: By = "",
) -> None:
    """Change a question; what it was stays in its history, and it waits for a review again."""
    from evenhand.formats.gold.edit_lines import mark_of, put_question
    from evenhand.gold.author import edited

    documents, mark = documents_at(corpus), mark_of(gold)
    old, there = _question(gold, name, documents)
    row = _row(json) | _given(text, type_, tag, expect, cluster, source, origin, saw, quote, reference)
    new, told = _merged(old, row, documents)
    person, day = _who(by)
    made = edited(old, new, by=person, on=day, reason=reason)
    _warn(made, there, documents, told, blind=documents is None and "evidence" in row)
    put_question(gold, made, mark=mark)
    print(f"changed {made.id} in {gold}: line {made.line} alone" + _waits(made))


def review(  # noqa: PLR0917 - typer makes options of them
    gold: GoldFile,
    name: Annotated[str, typer.Argument(metavar="[ID]", help="The question; none: list what waits.")] = "",
    accept: Annotated[bool, typer.Option("--accept", help="It stands, with the changes of --json.")] = False,
    reject: Annotated[bool, typer.Option("--reject", help="It does not; needs a reason.")] = False,
    corpus: Documents = None,
    json: Line = "",
    reason: Reason = "",
    by: By = "",
) -> None:
    """Accept a question (as it is, or with changes) or reject it; without an ID list what waits."""
    from evenhand.errors import InputError
    from evenhand.formats.gold.edit_lines import mark_of, put_question, read_lines
    from evenhand.gold.author import reviewed, waiting
    from evenhand.report.output.terminal import clean

    mark, documents = mark_of(gold), documents_at(corpus)
    if not name:
        there, _ = read_lines(gold, documents)
        open_ = waiting(there)
        for one in open_:
            drafted = f", drafted by {one.authoring.model}" if one.authoring.model else ""
            print(clean(f"{one.id}  {one.text}  ({one.authoring.by or 'nobody named'}{drafted})"))
        drafts = sum(one.provisional for one in open_)
        print(
            f"{len(open_)} of {len(there)} {noun(len(there), 'question')} "
            f"{verb(len(open_), 'waits', 'wait')} for a review, {drafts} of "
            "them provisional"
        )
        return
    if accept == reject:
        raise InputError("a review ends in one of two ways", mend="give --accept or --reject")
    old, there = _question(gold, name, documents)
    row = _row(json)
    new, told = _merged(old, row, documents) if row else (None, ())
    person, day = _who(by)
    made = reviewed(old, "accepted" if accept else "rejected", by=person, on=day, reason=reason, new=new)
    if new is not None:
        _warn(made, there, documents, told, blind=documents is None and "evidence" in row)
    put_question(gold, made, mark=mark)
    own = " (by its own author: a second person sees more)" if person == old.authoring.by else ""
    print(f"{made.review.status}: {made.id}, by {clean(person)}{own}")


def _given(  # noqa: PLR0917 - the options in their order
    text: str | None,
    type_: str | None,
    tag: list[str] | None,
    expect: str | None,
    cluster: str | None,
    source: str | None,
    origin: str | None,
    saw: bool | None,
    quote: list[str] | None,
    reference: str | None,
) -> dict[str, Any]:
    """The fields that were given as options."""
    row = {
        "text": text,
        "type": type_,
        "tags": tag or None,
        "expect": expect,
        "cluster": cluster,
        "source": source,
        "origin": origin,
        "saw_evidence": saw,
        "reference": reference,
        "evidence": [_quote(one) for one in quote] if quote else None,
    }
    return {name: value for name, value in row.items() if value is not None}


def _quote(given: str) -> dict[str, str]:
    from evenhand.errors import InputError

    doc, found, words = given.partition("::")
    if not found or not doc.strip() or not words.strip():
        raise InputError(f"--quote {given!r} is not understood", mend='write "document.md::its words"')
    return {"doc": doc, "quote": words}


def _row(given: str) -> dict[str, Any]:
    import sys

    from evenhand.errors import InputError
    from evenhand.formats.gold.jsonl import strict

    if not given:
        return {}
    try:
        thing = strict(sys.stdin.read() if given == "-" else given)
    except ValueError as error:
        raise InputError(f"--json: {error}", mend='write {"text": "…", "evidence": […]}') from error
    if not isinstance(thing, dict):
        raise InputError("--json holds no object", mend='write {"text": "…", "evidence": […]}')
    return thing


def _merged(old: Question, row: dict[str, Any], corpus: Corpus | None) -> tuple[Question, tuple[str, ...]]:
    from evenhand.errors import InputError, nearest
    from evenhand.formats.gold.edit_lines import question_of
    from evenhand.gold.author import EDITED

    for field in row:
        if field not in EDITED:
            raise InputError(f"{field!r} is not edited", mend=nearest(field, EDITED))
    before = old.as_json()
    # evidence that is not touched was placed when it was written, and needs no corpus now
    question, told = question_of(before | row, corpus if "evidence" in row else None)
    return question, told


def _question(path: Path, name: str, corpus: Corpus | None) -> tuple[Question, GoldSet]:
    """The question to be changed, with all its evidence, and the set it is in."""
    from evenhand.errors import InputError, nearest
    from evenhand.formats.gold.edit_lines import read_lines

    gold, bare = read_lines(path, corpus)
    if name not in gold.position:
        raise InputError(f"{path.name} has no question {name!r}", mend=nearest(name, gold.ids))
    if name in bare:
        raise InputError(
            f"{name} has quotes that are not placed"
            + ("" if corpus is None else " in these documents, and would lose them"),
            mend="give --corpus" if corpus is None else "evenhand gold check says which; mend them first",
        )
    return gold[name], gold


def _warn(
    question: Question, gold: GoldSet, corpus: Corpus | None, told: Sequence[str], *, blind: bool
) -> None:
    """Say what was found; an error stops before anything is written."""
    from evenhand.errors import InputError
    from evenhand.gold.author import found_of
    from evenhand.report.output.terminal import clean

    for text in told:
        print(f"note: {clean(text)}")
    for one in found_of(question, gold, corpus):
        if one.severity == "error":
            raise InputError(str(one), mend=one.mend or "mend it first")
        if one.severity == "warning":
            print(f"note: {clean(str(one))}")
    if blind:
        print("note: the quotes were not looked up: give --corpus")


def documents_at(path: Path | None) -> Corpus | None:
    """The documents of a path, where one is given."""
    if path is None:
        return None

    from evenhand.formats.corpus.read import read_corpus

    documents: Corpus = read_corpus(path)
    return documents


def _who(by: str) -> tuple[str, str]:
    """Who, and the day in UTC."""
    from datetime import UTC, datetime
    from getpass import getuser

    if not by:
        try:
            by = getuser()
        except (OSError, KeyError):
            by = ""
    return by, datetime.now(tz=UTC).date().isoformat()


def _waits(question: Question) -> str:
    return "; provisional until it is accepted (evenhand gold review)" if question.provisional else ""


def _show(question: Question) -> None:
    import json

    print(json.dumps(question.as_json(), ensure_ascii=True))
