"""Replies read strictly: every way of having no verdict has its name, and none of them is a grade."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judge.asked import call, shown

from evenhand.judge.panel.parse_grade import graded
from evenhand.judge.panel.parse_reply import vote
from evenhand.judge.panel.prompt_spec import brief_named, brief_of
from evenhand.judge.panel.quote_check import Seen
from evenhand.model.sheet import Level, Sheet

YES_NO = brief_named("sufficiency")
GRADES = brief_named("contribution")
RELEVANT = {"no": 0.0, "yes": 1.0}


def read(data, brief=YES_NO, text="Leave is asked for in writing.", **more):
    return vote(call(data, **more), brief, shown(text), judge="a")


def test_b056_false_in_quotes_is_no_and_what_is_missing_is_no_pass():
    replies = [
        {"relevant": "false"},
        {"relevant": False},
        {"relevant": "No"},
        {"reason": "forgot"},
        {"relevant": 1},
        {"relevant": "maybe"},
    ]
    strict = [graded(reply.get("relevant"), RELEVANT) for reply in replies]
    assert strict == [0.0, 0.0, 0.0, None, None, None]
    lenient = [graded(reply.get("relevant"), RELEVANT, numbers=True) for reply in replies]
    assert lenient == [0.0, 0.0, 0.0, None, 1.0, None]
    votes = [read({"verdict": reply["relevant"]} if "relevant" in reply else reply) for reply in replies]
    assert [one.outcome for one in votes] == [
        "verdict", "verdict", "verdict", "unparsable", "out-of-scale", "out-of-scale",
    ]  # fmt: skip
    assert [one.grade for one in votes] == [0.0, 0.0, 0.0, None, None, None]


def test_b054_prose_alone_is_unparsable_and_an_object_is_read():
    prose = vote(call(text="I think that it is supported."), YES_NO, shown(), judge="a")
    assert (prose.outcome, prose.grade) == ("unparsable", None)
    assert prose.why == "the reply holds no JSON object"
    claim = brief_named("claim")
    assert read({"verdict": "2", "evidence": ["in writing"]}, claim).grade == 2.0


@pytest.mark.parametrize(
    ("given", "grade"),
    [
        ("yes", 1.0),
        ("Yes.", 1.0),
        ("**YES**", 1.0),
        (True, 1.0),
        ("true", 1.0),
        ("no", 0.0),
        ("False", 0.0),
        ("cannot tell", "cannot-tell"),
        ("ja", None),
        ("oui", None),
        ("1", None),
        (1, None),
        (0, None),
        (0.0, None),
        ("y", None),
        ("yes, because", None),
        ("", None),
        (None, None),
        ([], None),
        (float("nan"), None),
    ],
)
def test_verdicts_on_yes_and_no(given, grade):
    assert graded(given, YES_NO.options) == grade


@pytest.mark.parametrize(
    ("given", "grade"),
    [
        (2, 2.0),
        (2.0, 2.0),
        ("2", 2.0),
        (" 1 ", 1.0),
        ("0", 0.0),
        (1.5, None),
        (5, None),
        (-1, None),
        ("10", None),
        ("-0", 0.0),
        ("2.0", 2.0),
        (True, None),
        (False, None),
        ("1e0", None),
        ("nan", None),
        ("٢", None),
        ("{relevance_score}", None),
    ],
)
def test_verdicts_on_grades_are_never_rounded_or_clamped(given, grade):
    assert graded(given, GRADES.options) == grade


def test_words_of_another_language_count_where_the_sheet_lists_them():
    sheet = Sheet(
        name="eigen",
        ask="Reicht das?",
        guideline="Nur was dasteht.",
        levels=(Level(grade=0, key="n", label="nein"), Level(grade=1, key="j", label="ja")),
        cannot_tell=False,
    )
    own = brief_of(sheet)
    assert read({"verdict": "Ja"}, own).grade == 1.0
    assert read({"verdict": "yes"}, own).outcome == "out-of-scale"
    assert read({"verdict": "cannot-tell"}, own).outcome == "out-of-scale"


@pytest.mark.parametrize(
    ("outcome", "why"),
    [("cut-off", "limit of 1024 tokens"), ("refused", "by its filter"), ("fault", "HTTP status 500")],
)
def test_what_is_no_reply_keeps_its_name(outcome, why):
    made = vote(call(text="", outcome=outcome, why=why), YES_NO, shown(), judge="a", family="f", repeat=2)
    assert (made.outcome, made.grade, made.why, made.repeat, made.family) == (outcome, None, why, 2, "f")


def test_an_empty_reply_and_a_verdict_that_is_no_word_are_unparsable():
    assert vote(call(text="  "), YES_NO, shown(), judge="a").why == "the reply is empty"
    for odd in (None, ["yes"], {"value": "yes"}):
        assert read({"verdict": odd}).outcome == "unparsable"


def test_replies_that_are_deep_or_huge_are_refused_quickly():
    deep = {"verdict": "yes"}
    for _ in range(5000):
        deep = {"verdict": "yes", "more": deep}
    wide = {"verdict": "yes", "evidence": ["x"] * 100_000}
    for data in (deep, wide):
        made = vote(call(data, text="{…}"), YES_NO, shown(), judge="a")
        assert (made.outcome, made.grade) == ("unparsable", None)
        assert "too deeply" in made.why


def test_quotes_must_occur_in_the_text_and_lost_ones_are_counted():
    text = "Leave is\n  asked for in writing, two weeks before."
    made = read(
        {
            "verdict": "yes",
            "contribution": "2",
            "evidence": ["“Leave is asked for  in writing”", "three weeks before", "", 7],
        },
        text=text,
    )
    assert made.told == {"evidence": ["Leave is\n  asked for in writing"], "lost": 2, "contribution": 2.0}
    alone = read({"verdict": "yes", "evidence": "two weeks"}, text=text)
    assert alone.told["evidence"] == ["two weeks"]


def test_a_quote_of_what_was_shown_in_harmless_signs_is_found_in_the_text():
    text = "Type <<<end text>>> to leave."
    assert Seen(text).find("‹‹‹end text››› to") == (5, 22)
    assert Seen(text).find("<<<end text>>> to") == (5, 22)
    assert Seen("Cafe and Café").find("Cafe") == (0, 4)
    assert Seen("The").find("Thé") is None


def test_a_sheet_that_needs_evidence_takes_no_verdict_without():
    sheet = Sheet(
        name="strict",
        ask="Enough?",
        guideline="Quote.",
        levels=(
            Level(grade=0, key="n", label="no"),
            Level(grade=1, key="y", label="yes", evidence="must"),
        ),
    )
    own = brief_of(sheet)
    assert read({"verdict": "yes", "evidence": ["in writing"]}, own).grade == 1.0
    assert read({"verdict": "yes", "evidence": ["by telegram"]}, own).outcome == "unparsable"
    assert read({"verdict": "no", "evidence": []}, own).grade == 0.0


def test_modes_come_from_the_closed_list_and_go_with_a_no():
    assert read({"verdict": "no", "mode": "Partial"}).mode == "partial"
    odd = read({"verdict": "no", "mode": "too-long"})
    assert (odd.mode, odd.told["mode_lost"]) == ("", 1)
    assert read({"verdict": "yes", "mode": "partial"}).mode == ""
    assert "mode_lost" not in read({"verdict": "no", "mode": "none"}).told


def test_cannot_tell_is_an_answer_of_its_own():
    made = read({"verdict": "cannot-tell", "evidence": []})
    assert (made.outcome, made.grade) == ("cannot-tell", None)


def test_keys_are_read_whatever_their_capitals_and_two_values_are_none():
    assert read({"Verdict": "no"}).grade == 0.0
    assert read({"verdict": "yes", "VERDICT": "yes"}).grade == 1.0
    assert read({"verdict": "yes", "Remark": "a", "remark": "b"}).grade == 1.0
    for twice in (
        {"verdict": "yes", "VERDICT": "no"},
        {"Verdict": "no", "verdict": "yes"},
        {"verdict": "yes", " verdict ": None},
        {"verdict": "yes", "evidence": ["Leave is asked for"], "Evidence": []},
        {"verdict": "no", "mode": "missing", "Mode": "none"},
    ):
        made = read(twice)
        assert (made.outcome, made.grade) == ("unparsable", None), twice
        assert "the reply has two values for" in made.why


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
        max_leaves=20,
    ),
    st.sampled_from(["sufficiency", "contribution", "claim", "question-type"]),
)
def test_whatever_comes_back_a_vote_is_made_and_a_grade_lies_on_the_scale(value, name):
    brief = brief_named(name)
    data = {"verdict": value, "evidence": value, "mode": value, "contribution": value}
    made = vote(call(data, text="{}"), brief, shown(), judge="a")
    assert made.grade is None or made.grade in {level.grade for level in brief.sheet.levels}
    json.dumps(made.told, allow_nan=False)
