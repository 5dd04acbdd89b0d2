"""A request as the panel makes them, and a chat on a server of ours."""

from contextlib import contextmanager
from dataclasses import replace

from tests.llm.faulty import faulty

from evenhand.llm.providers.factory import chat_of
from evenhand.model.call import Message, Request

SCHEMA = {
    "type": "object",
    "properties": {
        "sufficient": {"type": "string", "enum": ["yes", "no"]},
        "level": {"type": "integer", "enum": [0, 1, 2]},
    },
    "required": ["sufficient", "level"],
    "additionalProperties": False,
}
GOOD = '{"sufficient": "yes", "level": 2}'
ASKED = Request(
    task="q1/u1",
    prompt="a" * 64,
    messages=(
        Message(role="system", content="Judge the unit."),
        Message(role="user", content="Question: what? Unit: this {and} that."),
    ),
    schema=SCHEMA,
    max_tokens=200,
)


def asked(**changes):
    return replace(ASKED, **changes)


@contextmanager
def chatting(*answers, model="vllm:judge", **settings):
    """(chat, server) with the server's address filled in."""
    with faulty(*answers) as server:
        chat = chat_of(model, {"base_url": server.base_url, **settings})
        try:
            yield chat, server
        finally:
            chat.close()
