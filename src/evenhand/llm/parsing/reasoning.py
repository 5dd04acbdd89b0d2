"""What a reasoning model thinks aloud in its reply, told from the reply by the marks that models set."""

from __future__ import annotations

import re

__all__ = ["without_reasoning"]

_NAME = r"(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|(?:seed|longcat)[:_]think)"
_OPEN = rf"(?:<\s*{_NAME}\s*>|◁think▷|\[THINK\]|<\|begin_of_thought\|>)"
_CLOSE = rf"(?:<\s*/\s*{_NAME}\s*>|◁/think▷|\[/THINK\]|<\|end_of_thought\|>)"
_FLAGS = re.IGNORECASE | re.DOTALL
_OPENS, _CLOSES = re.compile(_OPEN, _FLAGS), re.compile(_CLOSE, _FLAGS)
# harmony: <|channel|>analysis<|message|>…<|end|><|start|>assistant<|channel|>final<|message|>…; servers that
# swallow the marks leave "analysis…assistantfinal…"
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w*)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>", re.IGNORECASE)
_BARE = re.compile(r"\A\s*analysis.*assistantfinal", _FLAGS)
_CONTROL = re.compile(r"<\|start\|>\w*|<\|[a-z_]{1,40}\|>|</s>|<(?:end_of_turn|eos)>", re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """*text* without what was thought aloud: blocks, an end whose beginning is not there, one left open.

    Of several channels the last one called final is the reply; where none is, nothing is.
    """
    if channels := list(_CHANNEL.finditer(text)):
        finals = [one for one in channels if one[1].lower() == "final"]
        text = text[finals[-1].end() :] if finals else text[: channels[0].start()]
    text = _CONTROL.sub("", _BARE.sub("", text))
    kept, at = [], 0
    while (start := _OPENS.search(text, at)) is not None and (end := _CLOSES.search(text, start.end())):
        kept.append(text[at : start.start()])
        at = end.end()
    kept.append(text[at:])
    left = "".join(kept)
    if closes := list(_CLOSES.finditer(left)):
        left = left[closes[-1].end() :]
    opened = _OPENS.search(left)
    return left[: opened.start()] if opened is not None else left
