"""Requests that wait for their batch, in a file of checksummed lines beside the journal of calls."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import InputError
from evenhand.model.call import Request
from evenhand.model.json_text import loads
from evenhand.model.seal import canonical
from evenhand.store.append_log import checked, made, marked
from evenhand.store.calls.record import request_json, request_of
from evenhand.text.plural import many

__all__ = ["Asked", "read_asked", "write_asked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request with its key in the journal."""

    key: str
    request: Request


def write_asked(path: Path, asked: Iterable[Asked]) -> None:
    """Write a new file, whole and durable before anything is sent."""
    made(path.parent.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    try:
        with temporary.open("wb") as file:
            for one in asked:
                content = {"key": one.key, "task": one.request.task, "request": request_json(one.request)}
                file.write(marked(canonical(content)))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror or error}", mend="make room or mend its permissions"
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def read_asked(path: Path, n: int, done: int = 0) -> Iterator[Asked]:
    """The *n* that were written, or what is left of them when *done* were taken out.

    Raises InputError when a line was changed, or some or all of them are gone.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(
            f"{path}, with the requests of a batch under way, cannot be read: {error.strerror}",
            mend="bring it back: without it, the batch cannot be collected; or wait for it no longer: "
            "evenhand judge panel STUDY.toml --give-up-batch JUDGE",
        ) from error
    if lines.pop() or not n - done <= len(lines) <= n:
        raise InputError(
            f"{path} is cut: {len(lines):,} whole of the {many(n - done, 'request')} that are in the batch",
            mend="bring the file back as it was: without it, the batch cannot be collected",
        )
    for line in lines:
        body = checked(line)
        if body is None:
            raise InputError(f"a line of {path} was changed", mend="bring the file back as it was")
        content = loads(body.decode("utf-8", "surrogatepass"))
        yield Asked(key=content["key"], request=request_of(content["request"], content["task"]))
