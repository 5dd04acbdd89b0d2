"""Vectors are kept batch by batch: what was answered is not asked for again, and the bits are the same."""

import hashlib
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loopback import serving

from evenhand.errors import InputError
from evenhand.llm import Embeddings
from evenhand.protocols import quiet
from evenhand.retrieve.vectors.embed import BATCH, Called, as_embedder, embed
from evenhand.store.blobs import Blobs

TEXTS = [f"text {n}" for n in range(1450)]


def vector(text):
    """Four numbers of a text."""
    return [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:4]]


def answered(asked):
    rows = [{"index": i, "embedding": vector(text)} for i, text in enumerate(asked["input"])]
    return 200, {"data": rows}, {}


def interrupting(after):
    """A line of progress that ends the run once so many texts are done."""

    def tell(_stage, done, _total, _note=""):
        if done >= after:
            raise KeyboardInterrupt

    return tell


def blobs(root):
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*.npz")}


def test_r27_after_an_interruption_only_the_rest_is_sent(tmp_path):
    with serving() as server:
        server.reply = answered
        model = Embeddings(model="m", base_url=server.url, key_env="", batch=64)

        def go(cache, progress=quiet):
            return embed(model, TEXTS, total=len(TEXTS), cache=cache, progress=progress)

        with pytest.raises(KeyboardInterrupt):
            go(Blobs(tmp_path / "a"), interrupting(576))
        assert sum(len(asked["input"]) for _, asked, _ in server.seen) == 576
        server.seen.clear()
        seen = []
        ended = go(Blobs(tmp_path / "a"), lambda _stage, done, total, _note="": seen.append((done, total)))
        assert sum(len(asked["input"]) for _, asked, _ in server.seen) == 874
        assert seen == sorted(seen)
        assert seen[-1] == (1450, 1450)
        server.seen.clear()
        whole = go(Blobs(tmp_path / "b"))
        assert np.array_equal(ended, whole)
        assert np.array_equal(whole[7], np.float32(vector("text 7")))
        assert blobs(tmp_path / "a") == blobs(tmp_path / "b")  # nothing else is left behind
        assert len(server.seen) == 23
        server.seen.clear()
        go(Blobs(tmp_path / "a"))
        assert server.seen == []


def test_a_guest_gets_its_texts_in_batches_with_progress_and_nothing_is_lost(tmp_path):
    asked, seen = [], []

    def function(texts):
        asked.append(list(texts))
        if len(asked) == 4:
            raise ConnectionError("the line broke")
        return [vector(text) for text in texts]

    function.seal = "1"
    model = as_embedder(Called("mine", function))
    with pytest.raises(Exception, match="the line broke"):
        embed(model, TEXTS, total=1450, cache=Blobs(tmp_path))
    made = embed(
        model, TEXTS, total=1450, cache=Blobs(tmp_path),
        progress=lambda _stage, done, _total, _note="": seen.append(done),
    )  # fmt: skip
    sent = [text for texts in asked[:3] + asked[4:] for text in texts]
    assert sent == TEXTS
    assert {len(texts) for texts in asked} == {BATCH, 1450 % BATCH}
    assert [done for done in seen if done > 192][:2] == [256, 320]
    assert np.array_equal(made, np.float32([vector(text) for text in TEXTS]))


def test_a_batch_that_is_nothing_to_compare_with_is_not_kept(tmp_path):
    def function(texts):
        return [[np.nan, 0.0] if "70" in text and bad else [1.0, 0.0] for text in texts]

    function.seal, bad = "1", True
    model = as_embedder(Called("mine", function))
    with pytest.raises(InputError, match="NaN or infinity"):
        embed(model, TEXTS[:200], total=200, cache=Blobs(tmp_path))
    bad = False
    assert embed(model, TEXTS[:200], total=200, cache=Blobs(tmp_path)).shape == (200, 2)


def test_a_batch_of_blank_texts_alone_has_the_width_of_the_others():
    blanks = [" " * (n + 1) for n in range(3)]
    with serving() as server:
        server.reply = answered
        model = Embeddings(model="m", base_url=server.url, key_env="", batch=2)
        made = embed(model, ["a", "b", *blanks], total=5)
    assert made.shape == (5, 4)
    assert not made[2:].any()


@given(st.lists(st.integers(0, 40), min_size=1, max_size=80), st.integers(0, 80), st.integers(1, 9))
def test_wherever_it_is_ended_the_vectors_are_the_same(tmp_path_factory, numbers, after, batch):
    texts = [f"text {n}" for n in numbers]

    class Guest:
        name, seal, in_batches = "guest", "g", True

        def __init__(self):
            self.batch = batch

        def embed(self, texts, *, progress=None):
            # what a text gets depends on those beside it, as with a model that pads
            return np.float32([[len(texts), len(text), *vector(text)] for text in texts])

    root = tmp_path_factory.mktemp("vectors")
    with suppress(KeyboardInterrupt):
        embed(Guest(), texts, total=len(texts), cache=Blobs(root), progress=interrupting(max(1, after)))
    ended = embed(Guest(), texts, total=len(texts), cache=Blobs(root))
    assert np.array_equal(ended, embed(Guest(), texts, total=len(texts)))
