import time
from dataclasses import replace

import pytest
from tests.llm.asked import ASKED, GOOD, chatting
from tests.llm.faulty import says

from evenhand.llm.clients.worker_chat import sent


class Elsewhere:
    """An engine whose worker's machine was started at another time: its monotonic clock is not ours."""

    def __init__(self, apart):
        self.apart = apart

    def map(self, work, items, *, shared=(), waits=False):
        assert waits
        for item in items:
            reply, rates = work(*shared, item)
            yield reply, replace(rates, at=rates.at + self.apart)


@pytest.mark.parametrize("apart", [864_000.0, -864_000.0])
def test_limits_that_a_worker_was_told_are_on_our_clock(apart):
    answer = says(GOOD)
    answer.headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s"}
    with chatting(answer) as (chat, _):
        away = sent({"judge": chat}, Elsewhere(apart))["judge"]
        before = time.monotonic()
        away.ask(ASKED, timeout=5)
        after = time.monotonic()
    assert (away.rates.reset, away.rates.empty) == (1.0, True)
    assert before <= away.rates.at <= after
