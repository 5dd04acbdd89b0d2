"""A threshold study on the page and in plain tables: by keyboard, under the policy, hostile words shown."""

import json
import shutil

import pytest
from tests.report.output.test_html import browser, show  # noqa: F401 - fixtures
from tests.study.threshold_study import STUDY, judged

from evenhand.cli.main import main
from evenhand.labelling.desk.agreement_text import few_words
from evenhand.report.output.html import render
from evenhand.report.output.latex import latex
from evenhand.report.output.markdown import markdown
from evenhand.report.schema.whole_report import check

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2>"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    home = tmp_path_factory.mktemp("threshold") / "s"
    file, _ = judged(home, study=STUDY.replace('name = "threshold by design"', 'name = "a & b <i>"'))
    assert main(["run", str(file), "-q"]) == 0
    made = json.loads((home / "results" / "report.json").read_text("utf-8"))
    for row in made["threshold"]["pairs"]["rows"]:
        row["ask"] += HOSTILE
        row["text"] += HOSTILE
        row["votes"][0]["evidence"] = [HOSTILE]
    return made


def test_the_report_has_its_form(report):
    check(report)


def told(count, at, listed):
    said = count.inner_text()
    return said.startswith(f"at {at}: ") and said.endswith(f"; {listed} of 141 pairs are listed")


def test_the_threshold_is_moved_by_keyboard_and_nothing_is_fetched(report, show):  # noqa: F811
    page, wrong = show(render(report, plots=False))
    at, count = page.locator("#tx-at"), page.locator("#tx-count")
    assert told(count, "0.4", 100)
    assert page.locator("#tx-table tbody tr:visible").count() == 1
    at.focus()
    page.keyboard.press("End")
    assert told(count, "0.7", 0)
    page.keyboard.press("Home")
    assert told(count, "0.3", 141)
    shown = page.locator("#tx-table tbody tr:visible").inner_text()
    row = next(r for r in report["threshold"]["explorer"] if r["threshold"] == 0.3)
    assert str(row["wrong"]) in shown.split()
    page.select_option("#tx-show", "no")
    assert told(count, "0.3", row["wrong"])
    assert (
        f"{row['n']} pairs judged, {row['wrong']} cannot answer: {100 * row['macro']['point']:.0f}%"
        in count.inner_text()
    )
    page.fill("#tx-number", "0.52")
    assert count.inner_text().startswith("at 0.52: ")
    assert at.get_attribute("aria-valuetext") == "0.52"
    point = page.locator("#threshold-explorer .points button").first
    point.focus()
    page.keyboard.press("Enter")
    assert count.inner_text().startswith(f"at {point.get_attribute('data-to')}: ")
    at.focus()
    page.keyboard.press("Home")
    first = page.locator("#tx-list > details:visible").first
    first.locator("summary").focus()
    page.keyboard.press("Enter")
    assert "similarity" in first.inner_text()
    assert HOSTILE in first.evaluate("node => node.textContent")
    assert page.evaluate("window.hacked") is None
    assert wrong == []


def test_without_scripts_every_value_and_pair_can_be_read(report, show):  # noqa: F811
    page, wrong = show(render(report, plots=False), java_script_enabled=False)
    assert page.locator("#tx-table tbody tr:visible").count() == len(report["threshold"]["explorer"])
    assert page.locator("#tx-list > details:visible").count() == 141
    assert wrong == []


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium on this machine")
def test_the_pictures_mark_what_is_sparse(report):
    page = render(report)
    assert 'id="chart-threshold-curve-t"' in page
    assert "at 0.6" in page
    assert "(sparse)" in page


def test_intervals_of_shares_are_in_per_cent_and_say_how_they_were_made(report, tmp_path, capsys):
    row = next(r for r in report["threshold"]["rates"] if r["by"] == "all" and r["threshold"] == 0.4)
    low, high = (f"{100 * row['macro'][end]:.0f}%" for end in ("low", "high"))
    area = next(a for a in report["threshold"]["areas"] if a["threshold"] == 0.4)
    (tmp_path / "report.json").write_text(json.dumps(report), "utf-8")
    assert main(["report", str(tmp_path), "--no-plots"]) == 0
    told = capsys.readouterr().out
    page = render(report, plots=False)
    for text in (told, page, markdown(report).replace("\\", "")):
        assert f"[{low}, {high}]" in text
        assert f"seed {report['threshold']['seed']}" in text
    assert f"DeLong: [{area['delong']['low']:.3f}, " in " ".join(told.split())


def test_plain_tables_hold_both_rates_and_what_is_not_claimed(report):
    for text in (markdown(report), latex(report)):
        assert "never mixed" in text
        assert "does not claim" in text
        assert "planned primary" in text


def test_few_clusters_stand_beside_the_cohesion(report):
    made = json.loads(json.dumps(report))
    made["panel"]["panel"]["few"] = few_words({"clusters": 4, "flags": ["few_clusters"]})
    for part in ("threshold", "panel"):
        section = render(made, plots=False).partition(f'id="{part}"')[2].partition("</section>")[0]
        assert "With 4 clusters of questions the truth is wider than these intervals" in section
