import threading

import pytest
from tests.llm.toys import Toy, request

from evenhand.errors import Unreachable
from evenhand.llm.lane import DOWN, START, Job, Lane
from evenhand.llm.limits import Rates


def trouble(**more):
    return Unreachable("trouble", mend="wait", why=more.pop("why", "HTTP status 500"), **more)


@pytest.fixture
def lane():
    return Lane("gpt", 64, threading.Lock())


def sent(lane, count, now):
    jobs = [
        Job(key=f"k{n}", name="toy", chat=Toy(), request=request(n), tasks=[f"t{n}"]) for n in range(count)
    ]
    for job in jobs:
        lane.fresh.append(job)
        lane.send(job, now)
    return jobs


def done(lane, jobs, now, rates=None):
    for job in jobs:
        lane.flying.discard(job)
        lane.succeeded(rates, now)


def failed(lane, jobs, now, **more):
    for job in jobs:
        lane.flying.discard(job)
        lane.failed(job, trouble(**more), now, busy=True)


def test_calls_under_way_double_each_round_up_to_the_ceiling(lane):
    seen = []
    for now in range(4):
        seen.append(int(lane.limit))
        done(lane, sent(lane, int(lane.limit), now), now + 0.5)
    assert seen == [START, 2 * START, 64, 64]


def test_a_refusal_halves_once_a_round_and_then_one_more_a_round(lane):
    done(lane, sent(lane, 48, 0.0), 0.5)
    assert lane.limit == 64
    failed(lane, sent(lane, 64, 1.0), 1.5)
    assert (lane.limit, lane.cuts) == (32, 1)
    done(lane, sent(lane, 32, 2.0), 2.5)
    assert 32.9 < lane.limit < 33.1
    failed(lane, sent(lane, 33, 3.0), 3.5)
    assert 16 < lane.limit < 17


def test_never_fewer_than_one_under_way(lane):
    for now in range(1, 12):
        failed(lane, sent(lane, 1, now), now + 0.1)
    assert lane.limit == 1


def test_it_is_left_alone_as_long_as_it_asks(lane):
    failed(lane, sent(lane, 1, 0.0), 1.0, wait=12.0, why="HTTP status 429")
    lane.fresh.append(Job(key="k", name="toy", chat=Toy(), request=request(1)))
    assert not lane.room(12.9)
    assert lane.rest(5.0) == pytest.approx(8.0)
    assert lane.room(13.0)


def test_it_is_left_alone_when_its_headers_say_that_nothing_is_left(lane):
    done(lane, sent(lane, 1, 0.0), 1.0, Rates(remaining_requests=0, reset=6.0, at=1.0))
    assert lane.reason == "rate limit"
    assert not lane.room(6.9)
    assert lane.room(7.0)
    done(lane, sent(lane, 1, 8.0), 9.0, Rates(remaining_requests=3, reset=6.0, at=9.0))
    assert lane.room(9.0)
    done(lane, sent(lane, 1, 9.0), 10.0, Rates(remaining_tokens=0, reset=9e9, at=10.0))
    assert lane.room(70.1)  # headers alone hold for a minute at the most


def test_an_endpoint_that_asks_for_hours_is_given_up(lane):
    failed(lane, sent(lane, 1, 0.0), 1.0, wait=7200.0)
    assert lane.down == "it asks to be left alone for 120 min"


def test_rounds_of_faults_without_a_success_pause_and_then_end(lane):
    now, pauses = 1.0, []
    for _ in range(DOWN):
        assert lane.down == ""
        failed(lane, sent(lane, 5, now), now + 0.1)
        pauses.append(max(0.0, lane.until - now - 0.1))
        now = max(now + 0.2, lane.until)
    assert lane.down == "HTTP status 500"
    assert pauses[:2] == [0, 0]
    assert pauses[2:8] == pytest.approx([0.5, 1, 2, 4, 8, 16])
    assert 50 < now < 120


def test_a_success_takes_the_rounds_back(lane):
    now = 1.0
    for _ in range(50):
        failed(lane, sent(lane, 2, now), now + 0.1)
        done(lane, sent(lane, 1, now + 0.2), now + 0.3)
        now += 1
    assert lane.down == ""


def test_a_key_that_is_refused_from_the_start_ends_it_and_one_bad_request_does_not(lane):
    for job in sent(lane, 9, 0.0):
        lane.failed(job, trouble(again=False, why="HTTP status 401"), 0.1, busy=False)
    assert lane.down == ""
    assert lane.limit == START
    lane.failed(sent(lane, 1, 0.2)[0], trouble(again=False, why="HTTP status 401"), 0.3, busy=False)
    assert lane.down == "HTTP status 401"
    other = Lane("other", 8, threading.Lock())
    done(other, sent(other, 1, 0.0), 0.1)
    for job in sent(other, 50, 1.0):
        other.failed(job, trouble(again=False), 1.1, busy=False)
    assert other.down == ""


def test_what_failed_waits_behind_all_others_and_for_its_time(lane):
    (ill,) = sent(lane, 1, 0.0)
    lane.flying.discard(ill)
    lane.later(ill, 2.0, 0.0)
    fresh = Job(key="f", name="toy", chat=Toy(), request=request(5))
    lane.fresh.append(fresh)
    assert lane.peek(10.0) is fresh
    lane.send(fresh, 10.0)
    assert lane.peek(1.9) is None
    assert lane.rest(0.5) == pytest.approx(1.5)
    assert lane.peek(2.0) is ill
    lane.send(ill, 2.0)
    assert (ill.tries, len(lane)) == (2, 0)
