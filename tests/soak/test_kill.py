"""A hundred kills with -9, on both databases, on two desks and on one desk in two tabs."""

import pytest
from tests.store.killing import held_against, killed

KILLS = 50  # of two writers each


@pytest.mark.parametrize(
    "desks", [("desk-ann", "desk-ben"), ("desk-ann", "desk-ann")], ids=["two desks", "one desk in two tabs"]
)
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_hundred_kills_lose_and_double_nothing(database, desks, tmp_path, request):
    where = (
        str(tmp_path / "judgements.sqlite")
        if database == "sqlite"
        else request.getfixturevalue("postgres").database()
    )
    told = killed(where, kills=KILLS, desks=desks, least=1, most=80, seed=7)
    stored = held_against(where, told, desks=desks)
    print(
        f"{database}, {desks}: {2 * KILLS} kills, "
        f"{sum(map(len, told.values()))} acts acknowledged, {stored} entries stored"
    )
