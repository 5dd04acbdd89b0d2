"""answers.jsonl and its table: every field checked, everything back as it was."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.answer.checks.run_checks import check_all
from evenhand.errors import InputError
from evenhand.formats.answers.jsonl import (
    answers_text,
    finding_json,
    generation_json,
    parse_answers,
    read_answers,
    write_answers,
)
from evenhand.formats.answers.table import answers_csv
from evenhand.model.answer import ITEMS, Citation, Generation, Item, Passage, Rating

PASSAGE = Passage(unit="d#0-5", text="30 days", marker="1", doc="d", start=0, end=7, title="T")
ANSWER = Item(
    topic="q",
    kind="answer",
    text="30 days [1]",
    system="s",
    citations=(Citation(marker="1", start=8, end=11, quote="30 days"),),
    claims=("It is 30 days.",),
    abstained=False,
    language="en",
)
CHOICE = Item(
    topic="q", kind="multiple-choice", text="?", system="s", number=1, options=("a", "b"), key=0, answer=""
)
MADE = Generation(
    topic="q",
    ask="How long?",
    system="s",
    passages=(PASSAGE,),
    items=(ANSWER, CHOICE),
    expect="answer",
    model="m",
    prompt="p",
    call="c",
    extra={"reference": "30 days"},
)
REFUSED = Generation(topic="r", ask="?", system="s", state="refused", why="no")


def test_what_was_written_is_read_back(tmp_path):
    write_answers(tmp_path / "answers.jsonl", [MADE, REFUSED])
    found = read_answers(tmp_path / "answers.jsonl")
    assert found == [MADE, REFUSED]
    assert [i.id for i in found[0].items] == [i.id for i in MADE.items]
    assert answers_text(found) == (tmp_path / "answers.jsonl").read_text("utf-8")


def test_what_is_empty_is_left_out_and_what_items_share_is_said_once():
    assert generation_json(REFUSED) == {
        "topic": "r",
        "ask": "?",
        "system": "s",
        "state": "refused",
        "why": "no",
        "passages": [],
    }
    assert "topic" not in generation_json(MADE)["items"][0]
    assert "number" not in generation_json(MADE)["items"][1]


def test_a_torn_last_line_is_left_out_and_a_torn_line_before_is_not():
    text = answers_text([MADE, REFUSED])
    assert parse_answers(text + '{"topic": "x', "f") == [MADE, REFUSED]
    with pytest.raises(InputError, match="f:1:"):
        parse_answers('{"topic": "x\n' + text, "f")


@pytest.mark.parametrize(
    ("change", "says", "mend"),
    [
        ({"stat": "made"}, "f:1: has a field 'stat'", "state"),
        ({"state": "mad"}, "state 'mad'", "made"),
        ({"ask": 3}, "ask is 3", "a text"),
        ({"expect": "abstan"}, "expect is 'abstan'", "abstain"),
        ({"passages": [{"unit": "u"}]}, r"passages\[0\]: has no 'text'", "one object a line"),
        ({"passages": [{"unit": "u", "text": "x", "start": 3}]}, "start is 3 and end is None", "neither"),
        ({"passages": "x"}, "passages is 'x'", "a list"),
        ({"items": [{"kind": "answr", "text": ""}]}, r"items\[0\]: an item of kind", "answer"),
        ({"items": [{"kind": "answer", "text": "", "key": True}]}, "key is True", "whole number"),
        ({"items": [{"kind": "answer", "text": "", "options": [1]}]}, "options is", "a list of texts"),
        (
            {"items": [{"kind": "answer", "text": "", "citations": [{"marke": "1"}]}]},
            r"citations\[0\]",
            "marker",
        ),
        ({"items": [3]}, r"items\[0\]: is no JSON object", "one object a line"),
        ({"state": "refused", "items": [{"kind": "answer", "text": ""}]}, "has items", "no items"),
        ({"extra": []}, r"extra is \[\]", "an object"),
    ],
)
def test_faults_name_line_field_and_mend(change, says, mend):
    line = json.dumps({"topic": "q", "ask": "?", "system": "s", **change})
    with pytest.raises(InputError, match=says) as caught:
        parse_answers(line + "\n", "f")
    assert mend in caught.value.mend


@pytest.mark.parametrize("name", ["topic", "ask", "system"])
def test_what_is_needed(name):
    row = {"topic": "q", "ask": "?", "system": "s"}
    del row[name]
    with pytest.raises(InputError, match=f"has no '{name}'"):
        parse_answers(json.dumps(row) + "\n", "f")


words = st.text(max_size=12)


@given(
    text=words,
    options=st.lists(words, max_size=3).map(tuple),
    key=st.one_of(st.none(), st.integers(0, 5)),
    kind=st.sampled_from(ITEMS),
    marker=words,
    number=st.integers(0, 3),
)
def test_any_item_comes_back(*, text, options, key, kind, marker, number):
    item = Item(
        topic="t",
        kind=kind,
        text=text,
        options=options,
        key=key,
        number=number,
        citations=(Citation(marker=marker),),
    )
    one = Generation(
        topic="t", ask=text, system="", items=(item,), passages=(Passage(unit=marker, text=text),)
    )
    assert parse_answers(answers_text([one]), "f") == [one]


def test_the_table_has_a_row_an_item_and_says_whether_checks_were_shown():
    ratings = [
        Rating(item=ANSWER.id, rater="ann", given={"faithful": "yes"}, checks_shown_before_rating=True),
        Rating(
            item=ANSWER.id,
            rater="ben",
            given={"faithful": "no", "accept": "cannot-tell"},
            after_checks=("accept",),
        ),
    ]
    rows = list(csv.DictReader(io.StringIO(answers_csv([MADE, REFUSED], check_all([MADE]), ratings))))
    assert [(r["topic"], r["kind"], r["rater"]) for r in rows] == [
        ("q", "answer", "ann"),
        ("q", "answer", "ben"),
        ("q", "multiple-choice", ""),
        ("r", "", ""),
    ]
    assert [r["checks_shown_before_rating"] for r in rows[:2]] == ["True", "False"]
    assert (rows[1]["faithful"], rows[1]["accept"]) == ("no", "cannot-tell")
    assert [r["after_checks"] for r in rows[:2]] == ["", "accept"]
    assert rows[0]["check:numbers-grounded"] == "pass"
    assert rows[0]["check:options-distinct"] == ""
    assert rows[2]["check:options-distinct"] == "fail"
    assert rows[2]["why:options-distinct"] == "2 options, not 4"
    assert rows[3]["state"] == "refused"


def test_no_cell_is_a_formula():
    item = Item(topic="=1+1", kind="answer", text="=HYPERLINK()", system="+s")
    one = Generation(topic="=1+1", ask="@x", system="+s", items=(item,))
    row = next(csv.DictReader(io.StringIO(answers_csv([one]))))
    assert all(value[:1] not in tuple("=+-@") for value in row.values() if value)


def test_findings_are_plain_json():
    for finding in check_all([MADE]):
        row = json.loads(json.dumps(finding_json(finding)))
        assert row["passed"] is finding.passed
        assert [tuple(place) for place in row.get("where", [])] == list(finding.where)
