from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.report.example import example

from evenhand.report.sections.comparison.charts import PAIRS, draw, forest, shown_pairs, ticks_for

pytest.importorskip("vl_convert", reason="the extra plots is not installed")


def test_charts_are_the_same_bytes_twice_and_well_formed():
    report = example(lambda kind, text: text + '<b>&"#101010"</b>' if kind == "system" else text)
    charts = draw(report)
    names = ("estimates", "differences", "stability", "gap")
    assert list(charts) == [name + suffix for name in names for suffix in ("", "-narrow")]
    assert charts == draw(report)
    for svg in charts.values():
        root = ET.fromstring(svg)  # noqa: S314 - our own picture
        assert root.get("role") == "img"
        names = root.get("aria-labelledby", "").split()
        assert [child.get("id") for child in list(root)[:2]] == names
        assert '"#101010"' in "".join(root.itertext())
        assert 'fill="#' not in svg.replace("&quot;", "")
        assert "style=" not in svg


def test_charts_drawn_in_this_process_are_the_same_bytes(monkeypatch):
    report = example()
    apart = draw(report)
    monkeypatch.setattr("evenhand.report.sections.comparison.charts.sys.executable", "")
    assert draw(report) == apart


def test_the_engine_that_draws_stays_out_of_our_memory():
    code = (
        "import sys; from tests.report.example import example; from evenhand.report.sections.comparison.charts import draw; "
        "assert draw(example()) and 'vl_convert' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[4], check=True)


def test_every_system_and_interval_is_told_in_the_description():
    report = example()
    svg = draw(report)["estimates"]
    told = ET.fromstring(svg)[1].text  # noqa: S314 - our own picture
    assert told is not None
    for system in report["questions"]["systems"]:
        assert system in told
    assert "0.780 [0.610, 0.910]" in told


def test_with_many_pairs_only_those_with_the_leader_are_drawn():
    report = example()
    one = report["contrasts"][0]
    report["contrasts"] = [{**one, "a": f"s{i}", "b": f"s{j}"} for i in range(10) for j in range(i + 1, 10)]
    report["standing"]["leader"] = "s3"
    pairs, of = shown_pairs(report)
    assert of == 45 > PAIRS
    assert len(pairs) == 9
    assert all("s3" in (c["a"], c["b"]) for c in pairs)


def test_exploratory_contrasts_on_the_primary_metric_are_not_drawn_with_the_declared_ones():
    report = example()
    report["contrasts"].append({**report["contrasts"][0], "b": "random", "exploratory": True})
    assert all(c["b"] != "random" for c in shown_pairs(report)[0])


def test_nothing_to_show_is_no_chart():
    report = example()
    report["contrasts"], report["stability"] = [], None
    for estimate in report["estimates"]:
        estimate["point"] = None
    assert draw(report) == {}
    assert forest(report) is None


@given(
    st.lists(st.floats(-3, 3), min_size=1, max_size=6),
    st.booleans(),
    st.sampled_from([5, 8]),
)
@settings(max_examples=60, deadline=None)
def test_ticks_enclose_everything_in_few_even_steps(points, zero, most):
    rows = [{"point": p, "low": p - 0.01, "high": p + 0.02} for p in points]
    ticks = ticks_for(rows, zero=zero, most=most)
    ends = [row[k] for row in rows for k in ("low", "high")] + ([0.0] if zero else [])
    assert ticks[0] <= min(ends) + 1e-6
    assert ticks[-1] >= max(ends) - 1e-6
    assert 2 <= len(ticks) <= most + 2
    steps = {round(b - a, 8) for a, b in pairwise(ticks)}
    assert len(steps) == 1
