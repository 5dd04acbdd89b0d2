"""evenhand gold add, edit and review, through the front door."""

import json

import pytest
from tests.miniature import documents

from evenhand.cli.main import main
from evenhand.formats.gold.gold_set import read_gold


@pytest.fixture
def home(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    for name, text in documents().items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys, *words):
    code = main([str(word) for word in words])
    out = capsys.readouterr()
    return code, out.out, out.err


def quote(home, name="alder.md", word="The ferry of"):
    text = (home / "docs" / name).read_text()
    return next(line for line in text.splitlines() if line.startswith(word))


def add(capsys, home, *more):
    words = [
        "gold",
        "add",
        "gold.jsonl",
        "--corpus",
        "docs",
        "--by",
        "ann",
        "--text",
        "What is due at Alder?",
    ]
    return said(capsys, *words, "--quote", f"alder.md::{quote(home)}", *more)


def test_from_nothing_to_a_question_that_is_accepted(home, capsys):
    code, out, _ = add(capsys, home, "--type", "numeric", "--tag", "x", "--saw-evidence", "--model", "m-1")
    assert code == 0
    assert "added q001" in out
    assert "provisional" in out
    (question,) = read_gold("gold.jsonl")
    assert (question.type, question.tags, question.saw_evidence) == ("numeric", ("x",), True)
    assert (question.authoring.by, question.authoring.model, question.origin) == ("ann", "m-1", "synthetic")
    assert len(question.authoring.on) == 10
    code, out, _ = said(capsys, "gold", "review", "gold.jsonl")
    assert "1 of 1 question waits for a review, 1 of them provisional" in out
    words = ["gold", "review", "gold.jsonl", "q001", "--accept", "--by", "ben"]
    assert said(capsys, *words)[1] == "accepted: q001, by ben\n"
    words = ["gold", "edit", "gold.jsonl", "q001", "--reason", "shorter", "--text", "What is due?"]
    code, out, _ = said(capsys, *words, "--by", "cyd")
    assert code == 0
    (question,) = read_gold("gold.jsonl")
    assert question.text == "What is due?"
    assert [one["did"] for one in question.extra["meta"]["history"]] == ["accepted", "edited"]
    words = ["gold", "review", "gold.jsonl", "q001", "--accept", "--reason", "typed", "--json"]
    assert said(capsys, *words, '{"type": "definition"}', "--by", "ann")[1].startswith(
        "changed: q001, by ann"
    )
    (question,) = read_gold("gold.jsonl")
    assert question.review.changed == ("type",)


def test_a_line_of_json_carries_alternatives(home, capsys):
    spans = [{"doc": name, "quote": quote(home, name)} for name in ("alder.md", "birch.md")]
    row = {"text": "Fare?", "evidence": [{"nugget": "fare", "spans": spans}]}
    words = ["gold", "add", "gold.jsonl", "--corpus", "docs", "--json", json.dumps(row), "--by", "ann"]
    assert said(capsys, *words)[0] == 0
    assert len(read_gold("gold.jsonl")["q001"].evidence[0].spans) == 2


def test_questions_whose_quotes_have_no_offsets_are_counted_and_never_written_back_bare(home, capsys):
    row = {"id": "q007", "text": "Fare?", "evidence": [{"doc": "alder.md", "quote": quote(home)}]}
    (home / "gold.jsonl").write_text(json.dumps(row) + "\n")
    assert "1 of 1 question waits" in said(capsys, "gold", "review", "gold.jsonl")[1]
    code, _, err = said(capsys, "gold", "review", "gold.jsonl", "q007", "--accept", "--by", "ben")
    assert code == 2
    assert "give --corpus" in err
    assert add(capsys, home)[1].startswith("added q008")
    words = ["gold", "review", "gold.jsonl", "q007", "--accept", "--by", "ben", "--corpus", "docs"]
    assert said(capsys, *words)[0] == 0
    assert read_gold("gold.jsonl")["q007"].evidence[0].spans[0].quote == quote(home)


def test_a_twin_is_not_added_and_a_dry_run_writes_nothing(home, capsys):
    code, out, _ = add(capsys, home, "--dry-run")
    assert code == 0
    assert json.loads(out.splitlines()[-1])["id"] == "q001"
    assert not (home / "gold.jsonl").exists()
    add(capsys, home)
    before = (home / "gold.jsonl").read_bytes()
    code, _, err = add(capsys, home)
    assert code == 2
    assert "asks the same as q001" in err
    assert (home / "gold.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "err"),
    [
        (["add", "gold.jsonl", "--quote", "alder.md: x", "--text", "A?"], "document.md::its words"),
        (["add", "gold.jsonl", "--text", "A?", "--expect", "abstian"], "did you mean 'abstain'"),
        (["add", "gold.jsonl", "--json", "[1]"], "no object"),
        (["add", "gold.holdout.jsonl", "--text", "A?", "--expect", "abstain"], "holdout"),
        (["edit", "gold.jsonl", "q9", "--reason", "r", "--text", "B?"], "has no question"),
        (["edit", "gold.jsonl", "q001", "--reason", "r"], "stays as it was"),
        (["edit", "gold.jsonl", "q001", "--reason", "r", "--json", '{"review": {}}'], "is not edited"),
        (["review", "gold.jsonl", "q001"], "--accept or --reject"),
        (["review", "gold.jsonl", "q001", "--reject"], "without a reason"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(home, capsys, words, err):
    add(capsys, home)
    before = (home / "gold.jsonl").read_bytes()
    code, _, told = said(capsys, "gold", *words, *(["--corpus", "docs"] if words[0] == "add" else []))
    assert code == 2
    assert err in told
    assert (home / "gold.jsonl").read_bytes() == before
    assert not (home / "gold.holdout.jsonl").exists()
