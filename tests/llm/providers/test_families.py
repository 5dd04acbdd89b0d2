import pytest

from evenhand.llm.providers.families import another, differs, family_of, thinks


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gpt-4o-2024-08-06", "gpt"),
        ("openai/gpt-oss-120b", "gpt"),
        ("o3-mini", "gpt"),
        ("claude-opus-5-5", "claude"),
        ("openrouter:anthropic/claude-haiku-4-5", "claude"),
        ("gemini-3-flash-preview", "gemini"),
        ("gemma3:4b", "gemini"),
        ("llama3.2:3b", "llama"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama"),
        ("qwen3:8b", "qwen"),
        ("QwQ-32B", "qwen"),
        ("mistralai/Ministral-8B", "mistral"),
        ("deepseek-chat", "deepseek"),
        ("deepseek-r1-distill-llama-70b", "deepseek"),
        ("SmolLM2-135M-Instruct.Q4_1", "smollm"),
        ("phi4:14b", "phi"),
        ("command-r-plus", "command"),
        ("my-own-judge", ""),
        ("o365-tuned", ""),
        ("philosophy-1", ""),
    ],
)
def test_families_by_name(name, family):
    assert family_of(name) == family


def test_only_a_change_of_family_is_noted():
    assert not differs("gpt", "gpt-4o-2024-08-06")
    assert not differs("", "gpt-4o")
    assert not differs("our own", "gpt-4o")
    assert not differs("gpt", "load-1")
    assert differs("gpt", "meta-llama/llama-3.1-8b")


@pytest.mark.parametrize(
    "model",
    ["claude-sonnet-5-5", "claude-opus-5", "claude-fable-5-2", "anthropic/claude-opus-5.5", "deepseek-flash",
     "deepseek/deepseek-v4.1-flash", "gemini-2.5-flash", "gemini-3.8-flash", "gpt-5-mini", "gpt-6.1-sol", "o3",
     "gpt-oss:20b", "qwen3:8b", "Qwen/QwQ-32B", "magistral-small", "kimi-k2-thinking", "glm-4.6"],
)  # fmt: skip
def test_models_that_think_unless_told_otherwise(model):
    assert thinks(model)
    for off in (
        {"thinking": {"type": "disabled"}},
        {"reasoning_effort": "none"},
        {"chat_template_kwargs": {"enable_thinking": False}},
        {"reasoning": {"enabled": False}},
    ):
        assert not thinks(model, off)


@pytest.mark.parametrize(
    "model",
    ["claude-haiku-4-5", "claude-3-5-sonnet", "claude-opus-4-8", "deepseek-chat", "gemini-2.0-flash", "gpt-4o",
     "gpt-4.1", "qwen2.5:7b", "qwen2-3b", "qwen3-30b-a3b-instruct-2507", "llama-3.3-70b", "mistral-large-4"],
)  # fmt: skip
def test_models_that_do_not(model):
    assert not thinks(model)


@pytest.mark.parametrize(
    ("asked", "replied", "other"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06", False),
        ("gpt-4o", "gpt-4o-mini", True),
        ("judge-1", "other-9", True),
        ("judge-1", "", False),
        ("", "other-9", False),
        ("claude-haiku-4-5", "claude-haiku-4-5-20251001", False),
        ("claude-sonnet-4-0", "claude-sonnet-4-20250514", False),
        ("claude-sonnet-4-5", "claude-opus-4-5", True),
        ("mistral-large-latest", "mistral-large-2411", False),
        ("gemini-2.5-flash", "models/gemini-2.5-flash-preview-05-20", False),
        ("gemini-2.5-flash", "gemini-2.5-pro", True),
        ("meta-llama/llama-3.1-8b-instruct:free", "llama-3.1-8b-instruct", False),
        ("meta-llama/llama-3.1-8b-instruct", "meta-llama/llama-3.1-70b-instruct", True),
        ("qwen3:8b", "qwen3:8b", False),
        ("qwen3:8b", "qwen3:1.7b", True),
        ("llama3.2", "llama3.2:latest", False),
        ("SmolLM2-135M-Instruct", "/models/SmolLM2-135M-Instruct.Q4_1.gguf", False),
        ("gpt-4", "gpt-4-0613", False),
        ("gpt-4", "gpt-4.1", True),
        ("o3", "o3-mini", True),
    ],
)
def test_another_model_is_told_by_its_name_and_a_snapshot_is_none(asked, replied, other):
    assert another(asked, replied) is other
