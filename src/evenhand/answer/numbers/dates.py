"""Dates in figures and in words, read as year, month and day; what is not said is None."""

from __future__ import annotations

import re

__all__ = ["DATE", "Day", "days"]

Day = tuple[int | None, int | None, int | None]

_MONTHS = (
    "january jan januar janvier enero gennaio janeiro januari|"
    "february feb februar février febrero febbraio fevereiro februari|"
    "march mar märz mars marzo março maart|april apr avril abril aprile|"
    "may mai mayo maggio maio mei|june jun juni juin junio giugno junho|"
    "july jul juli juillet julio luglio julho|august aug août agosto augustus|"
    "september sep sept septembre septiembre settembre setembro|"
    "october oct oktober okt octobre octubre ottobre outubro|"
    "november nov novembre noviembre|december dec dezember dez décembre diciembre dicembre dezembro"
)
_MONTH = {word: i for i, row in enumerate(_MONTHS.split("|"), start=1) for word in row.split()}
_WORDS = "|".join(sorted(_MONTH, key=len, reverse=True))
_MODEST = frozenset(
    ["may", "mar", "march", "mars", "mai", "sep", "dec", "jan", "jun", "jul"]
)  # words besides: capital or a year

DATE = rf"""
    (?P<iso>\d{{4}}-\d{{2}}-\d{{2}})(?!\d)
  | (?P<han>\d{{4}}年\d{{1,2}}月(?:\d{{1,2}}日)?)
  | (?P<ymd>\d{{4}}[/.]\d{{1,2}}[/.]\d{{1,2}})(?![\d/]|\.\d)
  | (?P<dmy>\d{{1,2}}(?P<mark>[/.-])\d{{1,2}}(?P=mark)(?:\d{{4}}|\d{{2}}))(?![\d/]|[.-]\d)
  | (?P<worded>
      (?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?[ \u00a0](?:of[ ]|de[ ])?(?i:(?P<name>{_WORDS}))\b\.?
        (?:,?[ \u00a0](?:de[ ])?(?P<year>\d{{4}})(?!\d))?
    | (?i:\b(?P<name2>{_WORDS}))\b\.?
        (?: [ \u00a0](?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%]|[.,]\d)
            (?:,?[ \u00a0](?P<year2>\d{{4}})(?!\d))?
          | [ \u00a0](?:of[ ]|de[ ])?(?P<year3>\d{{4}})(?!\d) )
    )
"""


def days(found: re.Match[str], habit: str) -> tuple[Day, ...]:
    """Each reading of a match of `DATE`; none when it is no date after all.

    ``3/4/2024`` is the third of April where the comma is the decimal sign; else both readings are kept.
    """
    if found["worded"]:
        word = found["name"] or found["name2"]
        day, year = found["day"] or found["day2"], found["year"] or found["year2"] or found["year3"]
        if word.casefold() in _MODEST and not word[0].isupper() and not (day and year):
            return ()
        read = _checked(int(year) if year else None, _MONTH[word.casefold()], int(day) if day else None)
        return (read,) if read else ()
    numbers = [int(n) for n in re.findall(r"\d+", found.group())]
    if found["dmy"]:
        first, second, year_number = numbers
        if len(found.group()) - 1 - found.group().rfind(found["mark"]) == 2:
            if found["mark"] == "-" or min(first, second) == 0:
                return ()
            year_number += 2000 if year_number < 70 else 1900
        ways = [(second, first), (first, second)]
        if found["mark"] != "/" or habit == "comma":
            ways = ways[:1]
        made = [_checked(year_number, month, day) for month, day in ways]
        return tuple(dict.fromkeys(day for day in made if day))
    read = _checked(numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else None)
    return (read,) if read else ()


def _checked(year: int | None, month: int, day: int | None) -> Day | None:
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return None
    return (year, month, day)
