"""An exported gate in production: microseconds a decision, and what a process that decides has loaded."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.bench import Bench, Row, at_most, measured

LIMIT = 50.0
CHILD = """
import json, sys, timeit
import evenhand as eh
of = ("bm25", "dense", "current")
ranked = {{n: [(f"d{{(7 * i + j) % 60}}", 1 - i / 200) for i in range(50)] for j, n in enumerate(of)}}
found = {{}}
for name in {names!r}:
    decide = eh.load_gate({folder!r} + "/" + name + ".json").decide
    found[name] = min(timeit.repeat(lambda: decide(ranked), number=500, repeat={repeat})) / 500 * 1e6
found["heavy"] = sorted({{m.split(".")[0] for m in sys.modules}} & {{"numpy", "scipy", "polars", "pydantic"}})
print(json.dumps(found))
"""


def main(quick: bool) -> Bench:
    from evenhand.formats.results.gate import write_gate
    from evenhand.gate.production.exported import Gate
    from evenhand.gate.production.learned import Learned
    from evenhand.gate.production.rules import Consensus, threshold_rule
    from evenhand.gate.production.scales import SCALES
    from evenhand.gate.signals import signal

    of = ("bm25", "dense", "current")
    scales = {"bm25": SCALES["bm25"], "dense": SCALES["cosine"], "current": SCALES["share"]}
    names = ("score(bm25)", "margin(dense)", "agreement@5", "rbo@10")
    rules = {
        "consensus": Consensus(of),
        "score": threshold_rule("score(dense)", 0.7, of, scales),
        "rbo@10": threshold_rule("rbo@10", 0.5, of, scales),
        "learned": Learned(
            signals=tuple(signal(name, of, scales) for name in names),
            centre=(0.5,) * 4, spread=(0.2,) * 4, coefficients=(1.0,) * 4, intercept=0.0, threshold=0.5,
        ),
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as folder:
        for name, rule in rules.items():
            write_gate(Path(folder, f"{name}.json"), Gate(rule, scales))
        code = CHILD.format(names=tuple(rules), folder=folder, repeat=5 if quick else 40)
        found = json.loads(measured((sys.executable, "-c", code)).out)
    heavy = found.pop("heavy")
    return Bench(
        title="A gate in production",
        says="One process, three systems of 50 documents with scores; the best of many rounds of 500 decisions.",
        rows=(
            *(at_most(f"`decide`, {name}", us, LIMIT, "µs") for name, us in found.items()),
            Row(what="heavy modules loaded", found=", ".join(heavy) or "none", target="none", met=not heavy),
        ),
    )
