"""Asking models, many at once: what is in the journal is not asked, what is paid for is kept.

Threads of one process, a lane for each endpoint, which its models share; the thread that takes the calls
feeds the lanes, makes the journal durable and watches, so that requests are made no faster than needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import TYPE_CHECKING

from evenhand.errors import InputError, nearest
from evenhand.llm.costs.budget import Budget, unpriced
from evenhand.llm.costs.request_cost import price_of_tokens
from evenhand.llm.scheduling.call_scheduler import CallScheduler
from evenhand.protocols import quiet
from evenhand.store.calls.journal import call_key

if TYPE_CHECKING:
    from evenhand.model.call import Call, Request
    from evenhand.protocols import Chat, Progress
    from evenhand.store.calls.journal import Calls

__all__ = ["Caller"]

FIRST = 5  # replies of a model after which asking stops when all of them were cut off


class Caller:
    """Asks *chats* (by name) and writes each call into *journal*.

    ``concurrency``: the most calls under way at one endpoint, for all its models together (it is felt for
    from below); ``budget``: dollars this caller may spend in all; ``deadline``: seconds one `ask` may take;
    ``call_timeout``: seconds one try may take; ``tries`` of one call; ``retry_failed``: whether faults of
    earlier runs are asked again. ``spent`` is what was paid so far.
    """

    def __init__(
        self,
        chats: Mapping[str, Chat],
        journal: Calls,
        *,
        concurrency: int = 8,
        budget: float | None = None,
        deadline: float | None = None,
        call_timeout: float = 120.0,
        tries: int = 5,
        progress: Progress = quiet,
        retry_failed: bool = True,
        stage: str = "ask",
    ) -> None:
        for name, value, least in (("concurrency", concurrency, 1), ("tries", tries, 1)):
            if value < least:
                raise InputError(f"{name} = {value} cannot be used", mend=f"give a number from {least}")
        for name, seconds in (("call_timeout", call_timeout), ("deadline", deadline)):
            if seconds is not None and not seconds > 0:
                raise InputError(
                    f"{name} = {seconds} cannot be used", mend="give a number of seconds above 0"
                )
        self.chats = dict(chats)
        self.journal = journal
        self.concurrency = concurrency
        self.deadline = deadline
        self.call_timeout = call_timeout
        self.tries = tries
        self.progress = progress
        self.retry_failed = retry_failed
        self.stage = stage
        self.purse = Budget(budget)
        self.models = {name: chat.seal for name, chat in self.chats.items()}

    @property
    def spent(self) -> float:
        """Dollars paid so far, as far as prices are known."""
        return self.purse.spent

    @property
    def whys(self) -> dict[str, str]:
        """Why calls were not made, by the one word that they say it with, in a sentence with its figures."""
        words = self.purse.words
        return {"budget": words} if words else {}

    def chat(self, name: str) -> Chat:
        """The chat of this name."""
        if name not in self.chats:
            raise InputError(f"a model named {name!r} is asked", mend=nearest(name, self.chats))
        return self.chats[name]

    def ask(self, requests: Iterable[tuple[str, Request]], *, total: int | None = None) -> Iterator[Call]:
        """One `Call` for each request, as they end; all of them, whatever happens to the models.

        Requests are pairs of a chat's name and what it is asked; they are taken as they are needed. A call
        is given out when it is durable. *total* is for the progress line, where *requests* has no length.
        Leaving early (Ctrl+C, closing the iterator) waits a few seconds for replies that are being paid for.
        Raises what a person has to mend before anything can be asked (a key that is not there), before
        anything is sent where a budget is set and a price of what would be asked is not known, and when the
        first replies of a model are all cut off.
        """
        if total is None and isinstance(requests, Sized):
            total = len(requests)
        at_work = CallScheduler(self, iter(self._priced(requests)), total)
        first: dict[str, list[Call]] = {}
        try:
            for call in at_work.calls():
                yield call
                self._not_all_cut(first.setdefault(call.model, []), call)
        finally:
            at_work.close()

    def _not_all_cut(self, first: list[Call], call: Call) -> None:
        """Raise when the *first* replies of a model were all cut off: those that follow would be, too.

        What was answered is in the journal. Recordings cost nothing, and are read to their end.
        """
        name = next(name for name, model in self.models.items() if model == call.model)
        if call.cached or call.outcome == "fault" or len(first) >= FIRST or self._instant(name):
            return
        first.append(call)
        if len(first) == FIRST and all(one.outcome == "cut-off" for one in first):
            raise InputError(
                f"{name}: the first {FIRST} replies were all {call.why}, and hold nothing that can be used",
                mend=f"raise max_tokens, of {name} or of the section that names it; what was cut off is then "
                "asked anew, and nothing else",
            )

    def _instant(self, name: str) -> bool:
        return bool(getattr(self.chats[name], "instant", False))

    def _priced(self, requests: Iterable[tuple[str, Request]]) -> Iterable[tuple[str, Request]]:
        """*requests*, once it is seen that a budget can hold for all that will be asked; raises otherwise.

        What the journal holds needs no price. They are gone through ahead only where a price is not known.
        """
        lacking = {name for name, chat in self.chats.items() if price_of_tokens(chat, 1, 1) is None}
        if self.purse.budget is None or not lacking:
            return requests
        held = list(requests)
        wanted = {name for name, request in held if name in lacking and self._asks(name, request)}
        if wanted:
            raise unpriced(wanted)
        return held

    def _asks(self, name: str, request: Request) -> bool:
        """Whether a request would be sent, were it taken now."""
        state = self.journal.state(call_key(self.models[name], request.seal))
        return not state or (state == "fault" and self.retry_failed)
