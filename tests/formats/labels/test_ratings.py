"""Ratings come back from JSON lines and CSV as they went out, and say whether they were blind."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.formats.labels.ratings import parse_ratings, ratings_text, read_ratings, write_ratings
from evenhand.formats.labels.ratings_table import parse_ratings_csv, ratings_csv
from evenhand.model.answer import RATED, Rating

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"), max_size=30)
NAME = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(str.strip)
RATINGS = st.lists(
    st.builds(
        Rating,
        item=NAME,
        rater=NAME,
        given=st.dictionaries(st.sampled_from(RATED), st.sampled_from(["yes", "no", "cannot-tell"])).map(
            lambda given: {name: given[name] for name in RATED if name in given}
        ),
        checks_shown_before_rating=st.booleans(),
        after_checks=st.sets(st.sampled_from(RATED)).map(lambda s: tuple(n for n in RATED if n in s)),
        by=st.sampled_from(["human", "model"]),
        comment=TEXT,
        at=st.just("2026-11-30T12:00:00.000Z"),
        active_ms=st.none() | st.integers(0, 10**6),
        sheet=st.just("ab"),
    ),
    max_size=5,
)


@given(RATINGS)
def test_json_lines_come_back(ratings):
    assert parse_ratings(ratings_text(ratings), "r.jsonl") == ratings


@given(RATINGS)
def test_csv_comes_back(ratings):
    assert parse_ratings_csv(ratings_csv(ratings), "r.csv") == ratings


def test_files_are_told_apart_by_their_name(tmp_path):
    one = [Rating(item="i", rater="ann", given={"faithful": "no"}, checks_shown_before_rating=True)]
    for name in ("r.jsonl", "r.csv"):
        write_ratings(tmp_path / name, one)
        assert read_ratings(tmp_path / name) == one
        assert "checks_shown_before_rating" in (tmp_path / name).read_text()


def test_no_cell_acts_as_a_formula():
    text = ratings_csv([Rating(item="i", rater="=1+1", given={}, comment="@SUM(A1)")])
    for row in list(csv.reader(io.StringIO(text)))[1:]:
        assert not [cell for cell in row if cell[:1] in set("=+-@")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"item": "i", "rater": "a", "given": {}}', "no 'checks_shown_before_rating'"),
        ('{"item": "i", "rater": "a", "given": {}, "checks_shown_before_rating": "no"}', "'no'"),
        ('{"item": "i", "rater": "a", "given": {"faithfull": "yes"}, "checks_shown_before_rating": false}', "faithfull"),
        ('{"item": "i", "rater": "a", "given": {"faithful": 1}, "checks_shown_before_rating": false}', "given is"),
        ('{"item": "i", "rater": "", "given": {}, "checks_shown_before_rating": false}', "rater is empty"),
        ('{"item": "i", "rater": "a", "given": {}, "checks_shown_before_rating": false, "graed": 1}', "graed"),
        ('{"item": "i", "rater": "a", "given": {}, "checks_shown_before_rating": false, "active_ms": -1}', "-1"),
        ("[1]", "no JSON object"),
        ("{", "r.jsonl:1"),
    ],
)  # fmt: skip
def test_a_fault_names_line_and_field(line, said):
    with pytest.raises(InputError, match=r"r\.jsonl:1") as told:
        parse_ratings(line, "r.jsonl")
    assert said in told.value.what


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,rater\ni,ann\n", "no column 'checks_shown_before_rating'"),
        ("item,rater,checks_shown_before_rating,fathful\ni,ann,false,yes\n", "fathful"),
        ("item,rater,checks_shown_before_rating\ni,ann,perhaps\n", "r.csv:2"),
        ("item,rater,checks_shown_before_rating,faithful\ni,ann,false,maybe\n", "'maybe'"),
        ("item,rater,checks_shown_before_rating,active_ms\ni,ann,false,soon\n", "'soon'"),
    ],
)
def test_a_fault_of_a_table_names_line_and_column(text, said):
    with pytest.raises(InputError) as told:
        parse_ratings_csv(text, "r.csv")
    assert said in told.value.what
