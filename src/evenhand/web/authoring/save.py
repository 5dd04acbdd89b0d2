"""A question as it was sent becomes a line of gold.jsonl: its spans verified, its history kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from evenhand.errors import InputError
from evenhand.formats.gold.edit_lines import question_of
from evenhand.gold.author import edited, found_of, new_id, reviewed, waiting, written
from evenhand.web.authoring.contexts import Saved
from evenhand.web.server.app_state import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenhand.model.gold import Question
    from evenhand.web.authoring.library import Library, Opened
    from evenhand.web.authoring.schemas import QuestionIn, SaveIn

__all__ = ["address", "closed", "past", "save"]


def save(library: Library, act: SaveIn, *, by: str, on: str) -> Saved:
    """Do it, and write its one line; whatever is wrong is refused before anything is written."""
    with library.lock:
        opened = library.open()
        if act.mark != opened.mark:
            raise Refused(
                409,
                f"{library.gold.name} has changed meanwhile",
                mend="your draft is kept in this browser: reload the page, look at it, and save again",
            )
        try:
            made, told = _made(library, opened, act, by=by, on=on)
            notes = list(told)
            if act.question is not None:
                for one in found_of(made, opened.gold, library.corpus):
                    if one.severity == "error":
                        raise Refused(422, str(one), mend=one.mend or "mend it first")
                    if one.severity == "warning":
                        notes.append(str(one))
        except InputError as error:
            raise Refused(422, error.what, mend=error.mend) from error
        mark = library.put(made, mark=opened.mark)
    left = [one for one in waiting(opened.gold) if one.id != made.id]
    return Saved(
        id=made.id,
        status=made.review.status,
        provisional=made.provisional,
        mark=mark,
        notes=tuple(notes),
        href=address("question", id=made.id),
        next=address("question", id=left[0].id) if left else "",
    )


def closed(opened: Opened, name: str) -> str:
    """Why a question cannot be changed here; empty when it can."""
    if name in opened.bare:
        return "some of its quotes are not found in these documents, and would be lost: mend them first"
    return ""


def past(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of a history in words, whatever a file holds there; ``was``: field → what it was."""
    was = entry.get("was")
    return {
        **{name: str(entry.get(name, "")) for name in ("did", "by", "on", "reason")},
        "was": {str(name): _words(value) for name, value in was.items()} if isinstance(was, dict) else {},
    }


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value or "empty"
    try:
        return " / ".join(
            f"{span['quote']} ({span['doc']} {span['start']}:{span['end']})"
            for nugget in value
            for span in nugget["spans"]
        ) or json.dumps(value, ensure_ascii=False)
    except (TypeError, KeyError):
        return json.dumps(value, ensure_ascii=False)


def address(page: str, **about: str) -> str:
    """The address of a page of authoring about something."""
    query = "&".join(f"{k}={quote(v, safe='', errors='replace')}" for k, v in about.items() if v)
    return f"/author/{page}?{query}"


def _made(
    library: Library, opened: Opened, act: SaveIn, *, by: str, on: str
) -> tuple[Question, tuple[str, ...]]:
    if act.do == "add":
        if act.question is None:
            raise Refused(422, "there is no question", mend="write one")
        row = _row(act.question)
        first = next((span["doc"] for nugget in row["evidence"] for span in nugget["spans"]), "")
        row |= {"id": new_id(opened.gold.ids), "source": first, "origin": "expert", "saw_evidence": True}
        _verify(library, row["evidence"])
        question, told = question_of(row, library.corpus)
        return written(question, by=by, on=on), told
    old = opened.question(act.id)
    if why := closed(opened, act.id):
        raise Refused(409, f"{old.id} cannot be changed here", mend=why)
    new, told = _changed(library, old, act.question) if act.question is not None else (None, ())
    if act.do == "edit":
        if new is None:
            raise Refused(422, "nothing is changed", mend="change something, or leave it")
        return edited(old, new, by=by, on=on, reason=act.reason), told
    status = "accepted" if act.do == "accept" else "rejected"
    return reviewed(old, status, by=by, on=on, reason=act.reason, new=new), told


def _changed(library: Library, old: Question, sent: QuestionIn) -> tuple[Question, tuple[str, ...]]:
    before, row = old.as_json(), _row(sent)
    # evidence that is not touched was placed when it was written
    touched = row["evidence"] != before["evidence"]
    if touched:
        _verify(library, row["evidence"])
    return question_of(before | row, library.corpus if touched else None)


def _row(sent: QuestionIn) -> dict[str, Any]:
    row = sent.model_dump()
    row["text"] = row["text"].strip()
    row["tags"] = [tag.strip() for tag in row["tags"] if tag.strip()]
    row["evidence"] = [one for one in row["evidence"] if one["spans"] or one["nugget"].strip()]
    if not row["text"]:
        raise Refused(422, "the question has no words", mend="write the question")
    for i, one in enumerate(row["evidence"]):
        if not one["spans"]:
            raise Refused(422, f"nugget {i + 1} has no evidence", mend="mark words for it, or take it out")
    return row


def _verify(library: Library, evidence: list[Mapping[str, Any]]) -> None:
    for i, nugget in enumerate(evidence):
        for span in nugget["spans"]:
            text = library.document(span["doc"]).text
            if span["end"] > len(text) or text[span["start"] : span["end"]] != span["quote"]:
                raise Refused(
                    422,
                    f"the words of nugget {i + 1} are not at {span['start']}:{span['end']} of {span['doc']}",
                    mend="reload the page and mark them again",
                )
