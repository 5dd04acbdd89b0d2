import pytest
from tests.llm.toys import Toy, request, requests

from evenhand.errors import InputError
from evenhand.llm.caller import Caller
from evenhand.llm.cost import most, tokens_about, tokens_at_most
from evenhand.llm.estimate import estimate
from evenhand.llm.models import chat_of
from evenhand.model.call import Message, Reply, Request
from evenhand.store.calls import Calls

PRICE = {"price": {"input": 2.0, "output": 10.0}}


def asked(text, **more):
    return Request(task="t", prompt="p", messages=(Message(role="user", content=text),), **more)


def test_calls_are_counted_net_of_the_journal_and_of_equal_ones(tmp_path):
    journal, toy = Calls(tmp_path), Toy()
    list(Caller({"toy": toy}, journal).ask(requests(4)))
    made = estimate([*requests(10), *requests(2, first=8)], {"toy": toy}, journal)
    (one,) = made.models
    assert (one.calls, one.held, one.twice) == (6, 4, 2)
    assert len(toy.asked) == 4


def test_a_fault_in_the_journal_will_be_asked(tmp_path):
    journal = Calls(tmp_path)
    list(Caller({"toy": Toy(lambda _r, _n: 1 / 0)}, journal).ask(requests(3)))
    assert estimate(requests(3), {"toy": Toy()}, journal).calls == 3


def test_money_is_what_the_price_says(tmp_path):
    chat = chat_of("openai:anything", PRICE)
    made = estimate([("j", asked("x" * 4000, max_tokens=1000))], {"j": chat}, Calls(tmp_path))
    (one,) = made.models
    assert (one.tokens_in, one.tokens_out, one.learned) == (1001, 150, 0)
    assert made.price == pytest.approx((1001 * 2 + 150 * 10) / 1e6)
    assert made.most == pytest.approx((2016 * 2 + 1000 * 10) / 1e6)
    assert "characters / 4" in made.sentences[-1]
    assert "j was not asked before" in made.sentences[-1]


def test_the_most_counts_the_one_re_ask():
    chat = chat_of("openai:anything", PRICE)
    plain = asked("x" * 4000, max_tokens=1000)
    formed = asked("x" * 4000, max_tokens=1000, schema={})
    once = (tokens_at_most(plain) * 2 + 1000 * 10) / 1e6
    assert most(chat, plain) == pytest.approx(once)
    assert most(chat, formed) == pytest.approx(((2 * tokens_at_most(formed) + 1000) * 2 + 2000 * 10) / 1e6)


def test_an_unknown_price_is_said_and_no_number(tmp_path):
    made = estimate(
        [("a", request(1)), ("b", request(1))],
        {
            "a": chat_of("openai-compatible:x", {"base_url": "http://x.example/v1"}),
            "b": chat_of("openai:y", PRICE),
        },
        Calls(tmp_path),
    )
    assert made.price is None
    assert "its price is not known" in made.sentences[0]
    assert "prices that are not all known" in made.sentences[2]


def test_a_local_model_is_free(tmp_path):
    made = estimate([("a", request(1))], {"a": chat_of("ollama:x")}, Calls(tmp_path))
    assert (made.price, made.most) == (0.0, 0.0)
    assert "free" in made.sentences[0]


def test_earlier_calls_teach_tokens_and_seconds(tmp_path):
    journal = Calls(tmp_path)
    toy = Toy(lambda _r, _n: Reply(text="x", tokens_in=40, tokens_out=7))
    list(Caller({"toy": toy}, journal).ask(requests(5)))
    (one,) = estimate(requests(15), {"toy": toy}, journal, concurrency=5).models
    assert one.learned == 5
    assert one.tokens_out == 10 * 7
    # 5 calls of 40 tokens by the endpoint's count
    assert one.tokens_in == pytest.approx(400, rel=0.05)
    assert one.seconds < 1


def test_a_tokenizer_counts_when_there_is_one(tmp_path):
    made = estimate(
        [("toy", asked("a b c"))],
        {"toy": Toy()},
        Calls(tmp_path),
        count=lambda text: len(text.split()),
        counted_by="words",
    )
    assert made.models[0].tokens_in == 3
    assert made.sentences[-1].startswith("tokens by words, 8 calls at once")
    assert tokens_about(asked("a b c"), len) == 5


def test_tokens_at_most_holds_for_texts_that_are_not_english():
    assert tokens_at_most(asked("检索" * 500)) >= 1000


def test_nothing_to_ask_is_said(tmp_path):
    made = estimate([], {"toy": Toy()}, Calls(tmp_path))
    assert made.sentences == ("toy (toy): nothing to ask",)
    assert made.to_json()["calls"] == 0


def test_a_name_that_nobody_has_is_said(tmp_path):
    with pytest.raises(InputError, match="'x'"):
        estimate(requests(1, name="x"), {"toy": Toy()}, Calls(tmp_path))
