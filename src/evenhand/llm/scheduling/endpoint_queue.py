"""The way to one endpoint, which all its models share: who waits, whose turn it is, its limits and theirs."""

from __future__ import annotations

import heapq
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evenhand.errors import Unreachable
from evenhand.llm.clients.http_calls import shown
from evenhand.llm.scheduling.concurrency import Pace

if TYPE_CHECKING:
    from evenhand.llm.scheduling.rate_limits import Rates
    from evenhand.model.call import Request
    from evenhand.protocols import Chat

__all__ = ["EndpointQueue", "Job", "Queue", "endpoint_of"]

HOPELESS = 10  # refusals for good of a model that has not answered once, after which it is not asked any more


def endpoint_of(chat: Chat) -> str:
    """Where a chat sends what it is asked: the ``endpoint`` it tells, or itself, for one that tells none."""
    return str(getattr(chat, "endpoint", "") or "") or f"chat {chat.seal}"


@dataclass(eq=False)
class Job:
    """A request under way, with all who asked it."""

    key: str
    name: str
    chat: Chat
    request: Request
    cost: float | None = None  # dollars it may come to at most; None: not known
    tasks: list[str] = field(default_factory=list)
    tries: int = 0
    spared: int = 0  # tries that a full endpoint turned away while others got through
    turn: int = 0  # its place in the order in which the lane was asked
    started: float = 0.0
    passed: tuple[int, int] = (0, 0)  # replies of the endpoint and of the model when it was sent
    seconds: float = 0.0
    bound: float = 0.0  # dollars counted at the most for tries whose price is not known
    claimed: bool = False  # other processes see that it is under way
    left: bool = False  # nobody waits for it any more
    queue: Queue | None = None  # of its model, once it is known


class Queue(Pace):
    """One model of an endpoint: what waits for it, and the limits that are its own."""

    def __init__(self, name: str, ceiling: int) -> None:
        super().__init__(name, ceiling)
        self.fresh: deque[Job] = deque()
        self.again: list[tuple[float, int, Job]] = []
        self.hopeless = 0

    def __len__(self) -> int:
        return len(self.fresh) + len(self.again)

    @property
    def ripe(self) -> float:
        """From when on its next call may be sent, as far as time alone decides."""
        return max(self.until, self.again[0][0]) if not self.fresh and self.again else self.until

    def first(self, now: float) -> Job | None:
        """Who is next: those that failed before come last, and when their time has come."""
        if self.fresh:
            return self.fresh[0]
        return self.again[0][2] if self.again and self.again[0][0] <= now else None


class EndpointQueue(Pace):
    """One endpoint. All methods are called under the caller's lock; *now* is a monotonic clock's.

    A refusal (429) or a server's trouble slows the endpoint, for all its models; ``Retry-After`` and limits
    that belong to an address stop it. Limits that are a model's own, and faults of a model alone while others
    get through, slow and stop that model. Of those that may be sent, the one asked first is sent first.
    """

    def __init__(self, name: str, ceiling: int, lock: threading.Lock, *, alone: bool = False) -> None:
        super().__init__(shown(name) if "://" in name else name, ceiling)
        self.alone = alone  # a program, a recording, a chat of somebody's own: no address that others share
        self.ready = threading.Condition(lock)
        self.flying: set[Job] = set()
        self.queues: dict[str, Queue] = {}
        self.threads = self.idle = 0
        self._turn = self._waiting = 0

    def __len__(self) -> int:
        return self._waiting

    def queue(self, job: Job) -> Queue:
        """The queue of the job's model."""
        if job.queue is None:
            seal = job.chat.seal
            if seal not in self.queues:
                self.queues[seal] = Queue(job.chat.name or job.name, self.ceiling)
            job.queue = self.queues[seal]
        return job.queue

    def closed(self, job: Job) -> str:
        """Why a job is not asked here any more; empty: it may be."""
        queue = self.queue(job)
        if self.down and not self.alone:
            # what this model met with, which may be another thing than what the others did
            cause = self.down if self.asked or not queue.causes else queue.cause
            return f"not asked, the endpoint of {queue.name} does not answer: {cause}"
        down = queue.down or self.down
        return f"not asked, {queue.name} does not answer: {down}" if down else ""

    def lacks(self, count: int, now: float) -> bool:
        """Whether fewer than *count* wait for models that may be asked now; if none may, for all of them."""
        if self.down:
            return False
        up = [queue for queue in self.queues.values() if not queue.down]
        able = [queue for queue in up if queue.until <= now]
        return sum(map(len, able or up)) < count

    def add(self, job: Job) -> None:
        """Queue a job."""
        self._turn += 1
        self._waiting += 1
        job.turn = self._turn
        self.queue(job).fresh.append(job)

    def later(self, job: Job, wait: float, now: float) -> None:
        """Queue a job that failed behind all others of its model."""
        self._turn += 1
        self._waiting += 1
        job.turn = self._turn
        heapq.heappush(self.queue(job).again, (now + wait, job.turn, job))

    def peek(self, now: float) -> Job | None:
        """Whose turn it is, of the models that may be asked; None when it is nobody's."""
        if not self._waiting or not self.room(now):
            return None
        best: Job | None = None
        for queue in self.queues.values():
            job = queue.first(now) if queue.room(now) else None
            if job is not None and (best is None or job.turn < best.turn):
                best = job
        return best

    def send(self, job: Job, now: float) -> None:
        """Take *job*, the one `peek` gave, under way."""
        queue = self._popped(job)
        job.started, job.passed = now, (self.passed, queue.passed)
        job.tries += 1
        self.flying.add(job)
        self.under_way += 1
        queue.under_way += 1

    def land(self, job: Job) -> None:
        """A job is under way no longer."""
        self.flying.discard(job)
        self.under_way -= 1
        self.queue(job).under_way -= 1

    def rest(self, now: float) -> float | None:
        """For how many seconds nothing can be sent by time alone; None when only news can change it."""
        waiting = [queue for queue in self.queues.values() if len(queue)]
        if waiting and not any(queue.spare for queue in waiting):
            return None
        until = max(self.until, min((queue.ripe for queue in waiting if queue.spare), default=0.0))
        return until - now if until > now else None

    def reasons(self, now: float) -> tuple[str, str]:
        """Whom the lane waits for, and why: the endpoint, or the model whose time comes first."""
        waiting = [queue for queue in self.queues.values() if len(queue) and queue.spare]
        soonest = min(waiting, key=lambda queue: queue.ripe, default=None)
        if soonest is None or self.until >= soonest.ripe:
            return self.name, self.reason
        return soonest.name, soonest.reason if soonest.until >= soonest.ripe > now else ""

    def succeeded(self, job: Job, rates: Rates | None, now: float) -> None:
        """A reply came, with what it said of the limits."""
        queue = self.queue(job)
        queue.hopeless = 0
        self.rise()
        queue.rise()
        if rates is not None:
            (queue if rates.of_model else self).heed(rates, now)

    def failed(self, job: Job, error: Unreachable, now: float, *, busy: bool) -> None:
        """A call faulted; *busy* when the endpoint had too much to do, or trouble of its own."""
        queue = self.queue(job)
        if not error.again:
            queue.hopeless += 1
            queue.causes[error.why] += 1
            if queue.hopeless >= HOPELESS and not queue.passed:
                queue.down = queue.cause
            return
        others = self.passed > job.passed[0] and queue.passed == job.passed[1]  # only they got through
        if busy:
            (queue if error.of_model or others else self).cut(job.started, now)
        if error.wait is not None:
            (queue if error.of_model else self).asked_to_wait(error.wait, error.why, now)
        for pace, passed in zip((self, queue), job.passed, strict=True):
            if pace is queue or not error.of_model:
                pace.sink(job.started, passed, error.why, now, told=error.wait is not None)

    def _popped(self, job: Job) -> Queue:
        queue = self.queue(job)
        if queue.fresh and queue.fresh[0] is job:
            queue.fresh.popleft()
        else:
            heapq.heappop(queue.again)
        self._waiting -= 1
        return queue

    def drain(self) -> Iterator[Job]:
        """Take out all that wait for what is not asked any more."""
        for queue in self.queues.values():
            if self.down or queue.down:
                yield from self._emptied(queue)

    def empty(self, *, paid: bool = False) -> Iterator[Job]:
        """Take out all that wait; with *paid* those alone that cost money."""
        for queue in self.queues.values():
            yield from self._emptied(queue, paid=paid)

    def _emptied(self, queue: Queue, *, paid: bool = False) -> Iterator[Job]:
        fresh, again = list(queue.fresh), [entry[2] for entry in sorted(queue.again)]
        out = [job for job in (*fresh, *again) if job.cost or not paid]
        if not out:
            return
        gone = set(out)
        queue.fresh = deque(job for job in fresh if job not in gone)
        queue.again = [entry for entry in queue.again if entry[2] not in gone]
        heapq.heapify(queue.again)
        self._waiting -= len(out)
        yield from out
