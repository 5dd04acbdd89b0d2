"""Answer or defer."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.gate.production.learned import Learned
from evenhand.gate.production.rules import Always, Consensus, Never, consensus, decide, threshold_rule
from evenhand.gate.signals import signal


def test_all_systems_with_the_same_first_document_answer():
    assert consensus([["a", "b"], ["a"], ["a", "c"]]).top == "a"
    assert consensus([["x"]]).decision == "answer"


def test_a_system_that_differs_or_finds_nothing_defers_and_says_why():
    apart = consensus([["a", "b"], ["b", "a"]])
    assert (apart.decision, apart.top, apart.reason) == ("defer", None, "2 different first documents")
    empty = consensus([["a"], []])
    assert (empty.decision, empty.top, empty.reason) == ("defer", None, "a system found nothing")


def test_a_gate_of_no_systems_is_refused():
    with pytest.raises(InputError, match="no rankings"):
        consensus([])


def test_b070_a_missing_score_is_flagged_and_never_answers():
    rule = threshold_rule("score(s)", 0.7, ["s"], {"s": "share"})
    made = [decide(rule, {"s": [("d", score)]}) for score in (0.9, math.nan, 0.7)]
    assert [one.decision for one in made] == ["answer", "defer", "answer"]
    assert [one.flagged for one in made] == [False, True, False]
    assert "NaN" in made[1].reason


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1, 1.2, "0,7", None])
def test_b070_thresholds_are_refused_by_name(bad):
    with pytest.raises(InputError, match=r"threshold on score\(s\) is"):
        threshold_rule("score(s)", bad, ["s"], {"s": "share"})


def test_the_last_system_answers_and_says_why_not():
    rule = threshold_rule("score(a)", 0.5, ["a", "b"], {"a": "cosine"})
    made = decide(rule, {"a": [("x", 0.6)], "b": ["y"], "more": None})
    assert (made.decision, made.top, made.value) == ("answer", "y", 0.6)
    low = decide(rule, {"a": [("x", 0.4)], "b": ["y"]})
    assert (low.decision, low.reason, low.flagged) == ("defer", "score(a) is 0.4, below 0.5", False)
    nothing = decide(rule, {"a": [("x", 0.6)], "b": []})
    assert (nothing.decision, nothing.flagged) == ("defer", True)


def test_a_consensus_rule_decides_as_consensus_does():
    rule = Consensus(("a", "b"))
    for rankings in ({"a": ["x"], "b": ["x", "y"]}, {"a": ["x"], "b": ["y"]}, {"a": [], "b": ["y"]}):
        one, two = decide(rule, rankings), consensus(list(rankings.values()))
        assert (one.decision, one.top, one.reason) == (two.decision, two.top, two.reason)
    assert decide(rule, {"a": ["x"], "b": ["y"]}).value == 0.5
    with pytest.raises(InputError, match="twice"):
        Consensus(("a", "a"))
    with pytest.raises(InputError, match="no list"):
        Consensus("ab")


def test_always_and_never():
    assert decide(Always(("a",)), {"a": ["x"]}).top == "x"
    assert decide(Always(("a",)), {"a": []}).flagged
    assert decide(Never(("a",)), {"a": ["x"]}).decision == "defer"


LEARNED = Learned(
    signals=(signal("score(a)", ("a", "b"), {"a": "cosine"}), signal("consensus", ("a", "b"))),
    centre=(0.5, 0.5),
    spread=(0.25, 0.5),
    coefficients=(1.0, 2.0),
    intercept=-1.0,
    threshold=0.5,
)


def test_a_learned_rule_is_the_logistic_function_of_its_signals():
    made = decide(LEARNED, {"a": [("x", 0.75)], "b": ["x"]})
    assert made.value == pytest.approx(1 / (1 + math.exp(-(-1 + 1 + 2))))  # z = -1 + 1·1 + 2·1
    assert made.decision == "answer"
    assert decide(LEARNED, {"a": [("x", None)], "b": ["x"]}).flagged
    assert replace(LEARNED, coefficients=(0.0, 5000.0)).value([0.5, 0.0]) == 0.0  # no overflow


@pytest.mark.parametrize(
    "change",
    [
        {"centre": (0.5,)},
        {"spread": (0.0, 1.0)},
        {"coefficients": (math.nan, 1.0)},
        {"intercept": "1"},
        {"threshold": math.nan},
        {"signals": ()},
    ],
)
def test_a_learned_rule_of_broken_numbers_is_refused(change):
    with pytest.raises(InputError):
        replace(LEARNED, **change)


@pytest.mark.parametrize(
    ("rankings", "says"),
    [
        ({"a": ["x"]}, "needs a ranking of 'b' and got a"),
        ({"a": ["x"], "b": None}, "ranking of 'b' is NoneType"),
        ({"a": ["x"], "b": "x"}, "ranking of 'b' is str"),
        ({"a": ["x"], "b": [1]}, "holds 1"),
        ({"a": ["x"], "b": [(1, 0.5)]}, "holds"),
        (None, "rankings are NoneType"),
        ([["x"], ["y"]], "rankings are list"),
    ],
)
def test_rankings_of_another_form_are_refused_with_words(rankings, says):
    with pytest.raises(InputError, match=says):
        decide(Consensus(("a", "b")), rankings)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("xyz"), st.one_of(st.none(), st.floats(), st.text(max_size=2))), max_size=4
    ),
    st.floats(-1, 1),
)
def test_no_ranking_with_a_bad_top_score_is_ever_answered(rows, threshold):
    made = decide(threshold_rule("score(s)", threshold, ["s"], {"s": "cosine"}), {"s": rows})
    top = rows[0][1] if rows else None
    fine = isinstance(top, float) and math.isfinite(top) and -1 - 1e-6 <= top <= 1 + 1e-6
    assert (made.decision == "answer") == (fine and top >= threshold)
    assert made.flagged == (not fine)
