"""A study's panel at work: who is asked what, votes as they arrive, what is still missing."""

from __future__ import annotations

import shlex
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.formats.study_file.panel import LIMIT
from evenhand.judge.panel.majority import Decision, decisions
from evenhand.judge.panel.parse_reply import vote
from evenhand.judge.panel.prompt import MAX_TOKENS, prompt_seal, request
from evenhand.judge.panel.prompt_spec import PROMPTS, Brief, brief_of
from evenhand.judge.panel.valid_votes import Standing, standing
from evenhand.llm.providers.families import another, differs, limit_of
from evenhand.model.label import Shown
from evenhand.store.calls.journal import call_key
from evenhand.study.panel.text import ANOTHER, REPLIED, WITHOUT
from evenhand.study.steps.model_costs import Spent

if TYPE_CHECKING:
    from evenhand.llm.scheduling.caller import Caller
    from evenhand.model.call import Call, Request
    from evenhand.model.plan.sections import JudgePlan, PanelPlan
    from evenhand.model.plan.study import Plan
    from evenhand.model.vote import Vote
    from evenhand.protocols import Chat
    from evenhand.study.panel.items import PanelItems

__all__ = [
    "LOCAL",
    "Bench",
    "Spent",
    "bench_of",
    "chats_of",
    "is_local",
    "local_files",
    "of_chat",
    "of_section",
    "readied",
    "versioned",
]

LOCAL = ("recorded", "command")  # doors to judges that cost nothing: a study run asks them itself
NAMELESS = ("recorded", "command", "python", "azure")  # what stands behind the door is no name of a model
GROUP, SECONDS = 64, 1.0  # votes are written in groups of so many, or after so long
STAGE = "judge"


def is_local(model: str) -> bool:
    """Whether asking this model sends nothing anywhere and costs nothing."""
    return model.partition(":")[0] in LOCAL


def of_chat(model: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Of a judge's *settings* those that are its model's: all, of an object of the user's."""
    own = model.partition(":")[0] == "python"
    return {key: value for key, value in settings.items() if own or key != LIMIT}


def local_files(panel: PanelPlan) -> list[str]:
    """Files beside the study that its judges are: recordings, and the words of commands that may name one."""
    found: list[str] = []
    for judge in panel.judges:
        door, _, rest = judge.model.partition(":")
        if door == "recorded":
            found.append(rest)
        elif door == "command":
            try:
                words = shlex.split(rest)
            except ValueError:  # an open quotation mark: told where the judge is made
                continue
            found += [word for word in words if not Path(word).is_absolute()]
    return found


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A panel bound to its models: *chats* by judge, in the order of the plan; ``file`` holds its votes."""

    plan: PanelPlan
    brief: Brief
    chats: Mapping[str, Chat]
    file: Path
    spent: dict[str, Spent] = field(default_factory=dict)
    unasked: Counter[str] = field(default_factory=Counter)  # calls that were not made, by why
    whys: dict[str, str] = field(default_factory=dict)  # the same reasons with their figures

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.chats)

    @cached_property
    def families(self) -> dict[str, str]:
        """Whose model each judge is, as far as it is known."""
        return {name: chat.family for name, chat in self.chats.items()}

    @cached_property
    def models(self) -> dict[str, str]:
        """The seal of each judge's model."""
        return {name: chat.seal for name, chat in self.chats.items()}

    @cached_property
    def prompt(self) -> str:
        """The version of what is asked."""
        return prompt_seal(self.brief)

    @property
    def local(self) -> bool:
        """Whether all judges are recordings or programs here."""
        return all(is_local(judge.model) for judge in self.plan.judges)

    def failures(self, faults: Iterable[Vote]) -> list[dict[str, Any]]:
        """What is said of each judge whose calls failed."""
        from evenhand.llm.scheduling.failure_summary import failures

        whys: dict[str, list[str]] = {}
        for one in faults:
            whys.setdefault(one.judge, []).append(one.why)
        return [one.to_json() for one in failures(whys, self.chats)]

    def kept(self) -> list[Vote]:
        """All votes of the file."""
        from evenhand.formats.labels.votes import read_votes

        return read_votes(self.file, sheets=[self.brief.sheet]) if self.file.exists() else []

    def standing(self, votes: Iterable[Vote]) -> Standing:
        """Those that count: under this sheet and prompt, of these models."""
        return standing(
            votes,
            sheet=self.brief.sheet.seal,
            prompt=self.prompt,
            judges=self.judges,
            models=self.models,
        )

    def decisions(self, votes: Sequence[Vote], items: PanelItems) -> list[Decision]:
        """The decisions on these items, one for each; an item without any vote is undecided."""
        there = {shown.item for shown in items.shown}
        mine = [one for one in votes if one.item in there]
        return decisions(mine, self.brief, judges=self.judges, shown=items.shown)

    def limit(self, judge: str = "") -> int:
        """The tokens a reply of *judge* may have: its own limit, the panel's, or what such a model needs."""
        own = next((one.settings.get(LIMIT) for one in self.plan.judges if one.name == judge), None)
        set_ = own or self.plan.settings.get(LIMIT)
        return int(set_) if set_ else limit_of(self.chats.get(judge), MAX_TOKENS)

    def request(self, shown: Shown, items: PanelItems, *, repeat: int = 0, judge: str = "") -> Request:
        """What is asked about one item; only the limit of tokens is *judge*'s own."""
        made = request(
            self.brief,
            shown,
            length=items.lengths.get(shown.doc),
            repeat=repeat,
            max_tokens=self.limit(judge),
            seed=self.plan.settings.get("seed"),
        )
        return replace(made, task=task_of(shown, repeat))

    def waiting(
        self, items: PanelItems, votes: Iterable[Vote], *, repeats: int, retry: bool = False
    ) -> list[tuple[str, Shown, int]]:
        """(judge, item, repeat) without a vote, in the order of items; with *retry* also those that failed.

        A reply that was cut off at another limit than the one now set is none. Judges take turns on an item,
        so that whatever ends early has whole items rather than whole judges.
        """
        there = {shown.item: shown for shown in items.shown}

        def stale(one: Vote) -> bool:
            if one.outcome != "cut-off" or not one.call or one.item not in there:
                return retry and one.outcome == "fault"
            asked = self.request(there[one.item], items, repeat=one.repeat, judge=one.judge)
            return one.call != call_key(self.models[one.judge], asked.seal)

        have = {(one.judge, one.item, one.repeat) for one in self.standing(votes).votes if not stale(one)}
        return [
            (judge, shown, repeat)
            for repeat in range(repeats)
            for shown in items.shown
            for judge in self.judges
            if (judge, shown.item, repeat) not in have
        ]

    def requests(
        self, items: PanelItems, waiting: Sequence[tuple[str, Shown, int]]
    ) -> Iterator[tuple[str, Request]]:
        """The pairs that a caller takes."""
        last: tuple[Shown, int] | None = None
        made: dict[int, Request] = {}  # by limit: one for all judges that share it
        limits = {judge: self.limit(judge) for judge in self.judges}
        for judge, shown, repeat in waiting:
            if last != (shown, repeat):
                made, last = {}, (shown, repeat)
            if limits[judge] not in made:
                made[limits[judge]] = self.request(shown, items, repeat=repeat, judge=judge)
            yield judge, made[limits[judge]]

    def vote(self, call: Call, items: Mapping[str, Shown]) -> Vote | None:
        """The vote that a call brought; None for one that was never made, or is about no item of these."""
        item, _, repeat = call.task.partition("/")
        if item not in items or (call.outcome == "fault" and not call.tries):
            return None
        judge = next(name for name, seal in self.models.items() if seal == call.model)
        made = vote(
            call,
            self.brief,
            items[item],
            judge=judge,
            prompt=self.prompt,
            family=self.families[judge],
            repeat=int(repeat or 0),
        )
        replied = call.reply.model if call.reply is not None else ""
        more: dict[str, Any] = {REPLIED: replied} if replied else {}
        if differs(self.families[judge], replied) or another(self._asked(judge), replied):
            more[ANOTHER] = replied
        if call.reply is not None and call.reply.without:
            more[WITHOUT] = list(call.reply.without)
        return replace(made, told={**made.told, **more}) if more else made

    def _asked(self, judge: str) -> str:
        """The name of the judge's model; empty where it has none (recordings, programs, Python)."""
        model = next(one.model for one in self.plan.judges if one.name == judge)
        door, _, name = model.partition(":")
        return "" if door in NAMELESS else name or door

    def ask(
        self, items: PanelItems, waiting: Sequence[tuple[str, Shown, int]], caller: Caller
    ) -> Iterator[Vote]:
        """Ask, and give each vote when it is there; they are written in small groups, the last at the end."""
        by_item = {shown.item: shown for shown in items.shown}
        held: list[Vote] = []
        since = time.monotonic()
        try:
            for call in caller.ask(self.requests(items, waiting), total=len(waiting)):
                made = self.take(call, by_item)
                if made is not None:
                    held.append(made)
                    yield made
                if len(held) >= GROUP or (held and time.monotonic() - since > SECONDS):
                    self._write(held)
                    held, since = [], time.monotonic()
        finally:
            self._write(held)
            self.whys.update(caller.whys)

    def record(self, calls: Iterable[Call], items: PanelItems) -> int:
        """Write the votes of calls that came in another way, out of a batch; how many there were."""
        by_item = {shown.item: shown for shown in items.shown}
        votes = [made for call in calls if (made := self.take(call, by_item)) is not None]
        self._write(votes)
        return len(votes)

    def take(self, call: Call, by_item: Mapping[str, Shown]) -> Vote | None:
        """The vote of a call, its cost counted."""
        judge = next(name for name, seal in self.models.items() if seal == call.model)
        self.spent.setdefault(judge, Spent()).count(call)
        if call.outcome == "fault" and not call.tries:
            self.unasked[call.why] += 1
        return self.vote(call, by_item)

    def _write(self, votes: Sequence[Vote]) -> None:
        from evenhand.formats.labels.votes import append_votes

        append_votes(self.file, votes)

    def tidy(self) -> list[Vote]:
        """Write the file anew in its stable order, whatever order the votes came in; gives all of them."""
        from evenhand.formats.labels.sort_votes import tidy_votes

        return tidy_votes(self.file)


def task_of(shown: Shown, repeat: int) -> str:
    """The name of a call: the item, and which repeat."""
    return f"{shown.item}/{repeat}" if repeat else shown.item


def bench_of(plan: Plan, folder: Path) -> Bench:
    """The panel of a plan with its models, none of which is opened yet."""
    from evenhand.formats.study_file.panel import sheet_of

    panel = plan.panel
    if panel is None:
        raise InputError("the study has no [panel]", mend="add [panel.judge.NAME], once for each judge")
    return Bench(
        plan=panel,
        brief=versioned(brief_of(sheet_of(panel.sheet, folder)), panel.settings, folder / panel.votes),
        chats=chats_of(panel.judges, folder),
        file=folder / panel.votes,
    )


def versioned(brief: Brief, settings: Mapping[str, Any], votes: Path) -> Brief:
    """*brief* under the prompt that the plan names, else that of its votes or registration, else the newest.

    What was registered, and what was voted on, keeps the wording that it was given.
    """
    if named := settings.get("prompt"):
        return replace(brief, prompt=named)
    found = [replace(brief, prompt=name) for name in reversed(PROMPTS)]
    for file in (votes, *sorted(votes.parent.glob("*registration*.json"))):
        if file.is_file():
            text = file.read_bytes()
            for one in found:
                if prompt_seal(one).encode() in text:
                    return one
    return found[0]


def of_section(error: InputError, section: str, name: str) -> InputError:
    """An error about the model that is called *name*, as one about the section that says who it is."""
    return InputError(f"[{section}] {error.what.removeprefix(f'{name}: ')}", mend=error.mend)


def readied(chats: Iterable[Any], section: str) -> None:
    """`ready` for each of *chats*; what is missing is told of its *section*, ``panel.judge.{}`` by name."""
    from evenhand.llm.providers.factory import ready

    for chat in chats:
        try:
            ready(chat)
        except InputError as error:
            raise of_section(error, section.format(chat.name), chat.name) from error


def chats_of(judges: Iterable[JudgePlan], folder: Path, *, section: str = "panel") -> dict[str, Chat]:
    """The models of judges by name, none opened yet; no two may be the very same."""
    from evenhand.llm.providers.factory import chat_of

    chats: dict[str, Any] = {}
    for judge in judges:
        settings = of_chat(judge.model, judge.settings) | ({"family": judge.family} if judge.family else {})
        try:
            made = chat_of(judge.model, settings, name=judge.name, folder=folder)
            _ = made.seal, made.family  # a recording is read now
        except InputError as error:
            raise of_section(error, f"{section}.judge.{judge.name}", judge.name) from error
        chats[judge.name] = made
    seen: dict[str, str] = {}
    for name, chat in chats.items():
        if (twin := seen.setdefault(chat.seal, name)) != name:
            raise InputError(
                f"[{section}.judge.{name}] is the very same model as {twin}: it would vote twice",
                mend="name another model; `repeats` asks one again",
            )
    return chats
