"""The plain way into `eval` understands what typer understands, and leaves all else to it."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.cli.app import app
from evenhand.cli.evaluate import evaluate
from evenhand.cli.main import main
from evenhand.cli.shared import fast_arguments

HEAVY = ("typer", "click", "pydantic", "polars", "pandas", "pyarrow", "scipy", "rich", "numba")


def by_typer(args):
    seen = {}
    real = evaluate.evaluate
    evaluate.evaluate = lambda qrels, runs, **options: seen.update(qrels=qrels, runs=runs, **options)
    try:
        app(args=list(args), prog_name="evenhand", standalone_mode=False)
    finally:
        evaluate.evaluate = real
    return seen


def defaults():
    signature = inspect.signature(evaluate.evaluate)
    return {name: one.default for name, one in signature.parameters.items() if one.default is not one.empty}


def command():
    from typer.main import get_command

    return get_command(app).commands["eval"]


def test_it_knows_every_option_that_typer_knows_by_the_same_names_and_kinds():
    theirs = {}
    for one in command().params:
        if one.param_type_name == "option" and one.name != "help":
            for name in one.opts:
                kind = "flag" if one.is_flag else "list" if one.multiple else "value"
                theirs[name] = (one.name, kind)
    ours = {name: (to, "flag") for name, to in fast_arguments.FLAGS.items()}
    ours |= {name: (to, "list") for name, to in fast_arguments.LISTS.items()}
    ours |= {name: (to, "value") for name, (to, _) in fast_arguments.VALUES.items()}
    assert ours == theirs


def test_the_defaults_of_both_ways_are_the_same():
    seen = by_typer(["eval", "q", "r"])
    assert seen == {"qrels": Path("q"), "runs": [Path("r")], **defaults()}


WORDS = st.one_of(
    st.sampled_from([*fast_arguments.FLAGS, *fast_arguments.LISTS, *fast_arguments.VALUES]),
    st.sampled_from(
        ["q.txt", "r1", "r2.gz", "nDCG@10", "trec_eval", "3", "0.5", "1_0", "--", "-x", "-cq", "--help"]
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, max_size=9))
def test_what_it_understands_is_what_typer_understands(words):
    args = ["eval", *words]
    plain = fast_arguments.options(args)
    if plain is not None:
        assert by_typer(args) == {**defaults(), **plain}


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["--help"],
        ["eval", "q"],
        ["eval", "q", "r", "--help"],
        ["eval", "q", "r", "--like=trec_eval"],
        ["eval", "q", "r", "-mAP"],
        ["eval", "q", "r", "-m"],
        ["eval", "q", "r", "--seed", "x"],
        ["eval", "q", "r", "--level", "-1"],
        ["eval", "q", "r", "--lik", "trec_eval"],
        ["gold", "lint"],
    ],
)
def test_what_is_not_plain_is_left_to_typer(args):
    assert fast_arguments.options(args) is None


def test_small_files_are_measured_without_any_heavy_library(tmp_path):
    (tmp_path / "q").write_text("a 0 d1 1\nb 0 d2 2\n")
    (tmp_path / "r").write_text("a Q0 d1 1 2.5 x\nb Q0 d3 1 2 x\nb Q0 d2 2 1 x\n")
    code = (
        "import sys; from evenhand.cli.main import main\n"
        f"assert main(['eval', {str(tmp_path / 'q')!r}, {str(tmp_path / 'r')!r}, '--like', 'trec_eval']) == 0\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "map" in done.stdout


def test_both_ways_print_the_same(tmp_path, capsys):
    (tmp_path / "q").write_text("a 0 d1 1\nb 0 d2 2\n")
    (tmp_path / "r").write_text("a Q0 d1 1 2.5 x\nb Q0 d3 1 2 x\nb Q0 d2 2 1 x\n")
    files = [str(tmp_path / "q"), str(tmp_path / "r")]
    assert main(["eval", *files, "--like", "trec_eval", "-m", "AP"]) == 0
    plain = capsys.readouterr()
    assert main(["eval", *files, "--like=trec_eval", "-mAP"]) == 0
    assert capsys.readouterr() == plain
