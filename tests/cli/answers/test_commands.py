"""``evenhand answers``: what the commands print, write, and refuse."""

import csv
import json

import pytest
from tests.study.answering import answered, by_rule, record

from evenhand.cli.main import main
from evenhand.formats.answers.jsonl import read_answers


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    file = answered(tmp_path_factory.mktemp("cli") / "s", more="closed_book = true\n")
    record(file, by_rule)
    assert main(["answers", "generate", str(file)]) == 0
    return file


def do(capsys, *words):
    code = main([str(word) for word in words])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_generate_says_who_is_asked_and_where_the_answers_are(study, capsys):
    code, out, _ = do(capsys, "answers", "generate", study)
    assert code == 0
    assert "20 questions, the first 3 passages of bm25, and once more without passages" in out
    assert "everything is there: nothing is asked" in out
    assert "20 of 20 topics gave items" in out
    assert "answers.jsonl" in out


def test_a_dry_run_prints_the_request_word_for_word(study, capsys):
    code, out, _ = do(capsys, "answers", "generate", study, "--dry-run")
    assert code == 0
    assert "--- system" in out
    assert "<<<question " in out
    assert '"additionalProperties": false' in out


def test_check_counts_and_explains(study, capsys):
    code, out, _ = do(capsys, "answers", "check", study)
    assert code == 0
    assert "numbers-grounded" in out
    assert "2 of 20 items fail a check" in out
    assert "abstention: expected abstained, found answered: " in out
    assert "abstention" in out
    code, out, _ = do(capsys, "answers", "check", study, "--item", "q00")
    assert "passes    numbers-grounded" in out
    assert "at passage" in out
    code, _, err = do(capsys, "answers", "check", study, "--item", "q99x")
    assert code == 2
    assert "no item or topic" in err


def test_check_reads_a_file_alone_and_one_check_alone(study, capsys):
    code, out, _ = do(
        capsys, "answers", "check", study.parent / "answers.jsonl", "--only", "numbers-grounded", "--json"
    )
    assert code == 0
    told = json.loads(out)
    assert {one["check"] for one in told["findings"]} == {"numbers-grounded"}
    assert [one["system"] for one in told["accounts"]] == ["writer", "writer (closed book)"]
    code, _, err = do(capsys, "answers", "check", study, "--only", "number-grounded")
    assert code == 2
    assert "numbers-grounded" in err


def test_diagnose_names_the_questions_of_a_cell(study, capsys):
    code, out, _ = do(capsys, "answers", "diagnose", study, "--cell", "retrieval")
    assert code == 0
    assert "all evidence was ranked, below what was given" in out
    assert "q05 Number 5:" in out
    told = json.loads(do(capsys, "answers", "diagnose", study, "--json")[1])
    assert {one["name"]: one["count"] for one in told["diagnosis"][0]["cells"]}["retrieval"] == 2
    code, _, err = do(capsys, "answers", "diagnose", study, "--cell", "retreival")
    assert (code, "retrieval" in err) == (2, True)


@pytest.mark.parametrize("tool", ["json", "csv", "jsonl", "ragas", "deepeval", "langfuse"])
def test_export_writes_every_form_and_ours_come_back(study, tmp_path, capsys, tool):
    out = tmp_path / "out"
    code, said, _ = do(capsys, "answers", "export", study, "--to", tool, "--out", out)
    assert code == 0
    assert "40 items" in said
    if tool == "json":
        told = json.loads(out.read_text())
        assert (len(told["generations"]), told["schema"]) == (40, "evenhand.answers/1")
    elif tool == "csv":
        rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
        assert rows[0]["check:numbers-grounded"] == "pass"
    elif tool != "ragas":
        back = tmp_path / "back.jsonl"
        code, _, _ = do(capsys, "answers", "import", out, "--from", tool, "--out", back)
        assert code == 0
        assert read_answers(back)[0] == read_answers(study.parent / "answers.jsonl")[0]


def test_import_counts_what_it_cannot_carry_and_overwrites_nothing(tmp_path, capsys):
    row = {
        "user_input": "Cost?",
        "response": "21",
        "retrieved_contexts": ["It costs 21."],
        "persona_name": "x",
    }
    (tmp_path / "in.jsonl").write_text(json.dumps(row) + "\n")
    out = tmp_path / "answers.jsonl"
    code, said, _ = do(capsys, "answers", "import", tmp_path / "in.jsonl", "--from", "ragas", "--out", out)
    assert code == 0
    assert "not carried over: 1 column called 'persona_name'" in said
    code, _, err = do(capsys, "answers", "import", tmp_path / "in.jsonl", "--from", "ragas", "--out", out)
    assert (code, "--force" in err) == (2, True)
    code, out_, _ = do(capsys, "answers", "check", out)
    assert "ragas (1 made)" in out_


def test_what_has_no_answers_is_told(tmp_path, capsys):
    from tests.miniature import make

    file = make(tmp_path / "s")
    for words in (("generate",), ("check",), ("diagnose",)):
        code, _, err = do(capsys, "answers", *words, file)
        assert code == 2
        assert "the study has no [answers]" in err
    code, _, err = do(capsys, "answers", "export", file, "--to", "xml", "--out", tmp_path / "x")
    assert code == 2
    code, _, err = do(capsys, "answers", "check", file.parent / "gold.jsonl", "--ask-panel")
    assert (code, "has no panel" in err) == (2, True)
