"""Three votes, one label."""

import itertools

import pytest

from evenhand.errors import InputError
from evenhand.stats.agreement.votes import (
    decided,
    majority_accuracy,
    majority_of_three,
    median_of_three,
    plurality,
)


@pytest.mark.parametrize("votes", list(itertools.product((0, 1, 2, None), repeat=3)))
def test_a_decision_needs_two_that_agree_and_knows_no_order(votes):
    found = majority_of_three(votes)
    for turned in itertools.permutations(votes):
        assert majority_of_three(turned) == found
    valid = [vote for vote in votes if vote is not None]
    if found.decision is None:
        assert found.status in ("tie", "insufficient")
        assert len(set(valid)) == len(valid)
    else:
        assert valid.count(found.decision) >= 2


def test_a_failed_call_is_never_a_no():
    assert majority_of_three([1, None, None]).status == "insufficient"
    assert majority_of_three([1, 0, None]).decision is None
    assert majority_of_three([None, 1, 1]).status == "two_agree"


def test_a_vote_outside_the_scale_is_as_good_as_none_and_counted():
    found = majority_of_three([1, 1, 10], scale=(0, 1, 2))
    assert (found.decision, found.status, found.valid, found.out_of_scale) == (1, "two_agree", 2, 1)
    grades = median_of_three([5, 2, 2], scale=(0, 1, 2))
    assert (grades.median, grades.mode, grades.out_of_scale) == (2, 2, 1)


def test_three_different_grades_have_a_middle_and_no_mode():
    found = median_of_three([2, 0, 1])
    assert (found.median, found.mode) == (1, None)
    assert median_of_three([2, 0, None]).median is None
    with pytest.raises(InputError, match="2 votes"):
        median_of_three([1, 1])


def test_three_independent_judges_are_better_than_one_only_above_a_half():
    assert majority_accuracy(0.8) == pytest.approx(0.896)
    assert majority_accuracy(0.5) == 0.5
    assert majority_accuracy(0.4) < 0.4
    with pytest.raises(InputError):
        majority_accuracy(1.2)


def test_a_failure_mode_is_the_most_named_one_or_mixed():
    assert plurality(["off topic", "off topic", "too short"]) == "off topic"
    assert plurality(["off topic", "too short", None]) == "mixed"
    assert plurality([None, "too short", None]) == "too short"
    assert plurality([None, None, None]) is None


@pytest.mark.parametrize("votes", list(itertools.product((0, 1, 2, None, 7), repeat=3)))
def test_any_number_of_judges_is_decided_like_three(votes):
    scale = (0, 1, 2)
    one = majority_of_three(votes, scale=scale)
    found = decided(votes, scale=scale)
    assert (found.grade, found.valid, found.out_of_scale) == (one.decision, one.valid, one.out_of_scale)
    assert found.status == (one.status if one.decision is not None else "undecided")
    assert decided(votes, by="median", scale=scale).grade == median_of_three(votes, scale=scale).median


def test_a_way_of_deciding_that_is_not_known_is_an_error():
    with pytest.raises(InputError, match="put together by 'mean'"):
        decided([1, 1, 1], by="mean")
