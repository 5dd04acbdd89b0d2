"""Citations of every form, and where they lead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.answer.checks.citation_markers import citations, cited, names_of
from evenhand.model.answer import Citation, Generation, Item, Passage

PASSAGES = (
    Passage(unit="a/lease.md#0-10", text="x", marker="1", doc="a/lease.md"),
    Passage(unit="rent.md#0-10", text="x", marker="2", doc="rent.md", title="The rent"),
    Passage(unit="rent.md#10-20", text="x", marker="3", doc="rent.md", title="The rent"),
)
NAMES = names_of(PASSAGES)


def markers(text):
    return [one.marker for one in citations(text, NAMES)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x [1].", ["1"]),
        ("x [1, 2]", ["1", "2"]),
        ("x [1][2]", ["1", "2"]),
        ("x [1-3]", ["1", "2", "3"]),
        ("x [1–3; 2]", ["1", "2", "3", "2"]),
        ("x [3-1]", ["3-1"]),
        ("x [1-900]", ["1-900"]),
        ("x [^2]", ["2"]),
        ("x[^n]\n\n[^n]: rent.md, page 3", ["rent.md"]),
        ("x 【2†source】 【1:0†x】", ["2", "1"]),
        ("x (lease.md)", ["lease.md"]),
        ("x (The rent)", ["The rent"]),
        ("x (source 2)", ["2"]),
        ("x [Source 2; 3]", ["2", "3"]),
        ("x [rent.md#10-20]", ["rent.md#10-20"]),
        ("x [gone.md]", ["gone.md"]),
        ("x.¹", ["1"]),
        ("x.¹˒²", ["1", "2"]),
        ("x [doc 1 and 2]", ["1", "2"]),
    ],
)
def test_forms(text, expected):
    assert markers(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "(1) first",
        "[sic]",
        "x[i]",
        "[0.5, 1]",
        "`a[1]`",
        "m²",
        "[link](http://a.b)",
        "(see below)",
        "[]",
        "[ ]",
    ],
)
def test_what_is_no_citation(text):
    assert markers(text) == []


def test_markers_lead_to_passages_by_any_of_their_names():
    item = Item(topic="q", kind="answer", text="a [2], b (lease.md), c [rent.md#10-20], d [9], e (rent.md)")
    found = cited(Generation(topic="q", ask="?", system="s", passages=PASSAGES, items=(item,)), item)
    assert found.leads == (1, 0, 2, None, 1)
    assert found.passages == (0, 1, 2)
    assert [item.text[a:b] for a, b in found.spans][:2] == ["[2]", "(lease.md)"]


def test_a_passage_without_marker_is_named_by_its_place():
    assert names_of((Passage(unit="u", text="x"), Passage(unit="v", text="y")))["2"] == 1


def test_a_citation_given_with_its_place_is_not_read_again():
    item = Item(
        topic="q", kind="answer", text="a [1]", citations=(Citation(marker="lease.md", start=2, end=5),)
    )
    found = cited(Generation(topic="q", ask="?", system="s", passages=PASSAGES, items=(item,)), item)
    assert [c.marker for c in found.citations] == ["lease.md"]


def test_a_bracket_that_names_nothing_is_no_citation():
    assert citations("So it is [^] and [^ ].") == ()


@given(st.text(alphabet="[]()【】0123456789,;–-^: \nabc.¹`", max_size=80))
def test_any_text_is_read_and_places_hold(text):
    for one in citations(text, NAMES):
        assert 0 <= one.start < one.end <= len(text)
        assert one.marker.strip()
