"""Texts that speak to whoever judges them, known by rule: orders, verdicts, notices, what no reader sees.

The rule decides nothing and changes no verdict. It names items for people, who see at once what a model does
not: that a text wants something. It looks for common forms; who wants to be missed can be.
"""

from __future__ import annotations

import re

__all__ = ["appeals"]

_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_ABOVE = (
    "above|previous|prior|preceding|earlier|everything|all that|instruction|guideline|oben|bisherig|vorherig|"
)
_ABOVE += (
    "anweisung|anterior|instrucci|précédent|ci-dessus|consigne|precedent|istruzion|выше|предыдущ|инструкц"
)
_FORMS = {
    "an order": re.compile(
        rf"""
        \b(?:ignor\w*|disregard|forget|override|vergiss|olvida\w*|oublie[zr]?|игнорируй\w*|забудь\w*)\b
            [^.!?\n]{{0,60}}(?:{_ABOVE})
      | \b(?:answer|reply|respond|antworte\w*|responde|répond\w*|rispondi|ответь\w*)
            \s+(?:(?:only|just|always|with|nur|immer|mit|con|solo|par|seulement|только)\s+){{0,3}}["'“„«]
      | (?:忽略|无视|無視|忽視)[^。\n]{{0,12}}(?:以上|之前|上述|上面|前|指[令示])
      | (?:以上|前|上記)[^。\n]{{0,10}}無視
      | تجاهل[^.\n]{{0,30}}(?:سبق|أعلاه|تعليمات)
      | (?:위|이전)[^.\n]{{0,12}}무시
        """,
        re.VERBOSE | re.IGNORECASE,
    ),
    "a verdict": re.compile(
        r"""
        ["'](?:verdict|relevance_score|is_relevant)["']\s*:
      | \bverdict\b\s*(?:is|must\ be|should\ be|=|:)\s*
            (?:["'“„«]\w|\d|(?:yes|no|relevant|sufficient|true|ja|oui|sí)\b)
      | \b(?:this|the)\ (?:passage|text|document|chunk)\b[^.\n]{0,40}
            \b(?:contains?|holds?|has|gives?)\ the\ (?:exact|full|complete|correct|whole)\ answer
        """,
        re.VERBOSE | re.IGNORECASE,
    ),
    "a notice": re.compile(
        r"\b(?:system|admin\w*|operator|developer)\s+(?:notice|message|prompt|note|override|instruction)s?\b\s*[:\-–]"
        r"|\b(?:llm|ai|model|judge|evaluator|grader)s?\b[^.\n]{0,30}\b(?:must|should|shall|has to|have to)\b"
        r"[^.\n]{0,40}\b(?:grade|verdict|rate|score|relevant)\b",
        re.IGNORECASE,
    ),
    "a control token": re.compile(
        r"[<＜]\s*[|｜][^<>\n]{1,60}>|<[^<>\s]{1,60}[|｜]\s*>|</?(?:think|tool_call|(?:start|end)_of_turn)>"
        r"|\[/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS)\]|<</?SYS>>|<<<(?:end )?\w+ [0-9a-f]{8,}>>>",
        re.IGNORECASE,
    ),
    "signs that no reader sees": re.compile("[\u202a-\u202e\u2066-\u2069]|(?:\\w[\u200b\u2060\ufeff]){3}"),
    "hidden HTML": re.compile(
        r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|<\w+[^<>]*\shidden[\s>=]",
        re.IGNORECASE,
    ),
}


def appeals(text: str) -> tuple[str, ...]:
    """What in *text* speaks to its judge, by kind; empty for a text that only says what it says.

    Signs without width are left out of account before words are looked for, and what stands turned round is
    read from behind.
    """
    plain = _UNSEEN.sub("", text)
    looked = f"{text}\n{plain}" if plain != text else text
    looked += f"\n{plain[::-1]}" if "\u202e" in text else ""
    return tuple(kind for kind, form in _FORMS.items() if form.search(looked))
