"""The ledger: appended and never edited; every change of a line is found, and a torn one is said."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError, SealBroken
from evenhand.formats.results.ledger import append, read_ledger, walk
from evenhand.model.ledger import FIRST, Entry

AT = "2026-01-02T03:04:05.678Z"


def add(path, kind="registered", **content):
    return append(path, kind=kind, study="s", at=AT, content=lambda _: content)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ledger.jsonl"
    for i in range(4):
        add(path, n=i, word="é")
    return path


def test_each_entry_names_the_hash_of_the_one_before(path):
    ledger = read_ledger(path)
    assert [entry.n for entry in ledger.entries] == [1, 2, 3, 4]
    assert ledger.entries[0].before == FIRST
    for one, two in zip(ledger.entries, ledger.entries[1:], strict=False):
        assert two.before == one.hash
    assert not ledger.faults
    assert json.loads(path.read_text().splitlines()[1])["content"] == {"n": 1, "word": "é"}


def test_a_missing_ledger_is_empty_and_its_head_is_fixed(tmp_path):
    assert read_ledger(tmp_path / "none").head == FIRST


@given(data=st.data())
def test_no_byte_can_be_changed_without_being_seen(data):
    entries, before = [], FIRST
    for i in range(3):
        entry = Entry(n=i + 1, kind="look", at=AT, study="s", before=before, content={"i": i})
        entries.append(entry.line())
        before = entry.hash
    whole = b"".join(entries)
    place = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != whole[place]))
    made = walk(whole[:place] + bytes([byte]) + whole[place + 1 :])
    # without its last newline a file may end in a line that was never finished: that is said too
    assert made.faults or made.torn
    # (and so is one whose last brace became a newline: it looks the same)
    assert made.faults or place == len(whole) - 1 or (place == len(whole) - 2 and byte == 10)


@pytest.mark.parametrize("line", range(3))
def test_a_line_that_is_taken_out_is_missed(path, line):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:line] + lines[line + 1 :]))
    ledger = read_ledger(path)
    assert ledger.faults[0].line == line + 1
    assert "is missing or moved" in ledger.faults[0].what
    with pytest.raises(SealBroken, match=rf"ledger.jsonl:{line + 1}"):
        add(path)


def test_lines_that_change_places_are_seen(path):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[1], lines[0], *lines[2:]]))
    assert read_ledger(path).faults


def test_a_line_that_is_hashed_anew_after_a_change_breaks_the_next(path):
    lines = path.read_bytes().splitlines(keepends=True)
    entry = json.loads(lines[1])
    entry.pop("hash")
    entry["content"]["n"] = 99
    lines[1] = Entry(**entry).line()
    path.write_bytes(b"".join(lines))
    assert [fault.line for fault in read_ledger(path).faults] == [3]


@pytest.mark.parametrize("cut", [1, 8, 40, 200])
def test_a_torn_tail_is_said_and_the_next_line_stands_alone(path, cut):
    whole = path.read_bytes()
    add(path, "look", text="x" * 300)
    last = path.read_bytes()[len(whole) :]
    path.write_bytes(whole + last[:cut])
    assert read_ledger(path).torn == (5,)
    assert len(read_ledger(path).entries) == 4
    add(path, "look", again=True)
    ledger = read_ledger(path)
    assert (ledger.torn, ledger.faults) == ((5,), ())
    assert ledger.entries[-1].content == {"again": True}


def test_what_is_asked_under_the_lock_may_refuse_or_add_nothing(path):
    def refuse(ledger):
        assert len(ledger.entries) == 4
        raise InputError("no", mend="so")

    with pytest.raises(InputError):
        append(path, kind="look", study="s", at=AT, content=refuse)
    assert append(path, kind="look", study="s", at=AT, content=lambda _: None)[0] is None
    assert len(read_ledger(path).entries) == 4


WRITER = """
import sys
from pathlib import Path
from evenhand.formats.results.ledger import append
path, at = Path(sys.argv[1]), "2026-01-02T03:04:05.678Z"
for _ in range(25):
    append(path, kind="integrity", study="s", at=at, content=lambda ledger: {"seen": len(ledger.entries)})
    append(path, kind="look", study="s", at=at, content=lambda ledger: None if ledger.of("s", "look") else {})
"""


def test_two_processes_add_one_after_the_other_and_one_look_is_one(tmp_path):
    path = tmp_path / "ledger.jsonl"
    workers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path)]) for _ in range(3)]
    assert [worker.wait(timeout=60) for worker in workers] == [0, 0, 0]
    ledger = read_ledger(path)
    assert not ledger.faults
    assert len(ledger.entries) == 76
    assert len(ledger.of("s", "look")) == 1
    assert all(e.content["seen"] == e.n - 1 for e in ledger.of("s", "integrity"))


def test_kinds_are_known_and_names_the_nearest(tmp_path):
    with pytest.raises(InputError, match="looks") as caught:
        append(tmp_path / "l", kind="looks", study="s", at=AT, content=lambda _: {})
    assert "did you mean 'look'" in caught.value.mend


def test_a_ledger_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "ledger.jsonl").mkdir()
    with pytest.raises(InputError):
        add(tmp_path / "ledger.jsonl")
