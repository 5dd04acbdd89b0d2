"""Tables as Markdown and LaTeX: all numbers there, hostile names inert."""

import json
import re

import pytest
from tests.report.example import example
from tests.study import gates
from typer.testing import CliRunner

from evenhand.cli.main import app
from evenhand.errors import InputError
from evenhand.report.output.latex import cell as tex
from evenhand.report.output.latex import latex
from evenhand.report.output.markdown import cell as mark
from evenhand.report.output.markdown import markdown
from evenhand.report.output.table_model import grids_of


def test_every_estimate_is_in_both():
    report = example()
    for made in (markdown(report), latex(report)):
        for one in report["estimates"]:
            assert f"{one['point']:.3f}" in made


@pytest.mark.parametrize("name", ["a|b", "`x`", "<script>", "[x](javascript:1)", "line\nbreak", "*b*"])
def test_a_name_marks_nothing_up(name):
    made = mark(name)
    assert not re.search(r"\n|(?<!\\)[|`<\[*_]", made)
    assert made.replace("\\", "") == " ".join(name.split())


@pytest.mark.parametrize("name", [r"\input{/etc/passwd}", "50% & more", "a_b^c~d#e$f", "{x}"])
def test_a_name_runs_no_command(name):
    made = tex(name)
    assert "\\input" not in made
    for letter in "%&#_":
        assert letter not in made.replace(f"\\{letter}", "")


def test_the_gate_has_its_tables_in_both_forms(tmp_path):
    file = gates.make(tmp_path / "w")
    assert CliRunner().invoke(app, ["run", str(file), "--quiet"]).exit_code == 0
    results = str(file.parent / "results")
    made = CliRunner().invoke(app, ["report", results, "--format", "md"])
    assert made.exit_code == 0
    assert "| consensus | 0.850 (17/20)" in made.output
    made = CliRunner().invoke(app, ["report", results, "--format", "latex"])
    assert r"\label{tab:gate}" in made.output
    assert "3/14" in made.output
    report = json.loads((file.parent / "results" / "report.json").read_text("utf-8"))
    assert {"results", "gate", "gate-signals"} <= {grid.name for grid in grids_of(report)}


def test_an_unknown_form_names_the_nearest(tmp_path):
    file = gates.make(tmp_path / "w")
    assert CliRunner().invoke(app, ["run", str(file), "--quiet"]).exit_code == 0
    made = CliRunner().invoke(app, ["report", str(file.parent / "results"), "--format", "latx"])
    assert isinstance(made.exception, InputError)
    assert "latex" in made.exception.mend


def test_criteria_stand_by_point_and_by_bound(tmp_path):
    file = gates.make(tmp_path / "w")
    assert CliRunner().invoke(app, ["run", str(file), "--quiet"]).exit_code == 0
    made = CliRunner().invoke(app, ["report", str(file.parent / "results"), "--format", "md"])
    assert "| precision | ≥ 0.75 by point | 0.850 (17/20) | met | ≥ 0.656 | not met | met |" in made.output
