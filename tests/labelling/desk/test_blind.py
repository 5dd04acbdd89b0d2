"""What a desk receives, to the key; what it may send back."""

import json
from dataclasses import replace

import pytest

from evenhand.errors import InputError
from evenhand.judge.sheets.built_in import CONTRIBUTION, SUFFICIENCY, built_in
from evenhand.labelling.desk.blind import PAYLOAD_KEYS, fits, payload
from evenhand.model.judging import Entry, EvidenceMark, Task
from evenhand.testing import small_pool

POOL = small_pool()
ITEM = replace(POOL.items[1], stratum="rank 1–3", size=3.25, priority=17.5, probability=0.125)
TEXT = "e\u0301 👩‍🔬 \r\n end"
KINDS = ("main", "warm-up", "repeat", "attention")


def sent(kind="main", about=()):
    task = Task(id="t" * 20, desk="d" * 20, position=4, item=ITEM.id, kind=kind, about=about)
    return payload(task, ITEM, question="How?", text=TEXT, sheet="s" * 64, total=9)


def test_the_payload_has_exactly_these_keys():
    expected = {"task", "position", "total", "question", "text", "heading", "title", "sheet"}
    assert expected == PAYLOAD_KEYS
    for kind in KINDS:
        assert set(sent(kind)) == expected


def test_the_bytes_of_the_payload_hold_nothing_that_could_bias():
    """No system, rank, score, stratum, probability, kind of task, judge, desk, question id or document id."""
    data = json.dumps(sent("attention", about=("desk-ben:3",)))
    secrets = ["bm25", "dense", "rank", "3.25", "17.5", "0.125", "attention", "desk-ben", "d" * 20]
    secrets += [ITEM.id, ITEM.question, ITEM.doc, ITEM.text_sha256]
    assert [secret for secret in secrets if secret in data] == []


def test_the_payload_is_the_same_whatever_kind_of_task_it_is():
    assert len({json.dumps(sent(kind), sort_keys=True) for kind in KINDS}) == 1


def test_a_payload_of_another_item_is_refused():
    task = Task(id="t", desk="d", position=0, item="other")
    with pytest.raises(InputError, match="about item"):
        payload(task, ITEM, question="", text="", sheet="", total=1)


def answer(grade=2.0, **more):
    more = {"kind": "grade", "sheet": CONTRIBUTION.seal, "token": "t", "desk": "d", "task": "x", **more}
    return Entry(grade=grade, **more)


def test_an_answer_that_the_sheet_allows_passes():
    fits(answer(), CONTRIBUTION, TEXT)
    fits(answer(0.0, mode="partial"), CONTRIBUTION, TEXT)
    fits(answer(None, kind="cannot-tell"), CONTRIBUTION, TEXT)
    fits(answer(None, kind="skip", reason="garbled"), CONTRIBUTION, TEXT)
    fits(answer(evidence=(EvidenceMark(start=3, end=6, quote="👩‍🔬"),)), CONTRIBUTION, TEXT)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (answer(3.0), "no grade of sheet"),
        (answer(sheet="old"), "another version"),
        (answer(2.0, mode="partial"), "failure mode goes only"),
        (answer(0.0, mode="partly"), "no failure mode"),
        (answer(None, kind="skip", reason=" "), "no reason"),
        (answer(None, kind="undo"), "undo"),
        (answer(evidence=(EvidenceMark(start=0, end=1, quote="é"),)), "not what the text says"),
        (answer(evidence=(EvidenceMark(start=90, end=91, quote="x"),)), "not what the text says"),
    ],
)
def test_an_answer_that_the_sheet_does_not_allow_is_refused(entry, said):
    with pytest.raises(InputError, match=said):
        fits(entry, CONTRIBUTION, TEXT)


def test_a_sheet_may_insist_on_evidence_and_do_without_cannot_tell():
    levels = (CONTRIBUTION.levels[0], replace(CONTRIBUTION.levels[2], evidence="must"))
    strict = replace(CONTRIBUTION, levels=levels, cannot_tell=False)
    with pytest.raises(InputError, match="needs its evidence"):
        fits(answer(sheet=strict.seal), strict, TEXT)
    with pytest.raises(InputError, match="cannot tell"):
        fits(answer(None, kind="cannot-tell", sheet=strict.seal), strict, TEXT)


def test_the_two_sheets_are_found_by_name_and_another_names_the_nearest():
    assert built_in("contribution") is CONTRIBUTION
    assert built_in("sufficiency") is SUFFICIENCY
    with pytest.raises(InputError, match="no sheet") as caught:
        built_in("suficiency")
    assert "sufficiency" in caught.value.mend


def test_every_word_of_a_sheet_is_in_its_version():
    assert replace(CONTRIBUTION, guideline=CONTRIBUTION.guideline + " ").seal != CONTRIBUTION.seal
    again = type(CONTRIBUTION).of_json(json.loads(json.dumps(CONTRIBUTION.as_json())))
    assert again == CONTRIBUTION
    assert again.seal == CONTRIBUTION.seal
