from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from tests.report.example import example

from evenhand.errors import InputError
from evenhand.report.output import assemble as building
from evenhand.report.output.assemble import dumps
from evenhand.report.schema.whole_report import check, schema


def test_a_report_has_the_form_of_its_schema():
    report = example()
    check(report)
    assert schema()["title"] == "Report"
    assert json.loads(dumps(report)) == report


def test_a_report_with_a_field_too_many_is_refused_by_name():
    report = example()
    report["gold"]["clock"] = "12:00"
    with pytest.raises(InputError, match=r"gold\.clock"):
        check(report)
    del report["gold"]["clock"]
    report["estimates"][0]["n"] = "eight"
    with pytest.raises(InputError, match=r"estimates\.0\.n"):
        check(report)


def test_two_builds_give_the_same_bytes():
    assert dumps(example()) == dumps(example())


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_the_hash_seed_does_not_change_a_byte(seed):
    code = "import sys; from tests.report.example import example; from evenhand.report.output.assemble import dumps; from evenhand.report.output.html import render; r = example(); sys.stdout.buffer.write(dumps(r)); sys.stdout.buffer.write(render(r, plots=False).encode())"
    env = {**os.environ, "PYTHONHASHSEED": seed}
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, env=env, check=True).stdout
    from evenhand.report.output.html import render

    assert made == dumps(example()) + render(example(), plots=False).encode()


def test_every_float_is_rounded_and_none_is_negative_zero():
    made = building._plain({"a": 1 / 3, "b": -0.0, "c": np.float64(2.0), "d": np.array([1, 2])}, "x")
    assert made["a"] == 0.3333333333
    assert str(made["b"]) == "0.0"
    assert made["c"] == 2.0
    assert made["d"] == [1, 2]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), np.float32("nan")])
def test_a_number_that_is_not_finite_is_refused_with_its_place(bad):
    with pytest.raises(InputError, match=r"report\.a\[1\]"):
        building._plain({"a": [1, bad]}, "report")


def test_a_lone_surrogate_does_not_break_the_bytes():
    made = building._plain({"a\ud800": ["b\udfff", 1]}, "x")
    assert made == {"a\ufffd": ["b\ufffd", 1]}
    assert json.loads(dumps(made)) == made


def test_equal_warnings_are_said_once_and_counted():
    made = building._warnings(
        ["a", {"kind": "x", "count": 3, "text": "b"}, "a", {"kind": "x", "count": 2, "text": "b"}]
    )
    assert made == [{"kind": "note", "count": 2, "text": "a"}, {"kind": "x", "count": 5, "text": "b"}]


def test_questions_that_differ_most_come_first_and_unmeasured_ones_last():
    rows = example()["questions"]["rows"]
    apart = [row["spread"] for row in rows if row["measured"]]
    assert apart == sorted(apart, reverse=True)
    assert rows[-1]["id"] == "q100"
    assert not rows[-1]["measured"]
    assert rows[-1]["values"] is None


def test_an_undefined_value_is_null_with_its_reason():
    rows = {row["id"]: row for row in example()["questions"]["rows"]}
    assert rows["q003"]["values"][1][1] is None
    assert rows["q003"]["undefined"] == [["dense/large", "R(rel=2)@5", "no relevant unit is known"]]


def test_the_text_of_a_unit_is_stored_once_and_lies_where_it_says():
    report = example()
    units = report["questions"]["units"]
    keys = [(u["chunking"], u["id"], u["from"], u["text"] is None) for u in units]
    assert len(keys) == len(set(keys))
    from tests.report.example import corpus

    held = corpus()
    documents = report["questions"]["documents"]
    for unit in units:
        if unit["text"] is not None:
            whole = held[documents[unit["document"]]["id"]].text
            assert whole[unit["from"] : unit["from"] + len(unit["text"])] == unit["text"]


def test_grades_and_nuggets_stand_at_the_hit():
    report = example()
    questions = report["questions"]
    full = [
        hit
        for row in questions["rows"]
        if row["found"]
        for found in row["found"]
        for hit in found["top"]
        if hit["grade"] == 2.0
    ]
    assert full
    assert all(hit["covers"] == [0] for hit in full)


def test_a_model_drafted_question_makes_the_report_provisional():
    told = example()["provisional"]
    assert told == {"state": True, "waiting": 1, "drafted": 1, "questions": 9, "labels_changed": 0}
