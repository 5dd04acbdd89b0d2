"""Each public bug report of the reference cases that an implemented part can meet has a test that names it."""

import json
import re
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


def later_cases():
    file = SHARED / "cases" / "round2.jsonl"
    return list(map(json.loads, file.read_text("utf-8").splitlines())) if file.is_file() else []


@needs_shared
def test_every_case_of_the_second_round_has_a_test_of_its_name():
    here = Path(__file__).parent
    text = "\n".join(path.read_text("utf-8") for path in here.rglob("test_*.py"))
    named = set(re.findall(r"def test_(?:\w+_)?(r\d\d)(?:_|\()", text)) | set(
        re.findall(r"[\"'](R\d\d)", text)
    )
    lacks = [case["id"] for case in later_cases() if not {case["id"], case["id"].lower()} & named]
    assert lacks == []
