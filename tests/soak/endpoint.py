"""A chat endpoint that costs next to nothing, for load: it answers every POST after so many seconds.

    python -m tests.soak.endpoint [SECONDS]

Prints its base URL. It parses no more than it must (a server of a framework costs more than the client it is
to measure). ``GET /stats`` gives what came since the last look: requests, the mean number under way, and for
each "unit N" in a body the epochs in which it came; ``GET /epoch`` begins the next epoch.
"""

import asyncio
import json
import re
import sys
import time

SAID = '{"sufficient": "yes", "contribution": 2, "failure": "none", "evidence": "the unit says so"}'
BODY = json.dumps(
    {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "load-1",
        "choices": [{"index": 0, "finish_reason": "stop", "logprobs": None, "message": {"role": "assistant", "content": SAID, "refusal": None}}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 30, "total_tokens": 730},
    }
).encode()  # fmt: skip
LINES = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nx-ratelimit-limit-requests: 100000\r\nx-ratelimit-remaining-requests: 99999\r\n"
REPLY = f"{LINES}Content-Length: {len(BODY)}\r\n\r\n".encode() + BODY
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
UNIT = re.compile(rb"unit (\d+)")


class Seen:
    def __init__(self):
        self.epoch = 0
        self.clear()
        self.flying = 0

    def clear(self):
        self.n, self.area, self.first, self.last, self.came = 0, 0.0, None, None, {}

    def step(self, by):
        now = time.perf_counter()
        if self.first is None:
            self.first = self.last = now
        self.area += self.flying * (now - self.last)
        self.last = now
        self.flying += by

    def told(self):
        span = self.last - self.first if self.n else 0.0
        return {"n": self.n, "mean": self.area / span if span else 0.0, "seconds": span, "came": self.came}


class Line(asyncio.Protocol):
    seen = Seen()
    delay = 0.05

    def connection_made(self, transport):
        self.transport, self.held, self.waiting = transport, b"", set()

    def connection_lost(self, _error):
        for handle in self.waiting:
            handle.cancel()
            self.seen.step(-1)
        self.waiting.clear()

    def data_received(self, data):
        self.held += data
        while (end := self.held.find(b"\r\n\r\n")) >= 0:
            head = self.held[:end]
            told = LENGTH.search(head)
            size = end + 4 + (int(told[1]) if told else 0)
            if len(self.held) < size:
                return
            body, self.held = self.held[end + 4 : size], self.held[size:]
            self.take(head, body)

    def take(self, head, body):
        seen = self.seen
        if head.startswith(b"GET"):
            if head.startswith(b"GET /epoch"):
                seen.epoch += 1
            said = json.dumps(seen.told() if head.startswith(b"GET /stats") else seen.epoch).encode()
            if head.startswith(b"GET /stats"):
                seen.clear()
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(said) + said)
            return
        seen.step(1)
        seen.n += 1
        if (unit := UNIT.search(body)) is not None:
            seen.came.setdefault(unit[1].decode(), []).append(seen.epoch)
        handle = None

        def answer():
            self.waiting.discard(handle)
            seen.step(-1)
            self.transport.write(REPLY)

        handle = asyncio.get_running_loop().call_later(self.delay, answer)
        self.waiting.add(handle)


async def main():
    if len(sys.argv) > 1:
        Line.delay = float(sys.argv[1])
    server = await asyncio.get_running_loop().create_server(Line, "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
