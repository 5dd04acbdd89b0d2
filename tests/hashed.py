"""Vectors without a model: a bag of words, hashed, and a little of the whole text, so that no two are alike."""

import re
import zlib

import numpy as np

import evenhand as eh
from evenhand.model.text import Units

SIZE = 48


def vector(text):
    """float64[SIZE], of length 1."""
    row = np.random.default_rng(zlib.crc32(text.encode())).normal(scale=0.05, size=SIZE)
    for word in re.findall(r"\w+", text.lower()):
        row[zlib.crc32(word.encode()) % SIZE] += 1.0
    return (row / np.linalg.norm(row)).tolist()


def embed(texts):
    return np.array([vector(text) for text in texts], dtype=np.float32)


embed.seal = "hashed-1"


def distinct(units):
    """Units whose text stands only where they lie: the order of equal ones is everybody's own."""
    whole = [document.text for document in units.corpus]
    rows = [
        (int(units.doc[i]), int(units.start[i]), int(units.end[i]))
        for i, text in enumerate(units.texts())
        if sum(one.count(text) for one in whole) == 1
    ]
    return Units.of(units.corpus, units.chunking, rows)


def world(folder):
    """Corpus, gold set and distinct units of the miniature in *folder*, and our own exact search of them."""
    corpus = eh.read_corpus(folder / "docs")
    gold = eh.read_gold(folder / "gold.jsonl", corpus)
    units = distinct(eh.chunk(corpus, eh.Sentences(size=160)))
    run = eh.retrieve(eh.Dense(embedder=embed), units, gold, depth=10, name="ours")
    return corpus, gold, units, run


def same(run, expected):
    """The same units at the same ranks, question by question."""
    for question in expected.questions:
        want = [hit.unit for hit in expected.ranking(question)]
        assert [hit.unit for hit in run.ranking(question)] == want, question
