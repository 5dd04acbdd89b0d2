"""Decimal numbers of a block at once are those that `float` makes of each, in every bit."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.formats.runs.float_parser import floats, wholes
from evenhand.formats.runs.id_hash import PAD, Ids


def texts(tokens):
    raw = [token.encode() for token in tokens]
    length = np.array([len(one) for one in raw], dtype=np.int64)
    data = np.frombuffer(bytes(PAD) + b" ".join(raw) + bytes(PAD), dtype=np.uint8)
    return Ids(data, PAD + np.cumsum(length + 1) - (length + 1), length)


def check(tokens):
    """Every number that is not refused is the one; how many are refused."""
    values, odd = floats(texts(tokens))
    for token, value, refused in zip(tokens, values.tolist(), odd.tolist(), strict=True):
        if not refused:
            assert struct.pack("d", value) == struct.pack("d", float(token)), token
    return int(odd.sum())


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-50, 50).map("{:.4f}".format),
    st.floats(0, 1).map(repr),
    st.floats(-1, 1, width=32).map(lambda x: str(np.float32(x))),
    st.integers(-(10**20), 10**20).map(str),
    st.decimals(-1000, 1000, places=6).map(str),
    st.floats(1e-30, 1e30).map("{:.8e}".format),
)
JUNK = st.text(alphabet="0123456789.+-eE_ naif$/,", min_size=1, max_size=26).map(
    lambda s: s.replace(" ", "x")
)


@settings(max_examples=200, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=30))
def test_numbers_are_rounded_as_float_rounds_them(tokens):
    check(tokens)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(NUMBERS, JUNK), min_size=1, max_size=20))
def test_what_is_no_number_is_never_taken_for_one(tokens):
    odd = floats(texts(tokens))[1]
    for token, refused in zip(tokens, odd.tolist(), strict=True):
        if not refused:
            float(token)
            assert "_" not in token
    check(tokens)


def test_the_numbers_that_runs_hold_are_not_refused():
    dice = np.random.default_rng(3)
    score = dice.normal(10, 20, 2000)
    assert check([f"{x:.4f}" for x in score]) == 0
    assert check([f"{x:.6f}" for x in score]) == 0
    assert check([repr(x) for x in score.tolist()]) <= 2
    assert check([repr(abs(x) / 1000) for x in score.tolist()]) <= 2
    assert check([str(np.float32(x)) for x in score]) == 0
    assert check([str(i) for i in range(-500, 500)]) == 0
    assert check([f"{x:.3e}" for x in score * 1e-6]) == 0


@pytest.mark.parametrize(
    "other", ["-1", "+1", "$.5", "/5", "1,5", ".", "-", "1.5.5", "1e5", "nan", "0x1", "1_0"]
)
def test_one_token_unlike_the_others_is_read_on_its_own(other):
    assert check(["1.5", "22.5", other, "333.5"]) <= 1


def test_numbers_half_way_between_two_floats_are_left_to_float():
    tokens = [str(2**53 + 2 * i + 1) for i in range(50)] + ["9007199254740993.0", "0.1", "1e22"]
    check(tokens)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.integers(0, 10**18 - 1).map(str), JUNK), min_size=1, max_size=20))
def test_whole_numbers(tokens):
    values, odd = wholes(texts(tokens))
    for token, value, refused in zip(tokens, values.tolist(), odd.tolist(), strict=True):
        assert refused == (not (token.isdigit() and len(token) <= 18))
        assert refused or value == int(token)


def test_nothing_is_nothing():
    values, odd = floats(texts([]))
    assert len(values) == len(odd) == 0
