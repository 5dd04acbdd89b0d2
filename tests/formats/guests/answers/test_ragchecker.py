"""RAGChecker's results: answers, claims, and what its checker found, counted anew."""

import json

import pytest

from evenhand.cli.main import main
from evenhand.errors import InputError
from evenhand.formats.answers.jsonl import read_answers
from evenhand.formats.guests.answers.ragchecker import claimed_of
from evenhand.formats.guests.answers.registry import import_answers
from evenhand.metrics.catalogue.claims import claim_rates

E, N, C = "Entailment", "Neutral", "Contradiction"
ROW = {
    "query_id": "7",
    "query": "How long is the notice?",
    "gt_answer": "30 days, in writing.",
    "response": "30 days. By phone.",
    "retrieved_context": [{"doc_id": "a", "text": "30 days"}, {"doc_id": "b", "text": "by phone"}],
    "response_claims": [["notice", "is", "30 days"], ["notice is by phone"]],
    "gt_answer_claims": [["notice is 30 days"], ["notice is in writing"]],
    "answer2response": [E, C],
    "response2answer": [E, N],
    "retrieved2response": [[E, N], [N, E]],
    "retrieved2answer": [[E, N], [N, N]],
    "metrics": {"precision": 50.0},
}


def written(folder, *rows):
    (folder / "r.json").write_text(json.dumps({"results": rows, "metrics": {"overall_metrics": {}}}))
    return folder / "r.json"


def test_answers_come_with_claims_and_what_was_found_of_each(tmp_path):
    brought = import_answers(written(tmp_path, ROW), "ragchecker", system="ours")
    (one,) = brought.generations
    assert (one.topic, one.system, one.extra["reference"]) == ("7", "ours", ROW["gt_answer"])
    assert [p.unit for p in one.passages] == ["a", "b"]
    assert one.items[0].claims == ("notice is 30 days", "notice is by phone")
    rates = claim_rates(claimed_of(one))
    assert rates["claim_precision"] == rates["claim_recall"] == rates["retrieved_recall"] == 0.5
    assert (rates["faithfulness"], rates["hallucination"], rates["self_knowledge"]) == (1.0, 0.0, 0.0)
    assert (rates["noise_sensitivity_relevant"], rates["noise_sensitivity_irrelevant"]) == (0.0, 0.5)
    assert brought.lost == ("1 row has metrics of its own: it is counted anew from what was found",)


def test_rates_are_printed_with_n_and_interval_and_ours_keeps_what_was_found(tmp_path, capsys):
    unchecked = {k: v for k, v in ROW.items() if "2" not in k} | {"query_id": "8"}
    file = written(tmp_path, ROW, ROW | {"query_id": "9"}, unchecked)
    out = tmp_path / "answers.jsonl"
    assert main(["answers", "import", str(file), "--from", "ragchecker", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "claims of 2 of 3 answers" in said
    assert "self_knowledge                0.00 [0.00, 0.00], n 2" in said
    assert "1 row has not all that its checker finds" in said
    assert [claimed_of(one) is None for one in read_answers(out)] == [False, False, True]
    assert main(["answers", "check", str(out)]) == 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"answer2response": [E]}, r"results\[0\]: answer2response does not match response_claims: 2 claims"),
        ({"answer2response": [E, "Entails"]}, r"answer2response\[1\]: the label 'Entails' is not known"),
        ({"retrieved2answer": [[E], [N, N]]}, r"retrieved2answer\[0\]: expected one label for each of 2"),
        ({"retrieved_context": [{"doc_id": "a"}]}, r"retrieved_context\[0\] has no text"),
        ({"retrieved_context": "none"}, "retrieved_context is no list"),
        ({"response_claims": "none"}, "response_claims: is no list"),
    ],
)
def test_what_does_not_fit_is_said_with_its_place(tmp_path, more, said):
    with pytest.raises(InputError, match=said):
        import_answers(written(tmp_path, ROW | more), "ragchecker")


def test_a_missing_query_is_named(tmp_path):
    row = {k: v for k, v in ROW.items() if k != "query"}
    with pytest.raises(InputError, match="has no 'query'"):
        import_answers(written(tmp_path, row), "ragchecker")
