import threading

import pytest
from tests.llm.toys import Toy, request

from evenhand.errors import Unreachable
from evenhand.llm.providers.factory import chat_of
from evenhand.llm.scheduling.concurrency import DOWN, START
from evenhand.llm.scheduling.endpoint_queue import EndpointQueue, Job, endpoint_of
from evenhand.llm.scheduling.rate_limits import Rates


def trouble(**more):
    return Unreachable("trouble", mend="wait", why=more.pop("why", "HTTP status 500"), **more)


@pytest.fixture
def lane():
    return EndpointQueue("gpt", 64, threading.Lock())


def job_of(n, model="toy"):
    return Job(key=f"k{n}", name=model, chat=Toy(name=model), request=request(n), tasks=[f"t{n}"])


def sent(lane, count, now, model="toy"):
    jobs = [job_of(n, model) for n in range(count)]
    for job in jobs:
        lane.add(job)
        lane.send(job, now)
    return jobs


def done(lane, jobs, now, rates=None):
    for job in jobs:
        lane.land(job)
        lane.succeeded(job, rates, now)


def failed(lane, jobs, now, busy=True, **more):
    for job in jobs:
        lane.land(job)
        lane.failed(job, trouble(**more), now, busy=busy)


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
    lane.add(job_of(1))
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
    jobs = sent(lane, 10, 0.0)
    failed(lane, jobs[:9], 0.1, busy=False, again=False, why="HTTP status 401")
    assert lane.closed(jobs[0]) == ""
    assert lane.limit == START
    failed(lane, jobs[9:], 0.3, busy=False, again=False, why="HTTP status 401")
    assert lane.closed(jobs[0]) == "not asked, toy does not answer: HTTP status 401"
    other = EndpointQueue("other", 8, threading.Lock())
    done(other, sent(other, 1, 0.0), 0.1)
    failed(other, sent(other, 50, 1.0), 1.1, busy=False, again=False)
    assert other.closed(job_of(1)) == ""


def test_what_failed_waits_behind_all_others_and_for_its_time(lane):
    (ill,) = sent(lane, 1, 0.0)
    lane.land(ill)
    lane.later(ill, 2.0, 0.0)
    fresh = job_of(5)
    lane.add(fresh)
    assert lane.peek(10.0) is fresh
    lane.send(fresh, 10.0)
    assert lane.peek(1.9) is None
    assert lane.rest(0.5) == pytest.approx(1.5)
    assert lane.peek(2.0) is ill
    lane.send(ill, 2.0)
    assert (ill.tries, len(lane)) == (2, 0)


def test_chats_of_one_address_share_a_lane_and_a_guest_has_its_own():
    one, two = (chat_of(f"vllm:{name}", {"base_url": "http://127.0.0.1:9/v1"}) for name in ("a", "b"))
    assert endpoint_of(one) == endpoint_of(two) == "http://127.0.0.1:9/v1"
    assert endpoint_of(Toy(name="a")) != endpoint_of(Toy(name="b"))


def test_models_of_one_endpoint_share_its_limit_and_are_asked_in_order(lane):
    jobs = [job_of(n, model) for n in range(20) for model in ("a", "b", "c")]
    for job in jobs:
        lane.add(job)
    went = []
    while (job := lane.peek(1.0)) is not None:
        lane.send(job, 1.0)
        went.append(job)
    assert went == jobs[:START]
    failed(lane, went[:1], 2.0, why="HTTP status 503")
    assert lane.limit == START / 2
    assert lane.peek(2.0) is None  # 15 are under way, and 8 may be, whosever they are


def test_a_retry_after_stops_every_model_and_a_limit_that_names_a_model_stops_that_one(lane):
    a, b = sent(lane, 1, 0.0, "a"), sent(lane, 1, 0.0, "b")
    for model in ("a", "b"):
        lane.add(job_of(7, model))
    failed(lane, a, 1.0, why="HTTP status 429", wait=12.0, of_model=True)
    assert lane.limit == START
    assert lane.peek(1.0).chat.name == "b"
    done(lane, b, 2.0, Rates(remaining_tokens=0, reset=30.0, at=2.0, of_model=True))
    assert lane.peek(2.0) is None
    assert (lane.rest(2.0), lane.reasons(2.0)) == (11.0, ("a", "HTTP status 429"))
    assert lane.peek(13.0).chat.name == "a"
    last = lane.peek(14.0)
    lane.send(last, 14.0)
    failed(lane, [last], 15.0, why="HTTP status 503", wait=60.0)
    assert (lane.rest(15.0), lane.reasons(15.0)) == (60.0, ("gpt", "HTTP status 503"))


def test_a_limit_that_names_no_model_is_the_endpoints(lane):
    done(lane, sent(lane, 1, 0.0, "a"), 1.0, Rates(remaining_requests=0, reset=6.0, at=1.0))
    lane.add(job_of(1, "b"))
    assert lane.peek(6.9) is None
    assert lane.peek(7.0).chat.name == "b"


def test_a_model_that_alone_does_not_answer_ends_alone_and_slows_no_other(lane):
    now = 1.0
    for _ in range(DOWN):
        ill = sent(lane, 2, now, "a")
        done(lane, sent(lane, 1, now, "b"), now + 0.1)
        failed(lane, ill, now + 0.2)
        now += 40
    assert (lane.limit, lane.down) == (START + DOWN, "")
    assert lane.closed(job_of(1, "a")) == "not asked, a does not answer: HTTP status 500"
    lane.add(job_of(8, "a"))
    lane.add(job_of(9, "b"))
    assert [job.name for job in lane.drain()] == ["a"]
    assert lane.peek(now).name == "b"


def test_an_endpoint_that_is_down_is_down_for_all_its_models(lane):
    now = 1.0
    for n in range(DOWN):
        failed(lane, sent(lane, 1, now, "ab"[n % 2]), now + 0.1, why="no connection")
        now += 40
    assert lane.closed(job_of(1, "c")) == "not asked, the endpoint of c does not answer: no connection"


def test_the_causes_of_a_stop_are_all_named_and_those_of_each_model_where_they_differ(lane):
    now = 1.0
    for n in range(DOWN):
        failed(lane, sent(lane, 3, now, "a"), now + 0.1, why="the connection broke")
        failed(lane, sent(lane, 1, now, "b"), now + 0.1, why="no answer in time")
        if n == 0:
            failed(lane, sent(lane, 1, now, "c"), now + 0.1, why="HTTP status 500")
            failed(lane, sent(lane, 2, now, "c"), now + 0.1, why="no answer in time")
        now += 40
    for model, cause in {
        "a": "the connection broke",
        "b": "no answer in time",
        "c": "2 × no answer in time, 1 × HTTP status 500",
    }.items():
        told = lane.closed(job_of(1, model))
        assert told == f"not asked, the endpoint of {model} does not answer: {cause}"
    # one that had no turn is told what the others met with
    assert lane.closed(job_of(1, "d")).endswith(
        "28 × the connection broke, 11 × no answer in time, 1 × HTTP status 500"
    )


def test_causes_from_before_a_reply_are_no_causes_of_the_stop(lane):
    failed(lane, sent(lane, 4, 0.0), 0.1, why="no answer in time")
    done(lane, sent(lane, 1, 0.2), 0.3)
    now = 1.0
    for _ in range(DOWN):
        failed(lane, sent(lane, 1, now), now + 0.1, why="the connection broke")
        now += 40
    assert lane.down == "the connection broke"


def test_a_program_is_not_called_an_endpoint():
    lane, now = EndpointQueue("a", 4, threading.Lock(), alone=True), 1.0
    for _ in range(DOWN):
        failed(lane, sent(lane, 1, now, "a"), now + 0.1, why="exit code 75")
        now += 40
    assert lane.closed(job_of(1, "a")) == "not asked, a does not answer: exit code 75"


def test_more_is_taken_while_a_model_that_may_be_asked_has_too_little(lane):
    for n in range(30):
        lane.add(job_of(n, "a"))
    assert not lane.lacks(30, 0.0)
    lane.add(job_of(1, "b"))
    one = lane.peek(0.0)
    lane.send(one, 0.0)
    lane.add(job_of(31, "a"))
    done(lane, [one], 1.0, Rates(remaining_requests=0, reset=6.0, at=1.0, of_model=True))
    assert lane.lacks(30, 1.0)
    assert not lane.lacks(30, 7.0)


def test_limits_told_by_a_clock_that_is_ahead_of_ours_hold_no_longer_than_they_say(lane):
    done(lane, sent(lane, 1, 0.0), 1.0, Rates(remaining_requests=0, reset=6.0, at=864_000.0))
    assert not lane.room(6.9)
    assert lane.room(7.0)
