"""One line of a ``gold.jsonl`` written anew or added; every other byte stays as it is."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.formats.encoding import decode
from evenhand.formats.gold.gold_set import detect, is_holdout
from evenhand.formats.gold.jsonl import parse_lines, strict
from evenhand.formats.raw_bytes import read_bytes, write_bytes
from evenhand.gold.quotes import resolve
from evenhand.model.gold import GoldSet

if TYPE_CHECKING:
    from evenhand.model.gold import Question
    from evenhand.model.text import Corpus

__all__ = ["mark_of", "put_question", "question_of", "read_lines"]


def question_of(row: Mapping[str, Any], corpus: Corpus | None = None) -> tuple[Question, tuple[str, ...]]:
    """The question of one object as in ``gold.jsonl``, its quotes placed in *corpus*; and the warnings.

    An `InputError` names the field that is wrong, or the quote that is not found.
    """
    raws, findings = parse_lines(json.dumps(dict(row)), "question")
    questions, more = resolve(raws, corpus, file="question")
    for one in (*findings, *more):
        if one.severity == "error":
            raise InputError(str(one), mend=one.advice("mend this field"))
    told = tuple(str(one) for one in (*findings, *more) if one.severity == "warning")
    return questions[0], told


def read_lines(path: str | os.PathLike[str], corpus: Corpus | None) -> tuple[GoldSet, frozenset[str]]:
    """Every question of a ``gold.jsonl`` that is being written, and the ids of those not placed.

    A question whose quotes could not be placed (they have no offsets and there is no corpus, or they are
    not in it) is there without its evidence: it must not be written back. An absent file has none.
    """
    path = Path(path)
    if is_holdout(path):
        raise InputError(f"{path.name} is a holdout, which is not shown", mend="name gold.jsonl")
    if not path.exists():
        return GoldSet(()), frozenset()
    text, _ = decode(read_bytes(path), where=path.name)
    raws, findings = parse_lines(text, path.name)
    for one in findings:
        if one.severity == "error":
            raise InputError(str(one), mend=one.mend or "mend this line first")
    placed: dict[str, Question] = {}
    for question in resolve(raws, corpus, file=path.name)[0]:
        placed.setdefault(str(question.id), question)
    every = {str(raw.question.id): raw.question for raw in raws}
    bare = frozenset(str(raw.question.id) for raw in raws if raw.nuggets) - {
        name for name, question in placed.items() if question.evidence
    }
    return GoldSet(tuple(placed.get(name, question) for name, question in every.items())), bare


def mark_of(path: str | os.PathLike[str]) -> str:
    """A hash of the file as it is now, to be given to `put_question`; empty when it is not there."""
    return hashlib.sha256(read_bytes(path)).hexdigest() if Path(path).exists() else ""


def put_question(path: str | os.PathLike[str], question: Question, *, mark: str | None = None) -> str:
    """Write *question* over the line with its id, or behind the last; returns the `mark_of` the new file.

    Keys are in their fixed order, so that a diff shows what changed and no more. *mark*: refuse when the
    file is no longer what it was then, so that two who write at once do not undo each other.
    """
    path = Path(path)
    if is_holdout(path):
        raise InputError(
            f"{path.name} is a holdout, which is not written before its look", mend="write to gold.jsonl"
        )
    data = read_bytes(path) if path.exists() else b""
    if mark is not None and mark != (hashlib.sha256(data).hexdigest() if path.exists() else ""):
        raise InputError(f"{path.name} has changed meanwhile", mend="read it again and repeat the change")
    text, encoding = decode(data, where=path.name)
    if text.strip() and (detect(text, path.name) != "jsonl" or encoding != "utf-8"):
        raise InputError(
            f"{path.name} is no gold.jsonl in UTF-8", mend="evenhand gold import writes one from it"
        )
    end = "\r\n" if text.count("\r\n") > text.count("\n") / 2 else "\n"
    lines = text.split("\n")
    new = json.dumps(question.as_json(), ensure_ascii=False, allow_nan=False)
    at = _place(lines, str(question.id), path.name)
    if at is None:
        while lines and not lines[-1].strip():
            lines.pop()
        lines = [line if line.endswith("\r") or end == "\n" else f"{line}\r" for line in lines]
        whole = "".join(f"{line}\n" for line in lines) + new + end
    else:
        lines[at] = new + ("\r" if lines[at].endswith("\r") else "")
        whole = "\n".join(lines)
    made = whole.encode("utf-8", "surrogatepass")
    write_bytes(path, made)
    return hashlib.sha256(made).hexdigest()


def _place(lines: list[str], name: str, file: str) -> int | None:
    found = None
    for i, line in enumerate(lines):
        if not line.strip():
            continue
        try:
            thing = strict(line)
        except ValueError as error:
            raise InputError(f"{file}:{i + 1}: {error}", mend="mend this line first") from error
        if isinstance(thing, dict) and thing.get("id") == name:
            if found is not None:
                raise InputError(
                    f"{file}:{i + 1}: {name} occurs twice (line {found + 1})", mend="take one of them out"
                )
            found = i
    return found
