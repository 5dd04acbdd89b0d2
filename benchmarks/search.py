"""Exact search beside faiss flat, usearch exact and the machine's own matrix product, on the same vectors.

``EVENHAND_PEERS_PYTHON`` names an interpreter that has faiss and usearch; what it lacks is left out.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.bench import Bench, Row, measured

DIMENSIONS, DEPTH = 384, 100
HEAD = """
import json, sys, time
import numpy as np
held, asked, k = np.load(sys.argv[1]), np.load(sys.argv[2]), int(sys.argv[3])
"""
TAIL = """
cpu, wall = time.process_time(), time.perf_counter()
unit = search()
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
if unit is not None: np.save(sys.argv[4], np.asarray(unit))
print(json.dumps([cpu, wall]))
"""
OURS = """
from evenhand.retrieve.dense.exact import cosine_top
def search():
    return np.array([unit for unit, _ in cosine_top(asked, {held}, k)[0]])
"""
PRODUCT = """
def search():
    for i in range(0, len(asked), 512):
        for j in range(0, len(held), 4096):
            asked[i:i + 512] @ held[j:j + 4096].T
"""
FAISS = """
import faiss
index = faiss.IndexFlatIP(held.shape[1])
index.add(held)
def search():
    return index.search(asked, k)[1]
"""
USEARCH = """
from usearch.index import search as exact, MetricKind
def search():
    return exact(held, asked, k, MetricKind.IP, exact=True).keys.astype(int)
"""
MADE = """
import sys
import numpy as np
rng = np.random.default_rng(7)
held = rng.standard_normal((int(sys.argv[1]), int(sys.argv[3])), dtype=np.float32)
asked = held[: int(sys.argv[2])] + 2 * rng.standard_normal((int(sys.argv[2]), int(sys.argv[3])), dtype=np.float32)
for name, rows in (("units", held), ("questions", asked)):
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)  # of length 1: the peers know inner products alone
    np.save(sys.argv[4] + "/" + name + ".npy", rows)
"""
SAME = """
import json, sys
import numpy as np
one, two = np.load(sys.argv[1]), np.load(sys.argv[2])
print(json.dumps(float(np.mean([len(np.intersect1d(a, b)) / len(a) for a, b in zip(one, two)]))))
"""
MAPPED = "__import__('evenhand.retrieve.vectors.memmap', fromlist=['opened']).opened(sys.argv[1])"
NAMES = {
    "product": "the matrix products alone, by numpy",
    "evenhand": "evenhand, in memory",
    "mapped": "evenhand, from a mapped file",
    "faiss": "faiss, IndexFlatIP",
    "usearch": "usearch, exact",
}


def main(quick: bool) -> Bench:
    units, questions = (20_000, 200) if quick else (100_000, 1000)
    says = (
        f"The {DEPTH} nearest of {units:,} units for {questions:,} questions, {DIMENSIONS} dimensions, float32: "
        "CPU seconds of the search alone (all threads), medians of rounds in which all ran in turn."
    )
    python = os.environ.get("EVENHAND_PEERS_PYTHON")
    commands = {
        "product": (sys.executable, PRODUCT),
        "evenhand": (sys.executable, OURS.format(held="held")),
        "mapped": (sys.executable, OURS.format(held=MAPPED)),
    }
    if python:
        there = "import importlib.util as u; print(*[n for n in ('faiss', 'usearch') if u.find_spec(n)])"
        found = subprocess.run(
            [python, "-c", there], capture_output=True, text=True, check=True
        ).stdout.split()
        commands |= {name: (python, {"faiss": FAISS, "usearch": USEARCH}[name]) for name in found}
    cpu: dict[str, list[float]] = {name: [] for name in commands}
    wall: dict[str, list[float]] = {name: [] for name in commands}
    memory: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as top:
        measured((sys.executable, "-c", MADE, str(units), str(questions), str(DIMENSIONS), top))
        files = (f"{top}/units.npy", f"{top}/questions.npy", str(DEPTH))
        for _ in range(1 if quick else 3):
            for name, (by, code) in commands.items():
                head = HEAD.replace("np.load(sys.argv[1]), np", "None, np") if name == "mapped" else HEAD
                ran = measured((by, "-c", head + code + TAIL, *files, f"{top}/{name}.npy"))
                one, two = json.loads(ran.out)
                cpu[name].append(one)
                wall[name].append(two)
                memory[name] = ran.rss
        same = {
            name: json.loads(
                measured((sys.executable, "-c", SAME, f"{top}/evenhand.npy", f"{top}/{name}.npy")).out
            )
            for name in commands
            if Path(f"{top}/{name}.npy").is_file() and name != "evenhand"
        }
    middle = {name: statistics.median(values) for name, values in cpu.items()}
    rate = 2 * units * questions * DIMENSIONS / 1e9
    rows = [
        Row(
            what=NAMES[name],
            found=f"{middle[name]:.2f} CPU s ({rate / middle[name]:.0f} Gflop a CPU s), "
            f"wall {statistics.median(wall[name]):.2f} s, {memory[name]:.0f} MiB",
        )
        for name in commands
    ]
    for name, most in (("product", None), ("faiss", 1.25), ("usearch", 1.0)):
        if name in middle:
            ratio = middle["evenhand"] / middle[name]
            rows.append(
                Row(
                    what=f"evenhand, as a share of the CPU of {NAMES[name]}",
                    found=f"{ratio:.2f}",
                    target=f"at most {most}" if most else "",
                    met=ratio <= most if most else None,
                )
            )
    rows += [
        Row(
            what=f"units also found by {NAMES[name]}",
            found=f"{share:.4%}",
            target="at least 99.9%",
            met=share >= 0.999,
        )
        for name, share in same.items()
    ]
    lacking = [name for name in ("faiss", "usearch") if name not in commands]
    notes = (f"not measured: {', '.join(lacking)} (EVENHAND_PEERS_PYTHON)",) if lacking else ()
    return Bench(title="Exact search", says=says, rows=tuple(rows), notes=notes)
