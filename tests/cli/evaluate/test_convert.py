"""`evenhand convert`: from one tool's form to another's, and what is lost on the way."""

import json

from evenhand.cli.main import main


def test_a_run_becomes_json_and_comes_back(tmp_path, capsys):
    (tmp_path / "r.trec").write_text("q Q0 a 1 2.5 mine\nq Q0 b 2 1 mine\n")
    assert main(["convert", str(tmp_path / "r.trec"), str(tmp_path / "r.json.gz")]) == 0
    said = capsys.readouterr()
    assert "2 ranked units of 1 question, as json" in said.out
    assert said.err == "not carried: the tag 'mine'\n"
    assert main(["convert", str(tmp_path / "r.json.gz"), str(tmp_path / "back.trec"), "--tag", "mine"]) == 0
    assert (tmp_path / "back.trec").read_text() == "q Q0 a 1 2.5 mine\nq Q0 b 2 1.0 mine\n"


def test_judgements_become_what_beir_reads(tmp_path, capsys):
    (tmp_path / "q.json").write_text(json.dumps({"q": {"a": 1, "b": 0}}))
    assert main(["convert", "--qrels", str(tmp_path / "q.json"), str(tmp_path / "test.tsv")]) == 0
    assert (tmp_path / "test.tsv").read_text() == "query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t0\n"
    assert "2 judgements of 1 question, as beir" in capsys.readouterr().out


def test_what_was_dropped_on_reading_is_said(tmp_path, capsys):
    (tmp_path / "r").write_text("q Q0 a 1 2.5 x\nq Q0 a 2 1 x\nbroken\n")
    assert main(["convert", str(tmp_path / "r"), str(tmp_path / "o.csv"), "--lenient"]) == 0
    said = capsys.readouterr().err
    assert "not carried: repeated rows: 1" in said
    assert "not carried: broken lines: 1" in said


def test_a_part_of_an_mteb_file(tmp_path):
    (tmp_path / "p").write_text(json.dumps({"en": {"test": {"q": {"a": 1.0}}, "dev": {"q": {"b": 1.0}}}}))
    args = [
        "convert",
        str(tmp_path / "p"),
        str(tmp_path / "o"),
        "--from",
        "mteb",
        "--to",
        "json",
        "--part",
        "en/dev",
    ]
    assert main(args) == 0
    assert json.loads((tmp_path / "o").read_text()) == {"q": {"b": 1.0}}


def test_nothing_is_written_where_the_input_is_wrong(tmp_path, capsys):
    (tmp_path / "r").write_text("q Q0 a\n")
    assert main(["convert", str(tmp_path / "r"), str(tmp_path / "o.json")]) == 2
    assert not (tmp_path / "o.json").exists()
    assert main(["convert", str(tmp_path / "r"), str(tmp_path / "o")]) == 2
    assert "cannot be told from its name" in capsys.readouterr().err
