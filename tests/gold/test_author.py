"""Questions added, edited and reviewed; their history; one line of a file written anew."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.formats.gold.edit_lines import mark_of, put_question, question_of
from evenhand.formats.gold.gold_set import read_gold
from evenhand.gold.author import edited, found_of, history, new_id, reviewed, waiting, written
from evenhand.model.gold import GoldSet
from evenhand.model.text import Corpus, DocId, Document

TEXTS = {
    "a.md": "The ferry of Alder costs 12 crowns a day. It leaves at noon.",
    "b.md": "In winter the ferry of Alder costs 12 crowns a day as well.",
}
CORPUS = Corpus(tuple(Document(id=DocId(name), text=text) for name, text in TEXTS.items()))
ROW = {
    "id": "q1",
    "text": "What does the ferry of Alder cost?",
    "evidence": [{"doc": "a.md", "quote": "leaves at noon"}],
}


def made(**more):
    return question_of(ROW | more, CORPUS)[0]


def test_a_new_id_follows_the_manner_of_those_there():
    assert new_id([]) == "q001"
    assert new_id(["q009", "q002"]) == "q010"
    assert new_id(["alder-9", "alder-10"]) == "alder-11"
    assert new_id(["one", "two"]) == "q001"


def test_a_quote_is_placed_and_one_that_is_nowhere_is_refused():
    question = made()
    quote = question.evidence[0].spans[0]
    assert TEXTS["a.md"][quote.span.start : quote.span.end] == "leaves at noon"
    with pytest.raises(InputError):
        made(evidence=[{"doc": "a.md", "quote": "leaves at midnight on Sundays"}])
    with pytest.raises(InputError):
        made(expect="maybe")


def test_alternatives_of_a_nugget_stay_alternatives():
    row = {"nugget": "price", "spans": [{"doc": name, "quote": "12 crowns"} for name in TEXTS]}
    question = made(evidence=[row])
    assert [len(nugget.spans) for nugget in question.evidence] == [2]


def test_what_a_model_drafted_is_provisional_until_a_person_accepts_it():
    draft = written(made(), by="ann", on="2026-11-30", model="small-1")
    assert draft.provisional
    assert waiting(GoldSet((draft,))) == [draft]
    done = reviewed(draft, "accepted", by="ben", on="2026-12-01")
    assert not done.provisional
    assert (done.review.status, done.review.by, done.review.on) == ("accepted", "ben", "2026-12-01")
    assert waiting(GoldSet((done,))) == []
    assert reviewed(draft, "rejected", by="ben", on="2026-12-01", reason="vague").provisional


def test_an_edit_keeps_what_was_and_asks_for_a_review_again():
    accepted = reviewed(
        written(made(), by="ann", on="2026-11-30", model="m"), "accepted", by="ben", on="2026-12-01"
    )
    new = edited(accepted, made(text="When does it leave?"), by="ann", on="2026-12-02", reason="was unclear")
    assert new.text == "When does it leave?"
    assert new.review.status == "unreviewed"
    assert new.provisional
    assert new.authoring == accepted.authoring
    assert [(one["did"], one["by"]) for one in history(new)] == [("accepted", "ben"), ("edited", "ann")]
    assert history(new)[1]["was"] == {"text": ROW["text"]}
    assert history(new)[1]["reason"] == "was unclear"


def test_a_review_with_changes_names_the_fields_changed():
    draft = written(made(), by="ann", on="2026-11-30", model="m")
    first = reviewed(draft, "accepted", by="ben", on="1", reason="typo", new=made(type="numeric"))
    assert (first.review.status, first.review.changed) == ("changed", ("type",))
    assert not first.provisional
    again = reviewed(first, "accepted", by="cyd", on="2")
    assert again.review.changed == ("type",)
    assert len(history(again)) == 2


@pytest.mark.parametrize(
    "act",
    [
        lambda q: edited(q, q, by="ann", on="1", reason="none"),
        lambda q: edited(q, made(text="Else?"), by="ann", on="1", reason=" "),
        lambda q: edited(q, made(text="Else?"), by="", on="1", reason="why"),
        lambda q: reviewed(q, "acepted", by="ben", on="1"),
        lambda q: reviewed(q, "rejected", by="ben", on="1"),
        lambda q: written(q, by=" ", on="1"),
    ],
)
def test_nothing_is_done_without_a_person_a_change_and_a_reason(act):
    with pytest.raises(InputError):
        act(made())


def test_a_twin_is_an_error_and_one_nearly_so_a_warning():
    gold = GoldSet((made(id="q7"),))
    same = found_of(made(text="what does  the FERRY of Alder cost"), gold, None)
    assert [(one.kind, one.severity) for one in same if "question" in one.kind] == [
        ("twin-question", "error")
    ]
    near = found_of(made(text="What does the ferry of Alder cost today?"), gold, None)
    assert [(one.kind, one.severity) for one in near if "question" in one.kind] == [
        ("near-question", "warning")
    ]
    assert "q7" in near[0].message
    assert not [one for one in found_of(made(text="Who paints boats?"), gold, None) if "question" in one.kind]
    # its own older form is no twin
    assert not [one for one in found_of(made(id="q7"), gold, None) if one.kind == "twin-question"]


def test_evidence_that_stands_elsewhere_too_is_said():
    question = made(evidence=[{"doc": "a.md", "quote": "The ferry of Alder costs 12 crowns a day"}])
    found = found_of(question, GoldSet(()), CORPUS)
    assert any("b.md" in str(one) for one in found)


def test_one_line_changes_and_every_other_byte_stays(tmp_path):
    path = tmp_path / "gold.jsonl"
    odd = '{"text": "B?",   "id":"q2", "expect": "abstain"}'
    path.write_bytes(f'\n{{"id": "q1", "text": "A?", "expect": "abstain"}}\n{odd}\n'.encode())
    gold = read_gold(path)
    put_question(path, edited(gold["q1"], gold["q2"], by="ann", on="1", reason="why"))
    lines = path.read_text().split("\n")
    assert lines[0] == lines[-1] == ""
    assert lines[2] == odd
    assert json.loads(lines[1])["text"] == "B?"
    put_question(path, made(id="q3"))
    assert path.read_text().split("\n")[:3] == lines[:3]
    assert len(read_gold(path, CORPUS)) == 3


def test_line_ends_of_a_file_stay_what_they_are(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_bytes(b'{"id": "q1", "text": "A?", "expect": "abstain"}\r\n')
    put_question(path, made(id="q3"))
    put_question(path, made(id="q1"))
    assert path.read_bytes().count(b"\r\n") == path.read_bytes().count(b"\n") == 2
    assert read_gold(path).ids == ("q1", "q3")


def test_two_who_write_at_once_do_not_undo_each_other(tmp_path):
    path = tmp_path / "gold.jsonl"
    assert mark_of(path) == ""
    mark = put_question(path, made(id="q1"), mark="")
    assert mark == mark_of(path)
    put_question(path, made(id="q2"), mark=mark)
    with pytest.raises(InputError, match="changed meanwhile"):
        put_question(path, made(id="q3"), mark=mark)
    with pytest.raises(InputError, match="changed meanwhile"):
        put_question(path, made(id="q3"), mark="")
    assert read_gold(path).ids == ("q1", "q2")


def test_a_holdout_and_a_guest_s_file_are_not_written(tmp_path):
    with pytest.raises(InputError, match="holdout"):
        put_question(tmp_path / "gold.holdout.jsonl", made())
    path = tmp_path / "gold.csv"
    path.write_text("question,quote,doc\nA?,leaves at noon,a.md\n")
    with pytest.raises(InputError, match=r"no gold\.jsonl"):
        put_question(path, made())
    assert path.read_text().startswith("question")


@settings(max_examples=40, deadline=None)
@given(
    texts=st.lists(
        st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1).filter(str.strip), max_size=5
    ),
    at=st.integers(0, 4),
)
def test_whatever_the_words_a_diff_is_one_line(tmp_path_factory, texts, at):
    path = tmp_path_factory.mktemp("gold") / "gold.jsonl"
    for i, text in enumerate(texts):
        put_question(path, question_of({"id": f"q{i}", "text": text, "expect": "abstain"})[0])
    before = path.read_text(encoding="utf-8").split("\n") if texts else [""]
    put_question(path, question_of({"id": f"q{at}", "text": "New?", "expect": "abstain"})[0])
    after = path.read_text(encoding="utf-8").split("\n")
    if at < len(texts):
        assert sum(x != y for x, y in zip(before, after, strict=True)) <= 1
    else:
        assert after[: len(before) - 1] == before[:-1]
    assert read_gold(path)[f"q{at}"].text == "New?"
