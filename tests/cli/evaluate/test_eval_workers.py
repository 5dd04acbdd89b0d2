"""Runs read in several processes give the same bytes as in one."""

import json
import random
import subprocess
import sys


def test_the_output_does_not_depend_on_the_number_of_workers(tmp_path):
    dice = random.Random(3)  # noqa: S311
    judged = [f"q{q} 0 d{u} {dice.randint(0, 2)}\n" for q in range(20) for u in dice.sample(range(60), 15)]
    (tmp_path / "qrels").write_text("".join(judged))
    for name in ("one", "two", "three"):
        rows = [
            f"q{q} Q0 d{u} {r} {9 - r * 0.5} x\n"
            for q in range(20)
            for r, u in enumerate(dice.sample(range(60), 10))
        ]
        (tmp_path / name).write_text("".join(rows))
    command = [
        sys.executable,
        "-m",
        "evenhand",
        "eval",
        "qrels",
        "one",
        "two",
        "three",
        "--json",
        "--workers",
    ]
    said = [
        subprocess.run([*command, workers], cwd=tmp_path, capture_output=True, check=True).stdout
        for workers in ("1", "2", "3")
    ]
    assert said[0] == said[1] == said[2]
    assert len(json.loads(said[0])["contrasts"]) > 3


def test_a_fault_in_another_process_is_the_same_fault(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "one").write_text("q Q0 a 1 2 x\n")
    (tmp_path / "two").write_text("q Q0 a 1\n")
    command = [sys.executable, "-m", "evenhand", "eval", "qrels", "one", "two", "--workers"]
    done = [subprocess.run([*command, n], cwd=tmp_path, capture_output=True) for n in ("1", "2")]
    assert [one.returncode for one in done] == [2, 2]
    assert done[0].stderr == done[1].stderr
    assert b"two, line 1: expected 6 columns" in done[0].stderr
