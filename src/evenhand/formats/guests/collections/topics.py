"""TREC and SMART topics: ``<top>`` or ``<DOC>`` with number and words, or ``.I`` with ``.T`` and ``.W``."""

from __future__ import annotations

import html
import re

from evenhand.formats.corpus.trectext import is_smart, smart_parts
from evenhand.formats.gold.fields import bad_name
from evenhand.gold.lint_finding import Finding
from evenhand.gold.unresolved import RawQuestion
from evenhand.model.gold import Question, QuestionId

__all__ = ["parse_topics"]

_TOPIC = re.compile(r"<(top|DOC)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"<(?:num|DOCNO)>\s*(?:Number:)?\s*([^<\n]*)", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(?:Topic|Description|Narrative):\s*", re.IGNORECASE)


def parse_topics(text: str, file: str) -> tuple[list[RawQuestion], list[Finding]]:
    """Questions without evidence. The words are the title, else the description, else all there is."""
    found: list[RawQuestion] = []
    findings: list[Finding] = []
    if is_smart(text):
        for at, name, parts in smart_parts(text, where=file):
            words = _plain(parts.get("W") or parts.get("T", ""))
            if words:
                found.append(RawQuestion(question=Question(id=QuestionId(name), text=words, line=at)))
            else:
                findings.append(_fault(file, at, f"topic {name} has no words", "give a .W with them"))
        return found, findings
    counted, line = 0, 1
    for match in _TOPIC.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        body = match[2]
        number = _NUMBER.search(body)
        name = html.unescape(number[1]).strip() if number else ""
        if bad_name(name):
            findings.append(_fault(file, line, "has no usable number", "give <num> or <DOCNO>"))
            continue
        words = _part(body, "title") or _part(body, "desc") or _rest(body)
        if not words:
            findings.append(_fault(file, line, f"topic {name} has no words", "give a <title> or <desc>"))
            continue
        found.append(RawQuestion(question=Question(id=QuestionId(name), text=words, line=line)))
    if not found and not findings:
        findings.append(_fault(file, 0, "holds no topic", "a topic is <top>…</top> or <DOC>…</DOC>"))
    return found, findings


def _fault(file: str, line: int, message: str, mend: str) -> Finding:
    return Finding(kind="topic", severity="error", file=file, line=line, message=message, mend=mend)


def _part(body: str, tag: str) -> str:
    match = re.search(rf"<{tag}>(.*?)(?=<[a-z/]|\Z)", body, re.DOTALL | re.IGNORECASE)
    return _plain(_LABEL.sub("", match[1])) if match else ""


def _rest(body: str) -> str:
    return _plain(re.sub(r"<DOCNO>.*?</DOCNO>|<num>[^\n]*", " ", body, flags=re.DOTALL | re.IGNORECASE))


def _plain(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"</?[A-Za-z][^>]*>", " ", text)).split())
