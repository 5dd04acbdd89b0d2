"""Why a metric has its value: what is said is what the metric's own code gives, and nothing is guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.metrics.single import ndcg
from evenhand.report.why import why

GRADES = st.lists(st.sampled_from([None, 0.0, 1.0, 2.0, 3.0]), min_size=1, max_size=5)


def found(grades, *, depth=None, covers=()):
    top = [{"grade": g, "covers": [c for c in covers if c == i]} for i, g in enumerate(grades)]
    first = next((i for i, g in enumerate(grades, 1) if g == 2.0), None)
    return {"depth": depth or len(grades), "first": first, "top": top}


@given(grades=GRADES, gain=st.sampled_from(["linear", "exp"]), k=st.integers(1, 5))
def test_terms_of_ndcg_add_up_to_its_value_times_the_ideal(grades, gain, k):
    names = [f"u{i}" for i in range(len(grades))]
    qrels = {name: grade for name, grade in zip(names, grades, strict=True) if grade is not None}
    value = ndcg(names, qrels, k=k, gain=gain)
    name = f"nDCG@{k}" if gain == "linear" else f"nDCG(gain=exp)@{k}"
    told = why(name, value, found(grades), reason="no relevant unit is known")
    if value is None:
        assert told["sentence"] == "Not defined: no relevant unit is known."
        return
    best = sorted(qrels.values(), reverse=True)[:k]
    ideal = ndcg(names[: len(best)], dict(zip(names, best, strict=False)), k=k, gain=gain)
    assert ideal in (None, 1.0)
    adds = sum(term["adds"] for term in told["terms"])
    assert (adds > 0) == (value > 0)
    if value > 0:
        assert f"{adds:.3f}" in told["sentence"]
        assert "not kept" not in told["sentence"]
        assert all(term["rank"] <= k for term in told["terms"])


@pytest.mark.parametrize(
    ("metric", "value", "grades", "depth", "said"),
    [
        ("RR(rel=2)@10", 0.5, [None, 2.0], 9, "The first unit of grade 2 or more stands at rank 2: 1/2."),
        ("RR(rel=2)@10", 1 / 7, [None] * 5, 9, "The first unit of grade 2 or more stands at rank 7: 1/7."),
        ("RR(rel=2)@10", 0.0, [None] * 5, 9, "No unit of grade 2 or more among the first 9."),
        ("Success(rel=2)@5", 1.0, [1.0, None, 2.0], 9, "A unit of grade 2 or more stands at rank 3."),
        ("Success(rel=2)@10", 1.0, [None] * 5, 9, "A unit of grade 2 or more stands within ranks 6 to 9."),
        (
            "R(rel=2)@5",
            0.5,
            [2.0, None, None, None, None],
            9,
            "1 unit of grade 2 or more among the first 5 (rank 1), of 2 known.",
        ),
        (
            "R(rel=2)@10",
            0.5,
            [2.0, 2.0, None, None, None],
            20,
            (
                "2 units of grade 2 or more among the first 5 (ranks 1, 2); ranks 6 to 10 count too and are not "
                "kept here."
            ),
        ),
        (
            "P@5",
            0.2,
            [1.0, None, None, None, None],
            9,
            "1 unit of grade 1 or more among the first 5 (rank 1), of 5 places.",
        ),
        ("nDCG@10", 0.0, [None] * 5, 20, "No unit with a gain among the first 10."),
        (
            "nDCG@10",
            0.4,
            [None] * 5,
            20,
            (
                "Ranks 1 to 5 add up to 0.000; ranks 6 to 10 count too and are not kept here: 0.400 of the best "
                "order in all."
            ),
        ),
        ("my-own", 0.4, [None], 3, "Measured elsewhere."),
    ],
)
def test_sentences(metric, value, grades, depth, said):
    assert why(metric, value, found(grades, depth=depth))["sentence"] == said


def test_facts_that_were_covered():
    told = why("NuggetRecall@5", 0.5, found([2.0, None], covers=(0,)), facts=2)
    assert told["sentence"] == "1 of 2 facts stand whole in the first 2 units."


def test_what_was_counted_as_nothing_is_said_first():
    assert "no ranking" in why("nDCG@10", 0.0, None, missing=True)["sentence"]
    assert "whole" in why("nDCG@10", 0.0, found([None]), unreachable=True)["sentence"]
    assert "not kept" in why("nDCG@10", 0.3, None)["sentence"]
