"""What passages hold by way of numbers, and whether a number of an item is among it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction

from evenhand.answer.dates import Day
from evenhand.answer.numbers import Number
from evenhand.answer.units import Unit

__all__ = ["Grounds", "Where"]

Where = tuple[str, int, int]
PERCENT = Unit("percent")


class Grounds:
    """Numbers of passages, to be looked up by value.

    Two numbers agree when they share a reading and their units do not differ. A unit that only one of them
    has does not part them (a table has it in its head). Units of one kind are converted (60 s is 1 min),
    75 % is also 0.75. A range is grounded where both of its ends are; its ends ground a number of their
    own, what lies between does not. A date is grounded by a date that says all it says; a date grounds its
    year and its day. Names are compared as they are written.
    """

    def __init__(self, stock: Iterable[tuple[str, Iterable[Number]]] = ()) -> None:
        """*stock*: where the numbers stand (``passage 2``), and the numbers."""
        self._values: dict[Fraction, list[tuple[Unit | None, Where]]] = defaultdict(list)
        self._days: dict[Day, Where] = {}
        self._names: dict[str, Where] = {}
        self._measured: dict[tuple[str, Fraction], Where] = {}
        for place, held in stock:
            for one in held:
                self._add(one, (place, one.start, one.end))

    def _add(self, one: Number, where: Where) -> None:
        if one.kind == "range":
            for end in one.ends:
                self._add(end, where)
        elif one.kind == "date":
            for year, month, day in one.days:
                for part in ((year, month, day), (year, month, None), (None, month, day)):
                    self._days.setdefault(part, where)
                for bare in (year, day):
                    if bare is not None:
                        self._values[Fraction(bare)].append((None, where))
        elif one.kind == "name":
            self._names.setdefault(_name(one), where)
        for value in one.values:
            self._values[value].append((one.unit, where))
            if one.unit is not None:
                self._measured.setdefault((one.unit.kind, value * one.unit.factor), where)
            if one.unit == PERCENT:
                self._values[value / 100].append((None, where))

    def find(self, one: Number) -> Where | None:
        """Where *one* is borne out, the first place; None when it is nowhere."""
        if one.kind == "range":
            places = [self.find(end) for end in one.ends]
            return None if None in places else places[0]
        if one.kind == "date":
            return next((self._days[day] for day in one.days if day in self._days), None)
        if one.kind == "name":
            return self._names.get(_name(one))
        return next(self._agreeing(one), None)

    def _agreeing(self, one: Number) -> Iterator[Where]:
        for value in one.values:
            for unit, where in self._values.get(value, ()):
                if one.unit is None or unit is None or unit == one.unit:
                    yield where
            if one.unit is not None:
                measured = self._measured.get((one.unit.kind, value * one.unit.factor))
                if measured is not None:
                    yield measured
            if one.unit == PERCENT:
                for unit, where in self._values.get(value / 100, ()):
                    if unit is None:
                        yield where


def _name(one: Number) -> str:
    return "".join(one.text.casefold().split()).lstrip("-–−")
