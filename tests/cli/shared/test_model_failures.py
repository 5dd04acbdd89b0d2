"""What a server or a program says of its failure: on the terminal, in votes and journal, with a fitting mend."""

import json
import sys

import pytest
from tests.front import evenhand
from tests.loopback import serving
from tests.miniature import make
from tests.study.panels import SMALL

from evenhand.formats.labels.votes import read_votes

KEY = "sk-qzCANARYxw-judge"
JUDGE = """\
[panel]
depth = 1
tries = 1
[panel.judge.a]
model = "openai-compatible:tiny"
base_url = "URL/v1?token=qzCANARYxw-query"
key_env = "JUDGE_KEY"
price = { input = 1.0, output = 1.0 }
"""


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("JUDGE_KEY", KEY)
    with serving() as made:
        yield made


def journal(file):
    return (file.parent / ".evenhand" / "calls" / "calls.jsonl").read_text()


STATUSES = {
    302: ("elsewhere", {"Location": "http://127.0.0.1:9/other?key=qzCANARYxw"}, "it points at http://127.0.0.1:9/other?key=…",
          "give base_url the address meant"),
    400: ("no temperature for \x1b[31mthis <script>", {}, "no temperature for this <script>", "see what it says"),
    401: (f"bad key {KEY}, not sk-other12345", {}, "bad key …, not sk-…", "check that JUDGE_KEY holds a key that may use tiny"),
    402: ("no credit", {}, "no credit", "the account has no credit left"),
    403: ("not for you at ?token=qzCANARYxw-query", {}, "not for you at ?token=…", "check that JUDGE_KEY holds a key"),
    404: ("model not found", {}, "model not found", "check the model's name, 'tiny', and base_url, http"),
}  # fmt: skip


@pytest.mark.parametrize("status", STATUSES)
def test_what_a_server_says_reaches_the_user(status, server, tmp_path):
    message, headers, said, mend = STATUSES[status]
    server.reply = lambda _asked: (status, {"error": {"message": message}}, headers)
    file = make(tmp_path / "s", study=SMALL + JUDGE.replace("URL", server.url))
    done = evenhand("judge", "panel", file)
    assert done.returncode == 4, done.stderr
    assert f"calls failed: HTTP status {status}: {said}\n" in done.stdout
    (line,) = [one for one in done.stdout.splitlines() if mend in one]
    assert line.startswith("  mend: ")
    for _ in range(9):  # what the judge was given up for is asked by the next run
        asked = len(server.seen)
        again = evenhand("judge", "panel", file)
        if len(server.seen) == asked:
            break
    assert len(server.seen) == asked  # the votes stand: the words come from their file
    assert f"HTTP status {status}: {said}\n" in again.stdout
    assert line in again.stdout
    votes = [one for one in read_votes(file.parent / "votes.jsonl") if one.outcome == "fault"]
    assert votes
    assert all(one.why.startswith(f"HTTP status {status}: ") for one in votes)
    assert f"HTTP status {status}: {said.partition(' for this')[0]}" in journal(file)
    kept = (file.parent / "votes.jsonl").read_text() + journal(file)
    assert "CANARY" not in done.stdout + done.stderr + again.stdout + kept
    assert "sk-other" not in done.stdout + done.stderr + kept
    assert "\x1b" not in done.stdout

    told = json.loads(evenhand("judge", "panel", file, "--json").stdout)["failures"]
    assert [(one["name"], one["n"]) for one in told] == [("a", len(votes))]


@pytest.mark.parametrize(
    ("section", "command"),
    [
        ("[draft]\nsingle = 1\nattempts = 1.0\n", ("gold", "draft")),
        ('[answers]\nsystem = "bm25"\n', ("answers", "generate")),
        ("[stress]\nn = 1\n", ("judge", "stress")),
    ],
)  # fmt: skip
def test_other_commands_tell_the_words_and_a_mend_too(section, command, server, tmp_path):
    server.reply = lambda _asked: (401, {"error": {"message": "no such key"}}, {})
    text = SMALL + JUDGE.replace("URL", server.url)
    if "stress" not in section:
        settings = JUDGE[JUDGE.index("model =") :].replace("URL", server.url)
        text = SMALL + section + settings
    else:
        text += section
    file = make(tmp_path / "s", study=text)
    done = evenhand(*command, file)
    assert done.returncode in (2, 4), done.stderr
    said = done.stdout + done.stderr
    assert "HTTP status 401: no such key" in said
    assert "mend: check that JUDGE_KEY holds a key that may use tiny" in said


def test_what_a_program_says_reaches_the_user(tmp_path):
    judge = f'[panel]\ndepth = 1\ntries = 1\n[panel.judge.a]\nmodel = "command:{sys.executable} judge.py"\n'
    file = make(tmp_path / "s", study=SMALL + judge)
    (file.parent / "judge.py").write_text("import sys\nsys.exit('no model is loaded')\n")
    done = evenhand("judge", "panel", file)
    assert done.returncode == 4
    assert "calls failed: exit code 1: no model is loaded\n" in done.stdout
    assert {one.why for one in read_votes(file.parent / "votes.jsonl")} == {"exit code 1: no model is loaded"}
    assert "exit code 1: no model is loaded" in journal(file)


def test_two_objects_in_one_reply_are_told_as_two(server, tmp_path):
    content = '{"verdict": "yes"} and {"verdict": "no"}'
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "tiny", "choices": [choice]}
    server.reply = lambda _asked: (200, body, {})
    file = make(tmp_path / "s", study=SMALL + JUDGE.replace("URL", server.url))
    evenhand("judge", "panel", file)
    votes = read_votes(file.parent / "votes.jsonl")
    assert {(one.outcome, one.why) for one in votes} == {
        ("unparsable", "the reply holds two JSON objects that differ")
    }


def test_an_estimate_says_that_a_key_is_not_there(server, tmp_path):
    file = make(tmp_path / "s", study=SMALL + JUDGE.replace("URL", server.url))
    assert "cannot be asked yet" not in evenhand("judge", "panel", file, "--estimate").stdout
    done = evenhand("judge", "panel", file, "--estimate", JUDGE_KEY="")
    assert done.returncode == 0
    told = " ".join(done.stdout.split())
    assert "it cannot be asked yet: the environment has no JUDGE_KEY" in told
    told = json.loads(evenhand("judge", "panel", file, "--estimate", "--json", JUDGE_KEY="").stdout)
    assert [one["key_unset"] for one in told["models"]] == ["JUDGE_KEY"]
    done = evenhand("judge", "panel", file, JUDGE_KEY="")
    assert done.returncode == 2
    assert "study.toml:" in done.stderr
    assert "[panel.judge.a] the environment has no JUDGE_KEY" in done.stderr
    assert not server.seen


def test_a_recording_is_named_by_judge_and_path(tmp_path):
    file = make(tmp_path / "s", study=SMALL + '[panel]\n[panel.judge.a]\nmodel = "recorded:kept/r.jsonl"\n')
    (file.parent / "kept").mkdir()
    (file.parent / "kept" / "r.jsonl").write_text('{"task": 3}\n')
    done = evenhand("judge", "panel", file)
    assert done.returncode == 2
    assert f"[panel.judge.a] {file.parent / 'kept' / 'r.jsonl'}, line 1: request and task" in done.stderr
    (file.parent / "kept" / "r.jsonl").write_text('{"task": "x", "reply": {"text": "no"}}\n')
    done = evenhand("judge", "panel", file)
    assert done.returncode == 2
    assert f"a: {file.parent / 'kept' / 'r.jsonl'} has no reply to request" in done.stderr
