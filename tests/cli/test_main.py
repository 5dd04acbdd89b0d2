"""The front door: exit codes, two lines for an error, nothing heavy at the threshold."""

import subprocess
import sys

import pytest

from evenhand.cli import main as door
from evenhand.errors import (
    EvenhandError,
    HoldoutSpent,
    InputError,
    MissingExtra,
    SealBroken,
    Undecidable,
    Unreachable,
)
from evenhand.formats.study_file.toml_reader import Problems


def raising(error):
    def front(**_):
        raise error

    return front


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (EvenhandError, 2),
        (InputError, 2),
        (MissingExtra, 2),
        (Unreachable, 2),
        (SealBroken, 3),
        (HoldoutSpent, 3),
        (Undecidable, 4),
    ],
)
def test_every_deliberate_error_is_two_lines_and_its_code(capsys, kind, code):
    assert door.main([], front=raising(kind("what is wrong", mend="how to mend it"))) == code
    assert capsys.readouterr().err == "evenhand: what is wrong\n  mend: how to mend it\n"


def test_several_problems_are_two_lines_each(capsys):
    error = Problems.of([InputError("a", mend="b"), InputError("c", mend="d")])
    assert door.main([], front=raising(error)) == 2
    assert capsys.readouterr().err.splitlines() == ["evenhand: a", "  mend: b", "evenhand: c", "  mend: d"]


def test_hostile_text_in_an_error_stays_one_harmless_line(capsys):
    door.main([], front=raising(InputError("a\x1b[31m\nevenhand: all is well\u202e", mend="b\rc")))
    assert capsys.readouterr().err.splitlines() == ["evenhand: a evenhand: all is well", "  mend: b c"]


def test_an_interrupt_is_one_line_and_130(capsys):
    assert door.main([], front=raising(KeyboardInterrupt())) == 130
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_what_typer_makes_of_an_interrupt_is_told_too(capsys):
    assert door.main([], front=lambda **_: 130) == 130
    assert "interrupted" in capsys.readouterr().err


def test_a_fault_of_ours_is_a_traceback_and_a_line_that_asks_to_report_it(capsys):
    assert door.main([], front=raising(ZeroDivisionError("oops"))) == 70
    lines = capsys.readouterr().err.splitlines()
    assert any("ZeroDivisionError: oops" in line for line in lines)
    assert "report" in lines[-1]


@pytest.mark.parametrize(
    ("argv", "what", "mend"),
    [
        (["rnu"], "no command 'rnu'", "did you mean 'run'"),
        (["gold", "chekc"], "no command gold 'chekc'", "did you mean 'check'"),
        (["run", "--otu", "x"], "No such option: --otu", "did you mean --out"),
        (["run"], "Missing argument 'STUDY.toml'", "evenhand run --help"),
    ],
)
def test_a_slip_of_the_pen_names_the_nearest(capsys, argv, what, mend):
    assert door.main(argv) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first == f"evenhand: {what}"
    assert mend in second


@pytest.mark.parametrize("argv", [[], ["--help"], ["-h"], ["gold"]])
def test_help_is_no_error(capsys, argv):
    assert door.main(argv) == 0
    assert "Usage: evenhand" in capsys.readouterr().out


def test_the_version_is_told(capsys):
    assert door.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("evenhand 0.")


def test_a_reader_that_goes_away_is_no_error():
    process = subprocess.Popen(
        [sys.executable, "-m", "evenhand", "doctor", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 0
