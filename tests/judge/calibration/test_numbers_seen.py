"""Numbers of a calibration that were never looked at closely: each by its definition, worked out here."""

from math import ceil, sqrt

import pytest
from tests.judge.calibrated import all_drawn, cases_from

from evenhand.judge.calibration.calibrate import calibrate
from evenhand.judge.calibration.columns import column_of
from evenhand.judge.calibration.human_sample import draw, further
from evenhand.judge.calibration.numbers import numbers_of
from evenhand.judge.calibration.sample_size import planned
from evenhand.model.plan.calibration_sample import Case

FAST = {"resamples": 100}
Z = 1.959963984540054


def wilson(k, n):
    centre, reach = (
        (k / n + Z * Z / (2 * n)),
        Z * sqrt(k / n * (1 - k / n) / n + Z * Z / (4 * n * n)),
    )
    return (centre - reach) / (1 + Z * Z / n), (centre + reach) / (1 + Z * Z / n)


def case(item, panel, votes, human=None, *, status="", abstained=0, said="", cluster=""):
    status = status or ("undecided" if panel is None else "unanimous")
    return Case(
        item=item,
        cluster=cluster or item,
        panel=panel,
        status=status,
        votes=votes,
        abstained=abstained,
        human=human,
        said=said,
    )


def test_a_vote_that_cannot_tell_is_complete_and_a_failed_call_is_not():
    cases = [
        case("a", 1.0, (1.0, 1.0, None), 1.0, status="split", abstained=1),
        case("b", None, (0.0, None, None), 0.0, abstained=1),  # the third call failed
        case("c", 0.0, (0.0, 0.0, 0.0), 0.0),
    ]
    found = calibrate(cases, all_drawn(cases), **FAST)["panel"]
    assert (found["completeness"]["k"], found["completeness"]["n"]) == (
        8,
        9,
    )  # 6 grades and 2 that cannot tell
    assert found["completeness"]["abstained"] == 2
    assert found["completeness"]["value"] == pytest.approx(8 / 9)
    assert (found["completeness"]["low"], found["completeness"]["high"]) == pytest.approx(wilson(8, 9))
    assert (found["undecided"]["k"], found["undecided"]["n"]) == (1, 3)
    assert (found["undecided"]["low"], found["undecided"]["high"]) == pytest.approx(wilson(1, 3))


def lee(p, sn, sp, n, m0, m1):  # noqa: PLR0917 - the names of the formula
    """Rogan and Gladen's point, and Lee's interval with its pseudo counts."""

    def error(p, sn, sp, theta, n, m0, m1):  # noqa: PLR0917 - as above
        square = p * (1 - p) / n + (1 - theta) ** 2 * sp * (1 - sp) / m0 + theta**2 * sn * (1 - sn) / m1
        return sqrt(square) / (sn + sp - 1)

    point = (p + sp - 1) / (sn + sp - 1)
    p, n = (p * n + Z * Z / 2) / (n + Z * Z), n + Z * Z
    sp, m0 = (sp * m0 + 1) / (m0 + 2), m0 + 2
    sn, m1 = (sn * m1 + 1) / (m1 + 2), m1 + 2
    near = (p + sp - 1) / (sn + sp - 1)
    shift = 2 * Z * Z * (-(1 - near) * sp * (1 - sp) / m0 + near * sn * (1 - sn) / m1)
    reach = Z * error(p, sn, sp, near, n, m0, m1)
    return point, near + shift - reach, near + shift + reach


def test_rogan_and_gladen_correct_the_rate_of_what_the_panel_decided():
    # of 40 that it decided, people say yes to 10: the panel finds 8 of them, and says yes to 6 of the others
    panel = [1.0] * 8 + [0.0] * 2 + [1.0] * 6 + [0.0] * 24
    human = [1.0] * 10 + [0.0] * 30
    # on 20 more it has no decision, and the votes that there are say yes
    cases = cases_from(panel + [None] * 20, human + [1.0] * 20, votes=[(1.0, None, None)] * 60)
    made = calibrate(cases, all_drawn(cases), **FAST)
    (row,) = [one for one in made["rates"] if one["name"] == "Rogan-Gladen"]
    point, low, high = lee(14 / 40, 8 / 10, 24 / 30, 40, 30, 10)
    assert point == pytest.approx(10 / 40)
    assert (row["point"], row["low"], row["high"]) == pytest.approx((point, max(0.0, low), high))
    assert row["n"] == 40
    assert made["rate"]["point"] == pytest.approx(30 / 60)  # the headline is of all items


def test_rogan_and_gladens_row_says_that_classes_of_unequal_chances_were_weighted():
    panel, human = [1.0, 1.0, 0.0, 0.0] * 25, [1.0, 0.0, 0.0, 1.0] * 5 + [1.0, 1.0, 0.0, 0.0] * 20
    cases = cases_from(panel, human, status=["split"] * 20 + ["unanimous"] * 80)
    questions = {one.item: one.cluster for one in cases}
    told = {one.item: one.status for one in cases}
    flags = {}
    for by in ("uniform", "stratified"):
        sample = draw(questions, 60, by=by, seed=1, status=told)
        made = calibrate(cases, sample, **FAST)
        (row,) = [one for one in made["rates"] if one["name"] == "Rogan-Gladen"]
        flags[by] = row["flags"]
        assert row["n"] == 60  # the labels, of 100 that it decided
    assert flags == {"uniform": [], "stratified": ["weighted"]}


def test_what_is_drawn_to_the_last_item_was_certain_to_be_drawn():
    # 60 items, 17 of them split; 12 of all by lot, then every split one that was not among them
    questions = {f"i{i:02}": f"q{i}" for i in range(60)}
    status = {item: "split" if i < 17 else "unanimous" for i, item in enumerate(questions)}
    many = 0
    for seed in range(12):
        first = draw(questions, 12, seed=seed)
        left = 17 - sum(status[one.item] == "split" for one in first.items)
        many += 12 / 60 + left / 17 < 1  # where the sum of the two drawings would say less than certain
        whole = further(first, questions, left, seed=seed, status=status)
        chances = {one.stratum: one.probability for one in whole.items}
        assert chances == {"split": 1.0, "unanimous": pytest.approx(12 / 60)}
    assert 0 < many < 12


def test_what_is_planned_counts_a_panels_help_by_its_correlation():
    sample = draw({f"i{i}": f"q{i // 2}" for i in range(400)}, 100, seed=1)
    found = planned(sample, {f"i{i}": f"q{i // 2}" for i in range(400)}, half_width=0.1)
    gain = 1 / (1 - 0.6**2 * 300 / 400)
    alone, both = wilson(50, 100), wilson(50 * gain, 100 * gain)
    assert found["rate_alone"] == pytest.approx((alone[1] - alone[0]) / 2)
    assert found["rate_corrected"] == pytest.approx((both[1] - both[0]) / 2)
    assert found["agreement"] == pytest.approx(list(wilson(85, 100)))
    assert found["must_agree"] == 84  # of 100, for a lower bound of 75%
    assert found["labels_for_agreement"] == 49
    # z² p (1 - p) (1 - rho² N / (n + N)) / h² = n with n + N = 400, solved for n
    want = Z * Z * 0.25 / 0.01
    assert found["labels_for_rate"] == ceil(want * 0.64 / (1 - want * 0.36 / 400)) == 68
    assert found["labels_for_rate_alone"] == 97


def grouped(wrong):
    """60 items of 12 questions, five each, and yes as often as no; the panel is wrong on those named."""
    human = [float(i % 2) for i in range(60)]
    panel = [1 - y if i in wrong else y for i, y in enumerate(human)]
    return cases_from(panel, human, per_question=5)


def test_where_nothing_was_drawn_the_wider_interval_counts_and_gives_its_name():
    # all that differs is of two questions: what resamples questions is wider
    clumped = calibrate(grouped(range(10)), None)
    found = numbers_of(clumped)["human_agreement"]
    assert found["low"] == clumped["agreement"]["by_question"]["low"] < clumped["agreement"]["low"]
    assert found["high"] == clumped["agreement"]["by_question"]["high"] > clumped["agreement"]["high"]
    assert found["method"] == clumped["agreement"]["by_question"]["method"] != clumped["agreement"]["method"]
    # one in each question but one: what takes items one by one is
    even = calibrate(grouped(range(0, 55, 5)), None)
    found = numbers_of(even)["human_agreement"]
    assert found["low"] == even["agreement"]["low"] < even["agreement"]["by_question"]["low"]
    assert found["high"] == even["agreement"]["high"]
    assert found["method"] == even["agreement"]["method"] != even["agreement"]["by_question"]["method"]
    # items that were drawn one by one have the interval of items, however wide the other is
    cases = grouped(range(10))
    drawn = numbers_of(calibrate(cases, all_drawn(cases)))["human_agreement"]
    assert (drawn["low"], drawn["method"]) == (clumped["agreement"]["low"], clumped["agreement"]["method"])


def test_the_panels_guess_without_a_decision_is_the_mean_of_its_votes_or_the_middle_of_the_scale():
    cases = [
        case("a", None, (2.0, 0.0, None), 1.0),
        case("b", None, (2.0, 2.0, 1.0)),
        case("c", None, (None, None, None)),
        case("d", 1.0, (0.0, 1.0, 2.0), status="split"),  # a decision is no mean
        case("e", None, (2.0, None, None), 2.0),
    ]
    drawn = [True, True, True, True, False]
    more = {"uniform": True, "drawn": drawn}
    graded = column_of(cases, ["s"] * 5, value=float, low=0.0, high=2.0, share=False, **more)
    assert graded.panel == pytest.approx((1.0, 5 / 3, 1.0, 1.0, 2.0))
    assert graded.human == (1.0, None, None, None, None)  # the last one was not drawn
    assert graded.decided == (False, False, False, True, False)
    yes = column_of(cases, ["s"] * 5, value=lambda g: float(g >= 2), low=0.0, high=1.0, share=True, **more)
    assert yes.panel == pytest.approx((0.5, 2 / 3, 0.5, 0.0, 1.0))
