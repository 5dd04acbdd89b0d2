from __future__ import annotations

import pytest
from tests.report.example import example

from evenhand.model.text import Span
from evenhand.report.output.escape import segments
from evenhand.report.sections.comparison import per_question as drilling
from evenhand.report.sections.comparison.per_question import short


def test_a_small_page_keeps_units_only_for_the_questions_that_differ_most(monkeypatch):
    monkeypatch.setattr(drilling, "BYTES", 12_000)
    questions = example()["questions"]
    found = [row["found"] is not None for row in questions["rows"]]
    assert 0 < sum(found) == questions["drilled"] < 8
    assert found == sorted(found, reverse=True)
    assert f"kept for the first {questions['drilled']} of them" in questions["rule"]


def test_a_long_list_is_cut_and_says_so(monkeypatch):
    monkeypatch.setattr(drilling, "LISTED", 3)
    questions = example()["questions"]
    assert len(questions["rows"]) == questions["listed"] == 3
    assert questions["of"] == 9
    assert "the 3 of 9 questions on which they differ most are listed" in questions["rule"]


def test_a_long_unit_is_cut_around_the_evidence():
    assert drilling._window(0, 500, [], 1200) == (0, 500)
    assert drilling._window(100, 5000, [], 1200) == (100, 1300)
    begin, end = drilling._window(100, 5000, [Span("d", 3000, 3100)], 1200)
    assert end - begin == 1200
    assert begin <= 3000
    assert end >= 3100
    assert drilling._window(100, 5000, [Span("d", 4950, 5000)], 1200) == (3800, 5000)


def test_a_long_text_ends_in_an_ellipsis():
    assert short("ab", 3) == "ab"
    assert short("abcd", 3) == "abc…"


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], [("hello wörld", False)]),
        ([(10, 15)], [("hello", True), (" wörld", False)]),
        ([(0, 12), (11, 13)], [("hel", True), ("lo wörld", False)]),
        ([(16, 99)], [("hello ", False), ("wörld", True)]),
        ([(12, 13), (12, 13), (13, 14)], [("he", False), ("ll", True), ("o wörld", False)]),
        ([(0, 10), (21, 30)], [("hello wörld", False)]),
    ],
)
def test_evidence_is_cut_out_by_code_points(spans, expected):
    assert segments("hello wörld", 10, spans) == expected
