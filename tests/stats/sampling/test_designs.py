"""Samples with known probabilities: against enumeration, and against truth over many seeds."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.sampling.designs import allocate, expansion, inclusion, priorities, stratified


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8), st.integers(0, 250))
@settings(max_examples=80, deadline=None)
def test_an_allocation_uses_all_of_n_within_the_strata_and_leaves_none_empty(sizes, n):
    sizes = np.array(sizes)
    if (sizes > 0).sum() > n:
        with pytest.raises(InputError):
            allocate(sizes, n)
        return
    taken = allocate(sizes, n)
    assert taken.sum() == min(n, sizes.sum())
    assert (taken <= sizes).all()
    assert (taken[sizes > 0] >= min(1, n)).all()


def test_an_allocation_is_in_proportion():
    assert allocate([10, 30, 60], 10).tolist() == [1, 3, 6]
    assert allocate([1, 1, 98], 10).tolist() == [1, 1, 8]


def test_a_stratified_sample_draws_as_many_as_asked_with_their_probability():
    strata = np.array([0] * 4 + [1] * 10 + [2] * 6)
    drawn, probability = stratified(strata, [4, 5, 1], seed=3)
    assert np.bincount(strata[drawn]).tolist() == [4, 5, 1]
    assert sorted(set(probability.round(6))) == [round(1 / 6, 6), 0.5, 1.0]
    assert drawn.tolist() == sorted(drawn.tolist())
    assert drawn.tolist() == stratified(strata, [4, 5, 1], seed=3)[0].tolist()
    assert drawn.tolist() != stratified(strata, [4, 5, 1], seed=4)[0].tolist()


def test_every_item_of_a_stratum_is_drawn_equally_often():
    strata = np.array([0] * 5 + [1] * 3)
    count = np.zeros(8)
    for seed in range(3000):
        count[stratified(strata, [2, 1], seed=seed)[0]] += 1
    expected = np.array([0.4] * 5 + [1 / 3] * 3)
    assert np.abs(count / 3000 - expected).max() < 4 * np.sqrt(0.25 / 3000)


def test_the_expansion_over_all_samples_of_a_size_has_the_total_as_its_mean():
    """Horvitz and Thompson by enumeration: 3 of 6, each with probability 1/2."""
    values = np.array([1.0, 0.0, 2.0, 2.0, 0.0, 1.0])
    estimates = [expansion(values[list(s)], [0.5] * 3).point for s in combinations(range(6), 3)]
    assert np.mean(estimates) == pytest.approx(values.sum())


def test_the_variance_of_an_expansion_is_the_formula():
    made = expansion([2.0, 3.0], [0.5, 0.25])
    assert (made.point, made.n) == (16.0, 2)
    assert made.variance == pytest.approx(4 / 0.25 * 0.5 + 9 / 0.0625 * 0.75)
    assert expansion([2.0, 3.0], [1, 1]).variance == 0
    assert expansion([], []).point == 0


def test_priority_sampling_is_unbiased_at_every_size_and_says_its_variance():
    """Duffield, Lund and Thorup (2007): the order may be broken off after any number of items."""
    size = np.array([8.0, 4.0, 2.0, 1.0, 1.0, 0.5, 0.2, 0.1])
    values = np.array([0.0, 2.0, 1.0, 0.0, 2.0, 1.0, 1.0, 2.0])
    seeds = 6000
    for n in (2, 4, 7):
        points, variances = [], []
        for seed in range(seeds):
            urgent = priorities(size, seed=seed)
            order = np.argsort(-urgent)
            chosen = order[:n]
            made = expansion(values[chosen], inclusion(size[chosen], urgent[order[n]]))
            points.append(made.point)
            variances.append(made.variance)
        spread = np.std(points)
        assert abs(np.mean(points) - values.sum()) < 4 * spread / np.sqrt(seeds)
        if n == 7:  # heavy-tailed where little is drawn
            assert np.mean(variances) == pytest.approx(spread**2, rel=0.15)


def test_nothing_left_out_means_certainty():
    assert inclusion([1.0, 5.0], None).tolist() == [1.0, 1.0]
    assert inclusion([1.0, 5.0], 2.0).tolist() == [0.5, 1.0]


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: priorities([1.0, 0.0], seed=1), "positive"),
        (lambda: priorities([float("nan")], seed=1), "positive"),
        (lambda: expansion([1.0], [0.0]), "outside"),
        (lambda: expansion([1.0], [1.5]), "outside"),
        (lambda: expansion([1.0, 2.0], [1.0]), "probabilities"),
        (lambda: stratified([0, 0], [3], seed=1), "strata of"),
        (lambda: stratified([0, 2], [1], seed=1), "strata of"),
    ],
)
def test_what_cannot_be_sampled_is_refused(act, said):
    with pytest.raises(InputError, match=said):
        act()


@pytest.mark.parametrize("threshold", [0.0, -1.0, float("nan"), float("inf")])
def test_a_threshold_that_divides_by_nothing_is_refused(threshold):
    with pytest.raises(InputError, match="threshold"):
        inclusion([1.0, 2.0], threshold)
