"""judgements.jsonl, and judgements in and out of labelling tools."""

import csv
import hashlib
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.formats.guests.labels.label_studio import CONFIG
from evenhand.formats.guests.labels.registry import GUESTS, export_labels, import_labels
from evenhand.formats.guests.labels.tasks import item_uuid
from evenhand.formats.labels.judgements import labels_text, parse_labels, read_labels, write_labels
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
    lost = export_labels(path, tool, ITEMS, LABELS).lost
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


def task(data, *results, **more):
    """A task with one annotation, as Label Studio exports it."""
    annotation = {"id": 1, "completed_by": {"id": 3, "email": "ann@example.org"}, "result": list(results)}
    return {"id": 5, "data": data, "annotations": [annotation], **more}


def result(name, kind, **value):
    return {"id": name, "from_name": name, "to_name": "passage", "type": kind, "value": value}


def taken_of(path, tool, rows, items, **options):
    path.write_text(json.dumps(rows))
    return import_labels(path, tool, items, **options)


def test_label_studio_as_it_exports_with_its_own_counting_and_its_own_words(tmp_path):
    start = TEXT.index("30")
    spans = {"start": start, "end": start + 8, "labels": ["Evidence"]}  # no text: issue 6027
    grade = result("rel", "choices", choices=["relevant"])
    relation = {"id": "c", "from_name": "x", "type": "relation", "value": {}}
    given = task(
        {"question": ITEMS[0].ask, "passage": TEXT}, grade, result("ev", "labels", **spans), relation
    )
    given["annotations"] += [
        {"id": 2, "completed_by": 4, "was_cancelled": True, "result": []},
        {"id": 3, "completed_by": 5, "result": [result("rel", "choices", choices=["odd"])]},
    ]
    given |= {"predictions": [{"result": []}], "drafts": [{"result": [grade]}]}
    elsewhere = {"id": 6, "data": {"passage": "?"}, "annotations": [{"result": []}]}
    rows = [given, elsewhere, {"id": 7, "passage": TEXT, "rel": "relevant", "annotator": 3}]
    options = {"grades": {"relevant": 2}, "control": "rel"}
    taken = taken_of(tmp_path / "export.json", "label-studio", rows, ITEMS, **options)
    first, second = taken.labels
    assert (first.judge, first.grade) == ("ann@example.org", 2.0)
    assert [one.quote for one in first.evidence] == ["30 e\u0301cus"]
    assert (second.judge, second.kind) == ("4", "skip")
    assert len(taken.lost) == 6
    told = " ".join(taken.lost)
    for words in ("prediction", "draft", "'relation'", "'odd'", "not in the pool", "JSON-MIN"):
        assert words in told
    assert 'value="cannot-tell"' in CONFIG


def test_r09_offsets_of_label_studio_count_a_smiley_once(tmp_path):
    one = shown(0, "\U0001f642 The voucher counts")
    span = result("evidence", "labels", start=6, end=13, labels=["Evidence"])
    data = {"question": one.ask, "passage": one.text}
    rows = [task(data, result("grade", "choices", choices=["1"]), span)]
    (label,) = taken_of(tmp_path / "e.json", "label-studio", rows, [one]).labels
    assert [m.quote for m in label.evidence] == ["voucher"]
    out = tmp_path / "out.json"
    export_labels(out, "label-studio", [one], [label])
    (value,) = [
        r["value"]
        for r in json.loads(out.read_text())[0]["annotations"][0]["result"]
        if r["type"] == "labels"
    ]
    assert (value["start"], value["end"]) == (6, 13)


def test_r10_the_control_of_label_studio_is_found_by_its_name(tmp_path):
    data = {"question": ITEMS[1].ask, "passage": ITEMS[1].text}
    both = result("confidence", "rating", rating=2), result("grade", "choices", choices=["0"])
    path = tmp_path / "e.json"
    taken = taken_of(path, "label-studio", [task(data, *both)], ITEMS)
    assert [one.grade for one in taken.labels] == [0.0]
    assert taken.lost == ("1 result of kind 'rating' under 'confidence'",)
    with pytest.raises(InputError, match=r"no control called 'grade' .found confidence") as found:
        taken_of(path, "label-studio", [task(data, both[0])], ITEMS)
    assert found.value.mend == "add --control confidence"
    two = taken_of(path, "label-studio", [task(data, result("grade", "choices", choices=["0", "2"]))], ITEMS)
    assert (two.labels, two.lost) == ((), ("1 annotation holds several answers under 'grade'",))


def test_r11_evidence_of_several_lines_is_kept(tmp_path):
    one = shown(0, "It says first line\nsecond one.")
    span = result("evidence", "labels", start=8, end=25, text="first line\\nsecond", labels=["Evidence"])
    data = {"question": one.ask, "passage": one.text}
    rows = [task(data, result("grade", "choices", choices=["1"]), span)]
    taken = taken_of(tmp_path / "e.json", "label-studio", rows, [one])
    assert taken.lost == ()
    assert [m.quote for m in taken.labels[0].evidence] == ["first line\nsecond"]


@pytest.mark.parametrize(
    ("more", "quote"),
    [
        ({"globalOffsets": {"start": 6, "end": 13}}, "voucher"),
        ({"globalOffsets": {"start": 6, "end": 13}, "text": "voucher"}, "voucher"),
        ({"text": "counts"}, "counts"),
        ({"text": "o"}, None),  # stands there twice
        ({}, None),
    ],
)
def test_spans_of_html_lie_by_their_global_offsets(tmp_path, more, quote):
    one = shown(0, "\U0001f642 The voucher counts")
    path = {"start": "/div[1]/text()[1]", "startOffset": 7, "end": "/div[1]/text()[1]", "endOffset": 14}
    span = result("evidence", "hypertextlabels", **path, hypertextlabels=["Evidence"], **more)
    rows = [task({"question": one.ask, "passage": one.text}, result("grade", "number", number=1), span)]
    taken = taken_of(tmp_path / "e.json", "label-studio", rows, [one])
    assert [m.quote for m in taken.labels[0].evidence] == ([quote] if quote else [])
    assert bool(taken.lost) == (quote is None)


def test_r12_drafts_and_discarded_responses_of_argilla_are_no_answers(tmp_path):
    def given(value, user, status):
        return {"value": value, "user_id": user, "status": status}

    record = {
        "id": ITEMS[1].item,
        "fields": {},
        "responses": {
            "grade": [given("2", "u1", "draft"), given("1", "u2", "discarded"), given("0", "u3", "submitted")]
        },
    }
    taken = taken_of(tmp_path / "a.json", "argilla", [record], ITEMS)
    assert [(one.judge, one.grade) for one in taken.labels] == [("u3", 0.0)]
    assert taken.lost == (
        "1 response has the status 'discarded': that is no answer",
        "1 response has the status 'draft': that is no answer",
    )


FIELDS = {"question": ITEMS[1].ask, "passage": ITEMS[1].text}


@pytest.mark.parametrize(
    "record",
    [
        {
            **FIELDS,
            "id": "7",
            "grade.responses": ["2", "1"],
            "grade.responses.users": ["u1", "u2"],
            "grade.responses.status": ["submitted", "draft"],
            "grade.suggestion": "2",
        },
        {
            "id": "7",
            "fields": FIELDS,
            "responses": [
                {"values": {"grade": {"value": "2"}}, "user_id": "u1", "status": "submitted"},
                {"values": {"grade": {"value": "1"}}, "user_id": "u2", "status": "draft"},
            ],
            "suggestions": [{"question_name": "grade", "value": "2"}],
        },
    ],
    ids=["flat", "list"],
)
def test_flat_and_list_forms_of_argilla(tmp_path, record):
    taken = taken_of(tmp_path / "a.json", "argilla", [record, {"odd": 1}], ITEMS)
    assert [(one.judge, one.grade) for one in taken.labels] == [("u1", 2.0)]
    assert taken.lost == (
        "1 response has the status 'draft': that is no answer",
        "1 row holds no responses in any form of a record",
        "1 suggestion of a model: no person's answers",
    )


def test_argilla_says_where_drafts_are_not_told_from_answers_and_finds_the_question_by_name(tmp_path):
    record = {"id": ITEMS[1].item, "responses": {"sure": [{"value": "2", "user_id": "u"}]}}
    path = tmp_path / "a.json"
    with pytest.raises(InputError, match=r"no question called 'grade' .found sure"):
        taken_of(path, "argilla", [record], ITEMS)
    taken = taken_of(path, "argilla", [record], ITEMS, control="sure")
    assert [one.grade for one in taken.labels] == [2.0]
    assert "no status" in taken.lost[0]


def test_doccano_annotations_hold_labels_by_number_and_a_span_twice_counts_once(tmp_path):
    def span(user, label):
        return {"label": label, "start_offset": 0, "end_offset": 5, "user": user}

    head = {"id": 1, "text": "plain words", "question": ITEMS[0].ask}
    rows = [
        {**head, "annotations": [{"label": 7, "user": 3}, span(3, 9), span(3, 9), {"label": 8, "user": 4}]},
        {"id": 2, "text": "left alone", "question": ITEMS[0].ask, "annotation_approver": None},
    ]
    taken = taken_of(tmp_path / "d.json", "doccano", rows, ITEMS, grades={"7": 2})
    assert [(one.judge, one.grade) for one in taken.labels] == [("3", 2.0)]
    assert [m.quote for m in taken.labels[0].evidence] == ["plain"]
    assert taken.lost == (
        "1 annotation has a label by its number: spell it, --grade 8=1",
        "1 row holds neither categories nor spans",
        "1 span is given twice: each counts once",
    )


@pytest.mark.parametrize("tool", ["langsmith", "langfuse", "phoenix", "csv"])
def test_of_two_answers_the_one_called_grade_counts_and_none_is_preferred_by_its_place(tmp_path, tool):
    path = tmp_path / "two"
    export_labels(path, tool, ITEMS[:1], [label(ITEMS[0], grade=0.0)])
    if tool == "csv":
        table = list(csv.reader(io.StringIO(path.read_bytes().decode(), newline="")))
        for row, cell in zip(table, ["rating", "2"], strict=True):
            row.insert(0, cell)
        out = io.StringIO(newline="")
        csv.writer(out).writerows(table)
        path.write_text(out.getvalue(), newline="")
        other = path.read_text().replace(",grade,", ",score,", 1)
    else:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        text = json.dumps(rows[-1]).replace('"grade"', '"relevance"').replace("0.0", "2.0")
        path.write_text(path.read_text() + text + "\n")
        other = None
    assert [one.grade for one in import_labels(path, tool, ITEMS).labels] == [0.0]
    assert import_labels(path, tool, ITEMS).lost
    if other is not None:
        path.write_text(other, newline="")
        with pytest.raises(InputError, match=r"'score' and 'rating'.*which is the grade is not known"):
            import_labels(path, tool, ITEMS)


def test_doccano_in_its_three_kinds_of_project(tmp_path):
    rows = [
        {"id": 1, "text": "plain words", "question": ITEMS[0].ask, "label": ["1"]},
        {"id": 2, "text": "left alone", "question": ITEMS[0].ask, "label": [[0, 4, "E"]], "cats": ["x", "0"]},
        {"id": 3, "text": "plain words", "question": ITEMS[0].ask, "label": ["2", "0"]},
    ]
    path = tmp_path / "ann.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    taken = import_labels(path, "doccano", ITEMS, judge="ann")
    assert [(one.judge, one.grade) for one in taken.labels] == [("ann", 1.0), ("ann", 0.0)]
    assert taken.labels[1].evidence[0].quote == "left"
    assert any("further categor" in one for one in taken.lost)
    assert "1 text has several categories that are grades" in taken.lost
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
            "name": "grade",
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


WRITTEN = Path(__file__).parent / "labelled"  # by the tools' own packages: see README.md there
VOUCHER = shown(0, "\U0001f642 The voucher counts\nfor a year.")
VOUCHER = replace(VOUCHER, ask="How long does a voucher count?")
FIRST = "00000000-0000-0000-0000-000000000001"


@pytest.mark.parametrize(
    ("file", "tool", "labels", "lost"),
    [
        (
            "label-studio.json",
            "label-studio",
            [("1", 2.0, ["voucher"]), ("2", 1.0, [])],
            ["result of kind 'rating' under 'confidence'", "do not fit the text"],
        ),
        ("argilla.json", "argilla", [], ["'pending'", "suggestion"]),
        (
            "argilla-flat.json",
            "argilla",
            [(FIRST, 2.0, ["voucher"])],
            ["'discarded'", "'draft'", "suggestion"],
        ),
        ("argilla-server.json", "argilla", [(FIRST, 2.0, ["voucher"])], ["'discarded'", "'draft'"]),
        ("doccano-categories.jsonl", "doccano", [("ann", 2.0, [])], []),
        ("doccano-spans.jsonl", "doccano", [], ["no grade that is understood", "given twice"]),
        ("doccano-intents.jsonl", "doccano", [("ann", 2.0, ["voucher"])], []),
    ],
)
def test_files_that_the_tools_own_packages_wrote(file, tool, labels, lost):
    taken = import_labels(WRITTEN / file, tool, [VOUCHER], judge="ann" if tool == "doccano" else "")
    assert [(one.judge, one.grade, [m.quote for m in one.evidence]) for one in taken.labels] == labels
    assert len(taken.lost) == len(lost)
    for words in lost:
        assert any(words in one for one in taken.lost), (words, taken.lost)
