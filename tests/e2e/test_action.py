"""The action file: its script is run as a runner would run it, and nothing in its inputs is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.front import evenhand
from tests.miniature import make

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    file = make(tmp_path_factory.mktemp("action") / "study")
    evenhand("run", file, "--quiet")
    return file.parent / "results"


def ran(folder, **inputs):
    """The last step's script with inputs as the runner puts them into its environment."""
    step = ACTION["runs"]["steps"][-1]
    given = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()} | inputs
    filled = {name: given[text[len("${{ inputs.") : -len(" }}")]] for name, text in step["env"].items()}
    env = os.environ | filled
    env |= {"GITHUB_OUTPUT": str(folder / "output"), "GITHUB_STEP_SUMMARY": str(folder / "summary")}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step["run"]], cwd=folder, env=env, capture_output=True, text=True
    )


def test_inputs_reach_the_script_as_variables_alone():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]
        assert step["shell"] == "bash"
    assert "secrets" not in (ROOT / "action.yml").read_text().replace("no secret", "")


def test_the_action_leaves_the_code_the_summary_and_the_xml(results, tmp_path):
    done = ran(
        tmp_path, results=str(results), baseline=str(results), margin="nDCG@10=0.02\nRR(rel=2)@10=0.05\n"
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "output").read_text() == "code=0\n"
    assert "evenhand check: pass" in (tmp_path / "summary").read_text()
    assert "RR(rel=2)@10" in (tmp_path / "evenhand-junit.xml").read_text()


def test_what_is_hostile_in_an_input_is_not_run(results, tmp_path):
    done = ran(tmp_path, results=str(results), baseline='$(touch owned)"; touch owned; "', margin="0.02")
    assert done.returncode == 2
    assert (tmp_path / "output").read_text() == "code=2\n"
    assert not (tmp_path / "owned").exists()
