import gc
import weakref

import pytest

from evenhand.model.text import Corpus, Document, Units


@pytest.fixture
def units():
    corpus = Corpus(tuple(Document(id=name, text="some text here") for name in ("b", "a", "c")))
    return Units.of(corpus, "x", [(0, 0, 4), (2, 5, 9), (2, 0, 4), (1, 0, 14)])


def test_ids_are_a_sequence_like_a_tuple_of_them(units):
    plain = ("a#0-4", "b#0-14", "c#0-4", "c#5-9")
    assert tuple(units.ids) == plain
    assert units.ids == plain
    assert plain == units.ids
    assert units.ids != plain[:3]
    assert units.ids != list(plain)
    assert hash(units.ids) == hash(plain)
    assert units.ids is units.ids  # a run's table is known by being this very one
    assert (len(units.ids), units.ids[1], units.ids[-1], units.ids[1:3]) == (
        4,
        plain[1],
        plain[3],
        plain[1:3],
    )
    assert [units.id(i) for i in range(4)] == list(plain)
    assert units.position["c#5-9"] == 3
    assert repr(units.ids) == repr(plain)
    for out in (4, -5):
        with pytest.raises(IndexError):
            units.ids[out]


def test_ids_do_not_keep_their_units_alive(units):
    corpus = units.corpus
    short = Units.of(corpus, "y", [(0, 0, 4)])
    gone, ids = weakref.ref(short), short.ids
    gc.disable()
    try:
        del short
        assert gone() is None
    finally:
        gc.enable()
    assert list(ids) == ["a#0-4"]
