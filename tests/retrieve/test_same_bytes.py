"""One answer for every number of threads, hash seed and process."""

import os
import subprocess
import sys

import pytest

CODE = """
import numpy as np
from evenhand.model.text import Corpus, Document, Units
from evenhand.retrieve.lexical.bm25 import BM25
from evenhand.retrieve.dense.dense import Dense
from evenhand.retrieve.combine.fuse import Fusion
from evenhand.retrieve.null import Popular, Random
from evenhand.retrieve.search import retrieve
from evenhand.retrieve.lexical.tfidf import TFIDF

rng = np.random.default_rng(4)
words = np.array([f"word{i}" for i in range(300)])
corpus = Corpus(tuple(Document(id=f"d{i:04}", text=" ".join(rng.choice(words, 40))) for i in range(700)))
units = Units.of(corpus, "whole", [(i, 0, len(d.text)) for i, d in enumerate(corpus)])
questions = {str(i): " ".join(rng.choice(words, 6)) for i in range(40)}
table = rng.normal(size=(300, 64)).astype(np.float32)

def vectors(texts):
    return np.array([table[[int(w[4:]) for w in t.split()]].mean(axis=0) for t in texts])

dense = Dense(vectors)
for system in (BM25(), TFIDF(), dense, Fusion([BM25(), dense]), Random(), Popular()):
    print(retrieve(system, units, questions, depth=50).seal)
"""


def _seals(threads, seed):
    env = os.environ | {"PYTHONHASHSEED": seed}
    env |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), threads)
    done = subprocess.run([sys.executable, "-c", CODE], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(("threads", "seed"), [("1", "0"), ("2", "12345")])
def test_runs_are_the_same_for_every_thread_count_and_hash_seed(threads, seed):
    seals = _seals(threads, seed)
    assert len(seals) == 6
    assert seals == _seals("3", "99")
