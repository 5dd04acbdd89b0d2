"""Lines of trust exactly at their limits, the set of the house word for word, and who may accept what."""

import pytest

from evenhand.judge.calibration.numbers import numbers_of
from evenhand.judge.calibration.rate_bounds import ONE_PERSON, bracket, direction_words, line_words
from evenhand.judge.calibration.trust_thresholds import DEFAULTS, Line, lines_of
from evenhand.judge.calibration.trust_verdict import accepted, trust

WILSON = "Wilson"


def number(point, low=None, high=None, n=100, method=WILSON, **more):
    return {"point": point, "low": low, "high": high, "n": n, "method": method, **more}


def state(line, found, **numbers):
    made = trust({line.number: found, **numbers}, [line])
    return made["lines"][0]["state"]


def test_the_set_of_the_house_is_that_of_the_protocol():
    told = {
        one.name: (one.code, one.number, one.at_least, one.at_most, one.by, one.beat)
        for one in DEFAULTS.values()
    }
    assert told == {
        "completeness": ("G1", "completeness", 0.98, None, "point", ""),
        "agreement": ("G2", "human_agreement", 0.75, None, "lower", ""),
        "no_skill": ("G2", "human_agreement", None, None, "lower", "no_skill"),
        "kappa": ("G3", "kappa", 0.40, None, "lower", ""),
        "bias": ("G4", "rate_bias", None, 0.05, "point", ""),
        "sensitivity": ("G5", "sensitivity", 0.60, None, "lower", ""),
        "specificity": ("G5", "specificity", 0.60, None, "lower", ""),
        "gullibility": ("G6", "gullibility", None, 0.10, "upper", ""),
    }
    assert [one.name for one in DEFAULTS.values() if one.size] == ["bias"]


def test_a_bare_number_is_the_most_of_what_should_be_small_and_the_least_of_all_else():
    names = ("bias", "gullibility", "disputed", "undecided", "ac1", "human_human", "precision", "unanimity")
    lines = {one.name: one for one in lines_of({"set": "plain", **dict.fromkeys(names, 0.25)})[0]}
    assert {name for name, one in lines.items() if one.at_most == 0.25} == set(names[:4])
    assert {name for name, one in lines.items() if one.at_least == 0.25} == set(names[4:])
    by = {name: one.by for name, one in lines.items()}
    assert by == {
        "bias": "point",
        **dict.fromkeys(("gullibility", "disputed", "undecided"), "upper"),
        **dict.fromkeys(names[4:], "lower"),
    }
    assert lines["bias"].size
    (share,) = lines_of({"set": "plain", "human_share": 0.1})[0]
    assert (share.at_least, share.by) == (0.1, "point")
    for limit in (-1, 0, 1):
        assert lines_of({"set": "plain", "kappa": limit})[0][0].at_least == limit


def test_a_limit_that_is_met_exactly_is_met():
    least = Line(name="a", number="x", at_least=0.75)
    most = Line(name="a", number="x", at_most=0.25)
    for line, good, bad in ((least, 0.75, 0.7499), (most, 0.25, 0.2501)):
        assert state(line, number(good)) == "pass"
        assert state(line, number(bad)) == "fail"
    lower = Line(name="a", number="x", at_least=0.75, by="lower")
    assert state(lower, number(0.9, low=0.75)) == "pass"
    assert state(lower, number(0.9, low=0.7499)) == "cannot be decided"
    assert state(lower, number(0.75, low=0.5)) == "cannot be decided"
    assert state(lower, number(0.7499, low=0.5)) == "fail"
    upper = Line(name="a", number="x", at_most=0.1, by="upper")
    assert state(upper, number(0.05, high=0.1)) == "pass"
    assert state(upper, number(0.05, high=0.1001)) == "cannot be decided"
    assert state(upper, number(0.1, high=0.2)) == "cannot be decided"
    assert state(upper, number(0.1001, high=0.2)) == "fail"


def test_what_has_to_be_beaten_is_not_beaten_by_the_same():
    beat = Line(name="a", number="x", beat="floor", by="lower")
    assert state(beat, number(0.9, low=0.8), floor=number(0.8)) == "cannot be decided"
    assert state(beat, number(0.9, low=0.8001), floor=number(0.8)) == "pass"
    assert state(beat, number(0.8, low=0.7), floor=number(0.8)) == "fail"
    assert state(beat, number(0.9, low=0.8), floor=number(None)) == "cannot be decided"


def test_the_size_of_a_bias_counts_whatever_its_sign():
    line = DEFAULTS["bias"]
    assert [state(line, number(x)) for x in (-0.05, 0.05, -0.06, 0.06)] == ["pass", "pass", "fail", "fail"]
    row = trust({"rate_bias": number(-0.02)}, [line])["lines"][0]
    assert (row["value"], row["at_least"], row["at_most"]) == (0.02, None, 0.05)


def verdict(*states):
    """Of lines G1 (fails, waits, is unknown, passes) and so on, in order."""
    found = {
        "pass": number(1.0, low=0.9),
        "fail": number(0.1, low=0.0),
        "wait": number(0.9, low=0.5),
        "unknown": number(None),
    }
    lines = [
        Line(name=f"l{i}", number=f"n{i}", code=code, at_least=0.8, by="lower")
        for i, (code, _) in enumerate(states)
    ]
    made = trust({f"n{i}": found[word] for i, (_, word) in enumerate(states)}, lines)
    return made["verdict"], made["withheld"], made["exit"]


def test_every_verdict_with_its_exit_code():
    assert verdict(("G1", "pass"), ("G4", "pass")) == ("pass", False, 0)
    assert verdict(("G1", "pass"), ("G4", "fail")) == ("corrected-only", False, 1)
    assert verdict(("G1", "fail"), ("G4", "pass")) == ("human-only", True, 1)
    assert verdict(("", "fail"), ("G4", "fail")) == ("human-only", True, 1)
    assert verdict(("G1", "wait"), ("G4", "pass")) == ("insufficient n", True, 4)
    assert verdict(("G1", "wait"), ("G4", "fail")) == ("insufficient n", True, 1)
    assert verdict(("G1", "wait"), ("G2", "unknown")) == ("cannot be decided", True, 4)
    assert verdict(("G1", "unknown"), ("G4", "pass")) == ("cannot be decided", True, 4)
    assert verdict(("G1", "unknown"), ("G2", "fail")) == ("human-only", True, 1)


def test_labels_that_would_do_are_those_of_wilson_and_none_where_questions_count():
    lower = Line(name="a", number="x", at_least=0.75, by="lower")
    upper = Line(name="a", number="x", at_most=0.25, by="upper")

    def needed(line, found):
        return trust({"x": found}, [line])["lines"][0]["needed"]

    # JUDGING: an observed .80 needs 289 labels for a lower bound of .75, .85 needs 73, .90 needs 33
    assert [needed(lower, number(x, low=0.5)) for x in (0.8, 0.85, 0.9)] == [289, 73, 33]
    assert [needed(upper, number(x, high=0.5)) for x in (0.2, 0.15, 0.1)] == [289, 73, 33]
    assert needed(lower, number(0.9, low=0.5, method="bootstrap over clusters")) is None
    assert needed(lower, number(0.9, low=0.8)) is None  # it passes
    assert needed(lower, number(1.5, low=0.5)) is None  # no share


def test_what_waits_has_to_be_accepted_too_and_a_line_that_passed_has_not():
    rows = [
        {"name": name, "state": word}
        for name, word in (("a", "fail"), ("b", "cannot be decided"), ("c", "pass"))
    ]
    found = {"lines": rows}

    def entry(n, *names):
        return {"accepts": list(names), "author": "A", "reason": "r", "n": n}

    def number_of(*entries):
        one = accepted(entries, found)
        return None if one is None else one["n"]

    assert number_of(entry(1, "a")) is None
    assert number_of(entry(1, "c")) is None
    assert number_of(entry(1, "a"), entry(2, "b")) == 2
    assert number_of(entry(1, "a", "b")) == 1
    assert number_of(entry(1, "a", "b"), entry(2, "c")) == 1  # the later one touches nothing
    assert number_of(entry(1, "panel.trust"), entry(2, "a")) == 1
    assert number_of(entry(1, "a", "b"), entry(2, "panel.trust")) == 2
    assert accepted([entry(1, "a")], {"lines": rows[2:]}) is None


def made(design, **parts):
    """As little of a calibration as numbers are read from."""
    share = {
        "value": 0.9,
        "low": 0.8,
        "high": 0.95,
        "method": WILSON,
        "flags": [],
        "n": 20,
        "by_question": None,
    }
    names = ("agreement", "no_skill", "kappa", "ac1", "sensitivity", "specificity", "precision", "disputed")
    rate = {"point": 0.4, "low": 0.3, "high": 0.5, "n": 20, "method": "m", "gain": 1.5}
    return {
        "level": 0.95,
        "sample": {"design": design, "labelled": 20, "share": 0.2},
        **dict.fromkeys(names, share),
        "sample_human_rate": {"value": 0.3},
        "sample_panel_rate": {"value": 0.5},
        "rate": rate,
        "human_rate": rate,
        "panel_rate": {"value": 0.45, "n": 90},
        "panel": {"unanimity": None, "pairwise": None, "completeness": share, "undecided": share},
        "ceiling": {"agreement": None, "reason": "nobody"},
        **parts,
    }


def test_the_bias_is_the_panels_rate_less_the_corrected_one():
    found = numbers_of(made("uniform"))
    assert found["rate_bias"]["point"] == pytest.approx(0.05)
    assert found["gain"]["point"] == 1.5
    assert (found["rate"]["point"], found["rate"]["n"], found["rate_bias"]["n"]) == (0.4, 20, 20)
    assert found["human_human"]["reason"] == "nobody"
    without = numbers_of(made("none", rate=None))
    assert (without["rate_bias"]["point"], without["rate"]["reason"]) == (None, "no human sample was drawn")


@pytest.mark.parametrize("design", ["census", "none", "uniform", "uniform+further", "stratified"])
def test_questions_count_where_nobody_drew_items(design):
    other = {"low": 0.7, "high": 0.97, "method": "bootstrap"}
    share = {
        "value": 0.9,
        "low": 0.8,
        "high": 0.95,
        "method": WILSON,
        "flags": [],
        "n": 20,
        "by_question": other,
    }
    found = numbers_of(made(design, agreement=share))["human_agreement"]
    wider = (0.7, 0.97, "bootstrap")
    assert (found["low"], found["high"], found["method"]) == (
        wider if design in {"census", "none"} else (0.8, 0.95, WILSON)
    )


def test_a_degenerate_coefficient_is_no_number_of_trust():
    constant = {
        "value": 1.0,
        "low": None,
        "high": None,
        "method": "m",
        "flags": ["zero_width"],
        "n": 20,
        "by_question": None,
        "degenerate": True,
        "note": "one answer",
    }
    found = numbers_of(made("uniform", kappa=constant))["kappa"]
    assert (found["point"], found["reason"]) == (None, "one answer")


def leaning(b, c, p, by_cluster=None):
    return {"lenient": b, "strict": c, "n": 40, "p": p, "p_by_cluster": by_cluster, "questions": 9}


def test_the_lean_is_said_by_its_side_its_test_and_its_size():
    words = direction_words(leaning(12, 3, 0.0352))
    assert "panel yes and people no 12, panel no and people yes 3" in words
    assert "The panel is more lenient; the lean is more than chance (p 0.035)." in words
    assert "is stricter is not decided: that may be chance (p 0.050)" in direction_words(leaning(3, 12, 0.05))
    assert "is not decided: that may be chance (p 1.000)" in direction_words(leaning(4, 4, 1.0))
    # over questions, where there are several items of one
    assert "that may be chance (p 0.200, over 9 questions)" in direction_words(leaning(12, 3, 0.0352, 0.2))
    assert "(p < 0.001)" in direction_words(leaning(30, 0, 0.0001))
    assert direction_words(leaning(0, 0, 1.0)) == "Panel and people differ on none of 40 items."


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.9796, "97.96%"), (0.976, "97.6%"), (0.975, "98%"), (0.97, "97%"), (0.9802, "98.02%")],
)
def test_as_many_digits_are_said_as_tell_a_number_from_its_limit(value, said):
    row = trust({"completeness": number(value)}, [DEFAULTS["completeness"]])["lines"][0]
    assert line_words(row).startswith(f"G1 valid votes {said} (n 100), at least 98")


def test_the_strict_end_is_whoever_says_yes_less_often_on_the_same_items():
    for panel, people, strict in ((0.2, 0.5, "panel"), (0.5, 0.2, "people")):
        shown = bracket(
            {
                "panel_rate": {
                    "value": panel,
                    "low": 0.1,
                    "high": 0.6,
                    "method": WILSON,
                    "n": 9,
                    "least": 0.1,
                    "most": 0.9,
                },
                "human_rate": {"point": people, "low": 0.1, "high": 0.6, "n": 9, "method": WILSON},
                "direction": leaning(*((0, 9) if strict == "panel" else (9, 0)), 0.004),
                "ceiling": {"n": 3},
            }
        )
        assert {one["who"]: one["end"] for one in shown["ends"]} == {
            "panel": "strict" if strict == "panel" else "loose",
            "people": "strict" if strict == "people" else "loose",
        }
        assert ONE_PERSON not in shown["sentences"]
