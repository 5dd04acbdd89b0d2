"""The page of a gate in a real browser: the explorer by keyboard, numbers as in report.json, nothing else runs."""

import io
import json
import re

import pytest
from tests.report.output.test_html import ARGS, CHROMIUM
from tests.study import gates
from typer.testing import CliRunner

from evenhand.cli.main import app
from evenhand.report.output.html import render
from evenhand.report.sections.comparison.charts import CONFIG
from evenhand.report.sections.gate.tables import CHARTS, tables

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    file = gates.make(tmp_path_factory.mktemp("gate"))
    assert CliRunner().invoke(app, ["run", str(file), "--quiet"]).exit_code == 0
    return json.loads((file.parent / "results" / "report.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def page(report, tmp_path_factory):
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    place = tmp_path_factory.mktemp("page") / "report.html"
    place.write_text(render(report, plots=False), encoding="utf-8")
    with playwright.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        opened = browser.new_page(viewport={"width": 390, "height": 800})
        wrong: list[str] = []
        opened.on("console", lambda said: wrong.append(said.text))
        opened.on("pageerror", lambda error: wrong.append(str(error)))
        opened.goto(place.as_uri())
        yield opened, wrong
        browser.close()


@needs_browser
def test_every_threshold_of_every_signal_shows_the_numbers_of_the_report(report, page):
    opened, wrong = page
    for curve in report["gate"]["curves"]:
        if not curve["varies"]:
            continue
        opened.select_option("#gx-signal", curve["signal"])
        opened.focus("#gx-at")
        opened.keyboard.press("Home")
        for i, (answered, lost) in enumerate(
            zip(curve["points"]["answered"], curve["points"]["wrong"], strict=True)
        ):
            if i:
                opened.keyboard.press("ArrowRight")
            told = opened.inner_text("#gx-told")
            assert f": {answered} of 36 answered" in told
            assert f", {lost} wrong," in told
            # the questions listed are those wrong answers
            assert told.endswith(f"; {lost} listed")
    assert wrong == []


@needs_browser
def test_the_list_can_show_what_was_deferred_though_right(report, page):
    opened, _ = page
    opened.select_option("#gx-signal", "consensus")
    opened.focus("#gx-at")
    opened.keyboard.press("Home")
    opened.select_option("#gx-show", "lost")
    listed = [node.inner_text() for node in opened.query_selector_all("#gx-list li:not([hidden])")]
    names = {row["question"] for row in report["gate"]["failures"]["rows"]}
    assert {text.split()[0] for text in listed} == names


@needs_browser
def test_the_section_is_no_wider_than_a_phone(page):
    opened, _ = page
    assert opened.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_page_without_a_gate_has_no_script_of_it():
    from tests.report.example import example

    assert "gx-told" not in render(example(), plots=False)


def test_hostile_names_stay_words(report):
    told = json.loads(json.dumps(report))
    evil = "</script><img src=x onerror=alert(1)>"
    told["gate"]["errors"][0]["text"] = evil
    told["gate"]["rules"][0]["name"] = evil
    told["gate"]["explorer"]["top"][0] = '"><script>alert(1)</script>'
    made = render(told, plots=False)
    assert "<img src=x" not in made
    assert "<script>alert" not in made


@pytest.mark.parametrize("narrow", [False, True])
def test_pictures_hold_every_signal_and_lay_nothing_out_by_fonts(report, narrow):
    made = {name: maker(report["gate"], narrow=narrow) for name, maker in CHARTS.items()}
    spec, _, told = made["gate-risk"]
    assert spec["config"] == CONFIG
    assert spec["autosize"] == "none"
    for curve in report["gate"]["curves"]:
        assert (curve["signal"] in told) == curve["varies"]
    assert made["gate-rates"] is not None


def test_the_terminal_says_what_is_to_be_done_and_not_shown(report):
    from rich.console import Console

    on = Console(width=110, record=True, file=io.StringIO())
    for one in tables(report["gate"]):
        on.print(one)
    text = re.sub(r"\s+", " ", on.export_text())
    assert "Complete before real use" in text
    assert "0.85 (17/20)" in text
    assert "[low, high]: 95% Wilson" in text
    assert "AUC by DeLong, as if the questions were independent" in text
    for one in report["gate"]["promises"]:
        assert one["says"] in text  # the promise in a column of its own
    for line in (*report["gate"]["before_use"], *report["gate"]["not_shown"]):
        assert line in text
