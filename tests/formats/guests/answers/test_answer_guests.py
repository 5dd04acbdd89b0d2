"""Answers in and out of Open-RAG-Eval, Haystack, openevals, RAGChecker and Phoenix; tables of Ragas and DeepEval."""

import json

import pytest
from tests.formats.guests.answers.test_answered import ANSWER, MADE, RATINGS, REFUSED

from evenhand.answer.checks.run_checks import check_all
from evenhand.errors import InputError
from evenhand.formats.guests.answers.registry import export_answers, import_answers


def brought(tmp_path, tool, text, **more):
    (tmp_path / "in").write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return import_answers(tmp_path / "in", tool, **more)


def out(tmp_path, tool, *generations):
    lost = export_answers(
        tmp_path / "out", tool, generations or [MADE, REFUSED], check_all([MADE]), RATINGS
    ).lost
    return (tmp_path / "out").read_text(encoding="utf-8"), lost


def lost(told, words):
    return [one for one in told if words in one]


# Open-RAG-Eval


def test_open_rag_eval_groups_passages_by_query_and_run(tmp_path):
    text = (
        "query_id,query,query_run,passage_id,passage,generated_answer\n"
        'q1,Notice?,1,[1],"30 days, written",It is 30 days [1].\n'
        "q1,Notice?,1,[2],Dogs,It is 30 days [1].\n"
        "q1,Notice?,2,[1],Dogs,No idea.\n"
        "q2,Gone?,1,[1],Cats,\n"
    )
    found = brought(tmp_path, "open-rag-eval", text)
    one, again, gone = found.generations
    assert [(p.unit, p.marker) for p in one.passages] == [("1", "1"), ("2", "2")]
    assert (one.topic, one.items[0].text, again.topic) == ("q1", "It is 30 days [1].", "q1 (run 2)")
    assert (gone.state, gone.system) == ("invalid", "open-rag-eval")
    with pytest.raises(InputError, match="no column 'passage'"):
        brought(tmp_path, "open-rag-eval", "query_id,query\nq,a\n")


def test_open_rag_eval_gets_a_row_a_passage(tmp_path):
    text, told = out(tmp_path, "open-rag-eval")
    found = brought(tmp_path, "open-rag-eval", text)
    assert [p.text for p in found.generations[0].passages] == [p.text for p in MADE.passages]
    assert found.generations[0].items[0].text == ANSWER.text
    assert lost(told, "findings of checks")
    assert lost(told, "2 ratings")


# Haystack


def test_haystack_columns_become_answers_and_scores_are_not_carried(tmp_path):
    made = {
        "run_name": "bm25",
        "inputs": {
            "questions": ["A?", "B?"],
            "contexts": [["x"], [{"id": "d1", "content": "y", "meta": {}, "score": 0.3}]],
            "predicted_answers": ["a", None],
            "ground_truth_answers": ["aa", "bb"],
            "cost": [1, 2],
        },
        "results": {"faithfulness": {"score": 0.5, "individual_scores": [1, 0]}},
    }
    found = brought(tmp_path, "haystack", made)
    one, two = found.generations
    assert (one.system, one.items[0].text, one.extra["reference"]) == ("bm25", "a", "aa")
    assert (two.passages[0].unit, two.passages[0].text, two.state) == ("d1", "y", "fault")
    assert lost(found.lost, "'faithfulness'")
    assert lost(found.lost, "'cost'")
    with pytest.raises(InputError, match="no column of questions"):
        brought(tmp_path, "haystack", {"inputs": {"x": [1]}})


def test_haystack_gets_each_check_as_a_metric_that_is_decided_in_every_row(tmp_path):
    text, told = out(tmp_path, "haystack")
    made = json.loads(text)
    n = len(made["inputs"]["questions"])
    assert {len(column) for column in made["inputs"].values()} == {n}
    for one in made["results"].values():
        assert len(one["individual_scores"]) == n
        assert one["score"] == sum(one["individual_scores"]) / n
    assert set(made["results"]) == {"check/cites-retrieved", "check/content-words", "check/numbers-grounded"}
    assert lost(told, "1 topic gave no item")
    assert lost(told, "checks are not decided in every row")
    assert lost(told, "2 ratings")
    found = brought(tmp_path, "haystack", text)
    assert found.generations[0].items[0].text == ANSWER.text


# openevals


def test_openevals_context_is_what_was_retrieved(tmp_path):
    row = {
        "inputs": {"question": "Notice?"},
        "outputs": {"answer": "30"},
        "reference_outputs": {"answer": "30 days"},
        "context": {"documents": [{"page_content": "x", "metadata": {"source": "lease.md"}}, "y"]},
    }
    [one] = brought(tmp_path, "openevals", [row]).generations
    assert [(p.text, p.doc) for p in one.passages] == [("x", "lease.md"), ("y", "")]
    assert (one.items[0].text, one.extra["reference"]) == ("30", "30 days")
    [one] = brought(tmp_path, "openevals", [row | {"context": "z"}]).generations
    assert [p.text for p in one.passages] == ["z"]


# RAGChecker


def test_ragchecker_gets_what_it_can_check_and_comes_back(tmp_path):
    text, told = out(tmp_path, "ragchecker")
    [*rows] = json.loads(text)["results"]
    assert {"query_id", "query", "gt_answer", "response", "retrieved_context"} == set(rows[0])
    found = brought(tmp_path, "ragchecker", text)
    assert [p.unit for p in found.generations[0].passages] == [p.unit for p in MADE.passages]
    assert lost(told, "without a response or a reference")


# Phoenix


def test_openinference_spans_and_annotations_have_ids_that_stay(tmp_path):
    text, told = out(tmp_path, "openinference")
    assert text == out(tmp_path, "openinference")[0]
    rows = [json.loads(line) for line in text.splitlines()]
    spans = [row for row in rows if "context" in row]
    notes = [row for row in rows if "annotator_kind" in row]
    own = {row["context"]["span_id"] for row in spans}
    assert len(own) == len(spans)
    assert {row["span_id"] for row in notes} <= own
    assert {row["annotator_kind"] for row in notes} == {"CODE", "HUMAN", "LLM"}
    cannot = next(row for row in notes if row.get("label") == "cannot-tell")
    assert cannot["score"] is None
    assert told == ("6 findings are undecided, and have no score there",)
    found = brought(tmp_path, "openinference", text)
    assert found.generations == (MADE, REFUSED)
    assert lost(found.lost, "annotations: ratings of others")


# Tables


def test_ragas_tables_spell_their_lists_and_deepeval_marks_its_sources(tmp_path):
    text = "user_input,retrieved_contexts,response\nNotice?,\"['x', 'y']\",30\n"
    [one] = brought(tmp_path, "ragas", text).generations
    assert [p.text for p in one.passages] == ["x", "y"]
    marked = "deepeval_source=lease.md,deepeval_context=30 days, written"
    row = {"input": "Notice?", "actual_output": "30", "retrieval_context": [marked, "plain"]}
    [one] = brought(tmp_path, "deepeval", [row]).generations
    assert [(p.text, p.doc) for p in one.passages] == [("30 days, written", "lease.md"), ("plain", "")]


R21 = """user_input,retrieved_contexts,response
What does it cost?,"{cell}",5 EUR
"""


def test_r21_a_list_as_numpy_prints_it_is_its_texts(tmp_path):
    path = tmp_path / "ragas.csv"
    path.write_text(R21.format(cell="""['Fee is 5 EUR' ""It's waived""]"""))
    (one,) = import_answers(path, "ragas").generations
    assert [passage.text for passage in one.passages] == ["Fee is 5 EUR", "It's waived"]


@pytest.mark.parametrize("cell", ["['a' ... 'b']", "['a', 'b", "[Fee is 5, waived]", "['a' 'b', 'c']"])
def test_a_list_that_cannot_be_read_to_the_letter_is_refused_with_row_and_column(tmp_path, cell):
    path = tmp_path / "ragas.csv"
    path.write_text(R21.format(cell=cell))
    with pytest.raises(InputError, match=r"ragas.csv:2: column 'retrieved_contexts'"):
        import_answers(path, "ragas")


def test_none_in_a_list_is_a_passage_of_which_the_text_is_not_known(tmp_path):
    path = tmp_path / "ragas.csv"
    path.write_text(R21.format(cell="['a', None, 'b']"))
    brought = import_answers(path, "ragas")
    assert [passage.text for passage in brought.generations[0].passages] == ["a", "", "b"]
    assert "1 passage has no text, and what stood there is not known" in brought.lost
