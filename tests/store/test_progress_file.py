"""How far a command is, told to others: whole, throttled, and true also after a kill."""

import json
import os
import signal
import subprocess
import sys

import pytest

from evenhand.errors import InputError
from evenhand.store.progress_file import Live, watched_in

WHERE = {
    "study": "tides",
    "what": "run",
    "split": "dev",
    "out": "results",
    "command": "evenhand run study.toml",
}


def only(root):
    [seen] = watched_in(root)
    return seen


def test_what_runs_is_seen_with_its_stages_and_what_ended_says_so(tmp_path):
    root = tmp_path / ".evenhand"
    with Live(root, **WHERE) as live:
        assert (only(root).state, only(root).stages) == ("running", ())
        live("read", 2, 2)
        live("judge", 0, 40, "waiting 12 s: a, rate limit · $0.12")
        seen = only(root)
        assert seen.home == tmp_path
        assert [one["stage"] for one in seen.stages] == ["read", "judge"]
        assert (seen.stages[-1]["done"], seen.stages[-1]["total"]) == (0, 40)
        assert seen.stages[-1]["note"].startswith("waiting 12 s")
    assert (only(root).state, only(root).error) == ("done", "")
    assert {path.suffix for path in root.glob("live-*")} == {".json", ".lock"}
    assert (root / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_stage_is_not_written_for_each_step_but_for_its_first_and_last(tmp_path, monkeypatch):
    root, written = tmp_path / ".evenhand", []
    whole = Live._write
    monkeypatch.setattr(Live, "_write", lambda self: (written.append(1), whole(self)))
    with Live(root, **WHERE) as live:
        for done in range(10_001):
            live("embed", done, 10_000)
        assert only(root).stages[-1]["done"] == 10_000
    assert len(written) < 100


@pytest.mark.parametrize(
    ("raised", "state", "error"),
    [
        (InputError("the file is empty", mend="give another"), "failed", "the file is empty"),
        (ValueError("sk-secret"), "failed", "ValueError"),
        (KeyboardInterrupt(), "stopped", ""),
    ],
)
def test_how_it_ended_is_told_and_nothing_of_a_foreign_error_but_its_kind(tmp_path, raised, state, error):
    with pytest.raises(type(raised)), Live(tmp_path / "c", **WHERE):
        raise raised
    assert (only(tmp_path / "c").state, only(tmp_path / "c").error) == (state, error)
    assert "sk-secret" not in next((tmp_path / "c").glob("*.json")).read_text(encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="no locks to ask on Windows")
def test_a_killed_command_is_stopped_and_the_next_takes_its_place(tmp_path):
    root = tmp_path / ".evenhand"
    code = (
        "import sys, pathlib\nfrom evenhand.store.progress_file import Live\n"
        f"with Live(pathlib.Path(sys.argv[1]), **{WHERE!r}) as live:\n"
        "    live('embed', 3, 10)\n    print('there', flush=True)\n    sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "there\n"
        assert only(root).state == "running"
        with Live(root, **WHERE) as second:  # the first lives: the second is not told of
            second("read", 1, 2)
        assert (only(root).state, only(root).stages[-1]["stage"]) == ("running", "embed")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdin.close()
        process.stdout.close()
    assert (only(root).state, only(root).stages[-1]["done"]) == ("stopped", 3)
    with Live(root, **WHERE):
        assert only(root).state == "running"


def test_what_is_torn_or_of_another_kind_is_passed_over(tmp_path):
    with Live(tmp_path, **WHERE):
        pass
    good = next(tmp_path.glob("live-*.json"))
    told = json.loads(good.read_text(encoding="utf-8"))
    for name, content in {
        "live-a.json": "{", "live-b.json": json.dumps({**told, "state": "odd"}), "live-c.json": "[]",
        "live-d.json": json.dumps({**told, "stages": [{"stage": 1}]}), "live-e.json": json.dumps({**told, "at": "noon"}),
    }.items():  # fmt: skip
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert only(tmp_path).study == "tides"


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path, caplog):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with Live(tmp_path / "file" / "in", **WHERE) as live:
        live("read", 1, 2)
    assert "nobody can watch this run" in caplog.text
