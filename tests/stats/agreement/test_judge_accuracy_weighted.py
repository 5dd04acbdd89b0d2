"""Judges held against people on samples of unequal chances, and how such samples are shared out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.agreement.judge_accuracy import judge_against_human
from evenhand.stats.agreement.judge_accuracy_weighted import (
    chance_agreement,
    effective_share,
    over_chance,
    weighted_judge_against_human,
)
from evenhand.stats.sampling.allocation import allocate_by_spread

SHARES = (
    "agreement",
    "no_skill",
    "ac1",
    "judge_rate",
    "human_rate",
    "sensitivity",
    "specificity",
    "precision",
)
FEW = {"resamples": 50}
labels = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30)


@settings(max_examples=60, deadline=None)
@given(labels)
def test_equal_chances_give_what_no_chances_give(pairs):
    judge, human = zip(*pairs, strict=True)
    plain = judge_against_human(judge, human, **FEW)
    found = weighted_judge_against_human(judge, human, [0.4] * len(judge), **FEW)
    for name in SHARES:
        one, other = getattr(found, name), getattr(plain, name)
        assert (one.value is None) == (other.value is None), name
        if one.value is not None:
            assert one.value == pytest.approx(other.value, abs=1e-12), name
    assert found.kappa.kappa == pytest.approx(plain.kappa.kappa)
    assert (found.both_yes, found.judge_only, found.human_only, found.both_no) == (
        plain.both_yes,
        plain.judge_only,
        plain.human_only,
        plain.both_no,
    )
    assert found.agreement.interval.low == pytest.approx(plain.agreement.interval.low)


@settings(max_examples=60, deadline=None)
@given(labels, st.data())
def test_an_item_of_half_the_chance_stands_for_two(pairs, data):
    twice = data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    judge, human = zip(*pairs, strict=True)
    found = weighted_judge_against_human(judge, human, [0.5 if two else 1.0 for two in twice], **FEW)
    many = [pair for pair, two in zip(pairs, twice, strict=True) for _ in range(1 + two)]
    plain = judge_against_human(*zip(*many, strict=True), **FEW)
    for name in SHARES:
        one, other = getattr(found, name).value, getattr(plain, name).value
        assert one == other or one == pytest.approx(other), name
    assert found.kappa.kappa == pytest.approx(plain.kappa.kappa)
    for side in ("positive", "negative"):
        one, other = getattr(found.sides, side).value, getattr(plain.sides, side).value
        assert one == other or one == pytest.approx(other)


def test_unequal_weights_count_for_fewer_items():
    flat = effective_share([1, 0, 1, 0] * 10, [0.5] * 40).interval
    uneven = effective_share([1, 0, 1, 0] * 10, [0.1, 0.1, 1.0, 1.0] * 10).interval
    assert uneven.high - uneven.low > flat.high - flat.low
    grades = effective_share([0.5, 0.25] * 20, [0.5] * 40)
    assert grades.value == 0.375
    assert grades.interval.low < 0.375 < grades.interval.high
    assert effective_share([], []).reason == "no items"
    assert effective_share([1, 1], [0.3, 0.7]).interval.high == 1.0


@pytest.mark.parametrize("chances", [[0.0, 1.0], [1.2, 1.0]])
def test_chances_lie_above_0_and_at_most_at_1(chances):
    with pytest.raises(InputError, match="a chance leaves"):
        weighted_judge_against_human([1, 0], [1, 0], chances)
    with pytest.raises(InputError, match="differ in number"):
        weighted_judge_against_human([1, 0], [1, 0], [1.0])


def test_effective_intervals_cover():
    """Two strata at different rates: the share of the whole lies in 95% intervals 9 times in 10 or more."""
    dice = np.random.default_rng(3)
    truth, held = (0.8 * 0.2 + 0.2 * 0.6), 0
    for _ in range(400):
        a, b = dice.random(40) < 0.2, dice.random(60) < 0.6
        found = effective_share(np.r_[a, b], [40 / 800] * 40 + [60 / 200] * 60).interval
        held += found.low <= truth <= found.high
    assert held / 400 > 0.93


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from([0.35, 0.5])), min_size=1, max_size=5), st.data()
)
def test_shares_sum_to_n_and_no_stratum_gives_more_than_it_has(strata, data):
    sizes, spread = zip(*strata, strict=True)
    floor = sum(min(size, 2) for size in sizes)
    n = data.draw(st.integers(floor, max(floor, sum(sizes))))
    found = allocate_by_spread(sizes, spread, n, least=2)
    assert int(found.sum()) == n
    assert (found <= np.array(sizes)).all()
    assert (found >= np.minimum(sizes, 2)).all()


def test_uncertain_strata_get_more_by_neyman():
    assert allocate_by_spread([100, 100], [0.2, 0.4], 30).tolist() == [10, 20]
    assert allocate_by_spread([800, 200], [0.35, 0.5], 95).tolist() == [70, 25]
    with pytest.raises(InputError, match="fewer than 5 of each of 2 strata"):
        allocate_by_spread([10, 10], [0.5, 0.5], 9, least=5)
    with pytest.raises(InputError, match="do not fit"):
        allocate_by_spread([10, 10], [0.5], 9)


@settings(max_examples=60, deadline=None)
@given(labels)
def test_coefficients_are_the_agreement_over_that_of_chance(pairs):
    judge, human = zip(*pairs, strict=True)
    plain = judge_against_human(judge, human, **FEW)
    p, q = plain.judge_rate.value, plain.human_rate.value
    if plain.kappa.kappa is not None:
        assert over_chance(plain.agreement.value, chance_agreement(p, q)) == pytest.approx(plain.kappa.kappa)
    found = over_chance(plain.agreement.value, chance_agreement(p, q, of="ac1"))
    assert found == pytest.approx(plain.ac1.value)


def test_where_chance_is_all_there_is_there_is_no_coefficient():
    assert over_chance(1.0, chance_agreement(1.0, 1.0)) is None
