"""Runs and judgements: ranx and ir_measures read what we write, and we read what ranx writes, by every ending."""

import json
from pathlib import Path

import pytest
from haystack import Document
from haystack.components.evaluators import (
    DocumentMAPEvaluator,
    DocumentMRREvaluator,
    DocumentNDCGEvaluator,
    DocumentRecallEvaluator,
)
from haystack.evaluation import EvaluationRunResult

from evenhand.errors import InputError
from evenhand.formats.guests.scores.read import read_scores
from evenhand.formats.runs.trec import read_qrels, read_run
from evenhand.formats.runs.write import write_qrels, write_run
from evenhand.metrics.measure.measure import measure
from evenhand.model.run import Qrels, Run

pytestmark = pytest.mark.filterwarnings("ignore")

QRELS = Qrels.of({"q1": {"a": 2.0, "b": 1.0, "c": 0.0}, "q2": {"d": 1.0}})
RUN = Run.of("bm25", {"q1": [("b", 3.5), ("x", 2.0), ("a", 1.25)], "q2": [("x", 9.0), ("d", 0.5)]})
HITS = {q: {hit.unit: hit.score for hit in hits} for q, hits in RUN}
GRADES = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1}}


@pytest.fixture(autouse=True)
def there(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def columns(name):
    """ranx 0.3 wants texts as objects, and pandas 3 reads them as strings: its own Parquet it cannot read either."""
    import pandas as pd

    frame = pd.read_parquet(name)
    return frame.astype({"q_id": object, "doc_id": object})


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("r.json", "json"),
        ("r.trec", "trec"),
        ("r.txt", "trec"),
        ("r.trec.gz", "trec"),
        ("r.parquet", "parquet"),
        ("r.parq", "parquet"),
    ],
)
def test_ranx_and_we_read_each_others_runs(name, form):
    import ranx

    assert write_run(name, RUN, form=form) == []
    theirs = ranx.Run.from_df(columns(name)) if form == "parquet" else ranx.Run.from_file(name)
    assert theirs.to_dict() == HITS
    if not name.endswith(".gz"):  # ranx reads gzip and does not write it
        theirs.save(f"again-{name}")
        ours = read_run(f"again-{name}")
        assert {q: {hit.unit: hit.score for hit in hits} for q, hits in ours} == HITS


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("q.json", "json"),
        ("q.trec", "trec"),
        ("q.txt", "trec"),
        ("q.trec.gz", "trec"),
        ("q.parquet", "parquet"),
    ],
)
def test_ranx_and_we_read_each_others_judgements(name, form):
    import ranx

    assert write_qrels(name, QRELS, form=form) == []
    theirs = ranx.Qrels.from_df(columns(name)) if form == "parquet" else ranx.Qrels.from_file(name)
    assert theirs.to_dict() == GRADES
    if not name.endswith(".gz"):
        theirs.save(f"again-{name}")
        assert read_qrels(f"again-{name}").seal == QRELS.seal


def test_what_ranx_packs_with_lz4_is_refused_with_the_way_out():
    import ranx

    ranx.Run(HITS).save("r.lz4")
    with pytest.raises(InputError, match="CBOR") as found:
        read_run("r.lz4")
    assert "save" in found.value.mend
    write_run("ours.json.lz4", RUN, form="json")
    assert read_run("ours.json.lz4").questions == RUN.questions


def test_ir_measures_reads_both_packed_or_not_and_frames_of_pandas_go_in():
    import ir_measures
    import pandas as pd

    import evenhand as eh

    for ending in ("", ".gz"):
        write_run(f"r{ending}", RUN)
        write_qrels(f"q{ending}", QRELS)
        run, qrels = (
            list(ir_measures.read_trec_run(f"r{ending}")),
            list(ir_measures.read_trec_qrels(f"q{ending}")),
        )
        assert {(d.query_id, d.doc_id): d.score for d in run} == {
            (q, u): s for q, hits in HITS.items() for u, s in hits.items()
        }
        assert {(d.query_id, d.doc_id): d.relevance for d in qrels} == {
            (q, u): s for q, of in GRADES.items() for u, s in of.items()
        }
    for name in ("nDCG@10", "AP@10", "RR@10", "P@2"):
        theirs = {
            m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run)
        }
        ours = measure(QRELS, RUN, name).value[0, 0]
        assert [theirs["q1"], theirs["q2"]] == pytest.approx(ours.tolist()), name
    assert measure(QRELS, eh.run_of(pd.DataFrame(run), system="x"), "AP@10").value[
        0, 0
    ].tolist() == pytest.approx(measure(QRELS, RUN, "AP@10").value[0, 0].tolist())


def documents(names):
    return [Document(id=name, content=f"text of {name}") for name in names]


def test_haystack_counts_beside_us_and_its_recall_by_default_is_our_success():
    truth = [documents(["a", "b"]), documents(["d"])]
    found = [documents(HITS["q1"]), documents(HITS["q2"])]
    binary = Qrels.of({"q1": {"a": 1.0, "b": 1.0}, "q2": {"d": 1.0}})
    asked = {"ground_truth_documents": truth, "retrieved_documents": found}
    for evaluator, name in (
        (DocumentRecallEvaluator(), "Success"),
        (DocumentRecallEvaluator(mode="multi_hit"), "R"),
        (DocumentMAPEvaluator(), "AP"),
        (DocumentMRREvaluator(), "RR"),
        (DocumentNDCGEvaluator(), "nDCG"),
    ):
        theirs = evaluator.run(**asked)["individual_scores"]
        ours = measure(binary, RUN, f"{name}@10" if name in ("Success", "R", "RR") else name).value[0, 0]
        assert theirs == pytest.approx(ours.tolist()), name
    inputs = {
        "questions": ["A?", "B?"],
        "ground_truth_documents": [[d.to_dict() for d in one] for one in truth],
        "retrieved_documents": [[d.to_dict() for d in one] for one in found],
    }
    scores = DocumentRecallEvaluator().run(**asked)
    result = EvaluationRunResult("bm25", inputs, {"recall": scores})
    made = {"run_name": result.run_name, "inputs": result.inputs, "results": result.results}
    Path("h.json").write_text(json.dumps(made))
    scored = read_scores(Path("h.json"), "haystack")
    assert [*scored.values["Success"].values()] == measure(binary, RUN, "Success@10").value[0, 0].tolist()  # noqa: PD011
    run, qrels = read_run("h.json", form="haystack"), read_qrels("h.json", form="haystack")
    assert measure(qrels, run, "AP").value[0, 0].tolist() == pytest.approx(
        measure(binary, RUN, "AP").value[0, 0].tolist()
    )


def test_llama_index_rows_come_from_its_own_result():
    from llama_index.core.evaluation.retrieval.base import RetrievalEvalResult
    from llama_index.core.evaluation.retrieval.metrics import resolve_metrics

    rows = []
    for q, hits in HITS.items():
        expected = [unit for unit, grade in GRADES[q].items() if grade > 0]
        metrics = {
            metric.metric_name: metric().compute(query=q, expected_ids=expected, retrieved_ids=[*hits])
            for metric in resolve_metrics(["hit_rate", "mrr", "recall", "ap"])
        }
        rows.append(
            RetrievalEvalResult(
                query=q,
                expected_ids=expected,
                retrieved_ids=[*hits],
                retrieved_texts=[f"text of {unit}" for unit in hits],
                metric_dict=metrics,
            ).model_dump(mode="json")
        )
    Path("l.json").write_text(json.dumps(rows))
    run, qrels = read_run("l.json", form="llama-index"), read_qrels("l.json", form="llama-index")
    scored = read_scores(Path("l.json"), "llama-index")
    assert list(scored.values) == ["Success", "RR", "R", "llama-index:ap"]
    for name in ("Success@10", "RR@10", "R@10"):
        ours = measure(qrels, run, name).value[0, 0].tolist()
        assert [*scored.values[name.split("@")[0]].values()] == pytest.approx(ours), name  # noqa: PD011
    for theirs, ours in (("hit_rate", "Success@10"), ("mrr", "RR@10"), ("recall", "R@10"), ("ap", "AP@10")):
        values = measure(qrels, run, ours).value[0, 0].tolist()
        assert values == pytest.approx([row["metric_dict"][theirs]["score"] for row in rows]), theirs


def test_pytrec_eval_takes_the_json_as_it_is():
    import pytrec_eval

    write_run("r.json", RUN, form="json")
    write_qrels("q.json", QRELS, form="json")
    qrels, run = (json.loads(Path(name).read_text()) for name in ("q.json", "r.json"))
    found = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    ours = measure(QRELS, RUN, "AP").value[0, 0].tolist()
    assert [found["q1"]["map"], found["q2"]["map"]] == pytest.approx(ours)


def test_tables_of_ours_are_frames_of_pandas_and_come_back_from_them():
    import pandas as pd

    for name, form in (("r.csv", "csv"), ("r.tsv", "beir")):
        write_run(name, RUN, form=form)
        separator = "\t" if form == "beir" else ","
        frame = pd.read_csv(name, sep=separator, dtype={0: str, 1: str})
        frame.to_csv(f"again-{name}", sep=separator, index=False)
        back = read_run(f"again-{name}")
        assert {q: {hit.unit: hit.score for hit in hits} for q, hits in back} == HITS, name
