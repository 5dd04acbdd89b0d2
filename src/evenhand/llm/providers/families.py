"""Whose model it is, by its name: judges of one family are no two opinions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["FAMILIES", "another", "differs", "family_of", "limit_of", "name_of", "thinks"]

# A family is what shares a maker and its training texts, so Gemma counts as Gemini. Words of four letters and
# more may begin a part of a name ("mixtral8x7b"); shorter ones must be a whole part ("o3", not "o3d").
FAMILIES: dict[str, tuple[str, ...]] = {
    "gpt": ("gpt", "chatgpt", "o1", "o3", "o4", "openai"),
    "claude": ("claude", "anthropic"),
    "gemini": ("gemini", "gemma", "palm"),
    "llama": ("llama", "codellama", "vicuna", "alpaca"),
    "qwen": ("qwen", "qwq", "qvq"),
    "mistral": (
        "mistral",
        "mixtral",
        "ministral",
        "magistral",
        "codestral",
        "devstral",
        "pixtral",
        "mistralai",
    ),
    "deepseek": ("deepseek",),
    "smollm": ("smollm",),
    "phi": ("phi", "phi2", "phi3", "phi4"),
    "command": ("command", "cohere", "aya"),
    "grok": ("grok",),
    "kimi": ("kimi", "moonshot", "moonshotai"),
    "glm": ("glm", "chatglm", "zhipu"),
    "olmo": ("olmo", "olmo2", "tulu"),
    "granite": ("granite",),
    "nova": ("nova",),
    "minimax": ("minimax",),
    "falcon": ("falcon",),
}
# Models that think before they reply unless they are told not to, by their makers' documentation of November
# 2026 (platform.claude.com, api-docs.deepseek.com, ai.google.dev, developers.openai.com, docs.mistral.ai and
# the model cards of the open ones): what they think counts in the limit of tokens.
_THINKING = re.compile(
    r"(?:^|[/:])(?:"
    r"claude-(?:[a-z]+-[5-9]|fable|mythos)|deepseek-(?:v[4-9]|flash|pro|r\d|reasoner)|gemini-(?:2\.5|[3-9])"
    r"|gpt-(?:[5-9]|oss)|o\d|grok-[4-9]|kimi-k(?:2-thinking|2\.[5-9]|[3-9])|glm-(?:4\.[5-9]|[5-9])"
    r"|minimax-m\d|magistral|qwen-?3(?:\D|$)|qwq|qvq|phi-?4-(?:mini-)?reasoning|nemotron-[3-9]"
    r")|(?:thinking|reasoner|reasoning)\b"
)
_OFF = ("disabled", "none", "off", "between_tools")  # words by which thinking is turned off
THOUGHT = 8192  # tokens a reply may have where nobody set a limit: a verdict, and what is thought before it
_WORDS = {word: family for family, words in FAMILIES.items() for word in words}
_PREFIXES = tuple(sorted((word for word in _WORDS if len(word) >= 4), key=len, reverse=True))
_NUMBERED = re.compile(r"^(gpt|qwen|glm|phi)\d")


def family_of(model: str) -> str:
    """The family of a model by its name, without regard to who serves it; empty when it is not known.

    The last part of a path counts first (``groq/meta/llama-3``), and in it the leftmost known word: a model
    that was taught by another (``deepseek-r1-distill-llama``) goes with the one it is named after.
    """
    name = model.rsplit(":", 1)[-1] if model.count(":") and "/" not in model.rsplit(":", 1)[-1] else model
    for part in (*reversed(name.lower().split("/")), model.lower()):
        for word in re.split(r"[^a-z0-9]+", part):
            if word in _WORDS:
                return _WORDS[word]
            numbered = _NUMBERED.match(word)
            if numbered:
                return _WORDS[numbered[1]]
            for prefix in _PREFIXES:
                if word.startswith(prefix):
                    return _WORDS[prefix]
    return ""


_DATE = r"(20)?\d{2}-?\d{2}-?\d{2}|20\d{2}-\d{2}|\d{2}-20\d{2}|\d{2}-\d{2}|\d{3,4}"
_PACKED = r"q\d(-\w+)*|iq\d(-\w+)*|fp8|fp16|bf16|f16|awq|gptq|int4|int8|4bit|8bit"  # how weights are stored
_VERSION = re.compile(rf"(-(latest|preview|exp|stable|0|v\d+(-\d+)?|{_DATE}|{_PACKED}))+$")
_HOST = re.compile(r"^((us|eu|apac|global)\.)?(anthropic|meta|mistral|amazon|cohere|deepseek|openai|qwen)\.")


def another(asked: str, replied: str) -> bool:
    """Whether the model that *replied* is, by its name, another than the one that was *asked*.

    A dated or numbered snapshot (``gpt-4o`` → ``gpt-4o-2024-08-06``), an alias for the newest one, the path
    or the provider before a name and a tag after it are the same model. An endpoint that gives no name is not
    known to differ.
    """
    return bool(asked and replied) and name_of(asked) != name_of(replied)


def name_of(model: str) -> str:
    """A name without provider, path, tag and version."""
    name = model.strip().lower().rstrip("/").rsplit("/", 1)[-1]
    name, _, tag = name.partition(":")
    if not re.fullmatch(r"latest|free|nitro|floor|beta|online|exacto|extended|thinking|v?\d+|", tag):
        name = f"{name}-{tag}"  # a size is part of the name
    name = _HOST.sub("", re.sub(r"\.gguf$|@.*$", "", name))
    name = re.sub(r"[^a-z0-9]+", "-", name).strip("-")
    return _VERSION.sub("", name)


def differs(family: str, replied: str) -> bool:
    """Whether the model that *replied* is of another family than the one that was asked.

    Names of versions always differ a little; only a change of family says that something else answered. A
    *family* that is none of `FAMILIES` (empty, or somebody's own word) cannot be told from another.
    """
    return family in FAMILIES and family_of(replied) not in ("", family)


def thinks(model: str, parameters: Mapping[str, Any] | None = None) -> bool:
    """Whether a model thinks before it replies, as far as its name and *parameters* show."""
    told = dict(parameters or {})
    inner = [told, *(one for one in told.values() if isinstance(one, Mapping))]
    words = [
        one.get(key) for one in inner for key in ("type", "effort", "reasoning_effort", "thinking_level")
    ]
    if any(word in _OFF for word in words if isinstance(word, str)):
        return False
    if any(
        one.get(key) is False for one in inner for key in ("enabled", "enable_thinking", "thinking", "think")
    ):
        return False
    name = model.lower()
    return bool(_THINKING.search(name)) and "non-thinking" not in name and "instruct" not in name


def limit_of(chat: Any, default: int) -> int:
    """The tokens a reply of *chat* may have where nobody set a limit: more for one that thinks."""
    return max(default, THOUGHT) if getattr(chat, "thinks", False) else default
