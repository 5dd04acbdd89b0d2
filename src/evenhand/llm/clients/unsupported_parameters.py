"""What an endpoint will not take, read from the error it gives: so that it is asked without it."""

from __future__ import annotations

__all__ = ["rejected"]

_DENIALS = (
    "unsupported",
    "not support",
    "n't support",
    "not permitted",
    "not allowed",
    "not available",
    "unavailable",
    "not implemented",
    "not enabled",
    "not compatible",
    "incompatible",
    "unknown",
    "unrecognized",
    "unrecognised",
    "unexpected",
    "deprecated",
    "invalid schema",
    "invalid parameter",
    "invalid_json_schema",
    "failed to parse grammar",
    "no endpoints found",
    "no longer",
)
# longer names first: a message about top_logprobs also holds the word logprobs
_NAMES = (
    ("max_completion_tokens", "max_tokens"),
    ("max_tokens", "max_tokens"),
    ("temperature", "temperature"),
    ("logprobs", "logprobs"),
    ("log probabilities", "logprobs"),
    ("seed", "seed"),
    ("response_format", "rung"),
    ("response format", "rung"),
    ("output_config", "rung"),
    ("output_format", "rung"),
    ("output format", "rung"),
    ("structured output", "rung"),
    ("json_schema", "rung"),
    ("json schema", "rung"),
    ("json_object", "rung"),
    ("json mode", "rung"),
    ("grammar", "rung"),
    ("schema", "rung"),
    ("tool_choice", "rung"),
    ("tools", "rung"),
    ("tool use", "rung"),
    ("function call", "rung"),
)
_ANY = "requested parameters"  # OpenRouter, where no provider takes all of them and none is named
_STATUSES = (400, 404, 422, 500, 501)  # 404: OpenRouter; 500: older llama.cpp


def rejected(status: int, told: str, param: str = "") -> str:
    """Which part of the request the endpoint does not know: temperature, seed, logprobs, max_tokens, rung.

    ``parameters``: some part of it, and it does not say which.

    *told* is the whole error as text, *param* the parameter it names itself. Empty when the error is about
    something else: a value out of range, a prompt that is too long, a key, a model.
    """
    low = told.lower()
    if status not in _STATUSES or not any(word in low for word in _DENIALS):
        return ""
    for text in (param.lower(), low):
        named = [(text.find(word), place, what) for place, (word, what) in enumerate(_NAMES) if word in text]
        if named:
            return min(named)[2]
    return "parameters" if _ANY in low else ""
