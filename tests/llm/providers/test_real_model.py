"""The ladder against a real model over real HTTP. It judges badly; that it is asked well is the test."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from tests.llm.asked import SCHEMA
from tests.llm.real import MODEL, missing

from evenhand.llm.providers.factory import chat_of
from evenhand.model.call import Message, Request

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()} (see requirements)")
UNIT = "Bananas are yellow and grow in bunches."
ASKED = Request(
    task="q/u",
    prompt="b" * 64,
    messages=(
        Message(role="system", content="You judge whether a unit answers a question. Reply in JSON."),
        Message(role="user", content=f"Question: What is the capital of France?\nUnit: {UNIT}"),
    ),
    schema=SCHEMA,
    seed=1,
    logprobs=True,
    max_tokens=48,
)


@pytest.fixture(scope="module")
def address():
    running = subprocess.Popen(
        [sys.executable, "-m", "tests.llm.real"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield json.loads(running.stdout.readline())["base_url"]
    finally:
        running.stdin.close()
        running.wait(20)
        running.stdout.close()


def test_by_schema_the_reply_fits_and_repeats_exactly(address):
    settings = {"base_url": address, "parameters": {"cache_prompt": False}}
    chat = chat_of(f"llama.cpp:{MODEL}", settings)
    one, two = (chat.ask(ASKED, timeout=120) for _ in range(2))
    chat.close()
    assert one == two
    assert one.rung == "json-schema"
    assert one.data["sufficient"] in ("yes", "no")
    assert one.data["level"] in (0, 1, 2)
    assert one.logprob < 0
    assert one.tokens_in > 20
    assert (chat.family, one.without) == ("smollm", ())


def test_without_the_schema_it_cannot_keep_to_the_form_and_is_asked_once_more(address):
    chat = chat_of(f"llama.cpp:{MODEL}", {"base_url": address, "rung": "prompt"})
    reply = chat.ask(ASKED, timeout=120)
    chat.close()
    assert reply.rung == "prompt"
    assert reply.reasked or reply.data is not None or reply.stop == "length"


def test_the_limit_of_tokens_cuts(address):
    chat = chat_of(f"llama.cpp:{MODEL}", {"base_url": address})
    reply = chat.ask(replace(ASKED, schema=None, max_tokens=3), timeout=60)
    chat.close()
    assert (reply.stop, reply.tokens_out) == ("length", 3)
