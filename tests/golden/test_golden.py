"""The golden files hold, and the runner would notice if they did not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.golden import check as runner
from tests.shared import SHARED, needs_shared

HERE = Path(__file__).resolve().parent
FILES = ["statistics.json", "judging.json"]


def _off_by_one_percent(value, tolerance):
    """Every numeric leaf, one after the other, moved by 1% (where that is more than twice the tolerance)."""
    if isinstance(value, dict):
        for key in value:
            for other in _off_by_one_percent(value[key], tolerance):
                yield {**value, key: other}
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            for other in _off_by_one_percent(entry, tolerance):
                yield [*value[:i], other, *value[i + 1 :]]
    elif isinstance(value, int | float) and not isinstance(value, bool):
        moved = value * 1.01 if value else 0.01
        if abs(moved - value) > 2 * tolerance:
            yield moved


def _leaves(value):
    if isinstance(value, dict | list):
        return sum(map(_leaves, value.values() if isinstance(value, dict) else value))
    return int(isinstance(value, int | float) and not isinstance(value, bool))


@needs_shared
@pytest.mark.parametrize("name", FILES)
def test_every_entry_holds_and_only_those_without_data_are_skipped(name):
    path = SHARED / "golden" / name
    items = runner.entries(path)
    outcome = runner.check(items, runner.data_of(path))
    assert outcome.failed == []
    assert outcome.passed + len(outcome.skipped) == len(items)
    assert all(line.startswith(("R", "S")) for line in outcome.skipped)
    assert len(outcome.skipped) <= 2, outcome.skipped


@needs_shared
@pytest.mark.parametrize("name", FILES)
def test_each_expected_number_off_by_one_percent_is_noticed(name):
    path, tried, numbers, unnoticed = SHARED / "golden" / name, 0, 0, []
    for item in runner.entries(path):
        try:
            found = runner.answer(item, runner.data_of(path))
        except runner.Absent:
            continue
        # an answer that was asked for within the expected table is given anew
        asks = "rows" in runner.find(item["function"], item["inputs"]).extras
        numbers += _leaves(item["expected"])
        for wrong in _off_by_one_percent(item["expected"], item["tolerance"]):
            tried += 1
            again = runner.answer({**item, "expected": wrong}, None) if asks else found
            if not runner.mismatches(again, wrong, item["tolerance"]):
                unnoticed.append((item["id"], wrong))
    assert unnoticed == []
    # only numbers so near to 0 that 1% of them is within the tolerance are left out
    assert 0.98 * numbers < tried <= numbers


@pytest.mark.parametrize("wrap", [list, lambda entries: {"items": entries}], ids=["list", "items"])
def test_the_command_exits_1_on_a_mismatch_and_0_without(tmp_path, wrap):
    good = {"id": "w", "function": "wilson_interval", "inputs": {"k": 8, "n": 12, "confidence": 0.95}}
    good |= {"expected": [0.39062208887279953, 0.8618799089087867], "tolerance": 1e-9}
    bad = {**good, "id": "v", "expected": [0.394528, 0.8618799089087867]}
    unknown = {**good, "id": "u", "function": "phrenology"}
    other_inputs = {**good, "id": "i", "inputs": {"k": 8}}
    file = {"function": "correlation_file", "inputs": {"file": "none.json", "subset": "x"}}
    absent = {**file, "id": "R99", "expected": {}, "tolerance": 0}
    nameless = {key: value for key, value in good.items() if key not in ("id", "tolerance")} | {
        "expected": {"note": "for readers"}
    }
    for entries, code, last in (
        ([good], 0, "1 passed, 0 failed, 0 skipped"),
        ([good, unknown], 1, "1 passed, 1 failed, 0 skipped"),
        ([good, other_inputs], 1, "1 passed, 1 failed, 0 skipped"),
        ([good, bad], 1, "1 passed, 1 failed, 0 skipped"),
        ([good, absent], 0, "1 passed, 0 failed, 1 skipped"),
        ([{**absent, "id": "A99"}], 1, "0 passed, 1 failed, 0 skipped"),
        ([nameless], 1, "0 passed, 1 failed, 0 skipped"),
    ):
        path = tmp_path / "golden.json"
        path.write_text(json.dumps(wrap(entries)))
        ran = subprocess.run(
            [sys.executable, str(HERE / "check.py"), str(path)], capture_output=True, text=True, check=False
        )
        assert (ran.returncode, ran.stdout.splitlines()[-1]) == (code, last), ran.stdout + ran.stderr


def test_a_file_that_cannot_be_read_is_exit_2(tmp_path, capsys):
    path = tmp_path / "golden.json"
    path.write_text("{")
    assert runner.main([str(path)]) == 2
    assert runner.main([str(tmp_path / "none.json")]) == 2
    assert runner.main([]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_one_function_of_two_files_is_told_apart_by_its_inputs():
    ratings = {"rater1": [1, 0], "rater2": [1, 0]}
    assert runner.find("cohen_kappa", ratings) is not runner.find("cohen_kappa", {"a": [1], "b": [1]})
    assert runner.find("mcnemar", {"b": 1, "c": 2}) is not None
    assert runner.find("mcnemar", {"b": 1}) is None


def test_undefined_is_not_zero_and_true_is_not_one():
    assert runner.mismatches(0, None, 1.0)
    assert runner.mismatches(None, 0, 1.0)
    assert runner.mismatches(1, True, 1.0)  # noqa: FBT003
    assert runner.mismatches(float("nan"), 0.5, 10.0)
    assert runner.mismatches({"a": 1}, {"b": 1}, 1.0)
    assert not runner.mismatches({"a": 1, "more": 2}, {"a": 1.05, "note": "read me"}, 0.1)
