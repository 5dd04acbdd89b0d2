"""Every conformance entry: those that trec_eval 9 and ir_measures match, and trec_eval 10's own output."""

import pytest
from tests.golden.conformance import check, entries, title
from tests.shared import needs_shared

pytestmark = needs_shared
ENTRIES = entries()


@pytest.mark.parametrize("entry", ENTRIES, ids=[title(e) for e in ENTRIES])
def test_the_entry_holds_at_its_own_tolerance(entry):
    assert check(entry) >= 1


def test_the_file_has_the_entries_that_are_counted_on():
    assert sum(entry["match"] for entry in ENTRIES) == 114
    assert len(ENTRIES) == 119
