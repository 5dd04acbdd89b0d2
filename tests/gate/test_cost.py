"""Expected costs by hand, the best rule, and where it stays best."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.gate.cost import Costs, reckon
from evenhand.gate.outcomes import Outcome, Outcomes
from evenhand.stats.selective.expected_cost import cheapest, cheapest_between

EXPECT = ["answer"] * 8 + ["abstain"] * 2


def rule(name, kinds):
    rows = [
        Outcome(question=f"q{i}", expect=e, kind=k, top=None)
        for i, (e, k) in enumerate(zip(EXPECT, kinds, strict=True))
    ]
    return Outcomes(name, tuple(rows))


BOLD = rule("bold", ["correct"] * 6 + ["wrong_document"] * 2 + ["abstain_answered"] * 2)
SHY = rule("shy", ["correct"] * 4 + ["needless_deferral"] * 4 + ["correct_deferral"] * 2)
COSTS = Costs(false_answer=3, needless_deferral=1, prevalence=0.5)


def test_costs_by_hand():
    found = reckon([BOLD, SHY], COSTS, resamples=200)
    # bold: .5 · 3 · 2/8 + .5 · 3 · 1; shy: .5 · 1 · 4/8
    assert [one.cost.point for one in found.rules] == pytest.approx([1.875, 0.25])
    assert found.best == "shy"
    bold, shy = found.rules
    assert (bold.wrong, bold.deferred, bold.answered) == (0.25, 0.0, 1.0)
    # bold .75 (1-q) + 3q against shy .5 (1-q): shy is cheaper at every prevalence
    assert bold.prevalences is None
    assert shy.prevalences == (0.0, 1.0)
    # ratio r: bold .5 · r/4 + .5 r, shy .25: equal at r = 0.4
    assert bold.ratios == (0.0, pytest.approx(0.4))
    assert shy.ratios == (pytest.approx(0.4), None)


def test_without_a_prevalence_the_questions_count_as_they_are():
    found = reckon([BOLD, SHY], Costs(false_answer=3, needless_deferral=1), resamples=100)
    assert found.prevalence == 0.2
    assert [one.cost.point for one in found.rules] == pytest.approx([1.2, 0.4])


def test_a_kind_that_is_missing_is_said():
    only = Outcomes("only", BOLD.rows[:8])
    found = reckon([only], COSTS, resamples=50)
    assert (found.best, found.rules[0].cost.point) == (None, None)
    assert found.reason == "one kind of item only"
    known = reckon([only], Costs(false_answer=3, needless_deferral=1, prevalence=0.0), resamples=50)
    assert known.rules[0].cost.point == pytest.approx(0.75)
    assert reckon([Outcomes("none", ())], COSTS).reason == "no items"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1, "5", None, True])
def test_costs_that_are_no_numbers_are_refused(bad):
    with pytest.raises(InputError, match="cost of false_answer is"):
        Costs(false_answer=bad, needless_deferral=1)
    if bad is not None:
        with pytest.raises(InputError, match="prevalence is"):
            Costs(false_answer=1, needless_deferral=1, prevalence=bad)
    with pytest.raises(InputError, match="nothing costs"):
        Costs(false_answer=0, needless_deferral=0)


def test_rules_over_other_questions_or_of_one_name_are_refused():
    with pytest.raises(InputError, match="different questions"):
        reckon([BOLD, Outcomes("x", BOLD.rows[1:])], COSTS)
    with pytest.raises(InputError, match="one name"):
        reckon([BOLD, BOLD], COSTS)


def test_equal_rules_split_the_resamples():
    found = cheapest([[1.0, 0.0, 1.0], [1.0, 0.0, 1.0]], [False, True, False], resamples=200)
    assert found.best == (0.5, 0.5)
    alone = cheapest([[1.0, 0.0]], [False, True], clusters=["a", "a"], resamples=50)
    assert alone.costs[0].interval.reason == "only one of the clusters"
    assert alone.best == (None,)


line = st.tuples(st.integers(0, 8), st.integers(-8, 8)).map(lambda p: (p[0] / 8, p[1] / 8))


@settings(max_examples=150, deadline=None)
@given(st.lists(line, min_size=1, max_size=5), st.sampled_from([1.0, None]))
def test_the_range_is_where_the_line_is_lowest(lines, high):
    starts, slopes = [a for a, _ in lines], [b for _, b in lines]
    for one in range(len(lines)):
        found = cheapest_between(starts, slopes, one, high=high)
        for x in (i / 60 for i in range(60 if high else 600)):
            values = [a + b * x for a, b in lines]
            inside = found is not None and found[0] - 1e-9 <= x and (found[1] is None or x <= found[1] + 1e-9)
            assert inside == (values[one] <= min(values) + 1e-9)
