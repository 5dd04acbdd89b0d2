"""Each export prints the numbers that its file holds: of every form of gold sets, labels, answers, rankings."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from tests.formats.guests.answers.test_answered import MADE, RATINGS, REFUSED
from tests.formats.labels.test_judgements import ITEMS, LABELS, label, shown
from tests.front import evenhand

from evenhand.answer.checks.run_checks import check_all
from evenhand.formats.answers.jsonl import write_answers
from evenhand.formats.gold.export import FORMS as GOLD_FORMS
from evenhand.formats.guests.answers.registry import WRITES, export_answers
from evenhand.formats.guests.labels.registry import TOOLS, export_labels, import_labels
from evenhand.formats.runs.trec import read_qrels
from evenhand.formats.runs.write import FORMS, size_of, write_qrels, write_run
from evenhand.model.run import Qrels, Run

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
ONE = replace(MADE, items=MADE.items[:1])


def rows_of(path):
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))


def lines_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def in_yaml(path, key):
    return len(re.findall(rf"^(?:- )?\s*(?:- )?{key}: ", path.read_text("utf-8"), re.MULTILINE))


# how many questions a file of each form holds
QUESTIONS = {
    "chroma": lambda path: len(rows_of(path)),
    "squad": lambda path: sum(
        len(p["qas"]) for one in json.loads(path.read_text("utf-8"))["data"] for p in one["paragraphs"]
    ),
    "beir": lambda path: len(lines_of(path / "queries.jsonl")),
    "ragas": lambda path: len(lines_of(path)),
    "deepeval": lambda path: len(json.loads(path.read_text("utf-8"))),
    "langfuse": lambda path: len(lines_of(path)),
    "langsmith": lambda path: len(lines_of(path)),
    "autorag": lambda path: pl.read_parquet(path / "qa.parquet").height,
    "context-grid": lambda path: sum("_evalset" not in row for row in lines_of(path)),
    "chunklab": lambda path: in_yaml(path, "query"),
    "promptfoo": lambda path: in_yaml(path, "description"),
    "llama-index": lambda path: len(json.loads(path.read_text("utf-8"))["queries"]),
    "legalbench-rag": lambda path: len(json.loads(path.read_text("utf-8"))["tests"]),
    "ragproof": lambda path: len(lines_of(path)),
    "hydrag": lambda path: in_yaml(path, "query"),
    "csv": lambda path: len({row["id"] for row in rows_of(path)}),
    "parquet": lambda path: pl.read_parquet(path)["id"].n_unique(),
}


def gold_set(folder, *, abstaining):
    """The questions of the handbook: 123 that have an answer, and 50 that have none."""
    path = folder / "gold.jsonl"
    lines = (HANDBOOK / "gold.jsonl").read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(x for x in lines if abstaining or json.loads(x)["evidence"]), "utf-8")
    return path


@pytest.mark.parametrize("abstaining", [False, True])
@pytest.mark.parametrize("form", GOLD_FORMS)
def test_r29_the_number_of_questions_in_the_file_is_the_number_that_is_printed(tmp_path, form, abstaining):
    path = gold_set(tmp_path, abstaining=abstaining)
    out = tmp_path / "out"
    words = ["gold", "export", path, "--format", form, "--corpus", HANDBOOK / "docs", "--out", out]
    done = evenhand(*words)
    assert done.returncode == 0, done.stderr
    printed = re.search(r"^(\d+)(?: of (\d+))? questions? → ", done.stdout, re.MULTILINE)
    assert int(printed[1]) == QUESTIONS[form](out)
    assert int(printed[2] or printed[1]) == (173 if abstaining else 123)
    if form in ("squad", "chroma") and not abstaining:
        assert int(printed[1]) < 123
        assert "left out" in done.stdout


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool != "qrels"])
def test_the_number_of_labels_written_is_the_number_that_is_counted(tmp_path, tool):
    stray = label(shown(9, "of no item here"))
    made = export_labels(tmp_path / "out", tool, ITEMS, [*LABELS, stray])
    back = import_labels(tmp_path / "out", tool, ITEMS)
    assert made.written["labels"] == len(back.labels)
    assert made.written["items"] == (0 if tool == "jsonl" else len(ITEMS))
    assert any("items that are not written" in one for one in made.lost) == (tool != "jsonl")


ANSWERS = {  # topics, items, findings of an export, as its file holds them
    "jsonl": lambda text: (
        len(text.splitlines()),
        sum(len(json.loads(x).get("items", ())) for x in text.splitlines()),
        0,
    ),
    "ragas": lambda text: (
        len(text.splitlines()),
        text.count('"response": '),
        text.count('"check/'),
    ),
    "deepeval": lambda text: (len(text.splitlines()), len(text.splitlines()) - 1, text.count('"check/')),
    "openevals": lambda text: (len(text.splitlines()), text.count('"outputs": {'), text.count('"check/')),
    "langfuse": lambda text: (
        text.count('"output": '),
        text.count('"output": "'),
        text.count('"by": "check"'),
    ),
    "openinference": lambda text: (
        text.count('"span_kind": "CHAIN"'),
        text.count('"output.value"'),
        text.count('"name": "check/'),
    ),
    "ragchecker": lambda text: (*[len(json.loads(text)["results"])] * 2, 0),
    "open-rag-eval": lambda text: (
        len({row["query_id"] for row in csv.DictReader(io.StringIO(text))}),
        len({row["query_id"] for row in csv.DictReader(io.StringIO(text)) if row["generated_answer"]}),
        0,
    ),
    "haystack": lambda text: (
        *[len(json.loads(text)["inputs"]["questions"])] * 2,
        sum(len(one["individual_scores"]) for one in json.loads(text)["results"].values()),
    ),
}


@pytest.mark.parametrize("tool", WRITES)
def test_the_numbers_of_answers_written_are_those_that_are_counted(tmp_path, tool):
    made = export_answers(tmp_path / "out", tool, [ONE, REFUSED], check_all([ONE]), RATINGS)
    held = ANSWERS[tool]((tmp_path / "out").read_text("utf-8"))
    assert tuple(made.written[kind] for kind in ("topics", "items", "findings")) == held
    assert made.written["ratings"] in (0, len(RATINGS))


def test_answers_export_prints_what_it_wrote_and_what_it_left_out(tmp_path):
    write_answers(tmp_path / "a.jsonl", [REFUSED])
    done = evenhand(
        "answers", "export", tmp_path / "a.jsonl", "--to", "ragchecker", "--out", tmp_path / "out"
    )
    assert done.stdout.splitlines()[0] == "0 topics, 0 items, 0 findings, 0 ratings"
    assert "are left out" in done.stdout


EMPTY = Run.of("r", {"q1": [("a", 2.0), ("b", 1.0)], "q2": [], "q3": [("a", 1.0)]})
JUDGED = Qrels.of({"q1": {"a": 1.0, "b": 0.0}, "q2": {}, "q3": {"a": 2.0}})


@pytest.mark.parametrize("form", FORMS)
def test_the_numbers_that_convert_prints_are_those_of_its_file(tmp_path, form):
    write_run(tmp_path / "r", EMPTY, form=form)
    questions = 3 if form in ("json", "mteb") else 2  # the others have no place for an empty ranking
    assert size_of(EMPTY, form) == (3, questions)
    text = (tmp_path / "r").read_bytes()
    if form in ("json", "mteb"):
        held = json.loads(text)
        assert len(held if form == "json" else held["default"]["test"]) == questions
    elif form != "parquet":
        assert len(text.splitlines()) - (form in ("csv", "beir")) == 3
    if form != "mteb":
        write_qrels(tmp_path / "q.json", JUDGED, form="json")
        done = evenhand("convert", tmp_path / "q.json", tmp_path / "q", "--qrels", "--to", form)
        assert (
            f": 3 judgements of {len(read_qrels(tmp_path / 'q').questions)} questions, as {form}"
            in done.stdout
        )


def test_a_unit_of_two_nuggets_is_two_rows_of_trec_text(tmp_path):
    subtopics = tmp_path / "s.qrels"
    subtopics.write_text("q1 1 a 1\nq1 2 a 1\nq1 1 b 1\n")
    done = evenhand("convert", subtopics, tmp_path / "out.qrels", "--qrels")
    assert len((tmp_path / "out.qrels").read_text().splitlines()) == 3
    assert ": 3 judgements of 1 question" in done.stdout
    done = evenhand("convert", subtopics, tmp_path / "out.json", "--qrels")
    assert ": 2 judgements of 1 question" in done.stdout
