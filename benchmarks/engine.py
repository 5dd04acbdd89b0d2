"""Two heavy steps in one process and on two workers of a local Dask cluster: the same bytes, and what it costs."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec

from benchmarks.bench import Bench, Row, at_most, measured

BOTH = """
import json, sys, time
import numpy as np
from evenhand.engine.dask import Dask
from evenhand.retrieve.dense.distributed_exact import nearest
from evenhand.stats.intervals.resample import resampled_means

def best(work, times):
    spent = []
    for _ in range(times):
        begun = time.perf_counter()
        out = work()
        spent.append(time.perf_counter() - begun)
    return min(spent), out

def same(one, other):
    return all(a.tobytes() == b.tobytes() and x.tobytes() == y.tobytes() for (a, x), (b, y) in zip(one[0], other[0]))

if __name__ == "__main__":
    units, asked, n, times = (int(word) for word in sys.argv[1:])
    dice = np.random.default_rng(1)
    held = dice.standard_normal((units, 384), dtype=np.float32)
    questions = dice.standard_normal((asked, 384), dtype=np.float32)
    columns = np.clip(dice.beta(0.6, 0.8, (n, 27)), 0, 1)
    found = {}
    engine = Dask(workers=2)
    begun = time.perf_counter()
    engine.client()
    found["start"] = time.perf_counter() - begun
    search = lambda where: nearest(questions, held, 100, engine=where)
    draw = lambda where: resampled_means(columns, resamples=10_000, seed=1, engine=where)
    for name, work in (("search", search), ("draw", draw)):
        here, one = best(lambda: work(None), times)
        there, other = best(lambda: work(engine), times)
        found[name] = {"here": here, "there": there, "same": same(one, other) if name == "search" else one.tobytes() == other.tobytes()}
    engine.close()
    print(json.dumps(found))
"""
STEPS = {
    "search": "exact search, {units:,} units × {asked:,} questions × 384",
    "draw": "10,000 resamples of {n:,} × 27",
}


def main(quick: bool) -> Bench:
    title = "Engines: one process and a cluster"
    says = (
        "Exact search and resampling here, and on two workers of a Dask cluster on the same two cores: pieces are "
        "sent, done and put together. Added machines are the gain, this is the price."
    )
    if find_spec("distributed") is None:
        return Bench(title=title, says=says, skipped="distributed is not installed")
    size = (
        {"units": 30_000, "asked": 1_000, "n": 2_000}
        if quick
        else {"units": 100_000, "asked": 4_000, "n": 6_980}
    )
    numbers = [*map(str, size.values()), "1" if quick else "2"]
    found = json.loads(measured((sys.executable, "-c", BOTH, *numbers)).out)
    rows: list[Row] = []
    for name, what in STEPS.items():
        one = found[name]
        rows.append(at_most(f"{what.format(**size)}: Dask / here", one["there"] / one["here"], 2, "×"))
        rows.append(Row(what="  seconds here and there", found=f"{one['here']:.2f} and {one['there']:.2f}"))
    same = all(found[name]["same"] for name in STEPS)
    rows.append(Row(what="the same bytes", found="yes" if same else "no", target="yes", met=same))
    rows.append(Row(what="start of two workers", found=f"{found['start']:.1f} s"))
    return Bench(title=title, says=says, rows=tuple(rows))
