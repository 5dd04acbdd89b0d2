"""The words by which an answer says that it is none, by language."""

from __future__ import annotations

import re

__all__ = ["PHRASES", "patterns"]

_MAY = "(?:passages?|texts?|contexts?|documents?|sources?|excerpts?|information|materials?|handbook|corpus)"
_EN = (
    r"(?:(?:the|these|this|any of the|my|your) )?(?:(?:provided|given|retrieved|available|supplied) )*"
    rf"{_MAY}(?: (?:provided|given|retrieved|available|above))?"
)
_DE = r"(?:texte?n?|kontext|dokumente?n?|abschnitte?n?|passagen?|quellen?|auszüge?n?|unterlagen)"
_FR = r"(?:textes?|passages?|documents?|contexte|sources?|extraits?)"
_ES = r"(?:textos?|pasajes?|documentos?|contexto|fuentes?|fragmentos?)"
_IT = r"(?:test[oi]|passagg[io]|document[oi]|contesto|font[ei])"
_PT = r"(?:textos?|trechos?|documentos?|contexto|fontes?)"
_NL = r"(?:tekst(?:en)?|passages?|document(?:en)?|context|bron(?:nen)?)"

# What is not known, not said or not to be answered. The subject is the speaker or the text: a "cannot" of the
# matter itself (the tenant cannot leave) is no abstention. A blank stands for any white space.
PHRASES: dict[str, tuple[str, ...]] = {
    "en": (
        (
            r"\bi (?:do not|don't|cannot|can't|can not|could not|couldn't) "
            r"(?:have|know|find|answer|determine|tell|say|provide|locate|see)\b"
        ),
        r"\bi(?:'m| am| was)? (?:unable|not able) to (?:find|answer|determine|tell|say|provide|locate)\b",
        r"\b(?:cannot|can't|can not|could not) be (?:answered|determined|found|established)\b",
        (
            rf"\b{_EN} (?:do not|does not|don't|doesn't|did not|didn't) (?:\w+ )?"
            r"(?:say|state|mention|contain|provide|include|specify|give|address|answer|cover|discuss|describe|tell"
            r"|indicate|hold)\b"
        ),
        (
            r"\b(?:is|are|was|were)(?: not| nowhere|n't) (?:\w+ )?"
            r"(?:stated|mentioned|specified|provided|given|covered|addressed|contained|included|found|answered"
            rf"|described|discussed) (?:in|by) {_EN}"
        ),
        (
            r"\bno (?:\w+ )?(?:information|answer|mention|evidence|passage|details?) "
            r"(?:\w+ ){0,4}(?:in|from|is|was|are|were|about|on|given|provided|found|available)\b"
        ),
        r"\b(?:not sufficient|insufficient|not enough) (?:information|context|evidence)\b",
        r"^\W*(?:unanswerable|no answer|not answerable|unknown|n/?a)\W*$",
    ),
    "de": (
        r"\b(?:ich weiß|wir wissen) (?:es |das )?nicht\b",
        (
            r"\b(?:kann|können|konnte) (?:\w+ ){0,6}nicht "
            r"(?:beantwort|sag|find|beurteil|ermittel|bestimm)"
        ),
        r"\b(?:lässt|lassen) sich (?:\w+ ){0,6}nicht (?:beantwort|sag|entnehm|ermittel|bestimm)",
        rf"\b{_DE}(?: [^\s.]+){{0,4}}? (?:nicht|keine?n?)\b",
        r"\bkeine (?:\w+ )?(?:angaben?|informationen|information|antwort|hinweise?)\b",
        r"\b(?:nicht|nirgends) (?:erwähnt|genannt|angegeben|enthalten|beschrieben)\b",
    ),
    "fr": (
        r"\bje ne (?:sais|peux|trouve|dispose|connais)\b",
        r"\bne (?:peut|peux|pouvons) pas (?:être )?(?:répon|détermin|trouv)",
        rf"\b{_FR} (?:\w+ ){{0,3}}n(?:e |')\w+ (?:\w+ )?(?:pas|aucune?|rien)\b",
        r"\baucune? (?:information|réponse|mention|indication)\b",
        r"\bn(?:'|e )(?:est|sont) (?:pas|nulle part) (?:mentionn|indiqu|précis|fourni)",
    ),
    "es": (
        r"\bno (?:lo )?(?:sé|puedo|podemos|encuentro|dispongo|tengo información)\b",
        rf"\b{_ES} (?:\w+ ){{0,3}}no \w+",
        r"\bno (?:hay|existe|se encuentra) (?:\w+ )?(?:información|respuesta|mención|datos)\b",
        r"\bno se (?:menciona|indica|especifica|puede (?:responder|determinar))\b",
    ),
    "it": (
        r"\bnon (?:lo )?(?:so|posso|possiamo|trovo|dispongo)\b",
        rf"\b{_IT} (?:\w+ ){{0,3}}non \w+",
        r"\bnessuna (?:informazione|risposta|menzione)\b",
        r"\bnon (?:è|sono|viene) (?:menzionat|indicat|specificat|riportat)",
    ),
    "pt": (
        r"\bnão (?:sei|posso|podemos|encontro|encontrei|tenho informações)\b",
        rf"\b{_PT} (?:\w+ ){{0,3}}não \w+",
        r"\bnão há (?:\w+ )?(?:informaç|resposta|menção)",
        r"\bnão (?:é|são|está) (?:mencionad|indicad|especificad)",
    ),
    "nl": (
        r"\bik (?:weet|kan|vind) (?:het |dit |dat )?(?:\w+ ){0,4}niet\b",
        rf"\b{_NL} (?:\w+ ){{0,5}}(?:niet|geen)\b",
        r"\bgeen (?:\w+ )?(?:informatie|antwoord|gegevens)\b",
        r"\bniet (?:vermeld|genoemd|beschreven)\b",
    ),
}
_READY = {
    code: re.compile("|".join(rows).replace(" ", r"\s+").replace("'", "['’]"), re.IGNORECASE)
    for code, rows in PHRASES.items()
}


def patterns(code: str) -> tuple[re.Pattern[str], ...]:
    """The phrases of a language as one pattern; those of all languages where it is not known or has none."""
    return (_READY[code],) if code in _READY else tuple(_READY.values())
