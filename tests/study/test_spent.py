"""What was spent, in words: no money is named where none was paid."""

from dataclasses import asdict

import pytest

from evenhand.model.call import Call, Reply
from evenhand.study.spent import Spent, spent_words


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
    ],
)
def test_spent_in_words(calls, words):
    assert made(*calls) == words


def test_tokens_are_told_where_they_are_known():
    spent = {"made": 1, "cached": 0, "dollars": 0.0, "tokens_in": 1200, "tokens_out": 30}
    assert spent_words(spent) == "1 call, free, 1,200 tokens in, 30 out"
