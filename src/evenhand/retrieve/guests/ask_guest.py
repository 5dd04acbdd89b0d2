"""Asking a guest one question after the other: what was answered is never lost, what fails is put aside."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from evenhand.errors import EvenhandError, InputError, Unreachable
from evenhand.guest_errors import raised
from evenhand.model.run import Run
from evenhand.retrieve.guests.parse_hits import Found, read

if TYPE_CHECKING:
    from evenhand.protocols import Progress
    from evenhand.store.retrieval_journal import Journal

__all__ = ["Answers", "ask", "called", "inherited", "key_of", "told"]

IN_A_ROW = 10  # questions that fail one after the other until no more are asked
SLOW = 60.0, 3  # seconds spent on so many of them end it as well: a server that only times out


@dataclass(slots=True)
class Answers:
    """Hits and seconds of each question; ``failed``, by position: why a question has no answer."""

    hits: list[list[Found]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    failed: dict[int, str] = field(default_factory=dict)


def ask(
    search: Callable[[str], Any],
    questions: Sequence[str],
    *,
    name: str,
    journal: Journal | None,
    progress: Progress,
    before: Callable[[], None] | None = None,
) -> Answers:
    """Ask each question that *journal* has no answer to, and write each answer down as it comes.

    *before* is called before a question is asked, and its time is nobody's: to make ready, once.
    A question on which the guest raises `Unreachable`, ConnectionError or TimeoutError is put aside as
    failed, and the next one is asked; after ten in a row no more are. Raises Unreachable when there is not
    one answer in the end, at once when nothing takes the first connection; InputError for any other error
    of the guest and for an answer of no known form.
    """
    made = Answers()
    keys = [key_of(question) for question in questions]
    had = sum(journal.get(key) is not None for key in keys) if journal is not None else 0
    row, spent = 0, 0.0
    last: EvenhandError | None = None
    given_up = False
    for n, (question, key) in enumerate(zip(questions, keys, strict=True)):
        held = journal.get(key) if journal is not None else None
        hits: list[Found] = []
        took = 0.0
        if held is not None:
            hits, took = [Found(what, score) for what, score in held["hits"]], float(held["seconds"])
        elif given_up:
            made.failed[n] = f"not asked: {row} questions in a row failed"
        else:
            start = perf_counter()
            try:
                if before is not None:
                    before()
                    start = perf_counter()
                answer = called(name, f"question {n + 1}", search, question)
            except Unreachable as error:
                if not error.there and not had and len(made.failed) == n:
                    raise  # not one answer yet, and nobody at home
                made.failed[n], last = error.why, error
                row, spent = row + 1, spent + perf_counter() - start
                given_up = row >= IN_A_ROW or (spent >= SLOW[0] and row >= SLOW[1])
            else:
                took = perf_counter() - start
                row, spent = 0, 0.0
                try:
                    hits = read(answer, who=name, question=n)
                except InputError:
                    if journal is not None:  # the others came from the same fault: ask them anew once mended
                        journal.remove()
                    raise
                if journal is not None:
                    journal.put(key, {"hits": [[dict(h.what), h.score] for h in hits], "seconds": took})
        made.hits.append(hits)
        made.seconds.append(took)
        words = [f"{had} answered before"] * bool(had) + [f"{len(made.failed)} failed"] * bool(made.failed)
        progress(name, n + 1, len(questions), ", ".join(words))
    if last is not None and len(made.failed) == len(questions):
        raise last
    return made


def called(name: str, stage: str, work: Any, *arguments: Any, kind: str = "retriever") -> Any:
    """Call the guest *name*, of this *kind*; what goes wrong inside it is told as its own."""
    try:
        return work(*arguments)
    except EvenhandError:
        raise
    except (ConnectionError, TimeoutError) as error:
        raise Unreachable(
            f"{kind} {name!r} failed at {stage}: {told(error)}",
            mend="check that what it calls can be reached",
            why=type(error).__name__,
        ) from error
    except Exception as error:
        raise InputError(
            f"{kind} {name!r} failed at {stage}: {told(error)}",
            mend="this error is the guest's own; mend it there",
        ) from error


def told(error: BaseException) -> str:
    """A guest's error in one line, with its place; keys of the environment that it repeats are left out."""
    return raised(error)


def key_of(question: str) -> str:
    """What the answer to a question is kept under."""
    return hashlib.sha256(question.encode("utf-8", "surrogatepass")).hexdigest()


def inherited(run: Run, members: Sequence[Run]) -> Run:
    """*run*, made from *members*: what one of them could not be asked, it has no ranking for either."""
    from dataclasses import replace

    import numpy as np

    lost = {question: why for member in members for question, why in member.not_run.items()}
    lost = {question: lost[question] for question in run.questions if question in lost}
    if not lost:
        return run
    size = np.diff(run.offsets)
    keep = np.array([question not in lost for question in run.questions])
    rows = np.repeat(keep, size)
    offsets = np.concatenate([[0], np.cumsum(np.where(keep, size, 0))]).astype(np.int64)
    return replace(run, offsets=offsets, unit=run.unit[rows], score=run.score[rows], not_run=lost)
