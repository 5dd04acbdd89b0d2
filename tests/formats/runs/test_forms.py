"""Every form that is written is read back as the same, and says what it could not carry."""

import json

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.formats.runs.trec import read_qrels, read_run
from evenhand.formats.runs.write import FORMS, form_of, write_qrels, write_run
from evenhand.metrics.measure.match_run import find
from evenhand.metrics.measure.measure import measure
from evenhand.metrics.measure.view import Judged
from evenhand.model.run import Qrels, Run

RUN = Run.of("bm25", {"q2": [("d,1", 3.5), ("é", 1.25)], "q1": [('"quoted"', 0.1), ("d,1", -2.0)]})
BLANKS = Run.of("r", {"a question": [("Geneva Durben", 2.0), ("x", 1.0)]})
QRELS = Qrels.of({"q2": {"d,1": 2.0, "é": 0.0}, "q1": {"x": 0.5, "y": -1.0}})


@pytest.mark.parametrize("form", FORMS)
def test_a_run_comes_back(tmp_path, form):
    assert write_run(tmp_path / "r", RUN, form=form) == []
    back = read_run(tmp_path / "r")
    assert {q: [(hit.unit, hit.score) for hit in hits] for q, hits in back} == {
        q: [(hit.unit, hit.score) for hit in hits] for q, hits in RUN
    }


@pytest.mark.parametrize("form", [form for form in FORMS if form != "mteb"])
def test_judgements_come_back(tmp_path, form):
    lost = write_qrels(tmp_path / "q", QRELS, form=form)
    assert bool(lost) == (form == "beir")  # fractions, which BEIR's reader cuts
    assert read_qrels(tmp_path / "q").seal == QRELS.seal


@pytest.mark.parametrize("form", [form for form in FORMS if form != "trec"])
def test_ids_with_blanks_fit_every_form_but_trec(tmp_path, form):
    write_run(tmp_path / "r", BLANKS, form=form)
    assert read_run(tmp_path / "r").table == ("Geneva Durben", "x")
    with pytest.raises(InputError, match="does not fit TREC text"):
        write_run(tmp_path / "r", BLANKS)


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz", ".zst", ".lz4"])
def test_what_is_packed_by_its_ending_is_the_same_bytes_each_time(tmp_path, ending):
    pytest.importorskip({".zst": "zstandard", ".lz4": "lz4.frame"}.get(ending, "gzip"))
    once = []
    for _ in range(2):
        write_run(tmp_path / f"r.trec{ending}", RUN)
        once.append((tmp_path / f"r.trec{ending}").read_bytes())
    assert once[0] == once[1]
    assert not once[0].startswith(b"q2")
    assert read_run(tmp_path / f"r.trec{ending}").questions == RUN.questions


def test_what_cannot_be_carried_is_said(tmp_path):
    tied = Run.of("r", {"q": [("a", 1.0), ("b", 1.0), ("c", 1.0)], "empty": []}, provenance={"tag": "t"})
    assert write_run(tmp_path / "r", tied) == [
        "scores that did not fall strictly, lowered to keep the order: 2",
        "questions with an empty ranking: 1",
    ]
    assert write_run(tmp_path / "r", tied, form="json") == ["the tag 't'"]
    (tmp_path / "sub").write_text("q n1 a 1\nq n2 a 1\nq n2 b 1\nq n1 c 0\n")
    nuggets = read_qrels(tmp_path / "sub")
    assert "nuggets, of which there are 2" in write_qrels(tmp_path / "q", nuggets, form="json")[0]
    assert "names of nuggets" in write_qrels(tmp_path / "q", nuggets)[0]
    back = read_qrels(tmp_path / "q")
    assert np.array_equal(back.covers, nuggets.covers)
    assert len(back.vital) == 2


@pytest.mark.parametrize(
    ("name", "form"),
    [("r.trec", "trec"), ("r.TXT", "trec"), ("r.json.gz", "json"), ("r.tsv", "beir"), ("r.parq", "parquet")],
)
def test_the_ending_says_the_form(name, form):
    assert form_of(name) == form


def test_a_name_that_says_nothing_and_a_form_that_is_none():
    with pytest.raises(InputError, match="cannot be told from its name"):
        form_of("run")
    with pytest.raises(InputError, match="the form 'trek' is not known"):
        form_of("run", "trek")
    with pytest.raises(InputError, match="the form 'trek' is not known"):
        read_run(__file__, form="trek")


def test_a_form_can_be_said_where_content_misleads(tmp_path):
    (tmp_path / "r").write_text("qid\tQ0\tdocid\t1\t2.5\tscore\n")
    with pytest.raises(InputError):  # its line looks like the head of a table
        read_run(tmp_path / "r")
    assert read_run(tmp_path / "r", form="trec").table == ("docid",)


def test_predictions_of_mteb(tmp_path):
    part = {"q": {"d": 1.0}}
    for thing, options in (
        ({"mteb_model_meta": {"name": "m"}, "default": {"test": part}}, {}),
        ({"default": {"test": part}}, {}),
        ({"en": {"test": part, "dev": {}}, "de": {"test": {}}}, {"part": "en/test"}),
    ):
        (tmp_path / "p.json").write_text(json.dumps(thing))
        assert read_run(tmp_path / "p.json", **options).questions == ("q",)
    with pytest.raises(InputError, match="en/test, en/dev, de/test"):
        read_run(tmp_path / "p.json")


def test_nuggets_of_freshstack(tmp_path):
    rows = [
        {
            "query_id": "7",
            "query_title": "t",
            "nuggets": [
                {
                    "_id": "7_0",
                    "text": "n",
                    "relevant_corpus_ids": ["a", "b"],
                    "non_relevant_corpus_ids": ["c"],
                },
                {"_id": "7_1", "text": "n", "relevant_corpus_ids": ["b"], "non_relevant_corpus_ids": ["a"]},
            ],
        },
        {"query_id": "8", "nuggets": [{"_id": "8_0", "text": "n", "relevant_corpus_ids": ["a"]}]},
    ]
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    qrels = read_qrels(tmp_path / "queries.jsonl")
    assert qrels.judged("7") == {"a": 1.0, "b": 1.0, "c": 0.0}
    assert qrels.nugget_offsets.tolist() == [0, 2, 3]
    found = measure(
        qrels, Run.of("r", {"7": [("a", 2.0), ("c", 1.0)], "8": [("a", 1.0)]}), "NuggetCoverage@2"
    )
    assert found.value.tolist() == [[[0.5, 1.0]]]


BRIGHT = [
    {"query": "?", "id": "1", "gold_ids": ["g"], "excluded_ids": ["x", "y"], "gold_ids_long": []},
    {"query": "?", "id": "2", "gold_ids": ["g", "h"], "excluded_ids": ["N/A"]},
]


def test_units_that_bright_excludes_are_taken_out_before_measuring(tmp_path):
    (tmp_path / "examples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in BRIGHT))
    qrels = read_qrels(tmp_path / "examples.jsonl")
    assert qrels.notes == {"excluded": 2}
    with_ = Run.of(
        "r", {"1": [("x", 9.0), ("a", 8.0), ("y", 8.0), ("g", 8.0)], "2": [("x", 2.0), ("g", 1.0)]}
    )
    without = Run.of("r", {"1": [("a", 8.0), ("g", 8.0)], "2": [("x", 2.0), ("g", 1.0)]})
    names = ["nDCG@10", "RR@10", "P@2", "Judged@2", "AP", "Bpref", "NumRet"]
    one, other = measure(qrels, with_, names), measure(qrels, without, names)
    assert np.array_equal(one.value, other.value)
    assert one.extra["ties"] == other.extra["ties"]
    assert one.extra["notes"]["r"]["excluded"] == 2
    view, plain = find(Judged(qrels), with_, tops=True), find(Judged(qrels), without, tops=True)
    for name in ("rank", "low", "high", "depth"):
        assert np.array_equal(getattr(view, name), getattr(plain, name))
    assert view.tops.rank.tolist() == plain.tops.rank.tolist()


def test_excluded_units_change_the_seal(tmp_path):
    (tmp_path / "e.jsonl").write_text(json.dumps(BRIGHT[0]) + "\n")
    qrels = read_qrels(tmp_path / "e.jsonl")
    assert qrels.seal != Qrels.of({"1": {"g": 1.0, "x": -1.0, "y": -1.0}}).seal
    assert "taken out" in write_qrels(tmp_path / "q", qrels)[0]


@pytest.mark.parametrize("row", ['{"nuggets": null}', '{"gold_ids": 7, "id": 1}'])
def test_queries_of_collections_that_are_none_are_refused_by_line(tmp_path, row):
    (tmp_path / "q.jsonl").write_text(f"{row}\n")
    with pytest.raises(InputError, match="line 1: not a query of FreshStack or BRIGHT"):
        read_qrels(tmp_path / "q.jsonl")
