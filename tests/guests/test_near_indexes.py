"""usearch by name and faiss as a class of one's own: recall as it is, the same bytes twice, refusal."""

import sys

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.protocols import NearIndex, quiet
from evenhand.retrieve.dense.approximate import Wanted, approximate_top, index_of
from evenhand.retrieve.dense.exact import cosine_top

pytest.importorskip("usearch")


class Faiss:
    """Any index that faiss's factory makes, as in docs/how-to/vectors.md."""

    def __init__(self, dimensions, factory="HNSW32", search=64):
        import faiss

        faiss.omp_set_num_threads(1)
        self.index = faiss.index_factory(dimensions, factory, faiss.METRIC_INNER_PRODUCT)
        if hasattr(self.index, "hnsw"):
            self.index.hnsw.efSearch = search

    def add(self, vectors):
        if not self.index.is_trained:
            self.index.train(vectors)
        self.index.add(vectors)

    def search(self, vectors, k):
        return self.index.search(np.ascontiguousarray(vectors), k)[1]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    held = rng.normal(size=(9000, 48)).astype("f4")
    held[5] = 0
    asked = held[:150] + 0.5 * rng.normal(size=(150, 48)).astype("f4")
    asked[3] = 0
    return asked, held


def found(rows, index, least=0.5, k=20, sample=80):
    wanted = Wanted(least=least, at=10, sample=sample, seed=1)
    return approximate_top(*rows, k, index=index, wanted=wanted, progress=quiet)


@pytest.mark.parametrize(
    "make",
    [
        lambda: index_of("hnsw", {"expansion_search": 128}, 48),
        lambda: index_of("hnsw", {"expansion_search": 128, "dtype": "f16"}, 48),
        lambda: Faiss(48),
        lambda: Faiss(48, "IVF16,Flat"),
    ],
)
def test_what_is_measured_is_what_is_lost_and_twice_the_same(rows, make):
    assert isinstance(make(), NearIndex)
    first, blank, unasked, (recall, whole) = found(rows, make(), least=0.1, sample=1000)
    again, *_ = found(rows, make(), least=0.1, sample=1000)
    assert (blank, unasked, recall.questions) == (1, 1, 149)
    assert all((a[0] == b[0]).all() and (a[1] == b[1]).all() for a, b in zip(first, again, strict=True))
    exact, *_ = cosine_top(*rows, 20)
    for at, told in ((10, recall), (20, whole)):
        shared = [
            len({*a[0][:at]} & {*b[0][:at]}) / at for a, b in zip(first, exact, strict=True) if len(b[0])
        ]
        assert told.point == pytest.approx(float(np.mean(shared)), abs=1e-9)
        assert told.low < told.point < told.high or told.point == 1
    for own, best in zip(first, exact, strict=True):  # what is found has exact cosines, in exact order
        place = {int(u): s for u, s in zip(*best, strict=True)}
        assert all(place.get(int(u), s) == s for u, s in zip(*own, strict=True))


def test_a_wider_search_finds_more_and_too_little_is_refused(rows):
    narrow = found(rows, index_of("hnsw", {"connectivity": 4, "expansion_search": 20}, 48), least=0.01)[3][0]
    wide = found(rows, index_of("hnsw", {"expansion_search": 400}, 48))[3][0]
    assert narrow.point < wide.point
    with pytest.raises(InputError, match=r"min_recall is 0\.99"):
        found(rows, index_of("hnsw", {"connectivity": 4, "expansion_search": 20}, 48), least=0.99)


def test_options_are_checked():
    for options, says in (
        ({"connectivity": 1}, "connectivity is 1"),
        ({"expansion_add": "x"}, "expansion_add is 'x'"),
        ({"dtype": "f64"}, "dtype is 'f64'"),
        ({"ef": 3}, "cannot be made of"),
    ):
        with pytest.raises(InputError, match=says):
            index_of("hnsw", options, 4)
    assert "usearch" in index_of("hnsw", {}, 4).settings()
    assert sys.modules["usearch.index"]


def test_one_question_and_fewer_vectors_than_asked_for():
    index = index_of("hnsw", {}, 3)
    index.add(np.eye(3, dtype="f4")[:2])
    assert index.search(np.eye(3, dtype="f4")[:1], 5).tolist()[0][0] == 0
    assert sorted(index.search(np.eye(3, dtype="f4")[:2], 5)[1].tolist()) == [-1, -1, -1, 0, 1]
