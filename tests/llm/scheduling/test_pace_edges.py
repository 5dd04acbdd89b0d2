"""Pauses, rounds and tries exactly at their limits, on a clock of our own."""

import threading
from types import SimpleNamespace

import pytest
from tests.llm.toys import Toy, request

from evenhand.errors import Unreachable
from evenhand.llm.costs.usage_history import at_once
from evenhand.llm.scheduling.attempt import attempt, outcome_of
from evenhand.llm.scheduling.concurrency import Pace
from evenhand.llm.scheduling.endpoint_queue import HOPELESS, EndpointQueue, Job
from evenhand.llm.scheduling.progress_text import Line, dollars, span
from evenhand.llm.scheduling.rate_limits import Rates, rates_of, wait_of
from evenhand.model.call import Call, Reply


def trouble(**more):
    return Unreachable("trouble", mend="wait", why=more.pop("why", "HTTP status 500"), **more)


def test_a_cut_is_made_once_for_all_calls_sent_before_it():
    pace = Pace("p", 64)
    pace.cut(0.0, 1.0)
    assert (pace.limit, pace.cuts) == (8.0, 1)
    for started in (0.5, 1.0):  # sent before the first cut, or when it came
        pace.cut(started, 1.5)
        assert pace.limit == 8.0
    pace.cut(1.01, 2.0)
    assert (pace.limit, pace.cuts) == (4.0, 2)
    pace.rise()
    assert pace.limit == 4.25  # no doubling any more
    for now in range(3, 9):
        pace.cut(now, now)
    assert pace.limit == 1.0


def test_it_may_be_asked_again_when_its_pause_is_over_and_a_shorter_one_takes_nothing_off():
    pace = Pace("p", 2)
    pace.pause(5.0, "rate limit", 1.0)
    pace.pause(3.0, "other", 1.0)
    assert (pace.until, pace.reason) == (5.0, "rate limit")
    assert not pace.room(4.99)
    assert pace.room(5.0)
    pace.under_way = 1
    assert pace.spare
    pace.under_way = 2
    assert not pace.spare


def test_who_asks_for_a_quarter_of_an_hour_is_waited_for_and_who_asks_for_more_is_not():
    for seconds, until, down in ((900.0, 901.0, ""), (960.0, 0.0, "it asks to be left alone for 16 min")):
        pace = Pace("p", 2)
        pace.asked_to_wait(seconds, "w", 1.0)
        assert (pace.until, pace.down) == (until, down)


def test_headers_alone_make_no_pause_of_more_than_a_minute():
    for reset, until in ((20.0, 120.0), (3600.0, 160.0)):
        pace = Pace("p", 2)
        pace.heed(Rates(remaining_requests=0, reset=reset, at=100.0), 100.0)
        assert pace.until == until
    pace.heed(Rates(remaining_requests=1, reset=3600.0, at=200.0), 200.0)
    assert pace.until == 160.0  # something is left


def sink(pace, rounds, *, told=False):
    """Rounds of faults, one a minute; what is paused after each."""
    pauses = []
    for n in range(rounds):
        now = 60.0 * (n + 1)
        pace.sink(now - 1, pace.passed, "HTTP status 500", now, told=told)
        pauses.append(max(0.0, pace.until - now))
    return pauses


def test_rounds_of_faults_pause_longer_each_time_and_ten_of_them_end_it():
    pace = Pace("p", 4)
    assert sink(pace, 9) == [0, 0, 0.5, 1, 2, 4, 8, 16, 30]
    assert not pace.down
    pace.sink(599.0, 0, "HTTP status 500", 600.0, told=False)
    assert pace.down == "HTTP status 500"


def test_who_says_how_long_to_wait_has_thirty_rounds_and_no_pause_besides():
    pace = Pace("p", 4)
    assert sink(pace, 29, told=True) == [0] * 29
    assert not pace.down
    pace.sink(1799.0, 0, "full", 1800.0, told=True)
    assert pace.down == "29 × HTTP status 500, 1 × full"


def test_calls_under_way_together_are_one_round_and_a_reply_takes_the_rounds_back():
    pace = Pace("p", 4)
    pace.sink(0.0, 0, "w", 1.0, told=False)
    pace.sink(0.5, 0, "w", 1.1, told=False)
    pace.sink(1.0, 0, "w", 1.2, told=False)  # sent when the first had failed: still the same
    assert pace.rounds == 1
    pace.sink(1.01, 0, "w", 2.0, told=False)
    assert pace.rounds == 2
    pace.rise()
    assert pace.rounds == 0
    pace.sink(3.0, 0, "w", 4.0, told=False)  # one got through since it was sent
    assert pace.rounds == 0
    pace.sink(3.0, 1, "w", 4.0, told=False)
    assert pace.rounds == 1


@pytest.fixture
def lane():
    return EndpointQueue("gpt", 16, threading.Lock())


def flown(lane, n, model="toy"):
    job = Job(key=f"k{model}{n}", name=model, chat=Toy(name=model), request=request(n), tasks=[f"t{n}"])
    lane.add(job)
    lane.send(job, float(n))
    lane.land(job)
    return job


def test_ten_refusals_for_good_end_a_model_that_has_not_answered_once_and_no_other(lane):
    for n in range(HOPELESS - 1):
        lane.failed(flown(lane, n), trouble(again=False, why="bad key"), n + 0.5, busy=False)
    assert not lane.queues[Toy(name="toy").seal].down
    job = flown(lane, 50)
    lane.failed(job, trouble(again=False, why="bad key"), 50.5, busy=False)
    assert "bad key" in lane.closed(job)
    for n in range(60, 60 + 2 * HOPELESS):
        job = flown(lane, n, "other")
        if n == 60:
            lane.succeeded(job, None, 60.5)
        else:
            lane.failed(job, trouble(again=False, why="bad request"), n + 0.5, busy=False)
    assert not lane.closed(job)


def test_a_model_that_fails_alone_while_another_answers_is_slowed_alone(lane):
    job = Job(key="a", name="a", chat=Toy(name="a"), request=request(0), tasks=["a"])
    lane.add(job)
    lane.send(job, 0.0)
    lane.succeeded(flown(lane, 1, "b"), None, 1.5)
    lane.land(job)
    lane.failed(job, trouble(), 2.0, busy=True)
    assert (lane.limit, job.queue.limit) == (16.0, 8.0)
    # where its own model answered too since, the trouble is the endpoint's
    job = Job(key="c", name="a", chat=Toy(name="a"), request=request(2), tasks=["c"])
    lane.add(job)
    lane.send(job, 3.0)
    lane.succeeded(flown(lane, 4, "a"), None, 4.5)
    lane.land(job)
    lane.failed(job, trouble(), 5.0, busy=True)
    assert lane.limit == 8.0


def test_what_failed_waits_its_time_and_comes_when_it_is_over(lane):
    job = flown(lane, 1)
    lane.later(job, 2.0, 10.0)
    assert lane.rest(10.0) == 2.0
    assert lane.peek(11.99) is None
    assert lane.peek(12.0) is job
    assert lane.rest(12.0) is None


def test_the_seconds_of_a_call_are_those_of_all_its_tries(monkeypatch):
    ticks = iter([0.0, 1.0, 10.0, 12.5])
    monkeypatch.setattr("evenhand.llm.scheduling.attempt.time.monotonic", lambda: next(ticks))
    job = Job(key="k", name="toy", chat=Toy(dollars=0.25), request=request(0), tasks=["t"], tries=2)
    assert attempt(job, "m", 5.0).call.seconds == 1.0
    call = attempt(job, "m", 5.0).call
    assert (call.seconds, call.tries, call.price, call.outcome) == (3.5, 2, 0.25, "reply")


@pytest.mark.parametrize(
    ("more", "busy", "full"),
    [
        ({"why": "HTTP status 429"}, True, True),
        ({"why": "HTTP status 503", "wait": 1.0}, True, True),
        ({"why": "HTTP status 503"}, True, False),
        ({"why": "HTTP status 429 (no credit)", "again": False}, False, False),
    ],
)
def test_what_is_full_is_told_from_what_is_ill(more, busy, full):
    toy = Toy(lambda _asked, _n: (_ for _ in ()).throw(trouble(**more)))
    tried = attempt(Job(key="k", name="toy", chat=toy, request=request(0), tasks=["t"]), "m", 1.0)
    assert (tried.busy, tried.full, tried.call.price) == (busy, full, None)


def test_a_models_own_end_is_no_fault():
    asked = request(0, max_tokens=64)
    assert outcome_of(asked, Reply(text="x", stop="length"), "") == ("cut-off", "cut off at 64 tokens")
    assert outcome_of(asked, Reply(text="No,\nnever", stop="refused"), "") == ("refused", "No, never")
    assert outcome_of(asked, Reply(text="x"), "") == ("reply", "")
    assert outcome_of(asked, None, "gone") == ("fault", "gone")


def call(outcome="reply", **more):
    reply = None if outcome == "fault" else Reply(text="x")
    return Call(key="k", task="t", model="m", outcome=outcome, reply=reply, **more)


def test_the_line_counts_what_failed_apart_from_what_was_not_asked():
    line = Line("ask", 3, 0.0)
    line.taken = 5
    for one in (call(), call(cached=True), call("fault", tries=2), call("fault", tries=0), call("cut-off")):
        line.count(one)
    assert (line.done, line.cached, line.faults, line.unasked) == (5, 1, 1, 1)
    assert line.total == 5  # more came than were told of
    assert Line("ask", 9, 0.0).total == 9


def test_the_time_left_is_that_of_what_is_left_at_the_pace_so_far():
    caller = SimpleNamespace(purse=SimpleNamespace(spent=0.0, bound=0.0, budget=None), call_timeout=60.0)
    line = Line("ask", 100, 0.0)
    line.done = 20
    assert line.note([], caller, 10.0) == "40 s left"
    caller.purse.spent = 0.5
    assert line.note([], caller, 10.0).startswith("$0.50")


def test_amounts_and_times_in_the_unit_that_fits():
    assert [dollars(x) for x in (0.0, 0.0123, 0.0949, 0.095, 1.0)] == [
        "$0.00",
        "$0.012",
        "$0.095",
        "$0.10",
        "$1.00",
    ]
    assert [span(x) for x in (89, 90, 5399, 5400)] == ["89 s", "2 min", "90 min", "1.5 h"]


def test_how_many_were_under_way_on_average_while_any_was():
    assert at_once([(0, 10), (0, 10)]) == 2.0
    assert at_once([(0, 10), (5, 15)]) == 20 / 15
    assert at_once([(0, 100), (10, 20), (30, 40)]) == 1.2  # short ones within a long one
    assert at_once([(0, 10), (20, 30)]) == 1.0
    assert at_once([(5, 5)]) == at_once([]) == float("inf")


def test_headers_say_how_long_and_of_what_the_least_is_left():
    assert wait_of({"Retry-After-Ms": "1500", "Retry-After": "9"}) == 1.5
    assert wait_of({"retry-after": "0"}) == 0.0
    some = {"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "6s"}
    assert wait_of(some) is None
    assert wait_of({**some, "x-ratelimit-remaining-requests": "0"}) == 6.0
    scarce = {
        "x-ratelimit-remaining-requests": "50", "x-ratelimit-limit-requests": "100", "x-ratelimit-reset-requests": "6s",
        "x-ratelimit-remaining-tokens": "1000", "x-ratelimit-limit-tokens": "90000", "x-ratelimit-reset-tokens": "1m2s",
    }  # fmt: skip
    found = rates_of(scarce)
    assert (found.reset, found.of_model, found.empty) == (62.0, True, False)
    assert rates_of({**scarce, "x-ratelimit-remaining-tokens": "80000"}).reset == 6.0
    assert not rates_of({"x-ratelimit-remaining": "1"}).of_model


def test_a_limit_that_names_a_model_is_no_round_of_faults_of_the_endpoint(lane):
    job = flown(lane, 1)
    lane.failed(job, trouble(of_model=True), 1.5, busy=True)
    assert (lane.rounds, job.queue.rounds, lane.limit, job.queue.limit) == (0, 1, 16.0, 8.0)
    job = flown(lane, 2)
    lane.failed(job, trouble(), 2.5, busy=True)
    assert (lane.rounds, job.queue.rounds) == (1, 2)


def test_what_failed_comes_after_what_another_model_was_asked_since(lane):
    first = flown(lane, 1, "a")
    other = Job(key="b", name="b", chat=Toy(name="b"), request=request(2), tasks=["b"])
    lane.add(other)
    lane.later(first, 0.0, 2.0)
    assert lane.peek(3.0) is other


def test_what_the_journal_had_takes_no_time_and_what_was_stopped_has_none_left():
    told = []
    caller = SimpleNamespace(
        purse=SimpleNamespace(spent=0.0, bound=0.0, budget=None),
        call_timeout=60.0,
        progress=lambda *words: told.append(words),
    )
    line = Line("ask", 100, 0.0)
    line.done, line.cached = 60, 50
    assert line.note([], caller, 10.0) == "50 from cache · 40 s left"
    line.end(caller)
    assert told == [("ask", 60, 100, "50 from cache · stopped")]
