"""BM25 beside bm25s itself: index and search of the same texts, processor and memory."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.bench import ROOT, Bench, Row, at_most, measured

DEPTH = 50
OURS = """
import json, sys, time
import evenhand as eh
given = json.load(open(sys.argv[1]))
corpus = eh.Corpus(documents=tuple(eh.Document(id=f"d{n:06d}", text=t) for n, t in enumerate(given["units"])))
units = eh.chunk(corpus, eh.Whole())
asked = {f"q{n:05d}": t for n, t in enumerate(given["questions"])}
begun = time.process_time()
run = eh.retrieve(eh.BM25(), units, asked, depth=int(sys.argv[2]))
spent = time.process_time() - begun
print(json.dumps({"cpu": spent}))
"""
THEIRS = """
import json, sys, time
import bm25s, Stemmer
given = json.load(open(sys.argv[1]))
stemmer = Stemmer.Stemmer("english")
begun = time.process_time()
made = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
made.index(bm25s.tokenize(given["units"], stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
tokens = bm25s.tokenize(given["questions"], stopwords="en", stemmer=stemmer, show_progress=False)
found, _ = made.retrieve(tokens, k=int(sys.argv[2]), show_progress=False, n_threads=1)
spent = time.process_time() - begun
print(json.dumps({"cpu": spent}))
"""


def texts(copies: int) -> dict[str, list[str]]:
    """Paragraphs of the handbook, each copy with words of its own, and the handbook's questions."""
    words = []
    for path in sorted((ROOT / "examples/handbook/docs").rglob("*.md")):
        words += [part for part in path.read_text(encoding="utf-8").split("\n\n") if len(part) > 80]
    with (ROOT / "examples/handbook/gold.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line)["text"] for line in lines]
    units = [f"{part} annex {n} of volume {n % 97}" for n in range(copies) for part in words]
    return {"units": units, "questions": questions * max(1, copies // 4)}


def main(quick: bool) -> Bench:
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as folder:
        given = Path(folder, "texts.json")
        made = texts(8 if quick else 100)
        given.write_text(json.dumps(made), encoding="utf-8")
        ours, theirs = [], []
        for _ in range(1 if quick else 3):
            for seen, code in ((ours, OURS), (theirs, THEIRS)):
                sample = measured((sys.executable, "-c", code, str(given), str(DEPTH)))
                seen.append((json.loads(sample.out), sample.rss))
    cpu = [min(one["cpu"] for one, _ in seen) for seen in (ours, theirs)]
    rss = [max(memory for _, memory in seen) for seen in (ours, theirs)]
    return Bench(
        title="BM25 beside bm25s",
        says=f"{len(made['units']):,} units, {len(made['questions']):,} questions, depth {DEPTH}: tokens, index and "
        "search on one thread; the least processor time of several rounds, the largest memory.",
        rows=(
            at_most("CPU as a share of bm25s's", cpu[0] / cpu[1], 1.5, "", digits=2),
            at_most("memory as a share of bm25s's", rss[0] / rss[1], 1.5, "", digits=2),
            Row(
                what="units and questions a second of CPU", found=f"{len(made['units']) / cpu[0]:,.0f} units"
            ),
        ),
        notes=(
            "evenhand takes bm25s's formulas and adds what a study needs: words of any script, a rule for ties, float64",
        ),
    )
