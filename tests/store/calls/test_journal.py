import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.model.call import Call, Message, Reply, Request
from evenhand.store.calls.journal import Calls, call_key
from evenhand.store.calls.record import Recorded

MODEL = "m" * 64


def recorded(n, outcome="reply", text='{"grade": 2}', **more):
    request = Request(
        task=f"t{n}",
        prompt="p",
        messages=(
            Message(role="system", content="Judge."),
            Message(role="user", content=f"unit {n} \ud800 \u2028"),
        ),
        schema={"type": "object"},
        seed=7,
        logprobs=True,
        repeat=1,
    )
    reply = None if outcome == "fault" else Reply(
        text=text, data={"grade": 2, "who": ["a", None]}, rung="tool", tokens_in=100, tokens_out=9,
        logprob=-0.25, earlier="?", without=("seed",), stop={"cut-off": "length", "refused": "refused"}.get(outcome, "end"),
    )  # fmt: skip
    call = Call(
        key=call_key(MODEL, request.seal), task=request.task, model=MODEL, outcome=outcome, reply=reply,
        why="because" if outcome != "reply" else "", tries=2, seconds=0.125, price=0.001,
    )  # fmt: skip
    return Recorded(call=call, request=request, chat="judge", at="2026-11-30T12:00:00.000Z", **more)


@pytest.mark.parametrize("outcome", ["reply", "cut-off", "refused", "fault"])
def test_a_call_comes_back_as_it_was_made(tmp_path, outcome):
    made = recorded(1, outcome)
    journal = Calls(tmp_path / ".evenhand")
    journal.add(made)
    assert journal.get(made.call.key) == made
    journal.close()
    again = Calls(tmp_path / ".evenhand")
    assert again.get(made.call.key) == made
    assert again.get(made.call.key).request.seal == made.request.seal
    assert again.state(made.call.key) == ("fault" if outcome == "fault" else "stands")
    assert again.get(call_key(MODEL, "another")) is None
    told = again.get(made.call.key).told("mine")
    assert (told.task, told.cached, told.outcome) == ("mine", True, outcome)


def test_the_repeat_index_and_the_model_set_calls_apart():
    first, second = (Request(task="t", prompt="p", messages=(), repeat=n) for n in (0, 1))
    keys = {call_key(model, request.seal) for model in ("a", "b") for request in (first, second)}
    assert len(keys) == 4


def test_a_fault_gives_way_to_what_comes_later_and_nothing_else_does(tmp_path):
    journal = Calls(tmp_path)
    key = recorded(1).call.key
    journal.add(recorded(1, "fault"))
    journal.add(recorded(1, "refused"))
    journal.add(recorded(1, "reply"))
    journal.add(recorded(1, "fault"))
    for held in (journal, Calls(tmp_path)):
        assert held.get(key).call.outcome == "refused"
        assert len(held) == 1
    assert [one.call.outcome for one, _ in journal.lines()] == ["fault", "refused", "reply", "fault"]


def test_a_number_that_is_no_json_does_not_lose_a_paid_reply(tmp_path):
    made = recorded(1)
    odd = Recorded(
        call=Call(**{**vars(made.call), "reply": Reply(text="NaN", data={"a": float("nan"), "b": [float("inf"), 1.5]})}),
        request=made.request, chat="judge", at=made.at,
    )  # fmt: skip
    journal = Calls(tmp_path)
    journal.add(odd)
    assert journal.get(made.call.key).call.reply.data == {"a": None, "b": [None, 1.5]}


@pytest.mark.parametrize("cut", [2, 30, 500])
def test_a_torn_tail_is_passed_over_counted_and_swallows_nothing(tmp_path, cut):
    journal = Calls(tmp_path)
    for n in (1, 2):
        journal.add(recorded(n))
    journal.close()
    path = journal.file.path
    path.write_bytes(path.read_bytes()[:-cut])
    torn = Calls(tmp_path)
    assert torn.get(recorded(1).call.key) is not None
    assert torn.get(recorded(2).call.key) is None
    torn.add(recorded(3))
    assert torn.get(recorded(3).call.key) == recorded(3)
    again = Calls(tmp_path)
    assert [again.state(recorded(n).call.key) for n in (1, 2, 3)] == ["stands", "", "stands"]
    assert again.torn == 1


def test_a_line_that_was_changed_is_not_believed(tmp_path):
    journal = Calls(tmp_path)
    journal.add(recorded(1))
    path = journal.file.path
    path.write_bytes(path.read_bytes().replace(b"grade", b"trade"))
    assert Calls(tmp_path).get(recorded(1).call.key) is None
    with pytest.raises(InputError, match="changed under a run"):
        journal.get(recorded(1).call.key)


def test_many_threads_add_and_each_finds_its_own_at_once(tmp_path):
    journal, wrong = Calls(tmp_path), []

    def work(first):
        for n in range(first, 400, 8):
            journal.add(recorded(n, "fault" if n % 3 == 0 else "reply"))
            if journal.get(recorded(n).call.key).call.task != f"t{n}":
                wrong.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert journal._seen == journal.file.size  # nothing is read again that was written here
    assert {n: journal.state(recorded(n).call.key) for n in range(400)} == {
        n: "fault" if n % 3 == 0 else "stands" for n in range(400)
    }


INTERRUPTED = """
import random, signal, sys
from tests.store.calls.test_journal import MODEL, recorded
from evenhand.store.calls.journal import Calls, call_key

def hit(*_):
    raise KeyboardInterrupt

journal, other = Calls(sys.argv[1]), Calls(sys.argv[1])
locks = (journal.file.writing, journal.file._handing, journal.file._flushing, journal._lock)
key, rng, hits = call_key(MODEL, "unknown"), random.Random(5), 0
signal.signal(signal.SIGALRM, hit)
for n in range(3000):
    try:
        other.add(recorded(n))  # something to look at
        journal.file._flushed = -1  # something to flush
        signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-5, 2e-4))
        while True:
            journal.state(key)
            journal.sync()
    except KeyboardInterrupt as caught:  # what it passed through is alive as long as this is
        hits += 1
        assert not any(lock.locked() for lock in locks)
print(hits)
"""


def test_an_interrupt_leaves_no_lock_behind(tmp_path):
    """Ctrl+C hits the thread that takes the calls; those that hold replies must still get them written."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", INTERRUPTED, str(tmp_path)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "3000\n", done.stderr


def _write(root, first):
    journal = Calls(root)
    for n in range(first, first + 150):
        journal.add(recorded(n, text="x" * 3000))
        if n % 10 == 0:
            journal.sync()


def test_two_processes_share_a_journal_and_see_each_other(tmp_path):
    mine = Calls(tmp_path)
    ways = multiprocessing.get_context("spawn")
    both = [ways.Process(target=_write, args=(tmp_path, first)) for first in (0, 1000)]
    for one in both:
        one.start()
    mine.add(recorded(5000))
    for one in both:
        one.join()
    wanted = [*range(150), *range(1000, 1150), 5000]
    assert all(mine.get(recorded(n).call.key).request.seal == recorded(n).request.seal for n in wanted)
    assert (len(Calls(tmp_path)), Calls(tmp_path).torn) == (301, 0)


def _write_until_killed(root, told):
    journal = Calls(root)
    for n in range(100_000):
        journal.add(recorded(n))
        told.send(n)


def test_what_was_added_survives_a_kill(tmp_path):
    ways = multiprocessing.get_context("spawn")
    mine, theirs = ways.Pipe(duplex=False)
    writer = ways.Process(target=_write_until_killed, args=(tmp_path, theirs))
    writer.start()
    theirs.close()
    last = -1
    with suppress(EOFError):
        while True:
            last = mine.recv()
            if last == 60:
                os.kill(writer.pid, signal.SIGKILL)
    writer.join()
    journal = Calls(tmp_path)
    assert last >= 60
    assert all(journal.state(recorded(n).call.key) == "stands" for n in range(last + 1))


def test_one_flush_serves_all_who_wait(tmp_path, monkeypatch):
    journal = Calls(tmp_path)
    slow, began = threading.Event(), threading.Event()
    flush = os.fsync

    def fsync(file):
        began.set()
        slow.wait(10)
        flush(file)

    monkeypatch.setattr(os, "fsync", fsync)

    def one(n):
        journal.add(recorded(n))
        journal.sync()

    threads = [threading.Thread(target=one, args=(n,)) for n in range(20)]
    threads[0].start()
    began.wait(10)
    for thread in threads[1:]:
        thread.start()
    while len(journal) < 20:
        pass
    slow.set()
    for thread in threads:
        thread.join()
    assert journal.file.flushes == 2
    journal.sync()  # nothing to do
    assert journal.file.flushes == 2


def test_a_disk_that_cannot_flush_is_said_and_not_passed_over(tmp_path, monkeypatch):
    journal = Calls(tmp_path)
    journal.add(recorded(1))

    def fsync(_file):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as no_room:
        no_room.setattr(os, "fsync", fsync)
        with pytest.raises(InputError, match="No space left"):
            journal.sync()
    journal.sync()
    assert journal.file.flushes == 1


def test_notes_are_durable_and_the_last_holds(tmp_path):
    journal = Calls(tmp_path)
    assert journal.notes("batch") == {}
    journal.note("batch", "b", {"state": "to be sent"})
    journal.note("batch", "a", {"state": "sent"})
    journal.note("batch", "b", {"state": "sent", "id": "batch_1"})
    for held in (journal, Calls(tmp_path)):
        assert held.notes("batch") == {"b": {"state": "sent", "id": "batch_1"}, "a": {"state": "sent"}}
    assert list(journal.lines()) == []


def test_keeping_some_rewrites_the_file_and_leaves_notes(tmp_path):
    journal = Calls(tmp_path)
    journal.note("batch", "b", {"state": "sent"})
    for n in range(4):
        journal.add(recorded(n))
    journal.add(recorded(9, "fault"))
    before = journal.file.size
    assert journal.keep(lambda one: one.request.task in ("t1", "t3")) == 3
    assert journal.file.size < before
    for held in (journal, Calls(tmp_path)):
        assert [held.state(recorded(n).call.key) for n in (0, 1, 2, 3, 9)] == ["", "stands", "", "stands", ""]
        assert held.notes("batch") == {"b": {"state": "sent"}}
    journal.add(recorded(0))
    assert Calls(tmp_path).get(recorded(0).call.key) == recorded(0)


def test_a_journal_in_use_is_not_rewritten(tmp_path):
    busy, other = Calls(tmp_path), None
    busy.add(recorded(1))
    other = Calls(tmp_path)
    with pytest.raises(InputError, match="in use by another run"):
        other.keep(lambda _one: False)
    assert busy.get(recorded(1).call.key) == recorded(1)
    busy.add(recorded(2))
    busy.close()
    assert other.keep(lambda _one: False) == 2
    assert len(Calls(tmp_path)) == 0


def test_looking_makes_no_file(tmp_path):
    journal = Calls(tmp_path / ".evenhand")
    assert journal.get(recorded(1).call.key) is None
    assert journal.keep(lambda _one: False) == 0
    assert list(journal.lines()) == []
    journal.close()
    assert not (tmp_path / ".evenhand").exists()
    journal.add(recorded(1))
    assert (tmp_path / ".evenhand" / ".gitignore").read_text() == "*\n"


def test_a_cache_that_is_a_file_is_said(tmp_path):
    (tmp_path / "c").write_text("")
    with pytest.raises(InputError, match="is not a folder"):
        Calls(tmp_path / "c")
