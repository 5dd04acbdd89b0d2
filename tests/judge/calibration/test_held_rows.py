"""The parts of a calibration row by row: strata, judges, people among themselves, the panel in itself."""

import pytest
from tests.judge.calibrated import all_drawn, cases_from

from evenhand.judge.calibration.calibrate import calibrate
from evenhand.judge.calibration.comparisons import between_people, by_stratum, of_panel, singles
from evenhand.model.label import Label
from evenhand.model.plan.calibration_sample import Case

OPTIONS = {"level": 0.95, "resamples": 100, "seed": 1}


def case(item, panel, votes, human=None, status=""):
    status = status or ("undecided" if panel is None else "unanimous")
    return Case(item=item, cluster=item, panel=panel, status=status, votes=votes, human=human)


def yes(grade):
    return float(grade >= 1)


def test_an_interval_by_question_is_there_when_a_question_has_several_items_and_only_then():
    panel, human = [1.0, 0.0] * 10, [1.0, 0.0, 0.0, 0.0] * 5
    for per, there in ((1, False), (2, True)):
        cases = cases_from(panel, human, per_question=per)
        made = calibrate(cases, all_drawn(cases), resamples=100)
        assert (made["agreement"]["by_question"] is not None) == there
        assert (made["direction"]["p_by_cluster"] is not None) == there
    one = cases_from(panel, human, per_question=20)  # one question alone has nothing to be compared with
    assert calibrate(one, all_drawn(one), resamples=100)["direction"]["p_by_cluster"] is None


def test_the_row_of_a_stratum_counts_all_its_items_and_its_drawn_labels():
    cases = [
        case("a", 1.0, (), 1.0, "split"),
        case("b", 1.0, (), 0.0, "split"),
        case("c", 1.0, (), 0.0, "split"),  # labelled, and not drawn
        case("d", 0.0, (), None, "split"),
        case("e", None, (), 1.0),  # no decision
        case("f", None, (), None),
        case("g", 1.0, (), 1.0),
    ]
    strata = ["split+undecided"] * 6 + ["unanimous"]
    drawn = [True, True, False, True, True, True, True]
    first, second = by_stratum(cases, strata, drawn, yes, level=0.95)
    assert (first["stratum"], first["items"], first["labelled"]) == ("unanimous", 1, 1)
    assert (second["stratum"], second["items"], second["labelled"]) == ("split+undecided", 6, 3)
    assert second["agreement"]["n"] == 2
    assert second["agreement"]["value"] == 0.5
    assert second["panel_rate"] == 0.75  # of four that it decided, drawn or not
    assert second["human_rate"]["n"] == 3
    assert second["human_rate"]["value"] == pytest.approx(2 / 3)


def test_a_judge_alone_is_held_against_people_on_what_was_drawn_and_its_rate_is_its_own():
    cases = [
        case("a", 1.0, (1.0, 0.0), 1.0),
        case("b", 1.0, (1.0, None), 0.0),
        case("c", 0.0, (1.0, 0.0), 0.0),
        case("d", 1.0, (0.0, 1.0), 1.0),  # not drawn
        case("e", 0.0, (0.0,), 0.0),  # the second was not asked
        case("f", 0.0, (0.0, 0.0), None),
    ]
    drawn = [True, True, True, False, True, True]
    first, second = singles(cases, drawn, ("x", "y"), yes, level=0.95)
    assert (first["judge"], first["n"], first["agreement"], first["rate"]) == ("x", 4, 0.5, 0.75)
    assert (second["judge"], second["n"], second["agreement"], second["rate"]) == ("y", 2, 0.5, 0.0)


def label(judge, n, grade, by="human"):
    return Label(
        question=f"q{n}", doc="d", start=n, end=n + 1, text_sha256=f"{n:064}", judge=judge, grade=grade, by=by
    )


def test_people_agree_on_yes_and_no_and_who_rules_is_none_of_them():
    said = [
        label("ann", 0, 1.0), label("ben", 0, 2.0),  # yes and yes, from grade 1 on
        label("ann", 1, 0.0), label("ben", 1, 1.0), label("cat", 1, 1.0, "adjudicated"),
        label("ann", 2, 0.0), label("ben", 2, 0.0), label("m", 2, 1.0, "panel"),
        label("ann", 3, 2.0),  # of one person alone
    ]  # fmt: skip
    made = between_people(said, {one.item: one.question for one in said}, 1.0, OPTIONS)
    assert (made["people"], made["n"]) == (2, 3)
    assert made["agreement"]["value"] == pytest.approx(2 / 3)
    assert made["kappa"]["value"] == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))  # yes: 1/3 and 2/3
    alone = between_people([label("ann", n, 1.0) for n in range(3)], {said[0].item: "q0"}, 1.0, OPTIONS)
    assert (alone["people"], alone["n"], alone["agreement"]) == (1, 0, None)


def test_a_lone_judge_is_not_unanimous_with_itself():
    cases = [case("a", 1.0, (1.0,)), case("b", 0.0, (0.0,)), case("c", None, (None,))]
    made = of_panel(cases, yes, OPTIONS)
    assert (made["unanimity"], made["pairwise"]) == (None, None)
    two = of_panel([case("a", 1.0, (1.0, 1.0)), case("b", None, (0.0, 1.0))], yes, OPTIONS)
    assert (two["unanimity"]["value"], two["pairs"]) == (0.5, [[0, 1, 2, 0.5]])
