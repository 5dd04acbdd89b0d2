"""A study of any size, made by rule and written in blocks: texts, questions with their evidence, vectors.

Unit i is characters 200 (i mod 20) to 200 (i mod 20 + 1) of document i div 20: 200 characters of made-up words, drawn
by Zipf's law. A question is eight words of the unit that is its evidence; its vector is that unit's with noise, a
fifth of the questions with so much of it that words are the better guide.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

LENGTH = 200  # characters of a unit
OF = 20  # units of a document
WORDS = 60_000
DIMENSIONS = 384
BLOCK = 10_000  # units made at once
STUDY = """[study]
name = "scale"
seed = 7

[corpus]
path = "corpus.jsonl"

[gold]
path = "gold.jsonl"

[chunking.windows]
rule = "fixed"
size = {length}

[system.bm25]
retriever = "bm25"
stemmer = "none"

[system.dense]
retriever = "vectors"
units = "units.npy"
questions = "questions.npy"

[measure]
primary = "nDCG@10"
secondary = ["R@10", "R@100", "RR@10"]
depth = 100

[report]
plots = false
"""


def words(rng: np.random.Generator) -> list[str]:
    """Made-up words, the frequent ones shorter, each once."""
    letters = np.array(list("etaoinshrdlucmfwypvbgkqjxz"))
    made: dict[str, None] = {}
    while len(made) < WORDS:
        size = 3 + min(6, int(np.log10(len(made) + 1) * 1.5)) + int(rng.integers(0, 3))
        made.setdefault("".join(letters[rng.integers(0, 26, size)]), None)
    return list(made)


def units_of(first: int, many: int, vocabulary: np.ndarray, cumulated: np.ndarray) -> list[str]:
    """Texts of units, 200 characters each, made of the same numbers wherever a block begins."""
    rng = np.random.default_rng([7, 1, first])
    drawn = vocabulary[np.searchsorted(cumulated, rng.random((many, 60)))]
    return [" ".join(row)[: LENGTH - 1] + " " for row in drawn.tolist()]


def make(folder: Path, units: int, questions: int) -> None:
    """Everything `evenhand run` reads, in *folder*; *units* a multiple of 20 and at least 10 × *questions*."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([7, 0])
    vocabulary = np.array(words(rng))
    weight = 1.0 / (np.arange(WORDS) + 2.7)
    cumulated = np.cumsum(weight / weight.sum())
    cumulated[-1] = 1.0
    evidence = np.sort(np.random.default_rng([7, 2]).choice(units, questions, replace=False))
    vectors = np.lib.format.open_memmap(
        folder / "units.npy", mode="w+", dtype=np.float32, shape=(units, DIMENSIONS)
    )
    asked = np.zeros((questions, DIMENSIONS), dtype=np.float32)
    noise = np.where(np.arange(questions) % 5 == 0, 12.0, 2.0)
    with (folder / "corpus.jsonl").open("w") as corpus, (folder / "gold.jsonl").open("w") as gold:
        for first in range(0, units, BLOCK):
            many = min(BLOCK, units - first)
            texts = units_of(first, many, vocabulary, cumulated)
            dice = np.random.default_rng([7, 3, first])
            block = dice.standard_normal((many, DIMENSIONS), dtype=np.float32)
            vectors[first : first + many] = block
            for i in range(0, many, OF):
                row = {"_id": f"d{(first + i) // OF:08d}", "text": "".join(texts[i : i + OF])}
                corpus.write(json.dumps(row) + "\n")
            lo, hi = np.searchsorted(evidence, [first, first + many])
            for q in range(lo, hi):
                unit = int(evidence[q])
                own = texts[unit - first]
                picked = [word for word in own.split()[:-1] if len(word) > 3]
                start = (unit % OF) * LENGTH
                span = {
                    "doc": f"d{unit // OF:08d}",
                    "start": start,
                    "end": start + LENGTH - 1,
                    "quote": own[:-1],
                }
                line = {
                    "id": f"q{q:06d}",
                    "text": " ".join(dice.permutation(picked)[:8].tolist()),
                    "cluster": f"c{q // 4:06d}",
                    "evidence": [{"nugget": "what was said", "spans": [span]}],
                }
                gold.write(json.dumps(line) + "\n")
                asked[q] = block[unit - first] + noise[q] * dice.standard_normal(DIMENSIONS, dtype=np.float32)
    vectors.flush()
    np.save(folder / "questions.npy", asked)
    (folder / "study.toml").write_text(STUDY.format(length=LENGTH))


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
