"""What a reply counts and what a fault is worth: sums over a re-ask, statuses, and lines of a batch."""

import json
import sys

import pytest
from tests.llm.asked import ASKED, asked, chatting
from tests.llm.faulty import fails, says

from evenhand.errors import Unreachable
from evenhand.llm.batch.providers import parsed
from evenhand.llm.clients.command import Command
from evenhand.llm.clients.error_classification import Where, of_status
from evenhand.llm.clients.openai_chat import closed, count, raw_of
from evenhand.llm.costs.request_cost import most
from evenhand.llm.parsing.structured_output import Form, Raw, StructuredOutputFallback
from evenhand.llm.providers.factory import chat_of
from evenhand.llm.scheduling.rate_limits import rates_of, wait_of

GOOD = '{"sufficient": "yes", "level": 2}'
WHERE = Where("judge", "http://127.0.0.1/v1", "m", "KEY", {})


def through(*raws, request=None, clock=None, monkeypatch=None):
    """The reply, and the seconds each question was given; *clock* passes as questions are put."""
    told, seconds = iter(raws), []
    now = [0.0]
    if monkeypatch is not None:
        monkeypatch.setattr("evenhand.llm.parsing.structured_output.time.monotonic", lambda: now[0])

    def send(_request, _form, _messages, left):
        seconds.append(left)
        now[0] += clock or 0.0
        return next(told)

    return StructuredOutputFallback().ask(request or asked(), send, timeout=10.0), seconds


def test_a_reply_after_a_re_ask_counts_the_tokens_of_both():
    first = Raw(text="Well, yes.", tokens_in=100, tokens_out=10, tokens_cached=5)
    reply, _ = through(first, Raw(text=GOOD, tokens_in=200, tokens_out=20, tokens_cached=7))
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (300, 30, 12)
    assert (reply.reasked, reply.earlier, reply.data["level"]) == (True, "Well, yes.", 2)
    reply, _ = through(Raw(text="Well."), Raw(text=GOOD, tokens_in=200, tokens_out=20, tokens_cached=7))
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == (None, None, None)  # half is no count
    reply, _ = through(Raw(text=GOOD, tokens_in=0, tokens_out=0, tokens_cached=0))
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached, reply.reasked) == (0, 0, 0, False)


def test_the_one_re_ask_is_for_a_reply_without_its_keys_and_what_comes_then_stands():
    reply, seconds = through(Raw(text='{"sufficient": "yes"}'), Raw(text="no."))
    assert (reply.data, reply.text, len(seconds)) == (None, "no.", 2)
    reply, seconds = through(Raw(text='{"sufficient": "yes"}'), Raw(text='{"sufficient": "no"}'))
    assert (reply.data, len(seconds)) == ({"sufficient": "no"}, 2)


@pytest.mark.parametrize("stop", ["length", "refused"])
def test_what_was_cut_off_or_refused_is_not_read_and_not_asked_again(stop):
    reply, seconds = through(Raw(text=GOOD, stop=stop))
    assert (reply.data, reply.stop, len(seconds)) == (None, stop, 1)
    batched = StructuredOutputFallback().read(asked(), Raw(text=GOOD, stop=stop))
    assert (batched.data, batched.reasked) == (None, False)
    assert StructuredOutputFallback().read(asked(), Raw(text=GOOD)).data["level"] == 2


def test_the_time_of_a_call_is_for_all_its_questions(monkeypatch):
    _, seconds = through(Raw(text="?"), Raw(text=GOOD), clock=4.0, monkeypatch=monkeypatch)
    assert seconds == [10.0, 6.0]
    with pytest.raises(Unreachable, match="no reply in 10 s"):
        through(Raw(text="?"), Raw(text=GOOD), clock=10.0, monkeypatch=monkeypatch)


def test_two_threads_that_are_refused_one_rung_step_down_once():
    ladder = StructuredOutputFallback()
    form = Form("json-schema")
    assert ladder._step(form, "rung")
    assert ladder._step(form, "rung")
    assert ladder.rung == "tool"
    assert not ladder._step(Form("prompt"), "rung")
    assert ladder._step(form, "seed")
    assert not ladder._step(Form("tool", frozenset({"seed"})), "seed")


@pytest.mark.parametrize(
    ("status", "again"),
    [(400, False), (401, False), (402, False), (404, False), (408, True), (409, True), (422, False), (425, True),
     (429, True), (499, False), (500, True), (503, True), (529, True)],
)  # fmt: skip
def test_a_status_is_worth_another_try_or_is_not(status, again):
    headers = {"retry-after": "7", "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "9s"}
    fault = of_status(WHERE, status, headers, {"error": {"message": "no"}})
    assert (fault.again, fault.wait, fault.why) == (again, 7.0 if again else None, f"HTTP status {status}")
    assert fault.of_model == (status == 429)
    spent = of_status(WHERE, status, headers, {"error": {"message": "no", "code": "insufficient_quota"}})
    assert (spent.again, spent.wait) == (False, None)
    assert spent.why.endswith("(no credit)")


def test_numbers_at_nothing_are_numbers():
    assert [count(x) for x in (0, 7, -1, True, "7", 1.0, None)] == [0, 7, None, None, None, None, None]
    assert wait_of({"retry-after-ms": "0"}) == 0.0
    found = rates_of({"x-ratelimit-remaining": "0", "x-ratelimit-limit": "0", "x-ratelimit-reset": "0"})
    assert (found.remaining_requests, found.limit_requests, found.reset, found.empty) == (0, 0, 0.0, True)


def body(usage=None, logprobs=None):
    choice = {"message": {"content": "x"}, "finish_reason": "stop", "logprobs": {"content": logprobs}}
    return {"choices": [choice], "usage": usage or {}, "model": "m"}


def test_what_the_provider_kept_is_read_under_either_name_and_nothing_kept_is_nothing():
    details = {"prompt_tokens_details": {"cached_tokens": 0}, "prompt_cache_hit_tokens": 9}
    assert raw_of(body(details), WHERE).tokens_cached == 0
    assert raw_of(body({"prompt_cache_hit_tokens": 9}), WHERE).tokens_cached == 9
    assert raw_of(body(), WHERE).tokens_cached is None


def test_the_mean_log_probability_is_of_all_tokens_or_of_none():
    tokens = [{"logprob": x} for x in (0.0, -1.0, -2.0)]
    assert raw_of(body(logprobs=tokens), WHERE).logprob == -1.0
    assert raw_of(body(logprobs=[*tokens, {"token": "x"}]), WHERE).logprob is None
    assert raw_of(body(logprobs=[*tokens, {"logprob": 0.5}]), WHERE).logprob is None
    assert raw_of(body(logprobs=[]), WHERE).logprob is None


def test_a_schema_is_closed_when_every_object_in_it_is():
    inner = {"type": "object", "properties": {"b": {}}, "required": ["b"], "additionalProperties": False}
    outer = {"type": "object", "properties": {"a": inner}, "required": ["a"], "additionalProperties": False}
    assert closed(outer)
    assert not closed({**outer, "required": []})
    assert not closed({**outer, "additionalProperties": True})
    assert not closed({**outer, "properties": {"a": {**inner, "required": []}}})
    assert not closed({"anyOf": [inner, {**inner, "required": []}]})


@pytest.mark.parametrize(
    ("response", "error", "why"),
    [
        ({"status_code": 200, "body": {"choices": []}}, None, ""),
        ({"body": {"choices": []}}, None, ""),
        ({"status_code": 399, "body": {"choices": []}}, None, ""),
        ({"status_code": 400, "body": {"error": {"message": "too long"}}}, None, "HTTP status 400: too long"),
        ({"status_code": 200, "body": {"choices": []}}, {"message": "expired"}, "expired"),
        (None, {"message": "expired"}, "expired"),
        ({"status_code": 200, "body": "a page"}, None, "a page"),
    ],
)
def test_a_line_of_a_batch_is_a_reply_or_says_why_not(response, error, why):
    found = parsed(json.dumps({"custom_id": "k", "response": response, "error": error}), "here")
    assert (found.key, found.why) == ("k", why)
    assert (found.body is None) == bool(why)


@pytest.mark.parametrize(("code", "again"), [(75, True), (1, False), (74, False), (76, False)])
def test_a_program_that_ends_with_75_may_be_asked_again(tmp_path, code, again):
    (tmp_path / "p.py").write_text(f"import sys; sys.exit({code})")
    with pytest.raises(Unreachable) as told:
        Command(f"{sys.executable} p.py", folder=tmp_path).ask(asked(), timeout=30)
    assert told.value.again is again


def test_a_program_that_was_cut_off_has_no_data(tmp_path):
    envelope = {"text": GOOD, "stop": "length", "tokens_in": 0, "logprob": 0}
    (tmp_path / "p.py").write_text(f"print({json.dumps(envelope)!r})")
    reply = Command(f"{sys.executable} p.py", folder=tmp_path).ask(asked(), timeout=30)
    assert (reply.data, reply.stop, reply.tokens_in, reply.logprob) == (None, "length", 0, 0.0)


@pytest.mark.parametrize(
    "why", ["insufficient_system_resource", "abort", "network_error", "error", "new one"]
)
def test_a_stop_that_is_not_known_is_a_fault_to_be_asked_again(why):
    broken = body()
    broken["choices"][0]["finish_reason"] = why
    with pytest.raises(Unreachable) as told:
        raw_of(broken, WHERE)
    assert (told.value.again, told.value.charged) == (True, True)
    assert why in told.value.said
    chat = chat_of("anthropic:c", {"key_env": ""})
    with pytest.raises(Unreachable, match=why) as told:
        chat._raw({"type": "message", "content": [], "stop_reason": why}, WHERE)
    assert told.value.again


@pytest.mark.parametrize(
    ("why", "stop"),
    [
        ("content_filter: PROHIBITED_CONTENT", "refused"),
        ("SAFETY", "refused"),
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("eos_token", "end"),
        ("tool_calls", "end"),
        (None, "end"),  # it has nothing to say of it
    ],
)
def test_stops_that_servers_name_otherwise(why, stop):
    told = body()
    told["choices"][0]["finish_reason"] = why
    assert raw_of(told, WHERE).stop == stop


def test_tokens_of_thinking_that_stand_in_the_total_alone_are_counted():
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 1110}
    assert raw_of(body(usage), WHERE).tokens_out == 1010
    assert raw_of(body({**usage, "total_tokens": 110}), WHERE).tokens_out == 10
    assert raw_of(body({**usage, "total_tokens": 5}), WHERE).tokens_out == 10
    assert raw_of(body({"prompt_tokens": 100, "completion_tokens": 10}), WHERE).tokens_out == 10


def test_what_is_put_into_the_providers_cache_costs_a_quarter_more():
    """By hand: 1,000 in, of which 300 found and 400 put there: 300 × 1 + 300 × .1 + 400 × 1.25, and 10 × 5."""
    details = {"cached_tokens": 300, "cache_write_tokens": 400}
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "prompt_tokens_details": details}
    price = {"input": 1.0, "output": 5.0, "cached": 0.1}
    chat = chat_of("openai:gpt-6-sol", {"price": price})
    reply = chat.ladder.read(ASKED, chat._raw(body(usage), WHERE))
    assert reply.tokens_written == 400
    assert chat.price(reply) == pytest.approx((300 + 30 + 500 + 50) / 1e6)
    dear = chat_of("openai:gpt-6-sol", {"price": {**price, "written": 2.0}})
    assert dear.price(reply) == pytest.approx((300 + 30 + 800 + 50) / 1e6)
    claude = chat_of("anthropic:c", {"key_env": "", "price": price})
    usage = {
        "input_tokens": 300,
        "cache_read_input_tokens": 300,
        "cache_creation_input_tokens": 400,
        "output_tokens": 10,
    }
    told = {"type": "message", "content": [], "stop_reason": "end_turn", "usage": usage}
    reply = claude.ladder.read(ASKED, claude._raw(told, WHERE))
    assert claude.price(reply) == pytest.approx((300 + 30 + 500 + 50) / 1e6)
    assert most(claude, ASKED) >= claude.price(reply)


def test_a_gateway_says_itself_what_a_reply_cost():
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "cost": 0.25}
    chat = chat_of("openrouter:a/b", {"price": {"input": 1, "output": 1}})
    assert chat.price(chat.ladder.read(ASKED, chat._raw(body(usage), WHERE))) == 0.25
    own = {**usage, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.5}}
    assert chat.price(chat.ladder.read(ASKED, chat._raw(body(own), WHERE))) == 0.75
    other = chat_of("deepseek:x", {"price": {"input": 1, "output": 1}})
    assert other.price(other.ladder.read(ASKED, other._raw(body(usage), WHERE))) == pytest.approx(110 / 1e6)
    assert chat.price(chat.ladder.read(ASKED, chat._raw(body({**usage, "cost": -1}), WHERE))) is not None


def test_a_gateway_asks_those_alone_who_take_all_parameters():
    chat = chat_of("openrouter:a/b", {"parameters": {"provider": {"order": ["x"]}}})
    assert chat.written(ASKED)["provider"] == {"require_parameters": True, "order": ["x"]}
    assert "provider" not in chat_of("openai:gpt-6-sol").written(ASKED)
    message = "No endpoints found that can handle the requested parameters."

    def answer(seen):
        return fails(404, message) if "response_format" in seen.body or "tools" in seen.body else says(GOOD)

    with chatting(answer) as (made, server):
        reply = made.ask(ASKED, timeout=5)
    assert (reply.rung, reply.without, len(server.seen)) == ("prompt", (), 4)
