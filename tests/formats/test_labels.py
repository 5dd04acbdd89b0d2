"""judgements.jsonl, and judgements in and out of labelling tools."""

import csv
import hashlib
import io
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.formats.guests.label_studio import CONFIG
from evenhand.formats.guests.labelled import GUESTS, export_labels, import_labels
from evenhand.formats.guests.tasks import item_uuid
from evenhand.formats.labels import labels_text, parse_labels, read_labels, write_labels
from evenhand.model.judging import EvidenceMark
from evenhand.model.label import Label, Shown

TEXT = "Pay 👩‍🔬 30 e\u0301cus,\r\nor =SUM(A1) \"all\" 'of' it;\tthen go."


def shown(i=0, text=TEXT, question="q1"):
    return Shown(
        question=question,
        ask="What is due, and when?",
        text=text,
        doc=f"d {i}.md",
        start=7,
        end=7 + len(text),
        text_sha256=hashlib.sha256(text.encode()).hexdigest(),
        title="Dues",
        heading=("Above", "Below"),
    )


def mark(text, words):
    start = text.index(words)
    return EvidenceMark(start=start, end=start + len(words), quote=words)


def label(one, judge="ann", grade=2.0, **more):
    return Label(
        question=one.question,
        doc=one.doc,
        start=one.start,
        end=one.end,
        text_sha256=one.text_sha256,
        judge=judge,
        grade=grade,
        **{"kind": "grade" if grade is not None else "cannot-tell", **more},
    )


ITEMS = [shown(0), shown(1, "plain words"), shown(2, "left alone", "q2")]
LABELS = [
    label(
        ITEMS[0],
        evidence=(mark(TEXT, "30 e\u0301cus"), mark(TEXT, "'of' it")),
        comment='=HYPERLINK("x") said\nso',
        at="2026-11-30T08:00:00.000000Z",
        active_ms=4321,
        sheet="a" * 64,
    ),
    label(ITEMS[0], judge="ben", grade=0.0, mode="off-topic"),
    label(ITEMS[0], judge="model", grade=1.0, by="panel"),
    label(ITEMS[0], judge="cyd", grade=1.5, by="adjudicated"),
    label(ITEMS[1], judge="ann", grade=None),
    label(ITEMS[1], judge="ben", grade=None, kind="skip", reason="cut in half"),
]
CARRIED = {  # what a format has no place for is said, and comes back empty
    "argilla": lambda one: replace(one, at="", active_ms=None, sheet=""),
}


@pytest.mark.parametrize("tool", [*GUESTS, "jsonl"])
def test_labels_come_back_as_they_went_out(tmp_path, tool):
    path = tmp_path / "out"
    lost = export_labels(path, tool, ITEMS, LABELS)
    assert bool(lost) == (tool in CARRIED)
    taken = import_labels(path, tool, ITEMS)
    assert taken.lost == ()
    key = lambda one: (one.item, one.judge)  # noqa: E731
    expected = [CARRIED.get(tool, lambda one: one)(one) for one in LABELS]
    assert sorted(taken.labels, key=key) == sorted(expected, key=key)
    # … to the byte, a second time
    export_labels(tmp_path / "again", tool, ITEMS, LABELS)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("tool", list(GUESTS))
def test_tasks_to_be_judged_hold_no_label_and_nothing_that_could_bias(tmp_path, tool):
    path = tmp_path / "tasks"
    export_labels(path, tool, ITEMS)
    text = path.read_text(encoding="utf-8")
    for word in ("system", "rank", 'score"', "bm25", "probability", "stratum"):
        assert word not in text
    assert import_labels(path, tool, ITEMS).labels == ()
    # enough is in it to find the items again by themselves
    assert all(one.text_sha256 in text for one in ITEMS)


@settings(max_examples=25, deadline=None)
@given(
    text=st.text(
        st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1, max_size=40
    ),
    data=st.data(),
    tool=st.sampled_from(list(GUESTS)),
)
def test_evidence_of_any_text_lies_where_it_lay(tmp_path_factory, text, data, tool):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    one = shown(0, text)
    made = label(one, evidence=(EvidenceMark(start=start, end=end, quote=text[start:end]),))
    path = tmp_path_factory.mktemp("labels") / "x"
    export_labels(path, tool, [one], [made])
    (back,) = import_labels(path, tool, [one]).labels
    assert back.evidence == made.evidence


def test_label_studio_as_it_exports_with_its_own_counting_and_its_own_words(tmp_path):
    start = len("Pay 👩‍🔬 ".encode("utf-16-le")) // 2  # JavaScript counts these as 9
    spans = {"start": start, "end": start + 8, "labels": ["Evidence"]}  # no text: issue 6027
    task = {
        "id": 5,
        "data": {"question": ITEMS[0].ask, "passage": TEXT},
        "annotations": [
            {
                "id": 1,
                "completed_by": {"id": 3, "email": "ann@example.org"},
                "lead_time": 12.5,
                "was_cancelled": False,
                "result": [
                    {"id": "a", "from_name": "rel", "type": "choices", "value": {"choices": ["relevant"]}},
                    {"id": "b", "from_name": "ev", "type": "labels", "value": spans},
                    {"id": "c", "from_name": "x", "type": "relation", "value": {}},
                ],
            },
            {"id": 2, "completed_by": 4, "was_cancelled": True, "result": []},
            {"id": 3, "completed_by": 5, "result": [{"type": "choices", "value": {"choices": ["odd"]}}]},
        ],
        "predictions": [{"result": []}],
    }
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task, {"id": 6, "data": {"passage": "?"}, "annotations": [{"result": []}]}]))
    taken = import_labels(path, "label-studio", ITEMS, grades={"relevant": 2})
    first, second = taken.labels
    assert (first.judge, first.grade, first.active_ms) == ("ann@example.org", 2.0, 12500)
    assert [one.quote for one in first.evidence] == ["30 e\u0301cus"]
    assert (second.judge, second.kind) == ("4", "skip")
    assert len(taken.lost) == 4
    told = " ".join(taken.lost)
    for words in ("prediction", "'relation'", "'odd'", "not in the pool"):
        assert words in told
    assert 'value="cannot-tell"' in CONFIG


def test_doccano_in_its_three_kinds_of_project(tmp_path):
    rows = [
        {"id": 1, "text": "plain words", "question": ITEMS[0].ask, "label": ["1"]},
        {"id": 2, "text": "left alone", "question": ITEMS[0].ask, "label": [[0, 4, "E"]], "cats": ["2", "0"]},
    ]
    path = tmp_path / "ann.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    taken = import_labels(path, "doccano", ITEMS, judge="ann")
    assert [(one.judge, one.grade) for one in taken.labels] == [("ann", 1.0), ("ann", 2.0)]
    assert taken.labels[1].evidence[0].quote == "left"
    assert any("further categor" in one for one in taken.lost)
    nobody = import_labels(path, "doccano", ITEMS)
    assert nobody.labels == ()
    assert "2 annotations name no annotator (give --judge)" in nobody.lost


def test_langsmith_feedback_of_people_and_models(tmp_path):
    run = item_uuid(ITEMS[1].item)
    rows = [
        {"run_id": run, "key": "grade", "score": 1, "feedback_source": {"type": "app", "user_id": "u1"}},
        {"run_id": run, "key": "grade", "score": 0, "feedback_source": {"type": "model", "user_id": "m"}},
        {"run_id": run, "key": "helpful", "score": 1, "feedback_source": {"type": "app", "user_id": "u1"}},
        {"run_id": "elsewhere", "key": "grade", "score": 1},
    ]
    path = tmp_path / "feedback.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    taken = import_labels(path, "langsmith", ITEMS)
    assert [(one.judge, one.by, one.grade) for one in taken.labels] == [
        ("u1", "human", 1.0),
        ("m", "panel", 0.0),
    ]
    assert len(taken.lost) == 2


def test_langfuse_scores_as_its_api_gives_them(tmp_path):
    item = ITEMS[1].item
    rows = [
        {
            "id": "s1",
            "traceId": item,
            "name": "relevance",
            "value": 2,
            "dataType": "NUMERIC",
            "source": "ANNOTATION",
            "authorUserId": "u1",
            "comment": None,
            "configId": "cfg",
        },
        {
            "id": "s2",
            "traceId": item,
            "name": "grade",
            "value": 1,
            "stringValue": "cannot-tell",
            "dataType": "CATEGORICAL",
            "source": "EVAL",
            "authorUserId": "m",
        },
        {"id": "s3", "traceId": item, "name": "tone", "value": 1, "source": "ANNOTATION"},
    ]
    path = tmp_path / "scores.json"
    path.write_text(json.dumps(rows))
    taken = import_labels(path, "langfuse", ITEMS)
    assert [(one.judge, one.by, one.answer) for one in taken.labels] == [
        ("u1", "human", 2.0),
        ("m", "panel", "cannot-tell"),
    ]
    assert taken.lost == ("1 score called 'tone'",)


def test_a_table_of_anybody_s_and_no_cell_of_ours_is_a_formula(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(
        "Query;Text;Annotator;Relevance;colour\nWhat is due, and when?;plain words;ann;relevant;red\n"
    )
    taken = import_labels(path, "csv", ITEMS, grades={"relevant": 1})
    assert [(one.judge, one.grade) for one in taken.labels] == [("ann", 1.0)]
    assert taken.lost == ("1 column called 'colour'",)
    odd = replace(ITEMS[0], ask="=1+1", title="@x", doc="-d", heading=("+y",))
    odd = replace(odd, text_sha256=ITEMS[0].text_sha256)
    export_labels(path, "csv", [odd], [label(odd, comment="\t=2", reason="'quoted")])
    for row in csv.reader(io.StringIO(path.read_bytes().decode(), newline="")):
        assert not [cell for cell in row if cell[:1] in tuple("=+-@\t\r")]
    (back,) = import_labels(path, "csv", [odd]).labels
    assert (back.comment, back.reason) == ("\t=2", "'quoted")


def test_qrels_are_labels_of_whoever_is_named(tmp_path):
    path = tmp_path / "q.tsv"
    unit = f"{ITEMS[1].doc}#{ITEMS[1].start}-{ITEMS[1].end}"
    path.write_text(f"query-id\tcorpus-id\tscore\nq1\t{unit}\t2\nq1\telsewhere\t1\n")
    taken = import_labels(path, "qrels", ITEMS, judge="nist")
    assert [(one.judge, one.grade, one.doc) for one in taken.labels] == [("nist", 2.0, ITEMS[1].doc)]
    assert taken.lost == ("1 annotation is of items that are not in the pool",)


@pytest.mark.parametrize("tool", [*GUESTS, "jsonl"])
@pytest.mark.parametrize("text", ["{", "[1]", '{"a": NaN}', "\x00\x01"])
def test_a_file_of_another_kind_is_refused_by_name(tmp_path, tool, text):
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"odd\.json"):
        import_labels(path, tool, ITEMS)


def test_an_unknown_tool_names_the_nearest(tmp_path):
    with pytest.raises(InputError) as found:
        import_labels(tmp_path / "x", "labelstudio", ITEMS)
    assert "label-studio" in found.value.mend
    with pytest.raises(InputError):
        export_labels(tmp_path / "x", "qrels", ITEMS)


def test_a_file_of_labels_reads_as_it_was_written_with_half_a_character_in_it(tmp_path):
    odd = label(ITEMS[0], comment="half \ud83d of one\u2028", judge="zoë")
    write_labels(tmp_path / "j.jsonl", [*LABELS, odd])
    assert read_labels(tmp_path / "j.jsonl") == [*LABELS, odd]
    assert len(labels_text([odd]).splitlines()) >= 1
    assert parse_labels(labels_text(LABELS), "x") == LABELS


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"grade": "2"}, "grade is '2'"),
        ({"grade": True}, "grade is True"),
        ({"start": 1.5}, "start is 1.5"),
        ({"end": 0}, "empty span"),
        ({"kind": "skipp", "grade": None}, "grade is None"),
        ({"by": "humans"}, "humans"),
        ({"rank": 3}, "rank"),
        ({"active_ms": -1}, "active_ms"),
        ({"evidence": [[1, 2]]}, "evidence"),
        ({"judge": " "}, "no judge"),
    ],
)
def test_each_fault_of_a_line_is_named(tmp_path, change, what):
    row = json.loads(labels_text([LABELS[0]])) | change
    path = tmp_path / "j.jsonl"
    path.write_text("\n" + json.dumps(row) + "\n")
    with pytest.raises(InputError, match=r"j\.jsonl:2") as found:
        read_labels(path)
    assert what in str(found.value)
