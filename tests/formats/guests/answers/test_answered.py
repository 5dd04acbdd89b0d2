"""Outputs of other tools in, ours out, and what is lost on the way is said."""

import json
from contextlib import suppress

import pytest
from tests.formats.answers.test_jsonl import ANSWER, CHOICE, MADE, REFUSED

from evenhand.answer.checks.run_checks import Context, check, check_all
from evenhand.errors import InputError
from evenhand.formats.guests.answers.registry import READS, WHOLE, WRITES, export_answers, import_answers
from evenhand.model.answer import Rating

RAGAS = {
    "user_input": "How long is the notice period?",
    "reference": "30 days.",
    "reference_contexts": ["Either party may end this agreement with 30 days' written notice."],
    "retrieved_contexts": ["... 30 days' written notice ...", "The fee is 5 euros."],
    "retrieved_context_ids": ["lease.md#c7", "lease.md#c8"],
    "response": "30 days.",
    "synthesizer_name": "single_hop_specific_query_synthesizer",
    "faithfulness": 1.0,
}


def brought(tmp_path, tool, *rows, whole=False, **more):
    file = tmp_path / "out.jsonl"
    file.write_text(json.dumps(rows) if whole else "\n".join(map(json.dumps, rows)), "utf-8")
    return import_answers(file, tool, **more)


def test_ragas(tmp_path):
    found = brought(tmp_path, "ragas", RAGAS)
    (one,) = found.generations
    assert (one.ask, one.system, one.topic) == (RAGAS["user_input"], "ragas", "q632ceaac2f63")
    assert [(p.unit, p.marker) for p in one.passages] == [("lease.md#c7", "1"), ("lease.md#c8", "2")]
    assert one.items[0].text == "30 days."
    assert one.extra == {"reference": "30 days."}
    assert "1 column called 'faithfulness'" in found.lost
    assert "1 column called 'reference_contexts'" in found.lost


def test_ragas_names_of_before_and_measures_that_are_not_there(tmp_path):
    file = tmp_path / "old.jsonl"
    file.write_text(
        '{"question": "?", "answer": "x", "contexts": ["y"], "ground_truth": "z", "faithfulness": NaN}'
    )
    found = import_answers(file, "ragas", system="bot")
    assert found.lost == ()
    assert found.generations[0].system == "bot"
    assert found.generations[0].extra == {"reference": "z"}


def test_conversations_and_rows_without_response_or_question_are_counted(tmp_path):
    turns = {"user_input": [{"type": "human", "content": "hi"}]}
    found = brought(
        tmp_path, "ragas", turns, {"user_input": "a"}, {"user_input": "b", "response": ""}, {"response": "x"}
    )
    assert [g.state for g in found.generations] == ["fault", "invalid"]
    assert found.lost == (
        "1 row has no question, and is left out",
        "1 row has no response: it counts as not run",
        "1 row holds several turns, and is left out",
    )


@pytest.mark.parametrize("camel", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_deepeval(tmp_path, camel, whole):
    names = ("actualOutput", "retrievalContext", "expectedOutput") if camel else (
        "actual_output", "retrieval_context", "expected_output")  # fmt: skip
    row = {"input": "How long?", names[0]: "30 days", names[1]: ["a", {"context": "b", "source": "lease.md"}]}
    row[names[2]] = "30 days."
    found = brought(tmp_path, "deepeval", row, whole=whole)
    (one,) = found.generations
    assert [(p.text, p.doc) for p in one.passages] == [("a", ""), ("b", "lease.md")]
    assert one.items[0].text == "30 days"
    assert one.extra == {"reference": "30 days."}


def test_deepeval_joins_passages_in_json_lines(tmp_path):
    row = {"input": "q", "actual_output": "a", "retrieval_context": "one|two", "flaky": False}
    found = brought(tmp_path, "deepeval", row)
    assert [p.text for p in found.generations[0].passages] == ["one", "two"]
    assert found.lost == ("1 row has its passages in one text, which was cut at '|'",)


def test_deepeval_test_run_with_test_cases_inside(tmp_path):
    found = brought(tmp_path, "deepeval", {"testCases": [{"input": "q", "actualOutput": "a", "name": "n1"}]})
    assert found.generations[0].topic == "n1"


def test_plain_rows_need_a_system_and_may_have_an_expectation(tmp_path):
    row = {
        "id": "q7",
        "question": "?",
        "response": "x",
        "expect": "abstain",
        "passages": [{"text": "t", "id": "u"}],
    }
    with pytest.raises(InputError, match="which system answered"):
        brought(tmp_path, "jsonl", row)
    found = brought(tmp_path, "jsonl", row, {**row, "expect": "maybe"}, system="s")
    assert found.generations[0].expect == "abstain"
    assert found.generations[0].passages[0].unit == "u"
    assert found.generations[1].topic == "q7 (2)"
    assert any("expect 'maybe'" in lost for lost in found.lost)
    assert any("numbered anew" in lost for lost in found.lost)


def test_ours_as_plain_lines_comes_back_whole(tmp_path):
    assert export_answers(tmp_path / "a.jsonl", "jsonl", [MADE, REFUSED]).lost == ()
    assert import_answers(tmp_path / "a.jsonl", "jsonl").generations == (MADE, REFUSED)


def test_langfuse_traces_with_and_without_rows_of_their_own(tmp_path):
    retriever = {
        "id": "o1",
        "traceId": "t1",
        "type": "RETRIEVER",
        "name": "search",
        "output": [{"page_content": "30 days", "metadata": {"source": "lease.md", "id": "c7"}}, "plain"],
    }
    model = {"id": "o2", "traceId": "t1", "type": "GENERATION", "model": "m-1", "output": {"content": "raw"}}
    trace = {
        "id": "t1",
        "name": "chat",
        "input": {"question": "How long?"},
        "output": {"answer": "30 days [1]"},
    }
    score = {"id": "s", "traceId": "t1", "name": "faithful", "value": 1}
    found = brought(tmp_path, "langfuse", trace, retriever, model, score)
    (one,) = found.generations
    assert (one.topic, one.ask, one.model) == ("t1", "How long?", "m-1")
    assert [(p.unit, p.doc, p.text) for p in one.passages] == [
        ("c7", "lease.md", "30 days"),
        ("passage-2", "", "plain"),
    ]
    assert one.items[0].text == "30 days [1]"
    assert found.lost == ("1 scores: ratings of others are none of ours",)
    nested = brought(tmp_path, "langfuse", {**trace, "observations": [retriever]}).generations[0]
    assert nested.passages == one.passages
    root = {"id": "o0", "traceId": "t1", "type": "SPAN", "input": "How long?", "output": "30 days [1]"}
    child = {**retriever, "parentObservationId": "o0"}
    assert brought(tmp_path, "langfuse", child, root).generations[0].items[0].text == "30 days [1]"


def test_a_langfuse_trace_that_ended_in_an_error_can_be_run_again(tmp_path):
    row = {
        "id": "o0",
        "traceId": "t",
        "type": "SPAN",
        "input": "q",
        "level": "ERROR",
        "statusMessage": "timeout",
    }
    one = brought(tmp_path, "langfuse", row).generations[0]
    assert (one.state, one.why) == ("fault", "timeout")


def spans(**root):
    flat = {
        "openinference.span.kind": "RETRIEVER",
        "retrieval.documents.0.document.content": "30 days",
        "retrieval.documents.0.document.id": "c7",
        "retrieval.documents.0.document.metadata": '{"source": "lease.md"}',
        "retrieval.documents.1.document.content": "5 euros",
    }
    return [
        {
            "context": {"trace_id": "t1", "span_id": "a"},
            "parent_id": None,
            "attributes": {"openinference.span.kind": "CHAIN", "input.value": "How long?", **root},
        },
        {"context": {"trace_id": "t1", "span_id": "b"}, "parent_id": "a", "attributes": flat},
        {
            "context": {"trace_id": "t1", "span_id": "c"},
            "parent_id": "a",
            "attributes": {
                "openinference.span.kind": "LLM",
                "llm": {"model_name": "m", "output_messages": [{"message": {"content": "30 days [1]"}}]},
            },
        },
    ]


def test_openinference_spans(tmp_path):
    (one,) = brought(tmp_path, "openinference", *spans()).generations
    assert (one.ask, one.items[0].text, one.model) == ("How long?", "30 days [1]", "m")
    assert [(p.unit, p.doc) for p in one.passages] == [("c7", "lease.md"), ("passage-2", "")]
    said = {"output.value": '{"answer": "a month"}', "output.mime_type": "application/json"}
    assert brought(tmp_path, "openinference", *spans(**said)).generations[0].items[0].text == "a month"


def test_openinference_rerankers_speak_last(tmp_path):
    rows = spans()
    reranked = {"openinference.span.kind": "RERANKER", "reranker.output_documents.0.document.content": "only"}
    rows.insert(1, {"context": {"trace_id": "t1", "span_id": "d"}, "parent_id": "a", "attributes": reranked})
    (one,) = brought(tmp_path, "openinference", *rows).generations
    assert [p.text for p in one.passages] == ["only"]


def test_openinference_as_a_frame_and_as_otlp(tmp_path):
    frame = {
        "context.trace_id": "t",
        "context.span_id": "a",
        "attributes.input.value": "How long?",
        "attributes.output.value": "30 days",
        "attributes.openinference.span.kind": "RETRIEVER",
        "attributes.retrieval.documents": [{"document.content": "30 days", "document.id": "c"}],
    }
    (one,) = brought(tmp_path, "openinference", frame).generations
    assert (one.items[0].text, one.passages[0].unit) == ("30 days", "c")
    attributes = [
        {"key": "input.value", "value": {"stringValue": "How long?"}},
        {"key": "output.value", "value": {"stringValue": "30 days"}},
    ]
    otlp = {
        "resourceSpans": [
            {"scopeSpans": [{"spans": [{"traceId": "t", "spanId": "a", "attributes": attributes}]}]}
        ]
    }
    assert brought(tmp_path, "openinference", otlp).generations[0].items[0].text == "30 days"


@pytest.mark.parametrize(
    ("finish", "state"), [("length", "cut-off"), ("content_filter", "refused"), ("stop", "made")]
)
def test_openinference_finish_reasons(tmp_path, finish, state):
    rows = spans()
    rows[2]["attributes"]["llm.finish_reason"] = finish
    assert brought(tmp_path, "openinference", *rows).generations[0].state == state


# --- out ------------------------------------------------------------------------------------------------

RATINGS = [
    Rating(item=ANSWER.id, rater="ann", given={"faithful": "yes", "accept": "cannot-tell"}),
    Rating(
        item=ANSWER.id, rater="gpt", given={"faithful": "no"}, by="model", checks_shown_before_rating=True
    ),
]


# an annotation is a score: what a check left open has none
UNDECIDED = dict.fromkeys(
    ("langfuse", "openinference"), ("6 findings are undecided, and have no score there",)
)


@pytest.mark.parametrize("tool", WHOLE)
def test_what_goes_out_with_metadata_comes_back_whole(tmp_path, tool):
    file = tmp_path / "x.jsonl"
    assert export_answers(file, tool, [MADE, REFUSED], check_all([MADE]), RATINGS).lost == UNDECIDED.get(
        tool, ()
    )
    found = import_answers(file, tool)
    assert found.generations == (MADE, REFUSED)


def test_langfuse_gets_scores_of_checks_and_ratings(tmp_path):
    export_answers(tmp_path / "x", "langfuse", [MADE], check_all([MADE]), RATINGS)
    rows = [json.loads(line) for line in (tmp_path / "x").read_text().splitlines()]
    scores = {(r["traceId"], r["name"], r["authorUserId"]): r for r in rows if "traceId" in r}
    assert scores[CHOICE.id, "options-distinct", None]["value"] == 0
    assert scores[CHOICE.id, "options-distinct", None]["comment"] == "2 options, not 4"
    assert scores[ANSWER.id, "faithful", "ann"]["value"] == 1
    assert scores[ANSWER.id, "accept", "ann"]["dataType"] == "CATEGORICAL"
    model = scores[ANSWER.id, "faithful", "gpt"]
    assert (model["source"], model["metadata"]) == (
        "API",
        {"by": "model", "checks_shown_before_rating": True, "after_checks": False},
    )
    assert len({r["id"] for r in rows}) == len(rows)


def test_ragas_says_what_it_cannot_carry(tmp_path):
    lost = export_answers(tmp_path / "x", "ragas", [MADE, REFUSED], check_all([MADE]), RATINGS).lost
    assert len(lost) == 4
    rows = [json.loads(line) for line in (tmp_path / "x").read_text().splitlines()]
    assert rows[0]["response"] == "30 days [1]"
    assert rows[0]["check/numbers-grounded"] == 1
    assert rows[0]["rating2/checks_shown_before_rating"] is True
    assert rows[1]["response"] == "?\nA) a\nB) b\nAnswer: A"
    assert "response" not in rows[2]
    assert rows[0]["reference"] == "30 days"


@pytest.mark.parametrize("tool", READS)
@pytest.mark.parametrize(
    "text", ["[1]", '"x"', "[[[]]]", '{"a": ', '[{"input": {"x": [[]]}}]', "null", "[" * 5000, ""]
)
def test_a_file_of_another_kind_is_an_error_with_a_mend_or_is_empty(tmp_path, tool, text):
    (tmp_path / "f").write_text(text)
    with suppress(InputError):  # which always has a mend
        assert import_answers(tmp_path / "f", tool, system="s").generations == ()


def test_unknown_tools_tell_the_nearest(tmp_path):
    with pytest.raises(InputError) as caught:
        import_answers(tmp_path / "f", "langfus")
    assert "langfuse" in caught.value.mend
    with pytest.raises(InputError):
        export_answers(tmp_path / "f", "openinferense", [])
    assert set(WRITES) == set(READS)


# --- what holds nothing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("nothing", [None, "", "None", "null", "NaN", [], [None], [""], ["None", "null"]])
@pytest.mark.parametrize("tool", ["jsonl", "ragas", "deepeval", "openevals", "haystack", "langfuse"])
def test_what_holds_nothing_is_no_passage_called_none(tmp_path, tool, nothing):
    rows = {
        "haystack": {"inputs": {"questions": ["Q?"], "contexts": [nothing], "responses": ["A fee."]}},
        "openevals": {"inputs": "Q?", "outputs": "A fee.", "context": nothing},
        "langfuse": {"id": "t", "input": "Q?", "output": "A fee.", "observations": [{"type": "RETRIEVER", "output": nothing}]},
        "deepeval": {"input": "Q?", "actual_output": "A fee.", "retrieval_context": nothing},
    }  # fmt: skip
    row = rows.get(tool, {"user_input": "Q?", "response": "A fee.", "retrieved_contexts": nothing})
    (tmp_path / "f.json").write_text(json.dumps(row if tool == "haystack" else [row]))
    brought = import_answers(tmp_path / "f.json", tool, system="s")
    (one,) = brought.generations
    assert {passage.text for passage in one.passages} <= {""}
    if nothing not in (None, "", []):
        assert any("not known" in line for line in brought.lost)
    (found,) = check(one, context=Context(checks=("content-words",)))
    assert found.passed is None


def test_cells_of_a_table_that_hold_nothing(tmp_path):
    (tmp_path / "f.csv").write_text("user_input,response,retrieved_contexts\nQ?,A fee.,None\nR?,A fee.,nan\n")
    brought = import_answers(tmp_path / "f.csv", "ragas")
    assert [one.passages for one in brought.generations] == [(), ()]
    assert next(line for line in brought.lost if "not known" in line).startswith("2 rows have nothing")


def test_rows_without_a_question_or_an_id_are_counted_and_never_called_none(tmp_path):
    inputs = {"questions": [None, "Q?"], "contexts": [["a"]], "responses": ["A fee.", "B."]}
    (tmp_path / "h.json").write_text(json.dumps({"inputs": inputs}))
    brought = import_answers(tmp_path / "h.json", "haystack")
    assert [one.ask for one in brought.generations] == ["Q?"]
    assert brought.generations[0].passages == ()
    assert any("no question" in line for line in brought.lost)
    traces = [
        {"input": "Q?", "output": "A fee."},
        {"input": "R?", "output": "B."},
        {"traceId": None, "type": "SPAN"},
    ]
    (tmp_path / "l.json").write_text(json.dumps(traces))
    brought = import_answers(tmp_path / "l.json", "langfuse")
    assert len({one.topic for one in brought.generations} - {"None"}) == 2
    assert any("belong to no trace" in line for line in brought.lost)


def test_an_id_is_never_made_of_the_place_in_the_file(tmp_path):
    rows = [{"user_input": ask, "response": "A fee."} for ask in ("Q?", "R?")]
    for name, own in (("a", rows), ("b", rows[::-1])):
        (tmp_path / f"{name}.json").write_text(json.dumps(own))
    made = [import_answers(tmp_path / f"{name}.json", "ragas").generations for name in "ab"]
    assert {one.ask: one.topic for one in made[0]} == {one.ask: one.topic for one in made[1]}
