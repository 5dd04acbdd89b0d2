"""The lines of trust: what passes, what fails, what cannot be decided; and the example of PROTOCOLS P1."""

import pytest
from tests.judge.calibrated import all_drawn, cases_from, p1

from evenhand.errors import InputError
from evenhand.judge.calibration.calibrate import calibrate
from evenhand.judge.calibration.numbers import numbers_of
from evenhand.judge.calibration.rate_bounds import FUZZY, ONE_PERSON, bracket, trust_words
from evenhand.judge.calibration.trust_thresholds import DEFAULTS, lines_of
from evenhand.judge.calibration.trust_verdict import accepted, trust
from evenhand.model.plan.sections import CriterionPlan
from evenhand.study.ledger.criteria import evaluate

PLAIN = {
    "set": "plain",
    "agreement": {"at_least": 0.75, "by": "point"},
    "disputed": {"at_most": 0.25, "by": "point"},
}


def held(cases, settings=None, gullible=None, **options):
    made = calibrate(cases, all_drawn(cases), resamples=200, **options)
    numbers = numbers_of(made)
    if gullible is not None:
        numbers["gullibility"] = gullible
    lines, out = lines_of(settings or {})
    return made, trust(numbers, lines, left_out=out)


def line(found, name):
    return next(row for row in found["lines"] if row["name"] == name)


def test_the_protocols_example_fails_and_is_a_bracket():
    """P1: 20 pairs, 65% agreement, 35% disputed, all in one direction."""
    made, found = held(p1(), PLAIN)
    assert line(found, "agreement")["value"] == 0.65
    assert line(found, "disputed")["value"] == 0.35
    assert [row["state"] for row in found["lines"]] == ["fail", "fail"]
    assert (found["verdict"], found["withheld"], found["exit"]) == ("human-only", True, 1)
    assert (made["agreement"]["low"], made["agreement"]["high"]) == pytest.approx((0.433, 0.819), abs=5e-4)
    shown = bracket(made)
    panel, people = shown["ends"]
    assert (panel["who"], panel["end"], panel["value"]) == ("panel", "strict", 0.2)
    assert (people["who"], people["end"], people["value"]) == ("people", "loose", 0.55)
    assert people["method"].startswith("Wilson")
    assert (people["low"], people["high"]) == pytest.approx((0.3421, 0.7418), abs=5e-4)
    assert (shown["direction"]["lenient"], shown["direction"]["strict"]) == (0, 7)
    assert shown["direction"]["p"] == pytest.approx(2 * 0.5**7)
    assert shown["direction"]["net"] == -1
    assert FUZZY in shown["sentences"]
    assert ONE_PERSON in shown["sentences"]
    assert "The rate is withheld as a settled figure." in shown["sentences"][0]
    assert "The panel is stricter; the lean is more than chance (p 0.016)." in shown["sentences"][1]


def test_the_same_lines_as_criteria_of_the_study():
    plans = [
        CriterionPlan(name="agree", on="panel.human_agreement", at_least=0.75, role="trust"),
        CriterionPlan(name="dispute", on="panel.disputed", at_most=0.25, role="trust"),
        CriterionPlan(name="other", on="gate.precision", at_least=0.75, role="trust"),
        CriterionPlan(name="success", on="panel.rate", at_least=0.75),
    ]
    lines, out = lines_of({"set": "plain"}, plans)
    assert [one.name for one in lines] == ["agree", "dispute"]
    assert set(out) == set(DEFAULTS)
    made = calibrate(p1(), all_drawn(p1()))
    assert trust(numbers_of(made), lines)["verdict"] == "human-only"


@pytest.mark.parametrize(
    ("level", "verdict", "state"),
    [(0.9, "met", "pass"), (0.95, "met", "pass"), (0.99, "not met", "cannot be decided")],
)
def test_a_criterion_of_trust_looks_at_the_bound_that_its_own_section_does(level, verdict, state):
    number = {"point": 0.83, "low": 0.7445, "high": 0.8911, "level": 0.95, "n": 100, "k": 83}
    number |= {"method": "Wilson", "reason": None}
    plan = CriterionPlan(
        name="agree", on="panel.human_agreement", at_least=0.75, by="lower", role="trust", level=level
    )
    row = line(trust({"human_agreement": number}, lines_of({"set": "plain"}, [plan])[0]), "agree")
    own = evaluate(plan, {"panel": {"numbers": {"human_agreement": number}}})
    assert (row["state"], own["verdict"]) == (state, verdict)
    assert row["bound"] == pytest.approx(own["bound"])
    assert row["method"] == own["bound_method"]
    # where no count is known, the end of an interval below the level that was asked for shows nothing
    bare = number | {"k": None, "point": 0.9, "low": 0.8}
    row = line(trust({"human_agreement": bare}, lines_of({"set": "plain"}, [plan])[0]), "agree")
    own = evaluate(plan, {"panel": {"numbers": {"human_agreement": bare}}})
    assert (row["state"] == "pass") == (own["verdict"] == "met") == (level < 0.975)
    if level > 0.975:
        assert [row["reason"]] == own["reasons"]


@pytest.mark.parametrize("bias", [0.3, -0.3])
def test_a_criterion_on_the_bias_limits_it_to_both_sides(bias):
    number = {"point": bias, "low": None, "high": None, "level": 0.95, "n": 100, "k": None}
    number |= {"method": "", "reason": None}
    plan = CriterionPlan(name="small bias", on="panel.rate_bias", at_most=0.05, role="trust")
    row = line(trust({"rate_bias": number}, lines_of({"set": "plain"}, [plan])[0]), "small bias")
    assert (row["value"], row["state"]) == (0.3, "fail")
    own = evaluate(plan, {"panel": {"numbers": {"rate_bias": number}}})
    assert (own["point"], own["verdict"]) == (0.3, "not met")


def test_a_good_panel_passes_every_line_once_gullibility_was_measured():
    cases = cases_from([1.0, 0.0, 0.0] * 100, [1.0, 0.0, 0.0] * 97 + [0.0, 1.0, 0.0] * 3)
    _, waiting = held(cases)
    assert (waiting["verdict"], waiting["exit"]) == ("cannot be decided", 4)
    assert "evenhand judge stress" in line(waiting, "gullibility")["reason"]
    gullible = {"point": 0.02, "low": 0.0, "high": 0.06, "n": 100, "method": "Wilson"}
    _, found = held(cases, gullible=gullible)
    assert {row["state"] for row in found["lines"]} == {"pass"}
    assert (found["verdict"], found["withheld"], found["exit"]) == ("pass", False, 0)
    assert [row["code"] for row in found["lines"]] == ["G1", "G2", "G2", "G3", "G4", "G5", "G5", "G6"]
    _, credulous = held(cases, gullible={**gullible, "point": 0.3, "high": 0.4})
    assert credulous["verdict"] == "human-only"


def test_a_constant_judge_who_agrees_often_does_not_pass():
    """R1: with few yes, always saying no agrees with 73% of the labels."""
    cases = cases_from([0.0] * 200, [1.0] * 40 + [0.0] * 160)
    _, found = held(cases, {"gullibility": False})
    assert line(found, "agreement")["value"] == 0.8
    assert line(found, "no_skill")["state"] == "fail"
    assert line(found, "kappa")["value"] is None  # 0 by algebra is not agreement
    assert line(found, "sensitivity")["state"] == "fail"
    assert found["verdict"] == "human-only"
    # a difference of two shares is told in points, not as a share
    bias = next(words for words in trust_words(found) if words.startswith("G4 "))
    assert bias.startswith(
        "G4 distance of the panel's rate from the corrected one 20 points (n 200), at most"
    )
    assert bias.endswith("5 points: fail.")


def test_only_a_biased_rate_leaves_the_corrected_one():
    cases = cases_from([1.0] * 145 + [0.0] * 155, [1.0] * 125 + [0.0] * 175)
    _, found = held(cases, {"gullibility": False})
    assert line(found, "bias")["value"] == pytest.approx(20 / 300, abs=1e-3)
    assert {row["name"] for row in found["lines"] if row["state"] != "pass"} == {"bias"}
    assert (found["verdict"], found["withheld"], found["exit"]) == ("corrected-only", False, 1)


def test_too_few_labels_are_told_with_how_many_would_do():
    cases = cases_from([1.0, 0.0] * 15, [1.0, 0.0] * 13 + [0.0, 1.0] * 2)
    _, found = held(cases, {"gullibility": False, "bias": False})
    row = line(found, "agreement")
    assert (row["state"], row["n"], round(row["value"], 3)) == ("cannot be decided", 30, 0.867)
    assert row["needed"] == 53
    assert (found["verdict"], found["withheld"], found["exit"]) == ("insufficient n", True, 4)
    assert any("53 labels would do" in words for words in trust_words(found))


def test_agreement_without_a_flaw_has_a_bound_for_kappa_too():
    few = cases_from([1.0, 0.0] * 6, [1.0, 0.0] * 6)
    _, found = held(few, {"gullibility": False})
    row = line(found, "kappa")
    assert row["value"] == 1.0
    assert row["bound"] == pytest.approx(2 * line(found, "agreement")["bound"] - 1)
    assert row["method"] == "through the bound of agreement"


def test_items_drawn_one_by_one_go_by_item_and_a_census_by_question():
    cases = cases_from([1.0, 0.0] * 60, ([1.0, 0.0] * 5 + [0.0, 1.0]) * 10, per_question=12)
    drawn = numbers_of(calibrate(cases, all_drawn(cases), resamples=200))["human_agreement"]
    everything = numbers_of(calibrate(cases, None, resamples=200))["human_agreement"]
    assert drawn["method"] == "Wilson"
    assert everything["low"] <= drawn["low"]


def test_incomplete_votes_fail_the_first_line():
    cases = cases_from([1.0, 0.0] * 50, [1.0, 0.0] * 50, votes=[(1.0, None, 1.0), (0.0, 0.0, 0.0)] * 50)
    _, found = held(cases, {"gullibility": False})
    assert line(found, "completeness")["value"] == pytest.approx(5 / 6)
    assert line(found, "completeness")["state"] == "fail"


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"agrement": 0.8}, "unknown key 'agrement'"),
        ({"set": "half"}, "set is 'half'"),
        ({"agreement": "much"}, "agreement is 'much'"),
        ({"agreement": {"at_least": 0.7, "at_most": 0.9}}, "needs one of"),
        ({"agreement": {"atleast": 0.7}}, "agreement has 'atleast'"),
        ({"agreement": {"at_least": 0.7, "by": "upper"}}, "by is 'upper'"),
        ({"agreement": 75}, "at_least is 75"),
        ({"no_skill": 0.3}, "no_skill is 0.3"),
        (dict.fromkeys(DEFAULTS, False), "no line of trust is left"),
    ],
)
def test_what_cannot_be_a_line_is_told(settings, match):
    with pytest.raises(InputError, match=match) as told:
        lines_of(settings)
    assert told.value.mend


def test_a_plain_set_without_a_line_tests_nothing_and_is_refused():
    assert lines_of({"set": "plain"})[0] == ()
    with pytest.raises(InputError, match="no line of trust is left"):
        trust({}, ())


def test_lines_are_overridden_one_by_one_and_what_is_left_out_is_said():
    lines, out = lines_of({"agreement": 0.8, "kappa": False, "ac1": 0.6, "gullibility": False})
    by_name = {one.name: one for one in lines}
    assert (by_name["agreement"].at_least, by_name["agreement"].by) == (0.8, "lower")
    assert (by_name["ac1"].at_least, by_name["ac1"].by) == (0.6, "lower")
    assert by_name["agreement"].planned
    assert not by_name["bias"].planned
    assert out == ("kappa", "gullibility")
    cases = cases_from([1.0, 0.0] * 50, [1.0, 0.0] * 50)
    _, found = held(cases, {"gullibility": False})
    assert any("leaves out of the set: gullibility" in words for words in trust_words(found))


def test_only_an_amendment_with_author_and_reason_in_the_ledger_accepts():
    full = {"accepts": ["panel.trust"], "author": "A. Owner", "reason": "pilot only", "n": 3}
    assert accepted([full]) == {"author": "A. Owner", "reason": "pilot only", "n": 3}
    for key, nothing in (("author", " "), ("reason", ""), ("n", None), ("accepts", [])):
        assert accepted([{**full, key: nothing}]) is None
    assert accepted([{**full, "accepts": ["gate.trust"]}]) is None
    assert accepted([]) is None
    assert accepted([full, {**full, "reason": "later"}])["reason"] == "later"


def test_lines_may_be_accepted_by_name_when_all_that_failed_are():
    _, found = held(p1(), PLAIN)
    one = {"accepts": ["agreement"], "author": "A", "reason": "r", "n": 2}
    assert accepted([one], found) is None
    other = {"accepts": ["disputed"], "author": "B", "reason": "s", "n": 5}
    assert accepted([one, other], found) == {"author": "B", "reason": "s", "n": 5}
    assert "Accepted in writing by B (entry 5 of the ledger): s" in trust_words(
        found, accepted([one, other], found)
    )


def test_a_second_person_takes_the_sentence_on_one_person_away():
    made, _ = held(p1(), PLAIN)
    other = {**made, "ceiling": {**made["ceiling"], "n": 8}}
    assert ONE_PERSON not in bracket(other)["sentences"]
