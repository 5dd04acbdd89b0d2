"""Asking a database: tries, what may be tried again, and errors as whoever wrote the study can mend them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from evenhand.errors import EvenhandError, InputError, Unreachable
from evenhand.llm import without_keys

__all__ = ["Fault", "tried"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fault:
    """What a client's exception means.

    ``status``: HTTP status, where there is one. ``there``: False when nothing took the connection.
    ``again``: whether another try can help. ``refused``: the request is wrong, whatever is tried.
    """

    why: str
    status: int | None = None
    there: bool = True
    again: bool = False
    refused: bool = False

    @classmethod
    def of_status(cls, status: int) -> Fault:
        """429 and 5xx may be tried again, other refusals not."""
        later = status == 429 or status >= 500
        return cls(f"HTTP status {status}", status, again=later, refused=not later)


class _Again(Exception):
    pass


def tried(
    work: Callable[[], T], *, fault: Callable[[Exception], Fault], retries: int, told: str, mend: str = ""
) -> T:
    """What *work* gives. *fault* reads the client's exceptions; *told* names the database in errors.

    Raises InputError for a refusal; Unreachable when the tries are used up, or where none can help.
    """
    from tenacity import RetryError, Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

    last: list[tuple[Exception, Fault]] = []

    def once() -> Any:
        try:
            return work()
        except EvenhandError:
            raise
        except Exception as error:
            if (ours := _within(error)) is not None:
                raise ours from error
            last.append((error, fault(error)))
            if last[-1][1].again:
                raise _Again from error
            raise _failed(*last[-1], told, len(last), mend) from error

    again = Retrying(
        stop=stop_after_attempt(retries + 1),
        wait=wait_exponential(multiplier=0.2, max=8.0),
        retry=retry_if_exception_type(_Again),
    )
    try:
        made: T = again(once)
    except RetryError as error:
        raise _failed(*last[-1], told, len(last), mend) from error
    return made


def _within(error: BaseException) -> EvenhandError | None:
    """An error of ours that a client has wrapped in its own: what the offline lock refused, say."""
    left, seen = [error], set()
    while left:
        one = left.pop()
        if isinstance(one, EvenhandError):
            return one
        if id(one) in seen:
            continue
        seen.add(id(one))
        more = (one.__cause__, one.__context__, getattr(one, "source", None), getattr(one, "info", None))
        left += [part for part in (*more, *getattr(one, "errors", ())) if isinstance(part, BaseException)]
    return None


def _failed(error: Exception, fault: Fault, told: str, tries: int, mend: str) -> EvenhandError:
    words = without_keys(" ".join(str(error).split()))[:200]
    if fault.refused:
        hint = "check the key, and that it may read here" if fault.status in (401, 403) else ""
        return InputError(
            f"{told} refused the request ({fault.why}): {words}",
            mend=hint or mend or "check the section against the database",
        )
    count = f" in {tries} tries" if tries > 1 else ""
    return Unreachable(
        f"{told} could not be asked{count} ({fault.why}): {words}",
        mend=mend or "check that it runs and that the address is right; raise timeout if it is slow",
        why=fault.why,
        there=fault.there,
    )
