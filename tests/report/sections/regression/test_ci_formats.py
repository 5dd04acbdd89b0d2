"""What goes to other machines: nothing in it acts there."""

from xml.etree import ElementTree as ET

from tests.study.sides import side

from evenhand.model.plan.check import CheckPlan
from evenhand.report.sections.regression.ci_formats import github_lines, junit, summary
from evenhand.study.regression.compare import check

EVIL = "a\x00b\x1b[31m\n::error::owned\r,line=1 | **x** <script>&"


def made():
    values = {(EVIL, "nDCG@10"): [0.1] * 30}
    worse = {(EVIL, "nDCG@10"): [0.9] * 30}
    plan = CheckPlan(margins={"": 0.02})
    return check(side(values, n=30, study=EVIL), side(worse, n=30), plan)


def test_hostile_names_stay_on_one_line_of_github():
    lines = list(github_lines(made(), file="a:b,c.toml", lines={"nDCG@10": 3}))
    assert len(lines) == 1
    assert "\n" not in lines[0]
    assert "\r" not in lines[0]
    assert lines[0].startswith("::error file=a%3Ab%2Cc.toml,line=3,title=")
    head, _, message = lines[0].removeprefix("::").partition("::")
    assert "%3A%3Aerror" in head
    assert "\x1b" not in message


def test_hostile_names_are_held_by_xml():
    top = ET.fromstring(junit(made()))  # noqa: S314
    case = top.find(".//testcase")
    assert case.find("failure") is not None
    assert "\x00" not in case.get("name")
    assert "<script>&" in case.get("name")


def test_hostile_names_mark_nothing_up():
    text = summary(made())
    assert "<script>" not in text
    assert "**x**" not in text
    assert "\x1b" not in text
    assert all(not line.startswith("::") for line in text.splitlines())
