"""Cutting beside chonkie, semchunk and LangChain: the same text, the same size, characters a second of CPU."""

from __future__ import annotations

import json
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks.bench import ROOT, Bench, Row, measured

SIZE = 800  # characters
PEERS = {"chonkie": "chonkie", "semchunk": "semchunk", "langchain": "langchain_text_splitters"}
# rule of ours, and what cuts by the like of it
PAIRS = {
    "fixed": ("chonkie fixed",),
    "sentences": ("chonkie sentences",),
    "recursive": ("chonkie recursive", "semchunk", "langchain recursive"),
    "headings": (),
}
CHILD = """
import json, sys, time
text = open(sys.argv[1], encoding="utf-8", newline="").read()
size, who, times = int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
if who.startswith("ours "):
    import evenhand as eh
    rules = {"fixed": eh.Fixed, "sentences": eh.Sentences, "recursive": eh.Recursive, "headings": eh.Headings}
    rule, corpus = rules[who.removeprefix("ours ")](size=size), eh.Corpus(documents=(eh.Document(id="d", text=text),))
    work = lambda: len(eh.chunk(corpus, rule))
elif who == "chonkie fixed":
    from chonkie import TokenChunker
    cut = TokenChunker(tokenizer="character", chunk_size=size, chunk_overlap=0)
    work = lambda: len(cut(text))
elif who == "chonkie sentences":
    from chonkie import SentenceChunker
    cut = SentenceChunker(tokenizer="character", chunk_size=size, chunk_overlap=0)
    work = lambda: len(cut(text))
elif who == "chonkie recursive":
    from chonkie import RecursiveChunker
    cut = RecursiveChunker(tokenizer="character", chunk_size=size)
    work = lambda: len(cut(text))
elif who == "semchunk":
    import semchunk
    cut = semchunk.chunkerify(len, size)
    work = lambda: len(cut(text))
else:
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    cut = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0)
    work = lambda: len(cut.split_text(text))
pieces, best = work(), float("inf")
for _ in range(times):
    begun = time.process_time()
    work()
    best = min(best, time.process_time() - begun)
print(json.dumps({"cpu": best, "pieces": pieces}))
"""


def main(quick: bool) -> Bench:
    missing = [name for name, module in PEERS.items() if find_spec(module) is None]
    if missing:
        return Bench(title="Cutting", says="", skipped=f"not installed: {', '.join(missing)}")
    parts = sorted((ROOT / "examples/handbook/docs").rglob("*.md"))
    text = "\n\n".join(path.read_text(encoding="utf-8") for path in parts)
    text = "\n\n".join([text] * (4 if quick else 12))
    rows = []
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as folder:
        given = Path(folder, "text.md")
        given.write_text(text, encoding="utf-8", newline="")

        def cut(who: str) -> dict[str, float]:
            told = measured((sys.executable, "-c", CHILD, str(given), str(SIZE), who, "2" if quick else "5"))
            return json.loads(told.out)

        for rule, peers in PAIRS.items():
            ours = cut(f"ours {rule}")
            speed = len(text) / ours["cpu"] / 1e6
            rows.append(
                Row(what=f"`{rule}`", found=f"{speed:,.1f} million characters/s, {ours['pieces']:,} units")
            )
            for peer in peers:
                found = cut(peer)
                ratio = found["cpu"] / ours["cpu"]
                told = f"{ratio:,.2f} × ours, {found['pieces']:,} pieces"
                rows.append(Row(what=f"CPU of {peer} beside `{rule}`", found=told))
    return Bench(
        title="Cutting documents",
        says=f"{len(text) / 1e6:.1f} million characters of the handbook as one document, units of at most {SIZE} "
        "characters, the best of several rounds in one process each. Ours keep the span of every unit; each tool has "
        "its own idea of where to cut, so that the numbers of pieces differ.",
        rows=tuple(rows),
    )
