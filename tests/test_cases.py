"""Each public bug report of the reference cases that an implemented part can meet has a test that names it."""

import json
from pathlib import Path

import pytest
from tests.shared import SHARED, needs_shared

# the areas of the parts that exist; the others come with clusters
AREAS = {
    "ingest",
    "chunking",
    "spans",
    "goldset",
    "import",
    "bm25",
    "dense",
    "fusion",
    "gate",
    "metrics",
    "stats",
    "report",
    "cli",
    "labels",
    "web",
    "judge",
    "threshold",
}


def cases():
    file = SHARED / "cases" / "cases.jsonl"
    if not file.is_file():
        return []
    return [case for case in map(json.loads, file.read_text("utf-8").splitlines()) if case["area"] in AREAS]


@needs_shared
@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_every_case_is_named_by_a_test(case):
    here = Path(__file__)
    named = [
        path
        for path in here.parent.rglob("test_*.py")
        if path != here and case["id"].lower() in path.read_text("utf-8").lower()
    ]
    assert named, f"{case['id']} ({case['area']}): {case['symptom']}"
