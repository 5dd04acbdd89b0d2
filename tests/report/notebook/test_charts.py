"""Charts as objects: the report's own specifications, in colours that stand on any ground."""

import json
import subprocess
import sys

import pytest
from tests.report.example import example
from tests.report.notebook.test_cards import QRELS, RUNS

import evenhand as eh
from evenhand.errors import InputError, MissingExtra
from evenhand.report.output.assemble import dumps
from evenhand.report.sections.comparison import charts as report_charts

altair = pytest.importorskip("altair", reason="the extra notebook is not installed")


def told(chart):
    """The chart's own specification, without what Altair adds to each."""
    with altair.theme.enable("none"), altair.data_transformers.enable(consolidate_datasets=False):
        return chart.to_dict(validate=False)


def plain(chart):
    return {
        name: one for name, one in told(chart).items() if name not in ("$schema", "background", "description")
    }


def placeholders(spec):
    """The report's specification with the colours that charts have."""
    text = json.dumps(spec)
    for before, after in eh.charts.COLOURS.items():
        text = text.replace(f'"{before}"', f'"{after}"')
    return {name: one for name, one in json.loads(text).items() if name not in ("$schema", "background")}


def test_each_chart_is_the_one_of_the_report():
    report = example()
    plans = report_charts.plans(report)
    made = eh.charts.every(report)
    assert set(made) == set(plans)
    assert {"estimates", "differences"} <= set(made)
    for name, (spec, title, words) in plans.items():
        assert plain(made[name]) == placeholders(spec), name
        assert told(made[name])["description"] == f"{title}: {words}"
        assert told(made[name])["background"] == "#ffffff"
    made["estimates"].to_dict(validate=True)  # by Altair's own schema of Vega-Lite
    made["differences-narrow"].to_dict(validate=True)
    assert plain(eh.charts.forest(report)) == plain(made["estimates"])
    assert plain(eh.charts.differences(report, narrow=True)) == plain(made["differences-narrow"])


def test_comparisons_measurements_and_folders_are_drawn_alike(tmp_path):
    m = eh.measure(QRELS, RUNS, ["nDCG@10", "R@5"])
    comparison = eh.compare(m, primary="nDCG@10")
    forest = eh.charts.forest(comparison)
    assert isinstance(forest, altair.LayerChart)
    values = told(forest)["data"]["values"]
    assert [row["name"] for row in values] == [e.system for e in sorted(
        (e for e in comparison.estimates if e.metric == "nDCG@10"), key=lambda e: (-e.point, e.system))]  # fmt: skip
    assert plain(eh.charts.forest(m, "nDCG@10")) == plain(forest)
    assert plain(eh.charts.differences(m, "nDCG@10")) == plain(eh.charts.differences(comparison))
    assert plain(eh.charts.forest(comparison, "R@5")) != plain(forest)
    (tmp_path / "report.json").write_bytes(dumps(example()))
    assert plain(eh.charts.forest(tmp_path)) == plain(eh.charts.forest(example()))
    assert plain(eh.charts.forest(eh.page(tmp_path))) == plain(eh.charts.forest(example()))


def test_what_cannot_be_drawn_is_said():
    m = eh.measure(QRELS, RUNS[:1], ["nDCG@10"])
    with pytest.raises(InputError, match="no primary metric"):
        eh.charts.forest(m)
    with pytest.raises(InputError, match="no pair"):
        eh.charts.differences(m, "nDCG@10")
    with pytest.raises(InputError, match="no chart of int"):
        eh.charts.forest(3)
    with pytest.raises(InputError, match="no chart of Measurements"):
        eh.charts.every(m)


def test_a_name_that_looks_like_a_colour_stays_a_name():
    report = example()
    for row in (*report["estimates"], *report["standing"]["best"]):
        if isinstance(row, dict):
            row["system"] = report_charts.INK
    values = told(eh.charts.forest(report))["data"]["values"]
    assert {row["name"] for row in values} == {report_charts.INK}


def test_without_altair_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingExtra, match="altair") as error:
        eh.charts.forest(example())
    assert "evenhand[notebook]" in error.value.mend


def test_importing_evenhand_loads_neither_altair_nor_pandas():
    code = "import sys, evenhand as eh; eh.charts; print([m for m in ('altair', 'pandas', 'polars') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
