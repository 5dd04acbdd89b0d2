"""The build machine's own rules."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEST = "import pytest\ndef test_page():\n    pytest.skip('no Chromium on this machine')\n"


@pytest.mark.parametrize(("flag", "code"), [("", 0), ("1", 1)])
def test_a_skip_for_a_missing_browser_fails_on_the_build_machine_only(tmp_path, flag, code):
    (tmp_path / "test_it.py").write_text(TEST)
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        env=os.environ | {"EVENHAND_CI": flag, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout


def test_the_ci_script_is_bash_that_parses_and_may_be_run():
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", str(script)], check=True)
    text = script.read_text()
    assert "make test" in text
    assert "make check" in text
