"""Gold sets out to the real packages, through their own readers and writers, and back."""

import json

import pytest
from tests.formats.gold.test_gold_sets import DOCS, GOLD, NOTICE, gold_in, lost, spans
from tests.guests.parts import ragas

from evenhand.formats.gold.export import export_gold

pytestmark = pytest.mark.filterwarnings("ignore")  # what guests warn of is theirs


@pytest.fixture(autouse=True)
def quiet(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # deepeval and others leave files where they stand
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
    monkeypatch.setenv("RAGAS_DO_NOT_TRACK", "true")


def out(tmp_path, form, name="out"):
    export_gold(tmp_path / name, form, GOLD, DOCS)
    return tmp_path / name


def test_ragas_loads_what_we_write_and_we_read_what_it_saves(tmp_path):
    schema = ragas("dataset_schema")
    ours = schema.EvaluationDataset.from_jsonl(out(tmp_path, "ragas"))
    assert [one.user_input for one in ours.samples] == [q.text for q in GOLD]
    assert ours.samples[0].reference_contexts == [NOTICE.quote]
    assert ours.samples[0].reference_context_ids == ["lease.md#41-64"]
    ours.to_jsonl(tmp_path / "again.jsonl")
    ours.to_csv(tmp_path / "again.csv")
    for name in ("again.jsonl", "again.csv"):
        found, _ = gold_in(tmp_path / name, "ragas")
        assert spans(found[0]) == spans(GOLD[0]), name
        assert found[0].reference == "30 days.", name


def test_a_sample_of_ragas_with_all_its_fields_loses_what_is_no_gold(tmp_path):
    schema = ragas("dataset_schema")
    sample = schema.SingleTurnSample(
        user_input="Notice?",
        retrieved_contexts=["x"],
        reference_contexts=[NOTICE.quote],
        retrieved_context_ids=["1"],
        response="30",
        multi_responses=["a"],
        reference="30 days.",
        rubrics={"score1": "bad"},
        persona_name="tenant",
        query_style="MISSPELLED",
        query_length="SHORT",
    )
    turns = schema.MultiTurnSample(user_input=[ragas("messages").HumanMessage(content="Hi")])
    schema.EvaluationDataset([sample]).to_jsonl(tmp_path / "all.jsonl")
    found, told = gold_in(tmp_path / "all.jsonl", "ragas")
    assert spans(found[0]) == spans(GOLD[0])
    for name in ("rubrics", "persona_name", "query_style", "query_length"):
        assert lost(told, f"'{name}'"), name
    for name in ("response", "retrieved_contexts", "multi_responses"):
        assert lost(told, f"{name}: what a system gave"), name
    schema.EvaluationDataset([turns]).to_jsonl(tmp_path / "turns.jsonl")
    from evenhand.formats.guests.gold_registry import come

    assert lost(come(tmp_path / "turns.jsonl", "ragas", DOCS).told(), "several turns")


def test_ragas_keeps_data_sets_of_its_own_as_lines_and_as_tables(tmp_path):
    rows = [json.loads(line) for line in out(tmp_path, "ragas").read_text().splitlines()]
    for kind in ("local_jsonl", "local_csv"):
        backends = ragas(f"backends.{kind}")
        name = "LocalJSONLBackend" if kind == "local_jsonl" else "LocalCSVBackend"
        getattr(backends, name)(str(tmp_path / kind)).save_dataset("gold", rows)
        [file] = (tmp_path / kind / "datasets").iterdir()
        found, _ = gold_in(file, "ragas")
        assert spans(found[0]) == spans(GOLD[0]), kind


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv"])
def test_deepeval_goldens_go_there_and_come_back(tmp_path, ending):
    from deepeval.dataset import EvaluationDataset

    data = EvaluationDataset()
    data.add_goldens_from_json_file(str(out(tmp_path, "deepeval", "g.json")))
    assert [golden.input for golden in data.goldens] == [q.text for q in GOLD]
    assert data.goldens[0].context == [NOTICE.quote]
    assert data.goldens[0].source_file == "lease.md"
    data.save_as(file_type=ending, directory=str(tmp_path), file_name="again")
    found, _ = gold_in(tmp_path / f"again.{ending}", "deepeval")
    if data.goldens[0].additional_metadata:  # its JSON reader leaves them out: then words alone come back
        assert found.seal == GOLD.seal
    assert spans(found[0]) == spans(GOLD[0])
    assert [q.text for q in found][:2] == [q.text for q in GOLD][:2]


def test_deepeval_in_the_case_of_its_api_and_with_a_source_to_each_context(tmp_path):
    from deepeval.dataset import Golden
    from deepeval.test_case import RetrievedContextData

    golden = Golden(
        input="Notice?",
        expected_output="30 days.",
        context=[NOTICE.quote],
        retrieval_context=[RetrievedContextData(context="x", source="y")],
        additional_metadata={"slice": "legal"},
    )
    for alias in (True, False):
        text = json.dumps([golden.model_dump(by_alias=alias, mode="json")])
        (tmp_path / "g.json").write_text(text)
        found, told = gold_in(tmp_path / "g.json", "deepeval")
        assert (found[0].reference, spans(found[0])) == ("30 days.", spans(GOLD[0]))
        assert found[0].extra == {"meta": {"slice": "legal"}}
        assert lost(told, "retrieval_context")


def test_langfuse_takes_the_items_and_gives_them_back(tmp_path):
    from langfuse.api.commons.types.dataset_item import DatasetItem
    from langfuse.api.core.pydantic_utilities import parse_obj_as
    from langfuse.api.dataset_items.types.create_dataset_item_request import CreateDatasetItemRequest

    read = []
    for n, line in enumerate(out(tmp_path, "langfuse").read_text().splitlines()):
        asked = parse_obj_as(CreateDatasetItemRequest, json.loads(line))
        assert asked.dataset_name == "gold"
        item = parse_obj_as(
            DatasetItem,
            {
                **json.loads(line),
                "status": "ACTIVE",
                "datasetId": "d",
                "createdAt": f"2026-11-30T00:00:0{n}Z",
                "updatedAt": f"2026-11-30T00:00:0{n}Z",
                "mediaReferences": [],
            },
        )
        read.append(json.loads(item.model_dump_json(by_alias=True)))
    (tmp_path / "back.json").write_text(json.dumps({"data": read, "meta": {"page": 1}}))
    assert gold_in(tmp_path / "back.json", "langfuse")[0].seal == GOLD.seal


def test_langsmith_takes_the_examples_and_gives_them_back(tmp_path):
    from uuid import NAMESPACE_URL, uuid5

    from langsmith.schemas import Example, ExampleCreate

    read = []
    for line in out(tmp_path, "langsmith").read_text().splitlines():
        made = ExampleCreate(**json.loads(line))
        sent = made.model_dump(mode="json", by_alias=True)
        got = Example(
            id=uuid5(NAMESPACE_URL, line),
            inputs=sent["inputs"],
            outputs=sent["outputs"],
            metadata=sent["metadata"],
        )
        read.append(got.model_dump(mode="json"))
    (tmp_path / "back.json").write_text(json.dumps(read))
    assert gold_in(tmp_path / "back.json", "langsmith")[0].seal == GOLD.seal


def test_context_grid_reads_writes_and_resolves(tmp_path):
    from contextgrid.evalset.io import read_jsonl, read_legalbench_rag, write_csv, write_jsonl

    theirs = read_jsonl(out(tmp_path, "context-grid"))
    assert [item.id for item in theirs] == ["q1", "q2", "q3"]
    assert not theirs.items[2].is_answerable
    assert [(g.span.doc_id, g.span.start, g.span.end, g.grade) for g in theirs.items[1].gold] == [
        ("lease.md", 41, 64, 2),
        ("rules/fees.md", 0, 29, 2),
        ("twin.md", 0, 29, 2),
        ("lease.md", 66, 83, 1),
    ]
    write_jsonl(theirs, tmp_path / "again.jsonl")
    assert gold_in(tmp_path / "again.jsonl", "context-grid")[0].seal == GOLD.seal
    write_csv(theirs, tmp_path / "again.csv")
    assert gold_in(tmp_path / "again.csv", "context-grid")[0].seal == GOLD.seal
    legal = read_legalbench_rag(out(tmp_path, "legalbench-rag", "l.json"))
    assert [(g.span.doc_id, g.span.start, g.span.end) for g in legal.items[0].gold] == [("lease.md", 41, 64)]


def test_an_eval_set_of_context_grid_without_anything_of_ours(tmp_path):
    from contextgrid.core.evalset import EvalItem, EvalSet, GoldAnchor, GoldSpan
    from contextgrid.core.span import Span
    from contextgrid.evalset.io import write_jsonl

    items = (
        EvalItem(id="a", question="Notice?", anchors=(GoldAnchor("lease.md", NOTICE.quote),), answer="30"),
        EvalItem(id="b", question="Dogs?", gold=(GoldSpan(Span("lease.md", 66, 83)),), qtype="factoid"),
        EvalItem(id="c", question="Smoke?"),
    )
    write_jsonl(EvalSet(id="x", items=items), tmp_path / "e.jsonl")
    found, _ = gold_in(tmp_path / "e.jsonl", "context-grid")
    assert [spans(q) for q in found] == [[[("lease.md", 41, 64)]], [[("lease.md", 66, 83)]], []]
    assert (found[0].reference, found[1].type, found[2].expect) == ("30", "factoid", "abstain")


def test_chunklab_loads_our_questions_and_finds_every_snippet(tmp_path):
    from chunklab.config import load_questions
    from chunklab.eval.gold_match import exact_occurrences, normalize, variants

    questions = load_questions(out(tmp_path, "chunklab", "q.yaml"))
    assert [q.id for q in questions] == ["q1", "q2", "q3"]
    assert questions[1].gold_snippets == [NOTICE.quote, "A colour copy costs 30 cents."]
    for words in (one for q in questions for slot in q.gold_snippets for one in variants(slot)):
        assert any(exact_occurrences(normalize(words), normalize(d.text)) for d in DOCS), words
    found, _ = gold_in(tmp_path / "q.yaml", "chunklab")
    assert spans(found[0]) == spans(GOLD[0])


def test_ragproof_loads_freezes_and_gives_back(tmp_path):
    from ragproof.datasets.freeze import freeze, load_dataset, validate_cases, write_frozen

    cases = load_dataset(out(tmp_path, "ragproof", "c.jsonl"))
    validate_cases(cases)
    assert [case.kind for case in cases] == ["qa", "qa", "unanswerable"]
    assert cases[1].expected_source_ids == ["lease.md", "rules/fees.md"]
    write_frozen(tmp_path / "c.frozen.json", freeze(cases))
    found, _ = gold_in(tmp_path / "c.frozen.json", "ragproof")
    assert found.ids == ("q1", "q2", "q3")
    assert found[2].expect == "abstain"


def test_parquet_of_ours_is_a_frame_of_pandas(tmp_path):
    import pandas as pd

    frame = pd.read_parquet(out(tmp_path, "parquet", "g.parquet"))
    assert list(frame["start"].dropna().astype(int)) == [41, 41, 0, 66]
    folder = out(tmp_path, "autorag", "autorag")
    qa, corpus = pd.read_parquet(folder / "qa.parquet"), pd.read_parquet(folder / "corpus.parquet")
    assert [list(slot) for slot in qa["retrieval_gt"][0]] == [["lease.md"]]
    assert set(corpus["doc_id"]) == {str(d.id) for d in DOCS}
    # as AutoRAG checks them: every chunk named is there, and each has its date and neighbours
    assert {one for gt in qa["retrieval_gt"] for slot in gt for one in slot} <= set(corpus["doc_id"])
    assert set(corpus["metadata"][0]) == {"last_modified_datetime", "prev_id", "next_id"}


def test_csv_of_ours_is_a_frame_of_pandas_and_comes_back_from_one(tmp_path):
    import pandas as pd

    from evenhand.formats.gold.gold_set import read_gold

    frame = pd.read_csv(out(tmp_path, "csv", "g.csv"), dtype=str, keep_default_na=False)
    assert list(frame["id"]) == ["q1", "q2", "q2", "q2", "q3"]
    frame.to_csv(tmp_path / "again.csv", index=False)
    found = read_gold(tmp_path / "again.csv", DOCS)
    assert spans(found[0]) == spans(GOLD[0])
    assert found["q3"].expect == "abstain"


def test_ids_in_samples_of_ragas_are_a_run_and_its_judgements(tmp_path):
    from evenhand.formats.runs.trec import read_qrels, read_run
    from evenhand.metrics.measure.measure import measure

    schema = ragas("dataset_schema")
    sample = schema.SingleTurnSample(
        user_input="Notice?", retrieved_context_ids=["x", "u1"], reference_context_ids=["u1", 2]
    )
    data = schema.EvaluationDataset([sample])
    data.to_jsonl(tmp_path / "r.jsonl")
    data.to_csv(tmp_path / "r.csv")
    for name in ("r.jsonl", "r.csv"):
        run = read_run(tmp_path / name, form="ragas")
        qrels = read_qrels(tmp_path / name, form="ragas")
        assert measure(qrels, run, "R@5").value[0, 0, 0] == 0.5, name
        assert measure(qrels, run, "RR@5").value[0, 0, 0] == 0.5, name
