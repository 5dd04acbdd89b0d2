"""A holdout that was seen is known in every folder of its user, by hashes alone."""

import json
import shutil

import pytest
from tests.miniature import CRITERIA, STUDY
from tests.study.registering import study

from evenhand.cli.main import main
from evenhand.study.ledger.home_ledger import place, remember, seen_elsewhere

SAID = "of this holdout were looked at before, first on 20"


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENHAND_STATE", str(tmp_path / "state"))
    return tmp_path / "state" / "seen-holdouts.jsonl"


def done(capsys, *words):
    code = main([str(word) for word in words])
    return code, capsys.readouterr().err


def test_a_seen_holdout_in_another_folder_is_warned_of_by_register_and_by_the_look(tmp_path, state, capsys):
    file = study(tmp_path / "a", study=STUDY + CRITERIA)
    shutil.copytree(file.parent, tmp_path / "b")
    shutil.copytree(file.parent, tmp_path / "c")
    other = tmp_path / "b" / file.name
    early = tmp_path / "c" / file.name
    assert SAID not in done(capsys, "study", "register", early)[1]
    code, error = done(capsys, "study", "register", file)
    assert (code, SAID in error) == (0, False)
    assert not state.exists()  # to register is no look
    assert SAID not in done(capsys, "study", "open-holdout", file)[1]
    assert SAID not in done(capsys, "study", "open-holdout", file)[1]  # the same look, checked
    assert len(state.read_text().splitlines()) == 1
    assert SAID in done(capsys, "study", "register", other)[1]
    assert SAID in done(capsys, "study", "open-holdout", other)[1]
    assert SAID in done(capsys, "study", "open-holdout", early)[1]  # registered before, opened after
    assert SAID not in done(capsys, "study", "open-holdout", early)[1]
    [line] = map(json.loads, state.read_text().splitlines())
    assert set(line) == {"schema", "at", "questions"}
    assert all(len(one) == 64 and set(one) <= set("0123456789abcdef") for one in line["questions"])


def test_json_of_register_has_the_warning_too(tmp_path, state, capsys):
    file = study(tmp_path / "a", study=STUDY + CRITERIA)
    shutil.copytree(file.parent, tmp_path / "b")
    for words in (("register",), ("open-holdout",)):
        done(capsys, "study", *words, file)
    assert main(["study", "register", str(tmp_path / "b" / file.name), "--json"]) == 0
    out, error = capsys.readouterr()
    [warning] = json.loads(out)["warnings"]
    assert warning in error


def test_where_it_is_kept_and_that_it_can_be_switched_off(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENHAND_STATE", "off")
    assert place() is None
    assert remember(["a" * 64], at="2026-01-01") == ()
    assert seen_elsewhere(["a" * 64]) == ()
    monkeypatch.delenv("EVENHAND_STATE")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert place() == tmp_path / "evenhand" / "seen-holdouts.jsonl"


@pytest.mark.parametrize(
    "content", ["{\n", "[]\n", '{"schema": "evenhand.seen/1"}\n', "\xff\n", "[" * 100_000 + "\n"]
)
def test_a_torn_line_hides_no_other(state, content):
    state.parent.mkdir()
    state.write_bytes(content.encode("latin-1"))
    assert remember(["a" * 64], at="2026-01-02T00:00:00Z") == ()
    assert (
        "1 of 2 questions of this holdout was looked at before, first on 2026-01-02"
        in seen_elsewhere(["a" * 64, "b" * 64])[0]
    )


def test_a_folder_that_cannot_be_written_is_said_and_stops_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EVENHAND_STATE", str(tmp_path / "file"))
    [warning] = remember(["a" * 64], at="2026-01-02")
    assert "cannot be written" in warning
