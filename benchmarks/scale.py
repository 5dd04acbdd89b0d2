"""A whole study with vectors given in files, at sizes ten times apart: what each further unit costs.

``python -m benchmarks.scale UNITS QUESTIONS`` runs one of any size and prints what it took; `make soak` runs
1,000,000 × 10,000.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench import EVENHAND, ROOT, Bench, Row, at_most, measured

STEPS = {
    "cut": ("units/windows",),
    "bm25": ("run/bm25",),
    "exact search": ("run/dense",),
    "tokens of each unit": ("sizes/windows",),
    "measure": ("measurements",),
    "resample, look for copies, report": ("report",),
    "page": ("page",),
    "exports": ("export", "export/bm25", "export/dense"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One study: CPU and wall seconds of the process, MiB at its largest, wall seconds by step."""

    units: int
    questions: int
    cpu: float
    wall: float
    rss: float
    steps: dict[str, float]
    headline: str


def ran(units: int, questions: int) -> Ran:
    """Make the inputs in a folder of their own, run the study cold, and throw all away."""
    with tempfile.TemporaryDirectory(prefix="evenhand-scale-") as top:
        folder = Path(top)
        make = (sys.executable, "-m", "benchmarks.scale_study", top, str(units), str(questions))
        measured(make, cwd=ROOT)
        sample = measured((*EVENHAND, "run", "study.toml", "--quiet"), cwd=folder)
        costs = json.loads((folder / "results" / "costs.json").read_text())["seconds"]
        report = json.loads((folder / "results" / "report.json").read_text())
    steps = {name: sum(costs[one] for one in parts) for name, parts in STEPS.items()}
    return Ran(
        units=units,
        questions=questions,
        cpu=sample.cpu,
        wall=sample.wall,
        rss=sample.rss,
        steps={**steps, "read, import, write": max(0.0, sample.wall - sum(steps.values()))},
        headline=report["headline"],
    )


def told(one: Ran) -> str:
    """What one study took, in a line a step."""
    took = f"{one.cpu:.0f} CPU s, {one.wall:.0f} s, {one.rss:,.0f} MiB at most"
    lines = [f"{one.units:,} units × {one.questions:,} questions: {took}; {one.headline}"]
    return "\n".join([*lines, *(f"  {name}: {seconds:.1f} s" for name, seconds in one.steps.items())])


def main(quick: bool) -> Bench:
    says = (
        "`evenhand run` on a made-up study (BM25 and exact search over given vectors of 384 dimensions), cold, whole "
        "process; ten times the units and ten times the questions."
    )
    sizes = ((2000, 20), (20_000, 200)) if quick else ((10_000, 100), (100_000, 1000))
    small, large = (ran(*size) for size in sizes)
    more = (large.rss - small.rss) / (large.units - small.units) * 1024
    rows = [
        *(
            Row(what=f"{one.units:,} × {one.questions:,}", found=f"{one.cpu:.1f} CPU s, {one.rss:.0f} MiB")
            for one in (small, large)
        ),
        at_most("memory of each further unit", more, 4, "KiB", digits=1),
    ]
    if not quick:
        rows.append(at_most("memory of the larger", large.rss, 700, "MiB", digits=0))
    return Bench(title="A large study", says=says, rows=tuple(rows))


if __name__ == "__main__":
    print(told(ran(int(sys.argv[1]), int(sys.argv[2]))))
