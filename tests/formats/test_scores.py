"""Scores of other tools: a name never changes its meaning, and what was not measured is not 0."""

import json

import pytest
from tests.front import evenhand

from evenhand.errors import InputError
from evenhand.formats.guests.score_names import NAMES, ours
from evenhand.formats.guests.scores import READS, read_scores
from evenhand.metrics.names import parse


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
    assert found.told() == ("1 rankings hold a unit twice, which its ap and ndcg count twice",)
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
