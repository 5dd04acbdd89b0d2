"""What stands around figures and is not read, and number words that are not: both make a claim undecided."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from evenhand.answer.checks.content_words import stop_words

__all__ = ["context", "has_foreign_letters", "number_words", "reads_words"]

_HAN = "\u3400-\u9fff\uf900-\ufaff々"
_KATA, _HIRA, _HANGUL = "ァ-ヿ", "ぁ-ゟ", "\uac00-\ud7a3"
_SOUTH = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer: no blanks between words
_LARGE = "十百千万萬亿億兆京点點"
_MONEY = "\u00a2-\u00a5\u058f\u060b\u09f2\u09f3\u0e3f\u17db\u20a0-\u20cf"
_END = r"\s\d\x00.,;:!?()\[\]{}\"“”„«»‘。，、；：！？（）「」『』《》…<>|/\\=+%–—-"
_AFTER = re.compile(
    rf"[ \u00a0\t-]?(?=[{_HAN}{_KATA}{_HIRA}])(?P<east>[{_LARGE}]*(?:平方|立方|个|個|ヶ|か|ヵ)?"
    rf"(?:[{_KATA}]+|[{_HAN}]{{1,2}}|[{_HIRA}]{{1,2}})?)"
    rf"|[ \u00a0\t-]?(?P<south>[{_SOUTH}]{{1,8}})"
    rf"|[ \u00a0\t-]?(?P<word>[{_MONEY}]|[^{_END}{_HAN}{_KATA}{_HIRA}{_SOUTH}]+)"
    rf"\.?(?:[ \u00a0](?P<more>[^{_END}{_HAN}{_KATA}{_HIRA}{_SOUTH}]+))?"
)
_BEFORE = re.compile(rf"(?:[{_MONEY}]|平成|令和|昭和|民国|民國|第|\b[A-Z]{{2,3}}\$?|\b[A-Z]\$)[ \u00a0]?$")
_LAST = re.compile(rf"([^{_END}]+)[ \u00a0]$")

# Stems of number words without a table of values, by language; one and what the tokenizer reads are left out
_STEMS = {
    "de": r"\w*(?:zwanzig|drei(?:ß|ss)ig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig|hundert|tausend)\w*"
    r"|\w*million\w*|\w*milliarde\w*",
    "fr": r"vingts?|trente|quarante|cinquante|soixante|septante|huitante|nonante|quatre-vingts?(?:-\w+)*"
    r"|dix-\w+|cents|deux cents?|mille|millions?|milliards?",
    "es": r"(?:veint|treint|cuarent|cincuent|sesent|setent|ochent|novent)\w+|dieci\w+|cien|ciento"
    r"|\w+cient[oa]s|quinientos|mil|mill[oó]n(?:es)?",
    "it": r"vent(?:i|uno|otto)\w*|(?:trent|quarant|cinquant|sessant|settant|ottant|novant)[auo]\w*|\w*cento"
    r"|dici\w+|mille|\w*mila|milion[ei]|miliard[oi]",
    "pt": r"dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|treze|[qc]atorze|quatorze|quinze"
    r"|dez[ae]\w+|vinte|(?:tri|quare|cinque|sesse|sete|oite|nove)nta|cem|cento|\w+centos|mil|milh(?:ão|ões)",
    "nl": r"\w*(?:twintig|dertig|veertig|vijftig|zestig|zeventig|tachtig|negentig|honderd|duizend)\w*"
    r"|\w+tien|miljoen|miljard",
    "ru": r"дв[ае]|двух|двум\w*|три|тр[её]х|тр[её]м\w*|четыр\w+|пят[ьи]|пятью|шест[ьи]|сем[ьи]|вос[ье]м[ьи]?"
    r"|девят[ьи]|десят[ьи]|\w+надцат[ьи]|двадцат[ьи]|тридцат[ьи]|сорока?|\w+десят|девяност[оа]|ст[оа]"
    r"|двести|триста|четыреста|\w+сот|тысяч\w*|миллион\w*|миллиард\w*",
    "hi": r"दो|तीन|चार|पाँच|पांच|छह|छः|सात|आठ|नौ|दस|ग्यारह|बारह|पंद्रह|बीस|पच्चीस|तीस|चालीस|पचास|साठ|सत्तर"
    r"|अस्सी|नब्बे|सौ|हज़ार|हजार|लाख|करोड़|अरब",
}
_SEEN = ("", "Latin", "Cyrillic", "Devanagari", "Han", "kana", "Hangul")
_SCRIPT = {"ru": "Ѐ-ӿ", "hi": "ऀ-ॿ"}
_AMBIGUOUS = re.compile(r"mil|mille|cents|cem|cien|seis|sete|dois|millions?|trente|vent\w*|\w+tien|\w*cento")
_TENS = "열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔"
_KOREAN = re.compile(
    rf"[일이삼사오육칠팔구십백천만억조]{{2,}}[ ]?[{_HANGUL}]{{1,12}}"
    rf"|(?:둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉|{_TENS})[ ][{_HANGUL}]{{1,12}}"
    rf"|(?<![{_HANGUL}])(?:{_TENS})[{_HANGUL}]{{1,12}}"
    rf"|[이삼사오육칠팔구십백천만억][일년월개원명시분](?![{_HANGUL}]{{3}})"
)
_HAN_NUMBER = re.compile(rf"[{_HAN}〇○]+")


def context(text: str, start: int, end: int, code: str) -> str:
    """What stands around a figure from *start* to *end* as far as it can be part of what it means.

    The word behind it, and the next where the first is short or a number word; a currency, an era or an
    ordinal before it. Stop words of the language are none. Empty: nothing.
    """
    found = _AFTER.match(text, end)
    word = ""
    if found is not None:
        word = found["east"] or found["south"] or found["word"] or ""
        more = found["more"] or ""
        if found["word"] and more and (len(word) <= 4 or _is_number(word)):
            word = f"{word} {more}"
        if found["word"] and _folded(found["word"]) in stop_words(code):
            word = ""
    before = _BEFORE.search(text, max(0, start - 8), start)
    told = before.group().strip() if before else ""
    if not told and not code and (last := _LAST.search(text, max(0, start - 40), start)):
        told = last[1]  # of a language that is not known, a month or a currency may stand before
    return " ".join(part for part in (_folded(told), _folded(word)) if part)


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


def has_foreign_letters(word: str) -> bool:
    """Whether *word* holds a letter or sign of money that English has not."""
    return any(c > "\u024f" and (c.isalpha() or unicodedata.category(c) == "Sc") for c in word)


@cache
def _pattern(code: str) -> re.Pattern[str]:
    edge = rf"[\w{_SCRIPT.get(code, '')}]"
    return re.compile(rf"(?<!{edge})(?:{_STEMS[code]})(?!{edge})", re.IGNORECASE)


def _is_number(word: str) -> bool:
    return any(_pattern(code).fullmatch(word) for code in _STEMS)


def reads_words(code: str, script: str) -> bool:
    """Whether number words of a language are read, or at least seen; an unknown one goes by its *script*."""
    return code in {"en", "zh", "ja", "ko", *_STEMS} or (not code and script in _SEEN)


def number_words(text: str, code: str) -> Iterator[tuple[str, int, int]]:
    """(words with what follows, start, end) of each number in words that the tokenizer does not read.

    Han figures are known by what Unicode says of them; in other scripts by stems. Where no language is known
    those of all are looked for, but for words that are English, too.
    """
    if code == "en":
        return
    for found in _HAN_NUMBER.finditer(text) if not text.isascii() else ():
        yield from _han(found, text, code)
    if code in ("ko", "") and re.search(f"[{_HANGUL}]", text):
        for found in _KOREAN.finditer(text):
            yield _folded(found.group()), found.start(), found.end()
    for language in [code] if code in _STEMS else _STEMS if not code else ():
        for found in _pattern(language).finditer(text):
            if code or not _AMBIGUOUS.fullmatch(found.group().casefold()):
                told = context(text, found.start(), found.end(), code or language)
                yield f"{_folded(found.group())} {told}".strip(), found.start(), found.end()


def _han(found: re.Match[str], text: str, code: str) -> Iterator[tuple[str, int, int]]:
    run, at = found.group(), 0
    while at < len(run):
        end = at
        while end < len(run) and (unicodedata.numeric(run[end], None) is not None or run[end] in "〇○点點"):
            end += 1
        start = found.start() + at
        digit_before = text[start - 1 : start].isdigit()
        if end > at and run[at:end] != "一" and not digit_before:
            told = context(text, start, found.start() + end, code)
            yield f"{run[at:end]} {told}".strip(), start, found.start() + end
        at = max(end, at + 1)
