import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
from tests.llm.faulty import broken, faulty, reset, says, too_many
from tests.llm.toys import Toy, request, requests

from evenhand.errors import InputError, Unreachable
from evenhand.llm.providers.factory import chat_of
from evenhand.llm.scheduling.caller import Caller
from evenhand.model.call import Reply
from evenhand.store.calls.journal import Calls

ROOT = Path(__file__).resolve().parents[3]


pytestmark = pytest.mark.usefixtures("impatient")


def trouble(status=500, **more):
    return Unreachable(f"status {status}", mend="wait", why=f"HTTP status {status}", **more)


def by_task(calls):
    return {call.task: call for call in calls}


def test_each_request_is_asked_once_and_comes_back_once(journal):
    toy = Toy(dollars=0.5)
    calls = list(Caller({"toy": toy}, journal).ask(requests(100)))
    assert sorted(call.task for call in calls) == sorted(f"t{n}" for n in range(100))
    assert sorted(toy.asked) == sorted(call.task for call in calls)
    assert {(call.outcome, call.cached, call.tries, call.price) for call in calls} == {
        ("reply", False, 1, 0.5)
    }
    assert all(call.seconds >= 0 for call in calls)


def test_what_is_in_the_journal_is_not_asked(journal, tmp_path):
    first, second = Toy(dollars=0.5), Toy(dollars=0.5)
    list(Caller({"toy": first}, journal).ask(requests(10)))
    caller = Caller({"toy": second}, Calls(tmp_path / ".evenhand"), budget=0.0)
    calls = list(caller.ask([("toy", request(n, task=f"other{n}")) for n in range(10)]))
    assert second.asked == []
    assert [(call.task, call.cached, call.price) for call in calls] == [
        (f"other{n}", True, 0.5) for n in range(10)
    ]
    assert caller.spent == 0


def test_another_repeat_and_another_model_are_asked(journal):
    toy, other = Toy(), Toy(name="other")
    caller = Caller({"toy": toy, "other": other}, journal)
    list(caller.ask([("toy", request(1)), ("toy", request(1, repeat=1)), ("other", request(1))]))
    assert (len(toy.asked), len(other.asked)) == (2, 1)


def test_equal_requests_in_flight_are_asked_once_and_each_is_answered(journal):
    gate = threading.Event()
    toy = Toy(gate=gate, dollars=1.0)

    def lazily():
        for n in range(6):
            yield "toy", request(1, task=f"same{n}")
        gate.set()

    calls = list(Caller({"toy": toy}, journal).ask(lazily()))
    assert len(toy.asked) == 1
    assert sorted(call.task for call in calls) == [f"same{n}" for n in range(6)]
    assert [call.cached for call in calls].count(False) == 1


def test_requests_are_taken_no_faster_than_they_are_needed(journal):
    taken = []

    def lazily():
        for n in range(10_000):
            taken.append(n)
            yield "toy", request(n)

    calls = Caller({"toy": Toy()}, journal, concurrency=2).ask(lazily())
    for _ in range(5):
        next(calls)
    calls.close()
    assert len(taken) < 200


def test_never_more_under_way_than_allowed(journal):
    def slow(_request, _n):
        time.sleep(0.002)
        return Reply(text="x")

    toy = Toy(slow)
    list(Caller({"toy": toy}, journal, concurrency=3).ask(requests(60)))
    assert toy.most == 3


def test_many_under_way_when_the_endpoint_bears_it(journal):
    def slow(_request, _n):
        time.sleep(0.02)
        return Reply(text="x")

    toy = Toy(slow)
    list(Caller({"toy": toy}, journal, concurrency=32).ask(requests(400)))
    assert toy.most == 32


def test_a_fault_worth_it_is_tried_again_behind_all_that_wait(journal):
    def once(asked, _n):
        if asked.task == "t0" and toy.asked.count("t0") == 1:
            raise trouble()
        return Reply(text="x")

    gate = threading.Event()

    def lazily():
        yield from requests(4)
        gate.set()

    toy = Toy(once, gate=gate)
    calls = by_task(Caller({"toy": toy}, journal, concurrency=1).ask(lazily()))
    assert (calls["t0"].outcome, calls["t0"].tries) == ("reply", 2)
    assert toy.asked == ["t0", "t1", "t2", "t3", "t0"]


def test_a_fault_not_worth_it_is_not_tried_again(journal):
    def refuses(asked, _n):
        if asked.task == "t3":
            raise trouble(400, again=False)
        return Reply(text="x")

    toy = Toy(refuses)
    calls = by_task(Caller({"toy": toy}, journal).ask(requests(6)))
    assert (calls["t3"].outcome, calls["t3"].why, calls["t3"].reply) == ("fault", "HTTP status 400", None)
    assert toy.asked.count("t3") == 1


def test_tries_have_an_end_and_the_fault_is_journalled_and_asked_by_the_next_run(journal):
    ill = Toy(lambda asked, _n: (_ for _ in ()).throw(trouble()) if asked.task == "t1" else Reply(text="x"))
    calls = by_task(Caller({"toy": ill}, journal, tries=3).ask(requests(4)))
    assert (calls["t1"].outcome, calls["t1"].tries, calls["t1"].cached) == ("fault", 3, False)
    assert ill.asked.count("t1") == 3
    stands = by_task(Caller({"toy": Toy()}, journal, retry_failed=False).ask(requests(4)))
    assert (stands["t1"].outcome, stands["t1"].cached) == ("fault", True)
    well = Toy()
    again = by_task(Caller({"toy": well}, journal).ask(requests(4)))
    assert well.asked == ["t1"]
    assert again["t1"].outcome == "reply"
    assert (
        by_task(Caller({"toy": Toy()}, journal, retry_failed=False).ask(requests(4)))["t1"].outcome == "reply"
    )


def test_a_fault_is_not_asked_twice_in_one_round(journal):
    toy = Toy(
        lambda asked, _n: (
            (_ for _ in ()).throw(trouble(400, again=False)) if "bad" in asked.task else Reply(text="")
        )
    )
    asked = [("toy", request(0, task="bad"))]

    def lazily():
        yield from asked
        yield from requests(200, first=1)
        yield "toy", request(0, task="bad too")

    calls = by_task(Caller({"toy": toy}, journal, concurrency=1).ask(lazily()))
    assert (calls["bad"].outcome, calls["bad too"].outcome, calls["bad too"].cached) == (
        "fault",
        "fault",
        True,
    )
    assert [task for task in toy.asked if "bad" in task] == ["bad"]


@pytest.mark.parametrize(
    ("stop", "outcome", "why"),
    [("length", "cut-off", "cut off at 1024 tokens"), ("refused", "refused", "No, I will not.")],
)
def test_a_models_own_fault_stands(journal, stop, outcome, why):
    toy = Toy(lambda _request, _n: Reply(text="No, I \n will not.", stop=stop))
    (call,) = Caller({"toy": toy}, journal).ask(requests(1))
    assert (call.outcome, call.why, call.reply.text) == (outcome, why, "No, I \n will not.")
    (again,) = Caller({"toy": toy}, journal).ask(requests(1))
    assert (again.outcome, again.why, again.cached) == (outcome, why, True)
    assert len(toy.asked) == 1


def test_a_guests_own_error_is_a_fault_of_the_call_and_told(journal):
    toy = Toy(lambda _request, n: 1 / 0 if n == 1 else Reply(text="x"))
    calls = list(Caller({"toy": toy}, journal, concurrency=1).ask(requests(3)))
    assert [call.outcome for call in calls] == ["fault", "reply", "reply"]
    assert "ZeroDivisionError" in calls[0].why


def test_what_a_person_must_mend_ends_the_round(journal):
    def keyless(_request, _n):
        raise InputError("the environment has no key 'K'", mend="export K=...")

    with pytest.raises(InputError, match="no key"):
        list(Caller({"toy": Toy(keyless)}, journal).ask(requests(3)))
    assert len(journal) == 0


def test_a_name_that_nobody_has_is_said(journal):
    with pytest.raises(InputError, match="'tay'") as caught:
        list(Caller({"toy": Toy()}, journal).ask(requests(1, name="tay")))
    assert "did you mean 'toy'" in caught.value.mend


@pytest.mark.parametrize(
    "bad", [{"concurrency": 0}, {"tries": 0}, {"deadline": 0}, {"call_timeout": -1}, {"budget": -1}]
)
def test_settings_that_cannot_be_used_are_said(journal, bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        Caller({}, journal, **bad)


def test_a_budget_is_never_passed_and_the_rest_is_told_apart(journal):
    toy = Toy(dollars=0.25)
    calls = list(Caller({"toy": toy}, journal, budget=1.1).ask(requests(50)))
    assert len(calls) == 50
    made = [call for call in calls if call.outcome == "reply"]
    rest = [call for call in calls if call.outcome == "fault"]
    assert (len(made), len(toy.asked)) == (4, 4)
    assert {(call.why, call.tries, call.price) for call in rest} == {("budget", 0, None)}
    assert len(journal) == 4
    caller = Caller({"toy": toy}, journal)
    assert {call.outcome for call in caller.ask(requests(50))} == {"reply"}
    assert caller.spent == pytest.approx(46 * 0.25)


def test_a_budget_counts_what_replies_cost_and_not_what_they_might(journal):
    class Dear(Toy):
        def price(self, reply):
            return 1.0 if not reply.text else 0.125  # at most, and what it came to

    dear = Dear()
    calls = list(Caller({"toy": dear}, journal, budget=2.0, concurrency=8).ask(requests(50)))
    assert (
        sum(call.outcome == "reply" for call in calls) == 9
    )  # then 1.125 are spent, and one more might pass it
    assert dear.most <= 2


def test_a_budget_needs_prices(journal):
    toy = Toy()
    toy.price = lambda _reply: None
    with pytest.raises(InputError, match="price of toy is not known"):
        list(Caller({"toy": toy}, journal, budget=1.0).ask(requests(2)))
    assert len(list(Caller({"toy": toy}, journal).ask(requests(2)))) == 2


def test_the_cache_is_used_when_the_budget_is_spent(journal):
    list(Caller({"toy": Toy(dollars=1.0)}, journal).ask(requests(3, first=10)))
    calls = by_task(Caller({"toy": Toy(dollars=1.0)}, journal, budget=1.0).ask(requests(13)))
    assert all(calls[f"t{n}"].cached for n in (10, 11, 12))
    assert sum(call.outcome == "reply" and not call.cached for call in calls.values()) == 1


def test_a_deadline_ends_the_round_with_all_that_was_done(journal):
    def slow(_request, _n):
        time.sleep(0.02)
        return Reply(text="x")

    begun = time.monotonic()
    toy = Toy(slow)
    calls = list(Caller({"toy": toy}, journal, concurrency=2, deadline=0.3).ask(requests(500)))
    assert time.monotonic() - begun < 5
    made = sum(call.outcome == "reply" for call in calls)
    assert len(calls) == 500
    assert 0 < made < 200
    assert made == len(journal)
    assert {call.why for call in calls if call.outcome == "fault"} == {"deadline"}
    assert max(toy.timeouts) <= 0.3


def test_a_call_that_the_deadline_cut_short_is_no_fault_and_is_asked_by_the_next_run(journal):
    def slow(_request, _n):
        time.sleep(toy.timeouts[-1])
        raise Unreachable("toy: nothing came", mend="wait", why="no answer in time")

    toy = Toy(slow)
    calls = list(Caller({"toy": toy}, journal, concurrency=2, deadline=0.2).ask(requests(4)))
    assert {(call.outcome, call.why, call.tries) for call in calls} == {("fault", "deadline", 0)}
    assert len(journal) == 0
    toy = Toy()
    again = list(Caller({"toy": toy}, journal, retry_failed=False).ask(requests(4)))
    assert [call.outcome for call in again] == ["reply"] * 4


def test_a_call_that_hangs_is_named_given_up_and_holds_nobody_up(journal):
    hung, said = threading.Event(), []

    def hangs(asked, _n):
        if asked.task == "t0":
            hung.wait(30)
        return Reply(text="late")

    caller = Caller(
        {"toy": Toy(hangs, dollars=1.0)},
        journal,
        concurrency=1,
        call_timeout=0.2,
        progress=lambda *told: said.append(told[3]),
    )
    calls = by_task(caller.ask(requests(5)))
    assert calls["t0"].outcome == "fault"
    assert "given up" in calls["t0"].why
    assert all(calls[f"t{n}"].outcome == "reply" for n in range(1, 5))
    hung.set()
    end = time.monotonic() + 5
    while journal.get(calls["t0"].key).call.outcome == "fault" and time.monotonic() < end:
        time.sleep(0.01)
    # it was paid for: the next run has it
    assert journal.get(calls["t0"].key).call.reply.text == "late"


def test_the_progress_line_names_the_call_that_is_stuck(journal, monkeypatch):
    from evenhand.llm.scheduling.endpoint_queue import EndpointQueue, Job
    from evenhand.llm.scheduling.progress_text import Line

    caller = Caller({"toy": Toy()}, journal, call_timeout=60.0)
    lane = EndpointQueue("openai:gpt", 4, threading.Lock())
    job = Job(key="k", name="toy", chat=Toy(), request=request(1), tasks=["q7 × u3"])
    lane.add(job)
    lane.send(job, 100.0)
    assert "q7 × u3 at openai:gpt for 45 s of 60" in Line("ask", 10, 100.0).note([lane], caller, 145.0)
    assert "q7" not in Line("ask", 10, 100.0).note([lane], caller, 110.0)


def test_the_progress_line_says_why_it_waits_what_was_spent_and_what_is_left(journal):
    from evenhand.llm.scheduling.endpoint_queue import EndpointQueue, Job
    from evenhand.llm.scheduling.progress_text import Line

    caller = Caller({"toy": Toy()}, journal)
    caller.purse.spent = 0.41
    lane = EndpointQueue("openai", 4, threading.Lock())
    job = Job(key="k", name="toy", chat=Toy(), request=request(1), tasks=["t1"])
    lane.add(job)
    lane.send(job, 0.0)
    lane.land(job)
    lane.failed(job, trouble(429, wait=22.0), 10.0, busy=True)
    lane.later(job, 22.0, 10.0)
    line = Line("ask", 200, 0.0)
    line.done, line.cached = 38, 12
    assert (
        line.note([lane], caller, 20.0)
        == "waiting 12 s: openai, rate limit · $0.41 · 12 from cache · 2 min left"
    )


def test_leaving_early_keeps_the_replies_that_are_on_their_way(journal):
    gate = threading.Event()

    def slow(asked, _n):
        if asked.task != "t0":
            gate.wait(10)
        return Reply(text="x")

    toy = Toy(slow)
    calls = Caller({"toy": toy}, journal, concurrency=4).ask(requests(4))
    next(calls)
    threading.Timer(0.2, gate.set).start()
    calls.close()
    assert len(journal) == 4


def test_an_endpoint_that_is_down_is_given_up_and_nothing_else_waits(journal, monkeypatch):
    monkeypatch.setattr("evenhand.llm.scheduling.concurrency.ROUNDS", 1000)  # no pauses

    def gone(_request, _n):
        raise Unreachable("nobody there", mend="start it", why="no connection", there=False)

    dead, well = Toy(gone, name="dead"), Toy(name="well")
    asked = [pair for n in range(300) for pair in (("dead", request(n)), ("well", request(n)))]
    calls = list(Caller({"dead": dead, "well": well}, journal).ask(asked))
    assert len(calls) == 600
    assert sum(call.outcome == "reply" for call in calls) == 300
    assert len(dead.asked) < 300
    told = {call.why for call in calls if call.outcome == "fault"}
    assert "not asked, dead does not answer: no connection" in told
    # what was not asked is not in the journal
    assert sum(one.call.outcome == "fault" for one, _ in journal.lines()) <= len(dead.asked)


def test_over_http_an_endpoint_that_limits_is_left_alone_as_long_as_it_asks(journal):
    answers = [says('{"a": 1}'), too_many(0.3), broken(), reset(), says('{"a": 1}')]
    with faulty(*answers) as server:
        chat = chat_of("vllm:judge", {"base_url": server.base_url})
        calls = list(Caller({"j": chat}, journal, concurrency=1).ask(requests(8, name="j")))
        assert {call.outcome for call in calls} == {"reply"}
        assert len(server.seen) == 11
        assert server.seen[2].at - server.seen[1].at >= 0.3


def test_over_http_three_judges_of_one_server_share_its_limit_and_its_pauses(journal):
    state = {"most": 0}

    def answer(_seen):
        state["most"] = max(state["most"], server.under_way)
        return too_many(0.4) if len(server.seen) == 20 else says('{"a": 1}')

    with faulty(answer, latency=0.01) as server:
        chats = {name: chat_of(f"vllm:{name}", {"base_url": server.base_url}) for name in "abc"}
        asked = [(name, request(n)) for n in range(20) for name in chats]
        calls = list(Caller(chats, journal, concurrency=4).ask(asked))
    assert {call.outcome for call in calls} == {"reply"}
    assert state["most"] <= 4
    # after those that were on their way nobody asks anything for the time that one was told to wait
    asked_at = [seen.at for seen in server.seen[19:]]
    assert max(later - before for before, later in pairwise(asked_at)) >= 0.3


def test_over_http_concurrency_is_halved_when_the_endpoint_is_full(journal):
    def limited(_seen):
        return too_many(0.05) if server.under_way > 6 else says('{"a": 1}')

    with faulty(limited, latency=0.02) as server:
        chat = chat_of("vllm:judge", {"base_url": server.base_url})
        calls = list(Caller({"j": chat}, journal, concurrency=32).ask(requests(150, name="j")))
        assert {call.outcome for call in calls} == {"reply"}
        turned = len(server.seen) - 150
        assert 0 < turned < 75
        assert sum(call.tries for call in calls) == len(server.seen)  # what was turned away is asked again


PROGRAM = """
import os, sys, time
from tests.llm.toys import Toy, requests
from evenhand.llm.scheduling.caller import Caller
from evenhand.model.call import Reply
from evenhand.store.calls.journal import Calls

def slow(asked, n):
    time.sleep(0.05)
    os.write(1, b"asked\\n")  # in one piece, from two threads
    return Reply(text="x")

toy = Toy(slow)
for call in Caller({"toy": toy}, Calls(sys.argv[1]), concurrency=2).ask(requests(40)):
    pass
print("done", len(toy.asked), flush=True)
"""


def test_interrupted_and_run_again_repeats_no_call_that_was_under_way(tmp_path):
    start = [sys.executable, "-c", PROGRAM, str(tmp_path / ".evenhand")]
    running = subprocess.Popen(start, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for _ in range(9):
        assert running.stdout.readline() == "asked\n"
    running.send_signal(signal.SIGINT)
    first = 9 + running.stdout.read().count("asked")
    running.stdout.close()
    assert running.wait(30) != 0
    assert first < 40
    again = subprocess.run(start, cwd=ROOT, capture_output=True, text=True, timeout=30, check=True)
    assert first + int(again.stdout.split("done ")[1]) == 40


KILLED = """
import os, sys, time
from tests.llm.toys import Toy, requests
from evenhand.llm.scheduling.caller import Caller
from evenhand.model.call import Reply
from evenhand.store.calls.journal import Calls

class Told(Calls):
    def add(self, made):
        super().add(made)
        os.write(1, f"kept {made.call.task}\\n".encode())

def slow(asked, n):
    os.write(1, f"sent {asked.task}\\n".encode())
    time.sleep(0.05)
    return Reply(text="x")

for call in Caller({"toy": Toy(slow)}, Told(sys.argv[1]), concurrency=64).ask(requests(300)):
    pass
"""


def test_killed_with_64_under_way_only_those_are_asked_again(tmp_path):
    def told(lines, word):
        return [line.split()[1] for line in lines if line.startswith(f"{word} ") and line.endswith("\n")]

    start = [sys.executable, "-c", KILLED, str(tmp_path / ".evenhand")]
    running = subprocess.Popen(start, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    lines = []
    while len(told(lines, "kept")) < 100:
        lines.append(running.stdout.readline())
    running.kill()
    lines += running.stdout.readlines()
    running.stdout.close()
    assert running.wait(30) != 0
    kept, sent = set(told(lines, "kept")), set(told(lines, "sent"))
    again = subprocess.run(start, cwd=ROOT, capture_output=True, text=True, timeout=30, check=True)
    asked = told(again.stdout.splitlines(keepends=True), "sent")
    everything = {f"t{n}" for n in range(300)}
    # a reply may be in the journal before it could be told that it is: never the other way round
    assert not kept & set(asked)
    assert everything - sent <= set(asked) <= everything - kept
    assert len(asked) == len(set(asked))
    assert 0 < len(sent & set(asked)) <= 64


@pytest.mark.parametrize("count", [pytest.param(10**400, id="401 digits"), 2**53, -1, True, 1.5])
@pytest.mark.parametrize("model", ["vllm:judge", "anthropic:judge"])
def test_a_count_that_can_be_none_costs_no_reply_and_ends_no_round(journal, model, count, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k" * 20)
    with faulty(says("yes", tokens=(count, 1))) as server:
        base = server.base_url if model.startswith("vllm") else server.url
        chat = chat_of(model, {"base_url": base, "price": {"input": 1.0, "output": 1.0}})
        caller = Caller({"judge": chat, "toy": Toy()}, journal)
        calls = by_task(caller.ask([("judge", request(0, task="paid")), *requests(3)]))
        chat.close()
    assert [call.outcome for call in calls.values()] == ["reply"] * 4
    paid = calls["paid"]
    assert (paid.reply.tokens_in, paid.reply.tokens_out, paid.price) == (None, 1, None)
    assert journal.get(paid.key).call.reply == paid.reply


class Oddly(Toy):
    """A guest whose prices and limits are of no use."""

    def __init__(self, dollars):
        super().__init__(dollars=dollars)
        self.rates = "as many as you like"

    def price(self, reply):
        return self.dollars(reply)


@pytest.mark.parametrize(
    "dollars",
    [lambda _: 1 / 0, lambda _: "a lot", lambda _: float("nan"), lambda _: -1.0, lambda _: 10**400],
)
def test_a_reply_whose_price_cannot_be_told_is_kept_as_one_of_unknown_price(journal, dollars):
    caller = Caller({"toy": Oddly(dollars)}, journal)
    (call,) = caller.ask(requests(1))
    assert (call.outcome, call.price, caller.spent, caller.purse.unpriced) == ("reply", None, 0.0, 1)
    assert journal.get(call.key).call == call


@pytest.mark.parametrize("given", [None, "yes", {"text": "yes"}, Reply(text=None)])
def test_what_is_no_reply_is_a_fault_of_its_guest_alone(journal, given):
    odd = Toy(lambda _request, _n: given, name="odd")
    caller = Caller({"odd": odd, "toy": Toy()}, journal)
    calls = by_task(caller.ask([("odd", request(0, task="odd")), *requests(3, first=1)]))
    assert [calls[f"t{n}"].outcome for n in (1, 2, 3)] == ["reply"] * 3
    assert calls["odd"].outcome == "fault"
    assert "expected a" in calls["odd"].why


@pytest.mark.parametrize("levels", [985, 990, 995, 1_000])
def test_a_reply_nested_too_deeply_to_be_written_down_ends_no_round(journal, levels):
    text = '{"grade":' * levels + "1" + "}" * levels
    with faulty(says(text)) as server:
        chat = chat_of("vllm:judge", {"base_url": server.base_url})
        schema = {"type": "object", "required": ["grade"]}
        (call,) = Caller({"judge": chat}, journal).ask([("judge", request(1, schema=schema))])
        chat.close()
    assert (call.outcome, call.reply.data, call.reply.text) == ("reply", None, text)
    assert journal.get(call.key).call.reply.text == text


def test_a_guests_error_is_kept_without_keys_and_without_what_acts_on_a_terminal(journal, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "sk-verysecret-0123456789")
    escapes = "\x1b]0;pwned\x07\u202e" + " " * 9

    def act(_request, _n):
        raise RuntimeError(
            "x" * 270 + " 401: sk-verysecret-0123456789" + escapes + "sk-verysecret-0123456789"
        )

    (call,) = Caller({"toy": Toy(act)}, journal).ask(requests(1))
    journal.sync()
    assert call.why.startswith("RuntimeError: " + "x" * 270 + " 401: … ]0;pwned … (test_caller.py:")
    assert b"sk-v" not in journal.file.path.read_bytes()


def test_a_refusal_is_kept_in_words_that_do_nothing_to_a_terminal(journal):
    toy = Toy(lambda _request, _n: Reply(text="I\x1b[2J will\u202e not", stop="refused"))
    (call,) = Caller({"toy": toy}, journal).ask(requests(1))
    assert (call.outcome, call.why) == ("refused", "I [2J will not")
    assert journal.get(call.key).call.reply.text == "I\x1b[2J will\u202e not"  # as it came
