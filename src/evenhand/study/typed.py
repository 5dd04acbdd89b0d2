"""The typing pass: one model gives each question its type, before anything is judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.model.label import Shown
from evenhand.model.question_types import QuestionTypes
from evenhand.model.seal import seal
from evenhand.study.spent import Spent

if TYPE_CHECKING:
    from evenhand.judge.brief import Brief
    from evenhand.llm.caller import Caller
    from evenhand.model.call import Call, Request
    from evenhand.model.gold import GoldSet
    from evenhand.model.study import Plan
    from evenhand.protocols import Chat

__all__ = ["NO_TYPE", "Typist", "given_types", "typist_of"]

NO_TYPE = "none"
COMMAND = "evenhand gold type STUDY.toml"
NAME = "typist"


@dataclass(frozen=True, kw_only=True)
class Typist:
    """A study's model for types, bound to its questions (words by id)."""

    brief: Brief
    chat: Chat
    model: str
    questions: Mapping[str, str]
    file: Path
    settings: Mapping[str, Any]
    spent: Spent = field(default_factory=Spent)

    @property
    def chats(self) -> dict[str, Chat]:
        """The model by the name it is asked by."""
        return {NAME: self.chat}

    def requests(self) -> Iterator[tuple[str, Request]]:
        """One for each question: it sees the question alone."""
        from dataclasses import replace

        from evenhand.judge.ask import MAX_TOKENS, request
        from evenhand.llm.families import limit_of

        for name, words in self.questions.items():
            asked = request(self.brief, _shown(name, words), max_tokens=limit_of(self.chat, MAX_TOKENS))
            yield NAME, replace(asked, task=name)

    def ask(self, caller: Caller) -> QuestionTypes:
        """Ask all; what gave no type is kept with the reason."""
        from evenhand.judge.ask import prompt_seal

        types: dict[str, str] = {}
        lost: dict[str, str] = {}
        for call in caller.ask(self.requests(), total=len(self.questions)):
            self.spent.count(call)
            found = self._read(call)
            (types if found[0] else lost)[call.task] = found[0] or found[1]
        return QuestionTypes(
            types=types,
            untyped=lost,
            by="model",
            model=self.model,
            model_seal=self.chat.seal,
            family=self.chat.family,
            prompt=prompt_seal(self.brief),
            sheet=self.brief.sheet.seal,
            asked=seal(list(self.questions.items())),
        )

    def _read(self, call: Call) -> tuple[str, str]:
        from evenhand.judge.reply import vote

        words = self.questions[call.task]
        made = vote(call, self.brief, _shown(call.task, words), judge=NAME)
        if made.grade is None:
            return "", made.why or made.outcome
        return self.brief.sheet.level(made.grade).label, ""


def _shown(question: str, words: str) -> Shown:
    return Shown(question=question, ask=words, text="", doc="", start=0, end=0, text_sha256="")


def typist_of(plan: Plan, folder: Path, gold: GoldSet, *, anew: bool = False) -> Typist:
    """The model of ``[threshold.typing]``, not opened yet; *anew*: its types are to be replaced.

    Raises InputError where there is none, and where votes are there already: types are sealed before any
    judging.
    """
    from evenhand.judge.brief import Brief, brief_of
    from evenhand.judge.sheets_questions import TYPES, TYPING, typing_sheet
    from evenhand.llm.models import chat_of
    from evenhand.study.panelled import of_section
    from evenhand.study.threshold_arms import planned

    asked = planned(plan)
    if asked.typist is None:
        raise InputError(
            "[threshold] no model types the questions: their types are those of the gold set",
            mend='add [threshold.typing] with model = "provider:name"',
        )
    votes = folder / (plan.panel.votes if plan.panel is not None else "votes.jsonl")
    there = (folder / asked.typed).is_file()
    if votes.is_file() and votes.stat().st_size and (anew or not there):
        raise InputError(
            f"{votes.name} holds votes already, and types are given before anything is judged",
            mend="give types by hand in the gold set, and say so; or begin the study anew",
        )
    sheet = TYPING
    if asked.types and asked.types != tuple(TYPES):
        sheet = typing_sheet({name: TYPES.get(name, name) for name in asked.types})
    settings = dict(asked.typist.settings)
    settings |= {"family": asked.typist.family} if asked.typist.family else {}
    try:
        chat = chat_of(asked.typist.model, settings, name=NAME, folder=folder)
        _ = chat.seal, chat.family  # a recording is read now
    except InputError as error:
        raise of_section(error, "threshold.typing", NAME) from error
    known = brief_of(sheet)
    brief = known if not known.text else Brief(sheet=sheet, text=False, decide="plurality")
    return Typist(
        brief=brief,
        model=asked.typist.model,
        chat=chat,
        questions={str(one.id): one.text for one in gold.answerable()},
        file=folder / asked.typed,
        settings=settings,
    )


def given_types(plan: Plan, folder: Path, gold: GoldSet) -> QuestionTypes:
    """The types that a study goes by: those of its file where a model gives them, else of the gold set.

    Raises InputError where the model was not asked yet, or the questions were other ones.
    """
    from evenhand.formats.question_types import read_types
    from evenhand.study.threshold_arms import planned

    asked = planned(plan)
    if asked.typist is None:
        return QuestionTypes(types={str(one.id): one.type for one in gold if one.type})
    file = folder / asked.typed
    if not file.is_file():
        raise InputError(
            "[threshold.typing] the questions have no types yet, and types come before any judging",
            mend=COMMAND,
        )
    found = read_types(file)
    words = {str(one.id): one.text for one in gold.answerable()}
    if gold.split == "dev" and found.asked != seal(list(words.items())):
        raise InputError(
            f"[threshold.typing] {file.name} is of other questions, or of other words",
            mend=f"put the questions back as they were; or, before anything is judged, {COMMAND} --anew",
        )
    return found
