"""The golden values of STATISTICS §9, each against the function of its name."""

import json

import pytest
from tests.shared import SHARED, needs_shared

from evenhand.metrics.catalogue import reference

pytestmark = needs_shared
FILE = SHARED / "golden" / "statistics.json"
CASES = (
    [c for c in json.loads(FILE.read_text()) if c["function"] in reference.__all__] if FILE.exists() else []
)


def near(value, expected, tolerance):
    if isinstance(expected, dict):
        assert set(value) == set(expected)
        return all(near(value[key], expected[key], tolerance) for key in expected)
    if expected is None or isinstance(expected, list):
        return value == expected
    return value is not None and abs(value - expected) <= max(tolerance, 1e-15)


def test_every_function_of_the_section_has_cases():
    assert {c["function"] for c in CASES} == set(reference.__all__)


@pytest.mark.parametrize("case", CASES, ids=[c["id"] for c in CASES])
def test_one_question_gives_the_golden_value(case):
    value = getattr(reference, case["function"])(**case["inputs"])
    assert near(value, case["expected"], case["tolerance"])
