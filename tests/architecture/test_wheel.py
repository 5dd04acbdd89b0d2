"""What is shipped is what git holds: no cache, no journal and no result of whoever builds it."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_a_wheel_holds_what_git_holds_and_nothing_else(tmp_path):
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("this is no checkout of git")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "src", "examples/handbook"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    held = {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}
    tree = tmp_path / "tree"
    for name in (*held, "pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    for name in (
        ".evenhand/calls/calls.jsonl",
        "results/report.json",
        "votes.jsonl",
        "docs/__pycache__/x.pyc",
    ):
        (tree / "examples/handbook" / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / "examples/handbook" / name).write_text("not to be shipped")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "made"],
        cwd=tree,
        capture_output=True,
        check=True,
    )
    [wheel] = (tmp_path / "made").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        found = {name for name in packed.namelist() if not name.startswith("evenhand-")}
    wanted = {name.removeprefix("src/").replace("examples/", "evenhand/examples/") for name in held}
    assert found == wanted
