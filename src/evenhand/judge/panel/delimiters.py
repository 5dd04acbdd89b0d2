"""Texts of others put before a model: between marks that cannot occur in them, look-alikes made harmless."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evenhand.model.seal import seal_texts

__all__ = ["FENCE", "fenced", "harmless", "mark_of", "restored"]

OPEN, CLOSE = "<<<", ">>>"
FENCE = 2  # the version of the rule below; prompts name the one they were registered with

_FIRST = re.compile(
    r"""
    [<＜﹤]{3,} | [>＞﹥]{3,}                                 # <<<end text 5f3a>>>
  | <\s*[|｜¦][^|｜¦<>\n]{0,60}[|｜¦]\s*>                   # <|system|>
  | <\s*/?\s*(?:start_of_turn|end_of_turn|bos|eos|s)\s*>   # <end_of_turn>, </s>
  | <<\s*/?\s*SYS\s*>>
  | \[\s*/?\s*(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS)\s*\]
    """,
    re.VERBOSE | re.IGNORECASE,
)
# elements of HTML that no tokenizer uses as a turn, a role or a place of thinking: they stay as they are
_HTML = (
    "a abbr address area article aside b base bdi bdo blockquote body br button canvas caption cite "
    "code col colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label "
    "legend li link main map mark menu meta meter nav noscript object ol optgroup option output p "
    "picture pre progress q rp rt ruby samp script search section select slot small span strong style "
    "sub summary sup svg table tbody td template textarea tfoot th thead time title tr track u ul var "
    "wbr"
).replace(" ", "|")
_UNSEEN = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # signs without width, and of direction
_NAME = rf"[\w▁:\-{_UNSEEN}]"
_SECOND = re.compile(
    rf"""
    [<＜﹤]{{3,}} | [>＞﹥]{{3,}}
  | [<＜〈][\s{_UNSEEN}]*[|｜¦] [^<>＜＞〈〉‹›\n]{{0,80}}? [>＞〉]   # <|im_end|>, <|turn>, <｜User｜>
  | [<＜〈]\s*/?\s*{_NAME}{{1,60}}\s*[|｜¦]\s*[>＞〉]               # <turn|>
  | <\s*/?\s*(?:start_of_turn|end_of_turn|bos|eos|s|think|tool_call)\s*>
  | <(?!/?(?-i:{_HTML})>) /?(?={_NAME}{{0,60}}[^\W\d]){_NAME}{{1,60}}(?:=[^<>‹›\s]{{0,60}})?>  # <think>
  | <<\s*/?\s*SYS\s*>> | >>[A-Z_]{{2,40}}<<                       # <<SYS>>, >>QUESTION<<
  | [◁◀]\s*/?\s*{_NAME}{{1,40}}\s*[▷▶]                            # ◁think▷
  | \[\s*/?\s*(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CALLS|THINK)\s*\]
  | \[/?(?-i:[a-z]?[A-Z][A-Z_]+(?:_\d+)?|(?:unused|control|reserved)[A-Za-z_]*\d+)\]   # [gMASK], [control_8]
  | \[\s*[|｜¦][^|｜¦\[\]\n]{{0,60}}[|｜¦]\s*\]                     # [|assistant|]
  | \][~!][^\s\[\]⟦⟧]{{0,24}}[\[\]] | \[e~\[ | \]<\][^\s\[\]]{{0,24}}\[>\[   # ]~b], ]<]image[>[
  | [|｜¦]{{3}}[A-Z_]{{2,40}}[|｜¦]{{3}}                           # |||IP_ADDRESS|||
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FORMS = str.maketrans("<＜﹤>＞﹥|｜[]〈〉◁◀▷▶", "‹‹‹›››¦¦⟦⟧‹›◃◃▹▹")


def harmless(text: str, version: int = FENCE) -> str:
    """*text* with look-alikes of marks in other signs, as long as before; all else letter for letter.

    What has the form of a control token of any chat template or tokenizer is one: ``<|…|>``, ``<word>``,
    ``[WORD]`` and the like, elements of HTML aside. Braces, quotes, JSON and instructions stay as they are:
    they are what is to be judged. Half a surrogate pair, which no request can carry, becomes U+FFFD.
    """
    whole = text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)
    like = _FIRST if version == 1 else _SECOND
    return like.sub(lambda found: found.group().translate(_FORMS), whole)


def restored(thing: Any, texts: Iterable[str]) -> Any:
    """A reply's *thing* (text, or JSON) in which the look-alikes that *texts* were shown with are undone."""
    undo = {mark.translate(_FORMS): mark for text in texts for mark in _SECOND.findall(text)}
    if not undo:
        return thing
    known = re.compile("|".join(map(re.escape, sorted(undo, key=len, reverse=True))))

    def plain(one: Any) -> Any:
        if isinstance(one, str):
            return known.sub(lambda found: undo[found.group()], one)
        if isinstance(one, Mapping):
            return {key: plain(value) for key, value in one.items()}
        return [plain(value) for value in one] if isinstance(one, list) else one

    return plain(thing)


def mark_of(texts: Sequence[str]) -> str:
    """16 hex digits that occur in none of *texts*: from their seal, so that equal texts have equal marks."""
    salt = 0
    while True:
        mark = seal_texts(["fence/1", str(salt), *texts])[:16]
        if not any(mark in text.casefold() for text in texts):
            return mark
        salt += 1


def fenced(name: str, text: str, mark: str) -> str:
    """*text* between two lines with its *name* and the *mark*; nothing in it is looked at again."""
    return f"{OPEN}{name} {mark}{CLOSE}\n{text}\n{OPEN}end {name} {mark}{CLOSE}"
