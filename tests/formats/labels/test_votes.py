"""votes.jsonl: read, appended to, rewritten to the same bytes; faults named by line and field."""

import json
from dataclasses import replace
from itertools import permutations

import pytest
from tests.judge.asked import call, shown

from evenhand.errors import InputError
from evenhand.formats.labels.votes import append_votes, read_votes, vote_json, votes_text, write_votes
from evenhand.judge.panel.parse_reply import vote
from evenhand.judge.panel.prompt_spec import brief_named

YES_NO = brief_named("sufficiency")


def made(question="q1", judge="a", repeat=0, text="Leave is asked for in writing.", **data):
    reply = {"verdict": "yes", "evidence": ["Leave"], "contribution": "2"} | data
    return vote(call(reply), YES_NO, shown(text, question=question), judge=judge, family="f", repeat=repeat)


VOTES = [made(question=q, judge=j, repeat=r) for q in ("q2", "q1") for j in "ba" for r in (1, 0)]
VOTES.append(vote(call(text="", outcome="fault", why="HTTP status 500"), YES_NO, shown(), judge="c"))


def test_written_and_read_again_they_are_the_same(tmp_path):
    file = tmp_path / "votes.jsonl"
    write_votes(file, VOTES)
    again = read_votes(file)
    assert sorted(map(repr, again)) == sorted(map(repr, VOTES))
    assert votes_text(again) == file.read_text("utf-8")


def test_the_order_of_a_rewritten_file_does_not_depend_on_how_votes_came():
    assert votes_text(VOTES) == votes_text(VOTES[::-1])


def test_votes_are_added_at_the_end_and_a_torn_line_is_cut_off(tmp_path):
    file = tmp_path / "deep" / "votes.jsonl"
    append_votes(file, VOTES[:2])
    whole = file.read_bytes()
    append_votes(file, [])
    assert file.read_bytes() == whole
    torn = whole + b'{"question": "q9", "doc'
    file.write_bytes(torn)
    assert len(read_votes(file)) == 2  # what was torn off is no vote
    append_votes(file, VOTES[2:4])
    assert len(read_votes(file)) == 4
    assert file.read_bytes().startswith(whole)
    file.write_bytes(whole.rstrip(b"\n"))  # a whole line whose end an editor took away
    append_votes(file, VOTES[2:4])
    assert len(read_votes(file)) == 4


def test_half_a_surrogate_pair_in_a_quote_can_be_written(tmp_path):
    odd = made(text="a \ud800 b", evidence=["a \ud800"])
    file = tmp_path / "votes.jsonl"
    append_votes(file, [odd])
    assert read_votes(file) == [odd]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"grade": "1"}, "grade is '1'"),
        ({"grade": None}, "with grade None"),
        ({"outcome": "verdicts"}, "did you mean 'verdict'"),
        ({"outcome": "fault"}, "grade goes with a verdict"),
        ({"start": -1}, "start is -1"),
        ({"start": 99}, "start 99 and end 30"),
        ({"repeat": True}, "repeat is True"),
        ({"told": []}, r"told is \[\]"),
        ({"judge": " "}, "judge is empty"),
        ({"simlarity": 0.4}, "has a field 'simlarity'"),
        ({"doc": None}, "doc is None"),
    ],
)
def test_faults_are_named_with_file_line_and_field(tmp_path, changes, told):
    row = vote_json(VOTES[0]) | changes
    file = tmp_path / "votes.jsonl"
    file.write_text(json.dumps(vote_json(VOTES[1])) + "\n" + json.dumps(row) + "\n")
    with pytest.raises(InputError, match=r"votes\.jsonl:2") as error:
        read_votes(file)
    import re

    assert re.search(told, str(error.value))


def test_a_field_that_is_missing_or_a_line_that_is_no_json(tmp_path):
    file = tmp_path / "votes.jsonl"
    row = vote_json(VOTES[0])
    del row["sheet"]
    file.write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match=r"votes\.jsonl:1: has no 'sheet'"):
        read_votes(file)
    file.write_text("no JSON\n" + json.dumps(vote_json(VOTES[0])) + "\n")
    with pytest.raises(InputError, match=r"votes\.jsonl:1: not JSON"):
        read_votes(file)
    file.write_text("[]\n")
    with pytest.raises(InputError, match="is no JSON object"):
        read_votes(file)


def test_a_grade_off_the_scale_of_its_sheet_names_file_line_and_levels(tmp_path):
    file = tmp_path / "votes.jsonl"
    rows = [vote_json(one) for one in VOTES[:3]]
    rows[1]["grade"] = 7
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_votes(file, sheets=[YES_NO.sheet])
    assert caught.value.what == f"{file}:2: grade is 7, and sheet sufficiency has 0 (no), 1 (yes)"
    assert len(read_votes(file)) == 3  # under what scale they stand is not known
    assert (
        len(read_votes(file, sheets=[brief_named("contribution").sheet])) == 3
    )  # these are of another sheet


def test_faults_name_the_file_as_it_was_given(tmp_path):
    file = tmp_path / "study" / "votes.jsonl"
    file.parent.mkdir()
    file.write_text("{}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_votes(file)
    assert caught.value.what.startswith(f"{file}:1: ")


def test_the_forms_of_one_item_in_a_stress_run_have_an_order_of_their_own():
    def vote(prompt, trial, call="", **more):
        told = {"trial": trial} if trial else {}
        return replace(VOTES[0], prompt=prompt, call=call or prompt, told=told, **more)

    forms = [
        vote("p2", "P2/levels turned/x"),
        vote("p1", "P2/text first/x"),
        vote("p1", "P2/text first/x", "c"),
    ]
    forms += [vote("p1", "control/x"), vote("p0", "control/x", sheet="b" * 16)]
    for order in permutations(forms):
        assert votes_text(order) == votes_text(forms)
    # what is said again of the same keeps its order: the last counts, under another wording too
    again = [vote("p2", "", outcome="fault", grade=None), vote("p1", "")]
    assert votes_text(again) != votes_text(again[::-1])
    once = vote("p1", "control/x")
    failed = replace(once, outcome="fault", grade=None)
    assert votes_text([failed, once]) != votes_text([once, failed])
