"""Paired statistics of many columns at once, beside scipy column by column."""

from __future__ import annotations

import json
import sys

from benchmarks.bench import Bench, Row, at_most, measured

COLUMNS = 27  # nine metrics, three pairs
ONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
SHARED = """
import json, resource, sys, time
import numpy as np
n, columns = int(sys.argv[1]), int(sys.argv[2])
dice = np.random.default_rng(1)
a = dice.beta(0.6, 0.8, (n, columns))
b = np.clip(a + dice.normal(0.01, 0.15, (n, columns)), 0, 1)
d = b - a
def rss(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
def best(work, times=3):
    spent = []
    for _ in range(times):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return min(spent)
"""
OURS = (
    SHARED
    + """
from evenhand.stats.intervals.resample import resampled_means
from evenhand.stats.paired.signflip import signflips
before = rss()
found = {
    "bootstrap": best(lambda: resampled_means(d, resamples=10_000, seed=1)),
    "signs": best(lambda: signflips(d, signs=10_000)),
    "signs20": best(lambda: signflips(d, signs=20_000)),
}
print(json.dumps(found | {"extra": rss() - before}))
"""
)
THEIRS = (
    SHARED
    + """
from scipy import stats
batch = 100 if n > 1000 else None
draw = np.random.default_rng
def boot():
    stats.bootstrap((d[:, 0],), np.mean, n_resamples=10_000, method="percentile", vectorized=True, batch=batch, rng=draw(0))
def signs():
    stats.permutation_test((b[:, 0], a[:, 0]), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples",
                           vectorized=True, n_resamples=10_000, batch=batch or 10_000, rng=draw(0))
times = 3 if n < 1000 else 1
print(json.dumps({"bootstrap": best(boot, times) * columns, "signs": best(signs, times) * columns}))
"""
)
TEN = """
import time
import numpy as np
from evenhand.metrics.comparison.summary import compare
from evenhand.model.result import Measurements
systems, n = tuple(f"s{i}" for i in range(10)), 6980
metrics = ("nDCG@10", "RR@10", "R@5", "R@10", "R@100", "AP", "P@5", "RBP")
dice = np.random.default_rng(0)
value = np.clip(dice.beta(0.6, 0.8, n) + dice.normal(0, 0.2, (10, 8, n)) + np.arange(10)[:, None, None] * 0.004, 0, 1)
none = np.zeros(value.shape, bool)
m = Measurements(systems=systems, metrics=metrics, questions=tuple(map(str, range(n))), value=value,
                 why=np.zeros(value.shape, np.int16), reasons=("",), unreachable=none, missing=np.zeros((10, n), bool), extra={})
begun = time.perf_counter()
print(len(compare(m, primary="nDCG@10").contrasts), time.perf_counter() - begun)
"""
SAME = """
import hashlib, sys
import numpy as np
from evenhand.stats.intervals.resample import resampled_means
from evenhand.stats.paired.signflip import signflips
d = np.random.default_rng(1).normal(0.01, 0.2, (700, 27))
cells = int(sys.argv[1])
print(hashlib.sha256(resampled_means(d, resamples=2000, seed=1, cells=cells).tobytes()
                     + repr(signflips(d, signs=2000, cells=cells)).encode()).hexdigest())
"""


def main(quick: bool) -> Bench:
    rows: list[Row] = []
    for n in (40,) if quick else (40, 1000, 6980):
        size = (str(n), str(COLUMNS))
        mine = json.loads(measured((sys.executable, "-c", OURS, *size), env=ONE).out)
        other = json.loads(measured((sys.executable, "-c", THEIRS, *size), env=ONE).out)
        for name, what, least in (("bootstrap", "bootstrap", 8), ("signs", "permutation_test", 200)):
            ratio = other[name] / mine[name]
            rows.append(
                Row(
                    what=f"N = {n:,}, 10,000 {'resamples' if name == 'bootstrap' else 'sign vectors'}: scipy {what} / evenhand",
                    found=f"{ratio:,.0f} × ({mine[name]:.4f} s)",
                    target=f"at least {least} ×",
                    met=ratio >= least,
                )
            )
        rows.append(Row(what=f"N = {n:,}, 20,000 sign vectors", found=f"{mine['signs20']:.4f} s"))
        rows.append(at_most(f"N = {n:,}: memory beyond the columns", mine["extra"], 128, "MiB", digits=0))
    if not quick:
        count, seconds = measured((sys.executable, "-c", TEN), env=ONE).out.split()
        rows.append(
            at_most(f"ten runs × eight measures, 6,980 questions, {count} contrasts", float(seconds), 30, "s")
        )
    digests = {
        measured((sys.executable, "-c", SAME, cells), env={"OPENBLAS_NUM_THREADS": threads}).out
        for cells, threads in (("1500000", "1"), ("40000", "2"), ("1500000", "2"))
    }
    rows.append(
        Row(
            what="the same bytes for any number of threads and any size of block",
            found=f"{len(digests)} digest",
            target="1 digest",
            met=len(digests) == 1,
        )
    )
    return Bench(
        title="Resampling",
        says=f"Paired bootstrap and sign flips of {COLUMNS} columns in one pass, beside scipy on one column times "
        f"{COLUMNS}: CPU seconds, one thread, the least of three.",
        rows=tuple(rows),
    )
