"""A budget and a deadline that are none are refused before anything is read."""

import pytest

from evenhand.cli.main import main

BUDGETS = (
    "judge panel", "judge stress", "answers generate", "answers check", "answers rate", "gold type", "gold draft",
)  # fmt: skip
DEADLINES = ("judge panel", "judge stress", "answers generate", "gold draft")


@pytest.mark.parametrize("command", BUDGETS)
@pytest.mark.parametrize("bad", ["-1", "nan"])
def test_a_budget_that_is_none(command, bad, capsys):
    assert main([*command.split(), "nowhere.toml", "--budget", bad]) == 2
    told = capsys.readouterr()
    assert f"--budget is {bad}, expected US dollars: a number from 0" in told.err
    assert told.out == ""


@pytest.mark.parametrize("command", DEADLINES)
@pytest.mark.parametrize("bad", ["-1", "0", "nan"])
def test_a_deadline_that_is_none(command, bad, capsys):
    assert main([*command.split(), "nowhere.toml", "--deadline", bad]) == 2
    assert f"--deadline is {bad}, expected seconds: a number above 0" in capsys.readouterr().err


def test_no_option_of_that_kind_goes_unseen():
    import typer

    from evenhand.cli.app import app

    found = set()

    def walk(group, path):
        for name, one in getattr(group, "commands", {}).items():
            for option in one.params:
                if option.name in ("budget", "deadline"):
                    found.add((option.name, " ".join([*path, name])))
            walk(one, [*path, name])

    walk(typer.main.get_command(app), [])
    assert found == {("budget", one) for one in BUDGETS} | {("deadline", one) for one in DEADLINES}
