"""What a verdict costs us: our client beside the openai SDK in a plain pool of threads, at one local endpoint."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec

from benchmarks.bench import ROOT, Bench, Row, at_most, measured

AT_ONCE = 64
OURS = """
import json, sys, tempfile, time, pathlib
from tests.soak.calls import endpoint, requests
from evenhand.llm.scheduling.caller import Caller
from evenhand.llm.providers.factory import chat_of
from evenhand.store.calls.journal import Calls
count, at_once = int(sys.argv[1]), int(sys.argv[2])
with endpoint() as url, tempfile.TemporaryDirectory() as folder:
    chat = chat_of("openai-compatible:load-1", {"base_url": url})
    list(Caller({"judge": chat}, Calls(pathlib.Path(folder) / "warm"), concurrency=at_once).ask(requests(at_once)))
    calls = Calls(pathlib.Path(folder) / "calls")
    wall, cpu = time.perf_counter(), time.process_time()
    done = sum(1 for _ in Caller({"judge": chat}, calls, concurrency=at_once).ask(requests(count, 10**6)))
    print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "done": done}))
"""
THEIRS = """
import json, sys, time
from concurrent.futures import ThreadPoolExecutor
import openai
from tests.soak.calls import SCHEMA, endpoint, request
count, at_once = int(sys.argv[1]), int(sys.argv[2])
with endpoint() as url:
    client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
    form = {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA}}
    def ask(n):
        said = [{"role": m.role, "content": m.content} for m in request(n).messages]
        made = client.chat.completions.create(
            model="load-1", messages=said, temperature=0, seed=1, response_format=form)
        return json.loads(made.choices[0].message.content)
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(ask, range(at_once)))
        wall, cpu = time.perf_counter(), time.process_time()
        done = sum(1 for _ in pool.map(ask, range(10**6, 10**6 + count)))
        print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "done": done}))
"""


def main(quick: bool) -> Bench:
    if find_spec("openai") is None:
        return Bench(title="Judging", says="", skipped="the extra `llm` is not installed")
    count = 1000 if quick else 5000
    found: dict[str, list[dict[str, float]]] = {"ours": [], "sdk": []}
    for _ in range(1 if quick else 2):
        for name, code in (("ours", OURS), ("sdk", THEIRS)):
            found[name].append(
                json.loads(
                    measured(
                        (sys.executable, "-c", code, str(count), str(AT_ONCE)),
                        cwd=ROOT,
                        env={"OPENAI_API_KEY": ""},
                    ).out
                )
            )
    ours, sdk = (min(found[name], key=lambda one: one["cpu"]) for name in ("ours", "sdk"))
    ideal = count / AT_ONCE * 0.05
    return Bench(
        title="Judging: what a call costs beside the SDK alone",
        says=f"{count:,} verdicts of a local endpoint that answers after 50 ms, {AT_ONCE} at once. Ours writes each "
        "request and reply to its journal before it counts; the SDK in a pool of threads keeps nothing.",
        rows=(
            at_most("CPU a call, ours", ours["cpu"] / count * 1000, 2, "ms", digits=2),
            Row(what="CPU a call, the SDK alone", found=f"{sdk['cpu'] / count * 1000:.2f} ms"),
            at_most("CPU as a share of the SDK's", ours["cpu"] / sdk["cpu"], 1.0, "", digits=2),
            Row(what="wall as a multiple of the least possible: ours", found=f"{ours['wall'] / ideal:.2f}"),
            Row(what="wall as a multiple of the least possible: the SDK", found=f"{sdk['wall'] / ideal:.2f}"),
        ),
    )
