"""Runs and judgements out of other tools' rows of what was retrieved and expected."""

import json
from hashlib import sha256

import polars as pl
import pytest
from tests.front import evenhand

from evenhand.errors import InputError
from evenhand.formats.runs.trec import read_qrels, read_run

RAGAS = [
    {"user_input": "A?", "retrieved_context_ids": ["u1", 7], "reference_context_ids": ["u1", "u9"]},
    {"user_input": "B?", "retrieved_context_ids": [], "reference_context_ids": ["u2"]},
]
NAME = "q" + sha256(b"A?").hexdigest()[:12]


def put(tmp_path, thing, name="in.json"):
    (tmp_path / name).write_text(thing if isinstance(thing, str) else json.dumps(thing))
    return tmp_path / name


def ranking(run, question):
    at = run.questions.index(question)
    part = slice(int(run.offsets[at]), int(run.offsets[at + 1]))
    return [run.table[code] for code in run.unit[part].tolist()], run.score[part].tolist()


def test_ragas_ids_are_a_run_and_its_judgements_whatever_the_order_of_rows(tmp_path):
    file = put(tmp_path, RAGAS)
    run, qrels = read_run(file, form="ragas"), read_qrels(file, form="ragas")
    assert ranking(run, NAME) == (["u1", "7"], [2.0, 1.0])
    assert qrels.judged(NAME) == {"u1": 1.0, "u9": 1.0}
    assert read_run(put(tmp_path, RAGAS[::-1], "b"), form="ragas").questions[-1] == NAME
    table = "user_input,retrieved_context_ids\nA?,\"['u1', '7']\"\n"
    assert ranking(read_run(put(tmp_path, table, "c.csv"), form="ragas"), NAME)[0] == ["u1", "7"]


def test_llama_index_rows(tmp_path):
    rows = [{"query": "A?", "retrieved_ids": ["n1", "n2"], "expected_ids": ["n2"], "metric_dict": {}}]
    file = put(tmp_path, rows)
    assert ranking(read_run(file, form="llama-index"), NAME)[0] == ["n1", "n2"]
    assert read_qrels(file, form="llama-index").judged(NAME) == {"n2": 1.0}
    twice = put(tmp_path, [rows[0] | {"retrieved_ids": ["n1", "n1"]}], "b.json")
    with pytest.raises(InputError, match="n1"):
        read_run(twice, form="llama-index")
    assert read_run(twice, form="llama-index", lenient=True).notes["duplicates"] == 1


def test_haystack_documents_keep_their_scores_where_they_fall(tmp_path):
    inputs = {
        "questions": ["A?"],
        "retrieved_documents": [[{"id": "d1", "score": 0.9}, {"id": "d2", "score": 0.3}]],
        "ground_truth_documents": [[{"id": "d2", "content": "x"}]],
    }
    file = put(tmp_path, {"run_name": "x", "inputs": inputs, "results": {}})
    assert ranking(read_run(file, form="haystack"), NAME) == (["d1", "d2"], [0.9, 0.3])
    assert read_qrels(file, form="haystack").judged(NAME) == {"d2": 1.0}


def test_autorag_alternatives_are_one_nugget(tmp_path):
    row = {
        "qid": "q1",
        "query": "A?",
        "retrieval_gt": [["a"], ["b", "c"]],
        "retrieved_ids": ["c", "x"],
        "retrieve_scores": [3.5, 1.0],
    }
    pl.DataFrame([row]).write_parquet(tmp_path / "best.parquet")
    run = read_run(tmp_path / "best.parquet", form="autorag")
    assert ranking(run, "q1") == (["c", "x"], [3.5, 1.0])
    qrels = read_qrels(tmp_path / "best.parquet", form="autorag")
    assert len(qrels.vital) == 2
    from evenhand.metrics.measure.measure import measure

    # b and c are one fact: half of two facts is found, where a recall over units would say a third
    assert measure(qrels, run, "NuggetRecall@5").value[0, 0, 0] == 0.5
    assert measure(qrels, run, "R@5").value[0, 0, 0] == pytest.approx(1 / 3)


def test_what_is_missing_is_named_with_the_way_to_get_it(tmp_path):
    for tool, hint in (
        ("ragas", "retrieved_context_ids"),
        ("llama-index", "model_dump"),
        ("haystack", "inputs"),
    ):
        thing = {"inputs": {"questions": ["A?"]}} if tool == "haystack" else [{"query": "A?"}]
        with pytest.raises(InputError) as found:
            read_run(put(tmp_path, thing), form=tool)
        assert hint in found.value.mend
    with pytest.raises(InputError, match="names no question"):
        read_qrels(put(tmp_path, [{"expected_ids": []}]), form="llama-index")
    with pytest.raises(InputError, match="ragaz"):
        read_run(put(tmp_path, RAGAS), form="ragaz")


def test_eval_takes_such_files_as_they_are(tmp_path):
    put(tmp_path, "\n".join(json.dumps(row) for row in RAGAS), "s.jsonl")
    row = {"qid": "q1", "query": "A?", "retrieval_gt": [["a"], ["b", "c"]], "retrieved_ids": ["c"]}
    pl.DataFrame([row]).write_parquet(tmp_path / "best.parquet")
    for file, metric, value in (("s.jsonl", "R@5", 0.25), ("best.parquet", "NuggetRecall@5", 0.5)):
        done = evenhand("eval", file, file, "-m", metric, "--json", cwd=tmp_path)
        assert json.loads(done.stdout)["estimates"][0]["point"] == value, done.stderr


def test_convert_makes_both_files_and_eval_measures_them(tmp_path):
    put(tmp_path, RAGAS[:1])
    assert evenhand("convert", "in.json", "run.trec", "--from", "ragas", cwd=tmp_path).returncode == 0
    done = evenhand("convert", "--qrels", "in.json", "qrels.txt", "--from", "ragas", cwd=tmp_path)
    assert done.stdout.startswith("qrels.txt: 2 judgements of 1 question")
    done = evenhand("eval", "qrels.txt", "run.trec", "-m", "R@5", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["estimates"][0]["point"] == 0.5
