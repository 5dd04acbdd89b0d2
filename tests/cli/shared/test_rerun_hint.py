"""Printed commands: as they stand, with the options that matter."""

import shlex
from pathlib import Path

import pytest

from evenhand.cli.shared.rerun_hint import again, more_money, why_unasked


def test_options_that_were_not_given_are_left_out():
    assert (
        again("run", Path("study.toml"), out=None, engine="", quiet=False, only=[])
        == "evenhand run study.toml"
    )


def test_what_was_given_is_kept_in_its_form():
    told = again("judge", "stress", Path("s.toml"), only=["K1", "I2"], n=5, budget=2.5, give_up_batch=True)
    assert told == "evenhand judge stress s.toml --only K1 --only I2 -n 5 --budget 2.5 --give-up-batch"
    assert again("x", budget=0.0) == "evenhand x --budget 0"
    assert again("x", budget=1234567.25) == "evenhand x --budget 1234567.25"


@pytest.mark.parametrize("name", ["my study/it's.toml", "a;b", "$HOME", "*"])
def test_a_shell_reads_what_was_meant(name):
    assert shlex.split(again("run", Path(name), out=Path(name))) == ["evenhand", "run", name, "--out", name]


def test_why_is_told_by_reason():
    assert why_unasked({"budget": 1, "deadline": 1200, "x\x1b[1m": 2}, {}) == [
        "the budget is used up: 1 call was not made",
        "the deadline is over: 1,200 calls were not made",
        "x: 2 calls were not made",
    ]
    told = why_unasked({"budget": 2}, {"budget": "$0.01 of the $2 is left"})
    assert told == ["$0.01 of the $2 is left: 2 calls were not made"]


def test_another_budget_is_asked_for_only_where_one_paid_for_nothing():
    assert more_money({"budget": 3}, made=0) == {"budget": "DOLLARS"}
    assert more_money({"budget": 3}, made=1) == more_money({"deadline": 3}, made=0) == {}
