"""Measuring run files: evenhand beside pytrec_eval, ranx and ir_measures, whole processes in turn.

``EVENHAND_PEERS_PYTHON`` names an interpreter that has them; what it lacks is left out.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.bench import EVENHAND, Bench, Row, Sample, measured

METRICS = ("nDCG@10", "RR@10", "R@5", "R@10", "R@100", "AP", "Success@1", "Success@5", "P@5")
PEERS = {
    "pytrec_eval": """
import sys, pytrec_eval
with open(sys.argv[1]) as f: qrels = pytrec_eval.parse_qrel(f)
with open(sys.argv[2]) as f: run = pytrec_eval.parse_run(f)
wanted = {"ndcg_cut.10", "recip_rank", "recall.5,10,100", "map", "success.1,5", "P.5"}
found = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)
names = list(next(iter(found.values())))
print({name: sum(one[name] for one in found.values()) / len(found) for name in names})
""",
    "ranx": """
import sys, ranx
qrels, run = ranx.Qrels.from_file(sys.argv[1], kind="trec"), ranx.Run.from_file(sys.argv[2], kind="trec")
wanted = ["ndcg@10", "mrr@10", "recall@5", "recall@10", "recall@100", "map", "hit_rate@1", "hit_rate@5", "precision@5"]
print(ranx.evaluate(qrels, run, wanted, make_comparable=True))
""",
    "ir_measures": """
import sys, ir_measures
from ir_measures import nDCG, RR, R, AP, Success, P
wanted = [nDCG @ 10, RR @ 10, R @ 5, R @ 10, R @ 100, AP, Success @ 1, Success @ 5, P @ 5]
qrels = list(ir_measures.read_trec_qrels(sys.argv[1]))
print(ir_measures.calc_aggregate(wanted, qrels, ir_measures.read_trec_run(sys.argv[2])))
""",
}
# of CPU and of wall seconds: at least so many times as fast as pytrec_eval; at most so much of its memory
GOALS = {"a": (4.5, 0.60), "d": (3.5, 0.50), "b": (1 / 1.3, None), "c": (1 / 1.3, None)}
NAMES = {"a": "6,980 × 1,000", "d": "100,000 × 100", "b": "54 × 1,000", "c": "40 × 10"}


def installed(python: str) -> list[str]:
    code = f"import importlib.util as u; print(*[n for n in {list(PEERS)!r} if u.find_spec(n)])"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def ours(folder: Path, run: str) -> tuple[str, ...]:
    wanted = [word for name in METRICS for word in ("-m", name)]
    return (*EVENHAND, "eval", str(folder / "qrels.txt"), str(folder / run), "--like", "trec_eval", *wanted)


def median(samples: list[Sample]) -> tuple[float, float, float]:
    """CPU, wall and memory."""
    return tuple(statistics.median(getattr(one, name) for one in samples) for name in ("cpu", "wall", "rss"))  # type: ignore[return-value]


def in_rounds(commands: dict[str, tuple[str, ...]], rounds: int) -> dict[str, tuple[float, float, float]]:
    seen: dict[str, list[Sample]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            seen[name].append(measured(command))
    return {name: median(samples) for name, samples in seen.items()}


def at_least(what: str, found: float, limit: float) -> Row:
    return Row(what=what, found=f"{found:.2f} ×", target=f"at least {limit:.2f} ×", met=found >= limit)


def rows_of(key: str, found: dict[str, tuple[float, float, float]]) -> list[Row]:
    """What the peers took beside evenhand, on the same files."""
    name, mine = NAMES[key], found["evenhand"]
    rows = [
        Row(what=f"{name}: {who}", found=f"CPU {cpu:.2f} s, wall {wall:.2f} s, {rss:.0f} MiB")
        for who, (cpu, wall, rss) in found.items()
    ]
    if "pytrec_eval" in found:
        cpu, wall, rss = found["pytrec_eval"]
        speed, room = GOALS[key]
        rows.append(at_least(f"{name}: CPU, times as fast as pytrec_eval", cpu / mine[0], speed))
        if room is not None:
            rows.append(at_least(f"{name}: wall, times as fast as pytrec_eval", wall / mine[1], speed))
            share = mine[2] / rss
            rows.append(
                Row(
                    what=f"{name}: memory, share of pytrec_eval's",
                    found=f"{share:.2f}",
                    target=f"at most {room}",
                    met=share <= room,
                )
            )
        if "parquet" in found:
            rows.append(at_least(f"{name} from Parquet: CPU, times as fast", cpu / found["parquet"][0], 7))
    if "ranx" in found:
        rows.append(
            at_least(f"{name}: CPU, times as fast as ranx", found["ranx"][0] / mine[0], 15)
            if key == "a"
            else Row(what=f"{name}: CPU, times as fast as ranx", found=f"{found['ranx'][0] / mine[0]:.1f} ×")
        )
    for other in ("shuffled", "interleaved"):
        if other in found:
            ratio = found[other][0] / mine[0]
            rows.append(
                Row(
                    what=f"{name}, {other}: CPU, times that of the ordered file",
                    found=f"{ratio:.2f} ×",
                    target="at most 2 ×",
                    met=ratio <= 2,
                )
            )
    return rows


def main(quick: bool) -> Bench:
    title = "Measuring run files"
    says = (
        "`evenhand eval --like trec_eval` with nine metrics on seeded files beside its peers: whole processes in "
        "turn, start-up and reading included, medians. Duplicates are looked for, as always."
    )
    python = os.environ.get("EVENHAND_PEERS_PYTHON")
    peers = installed(python) if python else []
    if quick:
        peers = [name for name in peers if name == "pytrec_eval"]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as top:
        for key in ("c", "b") if quick else ("c", "b", "a", "d"):
            folder = Path(top, key)
            subprocess.run(
                (sys.executable, "-c", MADE, str(folder), key, str(int(key == "a"))),
                check=True,
                cwd=Path(__file__).resolve().parent.parent,
            )
            commands = {"evenhand": ours(folder, "run.txt")}
            if key == "a":
                commands |= {
                    "parquet": ours(folder, "run.parquet"),
                    "shuffled": ours(folder, "shuffled.txt"),
                    "interleaved": ours(folder, "interleaved.txt"),
                }
            for name in peers:
                files = (str(folder / "qrels.txt"), str(folder / "run.txt"))
                commands[name] = (str(python), "-c", PEERS[name], *files)
            rows += rows_of(key, in_rounds(commands, 5 if key in "bc" else 3))
    notes = () if peers else ("no peer: EVENHAND_PEERS_PYTHON names no interpreter that has one",)
    return Bench(title=title, says=says, rows=tuple(rows), notes=notes)


# in a process of its own: a child counts the memory of its parent until it has become itself
MADE = """
import sys
from pathlib import Path
from benchmarks.workloads import SIZES, make
more = sys.argv[3] == "1"
make(Path(sys.argv[1]), SIZES[sys.argv[2]], orders=more, parquet=more)
"""
