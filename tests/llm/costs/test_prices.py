from datetime import date

import pytest

from evenhand.llm.clients.error_classification import Where, of_status
from evenhand.llm.costs.prices import checked, listed_price, withdrawn
from evenhand.llm.providers.factory import chat_of
from evenhand.model.call import Reply


def test_a_price_by_hand():
    """1,000,000 in of which 400,000 cached, 200,000 out, at 2.50 / 1.25 / 10: 1.50 + 0.50 + 2.00."""
    chat = chat_of("openai:gpt-4o", {"price": {"input": 2.5, "cached": 1.25, "output": 10}})
    reply = Reply(text="", tokens_in=1_000_000, tokens_cached=400_000, tokens_out=200_000)
    assert chat.price(reply) == pytest.approx(4.0)
    assert chat.price(Reply(text="")) is None  # the endpoint gave no counts


def test_the_list_has_a_day_and_finds_dated_names_only():
    assert date.fromisoformat(checked()) >= date(2026, 11, 30)
    plain = listed_price("openai", "gpt-4o")
    assert plain.checked == checked()
    assert listed_price("openai", "gpt-4o-2024-08-06") == plain
    assert listed_price("anthropic", "claude-haiku-4-5-20251001").output == 5
    assert listed_price("openai", "gpt-4o-mini").input < plain.input
    assert listed_price("openai", "gpt-4o-audio") is None
    assert listed_price("anthropic", "claude-opus-5-6") is None
    assert listed_price("openrouter", "openai/gpt-4o") is None


def test_a_model_of_unknown_price_has_none():
    chat = chat_of("openrouter:somebody/some-model")
    assert chat.price(Reply(text="", tokens_in=1, tokens_out=1)) is None


def test_what_a_provider_takes_away_is_said():
    assert "away on 2026-07-24, and names deepseek-flash instead" in withdrawn("deepseek-chat")
    assert "2026-10-23" in withdrawn("o4-mini-2025-04-16")
    assert withdrawn("gpt-6-sol") == withdrawn("nobody-knows") == ""
    where = Where("j", "https://api.deepseek.com/v1", "deepseek-chat", "K", {})
    fault = of_status(where, 404, {}, {"error": {"message": "no such model"}})
    assert "names deepseek-flash instead" in fault.mend
    assert listed_price("openai", "o4-mini").output == 4.4  # what was asked before has its price
