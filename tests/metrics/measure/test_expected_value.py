"""Expected values over the orders of equal scores, against the mean over all orders one by one."""

from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.metrics.measure.expected_value import EXPECTED
from evenhand.metrics.measure.measure import measure
from evenhand.model.run import Qrels, Run

NAMES = ["RR", "RR@2", "RR(rel=2)@3", "nDCG", "nDCG@3", "nDCG(gain=exp)@2", "nDCG(gains={1:5,2:2})@3", "P@1"]
NAMES += ["P@3", "P(rel=2)@4", "R", "R@2", "R(rel=2)@3", "Success@1", "Success@2", "Success(rel=2)@4", "AP"]
NAMES += ["AP@3", "AP(denom=min)@2", "AP(denom=retrieved)", "RBP(p=0.5)", "RBP@2", "Judged@2"]
NAMES += [
    "Judged(denom=retrieved)@3",
    "nDCG(judged_only=true)@2",
    "RR(judged_only=true)",
    "AP(judged_only=true)@2",
]
GRADES = st.lists(st.sampled_from([None, 0, 1, 2]), min_size=1, max_size=6)


def orders(scored):
    """All rankings that equal scores allow."""
    levels = sorted({score for _, score in scored}, reverse=True)
    groups = [[unit for unit, score in scored if score == level] for level in levels]
    return [[u for part in parts for u in part] for parts in product(*map(permutations, groups))]


@settings(max_examples=60, deadline=None)
@given(GRADES, st.data())
def test_it_is_the_mean_over_all_orders(grades, data):
    units = [f"u{i}" for i in range(len(grades))]
    scores = data.draw(st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=len(grades), max_size=len(grades)))
    known = {u: float(g) for u, g in zip(units, grades, strict=True) if g is not None} | {"other": 1.0}
    scored = list(zip(units, scores, strict=True))
    got = measure(Qrels.of({"t": known}), Run.of("s", {"t": scored}), NAMES, ties="expected")
    every = [
        Run.of(f"s{i}", {"t": [(u, -float(at)) for at, u in enumerate(order)]})
        for i, order in enumerate(orders(scored))
    ]
    each = measure(Qrels.of({"t": known}), every, NAMES)
    for x, name in enumerate(got.metrics):
        assert got.value[0, x, 0] == pytest.approx(each.value[:, x, 0].mean(), abs=1e-12), name


def test_every_form_is_tried():
    assert {name.split("(")[0].split("@")[0] for name in NAMES} == set(EXPECTED)


def test_without_ties_it_is_the_value_itself_and_order_of_input_does_not_matter():
    qrels = Qrels.of({"t": {"a": 1, "b": 2, "c": 0}, "gone": {"a": 1}, "none": {"a": 0}})
    up = Run.of("s", {"t": [("x", 1.0), ("a", 2.0), ("b", 3.0)], "none": [("a", 1.0)]})
    down = Run.of("s", {"t": [("b", 3.0), ("a", 2.0), ("x", 1.0)], "none": [("a", 1.0)]})
    one, two = (measure(qrels, run, NAMES, ties="expected") for run in (up, down))
    plain = measure(qrels, down, NAMES)
    assert one.value == pytest.approx(plain.value, abs=1e-12)
    assert two.value == pytest.approx(plain.value, abs=1e-12)
    assert (one.why == plain.why).all()
    assert one.missing.tolist() == [[False, True, False]]


@pytest.mark.parametrize("name", ["ERR@5", "Bpref", "RPrec", "INST(max_rel=2)", "IPrec", "Compat", "SetP@5"])
def test_a_metric_without_a_closed_form_is_refused_by_name(name):
    tied = Run.of("s", {"t": [("a", 1.0), ("b", 1.0)]})
    with pytest.raises(InputError) as error:
        measure(Qrels.of({"t": {"a": 1}}), tied, [name], ties="expected")
    assert "no closed form" in str(error.value)
    assert "nDCG" in error.value.mend


def test_a_cut_through_a_tie_is_refused_where_it_moves_the_divisor():
    tied = Run.of("s", {"t": [("a", 1.0), ("b", 1.0)]})
    with pytest.raises(InputError, match="order of ties"):
        measure(Qrels.of({"t": {"a": 1}}), tied, ["AP(denom=retrieved)@1"], ties="expected")


def test_sets_and_counts_do_not_depend_on_the_order():
    tied = Run.of("s", {"t": [("a", 1.0), ("b", 1.0)]})
    m = measure(Qrels.of({"t": {"a": 1}}), tied, ["SetP", "NumRelRet", "SetF"], ties="expected")
    assert m.value[0, :, 0].tolist() == [0.5, 1.0, pytest.approx(2 / 3)]


def test_long_ties_stay_exact():
    units = [f"u{i:04d}" for i in range(1000)]
    tied = Run.of("s", {"t": [(u, 0.0) for u in units]})
    m = measure(Qrels.of({"t": {units[7]: 1}}), tied, ["Success@10", "P@10", "RR", "AP"], ties="expected")
    harmonic = sum(1 / i for i in range(1, 1001)) / 1000
    assert m.value[0, :, 0] == pytest.approx([0.01, 0.001, harmonic, harmonic], abs=1e-12)


def test_scores_alike_as_float32_are_a_tie_of_trec_eval_9_only():
    run = Run.of("s", {"t": [("a", 1.000000002), ("b", 1.000000001)]})
    qrels = Qrels.of({"t": {"a": 1}})
    rr = {
        ties: measure(qrels, run, ["RR"], ties=ties).value[0, 0, 0]
        for ties in ("trec9", "trec10", "file", "trec")
    }
    assert rr == {"trec9": 0.5, "trec10": 1.0, "file": 1.0, "trec": 1.0}
