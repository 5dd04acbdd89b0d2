"""Batches: many requests handed in at once, answered within a day, at half the price.

What was handed in stands in the journal before it is sent and again when the provider has named it, so that
a process that is killed at any moment submits nothing twice. Requests lie beside the journal until their
batch is collected; its replies become calls like all others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, Unreachable, nearest
from evenhand.llm.batch_state import OPEN, Batch, all_batches, call_of, keep
from evenhand.llm.batch_wires import Progressed, Result, parsed, unsure, wire_of
from evenhand.model.call import Call, Request
from evenhand.model.seal import seal
from evenhand.protocols import Progress, quiet
from evenhand.store.asked import Asked, read_asked, write_asked
from evenhand.store.calls import call_key
from evenhand.store.clock import now
from evenhand.store.recorded import Recorded

if TYPE_CHECKING:
    from evenhand.protocols import Chat
    from evenhand.store.calls import Calls

__all__ = ["Batch", "Batches"]

MOST = 10_000  # requests of one batch: providers take more, a reply of results has to fit in memory
SHARE = 0.5  # of the list price, at OpenAI and Anthropic alike


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
        self._settle()
        made: list[Batch] = []
        for name, asked in self._wanted(requests).items():
            made += [self._send(name, asked[first : first + MOST]) for first in range(0, len(asked), MOST)]
        return made

    def emit(self, requests: Iterable[tuple[str, Request]], to: Path) -> Batch | None:
        """Write what would be handed in to a file in OpenAI's batch form; None when there is nothing to ask.

        Offline runners (``vllm run-batch``) read it; give what they write to `collect_file`.
        """
        if to.exists():
            raise InputError(f"{to} exists already", mend="name a new file: nothing is overwritten")
        wanted = self._wanted(requests)
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
            batch = self._begin(name, asked, "emitted")
            with to.open("x", encoding="utf-8") as file:
                for row in rows:
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
            return batch
        return None

    def poll(self) -> list[Batch]:
        """The batches under way, as their providers tell; what was in a lost one may be sent anew."""
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

    def collect_file(self, output: Path) -> Iterator[Call]:
        """The same for what a runner made of an emitted file."""
        emitted = {key: one for one in self.all() if one.state == "emitted" for key in self._asked(one)}
        try:
            lines = output.read_text("utf-8-sig").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"{output} cannot be read: {error}", mend="give the runner's output file"
            ) from error
        results: dict[str, list[Result]] = {}
        for number, line in enumerate(lines, 1):
            if line.strip():
                result = parsed(line, f"{output.name}, line {number}")
                if result.key not in emitted:
                    raise InputError(
                        f"{output.name}, line {number}: {result.key[:12]!r} was in no file emitted here",
                        mend="collect in the folder from which the file was emitted",
                    )
                results.setdefault(emitted[result.key].key, []).append(result)
        known = {one.key: one for one in emitted.values()}
        for key, told in results.items():
            yield from self._collected(known[key], iter(told), share=1.0)

    def give_up(self, batch: Batch) -> Batch:
        """Wait for a batch no longer: its requests may be asked otherwise. What it costs is not got back."""
        return keep(self.journal, replace(batch, state="lost", why="given up"))

    # one batch

    def _wanted(self, requests: Iterable[tuple[str, Request]]) -> dict[str, list[Asked]]:
        waiting = {key for one in self.all() if one.state in OPEN for key in self._asked(one)}
        wanted: dict[str, list[Asked]] = {}
        for name, request in requests:
            if name not in self.chats:
                raise InputError(f"a model named {name!r} is asked", mend=nearest(name, self.chats))
            key = call_key(self.chats[name].seal, request.seal)
            if key not in waiting and self.journal.state(key) != "stands":
                waiting.add(key)
                wanted.setdefault(name, []).append(Asked(key=key, request=request))
        return wanted

    def _begin(self, name: str, asked: list[Asked], state: str) -> Batch:
        at = now()
        key = seal(["batch/1", self.chats[name].seal, [one.key for one in asked], at])[:32]
        write_asked(self._file(key), asked)
        return keep(
            self.journal,
            Batch(key=key, chat=name, model=self.chats[name].seal, state=state, n=len(asked), at=at),
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

    def _collected(self, one: Batch, results: Iterator[Result], *, share: float = SHARE) -> Iterator[Call]:
        if one.chat not in self.chats or self.chats[one.chat].seal != one.model:
            raise InputError(
                f"the batch {one.id or one.key} was made for another model or other settings of {one.chat}",
                mend=f"collect it with the study as it was on {one.at[:10]}",
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
            call = call_of(one, chat, asked[result.key], result, share)
            calls.append(call)
            if self.journal.state(call.key) != "stands":
                self.journal.add(Recorded(call=call, request=asked[call.key], chat=one.chat, at=now()))
        self.journal.sync()
        keep(self.journal, replace(one, state="collected", done=len(calls), ended=True))
        self._file(one.key).unlink(missing_ok=True)
        yield from calls

    def _file(self, key: str) -> Path:
        return self.journal.file.path.parent / f"batch-{key}.jsonl"

    def _asked(self, one: Batch) -> dict[str, Request]:
        return {each.key: each.request for each in read_asked(self._file(one.key))}
