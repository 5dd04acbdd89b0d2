"""A budget at its edges: what is under way counts, what came in cheaper is free again, and what it may reach."""

import time

import pytest
from tests.llm.toys import Toy, request, requests

from evenhand.llm.costs.budget import Budget
from evenhand.llm.costs.prices import Price, given_price, listed_price, price_of
from evenhand.llm.costs.request_cost import most, tokens_about, tokens_at_most
from evenhand.llm.scheduling.caller import Caller
from evenhand.model.call import Reply


class Priced(Toy):
    """A toy whose every call may come to a dollar and comes to *real*."""

    def __init__(self, real, **more):
        super().__init__(self._slowly, **more)
        self.real = real

    def _slowly(self, _request, _n):
        time.sleep(0.005)
        return Reply(text="x", tokens_in=1, tokens_out=1)

    def price(self, reply):
        return self.real if reply.text else 1.0


def asked(toy, journal, budget, count=40):
    caller = Caller({"toy": toy}, journal, concurrency=4, budget=budget)
    calls = list(caller.ask(requests(count)))
    made = [call for call in calls if call.outcome == "reply"]
    assert {call.why for call in calls if call.outcome != "reply"} <= {"budget"}
    assert len(calls) == count
    return caller, len(made)


@pytest.mark.parametrize(("budget", "many"), [(2.5, 2), (3.0, 3), (0.5, 0), (0.0, 0)])
def test_what_is_under_way_counts_and_a_budget_may_be_spent_to_the_last_cent(journal, budget, many):
    toy = Priced(1.0)
    caller, made = asked(toy, journal, budget)
    assert (made, caller.spent, len(toy.asked)) == (many, float(many), many)
    assert toy.most <= many


def test_calls_that_come_in_cheaper_leave_room_for_others_that_wait(journal):
    # an eighth of a dollar each, a dollar at most: the fifth may be sent when 0.5 is spent, the sixth not
    toy = Priced(0.125)
    caller, made = asked(toy, journal, 1.5)
    assert (made, caller.spent, toy.most) == (5, 0.625, 1)
    # with room for two at most that are under way together
    toy = Priced(0.125, name="other")
    caller = Caller({"toy": toy}, journal, concurrency=4, budget=2.5)
    made = [call for call in caller.ask(requests(40)) if call.outcome == "reply"]
    assert len(made) * 0.125 == caller.spent
    assert len(made) == 13
    assert toy.most <= 2


def test_nothing_stays_reserved_when_all_is_over(journal):
    caller, _ = asked(Priced(0.1), journal, 100.0)
    assert caller.purse.reserved == 0.0
    assert caller.spent == pytest.approx(4.0)
    assert caller.purse.unpriced == 0


def test_calls_without_a_known_price_are_counted(journal):
    class Unpriced(Toy):
        price = None

    caller = Caller({"toy": Unpriced()}, journal)
    list(caller.ask(requests(3)))
    assert (caller.spent, caller.purse.unpriced) == (0.0, 3)


def priced(price):
    toy = Toy()
    toy.price = lambda reply: price_of(reply, price)
    return toy


def test_the_most_that_a_call_may_come_to_counts_the_one_re_ask_with_question_and_reply():
    one = request(7, max_tokens=100)  # "Judge." and "unit 7": 12 bytes, 6 tokens at most, and 8 for each of 3
    assert tokens_at_most(one) == 6 + 24
    assert tokens_about(one) == 12 // 4 + 1
    toy = priced(Price(input=1e6, output=1e9))  # a dollar in, a thousand out
    assert most(toy, one) == pytest.approx(1.25 * 30 + 100_000)  # a quarter more for the cache
    formed = request(7, max_tokens=100, schema={"a": 1})  # 8 bytes more
    assert tokens_at_most(formed) == 10 + 24
    assert most(toy, formed) == pytest.approx(1.25 * (2 * 34 + 100) + 200_000)
    assert tokens_about(formed) == 20 // 4 + 1
    assert most(priced(None), one) is None


def told(tokens_in, tokens_out, cached=None):
    return Reply(text="x", tokens_in=tokens_in, tokens_out=tokens_out, tokens_cached=cached)


@pytest.mark.parametrize(
    ("cached_price", "cached", "dollars"),
    [
        (None, 600, 1000 * 2 + 100 * 8),  # no price of its own: that of all others
        (0.5, 600, 400 * 2 + 600 * 0.5 + 100 * 8),
        (0.5, 5000, 1000 * 0.5 + 100 * 8),  # no more than were sent
        (0.5, None, 1000 * 2 + 100 * 8),
        (0.0, 600, 400 * 2 + 100 * 8),
    ],
)
def test_what_the_provider_kept_costs_what_it_says(cached_price, cached, dollars):
    price = Price(input=2.0, output=8.0, cached=cached_price)
    assert price_of(told(1000, 100, cached), price) == pytest.approx(dollars / 1e6)


def test_a_price_of_nothing_is_nothing_and_half_a_price_is_a_price():
    unknown = Reply(text="x")
    assert price_of(unknown, Price(input=0.0, output=0.0)) == 0.0
    assert price_of(unknown, Price(input=0.0, output=1.0)) is None
    assert price_of(told(1000, 100), Price(input=0.0, output=1.0)) == pytest.approx(100 / 1e6)
    given = given_price({"input": 0, "output": 0, "cached": 0}, where="here")
    assert (given.input, given.output, given.cached) == (0.0, 0.0, 0.0)


def test_a_dated_name_has_the_price_of_the_longest_name_that_fits():
    plain, small = listed_price("openai", "gpt-4o"), listed_price("openai", "gpt-4o-mini")
    assert plain.input > small.input
    assert listed_price("openai", "gpt-4o-mini-2024-07-18") == small
    assert listed_price("openai", "gpt-4o-2024-08-06") == plain
    assert listed_price("openai", "gpt-4o-nano-x") is None


def test_what_rounding_leaves_reserved_keeps_nobody_waiting():
    purse = Budget(0.5)
    for cost in (0.1, 0.2, 0.3):
        purse.reserve(cost)
    for cost in (0.1, 0.2, 0.3):
        purse.settle(cost, 0.0, made=True)
    assert (purse.reserved, purse.allows(1.0)) == (0.0, "no")
