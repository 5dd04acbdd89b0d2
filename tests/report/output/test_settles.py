"""How a study settles, on the page and in report.json; clusters counted beside the gold set."""

import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from tests.report.example import example

from evenhand.metrics.comparison.summary import compare
from evenhand.model.gold import GoldSet, Question
from evenhand.model.plan.study import Compare, MeasurePlan, Plan
from evenhand.model.result import Measurements
from evenhand.report.output.assemble import build, dumps
from evenhand.report.output.html import render
from evenhand.report.schema.whole_report import check


def report(n=40, systems=4, *, metric="nDCG@10", clusters=0, seed=2):
    """A real comparison of made-up values."""
    dice = np.random.default_rng(seed)
    base = dice.beta(0.6, 0.6, size=n)
    value = np.stack([np.clip(base + 0.05 * i + dice.normal(0, 0.2, n), 0, 1) for i in range(systems)])
    if metric.startswith("Success"):
        value = (value > 0.5).astype(float)
    names = tuple(f"q{i:04d}" for i in range(n))
    m = Measurements(
        tuple(f"system {i}" for i in range(systems)),
        (metric,),
        names,
        value[:, None, :],
        np.zeros((systems, 1, n), dtype=np.int16),
    )
    gold = GoldSet(
        tuple(
            Question(id=q, text=f"Which {q}?", cluster=f"page {i % clusters}" if clusters else "")
            for i, q in enumerate(names)
        )
    )
    return build(
        plan=Plan(name="it", measure=MeasurePlan(primary=metric), compare=Compare()),
        corpus=None,
        gold=gold,
        units={},
        qrels={},
        runs=[],
        measurements=m,
        comparison=compare(m, primary=metric, resamples=500, signs=500),
    )


def test_every_report_holds_the_curve_and_its_form_is_checked():
    made = report()
    check(made)
    s = made["stability"]
    assert s["n"] == s["sizes"][-1] == 40
    assert s["leader"] == made["standing"]["leader"]
    assert s["curves"][0]["system"] == s["leader"]
    assert dumps(made) == dumps(report())
    assert '"stability": {\n' in dumps(made).decode()


def test_a_report_made_before_there_were_curves_is_still_read():
    made = report()
    del made["stability"], made["dependence"]
    check(made)


def test_the_page_says_how_many_more_questions_would_decide_and_draws_it():
    made = report()
    html = render(made)
    for line in made["stability"]["sentences"]:
        assert line.replace("'", "&#39;") in html
    assert 'id="stability"' in html
    assert 'id="chart-stability-t"' in html
    assert 'id="chart-gap-narrow-t"' in html
    assert "empirical Bernstein" in html


def test_the_description_of_the_picture_tells_its_last_values():
    made = report()
    html = render(made)
    svg = re.search(r'<svg[^>]*aria-labelledby="chart-stability-t[^>]*>.*?</svg>', html, re.DOTALL)[0]
    told = ET.fromstring(svg)[1].text  # noqa: S314 - our own picture
    for one in made["stability"]["curves"][:6]:
        assert f"{one['system']}: {one['curve']['mean'][-1]:.3f}" in told


def test_many_systems_keep_the_page_small_and_their_labels_apart():
    made = report(n=300, systems=30, seed=4)
    assert len(made["stability"]["curves"]) == 12
    assert made["stability"]["of"] == 30
    html = render(made)
    assert len(html.encode()) < 2_000_000
    assert "The first 6 of 30 systems." in html
    svg = re.search(r'<svg[^>]*aria-labelledby="chart-stability-t[^>]*>.*?</svg>', html, re.DOTALL)[0]
    places = [
        float(y) for y in re.findall(r"<text[^>]*translate\(\d+(?:\.\d+)?,([\d.-]+)\)[^>]*>system \d+", svg)
    ]
    assert len(places) == 6
    assert min(b - a for a, b in zip(sorted(places), sorted(places)[1:], strict=False)) >= 15


def test_hit_rates_settle_without_a_bootstrap():
    s = report(metric="Success@5")["stability"]
    assert (s["method"], s["sequence"]) == ("Wilson", "beta-binomial")


def test_hostile_names_stay_text_in_the_curves():
    made = example(lambda kind, text: text + "<img src=x onerror=alert(1)>" if kind == "system" else text)
    html = render(made)
    assert "<img src=x" not in html


def test_few_clusters_are_warned_of_and_counted_on_the_page():
    made = report(clusters=6)
    assert made["dependence"]["clusters"] == 6
    assert made["dependence"]["few"] is True
    (text,) = [w["text"] for w in made["warnings"] if "clusters" in w["text"]]
    assert "40 questions come from 6 clusters" in text
    html = render(made)
    assert "6 among the 40 questions of nDCG@10, the largest holds 7" in html
    assert report()["dependence"] is None


def test_a_study_of_four_questions_has_no_curve():
    made = report(n=4)
    check(made)
    assert made["stability"] is None
    assert 'id="stability"' not in render(made)


def test_json_of_the_curve_has_no_number_that_json_lacks():
    json.loads(json.dumps(report(n=7, systems=2), allow_nan=False))


@pytest.mark.parametrize("n", [5, 6, 7])
def test_a_handful_of_questions_is_drawn_only_when_there_is_a_line_to_draw(n):
    made = report(n=n, systems=2)
    assert len(made["stability"]["sizes"]) == n - 4
    assert ("chart-stability-t" in render(made)) == (n >= 7)


def test_names_longer_than_the_margin_are_folded():
    made = report(systems=2)
    long = "a retriever with a name that is far longer than any margin of a page could ever hold"
    first = made["stability"]["curves"][0]
    made["stability"]["curves"][0] = {**first, "system": long}
    html = render(made)
    svg = re.search(r'<svg[^>]*aria-labelledby="chart-stability-narrow-t[^>]*>', html)[0]
    assert float(re.search(r'viewBox="0 0 (\d+)', svg)[1]) <= 345
