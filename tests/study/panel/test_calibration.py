"""A study's panel held against its people: the section of the report, what is withheld, what lifts that."""

import html
import json
import re

import pytest
from tests.report.output.test_html import browser, show  # noqa: F401 - fixtures
from tests.study.panel_miniature import panelled, truth_of

import evenhand as eh
from evenhand.cli.main import main
from evenhand.errors import InputError
from evenhand.formats.labels.calibration import write_sample
from evenhand.formats.labels.judgements import read_labels, write_labels
from evenhand.formats.study_file.read import read_study
from evenhand.judge.calibration.human_sample import draw
from evenhand.judge.calibration.rate_bounds import FUZZY
from evenhand.judge.sheets.built_in import SUFFICIENCY
from evenhand.labelling.desk.agreement_text import few_words
from evenhand.model.label import Label
from evenhand.report.output.html import render
from evenhand.report.output.number_format import interval, number, share, share_interval
from evenhand.report.schema.whole_report import check
from evenhand.study.panel.items import items_of_plan

LINES = """
[calibration]
n = 60
[calibration.trust]
gullibility = false
"""


def labelled(study, *, n=60, wrong=0, more=()):
    """A uniform sample, labelled by one person beside the study; the first *wrong* against the rule."""
    home = study.parent
    items = items_of_plan(read_study(study), home)
    truth = truth_of(items)
    questions = {one.item: one.question for one in items.shown}
    sample = draw(questions, n, seed=4)
    write_sample(home / "calibration.json", sample)
    shown = {one.item: one for one in items.shown}
    labels = [
        Label(
            judge="ann",
            grade=float(truth[one.item] != (i < wrong)),
            sheet=SUFFICIENCY.seal,
            **{
                key: getattr(shown[one.item], key)
                for key in ("question", "doc", "start", "end", "text_sha256")
            },
        )
        for i, one in enumerate(sample.items)
    ]
    write_labels(home / "calibration.jsonl", [*labels, *more])
    return sample, truth, items


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A fair panel, and its report with people's labels."""
    study = panelled(tmp_path_factory.mktemp("good") / "s", more=LINES, wrong=(0.03, 0.03, 0.03))
    labelled(study, n=150)
    return study, eh.conduct(eh.read_study(study), study.parent).report


@pytest.fixture(scope="module")
def bad(tmp_path_factory):
    """A panel that errs on four in ten, and its report."""
    study = panelled(tmp_path_factory.mktemp("bad") / "s", more=LINES, wrong=(0.4, 0.4, 0.4))
    labelled(study)
    return study, eh.conduct(eh.read_study(study), study.parent).report


def test_a_panel_that_has_earned_it_has_a_corrected_headline(good):
    _, report = good
    panel = report["panel"]
    assert panel["trust"]["verdict"] == "pass"
    assert not panel["withheld"]
    assert panel["bracket"] is None
    assert panel["rate"]["name"] == "PPI++, stratified"
    assert panel["numbers"]["rate"]["point"] == panel["rate"]["point"]
    assert panel["sample"]["design"] == "uniform"
    assert panel["trust"]["left_out"] == ["gullibility"]
    assert any("have a person's label; sufficiency is a judgement" in line for line in panel["sentences"])
    check(report)


def test_a_panel_that_has_not_is_a_bracket_and_says_why(bad):
    _, report = bad
    panel = report["panel"]
    assert panel["withheld"]
    assert panel["trust"]["verdict"] == "human-only"
    assert {end["who"] for end in panel["bracket"]["ends"]} == {"panel", "people"}
    assert FUZZY in panel["sentences"]
    check(report)
    page = render(report, plots=False)
    assert "Withheld." in page
    assert "have a person’s label" in page


def plain(page):
    """The words of a page, one blank between them."""
    return " ".join(re.sub(r"<[^>]+>", " ", html.unescape(page)).split())


def test_the_page_shows_how_far_judges_agree_each_with_interval_n_and_share(bad):
    report = bad[1]
    panel, said = report["panel"], plain(render(report, plots=False))
    n = panel["population"]["items"]
    for word, name in (
        ("all judges say the same", "unanimity"),
        ("two of them agree, on average", "pairwise"),
    ):
        one = panel["panel"][name]
        around = share_interval(one["low"], one["high"])
        assert f"{word} {share(one['value'])} {around} {one['n']} items {share(one['n'] / n)}" in said
    for word, name in (("Fleiss’ kappa", "fleiss"), ("Krippendorff’s alpha", "alpha"), ("AC1", "ac1")):
        one = panel["panel"][name]
        around = interval(one["low"], one["high"])
        assert f"{word} {number(one['value'])} {around} {one['n']} items {share(one['n'] / n)}" in said
    own = panel["panel_rate"]
    assert f"{share(own['value'])} {share_interval(own['low'], own['high'])} {own['n']} items" in said
    assert said.count("best alone") == 1
    best = max(panel["singles"], key=lambda one: one["agreement"])
    assert f"{best['judge']} best alone {share(best['agreement'])}" in said


def test_few_clusters_and_intervals_of_no_width_are_told_on_the_page_and_names_are_escaped(bad):
    report = json.loads(json.dumps(bad[1]))
    inner = report["panel"]["panel"]
    inner["few"] = few_words({"clusters": 4, "flags": ["few_clusters"]})
    inner["fleiss"] |= {"value": 1.0, "low": 1.0, "high": 1.0, "flags": ["few_clusters", "zero_width"]}
    report["panel"]["singles"][0]["judge"] = "<b>prog</b>"
    page = render(report, plots=False)
    assert "With 4 clusters of questions the truth is wider than these intervals" in plain(page)
    assert "Fleiss’ kappa 1.000 no variation seen" in plain(page)
    assert "&lt;b&gt;prog&lt;/b&gt;" in page
    assert "<b>prog" not in page


def test_no_line_of_trust_is_tall_on_a_narrow_screen(bad, show):  # noqa: F811 - a fixture
    page, wrong = show(render(bad[1], plots=False), viewport={"width": 390, "height": 800})
    rows = page.locator("[aria-label='Lines of trust'] tbody tr").all()
    assert len(rows) > 3
    heights = [row.bounding_box()["height"] for row in rows]
    assert max(heights) < 130, heights  # four lines of words at most
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert not wrong


def test_one_minus_sign_on_the_page(bad):
    section = render(bad[1], plots=False).partition('id="panel"')[2].partition("</section>")[0]
    assert re.search(r"−\d", plain(section))
    assert not re.search(r"(?<![\w.-])-\d", plain(section))


def test_reports_made_before_are_still_shown(bad):
    report = json.loads(json.dumps(bad[1]))
    panel = report["panel"]
    for name in ("fleiss", "alpha", "ac1", "few"):
        del panel["panel"][name]
    for name in ("low", "high", "method", "flags", "clusters"):
        del panel["panel_rate"][name]
    del panel["sample"]["clusters"]
    check(report)
    assert "all judges say the same" in plain(render(report, plots=False))


def test_the_corrected_rate_holds_the_truth_whatever_the_panel_is_worth(good, bad):
    for study, report in (good, bad):
        truth = truth_of(items_of_plan(read_study(study), study.parent))
        rate = report["panel"]["rate"]
        assert rate["low"] <= sum(truth.values()) / len(truth) <= rate["high"]


def test_pictures_of_rates_and_agreement_are_drawn(good):
    from evenhand.report.sections.comparison.charts import draw as pictures

    drawn = pictures(good[1])
    assert {"panel-rates", "panel-rates-narrow", "panel-agreement", "panel-agreement-narrow"} <= set(drawn)
    assert "PPI++, stratified" in drawn["panel-rates"]


def test_the_same_again_is_the_same_to_the_byte_and_nothing_is_done_twice(good):
    study, report = good
    again = eh.conduct(eh.read_study(study), study.parent)
    assert json.dumps(again.report, sort_keys=True) == json.dumps(report, sort_keys=True)
    assert "part/panel" not in again.fresh


def test_labels_that_come_later_are_seen(tmp_path):
    study = panelled(tmp_path / "s", more=LINES)
    before = eh.conduct(eh.read_study(study), study.parent).report["panel"]
    assert before["sample"]["design"] == "none"
    assert before["rate"] is None
    assert "--draw" in before["next"][0]
    labelled(study, n=40)
    after = eh.conduct(eh.read_study(study), study.parent).report["panel"]
    assert after["sample"]["labelled"] == 40


def test_only_an_amendment_lifts_what_is_withheld_and_the_bracket_stays(tmp_path):
    study = panelled(tmp_path / "s", more=LINES, wrong=(0.4, 0.4, 0.4))
    labelled(study)
    assert main(["study", "register", str(study)]) == 0
    told = ["study", "amend", str(study), "--author", "A. Owner", "--reason", "a pilot", "--accept"]
    assert main([*told, "panel.tryst"]) == 2
    assert main([*told, "panel.trust"]) == 0
    panel = eh.conduct(eh.read_study(study), study.parent).report["panel"]
    assert panel["trust"]["withheld"]
    assert not panel["withheld"]
    assert panel["accepted"]["author"] == "A. Owner"
    record = eh.conduct(eh.read_study(study), study.parent).report["registration"]
    assert record["accepted"] == ["panel.trust"]
    assert panel["bracket"] is not None
    assert any("Accepted in writing by A. Owner" in line for line in panel["sentences"])


def test_labels_under_another_sheet_do_not_count_and_are_counted(tmp_path):
    study = panelled(tmp_path / "s", more=LINES)
    labelled(study)
    file = study.parent / "calibration.jsonl"
    labels = read_labels(file)
    from dataclasses import replace

    write_labels(file, [replace(labels[0], sheet="f" * 64), *labels[1:]])
    report = eh.conduct(eh.read_study(study), study.parent).report
    assert report["panel"]["another_sheet"] == 1
    assert report["panel"]["sample"]["labelled"] == 59
    assert any(one["kind"] == "calibration: labels under another sheet" for one in report["warnings"])


def test_a_sample_of_other_items_is_refused_with_the_way_out(tmp_path):
    study = panelled(tmp_path / "s", more=LINES)
    labelled(study)
    study.write_text(study.read_text().replace("depth = 10", "depth = 9"), encoding="utf-8")
    with pytest.raises(InputError, match="drawn from") as told:
        eh.conduct(eh.read_study(study), study.parent)
    assert "--anew" in told.value.mend


def test_two_people_make_a_ceiling(tmp_path):
    study = panelled(tmp_path / "s", more=LINES)
    labelled(study)
    file = study.parent / "calibration.jsonl"
    labels = read_labels(file)
    from dataclasses import replace

    others = [
        replace(one, judge="ben", grade=1.0 - one.grade if i < 2 else one.grade)
        for i, one in enumerate(labels[:20])
    ]
    write_labels(file, [*labels, *others])
    panel = eh.conduct(eh.read_study(study), study.parent).report["panel"]
    assert panel["ceiling"]["n"] == 20
    assert panel["ceiling"]["agreement"]["value"] == pytest.approx(0.9)
    assert any("no judge can be asked for more" in line for line in panel["sentences"])
