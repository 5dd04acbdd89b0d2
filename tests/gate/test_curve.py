"""Risk against coverage, separability, and thresholds chosen on dev."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError, Undecidable
from evenhand.gate.columns import column_of, passing
from evenhand.gate.cost import Costs
from evenhand.gate.curve import curve_of
from evenhand.gate.production.scales import Scale
from evenhand.gate.rankings import rankings_of
from evenhand.gate.separability import separation_of
from evenhand.gate.signals import signal
from evenhand.gate.threshold import cheapest_threshold, grid_of
from evenhand.model.run import Run

EVEN = Costs(false_answer=1, needless_deferral=1)


def column(scores):
    """The top scores of one system; None: the system found nothing there."""
    rows = {f"q{i}": [] if s is None else [("d", s)] for i, s in enumerate(scores)}
    found = rankings_of([Run.of("s", rows)], tuple(rows))
    return column_of(signal("score(s)", ("s",)), found)


def test_a_curve_by_hand():
    # the golden case aurc_family.01 and coverage_at_risk.01
    found = curve_of(column([0.9, 0.8, 0.7, 0.6, 0.5]), [0, 0, 1, 0, 1], risks=(0.25, 0.0), resamples=200)
    assert found.aurc.point == pytest.approx(0.19666666666666666)
    assert found.e_aurc.point == pytest.approx(0.06666666666666665)
    assert found.augrc.point == pytest.approx(0.12)
    assert (found.oracle, found.risk) == (pytest.approx(0.13), 0.4)
    assert [(p.threshold, p.answered, p.wrong) for p in found.points][:3] == [
        (0.9, 1, 0),
        (0.8, 2, 0),
        (0.7, 3, 1),
    ]
    at = dict(found.at_risk)
    assert (at[0.25].coverage, at[0.25].threshold) == (0.8, 0.6)
    assert (at[0.0].coverage, at[0.0].threshold) == (0.4, 0.8)
    assert found.aurc.interval.low <= found.aurc.point <= found.aurc.interval.high


def test_questions_without_a_value_are_answered_by_no_threshold():
    found = curve_of(column([0.9, None, 0.5, None]), [0, 1, 1, 0], risks=(0.0, 0.5), resamples=100)
    assert (found.n, found.undefined) == (4, 2)
    assert [p.coverage for p in found.points] == [0.25, 0.5]
    assert dict(found.at_risk)[0.5].coverage == 0.5


def test_a_distance_is_turned_round_and_back():
    runs = [Run.of("s", {f"q{i}": [("d", s)] for i, s in enumerate([0.1, 0.2, 0.4])})]
    far = {"s": Scale("distance", 0.0, None, higher=False)}
    found = column_of(signal("score(s)", ("s",), far), rankings_of(runs, ("q0", "q1", "q2"), scales=far))
    curve = curve_of(found, [0, 0, 1], risks=(0.0,), resamples=50)
    assert [p.threshold for p in curve.points] == [0.1, 0.2, 0.4]
    assert dict(curve.at_risk)[0.0].threshold == 0.2
    assert (
        cheapest_threshold(found, [0, 0, 1], [True] * 3, Costs(false_answer=2, needless_deferral=1)).threshold
        == 0.2
    )
    apart = separation_of(found, [True, True, False])
    assert apart.auc.auc == 1.0
    assert apart.edges[0] == pytest.approx(0.1)


def test_losses_must_be_right_or_wrong():
    for bad in ([0, 1], [0, 1, 0.5]):
        with pytest.raises(InputError, match="losses do not fit"):
            curve_of(column([0.1, 0.2, 0.3]), bad)


def test_a_signal_that_does_not_vary_says_so():
    found = curve_of(column([1.0, 1.0, 1.0]), [0, 1, 0], resamples=100)
    assert not found.varies
    assert len(found.points) == 1
    apart = separation_of(column([1.0, 1.0, 1.0]), [True, False, True])
    assert (apart.auc.auc, apart.ks, apart.overlap) == (0.5, 0.0, 1.0)
    assert apart.ks_p == pytest.approx(1.0)


def test_separability_by_hand():
    # pairs won by the positives: .9 and .8 over both, .5 over .4: 5 of 6
    found = separation_of(column([0.9, 0.8, 0.5, 0.6, 0.4, None]), [True, True, True, False, False, True])
    assert found.auc.auc == pytest.approx(5 / 6)
    assert found.cliffs_delta == pytest.approx(2 / 3)
    assert found.ks == pytest.approx(2 / 3)
    assert (found.positives, found.negatives, found.undefined) == (3, 2, 1)
    assert found.auc.interval.method == "DeLong"
    assert len(found.edges) == 11


def test_b067_with_one_class_nothing_is_defined_and_no_threshold_is_recommended():
    same = column([0.2, 0.5, 0.9])
    found = separation_of(same, [True, True, True])
    assert (found.auc.auc, found.ks, found.overlap, found.reason) == (None, None, None, "only one class")
    with pytest.raises(Undecidable, match="no threshold can be recommended"):
        cheapest_threshold(same, [0, 0, 0], [True] * 3, EVEN)
    ties = separation_of(column([0.9, 0.9, 0.9, 0.4, 0.1]), [True, True, False, True, False])
    assert ties.auc.auc == pytest.approx(4 / 6)


def test_a_threshold_worth_nothing_is_not_recommended():
    with pytest.raises(Undecidable, match="deferring everything is cheapest"):
        cheapest_threshold(
            column([0.9, 0.1]), [1, 0], [True, True], Costs(false_answer=5, needless_deferral=1)
        )
    with pytest.raises(Undecidable, match="no question has a value"):
        cheapest_threshold(column([None, None]), [1, 0], [True, True], EVEN)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.sampled_from([0.1, 0.2, 0.3, 0.4])), st.booleans(), st.booleans()),
        min_size=2,
        max_size=12,
    ),
    st.floats(0.1, 5),
)
def test_no_other_threshold_is_cheaper(rows, price):
    made = column([s for s, _, _ in rows])
    answerable = np.array([a for _, a, _ in rows])
    loss = np.array([float(wrong or not a) for _, a, wrong in rows])
    costs = Costs(false_answer=price, needless_deferral=1)

    def cost(answered):
        return float((price * (answered & (loss > 0)) + (~answered & answerable)).mean())

    every = {t: cost(passing(made, t)) for t in (0.1, 0.2, 0.3, 0.4)}
    nothing = cost(np.zeros(len(rows), dtype=bool))
    try:
        found = cheapest_threshold(made, loss, answerable, costs)
    except Undecidable:
        assert len(set(loss)) < 2 or not made.defined.any() or min(every.values()) >= nothing - 1e-9
        return
    assert found.cost == pytest.approx(min(every.values()))
    assert found.cost == pytest.approx(every[found.threshold])


def test_grids():
    assert grid_of(Scale("share", 0.0, 1.0), steps=4) == (0.0, 0.25, 0.5, 0.75, 1.0)
    with pytest.raises(InputError, match="no two ends"):
        grid_of(Scale("bm25", 0.0, None))
    assert grid_of(Scale("bm25", 0.0, None), steps=2, other=[3.0, 1.0, 2.0]) == (1.0, 2.0, 3.0)
