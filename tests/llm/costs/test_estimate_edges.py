"""What asking is said to take: each number by hand, from earlier calls and without them."""

from datetime import UTC, datetime

import pytest
from tests.llm.toys import Toy, request, requests

from evenhand.errors import InputError
from evenhand.llm.costs.estimate import estimate
from evenhand.llm.costs.prices import Price, price_of
from evenhand.llm.costs.request_cost import most, tokens_about
from evenhand.llm.providers.factory import chat_of
from evenhand.model.call import Call, Reply
from evenhand.store.calls.journal import Calls, call_key
from evenhand.store.calls.record import Recorded


def priced(name="toy", price=None):
    toy = Toy(name=name)
    price = price or Price(input=1.0, output=10.0)
    toy.price = lambda reply: price_of(reply, price)
    return toy


def kept(journal, chat, n, *, tokens_in=20, tokens_out=40, begin=0.0, end=1.0, outcome="reply"):
    asked = request(1000 + n)
    reply = (
        Reply(text="x", data={}, tokens_in=tokens_in, tokens_out=tokens_out) if outcome == "reply" else None
    )
    call = Call(
        key=call_key(chat.seal, asked.seal),
        task=f"t{n}",
        model=chat.seal,
        outcome=outcome,
        reply=reply,
        why="" if reply else "gone",
        seconds=end - begin,
        tries=1,
    )
    at = datetime.fromtimestamp(1.8e9 + end, UTC).isoformat(timespec="milliseconds")
    journal.add(Recorded(call=call, request=asked, chat=chat.name, at=at))


def test_tokens_are_learned_and_no_reply_is_longer_than_its_limit(tmp_path):
    journal, toy = Calls(tmp_path), priced()
    for n in range(5):
        kept(journal, toy, n)
    for n in range(5, 9):
        kept(journal, toy, n, outcome="fault", end=500.0)  # says nothing of tokens or time
    for n in range(9, 11):
        kept(journal, toy, n, tokens_out=None)  # says nothing of tokens
    counted = tokens_about(request(1000))
    given = [("toy", request(1, max_tokens=1000)), ("toy", request(2, max_tokens=30)), ("toy", request(1))]
    (one,) = estimate(given, {"toy": toy}, journal, concurrency=1).models
    assert (one.calls, one.learned, one.timed, one.seconds) == (3, 5, 7, 3.0)
    assert one.tokens_out == 40 + 30 + 40
    mine = sum(tokens_about(asked) for _, asked in given)
    assert one.tokens_in == round(mine * 20 / counted)
    assert one.price == pytest.approx((one.tokens_in * 1 + 110 * 10) / 1e6)
    assert one.most == pytest.approx(sum(most(toy, asked) for _, asked in given))


def test_calls_held_and_calls_asked_twice_are_not_asked(tmp_path):
    journal, toy = Calls(tmp_path), priced()
    kept(journal, toy, 0)
    kept(journal, toy, 1, outcome="fault")
    given = [("toy", request(n)) for n in (1000, 1001, 1, 1, 1, 1000)]
    (one,) = estimate(given, {"toy": toy}, journal).models
    assert (one.calls, one.held, one.twice) == (2, 1, 3)


def test_no_more_calls_are_under_way_than_there_are_calls_or_than_are_allowed(tmp_path):
    # nothing is known: 2 s a call, all at once as far as it is allowed
    for count, concurrency, seconds in ((3, 8, 2.0), (16, 8, 4.0), (16, 1, 32.0)):
        made = estimate(requests(count), {"toy": Toy()}, Calls(tmp_path), concurrency=concurrency)
        assert made.seconds == pytest.approx(seconds)


def test_endpoints_side_by_side_take_as_long_as_the_slowest_and_models_of_one_share_it(tmp_path):
    settings = {"base_url": "http://127.0.0.1:9/v1"}
    chats = {name: chat_of(f"vllm:{name}", settings) for name in "ab"} | {"c": Toy(name="c")}
    given = [(name, request(n)) for name in chats for n in range(8)]
    made = estimate(given, chats, Calls(tmp_path), concurrency=4)
    assert [one.seconds for one in made.models] == [4.0, 4.0, 4.0]
    assert made.seconds == 8.0
    assert made.calls == 24
    few = estimate([(name, request(n)) for name in "ab" for n in range(3)], chats, Calls(tmp_path))
    assert [one.seconds for one in few.models] == [1.0, 1.0, 0.0]  # six of eight at once, three of each


def test_a_sum_of_prices_is_of_models_that_are_asked(tmp_path):
    chats = {"a": priced("a"), "b": Toy(name="b")}
    chats["b"].price = lambda _reply: None
    asked = estimate([("a", request(n)) for n in range(2)], chats, Calls(tmp_path))
    assert asked.price == pytest.approx(sum(one.price for one in asked.models if one.calls))
    assert asked.most == pytest.approx(2 * most(chats["a"], request(0)))
    assert "assumed for a;" in asked.sentences[-2]
    both = estimate([("a", request(0)), ("b", request(0))], chats, Calls(tmp_path))
    assert (both.price, both.most) == (None, None)
    with pytest.raises(InputError, match="named 'c'"):
        estimate([("c", request(0))], chats, Calls(tmp_path))
