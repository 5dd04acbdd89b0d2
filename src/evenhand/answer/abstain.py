"""Whether an item answers, abstains or asks back: by what the system told, else by its words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.answer.words import Words, code_of
from evenhand.corpus.sentences import pieces, sentence_starts
from evenhand.model.answer import Item

__all__ = ["DID", "PHRASES", "Did", "did", "sentences"]

DID = ("answered", "abstained", "asked-back")

# What is not known, not said or not to be answered, in a sentence of its own. "Cannot" of the matter itself
# (the tenant cannot leave) must not be caught: the subject is the speaker or the text.
_TEXT = r"""(?:(?:the|these|this|any\s+of\s+the|my|your)\s+)?(?:(?:provided|given|retrieved|available|supplied)\s+)*
    (?:passages?|texts?|contexts?|documents?|sources?|excerpts?|information|materials?|handbook|corpus)
    (?:\s+(?:provided|given|retrieved|available|above))?"""
PHRASES: dict[str, str] = {
    "en": rf"""
        \bI(?:'m| am)?\s+(?:do\s?n(?:o|')t|don't|cannot|can't|can not|could not|couldn't|am unable to|was unable to
          |unable to|not able to|am not able to)\s+(?:have|know|find|answer|determine|tell|say|provide|locate|see)
      | \b(?:cannot|can't|can not|could not)\s+be\s+(?:answered|determined|found|established)
      | \b{_TEXT}\s+(?:do(?:es)?\s?n(?:o|')t|does\s+not|do\s+not|doesn't|don't|did\s+not)\s+(?:\w+\s+)?(?:say|state
          |mention|contain|provide|include|specify|give|address|answer|cover|discuss|describe|tell|indicate|hold)
      | \b(?:is|are|was|were)\s+(?:not|nowhere|n't)\s+(?:\w+\s+)?(?:stated|mentioned|specified|provided|given|covered
          |addressed|contained|included|found|answered|described|discussed)\s+(?:in|by)\s+{_TEXT}
      | \bno\s+(?:\w+\s+)?(?:information|answer|mention|evidence|passage|details?)\s+(?:\w+\s+){{0,4}}(?:in|from|is
          |was|are|were|about|on|given|provided|found|available)\b
      | \b(?:not|in)sufficient\s+(?:information|context|evidence)\b | \bnot\s+enough\s+(?:information|context)\b
      | ^\W*(?:unanswerable|no\s+answer|not\s+answerable|unknown|n/?a|insufficient\s+information)\W*$
    """,
    "de": r"""
        \b(?:ich|wir)\s+(?:weiß|wissen)\s+(?:es\s+|das\s+)?nicht | \b(?:kann|können|konnte)\s+(?:\w+\s+){0,6}nicht\s+
          (?:beantwort|sag|find|beurteil|ermittel|bestimm)\w* | \b(?:lässt|lassen)\s+sich\s+(?:\w+\s+){0,6}nicht\s+
          (?:beantwort|sag|entnehm|ermittel|bestimm)\w*
      | \b(?:Text|Texte|Kontext|Dokument\w*|Abschnitt\w*|Passage\w*|Quelle\w*|Auszüge?n?|Unterlagen)\b(?:\s+\S+){0,4}?
          \s+(?:nicht|keine?n?)\b
      | \bkeine\s+(?:\w+\s+)?(?:Angabe|Angaben|Information|Informationen|Antwort|Hinweise?)\b
      | \b(?:nicht|nirgends)\s+(?:erwähnt|genannt|angegeben|enthalten|beschrieben)\b
    """,
    "fr": r"""
        \bje\s+ne\s+(?:sais|peux|trouve|dispose|connais)\b | \bne\s+(?:peut|peux|pouvons)\s+pas\s+(?:être\s+)?(?:répon
          |détermin|trouv)\w* | \b(?:textes?|passages?|documents?|contexte|sources?|extraits?)\s+(?:\w+\s+){0,3}ne\s+\w+
          (?:\s+\w+)?\s+(?:pas|aucune?|rien) | \baucune?\s+(?:information|réponse|mention|indication)\b
      | \bn(?:'|e\s+)(?:est|sont)\s+(?:pas|nulle\s+part)\s+(?:mentionn|indiqu|précis|fourni)\w*
    """,
    "es": r"""
        \bno\s+(?:lo\s+)?(?:sé|puedo|podemos|encuentro|dispongo|tengo\s+información)\b | \b(?:textos?|pasajes?
          |documentos?|contexto|fuentes?|fragmentos?)\s+(?:\w+\s+){0,3}no\s+\w+ | \bno\s+(?:hay|existe|se\s+encuentra)
          \s+(?:\w+\s+)?(?:información|respuesta|mención|datos) | \bno\s+se\s+(?:menciona|indica|especifica|puede\s+
          (?:responder|determinar))\b
    """,
    "it": r"""
        \bnon\s+(?:lo\s+)?(?:so|posso|possiamo|trovo|dispongo)\b | \b(?:test[oi]|passagg[io]|document[oi]|contesto|font[ei])
          \s+(?:\w+\s+){0,3}non\s+\w+ | \bnessuna\s+(?:informazione|risposta|menzione)\b | \bnon\s+(?:è|sono|viene)\s+
          (?:menzionat|indicat|specificat|riportat)\w*
    """,
    "pt": r"""
        \bnão\s+(?:sei|posso|podemos|encontro|encontrei|tenho\s+informações)\b | \b(?:textos?|trechos?|documentos?|contexto
          |fontes?)\s+(?:\w+\s+){0,3}não\s+\w+ | \bnão\s+há\s+(?:\w+\s+)?(?:informaç|resposta|menção)\w*
      | \bnão\s+(?:é|são|está)\s+(?:mencionad|indicad|especificad)\w*
    """,
    "nl": r"""
        \bik\s+(?:weet|kan|vind)\s+(?:het\s+|dit\s+|dat\s+)?(?:\w+\s+){0,4}niet\b | \b(?:teksten?|passages?|documenten?
          |context|bronn?en?)\s+(?:\w+\s+){0,5}(?:niet|geen)\b | \bgeen\s+(?:\w+\s+)?(?:informatie|antwoord|gegevens)\b
      | \bniet\s+(?:vermeld|genoemd|beschreven)\b
    """,
}
_READY = {
    code: re.compile(words.replace("'", "['’]"), re.VERBOSE | re.IGNORECASE)
    for code, words in PHRASES.items()
}


@dataclass(frozen=True, slots=True)
class Did:
    """``what`` is one of `DID`; ``told``: the system said so itself; ``spans``: the words it was seen by."""

    what: str
    why: str
    told: bool = False
    spans: tuple[tuple[int, int], ...] = ()


def sentences(text: str) -> list[tuple[int, int]]:
    """``[start, end)`` of each sentence."""
    return pieces(text, 0, len(text), sentence_starts(text))


def did(
    item: Item,
    *,
    language: str = "",
    cites: Sequence[tuple[int, int]] = (),
    beside: int = 25,
    rule: Words | None = None,
) -> Did:
    """What *item* does.

    What the system told of itself decides. Else a sentence says that the answer is not known, not in the
    text, or cannot be given, by the phrases of the *language* (all of them where it is not known); the item
    abstains when its other sentences cite nothing (*cites*: where its citations stand) and hold at most
    *beside* content words. An item that says so and goes on to answer has answered. A last sentence with a
    question mark, and nothing cited, asks back.
    """
    if item.abstained is not None:
        return Did("abstained" if item.abstained else "answered", "the system said so itself", told=True)
    if item.kind != "answer":
        return Did("answered", "a study item")
    text = item.text
    if not text.strip():
        return Did("abstained", "the answer is empty")
    parts = sentences(text)
    code = code_of(language)
    patterns = [_READY[code]] if code in _READY else list(_READY.values())
    said: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    for start, end in parts:
        found = next((hit for p in patterns if (hit := p.search(text[start : min(end, start + 600)]))), None)
        if found is None:
            others.append((start, end))
        else:
            said.append((start + found.start(), start + found.end()))
    if said:
        rule = rule or Words(code)
        rest = sum(len(rule.content(text[start:end])) for start, end in others)
        cited = any(_within(at, others) for at, _ in cites)
        if rest <= beside and not cited:
            return Did("abstained", "says that it cannot answer", spans=tuple(said))
        why = "cites passages" if cited else f"has {rest} content words"
        return Did("answered", f"says that something is missing, and beside it {why}", spans=tuple(said))
    last = text[parts[-1][0] : parts[-1][1]].rstrip("\"'”’») ") if parts else ""
    if last.endswith(("?", "？", "؟")) and not cites:
        return Did("asked-back", "ends with a question and cites nothing", spans=(parts[-1],))
    return Did("answered", "says nowhere that it cannot answer")


def _within(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= at <= end for start, end in spans)
