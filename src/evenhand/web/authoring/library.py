"""What questions are written about and where: the documents, and one gold.jsonl under a lock."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.formats.gold.edit_lines import mark_of, put_question, read_lines
from evenhand.formats.gold.gold_set import is_holdout
from evenhand.web.server.app_state import Refused, house, visitor

if TYPE_CHECKING:
    from starlette.requests import Request

    from evenhand.model.gold import GoldSet, Question
    from evenhand.model.judging import Access
    from evenhand.model.text import Corpus, Document

__all__ = ["Library", "Opened", "desk_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The gold set as it was when it had this mark; ``bare``: ids whose quotes could not be placed."""

    gold: GoldSet
    bare: frozenset[str]
    mark: str

    def question(self, name: str) -> Question:
        """A question by its id."""
        if name not in self.gold.position:
            raise Refused(404, "there is no such question", mend="go to the list of questions")
        question: Question = self.gold[name]
        return question


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """Documents and the dev questions about them; a holdout is refused before anything is read."""

    corpus: Corpus
    gold: Path
    lock: threading.RLock = field(default_factory=threading.RLock, compare=False, repr=False)

    def __post_init__(self) -> None:
        if is_holdout(self.gold):
            raise InputError(
                f"{self.gold.name} is a holdout, which is not shown", mend="name gold.jsonl with --gold"
            )

    def open(self) -> Opened:
        """Read the file as it is now."""
        with self.lock:
            # the mark first: a file that changes between the two is refused at the next save
            mark = mark_of(self.gold)
            try:
                gold, bare = read_lines(self.gold, self.corpus)
            except InputError as error:
                raise Refused(409, error.what, mend=error.mend) from error
        return Opened(gold=gold, bare=bare, mark=mark)

    def put(self, question: Question, *, mark: str) -> str:
        """Write one line; refused when the file is no longer the one with this mark."""
        with self.lock:
            try:
                return put_question(self.gold, question, mark=mark)
            except InputError as error:
                raise Refused(409, error.what, mend=error.mend) from error

    def document(self, name: str) -> Document:
        """A document by its id."""
        at = self.corpus.position.get(name)  # type: ignore[call-overload]
        if at is None:
            raise Refused(404, "there is no such document", mend="go to the list of documents")
        found: Document = self.corpus.documents[at]
        return found


def desk_of(request: Request) -> tuple[Access, Library]:
    """The owner who is asking, and the library; nobody else comes in."""
    access = visitor(request, "owner")
    library = house(request).library
    if library is None:
        raise Refused(
            404,
            "there are no documents to write about",
            mend="serve a study, or name them with --corpus and the questions with --gold",
        )
    return access, library
