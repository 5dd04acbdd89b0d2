"""Commands that only read import, start and unpickle nothing of what lies in a study's folder."""

import os
import shutil
import sys
from unittest import mock

import pytest
import typer
from tests.front import evenhand
from tests.miniature import STUDY, make

from evenhand.cli.app import app
from evenhand.errors import InputError
from evenhand.plugins import code, find, importable

CANARY = "import os\nwith open(os.environ['CANARY'], 'a') as cage:\n    cage.write(__name__ + '\\n')\n"
THINGS = """
class Thing:
    name = family = seal = "x"
    def __init__(self, *args, **options): pass
    def rank(self, *args, **options): return []
    embed = cut = ask = search = rank
"""
NAMES = ("canary_cut", "canary_rank", "canary_embed", "canary_judge", "canary_draft", "canary_answer")
HOSTILE = """
[chunking.own]
rule = "python:canary_cut:Thing"
[system.guest]
retriever = "python:canary_rank:Thing"
[system.plain]
retriever = "canary_rank:Thing"
[system.vectors]
retriever = "dense"
embedder = "python:canary_embed:Thing"
[panel]
depth = 1
[panel.judge.a]
model = "python:canary_judge:Thing"
[panel.judge.b]
model = "command:sh canary.sh"
family = "b"
[panel.judge.c]
model = "python:canary_judge:Thing"
[draft]
model = "python:canary_draft:Thing"
[answers]
from = "python:canary_answer:Thing"
"""


def commands(group=None, path=()):
    """Each command by its words."""
    group = typer.main.get_command(app) if group is None else group
    for name, one in group.commands.items():
        if hasattr(one, "commands"):
            yield from commands(one, (*path, name))
        else:
            yield " ".join((*path, name)), one


COMMANDS = dict(commands())
RUNS = {
    "run", "study register", "study amend", "study open-holdout", "study pilot", "judge panel", "judge stress",
    "judge calibrate", "judge pool", "gold draft", "gold type", "answers generate", "answers check",
    "answers rate", "answers diagnose",
}  # fmt: skip
ASKS = {"study verify", "study package", "doctor", "judge pool"}
OWN = {"demo", "new"}  # make a folder of our own, and read no other


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Results of a good study, whose file was changed since; modules that tell when they are imported."""
    folder = tmp_path_factory.mktemp("hostile")
    file = make(folder / "inbox" / "a", study=STUDY)
    assert evenhand("run", file, "--quiet").returncode == 0
    file.write_text(file.read_text() + HOSTILE)
    inbox = folder / "inbox"
    (inbox / "x.toml").write_text(STUDY + HOSTILE)
    for place in (inbox, file.parent, file.parent / "results"):
        for name in (*NAMES, "conftest", "sitecustomize", "sndhdr"):
            (place / f"{name}.py").write_text(CANARY + THINGS)
        (place / "canary.sh").write_text('echo sh >> "$CANARY"\n')
    return file


@pytest.fixture
def canary(hostile, tmp_path):
    """Where what was run is written; nothing of it stays imported."""
    file = tmp_path / "canary"
    with mock.patch.dict(os.environ, {"CANARY": str(file)}):
        yield file
    for name in NAMES:
        sys.modules.pop(name, None)


def test_which_commands_run_code_is_said_in_their_help():
    for name, one in COMMANDS.items():
        says = "code that the study names" in " ".join((one.help or "").split())
        assert says is (name in RUNS), name
        options = {option for parameter in one.params for option in parameter.opts}
        assert ("--run-code" in options) is (name in ASKS), name


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - (RUNS - {"judge pool"}) - OWN))
def test_r25_a_command_that_only_reads_runs_no_code(name, hostile, canary, tmp_path):
    home = hostile.parent
    more = ["--dry-run"] if name == "judge pool" else []
    serving = mock.patch(
        "evenhand.web.server.serve.serve", lambda _, bound, *, ready, **__: (ready(), bound.close())
    )
    for given in ([hostile], [home / "results", "bm25"], [home.parent]):
        shutil.rmtree(tmp_path / "cwd", ignore_errors=True)
        (tmp_path / "cwd").mkdir()
        extra = (
            ["--port", 0]
            if name == "serve"
            else ["--out", tmp_path / "cwd" / "o"]
            if "package" in name
            else []
        )
        with serving:
            done = evenhand(*name.split(), *given, *extra, *more, cwd=tmp_path / "cwd")
        assert done.returncode != 70, done.stderr
        assert not canary.exists(), (given, canary.read_text())


@pytest.mark.parametrize("name", ["study verify", "study package", "judge pool"])
def test_a_command_that_asks_names_the_code_and_the_option_runs_it(name, hostile, canary, tmp_path):
    words = [
        *name.split(),
        hostile,
        *{"study package": ["--out", tmp_path / "p"], "judge pool": ["--dry-run"]}.get(name, []),
    ]
    done = evenhand(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert "would run python:canary_cut:Thing ([chunking.own])" in done.stderr
    assert "canary_rank:Thing ([system.plain])" in done.stderr
    assert "command:sh canary.sh ([panel.judge.b])" in done.stderr
    assert "--run-code" in done.stderr
    assert not canary.exists()
    if name != "study package":  # which stops earlier, at results of another plan
        evenhand(*words, "--run-code", cwd=tmp_path)
        assert canary.exists()


def test_doctor_imports_a_judge_only_when_asked(hostile, canary):
    done = evenhand("doctor", hostile)
    assert done.returncode == 0
    assert "'python:canary_judge:Thing' is code that the study brings" in done.stdout
    assert not canary.exists()
    assert evenhand("doctor", hostile, "--run-code").returncode == 0
    assert "canary_judge" in canary.read_text()


def test_another_engine_is_code_as_well(tmp_path):
    file = make(
        tmp_path / "s", study=STUDY.replace("[corpus]", 'engine = "dask://nowhere.invalid:1"\n[corpus]', 1)
    )
    done = evenhand("study", "verify", file)
    assert done.returncode == 2
    assert "would run what dask://nowhere.invalid:1 sends back ([study] engine)" in done.stderr


def test_a_study_without_code_of_its_own_needs_no_option(tmp_path):
    file = make(tmp_path / "s", study=STUDY)
    assert evenhand("run", file, "--quiet").returncode == 0
    assert evenhand("study", "verify", file).returncode == 0


def test_a_file_in_the_folder_never_stands_for_a_library(hostile, canary):
    sys.modules.pop("sndhdr", None)
    with importable(hostile.parent), pytest.warns(DeprecationWarning, match="sndhdr"):
        import sndhdr
    assert not canary.exists()
    assert not sndhdr.__file__.startswith(str(hostile.parent))


def test_what_is_forbidden_is_forbidden_to_threads_too(hostile, canary):
    from threading import Thread

    caught = []

    def look():
        try:
            find("python:canary_rank:Thing", "retriever")
        except InputError as error:
            caught.append(error)

    with code(runs=False), importable(hostile.parent):
        thread = Thread(target=look)
        thread.start()
        thread.join()
    assert "nothing here runs it" in caught[0].what
    assert not canary.exists()
