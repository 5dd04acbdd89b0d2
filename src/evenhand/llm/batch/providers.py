"""The providers' own batches, each over its SDK: sent, looked for, looked at, fetched."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from evenhand.errors import InputError, Unreachable
from evenhand.llm.clients.anthropic_chat import Messages
from evenhand.llm.clients.endpoint import Endpoint
from evenhand.llm.clients.error_classification import of_connection, of_status
from evenhand.llm.clients.openai_chat import Completions
from evenhand.model.json_text import loads

__all__ = ["Progressed", "Result", "Wire", "parsed", "unsure", "wire_of"]

LOOKED = 1000  # batches looked through for one whose id was never told
EARLY = 120.0  # seconds by which the provider's clock may be behind ours
GONE = ("failed", "cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """How far a batch is: ``ended`` when its results can be fetched, ``lost`` (why) when there are none."""

    done: int = 0
    total: int = 0
    ended: bool = False
    lost: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of a batch: the ``body`` of the reply, or ``why`` there is none."""

    key: str
    body: Mapping[str, Any] | None = None
    why: str = ""


class Wire(Protocol):
    """What a batch needs of a provider."""

    def send(self, lines: Sequence[tuple[str, Mapping[str, Any]]], mark: str) -> str:
        """Hand in requests by key, and return the batch's id; *mark* is to be found again by `find`."""

    def find(self, mark: str, n: int, since: str, known: set[str]) -> str:
        """The id of the batch that was handed in under *mark* (of *n* requests, after *since*), or ``""``."""

    def look(self, name: str) -> Progressed:
        """How far the batch of this id is."""

    def results(self, name: str) -> Iterator[Result]:
        """Its results, when it has ended."""


def wire_of(chat: Any) -> Wire:
    """The batches of the provider behind *chat*."""
    if isinstance(chat, Completions):
        return _OpenAI(chat)
    if isinstance(chat, Messages):
        return _Anthropic(chat)
    raise InputError(
        f"{getattr(chat, 'name', chat)} takes no batches",
        mend="ask it one by one, or write a batch file for it",
    )


def parsed(line: str, where: str) -> Result:
    """A line of an output file in OpenAI's batch form, which offline runners write too."""
    try:
        told = loads(line)
        key = str(told["custom_id"])
        response, error = told.get("response") or {}, told.get("error")
        status, body = int(response.get("status_code", 200)), response.get("body")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
        raise InputError(
            f"{where}: no line of a batch's output ({type(wrong).__name__}: {str(wrong)[:80]})",
            mend='a line is {"custom_id": …, "response": {"status_code": 200, "body": {…}}, "error": null}',
        ) from wrong
    if error or status >= 400 or not isinstance(body, Mapping):
        said = error or (body.get("error") if isinstance(body, Mapping) else body) or response
        said = said.get("message", said) if isinstance(said, Mapping) else said
        return Result(
            key=key, why=f"HTTP status {status}: {str(said)[:200]}" if status >= 400 else str(said)[:200]
        )
    return Result(key=key, body=body)


@contextmanager
def _told(chat: Endpoint, sdk: Any) -> Iterator[Any]:
    """A client of the SDK; its errors in our words."""
    import httpx2

    client = chat.apart()
    try:
        yield client
    except sdk.APIStatusError as error:
        try:
            body = error.response.json()
        except ValueError:
            body = error.response.text
        raise of_status(chat.where, error.status_code, error.response.headers, body) from None
    except (sdk.APIConnectionError, httpx2.TransportError) as error:
        raise of_connection(chat.where, error, 600.0) from None
    finally:
        client.close()


class _OpenAI:
    def __init__(self, chat: Completions) -> None:
        self.chat = chat

    def _client(self) -> Any:
        import openai

        return _told(self.chat, openai)

    def send(self, lines: Sequence[tuple[str, Mapping[str, Any]]], mark: str) -> str:
        url = f"/v1{self.chat.path}"
        rows = [
            json.dumps({"custom_id": key, "method": "POST", "url": url, "body": body}) for key, body in lines
        ]
        with self._client() as client:
            file = client.files.create(
                file=(f"evenhand-{mark[:12]}.jsonl", "\n".join(rows).encode() + b"\n"), purpose="batch"
            )
            made = client.batches.create(
                input_file_id=file.id, endpoint=url, completion_window="24h", metadata={"evenhand": mark}
            )
        return str(made.id)

    def find(self, mark: str, n: int, since: str, known: set[str]) -> str:  # noqa: ARG002 - the mark is enough
        with self._client() as client:
            for number, one in enumerate(client.batches.list(limit=100)):
                if (one.metadata or {}).get("evenhand") == mark:
                    return str(one.id)
                if number >= LOOKED:
                    break
        return ""

    def look(self, name: str) -> Progressed:
        with self._client() as client:
            one = client.batches.retrieve(name)
        counts = one.request_counts
        total = counts.total if counts else 0
        done = counts.completed + counts.failed if counts else 0
        files = bool(one.output_file_id or one.error_file_id)
        ended = one.status in ("completed", "expired", *GONE)
        why = ""
        if ended and not files:
            told = [str(each.message) for each in (one.errors.data or [])] if one.errors else []
            why = f"the batch is {one.status}" + (f": {told[0][:200]}" if told else "")
        return Progressed(done=done, total=total, ended=ended, lost=why)

    def results(self, name: str) -> Iterator[Result]:
        with self._client() as client:
            one = client.batches.retrieve(name)
            for file in (one.output_file_id, one.error_file_id):
                if file:
                    for number, line in enumerate(client.files.content(file).text.split("\n"), 1):
                        if line.strip():
                            yield parsed(line, f"{name}, line {number}")


class _Anthropic:
    def __init__(self, chat: Messages) -> None:
        self.chat = chat

    def _client(self) -> Any:
        import anthropic

        return _told(self.chat, anthropic)

    def send(self, lines: Sequence[tuple[str, Mapping[str, Any]]], mark: str) -> str:  # noqa: ARG002 - no place for it
        with self._client() as client:
            made = client.messages.batches.create(
                requests=[{"custom_id": key, "params": dict(body)} for key, body in lines]
            )
        return str(made.id)

    def find(self, mark: str, n: int, since: str, known: set[str]) -> str:  # noqa: ARG002 - it keeps no marks
        begun = datetime.fromisoformat(since).timestamp() - EARLY
        with self._client() as client:
            for number, one in enumerate(client.messages.batches.list(limit=100)):
                if one.created_at.timestamp() < begun or number >= LOOKED:
                    break
                if one.id not in known and _all(one.request_counts) == n:
                    return str(one.id)
        return ""

    def look(self, name: str) -> Progressed:
        with self._client() as client:
            one = client.messages.batches.retrieve(name)
        total = _all(one.request_counts)
        ended = one.processing_status == "ended"
        lost = "" if not ended or one.results_url else "the batch's results are no longer kept"
        return Progressed(done=total - one.request_counts.processing, total=total, ended=ended, lost=lost)

    def results(self, name: str) -> Iterator[Result]:
        with self._client() as client:
            for one in client.messages.batches.results(name):
                told = one.result
                if told.type == "succeeded":
                    yield Result(key=one.custom_id, body=told.message.to_dict(mode="json"))
                elif told.type == "errored":
                    yield Result(key=one.custom_id, why=str(told.error.error.message)[:200])
                else:
                    yield Result(key=one.custom_id, why=f"the batch was {told.type} before it was asked")


def _all(counts: Any) -> int:
    return int(counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired)


def unsure(error: Unreachable) -> bool:
    """Whether a batch may have been taken in although an error came."""
    return error.again
