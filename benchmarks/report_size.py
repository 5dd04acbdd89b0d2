"""What a report weighs: the page and the JSON of the built-in study, and how both grow with questions."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

from benchmarks.bench import EVENHAND, Bench, Row, at_most, measured

STUDY = """[study]
name = "weight"
[corpus]
path = "docs"
[gold]
path = "gold.jsonl"
[chunking.document]
rule = "document"
[system.bm25]
retriever = "bm25"
[system.tfidf]
retriever = "tfidf"
[system.both]
fuse = ["bm25", "tfidf"]
[measure]
primary = "nDCG@10"
secondary = ["RR(rel=2)@10", "Success(rel=2)@5"]
"""
SENTENCE = "Item {n} of shelf {shelf} is kept for {weeks} weeks and named after number {name}."


def study(folder: Path, questions: int) -> Path:
    """A study of so many questions, each about one of as many short documents."""
    (folder / "docs").mkdir(parents=True)
    with (folder / "gold.jsonl").open("w", encoding="utf-8") as gold:
        for n in range(questions):
            told = SENTENCE.format(n=n, shelf=n % 89, weeks=2 + n % 31, name=n * 7919 % 100_003)
            (folder / "docs" / f"d{n:05d}.md").write_text(f"# Item {n}\n\n{told}\n", encoding="utf-8")
            span = {"doc": f"d{n:05d}.md", "quote": told}
            line = {"id": f"q{n:05d}", "text": f"How long is item {n} kept?", "type": "factual"}
            line |= {"origin": "log", "evidence": [{"nugget": "the weeks", "spans": [span]}]}
            gold.write(json.dumps(line) + "\n")
    file = folder / "study.toml"
    file.write_text(STUDY, encoding="utf-8")
    return file


def main(quick: bool) -> Bench:
    rows: list[Row] = []
    sizes: dict[int, int] = {}
    for questions in (100, 1000) if quick else (100, 1000, 5000):
        with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as top:
            file = study(Path(top, "study"), questions)
            done = measured((*EVENHAND, "run", str(file), "--quiet"))
            page = (file.parent / "results/report.html").read_bytes()
            held = (file.parent / "results/report.json").read_bytes()
        sizes[questions] = len(page)
        packed = len(gzip.compress(page, mtime=0))
        told = f"{len(page) / 1e6:.2f} MB ({packed / 1e6:.2f} packed), JSON {len(held) / 1e6:.2f} MB"
        rows.append(Row(what=f"{questions:,} questions × 3 systems: the page", found=told))
        rows.append(
            Row(what=f"{questions:,} questions × 3 systems: the whole run", found=f"{done.cpu:.1f} CPU s")
        )
    few, many = min(sizes), max(sizes)
    each = (sizes[many] - sizes[few]) / (many - few)
    rows.append(at_most("the page grows by, a question", each / 1000, 5, "kB", digits=2))
    return Bench(
        title="What a report weighs",
        says="Studies of short documents, one self-contained page each; what the page adds for each further question.",
        rows=tuple(rows),
    )
