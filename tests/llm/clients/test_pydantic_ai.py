"""Objects that are brought. pydantic-ai is no dependency: a stand-in of its interface takes its place."""

import sys
import types
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.llm.asked import ASKED, GOOD, asked

from evenhand.errors import InputError, MissingExtra, Unreachable
from evenhand.llm.providers.factory import chat_of
from evenhand.model.call import Reply


@dataclass
class Part:
    content: str = ""
    part_kind: str = "text"


@dataclass
class ToolCallPart:
    args: Any
    part_kind: str = "tool-call"


@dataclass
class Turn:
    parts: list
    usage: Any = None
    model_name: str = "standin-llama-1"
    finish_reason: str | None = "stop"


@dataclass
class Usage:
    input_tokens: int = 12
    output_tokens: int = 3
    cache_read_tokens: int = 0


@dataclass
class ModelRequestParameters:
    output_mode: str = "text"
    output_object: Any = None
    output_tools: list = field(default_factory=list)
    allow_text_output: bool = True


@dataclass
class Definition:
    name: str | None = None
    json_schema: Any = None
    parameters_json_schema: Any = None
    description: str | None = None
    kind: str = "function"


class UserError(RuntimeError):
    pass


class ModelHTTPError(Exception):
    def __init__(self, status, body, headers):
        super().__init__(f"status_code: {status}")
        self.status_code, self.body, self.headers = status, body, headers


class Model:
    model_name, system = "llama-standin", "standin"

    def __init__(self, *answers):
        self.answers, self.seen = list(answers), []

    async def request(self, messages, model_settings, model_request_parameters):
        self.seen.append((messages, model_settings, model_request_parameters))
        answer = self.answers[min(len(self.seen), len(self.answers)) - 1]
        answer = answer(model_request_parameters) if isinstance(answer, types.FunctionType) else answer
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def brought(monkeypatch):
    """A function that puts a model into a module and gives its chat."""
    for name, members in {
        "pydantic_ai": {},
        "pydantic_ai.messages": {
            "ModelRequest": Turn,
            "ModelResponse": Turn,
            "SystemPromptPart": lambda content: Part(content, "system-prompt"),
            "UserPromptPart": lambda content: Part(content, "user-prompt"),
            "TextPart": Part,
        },
        "pydantic_ai.models": {"ModelRequestParameters": ModelRequestParameters},
        "pydantic_ai.tools": {"ToolDefinition": Definition},
        "pydantic_ai.output": {"OutputObjectDefinition": Definition},
    }.items():
        made = types.ModuleType(name)
        made.__dict__.update(members)
        monkeypatch.setitem(sys.modules, name, made)
    opened = []

    def bring(thing, settings=None):
        module = types.ModuleType("brought_models")
        module.thing = thing
        monkeypatch.setitem(sys.modules, "brought_models", module)
        opened.append(chat_of("python:brought_models:thing", settings or {}))
        return opened[-1]

    yield bring
    for chat in opened:
        getattr(chat, "close", lambda: None)()


def test_the_schema_goes_natively_and_the_reply_comes_back(brought):
    model = Model(Turn([Part(GOOD)], Usage()))
    chat = brought(model)
    reply = chat.ask(asked(seed=3), timeout=5)
    messages, settings, parameters = model.seen[0]
    assert [one.parts[0].part_kind for one in messages] == ["system-prompt", "user-prompt"]
    assert (settings["temperature"], settings["seed"], settings["max_tokens"]) == (0.0, 3, 200)
    assert (parameters.output_mode, parameters.output_object.json_schema) == ("native", dict(ASKED.schema))
    assert (reply.data, reply.rung, reply.tokens_in) == ({"sufficient": "yes", "level": 2}, "json-schema", 12)
    assert (chat.family, reply.model) == ("llama", "standin-llama-1")


def test_a_model_without_native_output_is_asked_by_tool(brought):
    def answer(parameters):
        if parameters.output_mode == "native":
            return UserError("Native structured output is not supported by this model.")
        return Turn([ToolCallPart({"sufficient": "no", "level": 0})], Usage())

    model = Model(answer)
    chat = brought(model)
    replies = [chat.ask(ASKED, timeout=5) for _ in range(2)]
    assert [reply.rung for reply in replies] == ["tool", "tool"]
    assert replies[0].data == {"sufficient": "no", "level": 0}
    assert [one[2].output_mode for one in model.seen] == ["native", "tool", "tool"]
    assert model.seen[1][2].output_tools[0].kind == "output"


def test_faults_refusals_and_cuts(brought):
    limited = ModelHTTPError(429, {"message": "slow"}, {"retry-after": "3"})
    with pytest.raises(Unreachable) as told:
        brought(Model(limited)).ask(ASKED, timeout=5)
    assert (told.value.wait, told.value.again) == (3.0, True)
    with pytest.raises(Unreachable) as told:
        brought(Model(ZeroDivisionError("oops"))).ask(ASKED, timeout=5)
    assert (told.value.why, told.value.again) == ("ZeroDivisionError", False)
    for finish, stop in (("length", "length"), ("content_filter", "refused")):
        assert brought(Model(Turn([Part("{")], finish_reason=finish))).ask(ASKED, timeout=5).stop == stop


def test_a_model_that_hangs_is_left(brought):
    class Slow(Model):
        async def request(self, *_):
            import asyncio

            await asyncio.sleep(60)

    with pytest.raises(Unreachable, match="no reply within"):
        brought(Slow()).ask(ASKED, timeout=0.2)


class Mine:
    name, family, seal = "mine", "own", "f" * 64

    def __init__(self, text="made"):
        self.text = text

    def ask(self, request, *, timeout):
        return Reply(text=self.text)


def test_a_chat_of_ones_own_is_taken_as_it_is(brought):
    mine = Mine()
    assert brought(mine) is mine
    assert brought(Mine, {"text": "other"}).ask(ASKED, timeout=1).text == "other"


@pytest.mark.parametrize(
    ("thing", "settings", "what"),
    [
        (object(), {}, "has no name, family, seal, ask"),
        (Mine(), {"text": "x"}, "takes no 'text'"),
        (Mine(), {"family": "x"}, "a chat of its own and takes no family"),
        (Mine, {"txt": "x"}, "cannot be made"),
        (Model(), {"rung": "json-object"}, "there is no rung 'json-object'"),
    ],
)
def test_what_cannot_be_used(brought, thing, settings, what):
    with pytest.raises(InputError) as told:
        brought(thing, settings)
    assert what in told.value.what


def test_without_pydantic_ai_the_error_names_it(brought, monkeypatch):
    chat = brought(Model(Turn([Part(GOOD)])))
    monkeypatch.setitem(sys.modules, "pydantic_ai.messages", None)
    with pytest.raises(MissingExtra, match="pydantic_ai"):
        chat.ask(ASKED, timeout=5)


class ContentFilterError(Exception):
    pass


def test_no_error_of_the_model_shows_a_key_of_the_environment(brought, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "sk-verysecret-0123456789")
    errors = [
        ValueError("key sk-verysecret-0123456789 is not known \x1b[2J"),
        ModelHTTPError(401, {"message": "key sk-verysecret-0123456789 is not known"}, {}),
    ]
    for error in errors:
        with pytest.raises(Unreachable, match="key … is not known") as told:
            brought(Model(error)).ask(ASKED, timeout=5)
        assert "sk-very" not in f"{told.value.what} {told.value.why}"
    refused = brought(Model(ContentFilterError("not for sk-verysecret-0123456789"))).ask(ASKED, timeout=5)
    assert (refused.stop, refused.text) == ("refused", "not for …")
