"""Calls that overrun their time and never come back: they hold up nobody, and their endpoint is left alone."""

import threading

import pytest
from tests.llm.toys import Toy, requests

from evenhand.errors import InputError, Unreachable
from evenhand.llm.scheduling import concurrency
from evenhand.llm.scheduling.caller import Caller
from evenhand.model.call import Reply


@pytest.fixture
def never():
    """Set when the test ends: what hangs is let go."""
    made = threading.Event()
    yield made
    made.set()


def test_the_place_of_a_call_that_hangs_goes_to_a_thread_that_waited_for_one(journal, never):
    begun = threading.Barrier(2)

    def one(asked, _n):
        if asked.task == "t0":  # cut to one place while the next one hangs in it
            begun.wait(30)
            raise Unreachable("busy", mend="wait", why="HTTP status 503")
        if asked.task == "t1":
            begun.wait(30)
            never.wait(30)
        return Reply(text="x")

    caller = Caller({"toy": Toy(one)}, journal, concurrency=2, call_timeout=0.3, tries=1)
    ended = []
    asking = threading.Thread(target=lambda: ended.extend(caller.ask(requests(3))), daemon=True)
    asking.start()
    asking.join(20)
    assert {call.task: call.outcome for call in ended} == {"t0": "fault", "t1": "fault", "t2": "reply"}


def test_an_endpoint_at_which_all_calls_hang_is_asked_ever_less_and_then_no_more(journal, never, monkeypatch):
    monkeypatch.setattr(concurrency, "DOWN", 3)  # rounds: ten take a minute
    toy = Toy(lambda _asked, _n: never.wait(60))
    calls = list(Caller({"toy": toy}, journal, concurrency=4, call_timeout=0.05).ask(requests(60)))
    assert len(calls) == 60
    assert {call.outcome for call in calls} == {"fault"}
    assert 4 < len(toy.asked) < 12
    assert sum("does not answer" in call.why for call in calls) == 60 - len(toy.asked)


def test_a_caller_that_met_a_fatal_error_holds_nothing_back_for_it(journal):
    def one(asked, _n):
        if asked.task == "t0":
            raise InputError("no key", mend="set it")
        return Reply(text="x")

    caller = Caller({"toy": Toy(one, dollars=1.0)}, journal, budget=1.5)
    with pytest.raises(InputError, match="no key"):
        list(caller.ask(requests(1)))
    assert caller.purse.reserved == 0
    assert [call.outcome for call in caller.ask(requests(1, first=1))] == ["reply"]
