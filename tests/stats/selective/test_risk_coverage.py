"""Answering only when confident, and thresholds with a promise."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.selective.guarantee import (
    certificate,
    conformal_risk_control,
    hoeffding_bentkus_pvalue,
    learn_then_test,
)
from evenhand.stats.selective.risk_coverage import (
    areas,
    coverage_at_risk,
    decisions,
    risk_coverage,
    separability,
)

small = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.25, 1.0])), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None)
@given(small)
def test_the_area_is_the_mean_over_all_orders_of_ties(rows):
    found = areas([c for c, _ in rows], [x for _, x in rows])
    orders = [o for o in permutations(rows) if all(a[0] >= b[0] for a, b in pairwise(o))]
    means = [np.mean([np.mean([x for _, x in o[: k + 1]]) for k in range(len(o))]) for o in orders]
    assert found.aurc == pytest.approx(np.mean(means))
    assert found.e_aurc >= -1e-12
    assert found.risk == pytest.approx(np.mean([x for _, x in rows]))


@settings(max_examples=40, deadline=None)
@given(small, st.floats(0, 1))
def test_coverage_at_a_risk_is_the_largest_point_that_keeps_it(rows, target):
    c, x = [c for c, _ in rows], [x for _, x in rows]
    found = coverage_at_risk(c, x, target)
    fits = [p.coverage for p in risk_coverage(c, x) if p.risk <= target]
    assert found.coverage == max(fits, default=0.0)
    assert (found.threshold is None) == (not fits)


def test_nothing_to_answer_has_no_area():
    assert areas([], []).aurc is None
    assert risk_coverage([], []) == []
    assert coverage_at_risk([], [], 0.1).threshold is None
    with pytest.raises(InputError):
        areas([0.5], [1.5])


def test_the_published_gate_meets_its_criteria_by_point_only():
    found = decisions(
        answered_correct=17,
        answered_wrong=0,
        answered_should_defer=3,
        deferred_answerable=5,
        deferred_correct=11,
    )
    shares = {"answered_precision": 0.850, "answerable_coverage": 0.773}
    shares |= {"false_answer_rate": 0.214, "accuracy": 0.778}
    for name, rate in shares.items():
        assert round(getattr(found, name).rate, 3) == rate
    assert round(found.answered_precision.wilson.low, 3) == 0.640


def test_groups_apart_and_groups_alike():
    assert separability([0.8, 0.9], [0.1, 0.2], [0, 0.5, 1]).overlap == 0.0
    same = separability([0.1, 0.9], [0.1, 0.9], [0, 0.5, 1])
    assert (same.auc, same.ks, same.cliffs_delta, same.overlap) == (0.5, 0.0, 0.0, 1.0)
    with pytest.raises(InputError):
        separability([0.1, 1.2], [0.3], [0, 1])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 300), st.integers(0, 40), st.floats(0.02, 0.5), st.floats(0.01, 0.3))
def test_a_threshold_is_certified_just_when_its_upper_bound_is_low_enough(n, errors, alpha, delta):
    found = certificate(min(errors, n), n, alpha=alpha, delta=delta)
    if found.upper is None:
        assert not found.certified
    elif abs(found.upper - alpha) > 1e-9:
        assert found.certified == (found.upper <= alpha)


def test_a_certified_threshold_keeps_its_promise_in_simulation():
    dice, alpha, delta, broken = np.random.default_rng(7), 0.2, 0.1, 0
    thresholds = [0.8, 0.6, 0.4, 0.2]
    for _ in range(300):
        # the chance of an error is 0.5 - 0.5 confidence: the risk of answering above t is (1 - t)/4
        c = dice.random(60)
        wrong = dice.random(60) < 0.5 - 0.5 * c
        answered = [int((c >= t).sum()) for t in thresholds]
        errors = [int(wrong[c >= t].sum()) for t in thresholds]
        for method in ("bonferroni", "fixed_sequence"):
            t = learn_then_test(
                thresholds, answered, errors, alpha=alpha, delta=delta, method=method
            ).selected
            broken += t is not None and (1 - t) / 4 > alpha
    assert broken / 600 <= delta


def test_losses_that_rise_are_refused_and_few_questions_never_qualify():
    with pytest.raises(InputError):
        conformal_risk_control([[0, 1]], [0.1, 0.2], alpha=0.1)
    assert conformal_risk_control([[0, 0]] * 8, [0.1, 0.2], alpha=0.1).selected is None
    assert conformal_risk_control([[0, 0]] * 9, [0.1, 0.2], alpha=0.1).selected == 0.1


@settings(max_examples=50, deadline=None)
@given(st.floats(0, 1), st.integers(0, 500), st.floats(0.01, 0.9))
def test_the_hoeffding_bentkus_p_is_a_p(risk, n, alpha):
    assert 0 <= hoeffding_bentkus_pvalue(risk, n, alpha) <= 1
