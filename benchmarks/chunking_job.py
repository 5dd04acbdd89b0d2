"""Four chunkings × BM25 and TF-IDF on chunking_evaluation, 472 questions: the job of a nearest rival.

With ``EVENHAND_CONTEXT_GRID`` naming its program, context-grid does its own version of it in the same run.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.bench import EVENHAND, SHARED, Bench, Row, Sample, at_most, example, measured

DATA = SHARED / "data" / "chunking_evaluation"
VARIANTS = (
    {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
    {"OMP_NUM_THREADS": "2", "PYTHONHASHSEED": "1"},
    {"POLARS_MAX_THREADS": "1", "PYTHONHASHSEED": "2"},
)


def job(study: str, env: dict[str, str] | None = None) -> tuple[Sample, str]:
    """One cold run in a folder of its own, and the digest of its report."""
    with example("chunking_evaluation") as folder:
        sample = measured((*EVENHAND, "run", str(folder / study), "--quiet"), env=env)
        return sample, hashlib.sha256((folder / "results" / "report.json").read_bytes()).hexdigest()


def best(samples: list[Sample]) -> tuple[float, float, float]:
    """Least CPU and wall, for other work on the machine only adds; largest memory."""
    return min(s.cpu for s in samples), min(s.wall for s in samples), max(s.rss for s in samples)


def main(quick: bool) -> Bench:
    says = (
        "`evenhand run examples/chunking_evaluation/lexical.toml`, cold, whole process, report and page "
        "included: the least CPU and wall of the runs, the largest memory."
    )
    if not DATA.is_dir():
        return Bench(title="The chunking job", says=says, skipped=f"{DATA.name} is not beside the project")
    ran = [job("lexical.toml", env) for env in (VARIANTS[:2] if quick else (*VARIANTS, VARIANTS[0]))]
    cpu, wall, rss = best([sample for sample, _ in ran])
    digests = {digest for _, digest in ran}
    packed = best([job("sentences.toml")[0] for _ in range(1 if quick else 2)])
    rows = [
        at_most("CPU", cpu, 10, "s"),
        at_most("memory", rss, 250, "MiB", digits=0),
        Row(what="wall", found=f"{wall:.1f} s"),
        Row(
            what="report.json the same bytes",
            found=f"{len(digests)} digest in {len(ran)} runs, 1 and 2 threads, {min(len(ran), 3)} hash seeds",
            target="1 digest",
            met=len(digests) == 1,
        ),
        at_most("packing sentences (three sizes × two systems): CPU beyond that", packed[0] - cpu, 5, "s"),
        Row(what="packing sentences: CPU, memory", found=f"{packed[0]:.1f} s, {packed[2]:.0f} MiB"),
    ]
    peer = os.environ.get("EVENHAND_CONTEXT_GRID")
    notes: tuple[str, ...] = ()
    if peer and not quick:
        other = rival(peer)
        rows += [
            Row(
                what="context-grid, its own version of the job",
                found=f"{other[0]:.1f} CPU s, {other[1]:.0f} MiB",
            ),
            at_most("CPU as a share of context-grid's", cpu / other[0], 10 / 58, "", digits=2),
            at_most("memory as a share of context-grid's", rss / other[1], 250 / 788, "", digits=2),
        ]
        notes = (
            "context-grid counts words where evenhand counts the embedder's tokens: sizes differ by about a fifth",
        )
    elif not peer:
        notes = ("context-grid was not measured: EVENHAND_CONTEXT_GRID does not name its program",)
    return Bench(title="The chunking job", says=says, rows=tuple(rows), notes=notes)


def rival(program: str) -> tuple[float, float]:
    """CPU seconds and MiB of context-grid on the same questions."""
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as top:
        out = Path(top, "out.json")
        script = SHARED / "bench" / "context_grid_job.py"
        places = (str(DATA / "corpora"), str(DATA / "questions_df.csv"))
        options = ("--work", top, "--cli", program, "--repeats", "1", "--json", str(out))
        measured((sys.executable, str(script), *places, *options))
        (ran,) = json.loads(out.read_text())["runs"]
    if ran["rc"]:
        raise RuntimeError(f"context-grid ended with {ran['rc']}")
    return ran["cpu_s"], ran["rss_mib"]
