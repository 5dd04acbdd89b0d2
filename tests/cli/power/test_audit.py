"""``evenhand audit``: figures without their data, through the front door."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.cli.main import main
from evenhand.metrics.planning.audit import audit
from evenhand.metrics.planning.published_figures import read_figure


def said(capsys, line, code=0):
    assert main(["audit", *line.split()]) == code
    return capsys.readouterr()


def as_json(capsys, line):
    return json.loads(said(capsys, f"{line} --json").out)


def test_a_count_gets_its_interval_and_the_smallest_difference_it_could_show(capsys):
    out = said(capsys, "17/20").out
    assert "0.850  17 of 20  [0.640, 0.948]  95% Wilson; exact [0.621, 0.968]" in out
    assert "fewer than 6 of 20 questions (0.300)" in out
    got = as_json(capsys, "17/20")
    assert got["schema"] == "evenhand.audit/1"
    assert got["floor"] == {
        "n": 20,
        "least_p": 2 / 2**20,
        "least_p_adjusted": 2 / 2**20,
        "fewest_wins": 6,
        "least_difference": 0.3,
    }
    assert got["difference"] is None


def test_the_point_may_pass_a_threshold_that_its_bound_does_not(capsys):
    got = as_json(capsys, "17/20 --at-least 75%")
    assert any("reaches 0.75; the one-sided 95% bound is 0.678" in s for s in got["does_not_support"])
    got = as_json(capsys, "17/20 --at-least 0.60")
    assert any("at least 0.6" in s for s in got["supports"])
    got = as_json(capsys, "3/20 --at-least 0.60")
    assert any("It is below" in s for s in got["does_not_support"])


def test_two_counts_give_the_best_and_the_worst_pairing(capsys):
    d = as_json(capsys, "85% 75% -n 200")["difference"]
    assert d["value"] == pytest.approx(0.10)
    assert d["same_questions"] is True
    assert d["closest"]["p"] == 2 / 2**22  # 171 against 149, nothing won by the lower alone
    assert d["furthest"]["p"] > 0.05
    assert d["most_losses"] == 28
    assert d["closest"]["low"] > 0


def test_counts_that_no_pairing_makes_significant_are_said_to_be_so(capsys):
    got = as_json(capsys, "17/20 14/20")
    assert any("however the outcomes are paired, these counts cannot" in s for s in got["does_not_support"])
    got = as_json(capsys, "42/50 30/50")
    assert any("however the outcomes are paired" in s for s in got["supports"])


def test_the_order_of_the_two_figures_does_not_change_the_verdict(capsys):
    one, two = as_json(capsys, "30/50 42/50"), as_json(capsys, "42/50 30/50")
    assert one["difference"]["value"] == -two["difference"]["value"]
    assert sorted(one["supports"]) == sorted(two["supports"])


def test_many_systems_make_a_family_and_a_lucky_best(capsys):
    alone, field = as_json(capsys, "42/50 30/50"), as_json(capsys, "42/50 30/50 --of 8")
    assert field["compared"]["tests"] == 28
    assert field["floor"]["fewest_wins"] == 11
    assert field["difference"]["closest"]["p_adjusted"] == pytest.approx(
        28 * alone["difference"]["closest"]["p"]
    )
    assert any("best of 8" in s for s in field["does_not_support"])
    assert not any("better than" in s for s in field["supports"])
    wide, plain = field["figures"][0]["best_of"], field["figures"][0]
    assert wide[0] < plain["low"] < plain["high"] < wide[1]


def test_five_questions_cannot_be_significant(capsys):
    out = said(capsys, "5/5 0/5").out
    assert "With 5 questions no outcome whatever is significant" in out
    assert "0.062" in out


def test_a_percentage_that_no_count_gives_is_told(capsys):
    out = said(capsys, "80% -n 7").out
    told = " ".join(out.split())
    assert told.startswith("0.800 n = 7 no interval: 80% cannot be right")
    assert "no whole number of 7 questions is 80%: the nearest are 5/7 = 71.4% and 6/7 = 85.7%" in told
    assert "if it is 6 of 7, audit 6/7" in told
    assert "[0." not in told
    got = as_json(capsys, "80% -n 7 --at-least 50% --of 3 --clusters 3")
    row = got["figures"][0]
    assert [row[key] for key in ("low", "high", "exact", "k", "method")] == [None] * 5
    assert got["supports"] == []


def test_a_percentage_that_no_count_gives_is_compared_with_nothing(capsys):
    got = as_json(capsys, "80% 71.4% -n 7")
    assert got["difference"] is None
    assert got["figures"][1]["low"] is not None
    assert (
        "that either is better: a figure that cannot be right is no measurement." in got["does_not_support"]
    )


def test_a_mean_with_its_spread_gets_student_and_without_it_the_widest(capsys):
    given_ = as_json(capsys, "0.71 -n 120 --sd 0.3")["figures"][0]
    assert given_["method"] == "Student's t"
    assert (given_["low"], given_["high"]) == pytest.approx((0.6558, 0.7642), abs=1e-4)
    widest = as_json(capsys, "0.71 -n 120")
    assert widest["figures"][0]["sd_assumed"] is True
    assert widest["figures"][0]["low"] < given_["low"]
    assert "No spread is given" in widest["notes"][0]
    error = as_json(capsys, "0.71 -n 120 --se 0.0273861")["figures"][0]
    assert error["sd"] == pytest.approx(0.3, abs=1e-6)


def test_two_means_say_which_correlation_would_do(capsys):
    got = as_json(capsys, "0.71 0.66 -n 120 --sd 0.30 --sd 0.32")
    assert got["difference"]["correlation_needed"] == pytest.approx(0.6036, abs=1e-4)
    assert any("correlate by 0.60 or more" in s for s in got["does_not_support"])
    apart = as_json(capsys, "0.71 0.66 -n 120 --sd 0.30 --sd 0.32 --unpaired")
    assert "correlation_needed" not in apart["difference"]
    assert any("Welch's t p=0.21" in s for s in apart["does_not_support"])


def test_a_spread_that_cannot_be_is_told(capsys):
    got = as_json(capsys, "0.9 -n 40 --sd 0.6")
    assert "not a standard deviation over questions" in got["figures"][0]["wrong"]
    assert got["figures"][0]["low"] is None
    assert got["supports"] == []


def test_questions_from_few_documents_widen_the_interval(capsys):
    row = as_json(capsys, "56/70 --clusters 7")["figures"][0]
    assert row["clustered"]["low"] < row["low"]


def test_the_name_of_a_metric_says_whether_it_is_a_share(capsys):
    assert as_json(capsys, "0.85 -n 20 -m Success@5")["figures"][0]["k"] == 17
    assert as_json(capsys, "0.85 -n 20 -m nDCG@10")["figures"][0]["k"] is None


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("0,85 -n 3", "decimal comma"),
        ("21/20", "21/20 is no share"),
        ("0/0", "0/0 is no share"),
        ("85%", "without its number of questions"),
        ("120% -n 20", "is not a share"),
        ("3.2 -n 40", "not within 0..1"),
        ("nan -n 4", "'nan' is not understood"),
        ("17/20 -n 30", "-n says 30"),
        ("17/20 --sd .2", "a count has no spread"),
        ("0.5 -n 0", "-n is 0"),
        ("0.5 -n 9 --sd -1", "--sd is -1"),
        ("0.5 -n 9 --sd nan", "--sd is nan"),
        ("0.5 -n 9 --sd .1 --se .1", "both --sd and --se"),
        ("0.5 --se .1", "needs the number of questions"),
        ("17/20 0.5 -n 20 --sd .1", "a count has no spread"),
        ("17/20 14/20 12/20", "3 figures"),
        ("17/20 14/20 --of 1", "1 systems were compared"),
        ("17/20 14/20 --tests 0", "0 tests"),
        ("17/20 --level 95", "level is 95"),
        ("17/20 --power 1", "power is 1"),
        ("17/20 --at-least high", "'high' is not a number"),
        ("17/20 --at-least nan", "is not a number"),
        ("17/20 --clusters 21", "21 clusters of 20"),
        ("17/20 14/30 --paired", "different n"),
        ("17/20 -m nDCG@1o", "not the name of a metric"),
        ("17/20 -m NumRet", "is a count"),
        ("0.5 0.4 -n 9 -n 9 -n 9", "-n is given 3 times for 2 figures"),
    ],
)
def test_bad_input_is_told_in_two_lines(capsys, line, told):
    got = said(capsys, line, code=2)
    assert got.out == ""
    lines = got.err.splitlines()
    assert len(lines) == 2
    assert told in lines[0]
    assert lines[1].startswith("  mend: ")


def test_what_a_terminal_would_act_on_is_not_printed(capsys):
    got = said(capsys, "17/20\x1b[31m", code=2)
    assert "\x1b" not in got.err


def test_the_floor_of_the_p_value_is_told_for_counts_and_for_means(capsys):
    for line in ("17/20", "0.71 -n 20 --sd 0.3"):
        told = " ".join(said(capsys, line).out.split())
        assert "p-value floor: no exact paired test of 20 questions gives less than 1.9e-06" in told
    told = " ".join(said(capsys, "17/20 --of 3").out.split())
    assert "less than 5.7e-06 after Holm over 3 tests" in told
    assert "unless 7 or more" in told


def test_a_spread_of_nothing_is_no_certainty(capsys):
    told = " ".join(said(capsys, "0.71 -n 30 --sd 0").out.split())
    assert "no certainty" in told
    assert "a mean somewhere in" not in told
    assert "0.000" not in told


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.data())
def test_no_audit_of_counts_fails_and_every_interval_holds_its_figure(n, data):
    ks = data.draw(st.lists(st.integers(0, n), min_size=1, max_size=2))
    got = audit([read_figure(f"{k}/{n}") for k in ks], systems=data.draw(st.sampled_from([None, 5])))
    for k, row in zip(ks, got.figures, strict=True):
        assert row["low"] <= k / n <= row["high"]
        assert row["exact"][0] <= k / n <= row["exact"][1]
    if got.difference is not None:
        for way in ("closest", "furthest"):
            assert 0 < got.difference[way]["p"] <= 1
        assert got.difference["closest"]["p"] <= got.difference["furthest"]["p"]


def test_what_was_told_is_not_asked_for(capsys):
    asks = "how many systems and settings were tried"
    assert asks in " ".join(said(capsys, "17/20").out.split())
    assert asks not in " ".join(said(capsys, "17/20 --of 1").out.split())


def test_one_question_is_told_in_the_singular(capsys):
    assert "questions drawn like this one" in " ".join(said(capsys, "1/1").out.split())


def test_a_precision_that_cannot_be_and_one_of_a_single_question_have_no_interval(capsys):
    out = said(capsys, "0.473 -n 40 -m P@5").out
    assert "no interval: 0.473 cannot be right" in out
    assert "goes in steps of 1/200" in out
    for figure in ("0.47", "0.4"):
        assert as_json(capsys, f"{figure} -n 1 -m P@5")["figures"][0]["low"] is None
    assert "goes in steps of 1/6" in said(capsys, "0.40 -n 3 -m R@5 --relevant 2").out
