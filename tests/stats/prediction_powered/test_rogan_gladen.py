# ruff: noqa: PLR0917 - the six numbers of the formula
"""Rates corrected by sensitivity and specificity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.prediction_powered.rogan_gladen import allocate_calibration, rogan_gladen

shares = st.floats(0, 1)


@given(shares, shares, shares, st.integers(1, 500), st.integers(1, 100), st.integers(1, 100))
def test_point_and_interval_stay_inside_and_a_cut_is_flagged(p, sn, sp, n, m0, m1):
    found = rogan_gladen(p, sensitivity=sn, specificity=sp, n=n, negatives=m0, positives=m1)
    if found.point is None:
        assert found.reason
        assert sn + sp <= 1 + 1e-9
        return
    assert 0 <= found.point <= 1
    assert found.clipped == ("clipped" in found.interval.flags) == (not 0 <= found.unclipped <= 1)
    if found.interval.low is not None:
        assert 0 <= found.interval.low <= found.interval.high <= 1
    else:
        assert found.interval.reason


def test_a_perfect_judge_needs_no_correction_and_one_no_better_than_chance_has_none():
    options = {"n": 400, "negatives": 50, "positives": 50}
    assert rogan_gladen(0.3, sensitivity=1, specificity=1, **options).point == pytest.approx(0.3)
    chance = rogan_gladen(0.3, sensitivity=0.4, specificity=0.6, **options)
    assert (chance.point, chance.interval.low) == (None, None)
    assert "no better than chance" in chance.reason
    empty = rogan_gladen(0.3, sensitivity=0.9, specificity=0.9, n=0, negatives=50, positives=50)
    assert "no items" in empty.reason
    with pytest.raises(InputError, match="sensitivity"):
        rogan_gladen(0.3, sensitivity=1.1, specificity=0.9, **options)


def test_yes_for_no_mirrors_the_estimate():
    one = rogan_gladen(0.4, sensitivity=0.9, specificity=0.7, n=300, negatives=80, positives=40)
    other = rogan_gladen(0.6, sensitivity=0.7, specificity=0.9, n=300, negatives=40, positives=80)
    assert one.point == pytest.approx(1 - other.point)
    assert one.se == pytest.approx(other.se)


def test_the_interval_covers_when_the_calibration_has_another_base_rate():
    dice, held = np.random.default_rng(9), 0
    for _ in range(600):
        p = dice.binomial(400, 0.2 * 0.85 + 0.8 * 0.1) / 400
        sn, sp = dice.binomial(60, 0.85) / 60, dice.binomial(60, 0.9) / 60
        found = rogan_gladen(p, sensitivity=sn, specificity=sp, n=400, negatives=60, positives=60)
        held += found.interval.low <= 0.2 <= found.interval.high
    assert held / 600 > 0.93


def test_labels_for_calibration_are_all_spent_and_each_side_keeps_its_pilot():
    for rate in (0.0, 0.05, 0.5, 0.95, 1.0):
        m0, m1 = allocate_calibration(100, rate, sensitivity=0.9, specificity=0.8, pilot=10)
        assert m0 + m1 == 100
        assert min(m0, m1) >= 10
    assert allocate_calibration(100, 0.5, sensitivity=0.8, specificity=0.8) == (50, 50)
    with pytest.raises(InputError, match="pilot"):
        allocate_calibration(10, 0.5, sensitivity=0.9, specificity=0.8, pilot=6)
