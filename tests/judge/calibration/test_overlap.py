"""A panel held against people: who is heard, what is counted, and what may be undefined."""

import numpy as np
import pytest

from evenhand.judge.calibration.overlap import calibration
from evenhand.model.label import Label


def label(i, judge, grade, by="human", question="q"):
    return Label(
        question=f"{question}{i // 4}",
        doc="d",
        start=10 * i,
        end=10 * i + 9,
        text_sha256="a" * 64,
        judge=judge,
        by=by,
        kind="cannot-tell" if grade is None else "grade",
        grade=grade,
    )


def test_the_table_of_a_judge_gives_its_phi_rates_and_bias():
    human, judge = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0]
    labels = [label(i, "ann", y) for i, y in enumerate(human)]
    labels += [label(i, "model", f, by="panel") for i, f in enumerate([*judge, 1, 1, 0])]
    (row,) = calibration(labels)
    assert (row["judge"], row["grade"], row["n"], row["items"], row["questions"]) == ("model", 1, 8, 11, 2)
    assert row["phi"]["value"] == pytest.approx(np.corrcoef(human, judge)[0, 1])
    assert row["human_rate"]["value"] == 3 / 8
    assert row["judge_rate"] == 3 / 8
    assert (row["lenient"], row["strict"], row["bias"]) == (1, 1, 0.0)
    assert row["p_direction"] == 1.0


def test_graded_labels_have_a_row_for_each_grade_above_the_lowest():
    labels = [label(i, "ann", g) for i, g in enumerate([0, 1, 2, 2])]
    labels += [label(i, "model", g, by="panel") for i, g in enumerate([0, 2, 2, 1])]
    rows = calibration(labels)
    assert [row["grade"] for row in rows] == [1, 2]
    assert rows[0]["phi"]["value"] == 1.0
    assert rows[1]["human_rate"]["value"] == 0.5


def test_a_ruling_stands_for_people_and_a_panel_of_several_has_a_row_of_its_own():
    labels = [label(i, "ann", 0) for i in range(4)] + [label(0, "cyd", 1, by="adjudicated")]
    for judge, grades in (("a", [1, 1, 0, 0]), ("b", [1, 0, 0, 1]), ("c", [1, 0, 0, None])):
        labels += [label(i, judge, g, by="panel") for i, g in enumerate(grades)]
    rows = {row["judge"]: row for row in calibration(labels)}
    assert list(rows) == ["the panel", "a", "b", "c"]
    assert rows["a"]["human_rate"]["value"] == 0.25
    assert rows["the panel"]["judge_rate"] == 0.25  # lower medians: 1, 0, 0, 0
    assert rows["c"]["n"] == 3


def test_without_items_in_common_or_without_two_grades_there_is_nothing():
    assert calibration([]) == []
    assert calibration([label(0, "ann", 1), label(1, "model", 0, by="panel")]) == []
    assert calibration([label(0, "ann", 1), label(0, "model", 1, by="panel")]) == []


def test_a_judge_who_never_varies_has_no_phi_and_says_why():
    labels = [label(i, "ann", i % 2) for i in range(8)] + [label(i, "model", 1, by="panel") for i in range(8)]
    (row,) = calibration(labels)
    assert row["phi"]["value"] is None
    assert "does not vary" in row["phi"]["reason"]
    assert row["lenient"] == 4
    assert row["icc"] == row["icc_alone"]


def test_what_the_judge_explains_leaves_less_in_common_within_a_question():
    # people say yes to whole questions, and the judge mostly knows to which
    human = [q % 2 for q in range(10) for _ in range(4)]
    judge = [1 - y if i % 9 == 0 else y for i, y in enumerate(human)]
    labels = [label(i, "ann", y) for i, y in enumerate(human)]
    labels += [label(i, "model", f, by="panel") for i, f in enumerate(judge)]
    (row,) = calibration(labels)
    assert row["icc_alone"]["value"] == 1.0
    assert row["icc"]["value"] < 0.7
    (one,) = calibration(labels, clusters={f"q{i}": "all" for i in range(10)})
    assert (one["questions"], one["clusters"]) == (10, 1)
    assert one["icc"] == {"value": None, "reason": "fewer than two clusters"}
