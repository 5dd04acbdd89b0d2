"""Why a metric has its value: what is said is what the metric's own code gives, and nothing is guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.formats.results.ranks import Found
from evenhand.metrics.catalogue.reference import average_precision_ranked, ndcg, recall_at_k
from evenhand.report.sections.comparison.explain_metric import why

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


def ranked(grades, known, *, depth=None):
    """What lies beside a report: the graded of *grades* at their ranks, and all grades there are."""
    graded = tuple((i, g, (i,)) for i, g in enumerate(grades, 1) if g is not None)
    return Found(depth=depth or len(grades), graded=graded, known=tuple(sorted(known, reverse=True)))


@given(
    grades=st.lists(st.sampled_from([None, 0.0, 1.0, 2.0, 3.0]), min_size=1, max_size=14),
    more=st.lists(st.sampled_from([0.0, 1.0, 3.0]), max_size=4),
    k=st.integers(1, 12),
    gain=st.sampled_from(["linear", "exp"]),
)
def test_with_all_ranks_a_metric_is_told_to_its_own_cutoff_against_its_ideal(grades, more, k, gain):
    names = [f"u{i}" for i in range(len(grades))]
    qrels = {name: grade for name, grade in zip(names, grades, strict=True) if grade is not None}
    qrels |= {f"m{i}": grade for i, grade in enumerate(more)}
    beside = ranked(grades, qrels.values())
    name = f"nDCG@{k}" if gain == "linear" else f"nDCG(gain=exp)@{k}"
    value = ndcg(names, qrels, k=k, gain=gain)
    if value is not None:
        told = why(name, value, None, ranks=beside)
        adds, best = (sum(term["adds"] for term in told[key]) for key in ("terms", "best"))
        assert adds / best == pytest.approx(value, abs=1e-9)
        assert "not kept" not in told["sentence"]
        assert f"{best:.3f}" in told["sentence"]
        assert sum(term["to"] - term["rank"] + 1 for term in told["best"]) <= k
    value = average_precision_ranked(names, qrels, k=k)
    if value is not None:
        told = why(f"AP@{k}", value, None, ranks=beside)
        known = sum(grade >= 1 for grade in qrels.values())
        assert sum(term["adds"] for term in told["terms"]) / known == pytest.approx(value, abs=1e-9)
    value = recall_at_k(names, qrels, k=k)
    if value is not None:
        said = why(f"R@{k}", value, None, ranks=beside)["sentence"]
        assert said.endswith(f", of {sum(grade >= 1 for grade in qrels.values())} known.")


def test_a_value_that_ranks_and_grades_do_not_give_is_not_explained_by_them():
    told = why("nDCG@10", 0.5, None, ranks=ranked([2.0, None], [2.0]))
    assert told["sentence"] == "The rankings and grades beside this report do not give this value."
    assert told["terms"] == []


def test_facts_are_counted_to_the_cutoff():
    told = why("NuggetRecall@3", 2 / 3, None, facts=3, ranks=ranked([2.0, None, 1.0, 1.0], [2.0, 1.0, 1.0]))
    assert told["sentence"] == "2 of 3 facts stand whole in the first 3 units."
