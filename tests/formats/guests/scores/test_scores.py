"""Scores of other tools: a name never changes its meaning, and what was not measured is not 0."""

import json

import pytest
from tests.front import evenhand

from evenhand.errors import InputError
from evenhand.formats.guests.scores.names import NAMES, ours
from evenhand.formats.guests.scores.read import READS, read_scores
from evenhand.metrics.catalogue.names import parse


def put(tmp_path, thing, name="in.json"):
    (tmp_path / name).write_text(thing if isinstance(thing, str) else json.dumps(thing))
    return tmp_path / name


def test_names_that_are_taken_over_are_metrics_of_ours():
    for tool in NAMES.values():
        for name, _ in tool.values():
            assert parse(name if name not in ("Success", "RR") else f"{name}@10")
    assert ours("ragas", "context_precision")[0] == "RagasContextPrecision"
    assert ours("deepeval", "Contextual Precision")[0] == "RagasContextPrecision"
    assert ours("haystack", "document_recall_evaluator")[0] == "Success"
    assert ours("trec_eval", "ndcg_cut_10")[0] == "nDCG@10"
    assert ours("llama-index", "ndcg")[0] == "llama-index:ndcg"  # its own formula
    assert ours("ragas", "faithfulness")[0] == "ragas:faithfulness"


def test_ragas_columns_of_numbers_are_scores_and_nan_was_not_measured(tmp_path):
    text = (
        '{"user_input": "A?", "response": "7", "context_precision": 1.0, "faithfulness": NaN}\n'
        '{"user_input": "B?", "response": "x", "context_precision": 0.5, "faithfulness": 0.0}\n'
    )
    found = read_scores(put(tmp_path, text), "ragas")
    assert list(found.values) == ["RagasContextPrecision", "ragas:faithfulness"]
    assert sorted(found.values["ragas:faithfulness"].values(), key=str) == [0.0, None]
    table = "user_input,context_precision,faithfulness\nA?,1.0,\nB?,0.5,0.0\n"
    again = read_scores(put(tmp_path, table, "t.csv"), "ragas")
    assert again.values == found.values


def test_haystack_recall_is_success_unless_its_values_say_otherwise(tmp_path):
    made = {
        "run_name": "bm25",
        "inputs": {"questions": ["A?", "B?"]},
        "results": {
            "document_recall": {"score": 0.5, "individual_scores": [1.0, 0.0]},
            "doc_recall": {"score": 0.5, "individual_scores": [0.5, 0.5]},
            "faithfulness": {"score": 1, "individual_scores": [1, 1]},
        },
    }
    found = read_scores(put(tmp_path, made), "haystack")
    assert list(found.values) == ["Success", "R", "haystack:faithfulness"]
    assert found.system == "bm25"
    assert "multi_hit" in found.called["Success"][1]


def test_llama_index_deepeval_and_trec_eval(tmp_path):
    rows = [
        {
            "query": "A?",
            "retrieved_ids": ["a", "a"],
            "metric_dict": {"mrr": {"score": 1.0}, "ap": {"score": 2.0}},
        }
    ]
    found = read_scores(put(tmp_path, rows), "llama-index")
    assert list(found.values) == ["RR", "llama-index:ap"]
    assert found.told() == ("1 ranking holds a unit twice, which its ap and ndcg count twice",)
    run = {"testCases": [{"input": "A?", "metricsData": [{"name": "Contextual Precision", "score": 0.7}]}]}
    assert list(read_scores(put(tmp_path, run), "deepeval").values) == ["RagasContextPrecision"]
    text = "map \tq1\t0.5\nmap\tq2\t1.0\nrunid\tall\tx\nmap\tall\t0.75\n"
    assert read_scores(put(tmp_path, text), "trec_eval").values == {"AP": {"q1": 0.5, "q2": 1.0}}


@pytest.mark.parametrize("tool", READS)
@pytest.mark.parametrize("text", ["", "[1]", '{"x": 1}', "map\tall\t0.5\n", '{"scores": {"test": []}}'])
def test_what_holds_no_score_of_a_question_is_refused(tmp_path, tool, text):
    with pytest.raises(InputError):
        read_scores(put(tmp_path, text), tool)


def test_two_systems_are_compared_in_pairs(tmp_path):
    for name, values in (("old", (0.2, 0.4, 0.6, 0.5)), ("new", (0.5, 0.9, 0.6, None))):
        rows = [
            {"user_input": f"{i}?", "context_precision": v, "faithfulness": 1} for i, v in enumerate(values)
        ]
        put(tmp_path, rows, f"{name}.json")
    done = evenhand("scores", "old.json", "new.json", "--from", "ragas", "--json", cwd=tmp_path)
    made = json.loads(done.stdout)
    [pair] = [one for one in made["contrasts"] if not one["exploratory"]]
    assert (pair["metric"], pair["n"]) == ("RagasContextPrecision", 3)
    assert pair["difference"] == pytest.approx(-0.8 / 3)
    assert any("called 'context_precision' there; not average precision" in one for one in made["names"])
    told = evenhand("scores", "old.json", "new.json", "--from", "ragas", cwd=tmp_path).stdout
    assert "ragas:faithfulness" in told
    again = evenhand("scores", "old.json", "old.json", "--from", "ragas", cwd=tmp_path)
    assert (again.returncode, "given twice" in again.stderr) == (2, True)


def mteb(task, **scores):
    """A result file with the keys of a real one (MTEB 1.12 to 2.26), our own numbers."""
    row = {
        "hf_subset": "default",
        "languages": ["eng-Latn"],
        "main_score": scores["ndcg_at_10"],
        "ndcg_at_1": 0.1,
    }
    row |= {"nauc_ndcg_at_10_max": 0.3, **scores}
    return {
        "dataset_revision": "abc",
        "evaluation_time": 1.5,
        "kg_co2_emissions": None,
        "mteb_version": "2.26.0",
        "scores": {"test": [row]},
        "task_name": task,
    }


def test_mteb_results_are_means_of_tasks_and_say_so(tmp_path):
    for model, plus in (("one", 0.0), ("two", 0.1)):
        (tmp_path / model).mkdir()
        for i, task in enumerate(("A", "B", "C")):
            put(tmp_path / model, mteb(task, ndcg_at_10=0.5 + i / 10 + plus, map_at_10=0.4), f"{task}.json")
        put(tmp_path / model, {"name": model}, "model_meta.json")
    found = read_scores(tmp_path / "one", "mteb")
    assert found.values["nDCG@10"] == {f"{t}/test/default": 0.5 + i / 10 for i, t in enumerate("ABC")}
    assert list(found.values) == ["nDCG@10", "AP@10"]
    done = evenhand("scores", "one", "two", "--from", "mteb", cwd=tmp_path)
    assert "not questions" in done.stdout
    assert "nDCG@10: called 'ndcg_at_10' there" in done.stdout


FOREIGN = {
    "ragas": [{"user_input": f"q{i}", "faithfulness": v} for i, v in enumerate((1.0, 0.5, 0.0))],
    "deepeval": {
        "testCases": [
            {"input": f"q{i}", "metricsData": [{"name": "Answer Relevancy", "score": v}]}
            for i, v in enumerate((1.0, 0.5, 0.0))
        ]
    },
    "haystack": {
        "inputs": {"questions": ["a", "b", "c"]},
        "results": {"faithfulness": {"individual_scores": [1.0, 0.5, 0.0]}},
    },
    "llama-index": [
        {"query": f"q{i}", "metric_dict": {"ap": {"score": v}}} for i, v in enumerate((1.0, 0.5, 0.0))
    ],
    "trec_eval": "my_own q1 1.0\nmy_own q2 0.5\nmy_own q3 0.0\n",
}


@pytest.mark.parametrize("tool", FOREIGN)
def test_r07_a_foreign_score_that_comes_first_is_a_name_like_any_other(tmp_path, tool):
    put(tmp_path, FOREIGN[tool])
    done = evenhand("scores", "in.json", "--from", tool, "--json", cwd=tmp_path)
    made = json.loads(done.stdout)
    (one,) = made["estimates"]
    name = made["primary"]
    assert name.startswith(f"{tool}:")
    assert (one["point"], one["n"]) == (0.5, 3)
    assert one["low"] < 0.5 < one["high"]
    for given in (name, name.partition(":")[2]):
        again = evenhand("scores", "in.json", "--from", tool, "-m", given, "--json", cwd=tmp_path)
        assert json.loads(again.stdout) == made
    assert name in evenhand("scores", "in.json", "--from", tool, cwd=tmp_path).stdout
    wrong = evenhand("scores", "in.json", "--from", tool, "-m", name[:-1], cwd=tmp_path)
    assert (wrong.returncode, f"did you mean {name!r}" in wrong.stderr) == (2, True)


def test_r08_a_number_with_a_comma_is_named_with_its_row_and_column(tmp_path):
    for text in ('id,good,bad\na,0.5,"0,75"\nb,0.25,0.5\n', 'id,bad\na,"0,75"\n', "id;bad\na;0,75\nb;0,5\n"):
        done = evenhand("scores", put(tmp_path, text, "s.csv"), cwd=tmp_path)
        assert done.returncode == 2
        assert "row a, column bad: '0,75' is no number (a decimal comma? write a point)" in done.stderr


@pytest.mark.parametrize("cell", ["75%", '"1,234.5"', "oops", "inf"])
def test_a_cell_that_is_no_number_among_numbers_is_named(tmp_path, cell):
    done = evenhand("scores", put(tmp_path, f"id,x\na,0.5\nb,0.5\nc,{cell}\n", "s.csv"), cwd=tmp_path)
    assert done.returncode == 2
    assert "s.csv:4: row c, column x:" in done.stderr


def test_what_was_not_measured_is_counted_and_a_column_of_text_is_said(tmp_path):
    text = "id\tx\tok\tverdict\na\t0.5\tTrue\tgood\nb\tN/A\tFalse\tbad\nc\t\tTrue\t5\n"
    done = evenhand("scores", put(tmp_path, text, "s.tsv"), "--json", cwd=tmp_path)
    made = json.loads(done.stdout)
    assert {one["metric"]: (one["point"], one["n"]) for one in made["estimates"]} == {
        "table:x": (0.5, 1),
        "table:ok": (pytest.approx(2 / 3), 3),
    }
    assert made["not_carried"] == {"s": ["2 values were not measured (empty, NaN, None or N/A)"]}
    (said,) = [one for one in made["warnings"] if "verdict" in one]
    assert said == (
        "s.tsv:2: row a, column verdict: 'good' is no number; the column is not read: 1 of 3 cells are numbers"
    )
    assert said in done.stderr
    assert "column verdict" in evenhand("scores", "s.tsv", cwd=tmp_path).stdout.replace("\n", " ")


@pytest.mark.parametrize("name", ["s.json", "s.jsonl", "s.csv", "s.tsv", "s.parquet"])
def test_any_table_with_an_id_and_numbers_is_read(tmp_path, name):
    import polars as pl

    rows = [{"sample_id": "a", "x": 0.5, "y": 1}, {"sample_id": "b", "x": 0.25, "y": 0}]
    frame = pl.DataFrame(rows)
    write = {
        "s.json": lambda path: path.write_text(json.dumps(rows)),
        "s.jsonl": frame.write_ndjson,
        "s.csv": frame.write_csv,
        "s.tsv": lambda path: frame.write_csv(path, separator="\t"),
        "s.parquet": frame.write_parquet,
    }
    write[name](tmp_path / name)
    found = read_scores(tmp_path / name)
    assert found.values == {"table:x": {"a": 0.5, "b": 0.25}, "table:y": {"a": 1.0, "b": 0.0}}
    assert "read as scores: x, y; question: sample_id" in found.notes[0]


def test_the_column_that_names_the_question_can_be_named(tmp_path):
    put(tmp_path, "who,x\na,0.5\nb,1\n", "s.csv")
    done = evenhand("scores", "s.csv", cwd=tmp_path)
    assert (done.returncode, "--id 'who'" in done.stderr) == (2, True)
    assert evenhand("scores", "s.csv", "--id", "who", cwd=tmp_path).returncode == 0
    wrong = evenhand("scores", "s.csv", "--id", "wo", cwd=tmp_path)
    assert "did you mean 'who'" in wrong.stderr


def test_a_row_a_score_is_not_read_as_a_row_a_question(tmp_path):
    with pytest.raises(InputError, match="a row a score"):
        read_scores(put(tmp_path, "id,traceId,name,value\n1,t,x,0.5\n2,t,y,0.1\n", "s.csv"))
