"""The handbook's registered study: the ledger holds, and the committed report is the one of the look."""

import hashlib
import json
from pathlib import Path

import pytest

from evenhand.errors import SealBroken
from evenhand.formats.results.ledger import read_ledger, whole

HANDBOOK = Path(__file__).resolve().parents[2] / "examples" / "handbook"
HELD = HANDBOOK / "results" / "holdout"


def test_it_was_registered_then_looked_at_once():
    ledger = read_ledger(HANDBOOK / "ledger.jsonl")
    whole(ledger)
    kinds = [entry.kind for entry in ledger.entries]
    assert kinds[:2] == ["registered", "look"]
    assert kinds.count("look") == 1


def test_a_changed_line_of_the_ledger_is_found(tmp_path):
    text = (HANDBOOK / "ledger.jsonl").read_text(encoding="utf-8")
    (tmp_path / "ledger.jsonl").write_text(
        text.replace("gold.holdout.jsonl", "gold.holdouts.jsonl", 1), encoding="utf-8"
    )
    with pytest.raises(SealBroken):
        whole(read_ledger(tmp_path / "ledger.jsonl"))


def test_every_file_of_the_look_is_the_one_in_its_manifest():
    lines = (HELD / "MANIFEST.sha256").read_text(encoding="utf-8").splitlines()
    for digest, name in (line.split("  ", 1) for line in lines):
        assert hashlib.sha256((HELD / name).read_bytes()).hexdigest() == digest, name
    assert {"report.json", "report.html", "decisions.jsonl"} <= {line.split("  ", 1)[1] for line in lines}


def test_the_pages_say_what_the_report_says():
    report = json.loads((HELD / "report.json").read_bytes())
    found = report["gate"]["numbers"]
    page = (HANDBOOK.parents[1] / "docs" / "reference" / "handbook.md").read_text(encoding="utf-8")
    for name in ("answered_precision", "answerable_coverage", "false_answer_rate"):
        assert f"{found[name]['point']:.3f} ({found[name]['k']}/{found[name]['n']})" in page
