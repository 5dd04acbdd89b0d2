"""What a calibration counts and bounds, each number from a table small enough to check by hand."""

from dataclasses import replace
from math import sqrt

import pytest
from tests.judge.calibrated import all_drawn, cases_from, world

from evenhand.errors import InputError
from evenhand.judge.calibration.calibrate import calibrate
from evenhand.judge.calibration.human_sample import draw, further
from evenhand.model.plan.calibration_sample import Case

FAST = {"resamples": 50}


def wilson(k, n, z=1.959963984540054):
    centre, reach = k / n + z * z / (2 * n), z * sqrt(k / n * (1 - k / n) / n + z * z / (4 * n * n))
    return (centre - reach) / (1 + z * z / n), (centre + reach) / (1 + z * z / n)


def drawn_of(cases, n, **more):
    return draw({one.item: one.cluster for one in cases}, n, seed=1, **more)


def seen(cases, sample, *changes):
    """Only what was drawn is labelled; the first drawn items are changed, one after the other."""
    there = [one if one.item in sample.position else replace(one, human=None) for one in cases]
    places = [i for i, one in enumerate(there) if one.item in sample.position]
    for place, change in zip(places, changes, strict=False):
        there[place] = replace(there[place], **change)
    return there


def test_what_became_of_each_drawn_item_is_counted_once():
    cases = cases_from([1.0, 0.0] * 20, [1.0, 0.0] * 20, per_question=2)
    sample = drawn_of(cases, 20)
    lost = {"human": None}
    told = [{**lost, "said": "cannot-tell"}] * 3 + [{**lost, "said": "skip"}] * 2 + [lost] * 4
    there = seen(cases, sample, *told)
    outside = next(i for i, one in enumerate(there) if one.item not in sample.position)
    there[outside] = replace(there[outside], human=1.0)
    found = calibrate(there, sample, **FAST)["sample"]
    assert (found["drawn"], found["labelled"], found["outside"]) == (20, 11, 1)
    assert (found["cannot_tell"], found["skipped"], found["waiting"]) == (3, 2, 4)
    assert found["share"] == pytest.approx(11 / 40)
    labelled = {one.cluster for one in there if one.human is not None and one.item in sample.position}
    assert found["questions"] == len(labelled)
    assert len(labelled) < len({one.question for one in sample.items})
    assert found["verdicts_existed"] is False
    late = draw({one.item: one.cluster for one in cases}, 20, seed=1, verdicts=True)
    assert calibrate(there, late, **FAST)["sample"]["verdicts_existed"] is True


def test_disputed_is_what_differs_and_what_the_panel_left_open():
    panel = [1.0] * 4 + [0.0] * 4 + [None] * 2
    human = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0]
    cases = cases_from(panel, human)
    for level, z in ((0.95, 1.959963984540054), (0.9, 1.6448536269514722)):
        found = calibrate(cases, all_drawn(cases), level=level, **FAST)["disputed"]
        assert (found["k"], found["n"], found["value"]) == (4, 10, 0.4)
        assert (found["low"], found["high"]) == pytest.approx(wilson(4, 10, z))


def test_the_level_that_is_asked_for_reaches_every_interval():
    cases = world(200)
    sample = drawn_of(cases, 60)
    there = seen(cases, sample, *[{"human": None, "said": "cannot-tell"}] * 5)
    wide, narrow = (calibrate(there, sample, level=level, **FAST) for level in (0.99, 0.8))
    for of in (lambda made: made["rate"], lambda made: made["human_rate"], lambda made: made["if_missing"]):
        assert of(wide)["low"] < of(narrow)["low"] < of(narrow)["high"] < of(wide)["high"]
    graded = [replace(one, panel=2 * one.panel, human=one.human and 2.0) for one in there]
    wide, narrow = (calibrate(graded, sample, scale=(0.0, 2.0), level=level, **FAST) for level in (0.99, 0.8))
    for of in (lambda made: made["grade"]["corrected"], lambda made: made["grade"]["if_missing"]):
        assert of(wide)["low"] < of(narrow)["low"] < of(narrow)["high"] < of(wide)["high"]


def test_what_people_gave_no_grade_is_bounded_by_all_of_it_no_and_all_of_it_yes():
    # a panel that says one thing adds nothing: people alone, 20 labels of which 12 are yes, and 5 are lacking
    cases = cases_from([1.0] * 100, [1.0] * 100)
    sample = drawn_of(cases, 25)
    lost = [{"human": None, "said": "skip"}] * 5
    there = seen(cases, sample, *lost, *[{"human": 0.0}] * 8)
    made = calibrate(there, sample, **FAST)
    assert made["rate"]["point"] == pytest.approx(12 / 20)
    found = made["if_missing"]
    assert found["missing"] == 5
    assert (found["least"], found["most"]) == pytest.approx((12 / 25, 17 / 25))
    assert found["low"] == pytest.approx(wilson(12, 25)[0])
    assert found["high"] == pytest.approx(wilson(17, 25)[1])
    assert calibrate(seen(cases, sample), sample, **FAST)["if_missing"] is None


def graded(panel, human):
    return cases_from(panel, human, status=["unanimous"] * len(panel))


def test_yes_begins_above_the_lowest_grade_and_at_the_grade_that_is_said():
    cases = graded([0.0, 1.0, 2.0, 3.0] * 5, [0.0, 1.0, 2.0, 3.0] * 5)
    shares = {}
    for cut in (1.0, 1.5, 2.0, 3.0):
        made = calibrate(cases, all_drawn(cases), scale=(0.0, 3.0), yes=cut, **FAST)
        shares[cut] = (made["panel_rate"]["value"], made["human_rate"]["point"], made["yes"])
    assert shares == {
        1.0: (0.75, 0.75, 1.0),
        1.5: (0.5, 0.5, 1.5),
        2.0: (0.5, 0.5, 2.0),
        3.0: (0.25, 0.25, 3.0),
    }
    assert calibrate(cases, all_drawn(cases), scale=(0.0, 3.0), **FAST)["yes"] == 3.0
    for cut in (0.0, -1.0, 3.5):
        with pytest.raises(InputError, match="yes begins at"):
            calibrate(cases, all_drawn(cases), scale=(0.0, 3.0), yes=cut, **FAST)


def test_a_mean_grade_counts_drawn_labels_and_bounds_by_its_own_scale():
    cases = graded([1.0, 2.0, 3.0] * 20, [1.0, 2.0, 3.0] * 20)
    cases[0] = replace(cases[0], panel=None, status="undecided", votes=(None,) * 3)
    sample = drawn_of(cases, 30)
    there = seen(cases, sample)
    outside = [i for i, one in enumerate(there) if one.item not in sample.position]
    for i in outside[:10]:
        there[i] = replace(there[i], human=3.0)  # labelled by whoever liked to
    given = [one.human for one in there if one.item in sample.position]
    made = calibrate(there, sample, scale=(1.0, 3.0), yes=2.0, **FAST)["grade"]
    assert made["people"]["n"] == made["people"]["of"] == 30
    assert made["people"]["value"] == pytest.approx(sum(given) / 30)
    assert made["if_missing"] is None  # nothing that was drawn is lacking
    known = [one.panel for one in there if one.panel is not None]
    assert made["panel"]["value"] == pytest.approx(sum(known) / 59)
    assert made["panel"]["least"] == pytest.approx((sum(known) + 1) / 60)
    assert made["panel"]["most"] == pytest.approx((sum(known) + 3) / 60)
    lost = calibrate(seen(cases, sample, {"human": None}), sample, scale=(1.0, 3.0), yes=2.0, **FAST)["grade"]
    assert lost["if_missing"]["missing"] == 1
    assert lost["if_missing"]["most"] > lost["if_missing"]["least"]


def test_a_grade_that_is_lacking_is_bounded_by_the_ends_of_its_scale():
    # a panel that says one thing adds nothing: 30 labels, of which one is lacking
    cases = graded([2.0] * 30, [1.0, 2.0, 3.0] * 10)
    there = [replace(cases[0], human=None, said="skip"), *cases[1:]]
    made = calibrate(there, all_drawn(cases), scale=(1.0, 3.0), yes=2.0, **FAST)["grade"]
    assert made["corrected"]["point"] == pytest.approx(59 / 29)
    assert (made["if_missing"]["least"], made["if_missing"]["most"]) == pytest.approx((60 / 30, 62 / 30))


def test_a_third_grade_makes_a_mean_and_two_grades_do_not():
    two = graded([0.0, 1.0] * 5, [0.0, 1.0] * 5)
    assert "grade" not in calibrate(two, all_drawn(two), **FAST)
    three = [*two[:-1], replace(two[-1], panel=0.5)]
    assert "grade" in calibrate(three, all_drawn(three), **FAST)


def test_labels_of_some_items_that_nobody_drew_correct_nothing_and_labels_of_all_are_a_census():
    cases = graded([0.0, 1.0, 2.0] * 10, [0.0, 1.0, 2.0] * 10)
    more = {"scale": (0.0, 2.0), **FAST}
    census = calibrate(cases, None, **more)
    assert census["sample"]["design"] == "census"
    assert census["rate"] is not None
    assert census["grade"]["corrected"] is not None
    some = calibrate([*cases[:-1], replace(cases[-1], human=None)], None, **more)
    assert some["sample"]["design"] == "none"
    assert (some["rate"], some["rates"], some["if_missing"]) == (None, [], None)
    assert (some["grade"]["corrected"], some["grade"]["rates"], some["grade"]["if_missing"]) == (
        None,
        [],
        None,
    )
    assert some["human_rate"]["point"] == pytest.approx(9 / 29)


def test_an_item_belongs_to_the_stratum_in_which_it_was_drawn_whatever_the_panel_says_now():
    cases = cases_from(
        [1.0, 0.0] * 30, [1.0, 0.0] * 30, status=["split"] * 20 + ["unanimous"] * 40, votes=[(1.0, 1.0)] * 60
    )
    sample = drawn_of(cases, 30, by="stratified", status={one.item: one.status for one in cases})
    later = [replace(one, status="unanimous") for one in seen(cases, sample)]
    made = calibrate(later, sample, **FAST)
    assert {row["stratum"]: row["items"] for row in made["by_stratum"]} == {"split": 20, "unanimous": 40}
    assert made["population"]["unanimous"] == 60


def test_with_a_stratum_that_has_no_label_nothing_is_said_of_agreement():
    cases = cases_from([1.0, 0.0] * 30, [1.0, 0.0] * 30, status=["split"] * 20 + ["unanimous"] * 40)
    sample = drawn_of(cases, 30, by="stratified", status={one.item: one.status for one in cases})
    there = [replace(one, human=None) if one.status == "split" else one for one in seen(cases, sample)]
    made = calibrate(there, sample, **FAST)
    assert made["unlabelled"] == ["split"]
    assert (made["confusion"]["n"], made["agreement"]["value"]) == (0, None)
    assert made["rate"]["point"] is None


def test_after_further_labels_agreement_is_weighted_by_the_share_that_was_labelled():
    # 40 items unanimous and right, 20 split of which people say the opposite on half
    human = [1.0] * 40 + [0.0, 1.0] * 10
    cases = cases_from([1.0] * 60, human, status=["unanimous"] * 40 + ["split"] * 20)
    questions = {one.item: one.cluster for one in cases}
    status = {one.item: one.status for one in cases}
    sample = further(draw(questions, 12, seed=3), questions, 8, seed=3, status=status)
    there = seen(cases, sample)
    made = calibrate(there, sample, **FAST)
    labelled = [one for one in there if one.human is not None]
    split = [one.human == 1.0 for one in labelled if one.status == "split"]
    assert made["confusion"]["weighted"]
    assert made["agreement"]["value"] == pytest.approx((40 + 20 * sum(split) / len(split)) / 60)
    assert made["agreement"]["value"] != pytest.approx(sum(one.human for one in labelled) / len(labelled))


def test_a_case_is_counted_under_the_question_it_belongs_to():
    cases = [
        Case(item=f"i{n}", cluster=f"q{n // 3}", panel=1.0, status="unanimous", votes=(1.0,), human=1.0)
        for n in range(9)
    ]
    made = calibrate(cases, all_drawn(cases), **FAST)
    assert made["population"] == {
        "items": 9,
        "questions": 3,
        "clusters": 3,
        "unanimous": 9,
        "split": 0,
        "undecided": 0,
    }
