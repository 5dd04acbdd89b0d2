"""The server is killed with -9 under two judges; a hundred times in `python -m tests.soak.desk`."""

import os

import pytest
from tests.e2e.serving import held_against, killed

KILLS = 3 if os.environ.get("EVENHAND_SOAK") else 1


def test_no_acknowledged_answer_is_lost_or_doubled_when_the_server_is_killed(tmp_path):
    where = tmp_path / "judgements.sqlite"
    told, desks = killed(where, kills=KILLS, shared=False)
    assert min(map(len, told.values())) >= 3 * KILLS
    assert held_against(where, told, desks) >= 6 * KILLS


def test_this_test_would_see_an_answer_that_was_lost(tmp_path):
    where = tmp_path / "judgements.sqlite"
    told, desks = killed(where, kills=0, shared=False)
    held_against(where, told, desks)
    told["w0"].append("w0-1000000")
    with pytest.raises(AssertionError, match="lost"):
        held_against(where, told, desks)


def test_nor_on_postgresql_in_two_tabs_of_one_desk(postgres):
    where = postgres.database()
    told, desks = killed(where, kills=KILLS, shared=True)
    assert held_against(where, told, desks) >= 6 * KILLS
