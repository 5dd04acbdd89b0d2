"""Bad input: two lines that say what and how to mend it, exit 2, nothing half-written."""

import json
import socket

import pytest
from tests.e2e.test_run import evenhand
from tests.miniature import STUDY, make

from evenhand.cli.main import main


def change(old, new):
    def work(study):
        text = study.read_text()
        assert old in text
        study.write_text(text.replace(old, new))

    return work


def add(more):
    return lambda study: study.write_text(study.read_text() + more)


def no_docs(study):
    for file in (study.parent / "docs").iterdir():
        file.unlink()


def blank_docs(study):
    for file in (study.parent / "docs").iterdir():
        file.write_text(" \n")


def no_questions(study):
    (study.parent / "gold.jsonl").write_text("\n")


def none_to_answer(study):
    row = {"id": "q1", "text": "What is it?", "expect": "abstain"}
    (study.parent / "gold.jsonl").write_text(json.dumps(row) + "\n")


def without_evidence(study):
    gold = study.parent / "gold.jsonl"
    rows = [json.loads(line) for line in gold.read_text().splitlines()]
    rows[3]["evidence"] = []
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows))


def broken_line(study):
    gold = study.parent / "gold.jsonl"
    gold.write_text(gold.read_text() + '{"id": "q99", "text": \n')


def wrong_quote(study):
    gold = study.parent / "gold.jsonl"
    rows = [json.loads(line) for line in gold.read_text().splitlines()]
    rows[0]["evidence"][0]["spans"][0]["quote"] = (
        "These words stand in no document at all, not even nearly so."
    )
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows))


def guest(name, body):
    def work(study):
        (study.parent / f"{name}.py").write_text(body)
        add(f'[system.ours]\nretriever = "python:{name}:search"\n')(study)

    return work


def dead_endpoint(study):
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    add(f'[system.ours]\nretriever = "http://127.0.0.1:{port}/search"\nretries = 0\ntimeout = 2.0\n')(study)


def results_in_the_way(study):
    (study.parent / "results").write_text("a file where the folder should be")


BAD = {
    "a missing corpus": (change('path = "docs"', 'path = "dcos"'), "dcos"),
    "a missing gold set": (change('path = "gold.jsonl"', 'path = "god.jsonl"'), "god.jsonl"),
    "an unknown key": (change("depth = 20", "dept = 20"), "dept: unknown key"),
    "a wrong type": (change("depth = 20", 'depth = "20"'), "expected a whole number"),
    "an unknown section": (add("[mesure]\nx = 1\n"), "unknown section"),
    "a gate of no known rule": (add("[gate]\nrule = 'x'\n"), "[gate]"),
    "an empty corpus": (no_docs, "docs"),
    "a corpus of blanks": (blank_docs, "docs"),
    "no questions": (no_questions, "gold.jsonl"),
    "no question to answer": (none_to_answer, "none of the 1 question"),
    "a question without evidence": (without_evidence, "gold.jsonl:4"),
    "a broken line": (broken_line, "gold.jsonl:21"),
    "a quote that is nowhere": (wrong_quote, "gold.jsonl:1"),
    "an unknown system in fuse": (change('"bm25", "tfidf"', '"bm25", "tfdif"'), "no system 'tfdif'"),
    "a cycle": (change('fuse = ["bm25", "tfidf"]', 'fuse = ["bm25", "current"]'), "made from itself"),
    "k of nothing": (change('fuse = ["bm25", "tfidf"]', 'fuse = ["bm25", "tfidf"]\nk = 0'), "found 0"),
    "a metric at nothing": (change("nDCG@10", "nDCG@0"), "cutoff 0"),
    "an unknown retriever": (change('retriever = "bm25"', 'retriever = "bm52"'), "bm52"),
    "a setting a retriever has not": (change('retriever = "bm25"', 'retriever = "bm25"\nk2 = 1'), "k2"),
    "a setting out of range": (change('retriever = "bm25"', 'retriever = "bm25"\nb = 1.5'), "b = 1.5"),
    "an unknown embedder": (add('[system.d]\nretriever = "dense"\nembedder = "maxilm"\n'), "maxilm"),
    "a guest that is not there": (add('[system.o]\nretriever = "python:nobody:search"\n'), "nobody"),
    "scores that are no numbers": (
        guest(
            "nan_scores",
            "def search(question, k):\n    return [{'doc': 'alder.md', 'start': 0, 'end': 9, 'score': float('nan')}]\n",
        ),
        "nan",
    ),
    "a guest that fails": (
        guest("failing", "def search(question, k):\n    return 1 / 0\n"),
        "ZeroDivisionError",
    ),
    "an endpoint that is not reached": (dead_endpoint, "127.0.0.1"),
    "an unknown pair": (change("[compare]", '[compare]\npairs = [["bm25", "bm26"]]'), "bm26"),
    "an unknown slice": (change("depth = 20", 'depth = 20\nslices = ["colour"]'), "colour"),
    "a file where results go": (results_in_the_way, "results"),
}


@pytest.mark.parametrize(("spoil", "said"), BAD.values(), ids=BAD)
def test_bad_input_is_two_lines_exit_2_and_nothing_half_written(tmp_path, capsys, spoil, said):
    study = make(tmp_path / "s", study=STUDY)
    spoil(study)
    code = main(["run", str(study), "--quiet"])
    printed = capsys.readouterr()
    two_lines(code, printed.out, printed.err, said)
    assert not (study.parent / "results").is_dir()


def two_lines(code, out, err, said):
    lines = err.splitlines()
    assert code == 2, err
    assert len(lines) == 2, err
    assert lines[0].startswith("evenhand: ")
    assert lines[1].startswith("  mend: ")
    assert len(lines[1]) > len("  mend: ")
    assert said in lines[0], lines[0]
    assert out == ""


@pytest.mark.parametrize("name", ["an unknown key", "a guest that fails"])
def test_bad_input_is_the_same_for_a_program_of_its_own(tmp_path, name):
    study = make(tmp_path / "s", study=STUDY)
    spoil, said = BAD[name]
    spoil(study)
    done = evenhand("run", study, "--quiet")
    two_lines(done.returncode, done.stdout, done.stderr, said)


def test_all_problems_of_a_study_are_told_at_once(tmp_path, capsys):
    study = make(tmp_path / "s", study=STUDY.replace('retriever = "bm25"', 'retriever = "bm25"\nk2 = 1'))
    change('retriever = "tfidf"', 'retriever = "tdidf"')(study)
    assert main(["run", str(study)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 4


def test_a_study_that_is_not_there_is_two_lines_and_exit_2(tmp_path):
    done = evenhand("run", tmp_path / "no.toml")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 2)


def test_an_unknown_command_names_the_nearest():
    done = evenhand("rnu", "study.toml")
    assert done.returncode == 2
    assert done.stderr.splitlines()[0] == "evenhand: no command 'rnu'"
    assert "did you mean 'run'" in done.stderr.splitlines()[1]


def test_new_refuses_a_folder_that_holds_something(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("mine")
    done = evenhand("new", tmp_path / "there")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 2)
    assert (tmp_path / "there" / "file").read_text() == "mine"


def test_escape_sequences_in_a_study_file_do_not_reach_the_terminal(tmp_path):
    study = make(tmp_path / "s", study=STUDY.replace('retriever = "bm25"', 'retriever = "\\u001b[31mred"'))
    done = evenhand("run", study)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
