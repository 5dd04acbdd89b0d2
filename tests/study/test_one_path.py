"""One path from a ranking to a number: `run`, `eval` of what it exports, and trec_eval agree."""

import json
import shutil

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.front import evenhand

import evenhand as eh
from evenhand.metrics.catalogue.names import parse
from evenhand.metrics.catalogue.registry import CATALOGUE

STUDY = """
[study]
name = "grades"
seed = 1
[corpus]
path = "corpus.jsonl"
[gold]
path = "queries.jsonl"
qrels = "qrels.txt"
[chunking.whole]
rule = "document"
[system.ours]
run = "ours.trec"
[measure]
primary = {primary}
secondary = {secondary}
slices = []
depth = 50
[compare]
null = []
"""
METRICS = [
    *(kind.example for kind in CATALOGUE.values() if kind.needs == "grades" and kind.total == "mean"),
    *(
        "nDCG@3",
        "nDCG(gain=exp)@5",
        "nDCG(judged_only=true)@3",
        "R(rel=2)@3",
        "RR(rel=3)@5",
        "AP(denom=min)@4",
    ),
    *("AP(denom=retrieved)@4", "Success(rel=2)@2", "ERR@5", "RBP(rel=2)", "Judged@4", "AP(rel=2)"),
]
PEER = {  # trec_eval's name of ours
    "nDCG@3": "ndcg_cut_3",
    "nDCG": "ndcg",
    "AP": "map",
    "RPrec": "Rprec",
    "Bpref": "bpref",
    "RR": "recip_rank",
    "InfAP": "infAP",
}
DOCS = tuple("abcdefgh")
grades = st.dictionaries(
    st.sampled_from(DOCS), st.sampled_from([-1, 0, 0, 1, 1, 2, 3]), min_size=1, max_size=len(DOCS)
)
rankings = st.lists(
    st.tuples(st.sampled_from(DOCS), st.sampled_from([0.5, 1.0, 1.5, 2.0])), unique_by=lambda row: row[0]
)


def made(folder, judged, ranked, metrics=METRICS):
    """A study of a run file and graded judgements of whole documents; its report's folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    docs = [{"_id": name, "text": f"The text of {name}."} for name in DOCS]
    asked = [{"_id": name, "text": f"What is {name}?"} for name in judged]
    for name, rows in (("corpus", docs), ("queries", asked)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "qrels.txt").write_text(
        "".join(f"{q} 0 {doc} {grade}\n" for q, of in judged.items() for doc, grade in of.items())
    )
    (folder / "ours.trec").write_text(
        "".join(f"{q} Q0 {doc} 1 {score} x\n" for q, rows in ranked.items() for doc, score in rows)
    )
    primary, *more = metrics
    text = STUDY.format(primary=json.dumps(primary), secondary=json.dumps(more))
    (folder / "study.toml").write_text(text)
    return eh.conduct(eh.read_study(folder / "study.toml"), folder)


def values(file):
    frame = pl.read_parquet(file)
    return {(m, q): v for m, q, v in frame.select("metric", "question", "value").iter_rows()}


@settings(max_examples=5, deadline=None)
@given(st.lists(st.tuples(grades, rankings), min_size=1, max_size=4))
def test_run_on_graded_judgements_is_eval_of_what_it_exports_and_trec_eval(tmp_path_factory, questions):
    judged = {"q0": {"a": 3, "b": 1}, **{f"q{i}": of for i, (of, _) in enumerate(questions, 1)}}
    ranked = {"q0": [("b", 2.0)], **{f"q{i}": rows for i, (_, rows) in enumerate(questions, 1)}}
    folder = tmp_path_factory.mktemp("graded")
    outcome = made(folder / "s", judged, ranked)
    found = values(outcome.folder / "measurements.parquet")

    qrels = eh.read_qrels(outcome.folder / "qrels.parquet")
    run = eh.read_run(outcome.folder / "runs" / "ours.parquet")
    kept = {q: of for q, of in judged.items() if max(of.values()) > 0}
    assert {q: qrels.judged(q) for q in qrels.questions} == kept  # documents by their ids, every grade
    again = eh.measure(qrels, run, METRICS)
    for (metric, question), value in found.items():
        other = again.measurement(again.systems[0], metric, question).value
        assert value == pytest.approx(other, abs=1e-12), (metric, question)

    # trec_eval orders ties by id, so it is given the ranks; it knows no question without a ranking
    order = {q: {h.unit: -float(h.rank) for h in hits} for q, hits in run if hits}
    peer = pytrec_eval.RelevanceEvaluator(kept, {*PEER.values(), "ndcg_cut.3"} - {"ndcg_cut_3"}).evaluate(
        order
    )
    for question, row in peer.items():
        for ours, theirs in PEER.items():
            name = str(parse(ours))
            if found[name, question] is not None:
                assert found[name, question] == pytest.approx(row[theirs], abs=1e-6), (ours, question)


@pytest.mark.parametrize(("grade", "expected"), [((3, 1, 1), 1.0), ((1, 3, 1), 0.821314)])
def test_r01_run_keeps_the_grades_of_the_qrels_as_eval_and_trec_eval_do(tmp_path, grade, expected):
    judged = {"q1": dict(zip("abc", grade, strict=True))}
    outcome = made(tmp_path / "s", judged, {"q1": [("a", 3.0), ("b", 2.0), ("c", 1.0)]}, ["nDCG@3", "R@3"])
    assert values(outcome.folder / "measurements.parquet")["nDCG@3", "q1"] == pytest.approx(
        expected, abs=1e-6
    )
    qrels, run = outcome.folder / "qrels.parquet", outcome.folder / "runs" / "ours.parquet"
    told = evenhand("eval", qrels, run, "-m", "nDCG@3", "--json")
    assert told.returncode == 0, told.stderr
    assert f"{expected:.4f}"[:5] in told.stdout
    peer = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.3"}).evaluate(
        {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    )
    assert peer["q1"]["ndcg_cut_3"] == pytest.approx(expected, abs=1e-6)


def test_exports_of_a_study_of_whole_documents_carry_their_ids(tmp_path):
    outcome = made(
        tmp_path / "s", {"q1": {"a": 2, "b": 0}}, {"q1": [("b", 3.0), ("a", 2.0)]}, ["nDCG@3", "R@3"]
    )
    run = pl.read_parquet(outcome.folder / "runs" / "ours.parquet")
    assert run["unit"].to_list() == ["b", "a"] == run["document"].to_list()
    assert pl.read_parquet(outcome.folder / "qrels.parquet")["unit"].to_list() == ["a", "b"]


def test_a_level_that_no_document_reaches_is_undefined_in_run_as_in_eval(tmp_path):
    metrics = ["nDCG@3", "R(rel=2)@3"]
    outcome = made(tmp_path / "s", {"q1": {"a": 1}, "q2": {"a": 2}}, {"q1": [("a", 1.0)], "q2": []}, metrics)
    found = values(outcome.folder / "measurements.parquet")
    assert found["R(rel=2)@3", "q1"] is None
    assert found["R(rel=2)@3", "q2"] == 0.0


def test_units_smaller_than_a_judged_document_have_no_grade_of_it():
    text = "First part of it. Second part."
    corpus = eh.Corpus((eh.Document(id="d", text=text), eh.Document(id="e", text="Short.")))
    question = eh.Question(id="q", text="?", grades={"d": 3, "e": 0}, evidence=())
    units = eh.chunk(corpus, eh.Fixed(size=20, count="characters"))
    qrels = eh.align(eh.GoldSet((question,), bare=True), units)
    assert qrels.judged("q") == {"e#0-6": 0.0}
    assert np.array_equal(qrels.settled, [False])
