import pytest

from evenhand.llm.families import differs, family_of


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
