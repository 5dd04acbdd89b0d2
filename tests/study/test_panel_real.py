"""A panel with a real model behind a real HTTP server. It judges badly: that this can be seen is the test."""

import json
import os
import subprocess
import sys

import pytest
from tests.llm.real import MODEL, missing
from tests.miniature import make
from tests.study.panels import SMALL

from evenhand.cli.main import main
from evenhand.formats.labels.votes import read_votes

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()} (see requirements)")
TOKENS = 160 if os.environ.get("EVENHAND_SOAK") else 40  # `make soak` lets it ramble on
PANEL = """\
[panel]
systems = ["bm25"]
depth = 1
max_tokens = TOKENS
call_timeout = 300.0
[panel.judge.small]
model = "llama.cpp:MODEL"
base_url = "URL"
parameters = { cache_prompt = true }
""".replace("TOKENS", str(TOKENS))


@pytest.fixture(scope="module")
def address():
    running = subprocess.Popen(
        [sys.executable, "-m", "tests.llm.real"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield json.loads(running.stdout.readline())["base_url"]
    finally:
        running.stdin.close()
        running.wait(20)
        running.stdout.close()


def test_two_items_go_out_and_come_back_as_votes_of_the_scale(address, tmp_path, capsys):
    text = SMALL + PANEL.replace("MODEL", MODEL).replace("URL", address)
    file = make(tmp_path / "s", study=text)
    lines = (file.parent / "gold.jsonl").read_text("utf-8").splitlines()
    (file.parent / "gold.jsonl").write_text("\n".join(lines[:2]) + "\n")
    code = main(["judge", "panel", str(file), "--json"])
    told = json.loads(capsys.readouterr().out)
    votes = read_votes(file.parent / "votes.jsonl")
    assert len(votes) == told["items"] == 2
    for vote in votes:  # whatever it says, a grade is of the scale, and a failure is none
        assert vote.outcome in ("verdict", "cannot-tell", "unparsable", "cut-off")
        assert vote.grade in (None, 0.0, 1.0)
        assert vote.family == "smollm"
    assert code == (0 if any(vote.outcome == "verdict" for vote in votes) else 4)
    assert told["spent"]["small"]["tokens_in"] > 1000
    assert {"few judges"} <= {one["kind"] for one in told["warnings"]}
    assert "nobody to agree with" in told["cohesion"]["reason"]
    assert trust_fails(file, capsys)


def trust_fails(file, capsys):
    """People say no to all that this model was asked, which says yes or rambles until it is cut off."""
    keys = ("question", "doc", "start", "end", "text_sha256", "sheet")
    rows = [json.loads(line) for line in (file.parent / "votes.jsonl").read_text("utf-8").splitlines()]
    labels = [
        {**{key: row[key] for key in keys}, "judge": "ann", "kind": "grade", "by": "human", "grade": 0}
        for row in rows
    ]
    (file.parent / "calibration.jsonl").write_text("".join(json.dumps(one) + "\n" for one in labels))
    code = main(["judge", "calibrate", str(file), "--json"])
    trust = json.loads(capsys.readouterr().out)["trust"]
    failed = {line["name"] for line in trust["lines"] if line["state"] == "fail"}
    assert (code, trust["withheld"], trust["verdict"]) == (1, True, "human-only")
    return failed & {"completeness", "agreement"}
