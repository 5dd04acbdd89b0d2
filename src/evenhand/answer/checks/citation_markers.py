"""Citations as items make them, and the passages that they lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evenhand.model.answer import Citation, Generation, Item, Passage

__all__ = ["Cited", "citations", "cited", "names_of"]

WIDEST = 50  # of [1-60]: a wider range is taken as it is written, and does not resolve
_BRACKET = re.compile(r"\[([^\[\]\n]{1,120})\]|【([^【】\n]{1,60})】|\(([^()\n]{1,120})\)")
_NOTE = re.compile(r"^[ \t]*\[\^([^\]\s]{1,40})\]:[ \t]*(.*)$", re.MULTILINE)
_RAISED = re.compile(r"(?<=[.,;:!?)”\"'\u2019])[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}(?:[˒,][⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})*")
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹˒", "0123456789,")
_RANGE = re.compile(r"\^?(\d{1,4})\s*[-–—‑−]\s*\^?(\d{1,4})")
_PREFIX = re.compile(
    r"^(?:sources?|src|docs?|documents?|passages?|refs?|references?|cit(?:e|ation)s?|contexts?|quellen?|"
    r"fußnote|see|siehe|cf\.?|vgl\.?|p)\b[\s.:#]*(?=\S)",
    re.IGNORECASE,
)
_FILE = re.compile(r"^[^\s,;]+\.(?:md|txt|pdf|html?|rst|docx?|pptx?|json)(?:#\S+)?$", re.IGNORECASE)
_CODE = re.compile(r"`[^`\n]{1,400}`")
_UNIT = re.compile(r"^\S+#\d+-\d+$")


def _key(name: str) -> str:
    return " ".join(name.strip().strip("[]()【】†^ ").casefold().split())


def names_of(passages: Sequence[Passage]) -> dict[str, int]:
    """Each name by which a passage can be cited → its position.

    Its marker (its place counted from 1 where it has none), its unit, and where only one passage has them
    its document, the document's file name with and without ending, and its title. Case does not matter.
    """
    found: dict[str, int] = {}
    shared: dict[str, set[int]] = {}
    for i, passage in enumerate(passages):
        found.setdefault(_key(passage.marker or str(i + 1)), i)
        found.setdefault(_key(passage.unit), i)
        name = passage.doc.rsplit("/", 1)[-1]
        stem = name.rsplit(".", 1)[0]
        for other in (passage.doc, name, stem if len(stem) > 2 else "", passage.title):
            if other.strip():
                shared.setdefault(_key(other), set()).add(i)
    for name, of in shared.items():
        if len(of) == 1 or len({passages[i].doc for i in of}) == 1:
            found.setdefault(name, min(of))
    found.pop("", None)
    return found


def citations(text: str, names: Mapping[str, int] | None = None) -> tuple[Citation, ...]:
    """The citations in *text*, in order, one for each thing cited.

    Read are ``[1]``, ``[1, 2]``, ``[1-3]``, ``[1][2]``, ``【1】``, ``[^1]`` with or without its note,
    raised figures behind a mark of the sentence, and names of passages (*names*, as `names_of` makes them)
    in square or round brackets, alone or behind "source" and the like. Figures in round brackets are none:
    they are marks of clauses. Brackets behind an address are links and are read as well. What stands in
    backticks is code.
    """
    names = names or {}
    masked = _CODE.sub(lambda code: " " * len(code.group()), text)
    notes = {found[1]: found for found in _NOTE.finditer(text)}
    found = []
    for match in _BRACKET.finditer(masked):
        inner, group = next((match[i], i) for i in (1, 2, 3) if match[i] is not None)
        if group == 1 and inner.startswith("^"):
            note = notes.get(inner[1:])
            if note is not None and match.start() == note.start(0) + note.group().index("["):
                continue  # the note itself
            marker = _noted(note[2], names) if note is not None else ""
            if (marker or inner[1:]).strip():  # "[^]" names nothing
                found.append((match.start(), match.end(), [marker or inner[1:]]))
            continue
        markers = list(_markers(inner, names, square=group != 3))
        if markers:
            found.append((match.start(), match.end(), markers))
    found += [(m.start(), m.end(), m.group().translate(_SUPER).split(",")) for m in _RAISED.finditer(text)]
    return tuple(
        Citation(marker=marker, start=start, end=end)
        for start, end, markers in sorted(found)
        for marker in markers
    )


def _noted(note: str, names: Mapping[str, int]) -> str:
    """The name of a passage at the beginning of a footnote, or anywhere in brackets in it."""
    whole = _key(_PREFIX.sub("", note.strip()))
    if whole in names:
        return whole
    first = re.split(r"[\s,;]", whole)[0].rstrip(".:")
    return first if first in names else ""


def _markers(inner: str, names: Mapping[str, int], *, square: bool) -> Iterator[str]:
    """The names in one pair of brackets; nothing when they hold something else."""
    whole = inner.split("†", maxsplit=1)[0].split(":", maxsplit=1)[0] if "†" in inner else inner
    if _key(whole) in names and not (_key(whole).isdigit() and not square):
        yield whole.strip()
        return
    made: list[str] = []
    for raw in re.split(r"[,;]|\band\b|\bund\b|&", whole):
        piece = raw.strip()
        bare = _PREFIX.sub("", piece)
        told = bare != piece or bool(made) or square
        ends = _RANGE.fullmatch(bare)
        if ends and (square or bare != piece):
            low, high = int(ends[1]), int(ends[2])
            made += [str(n) for n in range(low, high + 1)] if low <= high < low + WIDEST else [bare]
        elif re.fullmatch(r"\^?\d{1,4}", bare) and told:
            made.append(bare.lstrip("^"))
        elif (_key(bare) in names and not _key(bare).isdigit()) or _FILE.match(bare) or _UNIT.match(bare):
            made.append(bare)
        else:
            return
    yield from made


@dataclass(frozen=True, kw_only=True)
class Cited:
    """The ``citations`` of an item, and for each the position of its passage, None where there is none."""

    citations: tuple[Citation, ...]
    leads: tuple[int | None, ...]

    @cached_property
    def passages(self) -> tuple[int, ...]:
        """Positions of the passages cited, in order, each once."""
        return tuple(sorted({lead for lead in self.leads if lead is not None}))

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Where citations stand in the item's text."""
        return tuple((c.start, c.end) for c in self.citations if c.start is not None and c.end is not None)


def cited(generation: Generation, item: Item) -> Cited:
    """The citations given with an item and those in its text, each once, and where they lead."""
    names = names_of(generation.passages)
    given = list(item.citations)
    placed = {(c.start, c.marker) for c in given}
    spans = [(c.start, c.end) for c in given if c.start is not None and c.end is not None]
    for one in citations(item.text, names):
        inside = any(a <= (one.start or 0) < b for a, b in spans)
        if (one.start, one.marker) not in placed and not inside:
            given.append(one)
    return Cited(citations=tuple(given), leads=tuple(names.get(_key(c.marker)) for c in given))
