"""Several people on one sample who do not agree: the rate of each, and a headline between them."""

from dataclasses import replace
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from tests.judge.calibrated import all_drawn

from evenhand.judge.calibration.paired_labels import human_of
from evenhand.judge.calibration.panel_vs_people import on_sheet
from evenhand.judge.calibration.section import told_of
from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.judge.sheets.built_in import built_in
from evenhand.model.label import Label
from evenhand.model.plan.calibration_sample import Case
from evenhand.report.sections.panel.tables import tables
from evenhand.stats.agreement.kappa import cohen_kappa
from evenhand.stats.intervals.proportion import wilson

ANN = [1] * 6 + [0] * 14
BEN = [1] * 11 + [0] * 9


def label(i, judge, grade, **more):
    text = f"{i:02}" * 32
    return Label(
        question=f"q{i}", doc="d", start=0, end=9, text_sha256=text, judge=judge, grade=float(grade), **more
    )


def labels_of(*people):
    names = ("ann", "ben", "cyd")
    return [label(i, name, g) for name, of in zip(names, people, strict=False) for i, g in enumerate(of)]


def told(labels, n=20, panel=None):
    people = human_of(labels)
    grades = panel or [1.0 if i < 8 else 0.0 for i in range(n)]
    cases = []
    for i in range(n):
        item = label(i, "x", 0).item
        cases.append(
            Case(
                item=item,
                cluster=f"q{i}",
                panel=grades[i],
                status="unanimous",
                votes=(grades[i],),
                human=people.get(item, (None, ""))[0],
            )
        )
    return told_of(cases, all_drawn(cases), judges=("m",), people=labels)


def test_r24_two_people_who_differ_bracket_the_rate_and_each_is_shown():
    made = told(labels_of(ANN, BEN))
    rows = made["raters"]["raters"]
    assert [(row["judge"], row["value"], row["n"]) for row in rows] == [("ann", 0.3, 20), ("ben", 0.55, 20)]
    for row, k in zip(rows, (6, 11), strict=True):
        assert row["low"] == pytest.approx(wilson(k, 20).low)
    assert made["raters"]["contested"] == 5
    assert made["ceiling"]["kappa"]["value"] == pytest.approx(cohen_kappa(ANN, BEN).kappa)
    rate = made["rate"]
    assert rate["point"] is None
    assert "contested" in rate["flags"]
    assert rate["reason"] == ("people differ on 5 drawn items and nobody has ruled: between 30% and 55%")
    assert (rate["low"], rate["high"]) == pytest.approx((wilson(6, 20).low, wilson(11, 20).high))
    assert made["numbers"]["rate"]["point"] is None
    assert made["numbers"]["human_rate"]["point"] is None
    names = [row["name"] for row in made["rates"]]
    assert "people alone, by the strictest" in names
    assert "people alone, by the loosest" in names
    words = " ".join(made["sentences"])
    assert "ann 30% [15%, 52%] of 20 items; ben 55% [34%, 74%] of 20 items; kappa between them 0.52" in words
    assert "the lower of two grades" in words
    assert "between 30% and 55%" in words
    assert any("one person rules" in line for line in made["next"])
    assert [end["who"] for end in made["bracket"]["ends"]] == [
        "panel",
        "people, by the strictest",
        "people, by the loosest",
    ]
    console = Console(width=200, record=True, file=StringIO())
    for one in tables(made):
        console.print(one)
    assert "ben" in console.export_text()


def test_a_ruling_settles_it_and_the_rule_is_named():
    rulings = [label(i, "cyd", 1, by="adjudicated") for i in range(6, 11)]
    made = told([*labels_of(ANN, BEN), *rulings])
    assert made["raters"]["contested"] == 0
    assert made["rate"]["point"] == pytest.approx(0.55)
    assert "Where people differ the rule decides" in " ".join(made["sentences"])
    assert len(made["raters"]["raters"]) == 2  # a ruling is no rater's label


def test_one_person_or_people_who_agree_need_no_bracket():
    for labels in (labels_of(ANN), labels_of(ANN, ANN)):
        made = told(labels)
        assert made["rate"]["point"] == pytest.approx(0.3)
        assert made["raters"]["contested"] == 0


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1)), min_size=20, max_size=20))
def test_the_rate_of_any_of_the_people_lies_between_the_ends(rows):
    people = list(zip(*rows, strict=True))
    made = told(labels_of(*people))
    rates = [sum(of) / 20 for of in people]
    if not made["raters"]["contested"]:
        assert made["rate"]["point"] == pytest.approx(rates[0])
        return
    low, high = (
        next(row["point"] for row in made["rates"] if row["name"] == f"people alone, by the {end}")
        for end in ("strictest", "loosest")
    )
    assert low <= min(rates) + 1e-9
    assert high >= max(rates) - 1e-9
    assert made["rate"]["point"] is None


def test_labels_under_the_sister_sheet_are_read_on_the_scale_of_the_panel():
    brief, beside = brief_named("sufficiency"), built_in("contribution")
    own = label(0, "ann", 1, sheet=brief.sheet.seal)
    middle, top = (label(1, "ann", g, sheet=beside.seal) for g in (1, 2))
    other = label(2, "ann", 1, sheet="f" * 64)
    assert on_sheet([own, middle, other], brief) == [own, replace(middle, grade=0.0)]
    assert on_sheet([top], brief) == [replace(top, grade=1.0)]
