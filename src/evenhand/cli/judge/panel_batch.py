"""``evenhand judge panel --batch | --emit-batch | --collect``: many requests at once, and replies later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.text.plural import many, verb

if TYPE_CHECKING:
    from evenhand.llm.batch.batches import Batches, Taken
    from evenhand.model.call import Call
    from evenhand.model.label import Shown
    from evenhand.study.panel.ask import Bench
    from evenhand.study.panel.items import PanelItems

__all__ = ["Left", "by_batch"]

Waiting = list[tuple[str, "Shown", int]]
FIRST = 3  # lines and custom ids of a file that are named


@dataclass(frozen=True, kw_only=True)
class Left:
    """What is left to be asked one by one, and the dollars left for it (None: as much as it takes)."""

    waiting: Waiting
    budget: float | None = None


def by_batch(
    bench: Bench,
    items: PanelItems,
    waiting: Waiting,
    folder: Path,
    *,
    emit: Path | None,
    collect: Sequence[Path],
    batch: bool,
    budget: float | None,
    same: Callable[..., str],
    on: Any,
) -> Left:
    """Collect, emit, hand in; what is left. *same* makes the command once more, with other options."""
    from evenhand.errors import InputError
    from evenhand.llm.batch.batches import Batches
    from evenhand.store.calls.journal import Calls

    if emit is not None and (collect or batch):
        raise InputError("--emit-batch goes alone", mend="collect what was emitted with a command of its own")
    for file in collect:
        if not file.is_file():
            raise InputError(f"{file} cannot be read: no such file", mend="give the runner's output file")
    journal = Calls(folder / ".evenhand")
    try:
        batches = Batches(bench.chats, journal)
        if emit is not None:
            _emit(bench, items, waiting, batches, emit, same=same, on=on)
            return Left(waiting=[])
        for file in collect:
            _tell(file, (taken := batches.collect_file(file)), _record(bench, items, taken.calls), on)
        if not batch:
            return Left(waiting=[])
        came = _record(bench, items, batches.collect())
        if came:
            on.print(f"  {many(came, 'vote')} out of batches that have ended")
        there = _there(bench)
        left = [one for one in waiting if (one[0], one[1].item, one[2]) not in there]
        return _hand_in(bench, items, left, batches, budget=budget, on=on)
    finally:
        journal.close()


def _there(bench: Bench) -> set[tuple[str, str, int]]:
    return {
        (one.judge, one.item, one.repeat)
        for one in bench.standing(bench.kept()).votes
        if one.outcome not in ("fault", "cut-off")  # one at the limit now set is in the journal
    }


def _record(bench: Bench, items: PanelItems, calls: Iterable[Call]) -> int:
    """Write the votes of calls; how many came. Of a known call, only the vote that was lost since."""
    there = _there(bench)
    judges = {seal: name for name, seal in bench.models.items()}

    def lacking(call: Call) -> bool:
        item, _, repeat = call.task.partition("/")
        return not call.cached or (judges.get(call.model, ""), item, int(repeat or 0)) not in there

    return bench.record((call for call in calls if call.model in judges and lacking(call)), items)


def _tell(file: Path, taken: Taken, came: int, on: Any) -> None:
    """What a runner's file brought, what was known, and what of it could not be used."""
    from evenhand.report.output.terminal import clean

    known = f", {taken.known:,} known before" if taken.known else ""
    on.print(f"  {many(came, 'vote')} out of {clean(file.name)}{known}")
    if taken.unknown:
        n = len(taken.unknown)
        on.print(
            f"  {many(n, 'result')} of {clean(file.name)} {verb(n, 'is', 'are')} of nothing that was emitted "
            f"here: {_first([repr(one[:24]) for one in taken.unknown])}"
        )
    if taken.broken:
        n = len(taken.broken)
        on.print(
            f"  {many(n, 'line')} of {clean(file.name)} cannot be read: {_first(list(taken.broken))}\n"
            '    expected {"custom_id": …, "response": {"status_code": 200, "body": {…}}, "error": null}'
        )
    if taken.torn:
        on.print(f"  {clean(taken.torn)}: collect the file again when it is whole")
    for sentence in taken.changed:
        on.print(f"  {clean(sentence)}")


def _first(words: list[str]) -> str:
    from evenhand.report.output.terminal import clean

    more = f"; and {len(words) - FIRST:,} more" if len(words) > FIRST else ""
    return clean("; ".join(words[:FIRST])) + more


def _emit(
    bench: Bench,
    items: PanelItems,
    waiting: Waiting,
    batches: Batches,
    stem: Path,
    *,
    same: Callable[..., str],
    on: Any,
) -> None:
    from evenhand.errors import InputError
    from evenhand.llm.batch.files import new_file
    from evenhand.report.output.terminal import clean

    able = [judge for judge in bench.judges if _takes_batches(bench, judge, "openai")]
    own = {judge: [one for one in waiting if one[0] == judge] for judge in bench.judges}
    files = {j: stem.with_name(f"{stem.name.removesuffix('.jsonl')}-{j}.jsonl") for j in able if own[j]}
    for to in files.values():
        new_file(to)  # before any is written
    written = 0
    for judge, to in files.items():
        made = batches.emit(bench.requests(items, own[judge]), to)
        if made is not None:
            written += 1
            on.print(f"  {many(made.n, 'request')} → {clean(str(to))}", soft_wrap=True)
    others = [_otherwise(bench, one, same) for one in bench.judges if own[one] and one not in able]
    for sentence in others:
        on.print(f"  {sentence}", soft_wrap=True)
    if written:
        return
    in_files = sorted({one.chat for one in batches.waiting().values()} & set(files))
    if in_files:
        anew = same(emit_batch=str(stem), give_up_batch=in_files)
        raise InputError(
            f"nothing was written: what {', '.join(in_files)} {verb(len(in_files), 'lacks', 'lack')} lies in "
            "batches under way",
            mend=f"take in what a runner made of them: {same(collect='FILE')}; or, where a file was lost, "
            f"write it anew: {anew}",
        )
    raise InputError(
        "nothing was written: no judge asked in OpenAI's form lacks a vote",
        mend="use vllm:MODEL or openai-compatible:MODEL for judges that are to be asked offline",
    )


def _otherwise(bench: Bench, judge: str, same: Callable[..., str]) -> str:
    """Why a judge goes into no file, and how it is asked."""
    from evenhand.report.output.terminal import clean

    model = next(one.model for one in bench.plan.judges if one.name == judge)
    who = f"{clean(judge)} ({clean(model)}) goes into no file"
    if _takes_batches(bench, judge):
        return f"{who}: it is not asked in OpenAI's form; hand it in at its provider: {same(batch=True)}"
    return f"{who}: it has no endpoint to be asked by one; ask it here: {same()}"


def _hand_in(
    bench: Bench, items: PanelItems, waiting: Waiting, batches: Batches, *, budget: float | None, on: Any
) -> Left:
    from evenhand.llm.scheduling.progress_text import dollars
    from evenhand.report.output.terminal import clean

    able = {judge for judge in bench.judges if _takes_batches(bench, judge)}
    live = [one for one in waiting if one[0] not in able]
    requests = list(bench.requests(items, [one for one in waiting if one[0] in able]))
    spare = None
    if budget is not None:
        _all_priced(bench, items, live, batches)
        fits = batches.fitting(requests, budget)
        requests, spare = list(fits.requests), max(0.0, budget - fits.committed)
        if fits.left:
            bench.unasked["budget"] += fits.left
            held = f"{many(fits.left, 'request')} {verb(fits.left, 'is', 'are')} held back"
            beside = f" beside {dollars(fits.committed)} for what is under way" if fits.committed else ""
            on.print(
                f"  {held}: the next may come to {dollars(fits.next)}{beside}, "
                f"and the budget is {dollars(budget)}"
            )
    handed = batches.submit(requests)
    for one in handed:
        on.print(f"  {many(one.n, 'request')} handed in for {clean(one.chat)}: {clean(one.id)}")
    if budget is not None and handed:
        on.print(
            f"  what is under way may come to {dollars(fits.committed)}; the budget is {dollars(budget)}"
        )
    for one in batches.poll():
        if one.id and one.key not in {new.key for new in handed}:
            on.print(f"  batch of {clean(one.chat)} {clean(one.id)}: {one.done:,} of {one.n:,} answered")
    return Left(waiting=live, budget=spare)


def _all_priced(bench: Bench, items: PanelItems, live: Waiting, batches: Batches) -> None:
    """Refuse a budget that judges asked one by one could not keep, before anything is handed in."""
    from evenhand.llm.batch.budget import unpriced
    from evenhand.llm.costs.request_cost import most
    from evenhand.store.calls.journal import call_key

    for judge, request in bench.requests(items, live):
        if most(bench.chats[judge], request) is None:
            key = call_key(bench.models[judge], request.seal)
            if batches.journal.state(key) != "stands":
                raise unpriced(judge)


def _takes_batches(bench: Bench, judge: str, sdk: str = "") -> bool:
    """Whether the endpoint of a judge has batches; recordings, programs and guests are asked one by one."""
    chat: Any = bench.chats[judge]
    return hasattr(chat, "written") and (not sdk or chat.sdk == sdk)
