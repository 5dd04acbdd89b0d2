"""How long `evenhand study verify` takes: 5,000 questions × 5 systems × depth 100, registered, with a look.

python benchmarks/verify.py [--questions 5000] [--independent]
"""

import argparse
import json
import random
import resource
import tempfile
import time
from itertools import count
from pathlib import Path

from evenhand.formats.study_file.read import read_study
from evenhand.study.comparison.run import conduct
from evenhand.study.registration.register import register
from evenhand.study.verification.verify import verify

SYSTEMS = 5


def words(dice, n):
    return " ".join(f"w{min(int(dice.paretovariate(0.9)), 20_000)}" for _ in range(n))


def make(folder, questions, depth, *, seed=3, systems=SYSTEMS, plots=False):
    """A corpus of short documents, a question on each of some, run files that find it or do not."""
    dice = random.Random(seed)  # noqa: S311
    (folder / "docs").mkdir(parents=True)
    ids, rows, gold = [], [], []
    for d in range(questions):
        fact = f"Fact {d} holds {words(dice, 6)}."
        text = f"{words(dice, 40)}. {fact} {words(dice, 30)}."
        ids.append(f"d{d:05}")
        rows.append(json.dumps({"_id": ids[-1], "title": "", "text": text}))
        span = {"doc": ids[-1], "quote": fact}
        gold.append(
            {
                "id": f"q{d:05}",
                "text": f"What does fact {d} hold, {words(dice, 3)}?",
                "type": "abc"[d % 3],
                "cluster": f"c{d}",
                "evidence": [{"nugget": "f", "spans": [span]}],
            }
        )
    (folder / "docs" / "corpus.jsonl").write_text("\n".join(rows) + "\n")
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    field = ""
    for s in range(systems):
        with (folder / f"s{s}.trec").open("w") as file:
            for d in range(questions):
                found = dice.sample(range(questions), depth)
                if dice.random() < 0.5 + 0.4 * s / systems:
                    found = [d, *[x for x in found if x != d]][:depth]
                    found.insert(min(int(dice.expovariate(0.5)), depth - 1), found.pop(0))
                for rank, x in enumerate(found, 1):
                    file.write(f"q{d:05} Q0 d{x:05} {rank} {1 / rank:.6f} s{s}\n")
        field += f'[system.s{s}]\nrun = "s{s}.trec"\n'
    (folder / "study.toml").write_text(
        f'[study]\nname = "large"\n[corpus]\npath = "docs"\n[gold]\npath = "gold.jsonl"\n'
        f'[chunking.whole]\nrule = "document"\n{field}'
        f'[measure]\nprimary = "nDCG@10"\nsecondary = ["RR@10", "R@{depth}", "Success@1", "Success@5"]\n'
        f"depth = {depth}\n[report]\nplots = {str(plots).lower()}\n"
        f'[criteria]\nx = {{ on = "s{systems - 1}.nDCG@10", at_least = 0.1 }}\n'
    )
    return folder / "study.toml"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=5_000)
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--independent", action="store_true")
    asked = parser.parse_args()
    ticks = count()
    with tempfile.TemporaryDirectory() as place:
        file = make(Path(place) / "w", asked.questions, asked.depth)
        plan, home = read_study(file), file.parent
        for name, work in (
            ("register", lambda: register(plan, home, now=lambda: f"2026-01-01T00:00:{next(ticks):02}.000Z")),
            ("run", lambda: conduct(plan, home)),
            ("verify", lambda: verify(plan, home)),
            ("verify --independent", lambda: verify(plan, home, independent=True)),
        ):
            if name.endswith("independent") and not asked.independent:
                continue
            wall, cpu = time.perf_counter(), time.process_time()
            made = work()
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{name:<22} {wall:6.1f} s wall, {cpu:6.1f} s CPU, {peak:5.0f} MiB")
            if name.startswith("verify"):
                assert all(one.state != "fault" for one in made.checks), made.checks


if __name__ == "__main__":
    main()
