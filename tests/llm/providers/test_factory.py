import sys

import pytest

from evenhand.errors import InputError, MissingExtra
from evenhand.llm.clients.http_calls import shown, without_keys
from evenhand.llm.providers.factory import chat_of, ready
from evenhand.llm.providers.registry import PROVIDERS, address_of

VARIABLES = [variable for one in PROVIDERS.values() for variable in (*one.keys, one.base_env) if variable]


@pytest.fixture(autouse=True)
def _bare(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("model", "settings", "what", "mend"),
    [
        ("gpt-4o", {}, "does not say who serves", "provider:name"),
        ("openai:", {}, "'openai:' does not name the model", 'model = "openai:NAME"'),
        ("openai-compatible:", {}, "does not name the model", 'model = "openai-compatible:NAME"'),
        ("opnai:", {}, "no provider of models is called 'opnai'", "did you mean 'openai'"),
        (":gpt-4o", {}, "does not say who serves", "use one of"),
        ("recorded:", {}, "does not name the file of the recording", "recorded:FILE.jsonl"),
        ("python:", {}, "does not name what to import", "package.module:Thing"),
        ("opnai:gpt-4o", {}, "no provider of models is called 'opnai'", "did you mean 'openai'"),
        ("openai:gpt-4o", {"base_ulr": "x"}, "unknown setting 'base_ulr'", "did you mean 'base_url'"),
        ("vllm:x", {"api_version": "1"}, "unknown setting 'api_version'", "use one of"),
        ("vllm:x", {"base_url": "localhost:8000"}, "is not an address", "http://"),
        ("vllm:x", {"base_url": "http://[::1/v1"}, "is not an address", "http://"),
        ("vllm:x", {"base_url": "http://host:port/v1"}, "is not an address", "http://"),
        ("vllm:x", {"base_url": "http://host:99999/v1"}, "is not an address", "http://"),
        ("openai-compatible:x", {}, "has no address of its own", "base_url"),
        ("vllm:x", {"base_url": 3}, "expected a text", "base_url"),
        ("vllm:x", {"rung": "json"}, "there is no rung 'json'", "json-object"),
        ("anthropic:x", {"rung": "json-object"}, "there is no rung", "json-schema"),
        ("vllm:x", {"parameters": {"temperature": 1}}, "is set by the study", "leave temperature away"),
        ("openrouter:x", {"parameters": {"models": ["y"]}}, "another model answer", "judge of its own"),
        ("vllm:x", {"price": 3}, "expected what a million tokens cost", "price = {"),
        ("vllm:x", {"price": {"input": -1, "output": 1}}, "price: input is -1", "from 0"),
        ("vllm:x", {"price": {"input": 1, "output": 1, "cahced": 0}}, "unknown key", "'cached'"),
        ("recorded:x.jsonl", {"base_url": "x"}, "unknown setting", "family"),
        ("command:", {}, "does not name the program", "command:program arguments"),
        ("command:a 'b", {}, "cannot be read", "quotes"),
    ],
)
def test_what_cannot_be_meant_is_an_error_with_its_mend(model, settings, what, mend):
    with pytest.raises(InputError) as told:
        chat_of(model, settings)
    assert what in told.value.what
    assert mend in told.value.mend


@pytest.mark.parametrize("provider", [name for name, one in PROVIDERS.items() if one.keys])
def test_a_missing_key_names_its_variable_before_anything_is_sent(provider):
    chat = chat_of(f"{provider}:some-model")  # no key is needed to know who is meant
    assert len(chat.seal) == 64
    with pytest.raises(InputError, match=PROVIDERS[provider].keys[0]):
        ready(chat)


@pytest.mark.parametrize("provider", [name for name, one in PROVIDERS.items() if one.local])
def test_local_servers_need_no_key_and_cost_nothing(provider):
    chat = chat_of(f"{provider}:qwen3:8b")
    ready(chat)
    assert (chat.model, chat.family, chat.tariff.input) == ("qwen3:8b", "qwen", 0.0)
    chat.close()


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    with pytest.raises(MissingExtra, match=r"evenhand\[llm\]"):
        ready(chat_of("openai:x"))
    ready(chat_of("ollama:x"))  # a local server is asked without it


def test_addresses(monkeypatch):
    assert address_of("ollama") == "http://localhost:11434/v1"
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://far:11434/")
    assert address_of("ollama") == "http://far:11434/v1"
    assert address_of("ollama", "http://near:1/api/") == "http://near:1/api"
    monkeypatch.setenv("OPENAI_BASE_URL", "https://proxy.example/openai/v1")
    assert address_of("openai") == "https://proxy.example/openai/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "proxy")
    with pytest.raises(InputError, match="OPENAI_BASE_URL"):
        address_of("openai")


def test_the_second_name_of_a_key_will_do(monkeypatch):
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    chat = chat_of("gemini:gemini-2.5-flash")
    ready(chat)
    assert chat.key_name == "GOOGLE_API_KEY"
    chat.close()


def test_the_seal_is_of_model_address_and_parameters_and_not_of_name_or_key(monkeypatch):
    one = chat_of("openai:gpt-4o", name="first")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert chat_of("openai:gpt-4o", name="second").seal == one.seal
    others = [
        chat_of("openai:gpt-4.1"),
        chat_of("openai:gpt-4o", {"base_url": "https://other.example/v1"}),
        chat_of("openai:gpt-4o", {"parameters": {"top_p": 0.5}}),
        chat_of("openai:gpt-4o", {"rung": "tool"}),
        chat_of("openai-compatible:gpt-4o", {"base_url": "https://api.openai.com/v1"}),
    ]
    assert len({one.seal, *(other.seal for other in others)}) == 6


def test_addresses_are_shown_without_passwords():
    chat = chat_of("vllm:x", {"base_url": "http://me:secret@host/v1?token=secret"})
    assert "secret" not in str(chat.settings())


@pytest.mark.parametrize(
    ("url", "seen"),
    [
        ("http://me:s3cret@host:8000/v1?token=s3cret", "http://host:8000/v1?token=…"),
        ("user:s3cret@host/v1", "host/v1"),
        ("s3cret@host", "host"),
        ("http:/user:s3cret@host/v1", "host/v1"),
        ("http://user:s3cret/x@host/v1", "http://host/v1"),
        ("http://user:s3cret?x@host/v1", "http://host/v1"),
        ("http://user:s3cret#x@host/v1", "http://host/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://me:s3cret@[::1]/v1", "http://[::1]/v1"),
        ("https://host/v1/models/x@2026", "https://host/v1/models/x@2026"),
        ("localhost:8000/v1", "localhost:8000/v1"),
        ("", ""),
    ],
)
def test_no_form_of_an_address_shows_a_password(url, seen):
    assert shown(url) == seen


def test_keys_are_taken_out_whole_however_they_lie_in_the_environment(monkeypatch):
    monkeypatch.setenv("A_KEY", "sk-secret")
    monkeypatch.setenv("B_KEY", " sk-secret-and-more\n")
    monkeypatch.setenv("C_TOKEN", "Bearer ")
    monkeypatch.setenv("D_TOKEN", "short")
    assert without_keys("401 short sk-secret-and-more, sk-secret") == "401 short …, …"


def test_what_is_no_address_is_told_without_its_password():
    with pytest.raises(InputError, match="'host/v1' is not an address"):
        chat_of("openai-compatible:m", {"base_url": "user:s3cret@host/v1"})


def test_an_own_family_and_name():
    chat = chat_of("vllm:tuned-judge", {"family": "llama"}, name="judge 3")
    assert (chat.name, chat.family) == ("judge 3", "llama")
