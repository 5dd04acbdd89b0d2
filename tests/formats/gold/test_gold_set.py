"""gold.jsonl: what is read, what is refused and with which words."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.formats.gold.gold_set import (
    detect,
    load_gold,
    patch_gold,
    read_gold,
    read_holdout_for_check,
    write_gold,
)
from evenhand.model.gold import Authoring, GoldSet, Nugget, Question, QuestionId, Quote, Review
from evenhand.model.text import Corpus, DocId, Document, Span

FEES = "Fee waived. Later: fee waived again."
RULING = "👩🏽‍⚖️ Ruling: fee waived 🎉 for Åsa."
CORPUS = Corpus(
    (
        Document(id=DocId("fees.md"), text=FEES),
        Document(id=DocId("ruling.md"), text=RULING),
        Document(id=DocId("cat.txt"), text="Anna owns a cat.\r\nShe feeds it at noon.\r\n"),
    )
)
E = [{"doc": "fees.md", "quote": "Fee waived"}]


@pytest.fixture
def write(tmp_path):
    def put(*lines, name="gold.jsonl", raw=None):
        path = tmp_path / name
        if raw is not None:
            path.write_bytes(raw)
        else:
            text = "\n".join(
                line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines
            )
            path.write_bytes((text + "\n").encode())
        return path

    return put


def line(name="q1", text="Is there a fee?", evidence=E, **more):
    return {"id": name, "text": text, "evidence": evidence, **more}


def refused(path, corpus=CORPUS, **options):
    with pytest.raises(InputError) as caught:
        read_gold(path, corpus, **options)
    assert caught.value.mend
    return str(caught.value)


def spans(gold, name="q1"):
    return [(q.span.start, q.span.end) for nugget in gold[name].evidence for q in nugget.spans]


# reading


def test_many_warnings_of_a_kind_are_counted_after_the_first_few(write):
    moved = [{"doc": "cat.txt", "quote": "She feeds it", "start": 17, "end": 29}]
    many = [line(f"q{n}", f"Question {n}?", evidence=moved) for n in range(1, 9)]
    gold = read_gold(write(*many), CORPUS)
    assert len(gold) == 8
    assert [one.split()[1] for one in gold.warnings] == ["q1", "q2", "q3", "q4", "q5", "3"]
    assert gold.warnings[-1].endswith(
        ": 3 more of the kind 'moved': evenhand gold check lists them, with mends"
    )
    assert len(load_gold(write(*many), CORPUS).findings) == 8


def test_a_quote_without_offsets_is_placed_in_its_document(write):
    gold = read_gold(write(line()), CORPUS)
    assert spans(gold) == [(0, 10)]
    assert gold.warnings == ()
    assert gold.spans == "nuggets"
    assert gold.split == "dev"


def test_evidence_may_be_a_list_of_quotes_from_the_source_and_a_list_within_it_holds_alternatives(write):
    gold = read_gold(write(line(source="fees.md", evidence=["Fee waived", ["Later", "again"]])), CORPUS)
    assert [len(n.spans) for n in gold["q1"].evidence] == [1, 2]
    assert spans(gold) == [(0, 10), (12, 17), (30, 35)]


def test_byte_order_mark_windows_line_ends_and_blank_lines_are_fine_b003(write):
    text = "\ufeff" + json.dumps(line()) + "\r\n\r\n" + json.dumps(line("q2", "Another?")) + "\r\n"
    gold = read_gold(write(raw=text.encode()), CORPUS)
    assert [(q.id, q.line) for q in gold] == [("q1", 1), ("q2", 3)]


def test_offsets_count_the_newlines_the_text_has_b001(write):
    gold = read_gold(write(line(evidence=[{"doc": "cat.txt", "quote": "She feeds it"}])), CORPUS)
    assert spans(gold) == [(18, 30)]
    drifted = [{"doc": "cat.txt", "quote": "She feeds it", "start": 17, "end": 29}]
    gold = read_gold(write(line(evidence=drifted)), CORPUS)
    assert spans(gold) == [(18, 30)]
    assert "has moved from 17:29 to 18:30" in gold.warnings[0]


def test_a_quote_in_its_place_but_not_letter_for_letter_has_not_moved(write):
    spaced = [{"doc": "cat.txt", "quote": "She  feeds it", "start": 18, "end": 30}]
    gold = read_gold(write(line(evidence=spaced)), CORPUS)
    assert spans(gold) == [(18, 30)]
    assert "is not letter for letter what stands at 18:30" in gold.warnings[0]
    assert "moved" not in gold.warnings[0]


def test_no_line_to_paste_is_promised_while_another_error_stands(write):
    two = [
        {"doc": "cat.txt", "quote": "She feeds it", "start": 17, "end": 29},
        {"doc": "no.txt", "quote": "x"},
    ]
    found = {f.kind: f for f in load_gold(write(line(evidence=two)), CORPUS).findings}
    assert found["moved"].correction is None
    assert found["moved"].mend.startswith("mend what else is wrong")


def test_offsets_of_a_browser_are_converted_and_named_b013(write):
    sent = [{"doc": "ruling.md", "quote": "fee waived", "start": 16, "end": 26}]
    gold = read_gold(write(line(evidence=sent)), CORPUS)
    assert spans(gold) == [(14, 24)]
    assert "UTF-16" in gold.warnings[0]


def test_a_line_separator_inside_a_text_does_not_end_the_line(write):
    gold = read_gold(write(line(text="one\u2028two\x85three?")), CORPUS)
    assert gold["q1"].text == "one\u2028two\x85three?"


def test_ids_are_kept_letter_for_letter_b021(write):
    names = ["007", "7", "1e3", "NA", "null", "Geneva Durben"]
    gold = read_gold(write(*(line(name, f"{name}?") for name in names)), CORPUS)
    assert list(gold.ids) == names


def test_an_array_of_objects_is_read_and_errors_name_the_line_each_begins_at(write):
    path = write(
        '[\n {"id": "q1", "text": "a",\n  "evidence": ["Later"], "source": "fees.md"},\n {"id": 3}\n]'
    )
    assert "gold.jsonl:4 id: is a number" in refused(path)


def test_questions_can_be_excluded_by_id(write):
    path = write(line(), line("q2", "Another?"))
    assert read_gold(path, CORPUS, exclude=["q1"]).ids == ("q2",)
    assert "did you mean 'q2'" in refused(path, exclude=["q22"])
    assert "exclude names every question" in refused(path, exclude=["q1", "q2"])


def test_without_a_corpus_offsets_are_taken_and_bare_quotes_refused(write):
    placed = [{"doc": "fees.md", "quote": "Fee waived", "start": 0, "end": 10}]
    assert spans(read_gold(write(line(evidence=placed)))) == [(0, 10)]
    assert "together with its corpus" in refused(write(line()), None)
    wrong = [{"doc": "fees.md", "quote": "Fee waived", "start": 0, "end": 11}]
    assert "a quote of 10 characters and offsets 0:11" in refused(write(line(evidence=wrong)), None)


# duplicates


def test_an_id_given_twice_is_refused_with_both_lines_b019(write):
    path = write(line("q1", "Opening hours?"), line("q2", "Parking fee?"), line("q1", "When are you open?"))
    message = refused(path)
    assert "q1" in message
    assert "lines 1 and 3" in message


def test_a_line_repeated_word_for_word_is_dropped_with_a_notice_b019(write):
    gold = read_gold(write(line(), line("q2", "Parking fee?"), line()), CORPUS)
    assert len(gold) == 2
    assert "lines 1 and 3" in gold.warnings[0]


# quotes that do not match


def test_a_quote_that_occurs_twice_is_refused_and_its_places_named(write):
    message = refused(write(line(evidence=[{"doc": "fees.md", "quote": "waived"}])))
    assert "gold.jsonl:1 q1 evidence[0]" in message
    assert "2 times" in message
    assert "4:10, 23:29" in message


def test_offsets_decide_between_two_occurrences_b047(write):
    second = [{"doc": "fees.md", "quote": "waived", "start": 23, "end": 29}]
    assert spans(read_gold(write(line(evidence=second)), CORPUS)) == [(23, 29)]


def test_wrong_offsets_of_a_quote_that_occurs_twice_are_not_guessed(write):
    off = [{"doc": "fees.md", "quote": "waived", "start": 22, "end": 28}]
    assert "give start and end of the one meant" in refused(write(line(evidence=off)))


def test_a_quote_that_is_nowhere_names_the_closest_words(write):
    message = refused(write(line(evidence=[{"doc": "fees.md", "quote": "Late: no fee was waived now"}])))
    assert "nearest, 52% alike, at 12:35: 'Later: fee waived again'" in message


def test_a_quote_with_another_word_is_refused_with_the_line_to_paste_if_that_was_meant(write):
    path = write(line(evidence=[{"doc": "fees.md", "quote": "Later: fee waved again"}]))
    assert "the difference: Later: fee [-waved-] {+waived+} again" in refused(path)
    (finding,) = load_gold(path, CORPUS).findings
    assert finding.severity == "error"
    again = read_gold(write(json.dumps(finding.correction)), CORPUS)
    assert spans(again) == [(12, 35)]
    assert not again.warnings


def test_a_quote_in_other_case_and_punctuation_is_found_with_a_word(write):
    gold = read_gold(write(line(evidence=[{"doc": "fees.md", "quote": "LATER, fee  waived again"}])), CORPUS)
    assert spans(gold) == [(12, 35)]
    assert "(form)" in gold.warnings[0]


def test_a_quote_found_with_another_number_in_it_is_refused(write):
    corpus = Corpus((Document(id=DocId("a"), text="The harbour fee is 45 euros for each night in port."),))
    quote = "The harbour fee is 30 euros for each night in port."
    message = refused(write(line(evidence=[{"doc": "a", "quote": quote}])), corpus)
    assert "[-30-] {+45+}" in message


def test_an_unknown_document_names_the_nearest(write):
    assert "did you mean 'fees.md'" in refused(write(line(evidence=[{"doc": "fee.md", "quote": "x"}])))


def test_offsets_beyond_the_document_without_a_quote_are_refused(write):
    message = refused(write(line(evidence=[{"doc": "fees.md", "start": 30, "end": 99}])))
    assert "beyond the end" in message


def test_offsets_without_a_quote_are_taken_with_a_warning_and_the_quote_to_paste(write):
    loaded = load_gold(write(line(evidence=[{"doc": "fees.md", "start": 0, "end": 10}])), CORPUS)
    (finding,) = loaded.findings
    assert finding.kind == "no-quote"
    assert finding.correction["evidence"][0]["spans"][0]["quote"] == "Fee waived"


def test_lenient_leaves_out_what_is_not_found_and_counts_it(write):
    lost = {"doc": "fees.md", "quote": "nothing of the kind, ever and ever"}
    path = write(
        line("q1"),
        line("q2", "Two?", evidence=[lost]),
        line("q3", "Three?", evidence=[{"spans": [lost, E[0]]}]),
        line("q4", "Four?", evidence=[E[0], lost]),
    )
    gold = read_gold(path, CORPUS, lenient=True)
    assert gold.ids == ("q1", "q3")  # q4 without its second fact would be too easy
    assert sum("is left out" in warning for warning in gold.warnings) == 2


# fields


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (
            {"id": "q1", "text": "a", "tag": ["x"]},
            "has an unknown key (found \"tag\")\n  mend: did you mean 'tags'?",
        ),
        ({"id": "q1", "question": "a"}, "did you mean 'text'?"),
        ({"id": 1, "text": "a"}, "id: is a number, expected a string (found 1)"),
        ({"text": "a"}, "id: is missing"),
        ({"id": " ", "text": "a"}, "id: is empty"),
        ({"id": "a\tb", "text": "a"}, "id: holds a control character"),
        ({"id": "q1", "text": ""}, "text: is empty"),
        ({"id": "q1", "text": "a", "expect": "answr"}, "found \"answr\")\n  mend: did you mean 'answer'?"),
        ({"id": "q1", "text": "a", "tags": "x"}, "tags: is a string, expected a list"),
        ({"id": "q1", "text": "a", "tags": ["x", 1]}, "tags: holds something that is not a string"),
        (
            {"id": "q1", "text": "a", "saw_evidence": "yes"},
            "saw_evidence: is a string, expected true or false",
        ),
        ({"id": "q1", "text": "a", "evidence": [{"spans": []}]}, "evidence[0].spans: is empty"),
        (
            {"id": "q1", "text": "a", "evidence": [{"spans": [{"doc": "d", "strat": 1}]}]},
            "did you mean 'start'?",
        ),
        (
            {"id": "q1", "text": "a", "evidence": [{"doc": "d", "start": True, "end": 2}]},
            "start: is true or false",
        ),
        ({"id": "q1", "text": "a", "evidence": [{"doc": "d", "start": 2}]}, "evidence[0].end: is missing"),
        ({"id": "q1", "text": "a", "evidence": [{"doc": "d", "start": 2, "end": 2}]}, "found 2:2"),
        ({"id": "q1", "text": "a", "evidence": [{"doc": "d"}]}, "evidence[0].quote: is missing"),
        ({"id": "q1", "text": "a", "evidence": ["words"]}, "evidence[0].doc: is missing"),
        ({"id": "q1", "text": "a", "review": {"status": "ok"}}, "review.status: is not a known word"),
        ({"id": "q1", "text": "a", "authoring": {"who": "ann"}}, "authoring: has an unknown key"),
        (["q1"], "is not a JSON object"),
        ('{"id": "q1", "id": "q2"}', "key 'id' occurs twice"),
        ('{"id": "q1", "text": "a", "meta": {"x": NaN}}', "NaN is not a JSON value"),
        ('{"id": "q1", "text": "\\ud83d"}', "text: holds half a surrogate pair"),
        ('{"id": "q1"', "not JSON"),
        ("[" * 100_000, "is not a JSON object"),
        ({"id": "q1", "text": "a"}, "expects an answer and has no evidence"),
    ],
)
def test_a_fault_names_line_field_what_was_found_and_the_mend(write, entry, words):
    path = write(line("first", "Before it?"), entry)
    message = refused(path)
    assert message.startswith("gold.jsonl:2") or "[[[" in str(entry)
    assert words in message


def test_every_fault_of_a_file_is_told_at_once(write):
    path = write({"id": 1}, line("q2", evidence=[]), line("q3", evidence=[]))
    with pytest.raises(InputError) as caught:
        read_gold(path, CORPUS)
    told = [problem.what for problem in caught.value.problems]
    assert [what.split(" ")[0] for what in told] == [
        "gold.jsonl:1",
        "gold.jsonl:1",
        "gold.jsonl:2:",
    ]
    assert told[-1] == "gold.jsonl:2: 2 of 2 questions expect an answer and have no evidence: q2, q3"


def test_what_is_yours_goes_under_meta_and_comes_back(write, tmp_path):
    gold = read_gold(write(line(meta={"ticket": 7})), CORPUS)
    write_gold(tmp_path / "again.jsonl", gold)
    assert json.loads((tmp_path / "again.jsonl").read_text())["meta"] == {"ticket": 7}
    assert read_gold(tmp_path / "again.jsonl", CORPUS).seal == gold.seal


@pytest.mark.parametrize("raw", [b"", b" \n\r\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(write, raw):
    assert "is empty" in refused(write(raw=raw))


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path):
    assert "no file" in refused(tmp_path / "none.jsonl")
    assert "folder" in refused(tmp_path)


def test_another_encoding_is_read_with_a_warning_never_with_replaced_letters(write):
    text = json.dumps(line(text="Über die Gebühr für Ångström, zürich und Genève?"), ensure_ascii=False)
    gold = read_gold(write(raw=text.encode("utf-16")), CORPUS)
    assert gold["q1"].text.startswith("Über")
    loaded = load_gold(write(raw=text.encode("cp1252")), CORPUS)
    assert "\ufffd" not in loaded.gold["q1"].text
    assert any(f.kind == "encoding" for f in loaded.findings)


@pytest.mark.parametrize("word", ["every", "ANY"])
def test_an_unknown_way_of_counting_spans_is_refused(write, word):
    assert "spans is" in refused(write(line()), spans=word)


def test_an_unknown_format_names_the_nearest(write):
    assert "did you mean 'squad'" in refused(write(line()), format="sqad")


# the holdout


@pytest.mark.parametrize(
    "name", ["gold.holdout.jsonl", "my.HOLDOUT.jsonl", "holdout.csv", "gold_holdout.jsonl"]
)
def test_a_holdout_is_not_read_as_a_gold_set(write, name):
    message = refused(write(line(), name=name))
    assert "holdout" in message
    assert "gold check" in message


def test_a_link_to_a_holdout_is_a_holdout(write, tmp_path):
    hidden = write(line(), name="gold.holdout.jsonl")
    (tmp_path / "innocent.jsonl").symlink_to(hidden)
    assert "holdout" in refused(tmp_path / "innocent.jsonl")


def test_the_check_of_a_holdout_keeps_no_word_of_it(write):
    path = write(
        line("h1", "Zanzibar question?", reference="Zanzibar"),
        line("h2", "Zanzibar again?", evidence=[{"doc": "fees.md", "quote": "Zanzibar and more of it"}]),
        line("h3", "Zanzibar?", evidence=[{"nugget": "Zanzibar", "spans": E}]),
        {"id": "h4", "text": "Zanzibar", "expect": "Zanzibar"},
        name="gold.holdout.jsonl",
    )
    hidden = read_holdout_for_check(path, CORPUS)
    assert hidden.bare.split == "holdout"
    assert hidden.bare.ids == ("h1", "h3")
    assert [f.kind for f in hidden.findings] == ["unmatched", "field"]
    assert "Zanzibar" not in repr(hidden)
    assert "Fee waived" not in repr(hidden)


# writing


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip)
names = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=6).filter(
    str.strip
)
quotes = st.builds(
    lambda start, words: Quote(Span(DocId("d"), start, start + len(words)), words), st.integers(0, 99), texts
)
questions = st.builds(
    Question,
    id=names.map(QuestionId),
    text=texts,
    type=st.sampled_from(["", "fact"]),
    tags=st.lists(texts, max_size=2).map(tuple),
    saw_evidence=st.sampled_from([None, True, False]),
    evidence=st.lists(
        st.builds(
            Nugget,
            name=st.sampled_from(["", "n"]),
            vital=st.booleans(),
            spans=st.lists(quotes, min_size=1, max_size=2, unique=True).map(tuple),
        ),
        min_size=1,
        max_size=2,
    ).map(tuple),
    reference=st.sampled_from(["", "R."]),
    authoring=st.builds(Authoring, by=st.sampled_from(["", "ann"]), model=st.sampled_from([None, "m"])),
    review=st.builds(Review, status=st.sampled_from(["unreviewed", "accepted"]), changed=st.just(("text",))),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(questions, min_size=1, max_size=4, unique_by=lambda q: q.id))
def test_what_is_written_is_read_back_the_same(tmp_path_factory, made):
    path = tmp_path_factory.mktemp("gold") / "gold.jsonl"
    gold = GoldSet(tuple(made))
    write_gold(path, gold)
    again = read_gold(path)
    assert again.questions == gold.questions
    assert again.seal == gold.seal
    first = path.read_bytes()
    write_gold(path, again)
    assert path.read_bytes() == first


def test_the_way_of_counting_survives_writing(write, tmp_path):
    two = [{"doc": "fees.md", "quote": "Fee waived"}, {"doc": "fees.md", "quote": "Later"}]
    gold = read_gold(write(line(evidence=two)), CORPUS, spans="any")
    write_gold(tmp_path / "any.jsonl", gold)
    assert [len(n.spans) for n in read_gold(tmp_path / "any.jsonl", CORPUS)["q1"].evidence] == [2]


def test_nothing_is_left_where_nothing_could_be_written(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        write_gold(tmp_path / "none" / "gold.jsonl", GoldSet(()))
    assert list(tmp_path.iterdir()) == []


def test_a_patch_changes_only_the_lines_that_moved(write, tmp_path):
    moved = line("q2", "Two?", evidence=[{"doc": "fees.md", "quote": "Later", "start": 3, "end": 8}])
    untouched = '{"id":"q1",  "text":"Odd  spacing","evidence":["Later"],"source":"fees.md"}'
    path = write(
        untouched,
        moved,
        untouched,
        line("q3", "Three?", evidence=["nowhere to be found at all"], source="fees.md"),
    )
    loaded = load_gold(path, CORPUS)
    patch_gold(path, tmp_path / "fixed.jsonl", loaded.findings)
    lines = (tmp_path / "fixed.jsonl").read_text().splitlines()
    assert len(lines) == 3
    assert lines[0] == untouched
    assert json.loads(lines[1])["evidence"][0]["spans"] == [
        {"doc": "fees.md", "start": 12, "end": 17, "quote": "Later"}
    ]
    assert json.loads(lines[2])["id"] == "q3"


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ('{"id": "q1"}', "x", "jsonl"),
        ('[{"id": "q1"}]', "x.json", "json"),
        ('{"_id": "q1", "text": "a"}', "queries.jsonl", "beir"),
        ('{\n "data": [\n', "x.json", "squad"),
        ('{"version": "1.1", "data": []}', "x.json", "squad"),
        ("<top>\n<num> 1", "x", "topics"),
        ("<DOC>\n<DOCNO> 1 </DOCNO>", "x", "topics"),
        ("question,references,corpus_id\n", "x.csv", "chroma"),
        ("question;quote;doc\n", "x.csv", "csv"),
        ("not json, at all", "gold.jsonl", "jsonl"),
    ],
)
def test_the_format_is_told_by_the_content(text, name, expected):
    assert detect(text, name) == expected
