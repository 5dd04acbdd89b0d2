"""Retrievers that answer one question at a time: nothing answered is lost, what fails is not held against them.

Each through the command line, against a server on loopback.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from tests.front import evenhand
from tests.loopback import serving
from tests.miniature import STUDY, make

SLOW = 120
SMALL = STUDY[: STUDY.index("[system.tfidf]")] + STUDY[STUDY.index("[measure]") :].replace("500", "100")
SYSTEM = '[system.ours]\nretriever = "{url}/search"\nretries = {retries}\n{more}'
GUEST = """\
import json, urllib.request
class Asks:
    def __init__(self, url): self.url = url
    def index(self, units): self.ids = [unit.id for unit in units]
    def search(self, question, k):
        body = json.dumps({"question": question, "k": k}).encode()
        made = urllib.request.Request(self.url, body)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(made) as reply:
            return json.load(reply)["hits"]
"""


@pytest.fixture
def server():
    with serving() as made:
        made.reply = answer
        yield made


def answer(asked):
    """Units of the place that the question names: the fact is among them."""
    place = asked["question"].rstrip("?").split()[-1]
    return 200, {"hits": [{"doc": f"{place}.md", "start": 0, "end": 400}][: asked["k"]]}, {}


@pytest.fixture(autouse=True)
def direct(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("COLUMNS", "110")


def with_endpoint(folder, server, *, retries=0, more=""):
    return make(folder, study=SMALL + SYSTEM.format(url=server.url, retries=retries, more=more))


def report_of(study):
    return json.loads((study.parent / "results" / "report.json").read_bytes())


def killed_midway(study, server, *, after):
    """Run the study and kill -9 it when the server has answered *after* questions and holds the next."""
    server.reply = lambda asked: answer(asked) if len(server.seen) <= after else time.sleep(SLOW)
    command = [sys.executable, "-m", "evenhand", "run", str(study)]
    env = {**os.environ, "NO_PROXY": "127.0.0.1"}
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        begun = time.monotonic()
        while len(server.seen) <= after:
            assert running.poll() is None
            assert time.monotonic() - begun < SLOW
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
    answered = server.questions[:after]
    server.seen.clear()
    server.reply = answer
    return answered


def test_a_killed_run_asks_an_endpoint_only_what_it_had_not_answered(server, tmp_path):
    study = with_endpoint(tmp_path / "killed", server)
    answered = killed_midway(study, server, after=7)
    assert not (study.parent / "results").exists()
    assert evenhand("run", study).returncode == 0
    assert len(server.seen) == 11
    assert not set(server.questions) & set(answered)

    whole = with_endpoint(tmp_path / "whole", server)
    assert evenhand("run", whole).returncode == 0
    for name in ("report.json", "runs/ours.parquet", "measurements.parquet"):
        one, two = (path.parent / "results" / name for path in (study, whole))
        assert one.read_bytes() == two.read_bytes(), name


def test_a_killed_run_asks_a_python_guest_only_what_it_had_not_answered(server, tmp_path):
    study = make(
        tmp_path / "s", study=SMALL + f'[system.ours]\nretriever = "python:asks:Asks"\nurl = "{server.url}"\n'
    )
    (study.parent / "asks.py").write_text(GUEST)
    answered = killed_midway(study, server, after=5)
    assert evenhand("run", study).returncode == 0
    assert len(server.seen) == 13
    assert not set(server.questions) & set(answered)
    assert not list((study.parent / ".evenhand").glob("answers/*"))
    server.seen.clear()
    assert evenhand("run", study, "-q").returncode == 0
    assert not server.seen


def test_an_endpoint_is_asked_again_on_every_run(server, tmp_path):
    study = with_endpoint(tmp_path / "s", server)
    for _ in range(2):
        server.seen.clear()
        assert evenhand("run", study, "-q").returncode == 0
        assert len(server.seen) == 18


def test_with_cache_an_endpoint_is_asked_only_new_questions(server, tmp_path):
    study = with_endpoint(tmp_path / "s", server, more="cache = true\n")
    assert evenhand("run", study, "-q").returncode == 0
    first = report_of(study)
    server.seen.clear()
    assert evenhand("run", study, "-q").returncode == 0
    assert not server.seen
    assert report_of(study) == first
    gold = study.parent / "gold.jsonl"
    gold.write_text(gold.read_text().replace("what has one to pay", "what does one pay", 1))
    assert evenhand("run", study, "-q").returncode == 0
    assert len(server.seen) == 1


def refuse_some(names, status=429):
    """Too many requests, for the questions that hold one of *names*."""

    def reply(asked):
        if any(f"Number {name}:" in asked["question"] for name in names):
            return status, {}, {"Retry-After": "0"}
        return answer(asked)

    return reply


def test_refusals_that_outlast_the_retries_are_not_run_and_never_failures_b076(server, tmp_path):
    study = with_endpoint(tmp_path / "s", server, retries=1)
    server.reply = refuse_some([0, 3, 11])
    done = evenhand("run", study)
    assert done.returncode == 4
    assert "INCOMPLETE: 3 of 18 questions could not be asked of ours (HTTP status 429)" in done.stdout
    assert done.stderr.splitlines()[-2:] == [
        "evenhand: incomplete: 3 questions were not run; only these are asked again",
        f"  mend: evenhand run {study}",
    ]
    assert len(server.seen) == 15 + 3 * 2

    report = report_of(study)
    assert report["incomplete"] == {
        "state": True,
        "not_run": [
            {
                "system": "ours",
                "asked": 18,
                "questions": ["q00", "q03", "q11"],
                "reasons": {"HTTP status 429": 3},
            }
        ],
    }
    (rate,) = [e for e in report["estimates"] if (e["system"], e["metric"]) == ("ours", "Success(rel=2)@1")]
    assert (rate["n"], rate["undefined"]) == (15, 3)
    assert rate["point"] == pytest.approx(rate["k"] / 15)
    (bounds,) = [w["text"] for w in report["warnings"] if "Success(rel=2)@1 of ours" in w["text"]]
    assert f"between {rate['k'] / 18:.3f}" in bounds
    assert f"and {(rate['k'] + 3) / 18:.3f}" in bounds
    assert "Incomplete." in (study.parent / "results" / "report.html").read_text(encoding="utf-8")
    row = next(row for row in report["questions"]["rows"] if row["id"] == "q03")
    assert ["ours", "nDCG@10", "not run: HTTP status 429"] in row["undefined"]

    server.seen.clear()
    server.reply = answer
    again = evenhand("run", study, "--json")
    assert again.returncode == 0
    assert sorted(q.split(":")[0] for q in server.questions) == ["Number 0", "Number 11", "Number 3"]
    assert json.loads(again.stdout)["incomplete"] == {"state": False, "not_run": []}


def test_the_rate_of_the_case_is_12_of_17_between_12_and_15_of_20_b076():
    import numpy as np

    from evenhand.metrics.measure.unreached_questions import span_of, withheld
    from evenhand.model.result import Measurements

    value = np.array([1.0] * 12 + [0.0] * 8).reshape(1, 1, 20)
    m = Measurements(
        ("s",), ("Success@1",), tuple(map(str, range(20))), value, np.zeros((1, 1, 20), np.int16)
    )
    m = Measurements(
        m.systems,
        m.metrics,
        m.questions,
        m.value,
        m.why,
        unreachable=np.zeros((1, 1, 20), bool),
        missing=np.ones((1, 20), bool),
    )
    m = withheld(m, [dict.fromkeys(["17", "18", "19"], "HTTP status 429")])
    estimate = m.estimate("s", "Success@1")
    assert (round(estimate.point, 6), estimate.n, estimate.undefined) == (0.705882, 17, 3)
    assert span_of(m, "s", "Success@1") == {"n": 17, "lost": 3, "point": 12 / 17, "low": 0.6, "high": 0.75}
    assert not m.missing[0, 17:].any()


def test_what_is_made_of_a_system_is_not_run_where_that_was_not(server, tmp_path):
    study = with_endpoint(tmp_path / "s", server)
    study.write_text(study.read_text() + '[system.on]\nrerank = "ours"\nby = "status"\n')
    server.reply = refuse_some([4], status=503)
    assert evenhand("run", study, "-q").returncode == 4
    told = {row["system"]: row["questions"] for row in report_of(study)["incomplete"]["not_run"]}
    assert told == {"ours": ["q04"], "on": ["q04"]}


def test_an_endpoint_that_answers_nothing_is_unreachable_and_writes_nothing(server, tmp_path):
    study = with_endpoint(tmp_path / "s", server)
    server.reply = lambda _asked: (429, {}, {"Retry-After": "0"})
    done = evenhand("run", study, "-q")
    assert done.returncode == 2
    assert done.stdout == ""
    told = done.stderr.splitlines()
    assert len(told) == 2
    assert "HTTP status 429" in told[0]
    assert len(server.seen) == 10
    assert not (study.parent / "results").exists()


def test_after_ten_failures_in_a_row_no_more_are_asked_and_a_rerun_does_the_rest(server, tmp_path):
    study = with_endpoint(tmp_path / "s", server)
    server.reply = lambda asked: answer(asked) if len(server.seen) <= 3 else (500, {}, {})
    assert evenhand("run", study, "-q").returncode == 4
    assert len(server.seen) == 13
    (lost,) = report_of(study)["incomplete"]["not_run"]
    assert lost["reasons"] == {"HTTP status 500": 10, "not asked: 10 questions in a row failed": 5}
    server.seen.clear()
    server.reply = answer
    assert evenhand("run", study, "-q").returncode == 0
    assert len(server.seen) == 15


def test_a_server_that_has_gone_when_the_run_goes_on_leaves_it_incomplete(server, tmp_path):
    study = with_endpoint(tmp_path / "s", server)
    server.reply = refuse_some([0])
    assert evenhand("run", study, "-q").returncode == 4
    text = study.read_text()
    with serving() as gone:
        url = gone.url
    server.seen.clear()
    study.write_text(text)  # the same endpoint: what it answered stands, though nobody is there now
    server.reply = lambda _asked: (503, {}, {})
    assert evenhand("run", study, "-q").returncode == 4
    assert len(server.seen) == 1
    study.write_text(text.replace(server.url, url))
    assert evenhand("run", study, "-q").returncode == 2  # another one, which never answered


def test_a_key_is_sent_and_shown_nowhere(server, tmp_path):
    study = with_endpoint(tmp_path / "s", server, more='key_env = "SEARCH_KEY"\n')
    done = evenhand("run", study)
    assert done.returncode == 2
    assert "SEARCH_KEY" in done.stderr
    done = evenhand("run", study, SEARCH_KEY="sk-canary-77")
    assert done.returncode == 0
    assert {key for _, _, key in server.seen} == {"Bearer sk-canary-77"}
    server.reply = lambda _asked: (401, b"no such key: sk-canary-77", {})
    refused = evenhand("run", study, SEARCH_KEY="sk-canary-77")
    assert refused.returncode == 2
    for told in (done.stdout, done.stderr, refused.stdout, refused.stderr):
        assert "sk-canary" not in told
    for path in study.parent.rglob("*"):
        assert not path.is_file() or b"sk-canary" not in path.read_bytes(), path


def test_answers_that_cannot_be_used_are_not_kept_for_the_mended_endpoint(server, tmp_path):
    study = with_endpoint(tmp_path / "s", server, more='chunking = "small"\n')
    server.reply = lambda _asked: (200, {"hits": [{"doc": "alder.md", "start": 0, "end": 3}]}, {})
    assert evenhand("run", study, "-q").returncode == 2
    server.reply = lambda asked: (200, {"hits": [{"answer": 1}] if len(server.seen) == 30 else []}, {})
    assert evenhand("run", study, "-q").returncode == 2
    assert len(server.seen) == 30
    server.seen.clear()
    server.reply = lambda _asked: (200, {"hits": [unit]}, {})
    unit = "alder.md#37-190"
    assert evenhand("run", study, "-q").returncode == 0
    assert len(server.seen) == 18


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (401, 'refused the request with status 401: \'{"error": {"message": "bad key …"}}\''),
        (404, "refused the request with status 404: "),
        (500, 'could not be reached in 1 try: HTTP status 500: \'{"error": {"message": "bad key …"}}\''),
    ],
)
@pytest.mark.parametrize("kind", ["retriever", "embedder"])
def test_what_an_endpoint_says_is_told_with_its_section(kind, status, told, server, tmp_path):
    key = "qzCANARYxw-key"
    server.reply = lambda _asked: (status, {"error": {"message": f"bad key {key}"}}, {})
    embedder = (
        '[system.ours]\nretriever = "dense"\nembedder = "openai"\n'
        f'options = {{ model = "tiny", base_url = "{server.url}/v1", key_env = "OUR_KEY", retries = 0 }}\n'
    )
    more = f'[system.ours]\nretriever = "{server.url}/search"\nkey_env = "OUR_KEY"\nretries = 0\n'
    study = make(tmp_path / "s", study=SMALL + (embedder if kind == "embedder" else more))
    done = evenhand("run", study, OUR_KEY=key)
    assert done.returncode == 2
    assert re.search(r"study\.toml:\d+ \[system\.ours\] http://127", done.stderr)
    assert told in done.stderr
    assert key not in done.stdout + done.stderr
    done = evenhand("run", study, OUR_KEY="")
    assert done.returncode == 2
    assert re.search(r"study\.toml:\d+ \[system\.ours\].* the environment has no key 'OUR_KEY'", done.stderr)
