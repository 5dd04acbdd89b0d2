"""The server as a program of its own, so that it can be killed with -9 while judges answer."""

import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter

import httpx2
from tests.web.house import AT, stocked

from evenhand.judge.sheets.built_in import CONTRIBUTION
from evenhand.store.open import open_store


class Program:
    """`evenhand serve` on one port, started and killed as often as wished."""

    def __init__(self, where, port=0):
        self.where, self.port, self.process = str(where), port, None

    def start(self):
        code = "from evenhand.cli.main import run; run()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "serve", self.where, "--port", str(self.port)],
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self.process.stdout.readline()
        self.port = int(re.search(r"127\.0\.0\.1:(\d+)", line).group(1))
        self.url = f"http://127.0.0.1:{self.port}"
        for _ in range(500):
            try:
                if httpx2.get(f"{self.url}/healthz", trust_env=False).status_code == 200:
                    return self
            except httpx2.TransportError:
                time.sleep(0.02)
        raise AssertionError("the server did not come up")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def judge(program, token, desk, name, *, tasks, told, stop, times=None, pause=0.0):
    """Answer without end; an act that got no answer is sent again under its token until it is acknowledged."""
    browser = httpx2.Client(trust_env=False, timeout=5)
    base = program.url
    while not stop.is_set():
        try:
            browser.get(f"{base}/j/{token}")
            break
        except httpx2.TransportError:
            time.sleep(0.02)
    i = 0
    while not stop.is_set():
        mark = f"{name}-{i}"
        if i % 7 == 6:
            act = {"token": mark, "kind": "undo"}
        else:
            act = {"token": mark, "kind": "grade", "task": tasks[i % len(tasks)], "grade": float(i // len(tasks) % 3),
                   "comment": f"{name} {i}", "sheet": CONTRIBUTION.seal, "shown_at": AT, "active_ms": 900}  # fmt: skip
        began = time.perf_counter()
        try:
            answer = browser.post(
                f"{base}/desk/{desk}/answers.json", json={"answers": [act]}, headers={"origin": base}
            )
        except httpx2.TransportError:
            time.sleep(0.01)
            continue
        if times is not None:
            times.append(time.perf_counter() - began)
        assert answer.status_code == 200, answer.text
        result = answer.json()["results"][0]
        assert result["saved"], result
        told.append(mark)
        i += 1
        if pause:
            stop.wait(random.uniform(0, 2 * pause))  # noqa: S311
    browser.close()


def killed(where, *, kills, shared, seconds=(0.15, 0.4), seed=1):
    """Two judges (in two tabs of one desk when *shared*) while the server is killed again and again."""
    dice = random.Random(seed)  # noqa: S311
    names = ("ann",) if shared else ("ann", "ben")
    store, desks = stocked(where, [f"text {i}" for i in range(25)], judges=names)
    tokens = {name: store.grant(name, "judge", at=AT)[1] for name in names}
    writers = [("w0", "ann"), ("w1", names[-1])]
    tasks = {name: [task.id for task in store.tasks(desks[name])] for name in names}
    store.close()
    told = {writer: [] for writer, _ in writers}
    stop = threading.Event()
    faults = []
    program = Program(where).start()

    def run(writer, name):
        try:
            judge(program, tokens[name], desks[name], writer, tasks=tasks[name], told=told[writer], stop=stop)
        except BaseException as error:  # noqa: BLE001 - told below
            faults.append(error)

    threads = [threading.Thread(target=run, args=one) for one in writers]
    for thread in threads:
        thread.start()
    try:
        for _ in range(kills):
            before = {writer: len(lines) for writer, lines in told.items()}
            end = time.monotonic() + 30
            while any(len(told[w]) < before[w] + 3 for w in told) and not faults and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(dice.uniform(*seconds))
            program.kill()
            program.start()
        time.sleep(0.2)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        program.kill()
    assert faults == []
    return told, {writer: desks[name] for writer, name in writers}


def held_against(where, told, desks):
    """Every acknowledged act is in the book, once, and in its judge's order."""
    store = open_store(where)
    try:
        assert store.check() == []
        for writer, lines in told.items():
            book = list(store.book(desks[writer]))
            assert [entry.number for entry in book] == list(range(1, len(book) + 1))
            mine = [entry.token for entry in book if entry.token.startswith(f"{writer}-")]
            assert [token for token, n in Counter(mine).items() if n > 1] == [], "an act was stored twice"
            numbers = [int(token.split("-")[1]) for token in mine]
            assert numbers == sorted(numbers)
            kept = set(mine)
            # an undo that found nothing to take back is acknowledged and leaves no entry
            lost = [token for token in lines if token not in kept and int(token.split("-")[1]) % 7 != 6]
            assert lost == [], "an act was lost"
            assert len(kept - set(lines)) <= 1, "more than the act under way when it ended"
        return sum(len(list(store.book(desk))) for desk in set(desks.values()))
    finally:
        store.close()
