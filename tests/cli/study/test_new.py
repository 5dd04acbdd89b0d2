"""A new study: commented, whole, and right as it stands."""

import json
import tomllib

import pytest

from evenhand.cli.main import main
from evenhand.formats.corpus.read import read_corpus
from evenhand.formats.gold.gold_set import read_gold
from evenhand.formats.study_file.read import read_study


@pytest.fixture
def made(tmp_path, capsys):
    assert main(["new", str(tmp_path / "fresh")]) == 0
    capsys.readouterr()
    return tmp_path / "fresh"


def test_the_study_reads_and_bears_the_name_of_its_folder(made):
    assert read_study(made / "study.toml").name == "fresh"


def test_every_quote_of_the_example_questions_stands_where_it_says(made):
    corpus = read_corpus(made / "docs")
    for question in read_gold(made / "gold.jsonl", corpus):
        for nugget in question.evidence:
            for quote in nugget.spans:
                assert corpus[quote.span.doc].text[quote.span.start : quote.span.end] == quote.quote


def test_what_is_commented_out_is_a_study_too(made):
    text = (made / "study.toml").read_text()
    lines = [
        line.removeprefix("# ")
        for line in text.splitlines()
        if line.startswith(("# [", "# retriever", "# embedder"))
    ]
    assert tomllib.loads("\n".join(lines[:3]))["system"]["dense"] == {
        "retriever": "dense",
        "embedder": "minilm",
    }


def test_a_name_that_toml_must_quote_is_quoted(tmp_path, capsys):
    name = 'a "b" ü'
    assert main(["new", str(tmp_path / name)]) == 0
    assert read_study(tmp_path / name / "study.toml").name == name


def test_a_folder_in_use_is_refused(made, capsys):
    assert main(["new", str(made)]) == 2
    assert "there already" in capsys.readouterr().err


def test_every_line_of_the_example_questions_is_json(made):
    rows = [json.loads(line) for line in (made / "gold.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["q001", "q002"]
