"""How a call ends when its round does: what is written down for the next run, and what is not."""

import threading
import time

import pytest
from tests.llm.toys import Toy, request

from evenhand.errors import Unreachable
from evenhand.llm.scheduling import retry_policy
from evenhand.llm.scheduling.caller import Caller
from evenhand.model.call import Reply
from evenhand.store.calls.journal import call_key

pytestmark = pytest.mark.usefixtures("impatient")


def trouble(status=500, **more):
    return Unreachable(f"status {status}", mend="wait", why=f"HTTP status {status}", **more)


def state(journal, toy, n):
    return journal.state(call_key(toy.seal, request(n).seal))


def test_a_try_has_no_more_time_than_the_round_has_left(journal):
    free, bound = Toy(), Toy(name="bound")
    list(Caller({"toy": free}, journal, call_timeout=100.0).ask([("toy", request(0))]))
    list(Caller({"toy": bound}, journal, call_timeout=100.0, deadline=30.0).ask([("toy", request(0))]))
    assert free.timeouts == [100.0]
    assert 0 < bound.timeouts[0] <= 30.0


def test_what_was_refused_for_good_when_the_time_was_over_is_a_fault_of_its_own(journal):
    def late(asked, _n):
        time.sleep(1.1)
        raise trouble(400, again=False) if asked.task == "t0" else trouble(500)

    toy = Toy(late)
    caller = Caller({"toy": toy}, journal, deadline=1.0, concurrency=2)
    calls = {call.task: call for call in caller.ask([("toy", request(n)) for n in range(2)])}
    assert (calls["t0"].why, calls["t0"].tries) == ("HTTP status 400", 1)
    assert (calls["t1"].why, calls["t1"].tries) == ("deadline", 0)
    assert [state(journal, toy, n) == "fault" for n in range(2)] == [True, False]
    assert caller.purse.unpriced == 0  # a fault is no call whose price is lacking


def test_a_fault_after_the_consumer_has_left_is_not_written_down_and_a_reply_is(journal):
    gate = threading.Event()

    def act(asked, _n):
        if asked.task != "t0":
            gate.wait(10)
        if asked.task == "t1":
            raise trouble(400, again=False)
        if asked.task == "t2":
            raise trouble(500)
        return Reply(text="x")

    toy = Toy(act)
    calls = Caller({"toy": toy}, journal, concurrency=4).ask([("toy", request(n)) for n in range(4)])
    assert next(calls).task == "t0"
    until = time.monotonic() + 10
    while len(toy.asked) < 4 and time.monotonic() < until:
        time.sleep(0.001)
    threading.Timer(0.2, gate.set).start()
    calls.close()
    assert toy.flying == 0
    assert [state(journal, toy, n) for n in (0, 3)] == ["stands", "stands"]
    assert [state(journal, toy, n) not in {"stands", "fault"} for n in (1, 2)] == [True, True]
    assert toy.asked.count("t2") == 1  # nothing is tried again when nobody waits for it


def test_a_call_that_was_given_up_ends_once_and_its_late_reply_is_kept_for_the_next_run(journal):
    gate = threading.Event()

    def hangs(asked, _n):
        if asked.task == "t0":
            gate.wait(20)
        return Reply(text="late", tokens_in=1, tokens_out=1)

    toy = Toy(hangs, dollars=0.5)
    caller = Caller({"toy": toy}, journal, concurrency=2, call_timeout=0.2, budget=10.0)
    calls = list(caller.ask([("toy", request(n)) for n in range(3)]))
    assert sorted(call.task for call in calls) == ["t0", "t1", "t2"]
    given = next(call for call in calls if call.task == "t0")
    assert given.outcome == "fault"
    assert "not even to say so" in given.why
    assert state(journal, toy, 0) == "fault"
    assert (caller.purse.reserved, caller.purse.unpriced, caller.purse.bound) == (0.0, 0, 0.5)
    gate.set()
    until = time.monotonic() + 10
    while state(journal, toy, 0) != "stands" and time.monotonic() < until:
        time.sleep(0.005)
    again = Toy()
    (call,) = Caller({"toy": again}, journal).ask([("toy", request(0))])
    assert (call.cached, call.reply.text, again.asked) == (True, "late", [])


def test_what_an_endpoint_that_went_down_was_asked_is_a_fault_and_the_rest_was_not_asked(
    journal, monkeypatch
):
    monkeypatch.setattr("evenhand.llm.scheduling.concurrency.ROUNDS", 99)
    monkeypatch.setattr("evenhand.llm.scheduling.concurrency.DOWN", 2)
    toy = Toy(lambda _asked, _n: (_ for _ in ()).throw(trouble(503)))
    calls = {
        call.task: call
        for call in Caller({"toy": toy}, journal, concurrency=1, tries=9).ask(
            [("toy", request(n)) for n in range(6)]
        )
    }
    tried = set(toy.asked)
    assert 0 < len(tried) < 6
    for task, call in calls.items():
        assert call.outcome == "fault"
        assert call.tries == toy.asked.count(task)
        assert (state(journal, toy, int(task[1:])) == "fault") == (task in tried)


def test_the_same_request_of_two_tasks_is_one_call_and_the_second_is_told_as_held(journal):
    gate = threading.Event()
    toy = Toy(gate=gate, dollars=0.25)
    caller = Caller({"toy": toy}, journal, concurrency=2)
    asked = [("toy", request(0, task=name)) for name in ("first", "second")] + [("toy", request(1))]
    threading.Timer(0.1, gate.set).start()
    calls = {call.task: call for call in caller.ask(asked)}
    assert {name: call.cached for name, call in calls.items()} == {
        "first": False,
        "second": True,
        "t1": False,
    }
    assert (len(toy.asked), caller.spent) == (2, 0.5)


def test_a_fault_is_told_to_a_second_task_of_the_round_as_held_and_not_asked_again(journal):
    toy = Toy(lambda _asked, _n: (_ for _ in ()).throw(trouble(400, again=False)))
    caller = Caller({"toy": toy}, journal, concurrency=1)
    first_is_over = threading.Event()

    def lazily():
        yield "toy", request(0, task="first")
        first_is_over.wait(0.5)  # the call has failed by then, and is told in the end
        yield "toy", request(0, task="second")

    calls = {call.task: call for call in caller.ask(lazily())}
    assert {name: (call.cached, call.why) for name, call in calls.items()} == {
        "first": (False, "HTTP status 400"),
        "second": (True, "HTTP status 400"),
    }
    assert toy.asked == ["first"]


def test_what_the_deadline_found_waiting_or_under_way_is_no_fault_for_the_next_run(journal, monkeypatch):
    monkeypatch.setattr(retry_policy, "FIRST", 30.0)  # the next try would come long after the deadline
    retry_policy._policy.cache_clear()
    gate = threading.Event()

    def act(asked, _n):
        if asked.task == "t0":
            raise trouble(500)
        gate.wait(20)
        return Reply(text="x")

    toy = Toy(act)
    caller = Caller({"toy": toy}, journal, concurrency=2, deadline=0.6, call_timeout=0.8)
    calls = {call.task: call for call in caller.ask([("toy", request(n)) for n in range(2)])}
    told = {task: (call.outcome, call.why, call.tries) for task, call in calls.items()}
    assert told == dict.fromkeys(("t0", "t1"), ("fault", "deadline", 0))
    assert "fault" not in [state(journal, toy, n) for n in range(2)]
    gate.set()


def test_a_reply_that_comes_after_it_was_given_up_ends_nothing_a_second_time(journal):
    gate = threading.Event()

    def act(asked, _n):
        if asked.task == "t0":
            gate.wait(20)
        time.sleep(0.1)
        return Reply(text="x", tokens_in=1, tokens_out=1)

    toy = Toy(act)
    told = []
    caller = Caller({"toy": toy}, journal, concurrency=2, call_timeout=0.2)
    for call in caller.ask([("toy", request(n)) for n in range(14)]):
        told.append(call.task)
        if call.task == "t0":
            gate.set()  # it comes while the others are still asked
    assert sorted(told) == sorted(f"t{n}" for n in range(14))
