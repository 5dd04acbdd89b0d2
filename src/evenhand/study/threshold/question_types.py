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
from evenhand.study.steps.model_costs import Spent

if TYPE_CHECKING:
    from evenhand.judge.panel.prompt_spec import Brief
    from evenhand.llm.scheduling.caller import Caller
    from evenhand.model.call import Call, Request
    from evenhand.model.gold import GoldSet
    from evenhand.model.plan.study import Plan
    from evenhand.protocols import Chat

__all__ = ["NO_TYPE", "Typist", "given_types", "need_types", "typist_of"]

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
    kept: QuestionTypes | None = None  # of an earlier pass: what it typed stands, the rest is asked again
    repeat: int = 0
    spent: Spent = field(default_factory=Spent)

    @property
    def chats(self) -> dict[str, Chat]:
        """The model by the name it is asked by."""
        return {NAME: self.chat}

    def requests(self) -> Iterator[tuple[str, Request]]:
        """One for each question: it sees the question alone."""
        from dataclasses import replace

        from evenhand.judge.panel.prompt import MAX_TOKENS, request
        from evenhand.llm.providers.families import limit_of

        most = limit_of(self.chat, MAX_TOKENS)
        for name, words in self.questions.items():
            if self.kept is not None and name in self.kept.types:
                continue
            asked = request(self.brief, _shown(name, words), max_tokens=most, repeat=self.repeat)
            yield NAME, replace(asked, task=name)

    def ask(self, caller: Caller) -> QuestionTypes:
        """Ask all; what gave no type is kept with the reason."""
        from evenhand.judge.panel.prompt import prompt_seal

        types: dict[str, str] = dict(self.kept.types) if self.kept is not None else {}
        lost: dict[str, str] = {}
        for call in caller.ask(self.requests(), total=len(self.questions) - len(types)):
            self.spent.count(call)
            found = self._read(call)
            (types if found[0] else lost)[call.task] = found[0] or found[1]
        return QuestionTypes(
            types=types,
            untyped=lost,
            repeat=self.repeat,
            by="model",
            model=self.model,
            model_seal=self.chat.seal,
            family=self.chat.family,
            prompt=prompt_seal(self.brief),
            sheet=self.brief.sheet.seal,
            asked=seal(list(self.questions.items())),
        )

    def _read(self, call: Call) -> tuple[str, str]:
        from evenhand.judge.panel.parse_reply import vote

        words = self.questions[call.task]
        made = vote(call, self.brief, _shown(call.task, words), judge=NAME)
        if made.grade is None:
            return "", made.why or made.outcome
        return self.brief.sheet.level(made.grade).label, ""


def _shown(question: str, words: str) -> Shown:
    return Shown(question=question, ask=words, text="", doc="", start=0, end=0, text_sha256="")


def typist_of(plan: Plan, folder: Path, gold: GoldSet, *, anew: bool = False) -> Typist:
    """The model of ``[threshold.typing]``, not opened yet. What an earlier pass left is asked again.

    *anew*: all are. Raises InputError where there is no model, where all have a type, and where votes are
    there already: types are sealed before any judging.
    """
    from evenhand.formats.gold.question_types import read_types
    from evenhand.judge.panel.prompt_spec import Brief, brief_of
    from evenhand.judge.sheets.questions import TYPES, TYPING, typing_sheet
    from evenhand.llm.providers.factory import chat_of
    from evenhand.study.panel.ask import of_section
    from evenhand.study.threshold.arms import planned

    asked = planned(plan)
    if asked.typist is None:
        raise InputError(
            "[threshold] no model types the questions: their types are those of the gold set",
            mend='add [threshold.typing] with model = "provider:name"',
        )
    votes = folder / (plan.panel.votes if plan.panel is not None else "votes.jsonl")
    file = folder / asked.typed
    before = read_types(file) if file.is_file() else None
    words = {str(one.id): one.text for one in gold.answerable()}
    now = (seal(list(words.items())), asked.typist.model)
    same = before is not None and (before.asked, before.model) == now
    if before is not None and same and not anew and not before.untyped:
        raise InputError(
            f"{file.name} holds the types already",
            mend="--anew asks once more, as long as nothing is judged",
        )
    if votes.is_file() and votes.stat().st_size:
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
        questions=words,
        file=file,
        settings=settings,
        kept=before if same and not anew else None,
        # a recording gives what it holds, however often
        repeat=before.repeat + 1 if before is not None and not now[1].startswith("recorded:") else 0,
    )


def need_types(plan: Plan, folder: Path) -> None:
    """Raise InputError where a model is to type the questions and any of them has no type yet."""
    from evenhand.formats.gold.question_types import read_types

    asked = plan.threshold
    if asked is None or asked.typist is None:
        return
    file = folder / asked.typed
    found = read_types(file) if file.is_file() else None
    if found is None or found.untyped or not found.types:
        n = f"{len(found.types)} of {len(found.types) + len(found.untyped)}" if found is not None else "none"
        raise InputError(
            f"[threshold.typing] {n} of the questions have a type, and a registration seals all of them",
            mend=COMMAND,
        )


def given_types(plan: Plan, folder: Path, gold: GoldSet) -> QuestionTypes:
    """The types that a study goes by: those of its file where a model gives them, else of the gold set.

    Raises InputError where the model was not asked yet, or the questions were other ones.
    """
    from evenhand.formats.gold.question_types import read_types
    from evenhand.study.threshold.arms import planned

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
    lacks = [name for name in words if name not in found.types]
    if lacks and gold.split == "dev":
        raise InputError(
            f"[threshold.typing] {len(lacks)} of {len(words)} questions have no type, and types come before "
            f"any judging: {', '.join(lacks[:5])}",
            mend=COMMAND,
        )
    if gold.split == "dev" and found.asked != seal(list(words.items())):
        raise InputError(
            f"[threshold.typing] {file.name} is of other questions, or of other words",
            mend=f"put the questions back as they were; or, before anything is judged, {COMMAND} --anew",
        )
    return found
