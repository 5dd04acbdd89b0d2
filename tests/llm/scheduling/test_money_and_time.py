"""What calls cost, what they taught, and how long is waited: exact where a comparison would do too little."""

import json
import random
import time
from datetime import UTC, datetime

import pytest
from tests.llm.faulty import says
from tests.llm.toys import Toy, request

from evenhand.errors import Unreachable
from evenhand.llm.batch.batches import Batches
from evenhand.llm.costs.usage_history import past_of
from evenhand.llm.providers.factory import chat_of
from evenhand.llm.scheduling import retry_policy
from evenhand.llm.scheduling.caller import Caller
from evenhand.llm.scheduling.endpoint_queue import Job
from evenhand.llm.scheduling.retry_policy import waiting_time
from evenhand.model.call import Call, Reply
from evenhand.store.calls.journal import call_key
from evenhand.store.calls.record import Recorded


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(retry_policy, "FIRST", 0.01)
    retry_policy._policy.cache_clear()
    yield
    retry_policy._policy.cache_clear()


def turned_away(**more):
    return Unreachable("too many", mend="wait", why="HTTP status 429", **more)


def test_a_try_that_was_turned_away_while_others_got_through_is_not_counted(journal, impatient):
    ours = lambda: toy.asked.count("t0")  # noqa: E731

    def act(asked, _n):
        if asked.task != "t0" or ours() == 4:
            return Reply(text="x")
        # four of eight others were asked since, and three can be under way: one of them got through
        until = time.monotonic() + 10
        while len(toy.asked) - ours() < 8 * (ours() - 1) + 4 and time.monotonic() < until:
            time.sleep(0.001)
        raise turned_away()

    def lazily():
        yield "toy", request(0)
        for k in range(3):
            until = time.monotonic() + 10
            while ours() <= k and time.monotonic() < until:
                time.sleep(0.001)
            yield from (("toy", request(n)) for n in range(1 + 8 * k, 9 + 8 * k))

    toy = Toy(act)
    calls = {call.task: call for call in Caller({"toy": toy}, journal, concurrency=4, tries=2).ask(lazily())}
    assert len(calls) == 25
    assert (calls["t0"].outcome, calls["t0"].tries) == ("reply", 4)


def test_a_try_that_was_turned_away_with_nobody_else_there_is_counted(journal, impatient):
    def full(_asked, _n):
        raise turned_away()

    toy = Toy(full)
    (call,) = Caller({"toy": toy}, journal, tries=2).ask([("toy", request(0))])
    assert (call.outcome, call.tries, len(toy.asked)) == ("fault", 2, 2)


def job_at(tries, spared=0):
    return Job(key="k", name="toy", chat=Toy(), request=request(0), tries=tries, spared=spared)


@pytest.mark.parametrize(("lot", "waits"), [(0.0, [0.5, 1.0, 2.0, 4.0]), (1.0, [1.0, 1.5, 2.5, 4.5])])
def test_waits_double_and_up_to_half_a_second_of_each_is_by_lot(monkeypatch, lot, waits):
    monkeypatch.setattr(random, "uniform", lambda low, high: low + lot * (high - low))
    fault = Unreachable("down", mend="wait", why="HTTP status 500")
    assert [waiting_time(job_at(n), fault, 5) for n in range(1, 5)] == waits
    assert waiting_time(job_at(5), fault, 5) is None  # the fifth try was the last
    assert waiting_time(job_at(5, spared=1), fault, 5) == waits[-1]
    assert waiting_time(job_at(3, spared=3), fault, 5) == waits[0]
    assert waiting_time(job_at(20), fault, 99) == 60.0
    # where the endpoint says how long, no less than that, and not everybody at the same moment
    assert waiting_time(job_at(2), turned_away(wait=7.0), 5) == pytest.approx(7.0 + waits[1] / 10)
    assert waiting_time(job_at(1), Unreachable("no", mend="m", why="w", again=False), 5) is None


def test_what_a_runner_of_ones_own_made_costs_what_the_price_says(tmp_path, journal):
    chat = chat_of(
        "vllm:judge", {"base_url": "http://127.0.0.1:9/v1", "price": {"input": 2.0, "output": 8.0}}
    )
    batches = Batches({"j": chat}, journal)
    batches.emit([("j", request(1))], tmp_path / "asked.jsonl")
    (line,) = (tmp_path / "asked.jsonl").read_text().splitlines()

    class Seen:
        claude = False
        body = json.loads(line)["body"]

    body = json.loads(says("fine", tokens=(1000, 500)).content(Seen))
    row = {"custom_id": json.loads(line)["custom_id"], "error": None}
    row["response"] = {"status_code": 200, "request_id": "r", "body": body}
    (tmp_path / "made.jsonl").write_text(json.dumps(row) + "\n")
    (call,) = batches.collect_file(tmp_path / "made.jsonl").calls
    assert (call.reply.tokens_in, call.reply.tokens_out) == (1000, 500)
    assert call.price == pytest.approx((1000 * 2 + 500 * 8) / 1e6)


def kept(journal, chat, n, **reply):
    """A call in the journal that ended at second *n* and took one."""
    asked = request(n)
    made = Reply(**{"text": "x", "data": {}, "tokens_in": 40, "tokens_out": 7} | reply)
    key = call_key(chat.seal, asked.seal)
    call = Call(key=key, task=f"t{n}", model=chat.seal, outcome="reply", reply=made, seconds=1.0, tries=1)
    at = datetime.fromtimestamp(1.8e9 + n, UTC).isoformat(timespec="milliseconds")
    journal.add(Recorded(call=call, request=asked, chat=chat.name, at=at))


def test_a_call_that_was_asked_twice_says_how_long_it_took_and_not_how_many_tokens(journal):
    toy = Toy()
    for n in range(5):
        kept(journal, toy, n)
    for n in range(5, 8):
        kept(journal, toy, n, reasked=True, tokens_in=400, tokens_out=70)
    kept(journal, toy, 8, tokens_out=None)
    past = past_of(journal, lambda text: len(text.split()))[toy.seal]
    assert (past.n, past.told, past.out) == (5, 200, 35)
    assert past.counted == 5 * 3  # "Judge." and "unit n"
    assert (past.timed, past.seconds) == (9, 9.0)
    assert past.spans[0] == (1.8e9 - 1, 1.8e9)


@pytest.mark.parametrize(("calls", "n"), [(4, 0), (5, 5)])
def test_fewer_than_five_calls_teach_nothing(journal, calls, n):
    toy = Toy()
    for one in range(calls):
        kept(journal, toy, one)
    past = past_of(journal, None)[toy.seal]
    assert (past.n, past.timed, len(past.spans)) == (n, n, n)
    assert (past.out, past.seconds) == (7 * n, 1.0 * n)
