import json

import numpy as np
import pytest
from tests.llm.toys import Toy, request

from evenhand.cli.main import main
from evenhand.llm.providers.factory import chat_of
from evenhand.llm.scheduling.caller import Caller
from evenhand.model.call import Reply
from evenhand.store.blobs import Blobs
from evenhand.store.calls.journal import Calls


def refuses(asked, _n):
    return (
        Reply(text="no", stop="refused")
        if asked.task == "t0"
        else Reply(text=f'{{"n": "{asked.task}"}}', data={})
    )


@pytest.fixture
def study(tmp_path):
    root = tmp_path / ".evenhand"
    Blobs(root).put("units", "k", {"a": np.arange(5000)})
    Blobs(root).put("vectors", "k", {"a": np.arange(10)})
    journal = Calls(root)
    chats = {"gpt": Toy(refuses, name="gpt", dollars=0.5), "local": Toy(lambda *_: 1 / 0, name="local")}
    caller = Caller(chats, journal)
    list(caller.ask([("gpt", request(n)) for n in range(4)] + [("local", request(n)) for n in range(2)]))
    journal.close()
    (tmp_path / "study.toml").write_text("")
    return tmp_path


def states(study):
    journal = Calls(study / ".evenhand")
    try:
        return sorted((one.chat, one.call.outcome) for one in journal.standing())
    finally:
        journal.close()


@pytest.mark.parametrize("where", ["", "study.toml", ".evenhand"])
def test_ls_says_what_is_kept(study, where, capsys):
    assert main(["cache", "ls", str(study / where)]) == 0
    out = capsys.readouterr().out
    assert "units: 1 file, 4" in out
    assert "calls to gpt: 4 (1 refused, 3 reply)," in out
    assert "$2.00" in out
    assert "calls to local: 2 (2 fault)" in out
    assert out.rstrip().endswith(".evenhand")


def test_ls_as_json(study, capsys):
    assert main(["cache", "ls", str(study), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["kind"] for one in told["steps"]] == ["units", "vectors"]
    assert [(one["chat"], one["n"], one["price"]) for one in told["calls"]] == [
        ("gpt", 4, 2.0),
        ("local", 2, 0.0),
    ]
    assert told["torn"] == 0


def test_ls_of_nothing_makes_nothing(tmp_path, capsys):
    assert main(["cache", "ls", str(tmp_path)]) == 0
    assert "nothing is kept" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
    assert main(["cache", "ls", str(tmp_path / "none")]) == 2


def test_prune_needs_a_name(study, capsys):
    assert main(["cache", "prune", str(study)]) == 2
    assert "--all" in capsys.readouterr().err
    assert main(["cache", "prune", str(study), "--kind", "unites"]) == 2
    assert "did you mean 'units'" in capsys.readouterr().err
    assert main(["cache", "prune", str(study), "--model", "gpd"]) == 2
    assert "did you mean 'gpt'" in capsys.readouterr().err
    assert main(["cache", "prune", str(study), "--older-than", "soon"]) == 2
    assert main(["cache", "prune", str(study), "--kind", "units", "--model", "gpt"]) == 2
    assert len(states(study)) == 6


def test_prune_by_model_kind_age_and_faults(study, capsys):
    assert main(["cache", "prune", str(study), "--faults"]) == 0
    assert [chat for chat, _ in states(study)] == ["gpt"] * 4
    assert main(["cache", "prune", str(study), "--older-than", "1h"]) == 0
    assert (study / ".evenhand" / "units").exists()
    assert len(states(study)) == 4
    assert main(["cache", "prune", str(study), "--kind", "units"]) == 0
    assert not (study / ".evenhand" / "units").exists()
    assert (study / ".evenhand" / "vectors").exists()
    assert "calls" not in capsys.readouterr().out.splitlines()[-1]
    assert main(["cache", "prune", str(study), "--model", "gpt", "--dry-run"]) == 0
    assert "calls: 4, " in (out := capsys.readouterr().out)
    assert "paid $2.00, would go" in out
    assert len(states(study)) == 4
    assert main(["cache", "prune", str(study), "--older-than", "0h"]) == 0
    assert states(study) == []
    assert not (study / ".evenhand" / "vectors").exists()


def test_prune_all(study):
    assert main(["cache", "prune", str(study), "--all", "--dry-run"]) == 0
    assert len(states(study)) == 6
    assert main(["cache", "prune", str(study), "--all"]) == 0
    assert states(study) == []
    assert [path.name for path in (study / ".evenhand").iterdir() if path.is_dir()] == ["calls"]


def test_prune_while_a_run_uses_the_journal_is_refused(study, capsys):
    journal = Calls(study / ".evenhand")
    assert main(["cache", "prune", str(study), "--kind", "calls", "--all"]) == 2
    assert "in use by another run" in capsys.readouterr().err
    journal.close()


def test_an_export_is_a_recording_that_replays(study, capsys):
    to = study / "gpt.jsonl"
    assert main(["cache", "export", str(to), str(study), "--model", "gpt"]) == 0
    assert "4 replies" in capsys.readouterr().out
    chat = chat_of(f"recorded:{to}")
    journal = Calls(study / "other")
    calls = {
        call.task: call for call in Caller({"r": chat}, journal).ask(("r", request(n)) for n in range(4))
    }
    journal.close()
    assert [calls[f"t{n}"].outcome for n in range(4)] == ["refused", "reply", "reply", "reply"]
    assert calls["t2"].reply.text == '{"n": "t2"}'


def test_an_export_says_what_it_cannot(study, capsys, tmp_path):
    assert main(["cache", "export", str(study / "study.toml"), str(study)]) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["cache", "export", str(study / "x.jsonl"), str(study)]) == 2
    assert "replies of several models (gpt, local)" in capsys.readouterr().err
    assert main(["cache", "export", str(study / "x.jsonl"), str(study), "--model", "gbt"]) == 2
    assert "did you mean 'gpt'" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main(["cache", "export", str(study / "x.jsonl"), str(tmp_path / "empty")]) == 2
    assert "evenhand judge panel" in capsys.readouterr().err
    assert not (study / "x.jsonl").exists()


def test_a_line_that_stands_twice_is_one_call(study, capsys):
    file = study / ".evenhand" / "calls" / "calls.jsonl"
    assert main(["cache", "ls", str(study), "--json"]) == 0
    once = json.loads(capsys.readouterr().out)["calls"]
    file.write_bytes(file.read_bytes() * 2)
    assert main(["cache", "ls", str(study), "--json"]) == 0
    twice = json.loads(capsys.readouterr().out)["calls"]
    assert [(row["n"], row["price"], row["outcomes"]) for row in twice] == [
        (row["n"], row["price"], row["outcomes"]) for row in once
    ]
    assert [row["twice"] for row in twice] == [row["n"] for row in once]
    assert main(["cache", "ls", str(study)]) == 0
    assert "4 lines repeat another" in capsys.readouterr().out
    assert main(["cache", "prune", str(study), "--model", "gpt", "--dry-run"]) == 0
    assert "calls: 4, " in (out := capsys.readouterr().out)
    assert "paid $2.00" in out
