"""Some hundred made-up requests for each operation that has anything to make up."""

import sys
from collections import Counter

import pytest
from tests.web.fuzzed import MODES, Served, fuzz

ROUNDS, EXAMPLES = (2, 3), 60


@pytest.mark.parametrize("number", ROUNDS)
def test_what_is_served_is_described(number, tmp_path):
    served = Served(tmp_path)
    statuses = Counter()
    for operation in served.operations():
        for mode in MODES:
            statuses.update(fuzz(served, operation, mode, examples=EXAMPLES, number=number))
    served.close()
    print(f"round {number}: {statuses.total()} requests, {dict(sorted(statuses.items()))}", file=sys.stderr)
    assert max(statuses) < 500
