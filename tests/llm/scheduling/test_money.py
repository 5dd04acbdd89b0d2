"""A budget holds whatever an endpoint says or leaves unsaid, and stops none but those whose calls cost."""

import pytest
from tests.llm.faulty import Answer, faulty, says, stall
from tests.llm.toys import Toy, request, requests

from evenhand.errors import InputError, Unreachable
from evenhand.llm.costs.request_cost import most
from evenhand.llm.providers.factory import chat_of
from evenhand.llm.scheduling.caller import Caller
from evenhand.model.call import Reply

PRICE = {"input": 1.0, "output": 5.0}


pytestmark = pytest.mark.usefixtures("impatient")


class Metered(Toy):
    """As an endpoint: a price by tokens, none where they are not named."""

    def price(self, reply):
        return None if reply.tokens_out is None else self.dollars


def silent(_request, _n):
    return Reply(text="{}", data={})


def late(_request, _n):
    raise Unreachable("no reply", mend="wait", why="no answer in time", charged=True)


def priced(server, name="j", **more):
    return chat_of(
        f"openai-compatible:{name}", {"base_url": server.base_url, "key_env": "", "price": PRICE, **more}
    )


def test_replies_that_name_no_tokens_count_at_their_most(journal):
    toy = Metered(silent, dollars=0.25)
    caller = Caller({"toy": toy}, journal, budget=1.1)
    calls = list(caller.ask(requests(20)))
    came = [call for call in calls if call.outcome == "reply"]
    assert (len(came), len(toy.asked)) == (4, 4)
    assert {(call.price, call.bound) for call in came} == {(None, 0.25)}
    assert (caller.spent, caller.purse.bound) == (0.0, 1.0)  # no price is made up
    assert [one.call.price for one in journal.standing()] == [None] * 4
    assert caller.whys["budget"] == "$0.1000 of the $1.10 is left, and the next call might cost $0.2500"


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": 9}]
)
def test_over_http_a_reply_without_a_usable_usage_counts_at_its_most(journal, usage):
    told = says("{}").make

    def make(seen):
        body = dict(told(seen))
        body.pop("usage")
        return body if usage is None else {**body, "usage": usage}

    with faulty(Answer(make=make)) as server:
        chat = priced(server)
        dearest = most(chat, request(1, schema={"type": "object"}))
        asked = [("j", request(n, schema={"type": "object"})) for n in range(10)]
        caller = Caller({"j": chat}, journal, budget=3.5 * dearest)
        calls = list(caller.ask(asked))
        assert sum(call.outcome == "reply" for call in calls) == len(server.seen) == 3
        assert caller.purse.bound == pytest.approx(3 * dearest)


def test_over_http_calls_that_were_not_answered_in_time_count_at_their_most(journal):
    with faulty(stall(2.0)) as server:
        chat = priced(server)
        dearest = most(chat, request(1))
        caller = Caller({"j": chat}, journal, budget=2.5 * dearest, call_timeout=0.2, concurrency=1)
        calls = list(caller.ask(requests(3, name="j")))
    assert len(server.seen) == 2  # a third try might have passed the budget
    assert sum(call.bound for call in calls) == pytest.approx(2 * dearest)
    assert caller.spent == 0.0


def test_a_refusal_and_a_server_that_is_not_there_cost_nothing(journal):
    def turned_away(_request, n):
        if n < 4:
            raise Unreachable("status 429", mend="wait", why="HTTP status 429", wait=0.0)
        return Reply(text="{}", data={}, tokens_in=1, tokens_out=1)

    caller = Caller({"toy": Metered(turned_away, dollars=1.0)}, journal, budget=1.5, concurrency=1, tries=9)
    (call,) = caller.ask(requests(1))
    assert (call.price, call.bound, caller.purse.bound) == (1.0, 0.0, 0.0)


def test_a_second_question_that_fails_counts_for_the_first_reply_is_paid(journal):
    with faulty(says("no object"), Answer(status=400)) as server:
        chat = priced(server)
        asked = [("j", request(1, schema={"type": "object", "required": ["a"]}))]
        (call,) = Caller({"j": chat}, journal, budget=5.0, tries=1).ask(asked)
    assert call.outcome == "fault"
    assert call.bound > 0


def test_a_call_that_was_given_up_counts_at_its_most(journal):
    import threading

    gate = threading.Event()
    caller = Caller({"toy": Metered(dollars=0.25, gate=gate)}, journal, budget=1.0, call_timeout=0.05)
    try:
        (call,) = caller.ask(requests(1))
    finally:
        gate.set()
    assert "given up" in call.why
    assert (call.bound, caller.purse.bound) == (0.25, 0.25)


def test_a_price_that_is_not_known_is_said_before_anything_is_sent(journal):
    known, free, other = Toy(dollars=0.1, name="known"), Toy(name="free"), Toy(name="other")
    other.price = lambda _reply: None
    chats = {"known": known, "free": free, "other": other}
    asked = [(name, request(n)) for n in range(40) for name in ("known", "free")] + [("other", request(1))]
    with pytest.raises(InputError, match="price of other is not known") as caught:
        list(Caller(chats, journal, budget=9.0).ask(iter(asked)))
    assert "price = {" in caught.value.mend
    assert known.asked == free.asked == []
    # one that is not asked, or whose calls are all in the journal, needs no price
    assert len(list(Caller(chats, journal, budget=9.0).ask(asked[:-1]))) == 80
    list(Caller(chats, journal).ask(asked[-1:]))
    assert len(list(Caller(chats, journal, budget=9.0).ask(asked))) == 81
    assert len(other.asked) == 1


def test_a_spent_budget_stops_none_whose_calls_cost_nothing(journal):
    dear, free = Toy(dollars=0.25, name="dear"), Toy(name="free")
    asked = [(name, request(n)) for n in range(30) for name in ("dear", "free")]
    calls = list(Caller({"dear": dear, "free": free}, journal, budget=1.0).ask(asked))
    assert (len(dear.asked), len(free.asked)) == (4, 30)
    assert {call.model for call in calls if call.why == "budget"} == {dear.seal}


def test_a_budget_of_nothing_asks_the_free_ones_of_an_address_alone(journal):
    with faulty(says("{}")) as server:
        chats = {
            "dear": priced(server, "dear"),
            "free": priced(server, "free", price={"input": 0, "output": 0}),
        }
        asked = [(name, request(n)) for n in range(10) for name in chats]
        caller = Caller(chats, journal, budget=0.0)
        calls = list(caller.ask(asked))
        assert {seen.body["model"] for seen in server.seen} == {"free"}
    assert sum(call.outcome == "reply" for call in calls) == 10
    assert caller.whys == {"budget": "a budget of $0 lets only what costs nothing be asked"}


def test_the_progress_line_tells_what_is_known_and_what_may_come_to_it(journal):
    from evenhand.llm.scheduling.progress_text import Line

    caller = Caller({"toy": Metered(silent, dollars=0.25)}, journal, budget=1.0)
    list(caller.ask(requests(2)))
    caller.purse.spent = 0.41
    assert Line("ask", 2, 0.0).note([], caller, 0.5) == "$0.41 and up to $0.50 for calls of unknown price"


def test_a_budget_holds_from_the_first_call_on_where_thinking_stands_in_the_total_alone(journal):
    """Gemini: what it thought is no part of completion_tokens, and is charged."""

    def thinking(seen):
        body = dict(says("{}").make(seen))
        body["usage"] = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 10 + 1024}
        return Answer(body)

    with faulty(thinking) as server:
        chat = priced(server)
        budget = 2.5 * most(chat, request(0))
        caller = Caller({"j": chat}, journal, budget=budget)
        calls = list(caller.ask([("j", request(n)) for n in range(6)]))
        chat.close()
    assert sum(call.outcome == "reply" for call in calls) == len(server.seen) == 2
    assert caller.spent == pytest.approx(2 * (10 + 1024 * 5) / 1e6)
    assert caller.spent + caller.purse.bound <= budget
