"""Replies kept in a file, and given again: a panel that anyone can run without a key.

A line is a JSON object: ``reply`` (the fields of `evenhand.model.call.Reply`) or ``fault`` (in words), under
``request`` (the request's seal), under ``task`` and ``repeat``, or both; the seal counts first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, Unreachable
from evenhand.llm.clients.recording import lines_of, said
from evenhand.llm.costs.prices import FREE
from evenhand.llm.parsing.json_reply import found, shown_in
from evenhand.llm.providers.families import family_of
from evenhand.model.call import Reply, Request
from evenhand.model.seal import seal

if TYPE_CHECKING:
    from evenhand.store.calls.record import Recorded

__all__ = ["Recording", "record"]


class Recording:
    """A `protocols.Chat` that gives the replies of a JSON-lines file; one that is not in it is an error.

    Its seal is that of the file's bytes, so another recording is another model.
    """

    tariff = FREE
    instant = True  # nobody has to think

    def __init__(self, path: Path, *, name: str = "", family: str = "") -> None:
        self.path = path
        self.name = name or f"recorded:{path.name}"
        self._family = family

    @cached_property
    def family(self) -> str:
        """As told, or that of the model that gave the first reply."""
        if self._family:
            return self._family
        replies = (line["reply"] for line in self._lines.values() if "reply" in line)
        return family_of(str(next((one["model"] for one in replies if one.get("model")), "")))

    @cached_property
    def seal(self) -> str:
        """Identity of the file's bytes."""
        return seal(["recorded/1", hashlib.sha256(self._bytes).hexdigest()])

    def settings(self) -> dict[str, Any]:
        """What a reply depends on."""
        return {"model": f"recorded:{self.path.name}", "sha256": hashlib.sha256(self._bytes).hexdigest()}

    def price(self, reply: Reply) -> float:  # noqa: ARG002 - the shape of a priced chat
        """Nothing: it was paid when it was recorded."""
        return 0.0

    def ready(self) -> None:
        """Raise when the file is missing or not of the form."""
        _ = self._lines

    def ask(self, request: Request, *, timeout: float) -> Reply:  # noqa: ARG002 - nothing is waited for
        """The reply kept under the request's seal, or under its task."""
        line = self._lines.get(request.seal) or self._lines.get((request.task, request.repeat))
        if line is None:
            raise InputError(
                f"{self.path} has no reply to request {request.seal[:12]}, task {request.task!r}, "
                f"repeat {request.repeat}",
                mend="record it from a panel that was asked, or take the judge out of the panel",
            )
        if "fault" in line:
            raise Unreachable(
                f"{self.path} keeps a fault for task {request.task!r}: {line['fault']}",
                mend="ask the model itself again, and record what it says",
                why=str(line["fault"]),
                again=False,
            )
        told = dict(line["reply"])
        if told.get("data") is None and request.schema is not None and told.get("stop", "end") == "end":
            told["data"] = found(told["text"], request.schema, shown=shown_in(request))
            told.setdefault("rung", "prompt")
        return Reply(**told)

    @cached_property
    def _bytes(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise InputError(
                f"{self.path}: the recording cannot be read ({error.strerror})",
                mend="give the path of a .jsonl file, relative to the study file",
            ) from error

    @cached_property
    def _lines(self) -> dict[Any, dict[str, Any]]:
        return lines_of(self._bytes, str(self.path))


def record(calls: Iterable[Recorded]) -> Iterator[str]:
    """The lines of a recording, without their ends, from the calls of a journal in the order they come.

    Calls that failed are kept as faults; texts that were sent are not in it, only their seals. A task that
    was asked under two wordings, with different replies, stands under its requests alone: by its name it
    would not be known which of them is meant.
    """
    lines = [_line(one) for one in calls]
    told: dict[tuple[str, int], set[str]] = {}
    for line in lines:
        told.setdefault(_by_task(line), set()).add(_written(said(line)))
    for line in lines:
        twice = len(told[_by_task(line)]) > 1
        yield _written({k: v for k, v in line.items() if not (twice and k in ("task", "repeat"))})


def _line(one: Recorded) -> dict[str, Any]:
    line: dict[str, Any] = {"request": one.request.seal, "task": one.call.task}
    if one.request.repeat:
        line["repeat"] = one.request.repeat
    if one.call.reply is None:
        line["fault"] = one.call.why or one.call.outcome
    else:
        plain = asdict(one.call.reply)
        empty = asdict(Reply(text=""))
        line["reply"] = {k: v for k, v in plain.items() if k == "text" or v != empty[k]}
    return line


def _by_task(line: dict[str, Any]) -> tuple[str, int]:
    return line["task"], line.get("repeat", 0)


def _written(thing: Any) -> str:
    """As JSON; with escapes where a text holds half a character, which no file could hold."""
    text = json.dumps(thing, ensure_ascii=False, sort_keys=True)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(thing, sort_keys=True)
    return text
