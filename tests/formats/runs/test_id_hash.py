"""Ids eight bytes at a time do what bytes do one by one."""

import pickle
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.formats.runs.id_hash import Ids, above, by_bytes, changes, differ, keys, unlike
from evenhand.formats.runs.id_table import Names, numbered
from evenhand.formats.runs.ungrouped import Codes

ONE = st.one_of(
    st.binary(min_size=1, max_size=20),
    st.text(alphabet="ab0", min_size=1, max_size=18).map(str.encode),
    st.sampled_from([b"a", b"a\0", b"a\0b", b"12345678", b"123456789", b"12345678" * 3, b"x" * 70]),
)
MANY = st.lists(ONE, min_size=1, max_size=30)


@settings(max_examples=150, deadline=None)
@given(MANY)
def test_the_order_is_that_of_bytes(ids):
    assert [ids[i] for i in by_bytes(Ids.of(ids))] == sorted(ids)


@settings(max_examples=150, deadline=None)
@given(MANY, st.randoms(use_true_random=False))
def test_pairs_are_compared_as_bytes_are(ids, dice):
    other = list(ids)
    dice.shuffle(other)
    a, b = Ids.of(ids), Ids.of(other)
    assert above(a, b).tolist() == [x > y for x, y in zip(ids, other, strict=True)]
    assert differ(a, b).tolist() == [x != y for x, y in zip(ids, other, strict=True)]
    assert changes(a).tolist() == [True] + [x != y for x, y in pairwise(ids)]


@settings(max_examples=150, deadline=None)
@given(MANY)
def test_keys_are_equal_where_ids_are(ids):
    key = keys(Ids.of(ids)).tolist()
    assert len(set(key)) == len(set(ids))
    assert [key[ids.index(one)] for one in ids] == key
    assert not unlike(Ids.of(ids), Ids.of(ids))


@settings(max_examples=100, deadline=None)
@given(MANY, st.integers(0, 7))
def test_ids_may_lie_anywhere_and_be_moved(ids, shift):
    data = np.frombuffer(bytes(shift) + b"\xff".join(ids) + b"\xff" * 40, dtype=np.uint8)
    length = np.array([len(one) for one in ids])
    lying = Ids(data, shift + np.cumsum(length + 1) - length - 1, length)
    packed, copied = lying.packed(), Ids.copied(data, lying.start, length)
    for i, one in enumerate(ids):
        assert lying.bytes_of(i) == packed.bytes_of(i) == copied.bytes_of(i) == one
    assert keys(lying).tolist() == keys(packed).tolist() == keys(Ids.of(ids)).tolist()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=30))
def test_numbered_ids_make_a_table_in_the_order_of_their_bytes(names):
    raw = [name.encode() for name in names]
    found = numbered(Ids.of(raw))
    assert found is not None
    table = Names(found[0])
    assert list(table) == [one.decode() for one in sorted(set(raw))]
    assert [table[i] for i in found[1].tolist()] == names
    assert table == tuple(table)
    assert table == Names(found[0])
    assert table[-1] == list(table)[-1]
    assert tuple(table[:2]) == tuple(table)[:2]
    assert table != (*table, "more")
    assert pickle.loads(pickle.dumps(table)) == table  # noqa: S301


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(ONE, min_size=1, max_size=20), min_size=1, max_size=6))
def test_codes_count_ids_as_they_appear(blocks):
    codes, seen = Codes(), {}
    for block in blocks:
        ids = Ids.of(block)
        found = codes.of(ids, keys(ids)).tolist()
        assert found == [seen.setdefault(one, len(seen)) for one in block]
    assert codes.names == list(seen)


def test_more_codes_than_there_are_slots_for_at_first():
    codes = Codes()
    for first in range(0, 6000, 1000):
        block = [b"question-%d" % i for i in range(first, first + 2000)]
        ids = Ids.of(block)
        assert codes.of(ids, keys(ids)).tolist() == list(range(first, first + 2000))
