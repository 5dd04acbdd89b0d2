from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from evenhand.llm.scheduling.rate_limits import rates_of, wait_of


def test_openai_headers():
    rates = rates_of(
        {
            "X-RateLimit-Limit-Requests": "500",
            "x-ratelimit-remaining-requests": "499",
            "x-ratelimit-reset-requests": "120ms",
            "x-ratelimit-limit-tokens": "30000",
            "x-ratelimit-remaining-tokens": "300",
            "x-ratelimit-reset-tokens": "1m0.5s",
        }
    )
    assert (rates.remaining_requests, rates.remaining_tokens) == (499, 300)
    assert rates.reset == 60.5  # tokens are scarcer: one hundredth is left
    assert (rates.limit_requests, rates.limit_tokens) == (500, 30000)


def test_anthropic_headers():
    soon = (datetime.now(UTC) + timedelta(seconds=30)).isoformat().replace("+00:00", "Z")
    headers = {
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": soon,
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-tokens-remaining": "9000",
    }
    assert rates_of(headers).reset == pytest.approx(30, abs=1)
    assert wait_of(headers) == pytest.approx(30, abs=1)  # nothing is left, so its reset is the wait


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
        ({"x-ratelimit-remaining-requests": "4", "x-ratelimit-reset-requests": "9s"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "9s"}, 9.0),
    ],
)
def test_how_long_to_wait(headers, wait):
    assert wait_of(headers) == wait


def test_dates_and_times_since_1970():
    later = datetime.now(UTC) + timedelta(seconds=60)
    assert wait_of({"retry-after": format_datetime(later, usegmt=True)}) == pytest.approx(60, abs=2)
    reset = str(int(later.timestamp() * 1000))  # OpenRouter's form
    assert wait_of({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset}) == pytest.approx(60, abs=2)
    assert wait_of({"retry-after": format_datetime(later - timedelta(hours=1), usegmt=True)}) == 0.0


def test_no_headers_are_no_rates():
    assert rates_of({"content-type": "application/json"}) is None


@pytest.mark.parametrize("year", ["9" * 20 + " 00:00:00 GMT", "2026 00:00:00 +" + "9" * 20])
def test_a_date_beyond_all_numbers_is_none(year):
    date = f"Mon, 01 Jan {year}"
    headers = {"retry-after": date, "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": date}
    assert wait_of(headers) is None
    assert rates_of(headers).reset is None
