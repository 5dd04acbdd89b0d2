"""Canaries: the words of a holdout and the keys of the environment come out nowhere, whatever is run.

Every command runs here, those that fail too; then every file that was written and every line that was said
is searched. A command that is new and not in `WAYS` is run with arguments that make it stumble.
"""

import io
import json
import sys
import zipfile

import pytest
import typer
from tests.loopback import serving
from tests.miniature import STUDY, documents, hidden, make

from evenhand.cli.main import app, main
from evenhand.cli.study import demo
from evenhand.llm.scheduling import concurrency

SECRET = "qzCANARYxw"  # noqa: S105 - in every canary, so that one search finds them all
KEYS = {
    name: f"sk-{SECRET}-{name.lower()}"
    for name in (
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "DEEPSEEK_API_KEY",
        "EMBED_KEY",
        "SEARCH_KEY",
        "JUDGE_KEY",
    )
}
MORE = """\
[system.dense]
retriever = "dense"
embedder = "openai"
options = { model = "tiny", base_url = "URL/v1", key_env = "EMBED_KEY", retries = 0 }
[system.ours]
retriever = "URL/search?token=qzCANARYxw-query"
key_env = "SEARCH_KEY"
retries = 0
"""
PANEL = """\
[panel]
depth = 1
tries = 1
[panel.judge.good]
model = "openai-compatible:qwen-tiny"
base_url = "URL/v1?token=qzCANARYxw-query"
key_env = "JUDGE_KEY"
[panel.judge.leaky]
model = "openai-compatible:llama-tiny"
base_url = "URL/v1"
key_env = "JUDGE_KEY"
[panel.judge.strict]
model = "openai-compatible:gemma-tiny"
base_url = "URL/v1"
key_env = "JUDGE_KEY"
"""
SMALL = STUDY[: STUDY.index("[system.tfidf]")] + STUDY[STUDY.index("[measure]") :]


def judged(asked):
    """Three judges: one that judges, one that repeats its key in a 500, one that puts it into its verdict."""
    if asked["model"] == "llama-tiny":
        return 500, {"error": {"message": f"bad key {KEYS['JUDGE_KEY']}"}}, {"X-Key": KEYS["JUDGE_KEY"]}
    verdict = "no" if asked["model"] == "qwen-tiny" else KEYS["JUDGE_KEY"]
    said = {"evidence": [], "contribution": "0", "verdict": verdict, "mode": "off-topic"}
    message = {"role": "assistant", "content": json.dumps(said)}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return 200, {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}, {}


def reply(asked):
    if "messages" in asked:
        return judged(asked)
    if "input" in asked:
        data = [
            {"index": i, "embedding": [len(t) % 7 + 1.0, len(t) % 5]} for i, t in enumerate(asked["input"])
        ]
        return 200, {"data": data}, {}
    return 200, {"hits": [{"doc": "alder.md", "start": 0, "end": 400}]}, {}


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A study with an endpoint and an embeddings endpoint, a holdout beside it, keys in the environment."""
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://user:{SECRET}-password@127.0.0.1:1/v1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(
        concurrency, "DOWN", 2
    )  # the judge that never answers is given up without a minute's patience
    folder = tmp_path / "work"
    with serving() as server:
        server.reply = reply
        study = make(folder, study=SMALL + MORE.replace("URL", server.url))
        monkeypatch.chdir(folder)
        (folder / "panel.toml").write_text(SMALL + PANEL.replace("URL", server.url))
        monkeypatch.setattr(demo, "handbook", lambda: folder / "demo")
        make(folder / "demo", study=SMALL)
        (folder / "demo" / "lexical.toml").write_text(SMALL)
        rows = [json.loads(line) for line in (folder / "gold.jsonl").read_text().splitlines()]
        secret = []
        for n, row in enumerate(rows[:6]):
            row["id"] = f"h{n}"
            row["text"] = f"What has the {SECRET}text{n} to pay, and where is it {SECRET}more{n}?"
            row["reference"] = f"{SECRET}reference{n}"
            for nugget in row["evidence"]:
                nugget["nugget"] = f"{SECRET}nugget{n}"
            secret.append(json.dumps(row))
        outside = tmp_path / "planted"
        outside.mkdir()
        (folder / "gold.holdout.jsonl").write_text("\n".join(secret) + "\n")
        (folder / "torn.holdout.jsonl").write_text("\n".join([secret[0], secret[1][:-9], secret[2]]) + "\n")
        (folder / "wrong.holdout.jsonl").write_text(
            "\n".join(line.replace('"expect": "answer"', f'"expect": "{SECRET}word"') for line in secret)
            + "\n"
        )
        (folder / "like.holdout.jsonl").write_text(
            "\n".join(
                json.dumps({**rows[9], "id": f"l{n}", "text": f"{SECRET}alike {n} one to pay"}) for n in "ab"
            )
            + "\n"
        )
        (folder / "spans.holdout.jsonl").write_text(
            "\n".join(line.replace("crowns", "groats") for line in secret)
        )
        (folder / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
        (folder / "run.txt").write_text("q1 Q0 a 1 2.0 r\nq2 Q0 a 1 2.0 r\nq2 Q0 b 2 1.0 r\n")
        planted = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        yield study, server, planted


HOLDOUTS = [f"{name}.holdout.jsonl" for name in ("gold", "torn", "wrong", "like", "spans")]
WAYS = {
    "demo": [["--out", "d"], ["--out", "d", "--json"], ["--out", "d", "-q"], ["--out", "gold.jsonl"]],
    "new": [["fresh"], ["fresh"]],
    "run": [
        ["study.toml"],
        ["study.toml", "--json"],
        ["study.toml", "-q"],
        ["gone.toml"],
        ["held.toml"],
        *[[h] for h in HOLDOUTS],
    ],
    "report": [["results", "--no-plots"], ["results", "--json"], ["docs"], *[[h] for h in HOLDOUTS]],
    "eval": [
        ["qrels.txt", "run.txt", "-m", "nDCG@10"],
        ["qrels.txt", "run.txt", "--json", "--per-question"],
        ["qrels.txt", "run.txt", "--like", "trec_eval"],
        ["qrels.txt", "gone.txt"],
        *[[h, "run.txt"] for h in HOLDOUTS],
        *[["qrels.txt", h] for h in HOLDOUTS],
    ],
    "study pilot": [["study.toml"], ["study.toml", "--json"], *[[h] for h in HOLDOUTS]],
    "study package": [["study.toml", "--out", "pack"], *[[h, "--out", "pack2"] for h in HOLDOUTS]],
    "study register": [
        ["study.toml", "--json"],
        ["gone.toml"],
        ["study.toml"],
        ["study.toml", "--anchor-git", "none"],
        ["study.toml", "--ledger", HOLDOUTS[0]],
        ["study.toml", "--anchor-file", HOLDOUTS[0]],
        *[[h] for h in HOLDOUTS],
    ],
    "study amend": [
        ["study.toml", "--author", "a", "--reason", "r"],
        ["study.toml", "--author", "a", "--reason", "r", "--accept", "panel.trust"],
        *[[h, "--author", "a", "--reason", "r"] for h in HOLDOUTS],
    ],
    "study verify": [
        ["study.toml"],
        ["pack/study.toml", "--record"],
        *[[h] for h in HOLDOUTS],
    ],
    # the look itself is not among them: refused here, as the study is another than the one registered
    "study open-holdout": [["other.toml"], ["held.toml"], *[[h] for h in HOLDOUTS]],
    "audit": [["0.5", "-n", "40"], ["0.5", "-n", "40", "--json"], ["none"]],
    "power": [["--effect", "0.05", "--sd", "0.2"], ["results", "--json"], *[[h] for h in HOLDOUTS]],
    "doctor": [[], ["--json"]],
    "gold check": [
        ["gold.jsonl", "--corpus", "docs"],
        *[
            ["gold.jsonl", "--corpus", "docs", "--holdout", h, *j]
            for h in HOLDOUTS
            for j in ([], ["--json"], ["--all"])
        ],
        *[[h, "--corpus", "docs", *j] for h in HOLDOUTS for j in ([], ["--json"], ["--fix", "fixed.jsonl"])],
    ],
    "gold split": [["gold.jsonl", "--to", "parts"], *[[h, "--to", "more"] for h in HOLDOUTS]],
    "store init": [["s.sqlite"], ["s.sqlite"]],
    "store check": [["s.sqlite"], ["gold.holdout.jsonl"]],
    "store export": [["s.sqlite", "--to", "s.jsonl"]],
    "store import": [["s.sqlite", "--from", "s.jsonl"], *[["s.sqlite", "--from", h] for h in HOLDOUTS]],
    "store backup": [["s.sqlite", "--to", "t.sqlite"]],
    "judge sheet": [["contribution", "--store", "s.sqlite"], ["none"]],
    "judge invite": [["ann", "--store", "s.sqlite"]],
    "judge revoke": [["nobody", "--store", "s.sqlite"]],
    "judge pool": [
        ["results", "--gold", h, "--corpus", "docs", "--store", "s.sqlite"] for h in ["gold.jsonl", *HOLDOUTS]
    ]
    + [["study.toml", "--store", "s.sqlite"], ["held.toml", "--store", "s.sqlite"]],
    "judge assign": [["--judge", "ann", "--judge", "ben", "--store", "s.sqlite"]],
    "judge panel": [
        ["panel.toml"],
        ["panel.toml", "--json"],
        ["panel.toml", "--estimate"],
        ["panel.toml", "--dry-run"],
        ["panel.toml", "--emit-batch", "batch.jsonl", "--repeats", "3"],
        ["panel.toml", "--collect", "gold.holdout.jsonl"],
        ["panel.toml", "--retry-failed", "--repeats", "2"],
        ["panel.toml", "--people", "open", "--store", "s.sqlite"],
        ["study.toml"],
        *[[h] for h in HOLDOUTS],
    ],
    "serve": [["gone.sqlite"], ["gold.holdout.jsonl"]],
    "judge status": [["--store", "s.sqlite"], ["--store", "s.sqlite", "--json"]],
}


def commands(node, path=()):
    for name, inner in node.commands.items():
        if hasattr(inner, "commands"):
            yield from commands(inner, (*path, name))
        else:
            yield (*path, name)


def ways(command):
    """How a command is run: as `WAYS` says, and in any case with a holdout where it expects something else."""
    known = WAYS.get(" ".join(command), [["--help"], *[[h] for h in HOLDOUTS], ["gold.holdout.jsonl", "out"]])
    return [[*command, *arguments] for arguments in [*known, ["--no-such-option"]]]


def texts_in(path):
    """The bytes of a file, and of what is packed in it."""
    data = path.read_bytes()
    yield data
    if path.suffix == ".parquet":
        import polars as pl

        yield str(pl.read_parquet(path).to_dict(as_series=False)).encode()
    elif zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as held:
            for name in held.namelist():
                yield held.read(name)


def test_no_command_lets_out_a_key_or_a_word_of_a_holdout(world, capfd):
    study, server, planted = world
    folder = study.parent
    text = study.read_text()
    (folder / "other.toml").write_text(text.replace('name = "miniature"', 'name = "other"'))
    planted[folder / "other.toml"] = (folder / "other.toml").read_bytes()
    (folder / "held.toml").write_text(text.replace('"gold.jsonl"', '"gold.holdout.jsonl"'))
    planted[folder / "held.toml"] = (folder / "held.toml").read_bytes()
    asked = {"ran": 0, "failed": 0}
    order = list(WAYS)
    every = sorted(
        commands(typer.main.get_command(app)), key=lambda c: (" ".join(c) not in order, c[0] == "judge")
    )
    for command in every:
        for arguments in ways(command):
            code = main(arguments)
            said = capfd.readouterr()
            for stream in (said.out, said.err):
                found = stream.find(SECRET)
                assert found < 0, (arguments, stream[max(0, found - 200) : found + 80])
            assert code != 70, (arguments, said.err)
            asked["failed" if code else "ran"] += 1
    used = {"Bearer " + KEYS[name] for name in ("EMBED_KEY", "SEARCH_KEY", "JUDGE_KEY")}
    assert used <= {key for *_, key in server.seen}

    for part, key in (("[system.dense]", KEYS["EMBED_KEY"]), ("[system.ours]", KEYS["SEARCH_KEY"])):
        for refusal in (  # servers that repeat the key they were given
            (401, f"no such key: {key}".encode(), {}),
            (429, key.encode(), {"Retry-After": "0", "X-Key": key}),
            (200, b"<html>" + key.encode(), {}),
            (200, {"data": key, "hits": key}, {}),
        ):
            server.reply = lambda _asked, refusal=refusal: refusal
            one = SMALL + MORE[MORE.index(part) :].split("\n[system", 1)[0].replace("URL", server.url) + "\n"
            other = one.replace("tiny", f"tiny-{len(server.seen)}").replace(
                "/search", f"/s{len(server.seen)}"
            )
            (folder / "refused.toml").write_text(other)
            planted[folder / "refused.toml"] = (folder / "refused.toml").read_bytes()
            assert main(["run", "refused.toml", "--out", "refused"]) == 2
            said = capfd.readouterr()
            assert SECRET not in said.out + said.err, (part, refusal, said.err)

    searched = 0
    for path in folder.parent.rglob("*"):
        if path.is_file() and planted.get(path) != (data := path.read_bytes()):
            searched += 1
            for content in (data, *texts_in(path)):
                assert SECRET.encode() not in content, path
    assert searched > 40
    assert asked["ran"] > 30
    assert asked["failed"] > 30
    assert all(path.read_bytes() == content for path, content in planted.items())


OPENED = {"watch": False, "names": []}
HASHING = {"gold check", "study register", "study amend", "study verify"}  # by hashes; nothing is said


def _watched(event, arguments):
    if event == "open" and OPENED["watch"] and str(arguments[0]).endswith("gold.holdout.jsonl"):
        OPENED["names"].append(str(arguments[0]))


def test_before_its_look_a_registered_holdout_is_opened_by_no_command(world, capfd):
    """The file is watched: but for the check and the hashes of a registration nothing opens it at all."""
    study, _, _ = world
    folder = study.parent
    rows = hidden(documents(), mark=f"{SECRET}mark")
    for row in rows:
        row["reference"] = f"{SECRET}reference"
        for nugget in row["evidence"]:
            nugget["nugget"] = f"{SECRET}nugget"
    (folder / "gold.holdout.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    study.write_text(study.read_text().replace(f"?token={SECRET}-query", ""))  # or it is not packed
    sys.addaudithook(_watched)
    assert main(["study", "register", "study.toml"]) == 0
    seal = (folder / "registration.json").read_text()
    assert SECRET not in seal + (folder / "ledger.jsonl").read_text()
    ran, told = set(), []
    order = list(WAYS)
    every = sorted(
        commands(typer.main.get_command(app)), key=lambda c: (" ".join(c) not in order, c[0] == "judge")
    )
    for command in every:
        name = " ".join(command)
        for arguments in ways(command):
            if name == "study open-holdout" or any("holdout" in str(one) for one in arguments):
                continue  # told to look, or given the file by its name
            OPENED.update(watch=name not in HASHING, names=[])
            code = main(arguments)
            OPENED["watch"] = False
            said = capfd.readouterr()
            assert SECRET not in said.out + said.err, arguments
            assert OPENED["names"] == [], arguments
            ran.add((name, code))
            if name == "study verify":
                told.append((arguments, said.out, said.err))
    assert {("run", 0), ("study pilot", 0), ("study package", 0), ("judge pool", 0)} <= ran
    assert ("study verify", 0) in ran, "\n".join(out for _, out, _ in told)
    for path in folder.rglob("*"):
        if path.is_file() and not path.name.endswith(".holdout.jsonl") and path.suffix != ".toml":
            for content in texts_in(path):
                assert SECRET.encode() not in content, path
