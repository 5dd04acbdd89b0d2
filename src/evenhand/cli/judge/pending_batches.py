"""What of a panel lies in batches under way: left out of what is asked, and told with how to get at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.text.plural import many, verb

if TYPE_CHECKING:
    from evenhand.cli.judge.panel_preview import Waiting
    from evenhand.llm.batch.batches import Batch
    from evenhand.study.panel.ask import Bench
    from evenhand.study.panel.items import PanelItems

__all__ = ["Part", "PendingBatches", "give_up", "lying"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """How many (``n``) of the requests that wait lie in a batch; ``there``: whether an emitted file is."""

    batch: Batch
    n: int
    there: bool

    @property
    def words(self) -> str:
        """One line for people."""
        from evenhand.report.output.terminal import clean

        one = self.batch
        wait = f"{many(self.n, 'request')} of {clean(one.chat)} {verb(self.n, 'waits', 'wait')} in"
        if one.state == "emitted":
            name = clean(one.file) if one.file else "the file's name was not noted"
            gone = "" if self.there or not one.file else ", which is not there any more"
            return f"{wait} a file emitted on {one.at[:10]} ({name}{gone})"
        if one.state == "sending":
            return f"{wait} a batch that was being handed in on {one.at[:10]}"
        return f"{wait} a batch handed in on {one.at[:10]} ({clean(one.id)})"


@dataclass(frozen=True, kw_only=True)
class PendingBatches:
    """``free`` may be asked; ``parts`` are the batches in which the others wait."""

    free: Waiting
    parts: tuple[Part, ...] = ()

    @property
    def lines(self) -> list[str]:
        """A line a batch."""
        return [part.words for part in self.parts]

    def ways(self, same: Callable[..., str]) -> Iterator[str]:
        """How their replies come in, and how they are waited for no longer; *same* makes the command."""
        if not self.parts:
            return
        states = {part.batch.state for part in self.parts}
        if states - {"emitted"}:
            yield f"collect what has ended: {same(batch=True)}"
        if "emitted" in states:
            taken = same(collect="FILE", batch=False, budget=None, deadline=None, engine=None)
            yield f"take in what a runner made of a file: {taken}"
        judges = list(dict.fromkeys(part.batch.chat for part in self.parts))
        live = same(give_up_batch=judges, batch=False)
        paid = " (a batch that is under way may be charged all the same)" if states - {"emitted"} else ""
        yield f"wait no longer, and ask them one by one{paid}: {live}"

    def to_json(self) -> list[dict[str, Any]]:
        """Plain JSON."""
        return [
            {
                "judge": part.batch.chat,
                "state": part.batch.state,
                "requests": part.n,
                "at": part.batch.at,
                "id": part.batch.id,
                "file": part.batch.file,
            }
            for part in self.parts
        ]


def lying(bench: Bench, items: PanelItems, waiting: Waiting, folder: Path) -> PendingBatches:
    """Part what waits into what may be asked and what lies in a batch; asks no provider."""
    from evenhand.llm.batch.batches import Batches
    from evenhand.store.calls.journal import Calls, call_key

    journal = Calls(folder / ".evenhand")
    try:
        batches = Batches(bench.chats, journal)
        under_way = batches.waiting()
        if not under_way:
            return PendingBatches(free=waiting)
        free: Waiting = []
        found: Counter[str] = Counter()
        keys: set[str] = set()
        for one, (judge, request) in zip(waiting, bench.requests(items, waiting), strict=True):
            key = call_key(bench.models[judge], request.seal)
            if key not in under_way or journal.state(key) == "stands":
                free.append(one)
            else:
                keys.add(key)
        found.update(under_way[key].key for key in keys)
        parts = [
            Part(batch=one, n=found[one.key], there=batches.lies(one))
            for one in batches.all()
            if found[one.key]
        ]
    finally:
        journal.close()
    return PendingBatches(free=free, parts=tuple(parts))


def give_up(bench: Bench, judges: Sequence[str], folder: Path, on: Any) -> None:
    """Wait no longer for the batches of these judges."""
    from evenhand.errors import InputError
    from evenhand.llm.batch.batches import Batches
    from evenhand.llm.batch.state import OPEN
    from evenhand.report.output.terminal import clean
    from evenhand.store.calls.journal import Calls

    journal = Calls(folder / ".evenhand")
    try:
        batches = Batches(bench.chats, journal)
        under_way = [one for one in batches.all() if one.state in OPEN]
        names = sorted({one.chat for one in under_way})
        for judge in judges:
            if judge not in names:
                raise InputError(
                    f"--give-up-batch {judge}: no batch of {judge} is under way",
                    mend=f"those with one: {', '.join(names)}" if names else "leave it out: there is none",
                )
        for one in under_way:
            if one.chat in judges:
                batches.give_up(one)
                left = f"{many(one.n - one.done, 'request')} of {clean(one.chat)}"
                on.print(f"  given up: {left}, in a batch since {one.at[:10]}")
    finally:
        journal.close()
