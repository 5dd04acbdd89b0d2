"""The sign-flip test."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.stats.paired.paired import mcnemar
from evenhand.stats.paired.signflip import signflip, signflips

small = st.lists(st.integers(-6, 6).map(lambda i: i / 3), min_size=0, max_size=9)


@settings(max_examples=60, deadline=None)
@given(small)
def test_the_exact_p_is_the_share_of_all_sign_patterns(d):
    k = [x for x in d if x]
    seen = [
        abs(sum(s * x for s, x in zip(signs, k, strict=True))) for signs in product((1, -1), repeat=len(k))
    ]
    expected = sum(t >= abs(sum(k)) - 1e-9 for t in seen) / len(seen)
    assert signflip(d).p == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(small)
def test_p_is_in_0_1_and_exchange_order_and_zeros_change_nothing(d):
    p = signflip(d).p
    assert 0 < p <= 1
    assert p == signflip([-x for x in d]).p == signflip(d[::-1]).p == signflip([*d, 0.0, 0.0]).p


@pytest.mark.parametrize(("b", "c"), [(4, 0), (12, 2), (3, 3), (1, 7), (8, 8)])
def test_for_yes_no_outcomes_it_is_mcnemars_exact_p(b, c):
    assert signflip([1] * b + [-1] * c + [0] * 5).p == pytest.approx(mcnemar(b, c).p_exact)


def test_no_difference_and_a_single_one_give_1():
    assert signflip([0.0, 0.0]).p == signflip([0.7]).p == signflip([]).p == 1.0


def test_beyond_16_the_random_p_is_near_the_exact_one_and_never_below_its_floor():
    d = [1.0] * 13 + [-1.0] * 4
    assert not signflip(d).exact
    assert signflip(d).p == pytest.approx(mcnemar(13, 4).p_exact, abs=0.005)
    certain = signflip([1.0] * 60)
    assert certain.p == certain.floor == 1 / 20_001


def test_many_columns_are_tested_as_each_alone_whatever_the_block():
    d = np.random.default_rng(5).normal(0.05, 0.3, size=(70, 6))
    d[20:, 1] = 0.0
    d[10:, 2] = 0.0
    together = signflips(d, signs=3000, seed=4)
    assert together == [signflip(d[:, j], signs=3000, seed=4) for j in range(6)]
    assert together == signflips(d, signs=3000, seed=4, cells=5000)
    assert [r.exact for r in together] == [False, False, True, False, False, False]


def test_ties_of_sums_survive_thirds():
    # sums of thirds tie mathematically and not in floats: all of them must count
    assert signflip([1 / 3, 2 / 3, -1.0]).p == 1.0


def test_under_no_difference_the_p_values_are_about_uniform():
    d = np.random.default_rng(11).normal(size=(30, 400))
    p = np.array([r.p for r in signflips(d, signs=2000)])
    assert 0.02 < (p <= 0.05).mean() < 0.09
    assert 0.4 < p.mean() < 0.6


def test_differences_that_sum_to_nothing_are_no_evidence_at_all():
    table = np.column_stack(
        [np.tile([0.25, -0.25], 20), np.tile([0.5, -0.25, -0.25, 0.0], 10), np.full(40, 0.1)]
    )
    found = signflips(table, signs=2000)
    assert [one.p for one in found[:2]] == [1.0, 1.0]
    assert found[2].p == 1 / 2001


def test_counts_are_those_of_sums_taken_one_vector_at_a_time():
    from evenhand.stats.sampling.seeds import stream

    table = np.round(np.random.default_rng(2).normal(0.03, 0.2, (70, 4)), 2)
    drawn = stream(7, "signs").integers(0, 2**64, size=(500, 2), dtype=np.uint64)
    counts = [0] * 4
    for low, high in drawn.tolist():
        word = low | high << 64
        sign = np.array([1 if word >> i & 1 else -1 for i in range(70)])
        for j in range(4):
            counts[j] += abs(float(sign @ table[:, j])) >= abs(float(table[:, j].sum())) - 1e-9
    assert [one.count for one in signflips(table, signs=500, seed=7)] == counts
