"""Batches: many requests handed in at once, answered within a day, at half the price.

What was handed in stands in the journal before it is sent and again when the provider has named it, so that
a process that is killed at any moment submits nothing twice. Requests lie beside the journal until their
batch is collected; its replies become calls like all others.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, Unreachable, nearest
from evenhand.llm.batch.budget import SHARE, Fitting, bound, fitting
from evenhand.llm.batch.files import Taken, new_file, read_output, write_rows
from evenhand.llm.batch.providers import Progressed, Result, unsure, wire_of
from evenhand.llm.batch.state import GIVEN_UP, OPEN, Batch, all_batches, call_of, keep
from evenhand.model.call import Call, Request
from evenhand.model.seal import seal
from evenhand.protocols import Progress, quiet
from evenhand.store.calls.journal import call_key
from evenhand.store.calls.pending_batches import Asked, read_asked, write_asked
from evenhand.store.calls.record import Recorded
from evenhand.store.clock import now

if TYPE_CHECKING:
    from evenhand.protocols import Chat
    from evenhand.store.calls.journal import Calls

__all__ = ["Batch", "Batches", "Fitting", "Taken"]

_KEY = re.compile(r"[0-9a-f]{64}")  # of a call; a custom id of somebody else's may be anything
LARGEST = 190_000_000  # bytes of one batch's requests: OpenAI takes a file of 200 MB, Anthropic more
MOST = 10_000  # requests of one batch: providers take more, a reply of results has to fit in memory


class Batches:
    """Submit, poll and collect batches of *chats* by name; all that is known of them is in *journal*."""

    def __init__(self, chats: Mapping[str, Chat], journal: Calls, *, progress: Progress = quiet) -> None:
        self.chats = dict(chats)
        self.journal = journal
        self.progress = progress

    def all(self) -> list[Batch]:
        """Every batch that was ever begun, in the order in which they were."""
        return all_batches(self.journal)

    def submit(self, requests: Iterable[tuple[str, Request]]) -> list[Batch]:
        """Hand in what is neither in the journal nor in a batch under way; the batches that were made.

        A batch of which it is not known whether it arrived is looked for at the provider first.
        """
        with self._alone():
            self._settle()
            made: list[Batch] = []
            for name, asked in _by_name(self._wanted(requests)).items():
                made += [self._send(name, part) for part in _parts(self.chats[name], asked)]
            return made

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While batches are handed in or looked for: one that is being sent must not be taken for lost."""
        key = seal(["batches/1"])
        if self.journal.claim(key) == "theirs":
            raise InputError(
                f"another process is handing in batches of {self.journal.root}",
                mend="wait until it has ended, then do it again: what it handed in is not handed in twice",
            )
        try:
            yield
        finally:
            self.journal.release(key)

    def fitting(self, requests: Iterable[tuple[str, Request]], budget: float) -> Fitting:
        """Those of *requests* that may be handed in for *budget* dollars, with all that is under way.

        A batch handed in before counts with the most it may come to until it is collected.
        """
        handed = [
            bound(self.chats[one.chat], request) or 0.0
            for one in self.all()
            if one.state in ("sending", "sent") and one.chat in self.chats
            for request in self._asked(one).values()
        ]
        wanted = [(name, one.request) for name, one in self._wanted(requests)]
        return fitting(wanted, self.chats, budget, under_way=sum(handed))

    def emit(self, requests: Iterable[tuple[str, Request]], to: Path) -> Batch | None:
        """Write what would be handed in to a file in OpenAI's batch form; None when there is nothing to ask.

        Offline runners (``vllm run-batch``) read it; give what they write to `collect_file`. Requests count
        as emitted once the whole file is there, and not before.
        """
        new_file(to)
        with self._alone():
            return self._emitted(requests, to)

    def _emitted(self, requests: Iterable[tuple[str, Request]], to: Path) -> Batch | None:
        wanted = _by_name(self._wanted(requests))
        if len(wanted) > 1:
            raise InputError(
                f"a batch file is for one model, not for {', '.join(sorted(wanted))}",
                mend="write a file for each",
            )
        for name, asked in wanted.items():
            chat: Any = self.chats[name]
            if not hasattr(chat, "written") or chat.sdk != "openai":
                raise InputError(
                    f"{name} is not asked in OpenAI's form", mend="use vllm:MODEL, or openai-compatible:MODEL"
                )
            rows = (
                {
                    "custom_id": one.key,
                    "method": "POST",
                    "url": f"/v1{chat.path}",
                    "body": chat.written(one.request),
                }
                for one in asked
            )
            write_rows(to, rows)
            try:
                return self._begin(name, asked, "emitted", file=self._from_here(to))
            except BaseException:
                to.unlink(missing_ok=True)  # what is not marked would be emitted a second time
                raise
        return None

    def poll(self) -> list[Batch]:
        """The batches under way, as their providers tell; what was in a lost one may be sent anew."""
        with self._alone():
            self._settle()
        told = []
        for one in self.all():
            if one.state == "sent" and one.chat in self.chats:
                seen = wire_of(self.chats[one.chat]).look(one.id)
                told.append(self._seen(one, seen))
                self.progress(f"batch {one.chat}", seen.done, one.n, one.id)
            elif one.state in OPEN:
                told.append(one)
        return told

    def collect(self) -> Iterator[Call]:
        """Fetch the results of every batch that has ended, write them into the journal and give them."""
        for one in self.poll():
            if one.state == "sent" and one.ended:
                yield from self._collected(one, wire_of(self.chats[one.chat]).results(one.id))

    def collect_file(self, output: Path) -> Taken:
        """The same for what a runner made of an emitted file: the whole of it or a part, once or again.

        Lines that are no results and results of nothing that was emitted here are told; they cost no other.
        """
        found = read_output(output)
        waiting = {key: one for one in self.all() if self._offline(one) for key in self._asked(one)}
        mine: dict[str, list[Result]] = {}
        calls: list[Call] = []
        unknown: list[str] = []
        for key, result in found.results.items():
            if key in waiting:
                mine.setdefault(waiting[key].key, []).append(result)
            elif (call := self._again(result)) is not None:
                calls.append(call)
            else:
                unknown.append(key)
        changed: list[str] = []
        emitted = {one.key: one for one in waiting.values()}
        for name, told in mine.items():
            try:
                calls += self._collected(emitted[name], iter(told), share=1.0, part=True)
            except InputError as error:
                changed.append(f"{error.what}; {error.mend}")
        self.journal.sync()
        return Taken(
            calls=tuple(calls),
            unknown=tuple(unknown),
            changed=tuple(changed),
            broken=found.broken,
            torn=found.torn,
        )

    def give_up(self, batch: Batch) -> Batch:
        """Wait for a batch no longer: its requests may be asked otherwise. What it costs is not got back."""
        return keep(self.journal, replace(batch, state="lost", why=GIVEN_UP))

    def waiting(self) -> dict[str, Batch]:
        """The key of every request that lies in a batch under way, with its batch."""
        return {key: one for one in self.all() if one.state in OPEN for key in self._asked(one)}

    def lies(self, batch: Batch) -> bool:
        """Whether the file of an emitted batch is where it was written."""
        return bool(batch.file) and (self.journal.root.parent / batch.file).exists()

    # one batch

    def _wanted(self, requests: Iterable[tuple[str, Request]]) -> list[tuple[str, Asked]]:
        """Those that are neither in the journal nor in a batch under way, each once, in their order."""
        waiting = set(self.waiting())
        wanted: list[tuple[str, Asked]] = []
        for name, request in requests:
            if name not in self.chats:
                raise InputError(f"a model named {name!r} is asked", mend=nearest(name, self.chats))
            key = call_key(self.chats[name].seal, request.seal)
            if key not in waiting and self.journal.state(key) != "stands":
                waiting.add(key)
                wanted.append((name, Asked(key=key, request=request)))
        return wanted

    def _begin(self, name: str, asked: list[Asked], state: str, *, file: str = "") -> Batch:
        at = now()
        key = seal(["batch/1", self.chats[name].seal, [one.key for one in asked], at])[:32]
        write_asked(self._file(key), asked)
        return keep(
            self.journal,
            Batch(
                key=key,
                chat=name,
                model=self.chats[name].seal,
                state=state,
                n=len(asked),
                at=at,
                file=file,
            ),
        )

    def _send(self, name: str, asked: list[Asked]) -> Batch:
        chat: Any = self.chats[name]
        wire = wire_of(chat)
        lines = [(one.key, chat.written(one.request)) for one in asked]
        batch = self._begin(name, asked, "sending")
        try:
            given = wire.send(lines, batch.key)
        except Unreachable as error:
            if not unsure(error):
                keep(self.journal, replace(batch, state="lost", why=error.why))
            raise
        return keep(self.journal, replace(batch, state="sent", id=given))

    def _settle(self) -> None:
        """Batches that were being sent when a process ended: found at the provider, or set free."""
        known = {one.id for one in self.all() if one.id}
        for one in self.all():
            if one.state != "sending" or one.chat not in self.chats:
                continue
            found = wire_of(self.chats[one.chat]).find(one.key, one.n, one.at, known)
            if found:
                known.add(found)
                keep(self.journal, replace(one, state="sent", id=found))
            else:
                keep(self.journal, replace(one, state="lost", why="it never arrived"))

    def _seen(self, one: Batch, seen: Progressed) -> Batch:
        if seen.lost:
            return keep(self.journal, replace(one, state="lost", done=seen.done, why=seen.lost))
        return replace(one, done=seen.done, ended=seen.ended)

    def _collected(
        self, one: Batch, results: Iterator[Result], *, share: float = SHARE, part: bool = False
    ) -> Iterator[Call]:
        """Take in results of a batch; *part*: others may still come, and what has none goes on waiting."""
        if one.chat not in self.chats or self.chats[one.chat].seal != one.model:
            raise InputError(
                f"the batch {one.id or one.key} was made for another model or other settings of {one.chat}",
                mend=f"collect it with the study as it was on {one.at[:10]}, or wait for it no longer: "
                f"evenhand judge panel STUDY.toml --give-up-batch {one.chat}",
            )
        asked, chat = self._asked(one), self.chats[one.chat]
        calls = []
        for result in results:
            if result.key not in asked:
                keep(self.journal, replace(one, state="lost", why="its results are of another batch"))
                raise InputError(
                    f"the results of batch {one.id} are not those of what was handed in",
                    mend="submit again: only what is missing is sent",
                )
            calls.append(self._taken(one.chat, chat, asked[result.key], result, share))
        self.journal.sync()
        had = {call.key for call in calls}
        rest = [Asked(key=key, request=request) for key, request in asked.items() if key not in had]
        if part and rest:
            # in this order: a file that still holds what is done does no harm
            keep(self.journal, replace(one, done=one.n - len(rest)))
            write_asked(self._file(one.key), rest)
        else:
            keep(self.journal, replace(one, state="collected", done=one.n - len(rest), ended=True))
            self._file(one.key).unlink(missing_ok=True)
        yield from calls

    def _taken(self, name: str, chat: Chat, request: Request, result: Result, share: float) -> Call:
        """The call of a result, now in the journal; or the one that stands in it."""
        if self.journal.state(result.key) == "stands":
            held = self.journal.get(result.key)
            if held is not None:
                return held.told(request.task)
        call = call_of(chat, request, result, share)
        self.journal.add(Recorded(call=call, request=request, chat=name, at=now()))
        return call

    def _again(self, result: Result) -> Call | None:
        """The call of a result taken in before, or of a reply to what had failed; None: of neither."""
        held = self.journal.get(result.key) if _KEY.fullmatch(result.key) else None
        if held is None:
            return None
        name = next((name for name, chat in self.chats.items() if chat.seal == held.call.model), "")
        if held.call.outcome != "fault" or result.body is None or not name:
            return held.told(held.call.task)
        return self._taken(name, self.chats[name], held.request, result, 1.0)

    def _offline(self, one: Batch) -> bool:
        """Whether results of a batch may come in a file: it was emitted, also one that was given up since."""
        if one.state == "emitted":
            return True
        return one.state == "lost" and one.why == GIVEN_UP and not one.id and self._file(one.key).exists()

    def _from_here(self, path: Path) -> str:
        """A path as seen from the study, so that a folder that is moved takes it along."""
        try:
            return Path(os.path.relpath(path, self.journal.root.parent)).as_posix()
        except ValueError:  # on another drive
            return path.resolve().as_posix()

    def _file(self, key: str) -> Path:
        return self.journal.file.path.parent / f"batch-{key}.jsonl"

    def _asked(self, one: Batch) -> dict[str, Request]:
        done = one.done if one.file else 0  # only of what was emitted a part is taken out
        return {each.key: each.request for each in read_asked(self._file(one.key), one.n, done)}


def _parts(chat: Any, asked: list[Asked]) -> Iterator[list[Asked]]:
    """The requests in batches that a provider takes, by their number and their bytes."""
    part: list[Asked] = []
    size = 0
    for one in asked:
        written = chat.written(one.request) if hasattr(chat, "written") else {}
        more = len(json.dumps(written)) + 300  # the line around it
        if part and (len(part) >= MOST or size + more > LARGEST):
            yield part
            part, size = [], 0
        part.append(one)
        size += more
    if part:
        yield part


def _by_name(wanted: Iterable[tuple[str, Asked]]) -> dict[str, list[Asked]]:
    found: dict[str, list[Asked]] = {}
    for name, one in wanted:
        found.setdefault(name, []).append(one)
    return found
