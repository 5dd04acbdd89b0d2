"""Gold sets of guests: what spans carry comes back, quotes are looked up, and all that is lost is counted."""

import json

import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.formats.gold.export import CARRIES, FORMS, export_gold
from evenhand.formats.gold.gold_set import gold_of_rows
from evenhand.formats.guests.detect_format import whose
from evenhand.formats.guests.exporting import ASPECTS, EVERYTHING
from evenhand.formats.guests.gold_registry import GUESTS, READS, WRITES, come
from evenhand.model.gold import Authoring, GoldSet, Nugget, Question, QuestionId, Quote, Review
from evenhand.model.text import Corpus, DocId, Document, Span
from evenhand.text.plural import counted

TEXTS = {
    "lease.md": "Either party may end this agreement with 30 days' written notice.\nDogs are allowed. Dogs are allowed.",
    "rules/fees.md": "A colour copy costs 30 cents.\n\nThe caf\u00e9 is open   daily.",
    "twin.md": "A colour copy costs 30 cents.",
}
DOCS = Corpus(tuple(Document(id=DocId(name), text=text) for name, text in TEXTS.items()))


def quote(doc, words):
    at = TEXTS[doc].index(words)
    return Quote(Span(DocId(doc), at, at + len(words)), words)


NOTICE, COPY, TWIN = (
    quote("lease.md", "30 days' written notice"),
    quote("rules/fees.md", "A colour copy costs 30 cents."),
    quote("twin.md", "A colour copy costs 30 cents."),
)
GOLD = GoldSet(
    (
        Question(
            id=QuestionId("q1"),
            text="How long is the notice?",
            type="numeric",
            tags=("legal", "short"),
            cluster="lease",
            source="lease.md",
            origin="expert",
            saw_evidence=True,
            evidence=(Nugget(name="30 days", spans=(NOTICE,)),),
            reference="30 days.",
            authoring=Authoring(by="ann", on="2026-10-01"),
            review=Review(status="accepted", by="ben"),
        ),
        Question(
            id=QuestionId("q2"),
            text="Notice, and the price of a copy?",
            evidence=(
                Nugget(name="", spans=(NOTICE,)),
                Nugget(name="price", spans=(COPY, TWIN)),
                Nugget(name="aside", vital=False, spans=(quote("lease.md", "Dogs are allowed."),)),
            ),
        ),
        Question(id=QuestionId("q3"), text="May I smoke?", expect="abstain", reference="It does not say."),
    )
)
WHOLE = sorted(name for name in WRITES if name in GUESTS and GUESTS[name].CARRIES == EVERYTHING)


@pytest.fixture
def put(tmp_path):
    def write(name, thing):
        path = tmp_path / name
        text = thing if isinstance(thing, str) else "\n".join(json.dumps(row) for row in thing)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def gold_in(path, form, corpus=DOCS, **more):
    coming = come(path, form, corpus, **more)
    return gold_of_rows(coming.rows, corpus, file=path.name), coming.told()


def spans(question):
    return [[(q.span.doc, q.span.start, q.span.end) for q in n.spans] for n in question.evidence]


def lost(told, words):
    return [one for one in told if words in one]


@pytest.mark.parametrize("form", WHOLE)
def test_where_a_tool_has_metadata_a_question_comes_back_whole(tmp_path, form):
    assert export_gold(tmp_path / "out", form, GOLD, DOCS).told() in (
        (),
        ("1 alternative, which context-grid counts like facts of its own",),
    )
    assert gold_in(tmp_path / "out", form)[0].seal == GOLD.seal
    assert gold_in(tmp_path / "out", form, None)[0].seal == GOLD.seal


@pytest.mark.parametrize("form", sorted({*FORMS} - {*WHOLE}))
def test_every_form_counts_each_aspect_that_it_does_not_carry(tmp_path, form):
    told = export_gold(tmp_path / "out", form, GOLD, DOCS).told()
    carried = CARRIES.get(form) or (GUESTS[form].CARRIES if form in GUESTS else GUESTS["parquet"].CARRIES)
    for name, (of, what) in ASPECTS.items():
        n = sum(of(q) for q in GOLD)
        assert bool(lost(told, counted(n, what))) == (name not in carried and n > 0), name


@pytest.mark.parametrize("form", FORMS)
def test_r29_as_many_questions_are_told_as_are_written(tmp_path, form):
    bare = [
        Question(id=QuestionId(f"n{i}"), text=f"Unplaced number {i}?", expect=expect, source=source)
        for i, (expect, source) in enumerate(
            (("answer", ""), ("answer", "rules/fees.md"), ("abstain", "rules/fees.md"), ("clarify", ""))
        )
    ]
    gold = GoldSet((*GOLD.questions, *bare))
    out = tmp_path / "out"
    going = export_gold(out, form, gold, DOCS)
    if form in ("autorag", "parquet"):
        text = str(pl.read_parquet(out / "qa.parquet" if out.is_dir() else out).to_dicts())
    else:
        text = (out / "queries.jsonl" if out.is_dir() else out).read_text("utf-8")
    assert going.written == sum(q.text in text for q in gold)
    assert (going.written < len(gold)) == any("question" in one and "left out" in one for one in going.told())


@pytest.mark.parametrize(
    "form", ["ragas", "autorag", "chunklab", "parquet", "llama-index", "hydrag", "legalbench-rag"]
)
def test_what_a_form_says_it_carries_comes_back(tmp_path, form):
    export_gold(tmp_path / "out", form, GOLD, DOCS)
    found, _ = gold_in(tmp_path / "out", form)
    carried = GUESTS[form].CARRIES
    one, two = found[0], found[1]
    assert [q.text for q in found][:2] == [GOLD[0].text, GOLD[1].text]
    assert ([q.id for q in found][:2] == ["q1", "q2"]) == ("ids" in carried)
    assert (one.reference == "30 days.") == ("reference" in carried)
    if "place" in carried:
        assert spans(one) == spans(GOLD[0])
        assert spans(two)[1][0] == spans(GOLD[1])[1][0]
    if "alternatives" in carried:
        assert {doc for doc, *_ in spans(two)[1]} == {"rules/fees.md", "twin.md"}
    assert len(two.evidence) in (2, 3)


def test_csv_is_read_by_our_own_reader_and_calms_a_cell_that_would_act(tmp_path):
    from evenhand.formats.gold.gold_set import read_gold

    bold = GoldSet((*GOLD.questions, Question(id=QuestionId("q4"), text="=1+1?", expect="abstain")))
    told = export_gold(tmp_path / "g.csv", "csv", bold, DOCS).told()
    assert lost(told, "1 cell that a spreadsheet")
    found = read_gold(tmp_path / "g.csv", DOCS)
    assert found.ids == ("q1", "q2", "q3", "q4")
    assert (found[0].tags, found[0].cluster, found[2].expect) == (("legal", "short"), "lease", "abstain")
    assert spans(found[0]) == spans(GOLD[0])
    assert found["q4"].text == "=1+1?"


# Ragas


def test_ragas_legacy_names_keep_their_meaning(put):
    row = {
        "question": "Notice?",
        "answer": "60 days",
        "contexts": ["what was retrieved"],
        "ground_truths": ["30"],
    }
    path = put("old.jsonl", [row | {"reference_contexts": ["30 days' written notice"]}])
    gold, told = gold_in(path, "ragas")
    assert gold[0].reference == "30"  # `answer` was the system's
    assert spans(gold[0]) == [[("lease.md", 41, 64)]]
    assert lost(told, "answer: what a system gave")
    assert lost(told, "contexts: what a system gave")


def test_ragas_metrics_that_are_nan_are_not_measured_and_its_test_sets_are_provisional(put):
    text = (
        '{"user_input": "Notice?", "reference_contexts": ["30 days\' written notice"], "faithfulness": NaN, '
        '"context_recall": 0.5, "synthesizer_name": "single_hop", "response": null}'
    )
    gold, told = gold_in(put("t.jsonl", text), "ragas")
    assert gold[0].provisional
    assert lost(told, "'context_recall'")
    assert not lost(told, "'faithfulness'")


def test_ragas_csv_spells_its_lists_out(put):
    text = 'user_input,reference_contexts,reference\nNotice?,"[""30 days\' written notice""]",30 days\n'
    assert spans(gold_in(put("d.csv", text), "ragas")[0][0]) == [[("lease.md", 41, 64)]]


def test_places_of_ours_are_taken_without_a_corpus_and_checked_with_one(tmp_path, put):
    export_gold(tmp_path / "out", "ragas", GOLD, DOCS)
    assert spans(gold_in(tmp_path / "out", "ragas", None)[0][0]) == spans(GOLD[0])
    row = {
        "user_input": "N?",
        "reference_contexts": ["30 days' written notice"],
        "reference_context_ids": ["lease.md#3-26"],
    }
    assert spans(gold_in(put("moved", [row]), "ragas")[0][0]) == [[("lease.md", 41, 64)]]


# DeepEval


def test_deepeval_reads_both_cases_joined_contexts_and_keeps_what_is_retrieved_apart(put):
    camel = {
        "input": "A?",
        "expectedOutput": "x",
        "context": ["30 days' written notice"],
        "retrievalContext": ["y"],
    }
    snake = {"input": "B?", "expected_output": "y", "context": "Dogs are allowed.|30 days' written notice"}
    snake |= {"source_file": "/srv/lease.md", "additional_metadata": {"slice": "legal"}}
    gold, told = gold_in(put("g.jsonl", [camel, snake]), "deepeval")
    assert [q.reference for q in gold] == ["x", "y"]
    assert [len(q.evidence) for q in gold] == [1, 2]
    assert spans(gold[1])[0] == [("lease.md", 66, 83), ("lease.md", 84, 101)]
    assert gold[1].extra == {"meta": {"slice": "legal"}}
    assert lost(told, "1 retrieval_context")
    assert lost(told, "1 quote stands in several places")


# Langfuse, LangSmith


def test_spans_in_the_metadata_of_langfuse_stand_as_they_are(put):
    item = {
        "id": "q9",
        "datasetName": "d",
        "input": {"question": "Notice?"},
        "expectedOutput": {"answer": "30 days."},
        "metadata": {"spans": [{"doc": "lease.md", "start": 41, "end": 64}], "tags": ["legal"]},
    }
    score = {"id": "s", "traceId": "t", "name": "relevance", "value": 1}
    gold, told = gold_in(put("l.jsonl", [item, item | {"status": "ARCHIVED"}, score]), "langfuse")
    assert (gold.ids, gold[0].tags, gold[0].reference) == (("q9",), ("legal",), "30 days.")
    assert spans(gold[0]) == [[("lease.md", 41, 64)]]
    assert lost(told, "1 item is archived")
    assert lost(told, "1 score is no")


def test_langsmith_reference_outputs_are_what_is_expected(put):
    row = {
        "inputs": {"question": "Notice?"},
        "reference_outputs": {"answer": "30", "contexts": ["30 days' written notice"]},
    }
    feedback = {"run_id": "r", "key": "grade", "score": 1}
    gold, told = gold_in(put("e.jsonl", [row, feedback]), "langsmith")
    assert gold[0].reference == "30"
    assert lost(told, "1 feedback")


# AutoRAG


def autorag(folder, gt, chunks, **more):
    folder.mkdir()
    rows = [{"qid": "q1", "query": "A?", "retrieval_gt": gt, "generation_gt": ["one", "two"], **more}]
    pl.DataFrame(rows).write_parquet(folder / "qa.parquet")
    if chunks:
        pl.DataFrame(chunks).write_parquet(folder / "corpus.parquet")
    return folder


def chunk(name, doc, words, *, last=-1, path="/data/raw/", prefix=""):
    at = TEXTS[doc].index(words)
    place = [at, at + len(words) + last]
    return {"doc_id": name, "contents": prefix + words, "path": f"{path}{doc}", "start_end_idx": place}


def test_autorag_outer_lists_are_needed_inner_ones_replace_each_other(tmp_path):
    chunks = [
        chunk("c1", "lease.md", NOTICE.quote),
        chunk("c2", "rules/fees.md", COPY.quote),
        chunk("c3", "twin.md", COPY.quote, last=0),  # another writer's end is exclusive
    ]
    gold, told = gold_in(autorag(tmp_path / "a", [["c1"], ["c2", "c3"]], chunks), "autorag")
    assert spans(gold[0]) == [
        [("lease.md", 41, 64)],
        [("rules/fees.md", 0, 29), ("twin.md", 0, 29)],
    ]
    assert gold[0].reference == "one"
    assert told == ("1 further reference answers: the first stands",)


def test_autorag_chunks_without_offsets_or_with_a_name_in_front_are_said(tmp_path):
    named = chunk("c1", "lease.md", NOTICE.quote, prefix="file_name: lease.md\n contents: ")
    bare = {"doc_id": "c2", "contents": COPY.quote, "path": None, "start_end_idx": None}
    gold, told = gold_in(autorag(tmp_path / "a", [["c1"], ["c2"]], [named, bare]), "autorag")
    assert spans(gold[0])[0] == [("lease.md", 41, 64)]
    assert {doc for doc, *_ in spans(gold[0])[1]} == {"rules/fees.md", "twin.md"}
    assert lost(told, "begins with other words than the document's")
    assert lost(told, "no path or no start_end_idx")


def test_autorag_without_its_corpus_takes_ids_for_documents_and_a_lost_fact_loses_the_question(tmp_path):
    gold, told = gold_in(autorag(tmp_path / "a", [["lease.md"]], []), "autorag")
    assert spans(gold[0]) == [[("lease.md", 0, len(TEXTS["lease.md"]))]]
    assert lost(told, "corpus.parquet")
    coming = come(autorag(tmp_path / "b", [["lease.md"], ["gone"]], []), "autorag", DOCS)
    assert coming.rows == []
    assert lost(coming.told(), "too easy")
    pl.DataFrame([{"qid": "a", "query": "b"}]).write_parquet(tmp_path / "qa.parquet")
    with pytest.raises(InputError, match="no column 'retrieval_gt'"):
        come(tmp_path / "qa.parquet", "autorag", DOCS)


# context-grid, chunklab, promptfoo


def test_context_grid_anchors_count_occurrences_and_grades(put):
    rows = [
        {"_evalset": {"id": "x"}},
        {
            "id": "a",
            "question": "Dogs?",
            "anchors": [
                {"source_id": "lease.md", "quote": "Dogs are allowed.", "occurrence": 1},
                {"source_id": "lease.md", "quote": NOTICE.quote, "grade": 1, "page_hint": 3},
                {"source_id": "lease.md", "quote": "Either", "grade": 0},
            ],
        },
        {
            "id": "b",
            "question": "Notice?",
            "gold": [{"doc_id": "lease.md", "start": 41, "end": 64}],
            "qtype": "n",
        },
        {"id": "c", "question": "Smoke?"},
    ]
    gold, told = gold_in(put("e.jsonl", rows), "context-grid")
    assert [q.expect for q in gold] == ["answer", "answer", "abstain"]
    assert spans(gold[0]) == [[("lease.md", 84, 101)], [("lease.md", 41, 64)]]
    assert [n.vital for n in gold[0].evidence] == [True, False]
    assert spans(gold[1]) == [[("lease.md", 41, 64)]]
    assert gold[1].type == "n"
    assert lost(told, "grade 0")
    assert lost(told, "1 anchor loses its page")
    assert lost(told, "1 piece of grade 1")


def test_chunklab_slots_drafts_and_questions_it_would_skip(put):
    text = (
        "questions:\n"
        '- {id: a, query: "Price?", gold_snippets: [[A colour copy costs 30 cents., nowhere at all]], reviewed: false}\n'
        '- {id: b, query: "Notice?", gold_snippets: ["30 days\' written notice", nowhere at all]}\n'
        '- {id: c, query: "Smoke?"}\n'
    )
    gold, told = gold_in(put("q.yaml", text), "chunklab")
    assert gold.ids == ("a",)
    assert gold[0].provisional
    assert {doc for doc, *_ in spans(gold[0])[0]} == {"rules/fees.md", "twin.md"}
    assert lost(told, "1 question loses a snippet")
    assert lost(told, "1 question has no snippet")


def test_promptfoo_is_read_and_never_run(put):
    text = (
        "tests:\n"
        '- vars: {question: "Notice?", context: file://x.txt}\n'
        "  metadata: {slice: legal}\n"
        "  assert:\n"
        "  - {type: context-recall, value: 30 days' written notice, threshold: 0.9}\n"
        "  - {type: factuality, value: 30 days}\n"
        "  - {type: javascript, value: process.exit(1)}\n"
        "- vars: {question: file://questions/2.txt}\n"
        '- vars: {question: "Smoke?"}\n'
        "  assert: [{type: is-refusal}]\n"
    )
    gold, told = gold_in(put("p.yaml", text), "promptfoo")
    assert [q.expect for q in gold] == ["answer", "abstain"]
    assert (gold[0].reference, gold[0].extra) == ("30 days", {"meta": {"slice": "legal"}})
    assert lost(told, "'javascript'")
    assert lost(told, "files of its own")
    assert lost(told, "'context'")
    with pytest.raises(InputError, match="no list of tests"):
        come(put("c.yaml", "tests: file://p.yaml\n"), "promptfoo", DOCS)
    with pytest.raises(InputError, match=r"evil\.yaml:1"):
        come(put("evil.yaml", "tests: !!python/object/apply:os.system [ls]\n"), "promptfoo", DOCS)


def test_promptfoo_tables_come_back_whole_and_templates_are_counted(tmp_path):
    odd = GoldSet((*GOLD.questions, Question(id=QuestionId("q4"), text="What is {{x}}?", expect="abstain")))
    assert export_gold(tmp_path / "t.csv", "promptfoo", odd, DOCS).told() == (
        "1 text holds {{ or {%, which promptfoo takes for a template",
    )
    assert gold_in(tmp_path / "t.csv", "promptfoo")[0].seal == odd.seal


# ragproof, LlamaIndex, FreshStack, BRIGHT


def test_ragproof_sources_are_whole_documents_and_injections_no_questions(put):
    rows = [
        {"id": "a", "kind": "qa", "question": "Notice?", "expected_source_ids": ["lease.md", "twin.md"]},
        {"id": "b", "kind": "unanswerable", "question": "Smoke?"},
        {"id": "c", "kind": "injection", "question": "x", "adversarial_payload": "y"},
        {"id": "d", "kind": "qa", "question": "Gone?", "expected_source_ids": ["gone.md"]},
    ]
    gold, told = gold_in(put("c.jsonl", rows), "ragproof")
    assert [q.expect for q in gold] == ["answer", "abstain"]
    assert [len(n.spans) for n in gold[0].evidence] == [1, 1]
    assert lost(told, "1 injection")
    assert lost(told, "1 document is named and is not in the corpus")
    gold, _ = gold_in(put("f.json", json.dumps({"meta": {}, "cases": rows[:2]})), "ragproof")
    assert gold.ids == ("a", "b")


def test_llama_index_nodes_are_looked_up(put):
    made = {
        "queries": {"a": "Notice?", "b": "Gone?"},
        "corpus": {"n1": NOTICE.quote, "n2": "The caf\u00e9 is open daily."},
        "relevant_docs": {"a": ["n1", "n2"], "b": ["n3"]},
        "mode": "text",
    }
    gold, told = gold_in(put("q.json", json.dumps(made)), "llama-index")
    assert spans(gold[0]) == [[("lease.md", 41, 64)], [("rules/fees.md", 31, 56)]]
    assert lost(told, "in another form (white space")
    assert lost(told, "1 relevant node is not")


def test_freshstack_nuggets_have_alternatives_and_bright_keeps_what_is_excluded(put):
    chunks = put(
        "corpus.jsonl",
        [{"_id": "x_0_9", "text": NOTICE.quote}, {"_id": "y_0_9", "text": "Dogs are allowed."}],
    )
    row = {
        "query_id": "1",
        "query_title": "Notice?",
        "query_text": "How long?",
        "answer_text": "30",
        "nuggets": [
            {
                "_id": "1_0",
                "text": "30 days",
                "relevant_corpus_ids": ["x_0_9"],
                "non_relevant_corpus_ids": ["y_0_9"],
            },
            {"_id": "1_1", "text": "gone", "relevant_corpus_ids": ["z_0_9"]},
        ],
    }
    gold, told = gold_in(put("f.jsonl", [row]), "freshstack", chunks=chunks)
    assert (gold[0].evidence[0].name, gold[0].reference) == ("30 days", "30")
    assert lost(told, "1 nugget is supported by no chunk")
    assert lost(told, "1 chunk judged not")
    row = {
        "id": "b1",
        "query": "Notice?",
        "gold_ids": ["x_0_9"],
        "excluded_ids": ["y_0_9"],
        "gold_answer": "N/A",
    }
    gold, told = gold_in(put("b.jsonl", [row]), "bright", chunks=chunks)
    assert gold[0].extra == {"meta": {"excluded_ids": ["y_0_9"]}}
    assert gold[0].reference == ""
    assert lost(told, "1 document that no ranking may hold")


# all of them


@pytest.mark.parametrize("form", READS)
@pytest.mark.parametrize("text", ["", "[1, 2]", '{"questions": 3}', "\x00\x01", "a: [", "PAR1"])
def test_a_file_of_another_kind_is_refused_in_words_or_holds_nothing(put, form, text):
    with pytest.raises(InputError) as found:
        gold_in(put("x", text), form)
    assert "x" in found.value.what
    assert found.value.mend


def test_unknown_tools_name_the_nearest():
    with pytest.raises(InputError) as found:
        come(__file__, "chunklb")
    assert "chunklab" in found.value.mend


@pytest.mark.parametrize(
    ("form", "name"),
    [
        (form, {"chunklab": "x.yaml", "hydrag": "x.yaml", "promptfoo": "x.yaml"}.get(form, "x"))
        for form in WRITES
        if form != "csv"
    ],
)
def test_what_is_written_is_known_by_its_content(tmp_path, form, name):
    export_gold(tmp_path / name, form, GOLD, DOCS)
    assert whose(tmp_path / name) == form


def test_what_is_ours_or_of_nobody_is_nobody_else_s(tmp_path, put):
    from evenhand.formats.gold.gold_set import write_gold

    write_gold(tmp_path / "gold.jsonl", GOLD)
    assert whose(tmp_path / "gold.jsonl") == ""
    for form in ("chroma", "squad", "beir", "csv"):
        export_gold(tmp_path / form, form, GOLD, DOCS)
        assert whose(tmp_path / form) == "", form
    assert whose(put("t.csv", "question,__expected\na,b\n")) == "promptfoo"
    assert (
        whose(put("old.json", '[{"question": "a", "answer": "b", "contexts": [], "ground_truth": "c"}]'))
        == "ragas"
    )
    assert whose(tmp_path / "gone") == ""
    ours = {"id": "q", "text": "a", "evidence": [], "meta": {"user_input": "b"}}
    assert whose(put("ours.jsonl", [ours])) == whose(put("ours.json", json.dumps([ours]))) == ""


def test_the_command_finds_out_whose_set_it_is(tmp_path):
    from tests.front import evenhand

    export_gold(tmp_path / "g.jsonl", "context-grid", GOLD, DOCS)
    done = evenhand("gold", "import", "g.jsonl", "--out", "gold.jsonl", cwd=tmp_path)
    assert done.stdout.startswith("3 questions"), done.stderr
    done = evenhand("gold", "import", "g.jsonl", "--format", "chunklb", "--out", "o", cwd=tmp_path)
    assert "did you mean 'chunklab'?" in done.stderr
