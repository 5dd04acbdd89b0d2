"""What passages hold by way of numbers, and whether a number of an item is among it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from evenhand.answer.numbers.dates import Day
from evenhand.answer.numbers.number_context import has_foreign_letters, number_words
from evenhand.answer.numbers.tokenizer import Number
from evenhand.answer.numbers.units import Unit

__all__ = ["Grounds", "Look", "Part", "Where", "look_up"]

Where = tuple[str, int, int]
Part = tuple[str, str, Iterable[Number]]  # what a text is called, the text, its numbers
MULTIPLES_READ = frozenset(["en", "de", "fr", "es", "it", "pt", "nl"])
PERCENT = Unit("percent")
OF_A_DATE = Unit("date")  # a year or a day is no number of anything


class Grounds:
    """Numbers of passages, to be looked up by value.

    Two numbers agree when they share a reading and their units do not differ. A unit that only one of them
    has does not part them (a table has it in its head). Units of one kind are converted (60 s is 1 min),
    75 % is also 0.75. A range is grounded where both of its ends are; its ends ground a number of their
    own, what lies between does not. A date is grounded by a date that says all it says; a date grounds its
    year and its day, as bare numbers. Names are compared as they are written. Where ``strict``, what stands
    around both and was not read must be the same as well: 3 万 and 3 億 are figures of which nothing more is
    known. ``multiples``: those of the language are read, so that what is not read is none.
    """

    def __init__(
        self,
        stock: Iterable[tuple[str, Iterable[Number]]] = (),
        *,
        strict: bool = False,
        multiples: bool = True,
    ) -> None:
        """*stock*: where the numbers stand (``passage 2``), and the numbers."""
        self.strict, self.multiples = strict, multiples
        self._context: dict[Where, str] = {}
        self._values: dict[Fraction, list[tuple[Unit | None, Where]]] = defaultdict(list)
        self._days: dict[Day, Where] = {}
        self._names: dict[str, list[Where]] = defaultdict(list)
        self._measured: dict[tuple[str, Fraction], list[Where]] = defaultdict(list)
        for place, held in stock:
            for one in held:
                self._add(one, (place, one.start, one.end))

    def _add(self, one: Number, where: Where) -> None:
        self._context.setdefault(where, one.context)
        if one.kind == "range":
            for end in one.ends:
                self._add(end, where)
        elif one.kind == "date":
            for year, month, day in one.days:
                for part in ((year, month, day), (year, month, None), (None, month, day)):
                    self._days.setdefault(part, where)
                for bare in (year, day):
                    if bare is not None:
                        self._values[Fraction(bare)].append((OF_A_DATE, where))
        elif one.kind == "name":
            self._names[_name(one)].append(where)
        for value in one.values:
            self._values[value].append((one.unit, where))
            if one.unit is not None:
                self._measured[one.unit.kind, value * one.unit.factor].append(where)
            if one.unit == PERCENT:
                self._values[value / 100].append((None, where))

    def find(self, one: Number) -> Where | None:
        """Where *one* is borne out, the first place; None when it is nowhere."""
        return next((place for place in self._places(one) if self._same(one, place)), None)

    def unread(self, one: Number) -> bool:
        """Whether nothing can be said of *one*, which is nowhere: it may stand there in other words.

        So where only what was not read differs, and where something that was not read stands around it or
        around any number here: unless multiples of the language are read.
        """
        if next(self._places(one), None) is not None:
            return True
        return self.strict and not self.multiples and bool(one.context or any(self._context.values()))

    def _same(self, one: Number, place: Where) -> bool:
        other = self._context.get(place, "")
        if one.kind == "date":
            return True
        must = self.strict or has_foreign_letters(one.context) or has_foreign_letters(other)
        return not must or one.context == other

    def _places(self, one: Number) -> Iterator[Where]:
        if one.kind == "range":
            first, last = ([*self._places(end)] for end in one.ends)
            yield from last if first else ()
        elif one.kind == "date":
            yield from (self._days[day] for day in one.days if day in self._days)
        elif one.kind == "name":
            yield from self._names.get(_name(one), ())
        else:
            yield from self._agreeing(one)

    def _agreeing(self, one: Number) -> Iterator[Where]:
        for value in one.values:
            for unit, where in self._values.get(value, ()):
                if one.unit is None or unit is None or unit == one.unit:
                    yield where
            if one.unit is not None:
                yield from self._measured.get((one.unit.kind, value * one.unit.factor), ())
            if one.unit == PERCENT:
                for unit, where in self._values.get(value / 100, ()):
                    if unit is None:
                        yield where


@dataclass(frozen=True, slots=True)
class Look:
    """A number, or the words of one, and where it is; ``unread``: nobody can say whether it is there."""

    text: str
    place: str
    start: int
    end: int
    found: Where | None = None
    unread: bool = False


def look_up(sought: Iterable[Part], stock: Iterable[Part], code: str, *, strict: bool) -> list[Look]:
    """Each number of *sought* (place, text, numbers of it) in those of *stock*; *code* is their language.

    *strict*: it is not English, and number words and what stands around figures are compared as written.
    """
    held = list(stock)
    grounds = Grounds(
        ((place, own) for place, _, own in held), strict=strict, multiples=code in MULTIPLES_READ
    )
    words: dict[str, Where] = {}
    for part in held if strict else ():
        for told, start, end in _words(part, code):
            words.setdefault(told, (part[0], start, end))
    made = []
    for part in sought:
        place, text, own = part
        for one in own:
            spot = grounds.find(one)
            unread = spot is None and (grounds.unread(one) or bool(words))
            made.append(Look(one.text, place, one.start, one.end, spot, unread))
        for told, start, end in _words(part, code) if strict else ():
            spot = words.get(told)
            made.append(Look(text[start:end], place, start, end, spot, spot is None))
    return made


def _words(part: Part, code: str) -> Iterator[tuple[str, int, int]]:
    """The number words of a text that are not part of a number that was read."""
    _, text, own = part
    spans = [(one.start, one.end) for one in own]
    for told, start, end in number_words(text, code):
        if not any(a < end and start < b for a, b in spans):
            yield told, start, end


def _name(one: Number) -> str:
    return "".join(one.text.casefold().split()).lstrip("-–−")
