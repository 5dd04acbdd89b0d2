"""One `Caller.ask` at work: lanes and their threads, what has ended, what has to end."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.errors import Unreachable
from evenhand.llm.costs.budget import unpriced
from evenhand.llm.costs.request_cost import most
from evenhand.llm.scheduling.attempt import attempt
from evenhand.llm.scheduling.endpoint_queue import EndpointQueue, Job, endpoint_of
from evenhand.llm.scheduling.progress_text import Line
from evenhand.llm.scheduling.retry_policy import waiting_time
from evenhand.model.call import Call
from evenhand.store.calls.journal import call_key
from evenhand.store.calls.record import Recorded
from evenhand.store.clock import now as stamp

if TYPE_CHECKING:
    from evenhand.llm.scheduling.caller import Caller
    from evenhand.model.call import Request
    from evenhand.protocols import Chat

__all__ = ["CallScheduler"]

TICK = 0.05  # seconds between looks at the clock; replies of one tick share one flush
GROUP = 32  # replies that are flushed before the tick is over
AHEAD = 4  # requests taken in advance, for each call that may be under way
QUEUED = 20_000  # requests held at the most, when one endpoint keeps all others waiting
GRACE = 5.0  # seconds a call may overrun its time before it is given up, and that the end waits for replies
LOOK = 0.2  # seconds between looks at calls that another process makes
NEVER = float("inf")
STOPS = ("budget", "deadline")  # why a call was not made, which is nobody's fault


class CallScheduler:
    """See `Caller.ask`. One lock for all; lanes' threads work, the consumer's thread does the rest."""

    def __init__(self, caller: Caller, requests: Iterator[tuple[str, Request]], total: int | None) -> None:
        self.caller = caller
        self.lock = threading.Lock()
        self.news = threading.Condition(self.lock)
        self.lanes: dict[str, EndpointQueue] = {}
        self.flying: dict[str, Job] = {}  # by key: under way or waiting for it
        self.failed: dict[str, Call] = {}  # faults of this round: not asked a second time in it
        self.ended: deque[tuple[Job, Call]] = deque()
        self.fatal: BaseException | None = None
        self.elsewhere: list[Job] = []  # another process makes these calls, and we wait for them
        self.stopped = ""  # why nothing more is asked: deadline
        self.closing = False
        self._requests: Iterator[tuple[str, Request]] | None = requests
        begun = time.monotonic()
        self.end = begun + caller.deadline if caller.deadline is not None else NEVER
        self.line = Line(caller.stage, total, begun)
        self._looked = begun

    # the consumer's side

    def calls(self) -> Iterator[Call]:
        """All calls, as they end."""
        while True:
            for call in self._feed():
                self.line.count(call)
                yield call
            with self.lock:
                if self._open() and not self._pressing():
                    self.news.wait(TICK)
                self._watch(time.monotonic())
                ended = [self.ended.popleft() for _ in range(len(self.ended))]
                fatal, over = self.fatal, not self._open()
            if ended:
                self.caller.journal.sync()
                for job, _ in ended:
                    self._release(job)
            for job, call in ended:
                for call_of_one in _shared(job, call):
                    self.line.count(call_of_one)
                    yield call_of_one
            if fatal is not None:
                raise fatal
            self._tell()
            if over and not ended and self._requests is None:
                return

    def _open(self) -> bool:
        return bool(self.flying or self.ended)

    def _pressing(self) -> bool:
        """Whether there is something to do before the tick is over."""
        if len(self.ended) >= GROUP or self.fatal is not None:
            return True
        idle = not any(lane.flying for lane in self.lanes.values())
        return bool(self.ended) and (idle or self._hungry())

    def _hungry(self) -> bool:
        """Whether a lane may soon have nothing to do while there are requests to take."""
        now = time.monotonic()
        return self._requests is not None and any(
            lane.lacks(lane.ceiling, now) for lane in self.lanes.values()
        )

    def _feed(self) -> Iterator[Call]:
        """Take requests until the lanes have enough; gives what needs no asking."""
        while self._requests is not None:
            with self.lock:
                queued = sum(len(lane) for lane in self.lanes.values())
                now = time.monotonic()
                full = self.lanes and not any(
                    lane.lacks(AHEAD * lane.ceiling, now) for lane in self.lanes.values()
                )
                if self.fatal or len(self.ended) >= GROUP or queued >= QUEUED or (full and queued):
                    return
            following = next(self._requests, None)
            if following is None:
                self._requests = None
                return
            call = self._take(*following)
            if call is not None:
                yield call

    def _take(self, name: str, request: Request) -> Call | None:
        """Queue a request; or its call at once, when it is in the journal or nothing more is asked."""
        caller = self.caller
        chat = caller.chat(name)
        key = call_key(caller.models[name], request.seal)
        self.line.taken += 1
        with self.lock:
            if (job := self.flying.get(key)) is not None:
                job.tasks.append(request.task)
                return None
            if key in self.failed:
                held = self.failed[key]
                return Call(**{**_plain(held), "task": request.task, "cached": True})
        state = caller.journal.state(key)
        if state == "stands" or (state == "fault" and not caller.retry_failed):
            found = caller.journal.get(key)
            if found is not None:
                return found.told(request.task)
        limited = caller.purse.budget is not None
        cost = most(chat, request) if limited else None
        if limited and cost is None:  # of a chat that has a price for some requests alone
            raise unpriced([name])
        job = Job(key=key, name=name, chat=chat, request=request, cost=cost, tasks=[request.task])
        # here, and not where it is sent: only this thread then waits for the system
        how = caller.journal.claim(key)
        if how == "stands":
            return self._made(job)
        job.claimed = how == "ours"
        with self.lock:
            lane = self._lane(chat)
            why = self._stop(job) or lane.closed(job)
            if why:
                self._release(job)
                return self._unasked(job, why)
            self.flying[key] = job
            if not job.claimed:
                self.elsewhere.append(job)
                return None
            lane.add(job)
            self._man(lane)
            lane.ready.notify()
        return None

    def _lane(self, chat: Chat) -> EndpointQueue:
        where = endpoint_of(chat)
        if where not in self.lanes:
            told = str(getattr(chat, "endpoint", "") or "")
            made = EndpointQueue(told or chat.name, self.caller.concurrency, self.lock, alone=not told)
            self.lanes[where] = made
        return self.lanes[where]

    def _man(self, lane: EndpointQueue) -> None:
        """One more thread for a lane, when all it has are busy or about to be."""
        if lane.idle >= len(lane) or lane.threads >= lane.ceiling:
            return
        lane.threads += 1
        threading.Thread(target=self._work, args=(lane,), name=f"ask {lane.name}", daemon=True).start()

    def _unasked(self, job: Job, why: str) -> Call:
        return Call(
            key=job.key,
            task=job.tasks[0],
            model=self.caller.models[job.name],
            outcome="fault",
            why=why,
            tries=0 if why in STOPS else job.tries,  # 0: for the next run to ask, no fault of anybody
            bound=job.bound,
        )

    def _stop(self, job: Job) -> str:
        """Why a job is not asked any more, in one word: `STOPS`; what costs nothing needs no budget."""
        return self.stopped or ("budget" if job.cost and self.caller.purse.over else "")

    def _watch(self, now: float) -> None:
        """Deadlines, calls that hang, endpoints that are down; under the lock."""
        if now >= self.end and not self.stopped:
            self.stopped = "deadline"
        self._look_elsewhere(now)
        for lane in self.lanes.values():
            for job in lane.empty() if self.stopped else lane.drain():
                why = self.stopped or lane.closed(job)
                self._finish(job, self._unasked(job, why), keep=job.tries > 0 and not self.stopped)
            for job in lane.empty(paid=True) if self.caller.purse.over else ():
                self._finish(job, self._unasked(job, "budget"), keep=False)
            for job in [one for one in lane.flying if now > self._due(one) + self._grace()]:
                job.left = True
                lane.land(job)
                lane.threads -= 1  # its thread is lost to whatever it hangs in
                self._release(job)
                job.bound += self.caller.purse.settle(job.cost, None, made=False, charged=True)
                took = now - job.started
                why = f"no answer in {took:.0f} s, not even to say so: given up"
                if self.stopped == "deadline":
                    why = "deadline"
                else:
                    lane.failed(job, Unreachable(why, mend="", why="no answer in time"), now, busy=True)
                call = self._unasked(job, why)
                self._finish(job, call, keep=why != "deadline")
                if len(lane):
                    self._man(lane)
                    lane.ready.notify()  # or a thread that waited for a place takes this one

    def _look_elsewhere(self, now: float) -> None:
        """What became of the calls that another process makes; under the lock."""
        if self.stopped:
            for job in self.elsewhere:
                self._finish(job, self._unasked(job, self.stopped), keep=False)
            self.elsewhere = []
        if now - self._looked < LOOK:
            return
        self._looked = now
        waiting, self.elsewhere = self.elsewhere, []
        for job in waiting:
            how = self.caller.journal.claim(job.key)
            if how == "theirs":
                self.elsewhere.append(job)
            elif how == "stands":
                self._finish(job, self._made(job), keep=False)
            else:  # it failed there, or that process has ended: it is asked here
                job.claimed = True
                lane = self._lane(job.chat)
                lane.add(job)
                self._man(lane)
                lane.ready.notify()

    def _made(self, job: Job) -> Call:
        """A call that another process made meanwhile: it is in the journal."""
        made = self.caller.journal.get(job.key)
        assert made is not None  # noqa: S101 - it stands
        return replace(made.told(job.tasks[0]), bound=job.bound)

    def _release(self, job: Job) -> None:
        """Other processes may make the call from now on."""
        if job.claimed:
            job.claimed = False
            self.caller.journal.release(job.key)

    def _due(self, job: Job) -> float:
        return min(job.started + self.caller.call_timeout, max(self.end, job.started))

    def _grace(self) -> float:
        return min(GRACE, max(0.5, self.caller.call_timeout / 4))

    def _tell(self) -> None:
        now = time.monotonic()
        if self.line.due(now):
            with self.lock:
                self.line.elsewhere = len(self.elsewhere)
                note = self.line.note(self.lanes.values(), self.caller, now)
            self.caller.progress(self.caller.stage, self.line.done, self.line.total, note)

    def close(self) -> None:
        """End: nothing more is sent; replies that are on their way are waited for a little, and kept."""
        with self.lock:
            self.closing = True
            for lane in self.lanes.values():
                lane.ready.notify_all()
            until = time.monotonic() + min(GRACE, self.caller.call_timeout)
            while any(lane.flying for lane in self.lanes.values()) and time.monotonic() < until:
                self.news.wait(TICK)
            at_work = {job for lane in self.lanes.values() for job in lane.flying}  # each lets go by itself
            over = [*(job for job, _ in self.ended), *(j for j in self.flying.values() if j not in at_work)]
        self.caller.journal.sync()
        for job in over:
            self._release(job)
        self.line.end(self.caller)

    # the lanes' side

    def _work(self, lane: EndpointQueue) -> None:
        job: Job | None = None
        while job is None or not job.left:
            try:
                job = self._next(lane)
                if job is None:
                    return
                self._one(lane, job)
            except BaseException as error:  # noqa: BLE001 - raised again by the thread that takes the calls
                with self.lock:
                    self.fatal = self.fatal or error
                    self.news.notify()
                    if job is None:
                        return
                    self._release(job)
                    if job in lane.flying:
                        lane.land(job)
                        self.caller.purse.settle(job.cost, None, made=False)

    def _next(self, lane: EndpointQueue) -> Job | None:
        """Wait for a job that may be sent; None when there will be none."""
        purse = self.caller.purse
        with self.lock:
            while not self.closing:
                now = time.monotonic()
                job = None if self.stopped or now >= self.end else lane.peek(now)
                wait = lane.rest(now) if job is None else None
                if job is not None:
                    allowed = purse.allows(job.cost)
                    if allowed == "yes":
                        lane.send(job, now)
                        purse.reserve(job.cost)
                        return job
                    if allowed == "no":
                        self.news.notify()
                    wait = TICK  # calls under way at another endpoint may come in cheaper
                lane.idle += 1
                lane.ready.wait(wait)
                lane.idle -= 1
            lane.threads -= 1
        return None

    def _one(self, lane: EndpointQueue, job: Job) -> None:
        caller = self.caller
        timeout = max(0.01, min(caller.call_timeout, self.end - time.monotonic()))
        tried = attempt(job, caller.models[job.name], timeout)
        call, fault = tried.call, tried.fault
        if fault is None:
            self._journal(job, call)
        if self.closing:
            self._release(job)
        with self.lock:
            now = time.monotonic()
            if job.left:  # given up before; a reply is in the journal for the next run
                return
            lane.land(job)
            charged = fault is not None and fault.charged
            job.bound += caller.purse.settle(job.cost, call.price, made=fault is None, charged=charged)
            call = replace(call, bound=job.bound)
            if fault is None:
                lane.succeeded(job, tried.rates, now)
                self._finish(job, call, keep=False)
            elif now >= self.end and fault.again:  # it had less time than a call may take
                self.stopped = self.stopped or "deadline"
                self._finish(job, self._unasked(job, self.stopped), keep=False)
            else:
                lane.failed(job, fault, now, busy=tried.busy)
                if tried.full and lane.passed > job.passed[0]:
                    job.spared += 1  # others got through: its turn will come
                wait = waiting_time(job, fault, caller.tries)
                if wait is None or self.closing:
                    self._finish(job, call, keep=not self.closing)
                else:
                    lane.later(job, wait, now)
            # this thread takes the next one itself; another is woken when there is room for one more
            if len(lane) > 1 and lane.limit > len(lane.flying) + 1:
                lane.ready.notify()

    def _finish(self, job: Job, call: Call, *, keep: bool) -> None:
        """A job has ended as *call*; *keep* writes a fault down. Under the lock."""
        if keep:
            self._journal(job, call)
        if call.outcome == "fault":
            self.failed[job.key] = call
        self.flying.pop(job.key, None)
        self.ended.append((job, call))
        if self._pressing():
            self.news.notify()

    def _journal(self, job: Job, call: Call) -> None:
        self.caller.journal.add(Recorded(call=call, request=job.request, chat=job.name, at=stamp()))


def _shared(job: Job, call: Call) -> Iterator[Call]:
    """The call for each who asked it: made for the first one."""
    yield call
    for task in job.tasks[1:]:
        yield Call(**{**_plain(call), "task": task, "cached": True})


def _plain(call: Call) -> dict[str, Any]:
    return dict(vars(call))
