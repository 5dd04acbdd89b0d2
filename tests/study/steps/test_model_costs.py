"""What was spent, in words: no money is named where none was paid."""

from dataclasses import asdict

import pytest

from evenhand.model.call import Call, Reply
from evenhand.study.steps.model_costs import Spent, spent_words


def made(*calls):
    spent = Spent()
    for price, cached in calls:
        reply = Reply(text="x", tokens_in=1000, tokens_out=1)
        call = Call(
            key="k", task="t", model="m", outcome="reply", reply=reply, tries=1, price=price, cached=cached
        )
        spent.count(call)
    return spent_words({**asdict(spent), "tokens_in": 0, "tokens_out": 0})


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ([(0.0, False)], "1 call, free"),
        ([(0.0, False)] * 54, "54 calls, free"),
        ([(None, False)] * 2, "2 calls, at no known price"),
        ([(0.01, False), (None, False)], "2 calls, $0.0100, 1 of them at no known price"),
        ([(0.02, True)] * 3, "0 calls, 3 from the journal ($0.0600 then)"),
        ([(0.0, True)], "0 calls, 1 from the journal"),
        ([(4e-7, False)], "1 call, $4e-07"),
    ],
)
def test_spent_in_words(calls, words):
    assert made(*calls) == words


def call(**told):
    return Call(
        **{"key": "k", "task": "t", "model": "m", "outcome": "reply", "reply": Reply(text="x"), **told}
    )


FAILED = {"outcome": "fault", "reply": None, "why": "no answer in time"}


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ([FAILED], "1 call, no reply, nothing reported as spent"),
        ([FAILED, FAILED, {"price": 0.0}], "3 calls, free, 2 of them without a reply"),
        ([FAILED, {"price": 0.01}], "2 calls, $0.0100, 1 of them without a reply"),
        (
            [{"bound": 0.02}] * 2,
            (
                "2 calls, at no known price; the budget counts up to $0.0400 more: "
                "the endpoint names no tokens of 2 replies"
            ),
        ),
        (
            [{**FAILED, "bound": 0.02}, {"price": 0.01, "bound": 0.02}, {"bound": 0.01}],
            (
                "3 calls, $0.0100, 1 of them at no known price, 1 of them without a reply; the budget counts up to "
                "$0.0500 more: the endpoint names no tokens of 1 reply, and 2 calls may have been charged without "
                "a reply"
            ),
        ),
    ],
)
def test_what_nobody_knows_the_price_of_is_said_and_not_made_up(calls, words):
    spent = Spent()
    for told in calls:
        spent.count(call(**told))
    assert spent_words(spent.to_json()) == words


def test_a_sum_of_dollars_is_written_without_its_noise():
    spent = Spent()
    for _ in range(3):
        spent.count(call(price=0.1))
    assert spent.dollars != 0.3
    assert spent.to_json()["dollars"] == 0.3


def test_tokens_are_told_where_they_are_known():
    spent = {"made": 1, "cached": 0, "dollars": 0.0, "tokens_in": 1200, "tokens_out": 30}
    assert spent_words(spent) == "1 call, free, 1,200 tokens in, 30 out"
