"""Raters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.stats.agreement.raw_agreement import cohen_kappa, kappa_by_topic, kappa_by_topic_exact, panel

votes = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30)


@settings(max_examples=50, deadline=None)
@given(votes)
def test_kappa_is_symmetric_bounded_and_blind_to_names(rows):
    a, b = zip(*rows, strict=True)
    found, turned = cohen_kappa(a, b), cohen_kappa(b, a)
    assert found.kappa == pytest.approx(turned.kappa)
    assert found.kappa is None or -1 <= found.kappa <= 1
    assert cohen_kappa([f"x{i}" for i in a], [f"x{i}" for i in b]).kappa == pytest.approx(found.kappa)
    if a == b and len(set(a)) > 1:
        assert found.kappa == 1.0


def test_a_constant_rater_is_degenerate_and_two_are_undefined():
    one = cohen_kappa([1, 1, 1, 1], [1, 1, 1, 0])
    assert (one.kappa, one.degenerate, one.observed) == (0.0, True, 0.75)
    apart = cohen_kappa([1, 1], [0, 0])
    assert (apart.kappa, apart.degenerate) == (0.0, True)
    both = cohen_kappa(["yes"] * 3, ["yes"] * 3)
    assert (both.kappa, both.observed, both.degenerate) == (None, 1.0, True)
    assert both.reason
    assert cohen_kappa([], []).reason == "no items"


def test_topics_resampled_at_random_come_near_all_resamples():
    a = [1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0]
    b = [1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0]
    topic = [i // 3 for i in range(18)]
    exact, random = kappa_by_topic_exact(a, b, topic), kappa_by_topic(a, b, topic)
    assert exact.resamples == 6**6
    assert random.interval.low == pytest.approx(exact.interval.low, abs=0.03)
    assert random.interval.high == pytest.approx(exact.interval.high, abs=0.03)
    assert kappa_by_topic(a, b, [0] * 18).interval.reason == "only one topic"
    assert kappa_by_topic([], [], []).interval.reason == "no items"
    with pytest.raises(InputError):
        kappa_by_topic(a, b, topic[:-1])


def test_three_judges_of_a_yes_no_question_tie_the_two_agreements_together():
    found = panel([[1, 1, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0]])
    assert found.mean_pairwise == pytest.approx((1 + 2 * found.unanimous) / 3)
    assert found.majority == (1, 0, 1, 0)
    assert panel([["a", "b"], ["a", "a"]]).majority == (None, "a")
    assert panel([]).unanimous is None
    with pytest.raises(InputError):
        panel([[1, 1], [1]])
