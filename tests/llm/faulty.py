"""A chat endpoint on loopback that answers, or fails, as it is told: OpenAI's form and Anthropic's, by path.

    with faulty(says('{"sufficient": "yes"}'), too_many(after=0.2), reset()) as server:
        chat_of("vllm:judge", {"base_url": server.base_url})

The answers given are used in turn, and the last one from then on; a function of what was asked gives each
answer instead. ``server.seen`` holds all that came. In a process of its own, for load:

    python -m tests.llm.faulty --latency 0.05 [--every 10 --fault too-many] [--log FILE]
"""

import argparse
import asyncio
import json
import socket
import struct
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

MODEL = "small-judge-2026-01"


@dataclass
class Seen:
    """One request as it came; ``body`` its JSON, ``raw`` its bytes, ``at`` when (monotonic)."""

    path: str
    headers: dict
    raw: bytes
    at: float

    @property
    def body(self):
        return json.loads(self.raw)

    @property
    def prompt(self):
        """All texts of the messages, one after the other."""
        return "\n".join(str(one["content"]) for one in self.body["messages"])

    @property
    def claude(self):
        return self.path.endswith("/messages")


@dataclass
class Answer:
    """``make(seen)`` gives the body; ``how`` is what happens on the line."""

    make: object = None
    status: int = 200
    headers: dict = field(default_factory=dict)
    how: str = "whole"  # whole, half, reset, stall, drip, silent
    latency: float = 0.0

    def content(self, seen):
        made = self.make(seen) if callable(self.make) else self.make
        return made if isinstance(made, bytes) else json.dumps(made, ensure_ascii=False).encode()


def says(text, *, stop="end", model=MODEL, tokens=(100, 10), logprob=None, **more):
    """A good reply with this text; *stop* is end, length or refused."""

    def make(seen):
        asked = seen.body
        if seen.claude:
            return _claude(asked, text, stop, model, tokens)
        message = {"role": "assistant", "content": text}
        finish = {"end": "stop", "length": "length", "refused": "content_filter"}[stop]
        if asked.get("tools") and stop == "end":
            name = asked["tools"][0]["function"]["name"]
            call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": text}}
            message, finish = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        if logprob is not None and asked.get("logprobs"):
            choice["logprobs"] = {"content": [{"token": t, "logprob": logprob} for t in ("a", "b")]}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [choice],
            "usage": {
                "prompt_tokens": tokens[0],
                "completion_tokens": tokens[1],
                "total_tokens": sum(tokens),
                "prompt_tokens_details": {"cached_tokens": 40},
            },
            **more,
        }

    return Answer(make)


def _claude(asked, text, stop, model, tokens):
    block = {"type": "text", "text": text}
    reason = {"end": "end_turn", "length": "max_tokens", "refused": "refusal"}[stop]
    if asked.get("tools") and stop == "end":
        with suppress(ValueError):
            block = {
                "type": "tool_use",
                "id": "t1",
                "name": asked["tools"][0]["name"],
                "input": json.loads(text),
            }
            reason = "tool_use"
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1], "cache_read_input_tokens": 40},
    }


def fails(status, message="trouble", *, headers=None, **error):
    """An error status with the usual body."""
    return Answer({"error": {"message": message, "type": "error", **error}}, status, headers or {})


def too_many(after=0.1):
    """429 with Retry-After, seconds."""
    return fails(429, "slow down", headers={"Retry-After": str(after)})


def broken():
    """500."""
    return fails(500, "internal error")


def overloaded():
    """529, as Anthropic has it."""
    return fails(529, "overloaded", headers={"retry-after": "2"})


def reset():
    """The connection is cut with RST before anything is answered."""
    return Answer(how="reset")


def stall(seconds=30.0):
    """Nothing is answered for so long."""
    return Answer(says("{}").make, how="stall", latency=seconds)


def drip(text="{}"):
    """A good reply that comes a byte every tenth of a second."""
    return Answer(says(text).make, how="drip")


def half_sent(text='{"sufficient": "yes"}'):
    """The connection ends in the middle of the body."""
    return Answer(says(text).make, how="half")


def error_in_200(message="model is loading"):
    """Status 200 and an error in the body."""
    return Answer({"error": {"message": message, "code": 503}})


def page():
    """Status 200 and a web page."""
    return Answer(b"<html><body>Welcome to the proxy</body></html>", headers={"Content-Type": "text/html"})


def rejects(
    name, then, *, status=400, message="Unsupported parameter: '{}' is not supported with this model."
):
    """A function of what was asked: requests with the parameter are refused, others get *then*."""

    def answer(seen):
        if name in seen.body:
            return fails(status, message.format(name), param=name, code="unsupported_parameter")
        return then

    return answer


REPLIES = {  # texts of models that are hard to read, each with what must be found in it
    "plain": ('{"sufficient": "yes", "level": 2}', {"sufficient": "yes", "level": 2}),
    "fence": (
        'Here is my verdict:\n```json\n{"sufficient": "no", "level": 0}\n```\nLet me know!',
        {"sufficient": "no", "level": 0},
    ),
    "prose around": (
        'The unit says {"sufficient": "yes", "level": 2} in so many words.',
        None,  # it may be what the unit says
    ),
    "prose before": (
        'The unit says so. {"sufficient": "yes", "level": 2}',
        {"sufficient": "yes", "level": 2},
    ),
    "prose": ("I would give this unit a rating of 2, since it answers the question.", None),
    "half": ('{"sufficient": "yes", "lev', None),
    "false as text": ('{"sufficient": "false", "level": "0"}', {"sufficient": "false", "level": "0"}),
    "off the scale": ('{"sufficient": "yes", "level": 7}', {"sufficient": "yes", "level": 7}),
    "german": ('{"sufficient": "ja", "level": 2}', {"sufficient": "ja", "level": 2}),
    "chinese": ("这个段落回答了问题,所以是肯定的。", None),
    "empty": ("", None),
}
FAULTS = {
    "too-many": too_many,
    "broken": broken,
    "reset": reset,
    "half-sent": half_sent,
    "error-in-200": error_in_200,
}


class Faulty:
    def __init__(self, answers, latency):
        self.answers = answers
        self.latency = latency
        self.seen = []
        self.lock = threading.Lock()
        self.url = ""
        self.most = 0  # requests under way at once, at the most
        self.under_way = 0

    @property
    def base_url(self):
        return f"{self.url}/v1"

    def answer(self, seen):
        with self.lock:
            self.seen.append(seen)
            turn = len(self.seen) - 1
        if len(self.answers) == 1 and callable(self.answers[0]):
            return self.answers[0](seen)
        return self.answers[min(turn, len(self.answers) - 1)]

    async def serve(self, reader, writer):
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            with suppress(Exception):
                writer.close()

    async def _one(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.IncompleteReadError:
            return False
        first, *lines = head.split("\r\n")
        headers = {k.strip().lower(): v.strip() for k, _, v in (one.partition(":") for one in lines if one)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        seen = Seen(first.split(" ")[1], headers, raw, time.monotonic())
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            answer = self.answer(seen)
            return await self._send(answer, seen, writer)
        finally:
            self.under_way -= 1

    async def _send(self, answer, seen, writer):
        if answer.how == "reset":
            line = writer.get_extra_info("socket")
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
            return False
        if self.latency or answer.latency:
            await asyncio.sleep(self.latency + answer.latency)
        data = answer.content(seen)
        told = {"Content-Type": "application/json", **answer.headers, "Content-Length": str(len(data))}
        lines = "".join(f"{k}: {v}\r\n" for k, v in told.items())
        start = f"HTTP/1.1 {answer.status} X\r\n{lines}\r\n".encode()
        if answer.how == "half":
            writer.write(start + data[: len(data) // 2])
            await writer.drain()
            return False
        if answer.how == "drip":
            writer.write(start)
            for byte in data:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.1)
            return True
        writer.write(start + data)
        await writer.drain()
        return True


@contextmanager
def faulty(*answers, latency=0.0):
    """Run a server in a thread; see the module."""
    made = Faulty(list(answers) or [says('{"sufficient": "yes"}')], latency)
    ready = threading.Event()
    loop = asyncio.new_event_loop()

    async def main():
        server = await asyncio.start_server(made.serve, "127.0.0.1", 0, backlog=512)
        made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        made.stop = asyncio.Event()
        ready.set()
        await made.stop.wait()
        server.close()
        mine = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in mine:
            task.cancel()
        await asyncio.gather(*mine, return_exceptions=True)

    thread = threading.Thread(target=lambda: loop.run_until_complete(main()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield made
    finally:
        loop.call_soon_threadsafe(made.stop.set)
        thread.join()
        loop.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--every", type=int, default=0, help="each so many requests fail")
    parser.add_argument("--fault", choices=sorted(FAULTS), default="too-many")
    parser.add_argument("--text", default='{"sufficient": "yes", "level": 2}')
    parser.add_argument("--log", default="", help="append the SHA-256 of each request's body to this file")
    told = parser.parse_args()
    good, bad, count = says(told.text), FAULTS[told.fault](), 0
    log = Path(told.log).open("a", buffering=1) if told.log else None  # noqa: SIM115 - until the process ends

    def answer(seen):
        nonlocal count
        count += 1
        failing = bool(told.every) and count % told.every == 0
        if log is not None and not failing:
            import hashlib

            print(hashlib.sha256(seen.raw).hexdigest(), file=log)
        return bad if failing else good

    with faulty(answer, latency=told.latency) as server:
        print(json.dumps({"base_url": server.base_url}), flush=True)
        sys.stdin.read()  # until whoever started it goes


if __name__ == "__main__":
    main()
