"""Gold sets of other tools: tables, Chroma, SQuAD, TREC topics, BEIR and LIMIT."""

import gzip
import json

import pytest
from tests.shared import SHARED, needs_shared

from evenhand.errors import InputError
from evenhand.formats.gold.gold_set import load_gold, read_gold, write_gold
from evenhand.gold.align import align
from evenhand.model.text import Corpus, DocId, Document, Units

LEASE = "Either party may end this agreement with 30 days' written notice. Dogs are allowed."


def corpus(**texts):
    return Corpus(tuple(Document(id=DocId(name), text=text) for name, text in texts.items()))


DOCS = corpus(**{"lease.md": LEASE, "a b": " Joshua trees. \n", "c": "Quokkas.", "empty": " "})


@pytest.fixture
def write(tmp_path):
    def put(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


def refused(path, documents=DOCS, **options):
    with pytest.raises(InputError) as caught:
        read_gold(path, documents, **options)
    return str(caught.value)


def spans(gold, i=0):
    return [(q.span.doc, q.span.start, q.span.end) for n in gold[i].evidence for q in n.spans]


# tables


def test_a_table_with_question_and_quote_is_a_gold_set(write):
    path = write("g.csv", "question,doc,quote\nHow long is the notice?,lease.md,30 days' written notice\n")
    gold = read_gold(path, DOCS)
    assert gold.ids == ("q0000",)
    assert spans(gold) == [("lease.md", 41, 64)]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_column_names_of_other_tools_separators_and_a_byte_order_mark_are_known_b003(write, mark):
    rows = [["id", "Query", "file", "passage", "expected_answer", "qtype", "tags", "meta.page"]]
    rows += [["007", "Notice?", "lease.md", "30 days' written notice", "30 days", "fact", "a|b", "3"]]
    path = write("g.csv", "\ufeff" + "\r\n".join(mark.join(row) for row in rows))
    question = read_gold(path, DOCS)[0]
    assert (question.id, question.reference, question.type, question.tags) == (
        "007",
        "30 days",
        "fact",
        ("a", "b"),
    )
    assert question.extra == {"meta": {"meta.page"[5:]: "3"}}
    assert question.line == 2


def test_rows_of_one_question_are_its_facts(write):
    text = "question,doc,quote\nWhat holds?,lease.md,30 days' written notice\nWhat holds?,lease.md,Dogs are allowed\n"
    gold = read_gold(write("g.csv", text), DOCS)
    assert len(gold) == 1
    assert len(gold[0].evidence) == 2


def test_a_quote_over_two_lines_keeps_the_line_numbers_right(write):
    text = (
        'id,question,doc,quote\nq1,"Over\ntwo lines?",lease.md,Dogs\nq2,Next?,lease.md,nowhere at all in it\n'
    )
    assert "g.csv:4 q2 quote" in refused(write("g.csv", text))


def test_an_id_of_two_wordings_in_a_table_is_refused_with_both_lines_b019(write):
    text = "id,question,doc,quote\nq1,Opening?,lease.md,Dogs\nq2,Fee?,lease.md,Dogs\nq1,When open?,lease.md,Dogs\n"
    assert "lines 2 and 4" in refused(write("g.csv", text))
    again = text.replace("When open?", "Opening?")
    gold = read_gold(write("g.csv", again), DOCS)
    assert len(gold) == 2
    assert "g.csv:4" in gold.warnings[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("question,doc,quot\na,b,c\n", "did you mean 'quote'?"),
        ("doc,quote\nlease.md,Dogs\n", "has no column of questions"),
        ("question,query,doc,quote\na,a,lease.md,Dogs\n", "two columns"),
        ("question,doc,quote\na,lease.md\n", "g.csv:2: has 2 cells, the header 3"),
        ('question,doc,quote\na,lease.md,"Dogs\n', "g.csv:2: is not a row of CSV"),
        ("question,doc,quote\na,,Dogs\n", "source: is missing"),
        ("question,doc,start,end\na,lease.md,1,x\n", "end: is not a whole number"),
        ("question,doc,start,end\na,lease.md,5,5\n", "does not go with its end"),
        ("question,doc,quote\n", "holds no questions"),
        ("question,doc,quote,expect\na,lease.md,Dogs,maybe\n", "expect: is not a known word"),
    ],
)
def test_a_fault_of_a_table_names_its_place(write, text, words):
    assert words in refused(write("g.csv", text))


# Chroma


def chroma(references, question="Notice?"):
    cell = json.dumps(references) if not isinstance(references, str) else references
    quoted = cell.replace('"', '""')
    return f'question,references,corpus_id\n{question},"{quoted}",lease\n'


def test_chroma_references_are_nuggets_that_are_all_needed(write):
    two = [
        {"content": "30 days' written notice", "start_index": 41, "end_index": 64},
        {"content": "Dogs", "start_index": 66, "end_index": 70},
    ]
    gold = read_gold(write("questions_df.csv", chroma(two)), DOCS)
    assert (gold.spans, gold.ids, gold[0].type, gold[0].cluster) == ("all", ("q0000",), "lease", "lease")
    assert len(gold[0].evidence) == 2
    units = Units.of(DOCS, "test", [(DOCS.position["lease.md"], 0, 65), (DOCS.position["lease.md"], 0, 80)])
    assert align(gold, units).judged("q0000") == {"lease.md#0-65": 1.0, "lease.md#0-80": 2.0}


@pytest.mark.parametrize(
    ("references", "words"),
    [
        ("[{not json", "q0000 references: is not JSON"),
        ('{"content": 1}', "is not a list of objects"),
        ([{"content": "Dogs", "start_index": 5, "end_index": 5}], "has no usable offsets"),
        ([{"content": "Dogs", "start_index": 5}], "has no usable offsets"),
        ([{"content": "", "start_index": 5, "end_index": 6}], "content: is empty"),
        ([], "expects an answer and has no evidence"),
    ],
)
def test_a_broken_row_of_chroma_is_refused_not_dropped(write, references, words):
    message = refused(write("questions_df.csv", chroma(references)))
    assert "questions_df.csv:2" in message
    assert words in message


@needs_shared
def test_all_790_references_of_chunking_evaluation_stand_where_they_say():
    folder = SHARED / "data" / "chunking_evaluation"
    texts = {p.name: p.read_bytes().decode() for p in (folder / "corpora").glob("*.md")}
    gold = read_gold(folder / "questions_df.csv", corpus(**texts))
    assert len(gold) == 472
    assert sum(len(question.evidence) for question in gold) == 790
    assert sum(len(question.evidence) > 1 for question in gold) == 188
    assert gold.warnings == ()


# SQuAD


def squad(*qas, context=LEASE):
    return json.dumps(
        {"version": "2.0", "data": [{"title": "T", "paragraphs": [{"context": context, "qas": list(qas)}]}]}
    )


def test_squad_answers_are_alternatives_and_the_impossible_abstains(write):
    answers = [{"text": "30 days", "answer_start": 41}, {"text": "30", "answer_start": 41}]
    path = write(
        "s.json",
        squad(
            {"id": "a", "question": "How long?", "answers": [*answers, answers[0]]},
            {"id": "b", "question": "Cats?", "answers": [], "is_impossible": True},
        ),
    )
    gold = read_gold(path, corpus(**{"T/00": LEASE}))
    assert gold.spans == "any"
    assert spans(gold) == [("T/00", 41, 48), ("T/00", 41, 43)]
    assert (gold[0].cluster, gold[0].reference, gold[1].expect) == ("T", "30 days", "abstain")


def test_a_squad_answer_that_is_not_at_its_offset_is_refused(write):
    path = write(
        "s.json", squad({"id": "a", "question": "?", "answers": [{"text": "30 days", "answer_start": 40}]})
    )
    assert "does not point at the answer" in refused(path)
    assert "is not JSON" in refused(write("t.json", '{"data": [}'), format="squad")


@needs_shared
def test_all_1190_answers_of_xquad_stand_where_they_say():
    path = SHARED / "data" / "xquad_en" / "xquad.en.json"
    paragraphs = {
        f"{article['title']}/{p:02d}": paragraph["context"]
        for article in json.loads(path.read_text(encoding="utf-8"))["data"]
        for p, paragraph in enumerate(article["paragraphs"])
    }
    gold = read_gold(path, corpus(**paragraphs))
    assert len(gold) == 1190
    assert gold.warnings == ()


# topics and judgements


TREC = """<top>
<num> Number: 301
<title> International &amp; Organized Crime
<desc> Description:
Identify organizations.
</top>
<top>
<num> Number: 302
<desc> Description: Is the disease
  poliomyelitis under control?
<narr> Narrative: Not this.
</top>
"""


def test_trec_topics_give_the_title_or_else_the_description(write):
    qrels = write("q.txt", "301 0 c 1\n302 0 lease.md 1\n302 0 c 0\n")
    gold = read_gold(write("topics.txt", TREC), DOCS, qrels=qrels)
    assert [q.text for q in gold] == [
        "International & Organized Crime",
        "Is the disease poliomyelitis under control?",
    ]
    assert gold.ids == ("301", "302")
    assert [q.line for q in gold] == [1, 7]
    assert spans(gold, 1) == [("lease.md", 0, len(LEASE))]


def test_topics_without_judgements_are_refused(write):
    assert "name the file of judgements" in refused(write("topics.txt", TREC))


def test_topics_nobody_judged_and_documents_nobody_has_are_counted(write):
    packed = write("q.txt.gz", gzip.compress(b"302 0 c 1\n302 0 zzz 1\n999 0 c 1\n"))
    gold = read_gold(write("topics.txt", TREC), DOCS, qrels=packed)
    assert gold.ids == ("302",)
    text = "\n".join(gold.warnings)
    assert "1 question has no relevant document and is left out: 301" in text
    assert "1 judged question is not among the questions: 999" in text
    assert "1 relevant document is not in the corpus: zzz" in text


def test_a_topic_whose_every_relevant_document_is_missing_is_refused_and_the_qrels_are_named(write):
    topics = write("topics.txt", TREC)
    missing = refused(topics, qrels=write("q.txt", "301 0 zzz 1\n302 0 c 1\n"))
    assert "q.txt" in missing
    assert "301: is judged only on documents that are not in the corpus" in missing


@pytest.mark.parametrize(("line", "asked"), [("301 0 empty 1\n", 1), ("301 0 empty 1\n301 0 c 1\n", 2)])
def test_r26_a_line_for_an_empty_document_is_warned_of_and_stops_nothing(write, line, asked):
    gold = read_gold(write("topics.txt", TREC), DOCS, qrels=write("q.txt", line + "302 0 c 1\n"))
    assert len(gold) == asked
    (told, *left) = (one for one in gold.warnings if "empty" in one)
    assert told.startswith("q.txt: 1 relevant document is empty and cannot be found: empty")
    assert [one.startswith("q.txt: 1 question is judged only on empty") for one in left] == [True] * (
        2 - asked
    )


@pytest.mark.parametrize(
    "text", ["<top>\n<title> no number\n</top>", "<top>\n<num> 3\n</top>", "<top> unclosed"]
)
def test_a_broken_topic_is_refused(write, text):
    assert "t.txt" in refused(write("t.txt", text), qrels=write("q.txt", "3 0 c 1\n"))


@needs_shared
def test_cacm_topics_have_the_numbers_its_readme_says():
    folder = SHARED / "data" / "cacm"
    judged = [line.split() for line in (folder / "qrels.cacm.txt").read_text().splitlines()]
    docs = corpus(**{doc: f"{doc}." for _, _, doc, _ in judged})
    gold = read_gold(folder / "topics.cacm.txt", docs, qrels=folder / "qrels.cacm.txt")
    assert len(gold) == 52
    assert sum(len(n.spans) for q in gold for n in q.evidence) == 796
    assert "12 questions have no relevant document" in gold.warnings[0]
    assert gold["1"].text.startswith(
        "What articles exist which deal with TSS (Time Sharing System), an operating"
    )


# BEIR and LIMIT


def test_beir_queries_take_the_judgements_beside_them_and_ids_keep_their_blanks(write):
    write("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq 1\ta b\t1\n")
    path = write("queries.jsonl", '{"_id": "q 1", "text": "Who?", "metadata": {"x": 1}}\n')
    gold = read_gold(path, DOCS)
    assert gold.spans == "any"
    assert spans(gold) == [("a b", 1, 14)]  # the body without the blanks around it
    assert gold[0].extra == {"meta": {"metadata": {"x": 1}}}
    assert read_gold(path.parent, DOCS).ids == ("q 1",)


def test_several_judgements_beside_the_queries_must_be_chosen_from(write):
    path = write("queries.jsonl", '{"_id": "1", "text": "Who?"}\n')
    assert "has no qrels beside it" in refused(path)
    for split in ("dev", "test"):
        write(f"qrels/{split}.tsv", "query-id\tcorpus-id\tscore\n1\tc\t1\n")
    assert "qrels/dev.tsv, qrels/test.tsv" in refused(path)
    assert len(read_gold(path, DOCS, qrels=path.parent / "qrels" / "dev.tsv")) == 1


@pytest.mark.parametrize(
    "row", ['{"_id": "", "text": "a"}', '{"_id": "1"}', "[1]", "{", '{"_id": 1, "text": "a"}']
)
def test_a_broken_query_is_refused_with_its_line(write, row):
    write("qrels.tsv", "query-id\tcorpus-id\tscore\n1\tc\t1\n")
    path = write("queries.jsonl", '{"_id": "0", "text": "a"}\n' + row + "\n")
    assert "queries.jsonl:2" in refused(path)


def test_grades_of_documents_are_kept_also_where_they_are_not_relevant_and_written_again(write):
    write("qrels.tsv", "query-id\tcorpus-id\tscore\n1\tc\t1\n1\ta b\t3\n1\tempty\t-1\n")
    loaded = load_gold(write("queries.jsonl", '{"_id": "1", "text": "Who?"}\n'), DOCS)
    assert loaded.findings == ()
    assert loaded.gold["1"].grades == {"a b": 3, "c": 1, "empty": -1}
    path = write("gold.jsonl", "")
    write_gold(path, loaded.gold)
    assert read_gold(path, DOCS)["1"].grades == loaded.gold["1"].grades


def test_a_grade_that_is_no_number_is_refused_with_its_field(write):
    row = '{"id": "1", "text": "Who?", "evidence": [{"doc": "c", "quote": "x"}], "grades": {"c": "high"}}'
    assert "grades.c" in refused(write("gold.jsonl", row + "\n"))


def test_subtopics_of_judgements_are_said_to_count_as_one_fact(write):
    write("qrels.txt", "1 1 c 1\n1 2 c 1\n1 2 a 0\n")
    loaded = load_gold(
        write("queries.jsonl", '{"_id": "1", "text": "Who?"}\n'),
        DOCS,
        qrels=write("q.txt", "1 1 c 1\n1 2 c 1\n"),
    )
    assert [f.kind for f in loaded.findings] == ["subtopics"]


@needs_shared
def test_limit_is_read_whole():
    folder = SHARED / "data" / "limit_small"
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    docs = corpus(**{row["_id"]: row["text"] for row in rows})
    gold = read_gold(folder, docs)
    assert len(gold) == 1000
    units = Units.of(docs, "document", [(i, 0, len(d.text)) for i, d in enumerate(docs)])
    qrels = align(gold, units)
    assert len(qrels.unit) == 2000
    assert set(qrels.grade.tolist()) == {1.0}
    assert not qrels.unreachable.any()


def test_r26_smart_topics_are_read_with_three_columns_of_judgements(write):
    smart = ".I 1\n.T\nA title\n.W\nWho is\nJoshua?\n.X\n1 5 1\n.I 2\n.W\nWhat is c?\n.X"
    gold = read_gold(write("CISI.QRY", smart), DOCS, qrels=write("q.txt", "1 c 2\n2 c 1\n"))
    assert [(q.id, q.text) for q in gold] == [("1", "Who is Joshua?"), ("2", "What is c?")]
    assert gold["1"].grades == {"c": 2.0}
    assert "t.qry:1" in refused(write("t.qry", ".I 1\n.W\n\n"), qrels=write("q.txt", "1 c 2\n"))
