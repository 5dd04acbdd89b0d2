"""Writers are killed with -9 in the middle of their work; a hundred times, and in all pairings, in tests/soak."""

import pytest
from tests.store.killing import held_against, killed
from tests.store.writer import act

from evenhand.store.open import create_store
from evenhand.testing import SHEET, filled

KILLS = 3


@pytest.mark.parametrize(
    ("database", "desks"),
    [("sqlite", ("desk-ann", "desk-ben")), ("postgresql", ("desk-ann", "desk-ann"))],
    ids=["SQLite, two desks", "PostgreSQL, one desk in two tabs"],
)
def test_no_acknowledged_judgement_is_lost_or_doubled_when_writers_are_killed(
    database, desks, tmp_path, request
):
    where = (
        str(tmp_path / "judgements.sqlite")
        if database == "sqlite"
        else request.getfixturevalue("postgres").database()
    )
    told = killed(where, kills=KILLS, desks=desks)
    assert all(len(lines) >= KILLS * 15 for lines in told.values())
    assert held_against(where, told, desks=desks) >= KILLS * 15


def test_this_test_would_see_a_judgement_that_was_lost(tmp_path):
    where = tmp_path / "judgements.sqlite"
    store = create_store(where)
    tasks = filled(store)["desk-ann"]
    for i in range(20):
        act(store, "desk-ann", tasks, SHEET.seal, name="w0", i=i)
    store.close()
    told = {"w0": [f"w0-{i}" for i in range(20)], "w1": []}
    held_against(where, told)
    told["w0"].append("w0-20")  # said to be safe, and never stored
    with pytest.raises(AssertionError, match="lost"):
        held_against(where, told)
