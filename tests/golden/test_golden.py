"""The golden files hold, and the runner would notice if they did not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.golden import check as runner
from tests.shared import SHARED, needs_shared

HERE = Path(__file__).resolve().parent
STATISTICS = SHARED / "golden" / "statistics.json"


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


@needs_shared
def test_every_covered_entry_of_the_statistics_file_holds():
    outcome = runner.check(runner.entries(STATISTICS))
    assert outcome.failed == []
    assert outcome.passed > 200


@needs_shared
def test_an_expected_number_off_by_one_percent_is_noticed():
    # one entry a function is enough to see that every comparison bites
    seen, unnoticed = set(), []
    for item in runner.entries(STATISTICS):
        name = item["function"]
        if name in seen or name not in runner.ADAPTERS:
            continue
        found = runner.ADAPTERS[name](item["inputs"])
        for wrong in _off_by_one_percent(item["expected"], item["tolerance"]):
            seen.add(name)
            if not runner.mismatches(found, wrong, item["tolerance"]):
                unnoticed.append((item["id"], wrong))
    assert len(seen) > 60
    assert unnoticed == []


@pytest.mark.parametrize("wrap", [list, lambda entries: {"items": entries}], ids=["list", "items"])
def test_the_command_exits_1_on_a_mismatch_and_0_without(tmp_path, wrap):
    good = {"id": "w", "function": "wilson_interval", "inputs": {"k": 8, "n": 12, "confidence": 0.95}}
    good |= {"expected": [0.39062208887279953, 0.8618799089087867], "tolerance": 1e-9}
    bad = {**good, "id": "v", "expected": [0.394528, 0.8618799089087867]}
    unknown = {**good, "id": "u", "function": "phrenology"}
    for entries, code, last in (
        ([good], 0, "1 passed, 0 failed, 0 not covered"),
        ([good, unknown], 0, "1 passed, 0 failed, 1 not covered (1 functions)"),
        ([good, bad], 1, "1 passed, 1 failed, 0 not covered"),
    ):
        path = tmp_path / "golden.json"
        path.write_text(json.dumps(wrap(entries)))
        ran = subprocess.run(
            [sys.executable, str(HERE / "check.py"), str(path)], capture_output=True, text=True, check=False
        )
        assert (ran.returncode, ran.stdout.splitlines()[-1]) == (code, last), ran.stdout + ran.stderr


def test_undefined_is_not_zero_and_true_is_not_one():
    assert runner.mismatches(0, None, 1.0)
    assert runner.mismatches(None, 0, 1.0)
    assert runner.mismatches(1, True, 1.0)  # noqa: FBT003
    assert runner.mismatches(float("nan"), 0.5, 10.0)
    assert runner.mismatches({"a": 1}, {"b": 1}, 1.0)
    assert not runner.mismatches({"a": 1, "more": 2}, {"a": 1.05}, 0.1)
