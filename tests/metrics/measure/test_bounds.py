"""Bounds of the unjudged: the same as writing the judgements down and measuring again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.metrics.comparison.notices import notices
from evenhand.metrics.measure.measure import measure
from evenhand.model.run import Qrels, Run

NAMES = [
    "nDCG@3",
    "nDCG",
    "RR@2",
    "P@3",
    "R@3",
    "R",
    "AP",
    "Success(rel=2)@1",
    "RBP",
    "SetP",
    "ERR(max_grade=2)@4",
]
UNITS = [f"u{i}" for i in range(8)]
GRADES = st.dictionaries(st.sampled_from(UNITS), st.sampled_from([0.0, 1.0, 2.0]), max_size=6)
RANKING = st.lists(st.sampled_from([*UNITS, "x", "y"]), max_size=6, unique=True)


def run(rankings):
    return Run.of("s", {q: [(u, -float(i)) for i, u in enumerate(r)] for q, r in rankings.items()})


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(GRADES, RANKING), min_size=1, max_size=4))
def test_all_is_what_the_highest_grade_for_every_unjudged_unit_above_the_cut_gives(questions):
    grades = {f"q{i}": of for i, (of, _) in enumerate(questions)}
    ranked = {f"q{i}": ranking for i, (_, ranking) in enumerate(questions)}
    m = measure(Qrels.of(grades), run(ranked), NAMES, bounds=True)
    best = max([1.0, *(g for of in grades.values() for g in of.values())])
    for x, name in enumerate(m.metrics):
        k = int(name.partition("@")[2] or 99)
        grade = max(best, 2.0 if "rel=2" in name else 1.0)
        filled = {q: {**dict.fromkeys(ranked[q][:k], grade), **of} for q, of in grades.items()}
        open_ = sum(unit not in grades[q] for q in grades for unit in ranked[q][:k])
        defined = m.why[0, x] == 0
        found = m.extra["bounds"].get("s", {}).get(name)
        if not open_ or not defined.any():
            assert found is None
            continue
        whole = measure(Qrels.of(filled), run(ranked), [name])
        assert found["units"] == open_
        assert found["none"] == pytest.approx(m.value[0, x][defined].mean(), abs=1e-12)
        assert found["all"] == pytest.approx(whole.value[0, 0][defined].mean(), abs=1e-12), name


def test_metrics_blind_to_the_unjudged_have_no_bounds_and_nothing_is_made_unasked():
    qrels, ranked = Qrels.of({"q": {"a": 1, "b": 0}}), run({"q": ["x", "a", "b"]})
    blind = ["Judged@2", "Bpref", "InfAP", "NumRel", "P(judged_only=true)@2"]
    assert measure(qrels, ranked, blind, bounds=True).extra["bounds"] == {}
    assert measure(qrels, ranked, ["P@2"]).extra["bounds"] == {}


def test_the_bounds_are_told_in_words():
    m = measure(Qrels.of({"q": {"a": 1}}), run({"q": ["x", "a"]}), ["RR"], bounds=True)
    assert "s: RR is 0.5000 if its one unjudged unit is not relevant, 1.0000 if it is" in list(notices(m))


def test_a_token_budget_is_bounded_over_the_units_that_fit():
    ids = ("a", "b", "c")
    qrels = Qrels("q", np.array([0, 1]), np.array([0], np.int32), np.array([1.0]), ids)
    ranked = Run("s", ("q",), np.array([0, 3]), np.array([1, 0, 2], np.int32), np.array([3.0, 2.0, 1.0]), ids)
    m = measure(qrels, ranked, ["P@20tokens"], lengths=np.array([10, 10, 10]), bounds=True)
    assert m.extra["bounds"]["s"]["P@20tokens"] == {"units": 1, "none": 0.5, "all": 1.0}
