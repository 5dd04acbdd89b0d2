from datetime import UTC, datetime

import pytest
from tests.llm.toys import Toy, request, requests

from evenhand.errors import InputError
from evenhand.llm.costs.estimate import estimate
from evenhand.llm.costs.request_cost import most, tokens_about, tokens_at_most
from evenhand.llm.providers.factory import chat_of
from evenhand.llm.scheduling.caller import Caller
from evenhand.model.call import Call, Message, Reply, Request
from evenhand.store.calls.journal import Calls, call_key
from evenhand.store.calls.record import Recorded

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
    assert made.most == pytest.approx((2016 * 2 * 1.25 + 1000 * 10) / 1e6)
    assert "characters / 4" in made.sentences[-2]
    assert "150 a reply are assumed for j; 8 calls at once" in made.sentences[-2]
    assert "how long a call of j takes is not known" in made.sentences[-1]


def test_the_most_counts_the_one_re_ask():
    chat = chat_of("openai:anything", PRICE)
    plain = asked("x" * 4000, max_tokens=1000)
    formed = asked("x" * 4000, max_tokens=1000, schema={})
    once = (tokens_at_most(plain) * 2 * 1.25 + 1000 * 10) / 1e6
    assert most(chat, plain) == pytest.approx(once)
    assert most(chat, formed) == pytest.approx(
        ((2 * tokens_at_most(formed) + 1000) * 2 * 1.25 + 2000 * 10) / 1e6
    )


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
    total = made.sentences[2]
    assert total.startswith("together 2 calls, about $")  # what is known is said, and what is missing
    assert "and what a costs, which is not known" in total
    alone = estimate([("a", request(1)), ("c", request(1))], {
        "a": chat_of("openai-compatible:x", {"base_url": "http://x.example/v1"}), "c": Toy(name="c"),
    }, Calls(tmp_path))  # fmt: skip
    assert alone.sentences[2].startswith("together 2 calls, what a costs is not known, ")


def test_one_call_that_is_in_the_journal_is_told_in_the_singular(tmp_path):
    journal = Calls(tmp_path)
    list(Caller({"toy": Toy()}, journal).ask(requests(1)))
    made = estimate(requests(3), {"toy": Toy()}, journal)
    assert "2 calls (1 more is in the journal)" in made.sentences[0]


def test_money_in_json_is_free_of_the_noise_of_sums(tmp_path):
    made = estimate(requests(30), {"toy": Toy(dollars=0.0295)}, Calls(tmp_path)).to_json()
    assert (made["price"], made["most"], made["models"][0]["most"]) == (0.0295, 0.885, 0.885)


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
    made = estimate(requests(15), {"toy": toy}, journal)
    told = (
        "tokens by characters / 4, corrected by what the endpoint counted of earlier calls; 8 calls at once"
    )
    assert made.sentences[-1] == told
    asking = [("toy", request(99)), ("new", request(99))]
    both = estimate(asking, {"toy": toy, "new": Toy(name="new")}, journal).sentences
    assert any(
        "corrected for toy by what the endpoint counted of earlier calls; 150 a reply are assumed for new; "
        in one for one in both
    )  # fmt: skip


def kept(journal, chat, spans):
    """Calls of *chat* in the journal that were under way from when to when, in seconds."""
    for n, (begin, end) in enumerate(spans):
        key = call_key(chat.seal, request(1000 + n).seal)
        reply = Reply(text="x", data={}, tokens_in=10, tokens_out=2)
        call = Call(
            key=key, task=f"t{n}", model=chat.seal, outcome="reply", reply=reply, seconds=end - begin, tries=1
        )
        at = datetime.fromtimestamp(1.8e9 + end, UTC).isoformat(timespec="milliseconds")
        journal.add(Recorded(call=call, request=request(1000 + n), chat=chat.name, at=at))


def test_minutes_are_those_of_the_measured_pace(tmp_path):
    journal, slow = Calls(tmp_path), Toy(name="slow")
    # eight at a time were sent to a server that works through them one by one: 10 s a reply
    kept(journal, slow, [(0, 10 * (n + 1)) for n in range(8)])
    made = estimate(requests(100, name="slow"), {"slow": slow}, journal)
    assert made.seconds == pytest.approx(1000)
    assert made.sentences[0].endswith("about 17 min at the pace of its latest 8 calls")
    assert not any("not known" in one for one in made.sentences[:1] + made.sentences[2:])
    # at one at a time no more is promised than one after the other, of what a call took
    one = estimate(requests(100, name="slow"), {"slow": slow}, journal, concurrency=1)
    assert one.seconds == pytest.approx(100 * 45)


def test_judges_of_one_server_share_its_time(tmp_path):
    settings = {"base_url": "http://127.0.0.1:9/v1"}
    chats = {name: chat_of(f"vllm:{name}", settings) for name in "ab"} | {"c": Toy(name="c")}
    journal = Calls(tmp_path)
    kept(journal, chats["a"], [(10 * n, 10 * n + 10) for n in range(5)])
    kept(journal, chats["b"], [(100 + 10 * n, 110 + 10 * n) for n in range(5)])
    kept(journal, chats["c"], [(0, 1)] * 5)
    asked = [(name, request(n)) for name in chats for n in range(10)]
    made = estimate(asked, chats, journal)
    assert [one.seconds for one in made.models] == pytest.approx([100, 100, 2])
    assert made.seconds == pytest.approx(200)
    assert made.sentences[3].endswith("about 3 min")


def test_a_pace_that_nobody_measured_is_said_to_be_unknown(tmp_path):
    chats = {"a": chat_of("ollama:a"), "b": chat_of("ollama:b")}
    made = estimate([(name, request(n)) for name in chats for n in range(80)], chats, Calls(tmp_path))
    assert made.sentences[0].endswith("free, time not known yet (20 s at 2 s a call)")
    assert made.sentences[2] == "together 160 calls, free, time not known yet (40 s at 2 s a call)"
    assert "a call of a, b takes is not known: a model on your own machine" in made.sentences[-1]
    assert [one.timed for one in made.models] == [0, 0]


def test_calls_that_do_not_tell_tokens_tell_their_time(tmp_path):
    journal, toy = Calls(tmp_path), Toy(lambda _r, _n: Reply(text="x"))
    list(Caller({"toy": toy}, journal).ask(requests(5)))
    (one,) = estimate(requests(15), {"toy": toy}, journal).models
    assert (one.learned, one.timed) == (0, 5)


def test_a_tokenizer_counts_when_there_is_one(tmp_path):
    made = estimate(
        [("toy", asked("a b c"))],
        {"toy": Toy()},
        Calls(tmp_path),
        count=lambda text: len(text.split()),
        counted_by="words",
    )
    assert made.models[0].tokens_in == 3
    assert made.sentences[-2].startswith("tokens by words; 150 a reply are assumed for toy; 8 calls at once")
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
