"""Two processes over one journal: each call is made once, whoever comes first, and a kill leaves no lock."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.llm.faulty import faulty, says
from tests.llm.toys import Toy, request, requests

from evenhand.errors import Unreachable
from evenhand.llm.scheduling.caller import Caller
from evenhand.llm.scheduling.progress_text import Line
from evenhand.model.call import Reply
from evenhand.store.calls.in_flight import Claims
from evenhand.store.calls.journal import Calls, call_key

ROOT = Path(__file__).resolve().parents[3]

HOLDS = """
import sys
from pathlib import Path
from evenhand.store.calls.in_flight import Claims

print(Claims(Path(sys.argv[1])).take(sys.argv[2]), flush=True)
sys.stdin.read()
"""

ASKS = """
import sys
from evenhand.llm.scheduling.caller import Caller
from evenhand.llm.providers.factory import chat_of
from evenhand.store.calls.journal import Calls
from tests.llm.toys import requests

chat = chat_of("vllm:j", {"base_url": sys.argv[2]})
calls = list(Caller({"j": chat}, Calls(sys.argv[1]), concurrency=4).ask(requests(60, name="j")))
print(sum(call.outcome == "reply" for call in calls), sum(not call.cached for call in calls))
"""


def start(program, *arguments):
    words = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def held(tmp_path):
    """A key of the journal in *tmp_path* that another process holds."""
    key = call_key(Toy().seal, request(0).seal)
    other = start(HOLDS, tmp_path / "calls" / "under-way", key)
    assert other.stdout.readline() == "True\n"
    yield other
    other.kill()
    other.communicate()


def test_two_processes_that_ask_the_same_pay_once(tmp_path):
    with faulty(says("{}"), latency=0.02) as server:
        both = [start(ASKS, tmp_path, server.base_url) for _ in range(2)]
        told = [one.communicate(timeout=60)[0].split() for one in both]
        assert len(server.seen) == 60
    assert [replies for replies, _ in told] == ["60", "60"]
    assert sum(int(made) for _, made in told) == 60
    assert len(list(Calls(tmp_path).lines())) == 60


def test_a_call_of_another_process_is_waited_for_and_the_rest_is_asked_meanwhile(tmp_path, held):
    journal, toy, told = Calls(tmp_path), Toy(), []

    def progress(_stage, done, _total, note):
        told.append(note)
        if "under way in another process" in note and done == 9:
            held.kill()  # it ends without a reply: its call is made here

    calls = list(Caller({"toy": toy}, journal, progress=progress).ask(requests(10)))
    assert [call.outcome for call in calls] == ["reply"] * 10
    assert toy.asked[-1] == "t0"
    assert len(toy.asked) == 10
    assert any("1 call under way in another process, waited for" in note for note in told)


def test_a_deadline_ends_the_waiting_for_another_process(tmp_path, held):
    assert held.poll() is None
    calls = {
        call.task: call for call in Caller({"toy": Toy()}, Calls(tmp_path), deadline=0.5).ask(requests(3))
    }
    assert (calls["t0"].why, calls["t0"].tries) == ("deadline", 0)
    assert calls["t1"].outcome == calls["t2"].outcome == "reply"


def test_reading_the_journal_waits_for_nobody(tmp_path, held):
    assert held.poll() is None
    with Calls(tmp_path) as journal:
        assert (len(journal), list(journal.lines()), list(journal.recent())) == (0, [], [])


def test_two_callers_of_one_process_share_what_is_under_way(tmp_path):
    gate, sent = threading.Event(), threading.Event()

    def slow(_request, _n):
        sent.set()
        gate.wait(10)
        return Reply(text="x", tokens_in=1, tokens_out=1)

    first, second = Toy(slow), Toy()
    found = []
    asking = threading.Thread(
        target=lambda: found.extend(Caller({"toy": first}, Calls(tmp_path)).ask(requests(1)))
    )
    asking.start()
    assert sent.wait(10)
    threading.Timer(0.3, gate.set).start()
    (call,) = Caller({"toy": second}, Calls(tmp_path)).ask(requests(1))
    asking.join()
    assert (call.cached, call.outcome, second.asked) == (True, "reply", [])
    assert not found[0].cached


def test_what_failed_there_is_asked_here(tmp_path):
    gate, sent = threading.Event(), threading.Event()

    def fails(_request, _n):
        sent.set()
        gate.wait(10)
        raise Unreachable("no", mend="none", why="HTTP status 400", again=False)

    asking = threading.Thread(
        target=lambda: list(Caller({"toy": Toy(fails)}, Calls(tmp_path)).ask(requests(1)))
    )
    asking.start()
    assert sent.wait(10)
    threading.Timer(0.3, gate.set).start()
    (call,) = Caller({"toy": Toy()}, Calls(tmp_path)).ask(requests(1))
    asking.join()
    assert (call.cached, call.outcome) == (False, "reply")


def test_a_key_is_held_once_and_free_again(tmp_path):
    one, other = Claims(tmp_path / "calls" / "c"), Claims(tmp_path / "calls" / "c")
    assert one.take("ab" * 32)
    assert not other.take("ab" * 32)
    assert other.take("cd" * 32)
    one.release("ab" * 32)
    assert other.take("ab" * 32)
    for key in ("ab" * 32, "cd" * 32):
        other.release(key)
        other.release(key)


def test_a_place_that_cannot_be_written_is_said_before_anything_is_sent(tmp_path):
    (tmp_path / "calls" / "under-way").mkdir(parents=True)
    toy = Toy()
    from evenhand.errors import InputError

    with pytest.raises(InputError, match="under-way cannot be used"):
        list(Caller({"toy": toy}, Calls(tmp_path)).ask(requests(2)))
    assert toy.asked == []


def test_the_line_counts_what_others_do(tmp_path):
    line = Line("ask", 5, 0.0)
    line.elsewhere = 2
    note = line.note([], Caller({}, Calls(tmp_path)), 0.1)
    assert note == "2 calls under way in another process, waited for"
