"""Cells of tables: lists come back to the letter or are refused, and what is no number is said."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.formats.cells import list_cell, number_cell

words = st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=12), max_size=5)


@given(words)
def test_lists_of_python_json_and_numpy_come_back_to_the_letter(texts):
    numpy = pytest.importorskip("numpy")
    assert list_cell(repr(texts)) == texts
    assert list_cell(json.dumps(texts)) == texts
    assert list_cell(json.dumps(texts, ensure_ascii=False)) == texts
    assert list_cell(str(numpy.array(texts, dtype=object))) == texts


@given(st.lists(st.text("ab'\" ,[]\\.\n", max_size=6), min_size=2, max_size=4), st.data())
def test_a_list_that_was_cut_or_printed_without_quotes_is_never_read_as_another(texts, data):
    whole = repr(texts)
    cut = whole[: data.draw(st.integers(1, len(whole) - 1))]
    try:
        found = list_cell(cut)
    except ValueError:
        return
    assert found is None or found == texts[: len(found)] == []


@pytest.mark.parametrize(
    ("cell", "made"),
    [
        ("""['Fee is 5 EUR' "It's waived"]""", ["Fee is 5 EUR", "It's waived"]),
        ("['a'\n 'b']", ["a", "b"]),
        ("['a', None]", ["a", None]),
        ("[1, 2]", [1, 2]),
        ("[]", []),
        ("[{'text': 'a', 'id': 3}]", [{"text": "a", "id": 3}]),
        ("A text.", None),
        ("[1] The fee is 5.", None),
        ("[1] The fee is 5 [2]", None),
    ],
)
def test_what_a_cell_holds(cell, made):
    assert list_cell(cell) == made


@pytest.mark.parametrize(
    "cell",
    [
        "['a', 'b' 'c']",
        "['a''b']",
        "['a' ... 'b']",
        "['a', 'b",
        "['a', 'b...",
        "[Fee is 5 EUR, It's waived]",
        "[Fee is 5 EUR, It's wai...",
        "array(['a', 'b'], dtype=object)",
        "[007, 3]",
        r"['C:\data']",
        "[" * 3000 + "'a'" + "]" * 3000,
    ],
)
def test_what_is_no_list_to_the_letter_is_refused(cell):
    with pytest.raises(ValueError, match=r"."):
        list_cell(cell)


@pytest.mark.parametrize("cell", ["", " ", "nan", "NaN", "None", "N/A", None, float("nan")])
def test_nothing_measured_is_none(cell):
    assert number_cell(cell) is None


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("0,75", "decimal comma"),
        ("1,234.5", "thousands"),
        ("1.234.567", "thousands"),
        ("75%", "percentage"),
        ("1_000", "thousands"),
        ("inf", "no number"),
        (float("inf"), "infinite"),
        ("error", "no number"),
    ],
)
def test_what_is_no_number_says_what_it_is(cell, why):
    with pytest.raises(ValueError, match=why):
        number_cell(cell)


def test_numbers():
    found = [number_cell(cell) for cell in ("0.5", "-1", "1e-3", ".5", "True", False, 2)]
    assert found == [0.5, -1, 0.001, 0.5, 1, 0, 2]
