"""Ten thousand verdicts under strain: how busy an endpoint is kept, what a call costs us, and twenty kills.

    python -m tests.soak.calls [LOG]

Prints, and appends to LOG when one is named. Takes about a minute; not part of the tests.
"""

import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from evenhand.llm.clients.openai_chat import Completions
from evenhand.llm.providers.factory import chat_of
from evenhand.llm.scheduling.caller import Caller
from evenhand.model.call import Message, Reply, Request
from evenhand.store.calls.journal import Calls, call_key

VERDICTS = 10_000
AT_ONCE = 64
SECONDS = 0.05
KILLS = 20
BUSY, OWN = 0.90, 2.0  # aims: share of the endpoint, milliseconds of a call
SCHEMA = {
    "type": "object",
    "properties": {
        "sufficient": {"type": "string", "enum": ["yes", "no"]},
        "contribution": {"type": "integer", "enum": [0, 1, 2]},
        "failure": {"type": "string"},
        "evidence": {"type": "string"},
    },
    "required": ["sufficient", "contribution", "failure", "evidence"],
    "additionalProperties": False,
}
SHEET = "You judge whether one unit of text suffices to answer a question. " * 12
UNIT = (
    "The library lends books for four weeks; a loan may be renewed twice unless somebody waits for it. " * 20
)


def request(n):
    user = f"Question: how long may a book be kept?\nunit {n} of the handbook, section Borrowing:\n{UNIT}"
    messages = (Message(role="system", content=SHEET), Message(role="user", content=user))
    return Request(task=f"u{n}", prompt="sheet", messages=messages, schema=SCHEMA, seed=1)


def requests(count, first=0):
    return (("judge", request(n)) for n in range(first, first + count))


class Instant:
    """A chat that costs nothing: what is left is ours."""

    name = family = "instant"
    seal = "0" * 64
    rates = None

    def ask(self, _request, *, timeout):
        return Reply(text="{}", data={}, tokens_in=1, tokens_out=1)

    def price(self, _reply):
        return 0.0


@contextmanager
def endpoint():
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.soak.endpoint", str(SECONDS)], stdout=subprocess.PIPE, text=True
    )
    try:
        yield program.stdout.readline().strip()
    finally:
        program.kill()
        program.wait()
        program.stdout.close()


def stats(url, what="stats"):
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/{what}") as reply:
        return json.load(reply)


def spent(work):
    """CPU milliseconds of this process, and seconds, that *work* took."""
    cpu, begun = time.process_time(), time.perf_counter()
    work()
    return 1000 * (time.process_time() - cpu), time.perf_counter() - begun


def busy(folder):
    with endpoint() as url:
        for label, straight, count in (
            ("plain line", True, VERDICTS),
            ("through the SDK", False, VERDICTS // 5),
        ):
            Completions.straight = straight
            chat = chat_of("vllm:load", {"base_url": url})
            caller = Caller({"judge": chat}, Calls(folder / label), concurrency=AT_ONCE)
            for _ in caller.ask(
                requests(2 * AT_ONCE, first=10**6)
            ):  # libraries are loaded, connections stand
                pass
            stats(url)
            outcomes = {}

            def work(caller=caller, count=count, outcomes=outcomes):
                for call in caller.ask(requests(count)):
                    outcomes[call.outcome] = outcomes.get(call.outcome, 0) + 1

            cpu, seconds = spent(work)
            told = stats(url)
            chat.close()
            assert outcomes == {"reply": count}, outcomes
            assert told["n"] == count
            share = told["mean"] / AT_ONCE
            yield (
                f"{count} verdicts of {1000 * SECONDS:.0f} ms at {AT_ONCE} at once, {label}: {seconds:.1f} s, "
                f"{count / seconds:.0f} a second; {told['mean']:.1f} of {AT_ONCE} under way on average, the endpoint "
                f"{share:.0%} busy; {cpu / count:.2f} ms of CPU a call in all"
                + (f"; at least {BUSY:.0%}: {'met' if share >= BUSY else 'NOT met'}" if straight else "")
            )
        Completions.straight = True


def own(folder):
    caller = Caller({"judge": Instant()}, Calls(folder / "own"), concurrency=AT_ONCE)
    asked = list(requests(VERDICTS))
    cpu, seconds = spent(lambda: [None for _ in caller.ask(asked)])
    again, _ = spent(lambda: [None for _ in caller.ask(asked)])
    begun = time.perf_counter()
    journal = Calls(folder / "own")
    opened = time.perf_counter() - begun
    size = journal.file.size
    yield (
        f"our own part (lanes, seals, journal) with a model that answers at once: {cpu / VERDICTS:.2f} ms of CPU a "
        f"call, {1000 * seconds / VERDICTS:.2f} ms in all with {caller.journal.file.flushes} flushes to disk; below "
        f"{OWN:.0f} ms: {'met' if cpu / VERDICTS < OWN else 'NOT met'}; from the journal {again / VERDICTS:.3f} ms; a "
        f"journal of {VERDICTS} calls ({size / 1e6:.0f} MB) opens in {opened:.2f} s"
    )


RUN = """
import sys
from tests.soak.calls import AT_ONCE, Caller, Calls, chat_of, requests
url, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
caller = Caller({"judge": chat_of("vllm:load", {"base_url": url})}, Calls(folder), concurrency=AT_ONCE)
told = False
for call in caller.ask(requests(count)):
    assert call.outcome == "reply", call
    if not (told or call.cached):
        told = True
        print("asking", flush=True)
"""


def kills(folder):
    where, rng = folder / "kills", random.Random(7)  # noqa: S311 - when to kill
    with endpoint() as url:
        command = [sys.executable, "-c", RUN, url, str(where), str(VERDICTS)]
        model = chat_of("vllm:load", {"base_url": url}).seal
        keys = {n: call_key(model, request(n).seal) for n in range(VERDICTS)}
        held = {}  # unit → the epoch in which it was first seen in the journal
        for epoch in range(KILLS):
            running = subprocess.Popen(command, stdout=subprocess.PIPE)
            running.stdout.readline()
            time.sleep(rng.uniform(0.05, 0.6))
            running.send_signal(signal.SIGKILL)
            running.wait()
            running.stdout.close()
            journal = Calls(where)
            for n, key in keys.items():
                if n not in held and journal.state(key) == "stands":
                    held[n] = epoch
            journal.close()
            stats(url, "epoch")
        before = len(held)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        journal = Calls(where)
        assert all(journal.state(key) == "stands" for key in keys.values())
        lines = sum(1 for _ in journal.lines())
        came = {int(n): epochs for n, epochs in stats(url)["came"].items()}
    repeated = sum(len(came[n]) - 1 for n in came)
    paid = [n for n, epoch in held.items() if any(later > epoch for later in came[n])]
    assert len(came) == VERDICTS
    assert lines == VERDICTS, lines
    assert paid == [], paid[:5]
    yield (
        f"{VERDICTS} verdicts with {KILLS} kills with -9 at {AT_ONCE} at once: {before} were in the journal at the last "
        f"kill, all {lines} in the end, each once; none that was in the journal was asked again; {repeated} calls "
        f"that were under way at a kill were asked twice ({repeated / KILLS:.0f} a kill)"
    )


def main():
    log = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    head = (
        f"# Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} from others"
    )
    with tempfile.TemporaryDirectory() as folder:
        for step in ([head], own(Path(folder)), busy(Path(folder)), kills(Path(folder))):
            for line in step:
                print(line, flush=True)
                if log:
                    with log.open("a", encoding="utf-8") as file:
                        file.write(line + "\n")


if __name__ == "__main__":
    main()
