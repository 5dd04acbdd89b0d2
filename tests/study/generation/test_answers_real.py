"""Answers and items by a real model behind a real HTTP server. It writes badly: that this is seen is the test."""

import json
import os
import subprocess
import sys

import pytest
from tests.llm.real import MODEL, missing
from tests.miniature import make
from tests.study.answering import SMALL, TOPICS

from evenhand.cli.main import main
from evenhand.formats.answers.jsonl import read_answers
from evenhand.formats.study_file.read import read_study
from evenhand.study.comparison.run import conduct

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()} (see requirements)")
# `make soak` lets it write on; a few words are enough to see that they are taken in or counted against it
SOAK = bool(os.environ.get("EVENHAND_SOAK"))
TOKENS = 160 if SOAK else 40
ANSWERS = """
[answers]
model = "llama.cpp:MODEL"
base_url = "URL"
system = "bm25"
k = 1
max_tokens = TOKENS
call_timeout = 300.0
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


def test_two_questions_go_out_and_come_back_as_items_or_as_faults_of_the_model(address, tmp_path, capsys):
    text = SMALL + ANSWERS.replace("MODEL", MODEL).replace("URL", address)
    file = make(tmp_path / "s", study=text)
    lines = (file.parent / "gold.jsonl").read_text("utf-8").splitlines()
    (file.parent / "gold.jsonl").write_text("\n".join(lines[:2]) + "\n")
    assert main(["answers", "generate", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    kept = read_answers(file.parent / "answers.jsonl")
    assert len(kept) == told["asked"] == 2
    for one in kept:  # whatever it writes, a topic gave items or is counted against the model
        assert one.state in ("made", "cut-off", "invalid")
        assert bool(one.items) == (one.state == "made")
        assert one.extra.get("written_by", MODEL) == MODEL
        assert "fallback" not in one.extra
    assert told["accounts"][0]["valid"]["n"] == 2
    assert told["spent"]["tokens_in"] > 400
    part = conduct(read_study(file), file.parent).report["answers"]
    assert (part["missing"], part["failed"]) == (0, 0)
    assert sum(one["count"] for one in part["diagnosis"][0]["cells"]) == 2
    assert main(["answers", "check", str(file)]) == 0
    assert "topics gave items" in capsys.readouterr().out


@pytest.mark.skipif(not SOAK, reason="fifteen seconds of a real model: `make soak` runs it")
def test_study_items_of_a_real_model_are_items_or_not_of_the_form(address, tmp_path):
    more = 'kind = "study-items"\ntopics = "topics.toml"\nmultiple_choice = 1\nshort_answer = 0\n'
    text = SMALL + ANSWERS.replace("MODEL", MODEL).replace("URL", address) + more
    file = make(tmp_path / "s", study=text)
    (file.parent / "topics.toml").write_text(TOPICS.partition("[topic.lanterns]")[0])
    assert main(["answers", "generate", str(file)]) == 0
    (one,) = read_answers(file.parent / "answers.jsonl")
    assert one.state in ("made", "cut-off", "invalid")
    part = conduct(read_study(file), file.parent).report["answers"]
    assert part["accounts"][0]["valid"]["n"] == 1
    assert len(part["items"]) == 1
