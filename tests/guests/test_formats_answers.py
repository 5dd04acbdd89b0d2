"""Answers, labels and traces out to the types of the packages themselves, and back."""

import json
from pathlib import Path
from uuid import UUID

import pytest
from tests.formats.guests.answers.test_answered import ANSWER, MADE, RATINGS, REFUSED
from tests.formats.labels.test_judgements import ITEMS, LABELS
from tests.guests.parts import ragas

from evenhand.answer.checks.run_checks import check_all
from evenhand.formats.guests.answers.registry import export_answers, import_answers
from evenhand.formats.guests.labels.registry import export_labels, import_labels

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def quiet(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")


def out(tool, name="out"):
    export_answers(name, tool, [MADE, REFUSED], check_all([MADE]), RATINGS)
    return Path(name).read_text(encoding="utf-8")


def rows(tool):
    return [json.loads(line) for line in out(tool).splitlines()]


def labelled(tool, labels=LABELS):
    export_labels("labels", tool, ITEMS, labels)
    return [json.loads(line) for line in Path("labels").read_text(encoding="utf-8").split("\n") if line]


def test_ragas_loads_answers_and_we_read_what_it_saves():
    out("ragas", "a.jsonl")
    data = ragas("dataset_schema").EvaluationDataset.from_jsonl("a.jsonl")
    assert data.samples[0].response == ANSWER.text
    assert data.samples[0].retrieved_contexts == [p.text for p in MADE.passages]
    data.to_jsonl("again.jsonl")
    data.to_csv("again.csv")
    for name in ("again.jsonl", "again.csv"):
        found = import_answers(name, "ragas", system=MADE.system).generations[0]
        assert found.items[0].text == ANSWER.text, name
        assert [p.unit for p in found.passages] == [p.unit for p in MADE.passages], name


def test_deepeval_takes_each_row_as_a_test_case_and_gives_it_back_with_its_sources():
    from deepeval.dataset import EvaluationDataset
    from deepeval.test_case import LLMTestCase, RetrievedContextData

    (made,) = (row for row in rows("deepeval") if row["actual_output"] == ANSWER.text)
    case = LLMTestCase(**{**made, "metadata": made.pop("additional_metadata")})
    assert case.retrieval_context == [p.text for p in MADE.passages]
    data = EvaluationDataset()
    data.add_test_case(
        LLMTestCase(
            input="Notice?",
            actual_output="30 days",
            retrieval_context=[RetrievedContextData(context="30 days, written", source="lease.md"), "plain"],
        )
    )
    for ending in ("json", "jsonl", "csv"):
        data.save_as(file_type=ending, directory=".", file_name="cases", include_test_cases=True)
        (found,) = import_answers(f"cases.{ending}", "deepeval", system="s").generations
        assert [(p.text, p.doc) for p in found.passages] == [
            ("30 days, written", "lease.md"),
            ("plain", ""),
        ], ending
        assert found.items[0].text == "30 days"


def test_langfuse_types_take_traces_and_scores_as_anybody_may_create_them():
    from langfuse.api.core.pydantic_utilities import parse_obj_as
    from langfuse.api.scores.types.create_score_request import CreateScoreRequest

    for row in [row for row in (*rows("langfuse"), *labelled("langfuse")) if "traceId" in row]:
        made = parse_obj_as(CreateScoreRequest, row)
        assert made.trace_id == row["traceId"]
        assert str(made.source) == "API"  # the type has no other but ANNOTATION, which wants a configuration
        if row["dataType"] == "CATEGORICAL":
            assert isinstance(made.value, str)
        if row["dataType"] == "BOOLEAN":
            assert made.value in (0, 1)


def test_langfuse_gives_labels_back_as_scores_that_were_read():
    from langfuse.api.commons.types.score import Score_Categorical, Score_Numeric
    from langfuse.api.core.pydantic_utilities import parse_obj_as

    read = []
    for row in labelled("langfuse"):
        if "traceId" not in row:
            read.append(row)
            continue
        sure = {
            "timestamp": row["timestamp"] or "2026-11-30T00:00:00Z",
            "createdAt": "2026-11-30T00:00:00Z",
            "updatedAt": "2026-11-30T00:00:00Z",
            "environment": "default",
        }
        if row["dataType"] == "CATEGORICAL":
            made = parse_obj_as(Score_Categorical, {**row, **sure, "value": 0, "stringValue": row["value"]})
        else:
            made = parse_obj_as(Score_Numeric, {**row, **sure})
        read.append(json.loads(made.model_dump_json(by_alias=True)))
    Path("read.jsonl").write_text("".join(json.dumps(row) + "\n" for row in read), encoding="utf-8")
    taken = import_labels("read.jsonl", "langfuse", ITEMS)
    key = lambda one: (one.item, one.judge)  # noqa: E731
    for ours, back in zip(sorted(LABELS, key=key), sorted(taken.labels, key=key), strict=True):
        assert (ours.item, ours.judge, ours.grade, ours.kind, ours.by, ours.evidence) == (
            back.item,
            back.judge,
            back.grade,
            back.kind,
            back.by,
            back.evidence,
        )


def test_langsmith_takes_examples_and_feedback():
    from langsmith.schemas import ExampleCreate, FeedbackCreate

    for row in labelled("langsmith"):
        if "inputs" in row:
            assert isinstance(ExampleCreate(**row).id, UUID)
        else:
            made = FeedbackCreate(**row)
            assert made.key == "grade"


def test_phoenix_takes_spans_and_frames_of_annotations():
    import pandas as pd
    from phoenix.client.helpers.spans import uniquify_spans
    from phoenix.client.utils import annotation_helpers as its

    whole = rows("openinference")
    spans = [row for row in whole if "context" in row]
    assert len(uniquify_spans(spans)) == len(spans)
    frame = pd.DataFrame([row for row in whole if "annotator_kind" in row], dtype=object)
    its._validate_span_annotations_dataframe(
        dataframe=frame, annotation_name_required=True, annotator_kind_required=True
    )
    sent = [one for chunk in its._chunk_span_annotations_dataframe(dataframe=frame) for one in chunk]
    assert {one["annotator_kind"] for one in sent} == {"CODE", "HUMAN", "LLM"}
    assert len(sent) == len(frame)


def test_phoenix_takes_labels_as_annotations_of_documents_and_gives_them_back():
    import pandas as pd
    from phoenix.client.utils import annotation_helpers as its

    whole = labelled("phoenix")
    frame = pd.DataFrame([row for row in whole if "annotator_kind" in row], dtype=object)
    its._validate_document_annotations_dataframe(
        dataframe=frame, annotation_name_required=True, annotator_kind_required=True
    )
    sent = [one for chunk in its._chunk_document_annotations_dataframe(dataframe=frame) for one in chunk]
    assert len(sent) == len(LABELS)
    back = [row for row in whole if "context" in row]
    back += [{**one, **one.get("result", {})} for one in sent]
    Path("back.jsonl").write_text("".join(json.dumps(row) + "\n" for row in back), encoding="utf-8")
    taken = import_labels("back.jsonl", "phoenix", ITEMS)
    key = lambda one: (one.item, one.judge)  # noqa: E731
    assert taken.lost == ()
    assert sorted(taken.labels, key=key) == sorted(LABELS, key=key)


def test_attributes_are_those_of_the_conventions():
    from openinference.semconv.trace import DocumentAttributes, OpenInferenceSpanKindValues, SpanAttributes

    known = {value for name, value in vars(SpanAttributes).items() if name.isupper()}
    inner = {value for name, value in vars(DocumentAttributes).items() if name.isupper()}
    kinds = {one.value for one in OpenInferenceSpanKindValues}
    for row in [row for row in rows("openinference") if "context" in row]:
        assert row["span_kind"] in kinds
        for name in row["attributes"]:
            if name.startswith(f"{SpanAttributes.RETRIEVAL_DOCUMENTS}."):
                assert name.split(".", 3)[3] in inner, name
            else:
                assert name in known, name


def test_haystack_takes_answers_as_an_evaluation_run_result():
    from haystack.evaluation import EvaluationRunResult

    made = json.loads(out("haystack"))
    result = EvaluationRunResult(**made)
    n = len(made["inputs"]["questions"])
    assert len(result.detailed_report("df")) == n
    assert set(result.aggregated_report("json")["metrics"]) == set(made["results"])


def test_langchain_documents_are_what_the_context_of_openevals_holds():
    from langchain_core.documents import Document
    from langchain_core.load import dumpd

    documents = [Document(page_content="30 days, written", metadata={"source": "lease.md"})]
    row = {"inputs": {"question": "Notice?"}, "outputs": {"answer": "30 days"}}
    for context in (
        {"documents": [one.model_dump() for one in documents]},
        [one.model_dump() for one in documents],
        documents[0].page_content,
    ):
        Path("o.json").write_text(json.dumps([{**row, "context": context}]), encoding="utf-8")
        (found,) = import_answers("o.json", "openevals").generations
        assert found.passages[0].text == "30 days, written"
    assert dumpd(documents[0])["kwargs"]["page_content"] == "30 days, written"
    made = rows("openevals")[0]["context"]["documents"]
    assert [Document(**one).page_content for one in made] == [p.text for p in MADE.passages]


def test_a_table_of_labels_goes_through_pandas():
    import pandas as pd

    export_labels("labels.csv", "csv", ITEMS, LABELS)
    pd.read_csv("labels.csv", dtype=str, keep_default_na=False).to_csv("again.csv", index=False)
    taken = import_labels("again.csv", "csv", ITEMS)
    key = lambda one: (one.item, one.judge)  # noqa: E731
    assert [one.grade for one in sorted(taken.labels, key=key)] == [
        one.grade for one in sorted(LABELS, key=key)
    ]
