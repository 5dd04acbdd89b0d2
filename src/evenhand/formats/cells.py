"""What a cell of a table holds: a number, or a list of texts as Python, JSON or numpy print it."""

from __future__ import annotations

import ast
import re
from typing import Any

from evenhand.model.json_text import loads

__all__ = ["UNMEASURED", "OddNumber", "list_cell", "number_cell"]

UNMEASURED = ("", "nan", "none", "null", "n/a", "na", "<na>", "-", "nat")  # nothing was measured
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
        |(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![\w.])
        |(?P<word>[A-Za-z]\w*)|(?P<mark>[\[\]{}(),:]))""",
    re.VERBOSE,
)
_WORDS = {"None": None, "null": None, "nan": None, "NaN": None, "NA": None} | {
    **dict.fromkeys(("True", "true"), True),
    **dict.fromkeys(("False", "false"), False),
}
_CUT = ("...", "\u2026", "...]", "\u2026]")
_ODD = re.compile(r"""(?<!\\)(?:\\\\)*\\[^\\'"abfnrtvxuU0-7N]""")
DEEPEST = 20


class OddNumber(ValueError):
    """A number that is spelled as another country or program spells it."""


def number_cell(value: Any) -> float | None:
    """The number of a cell; None where nothing was measured (empty, NaN, None, N/A).

    Raises ValueError, which says what it is instead, for anything else: a decimal comma is no number.
    """
    if value is None or isinstance(value, bool | int | float):
        made = None if value is None else float(value)
        if made is not None and abs(made) == float("inf"):
            raise ValueError("infinite")
        return None if made is None or made != made else made  # noqa: PLR0124 - NaN alone is not itself
    cell = str(value).strip()
    if cell.lower() in UNMEASURED:
        return None
    if _NUMBER.fullmatch(cell):
        return float(cell)
    if cell.lower() in ("true", "false"):
        return float(cell.lower() == "true")
    if re.fullmatch(r"[+-]?[0-9]*,[0-9]+", cell):
        raise OddNumber("a decimal comma? write a point")
    if re.fullmatch(r"[+-]?[0-9]{1,3}(?:[,.' \u2019\u00a0\u202f_][0-9]{3})+(?:[.,][0-9]+)?", cell):
        raise OddNumber("separators of thousands? leave them out, and write a decimal point")
    if re.fullmatch(r"[+-]?[0-9]+(?:[.,][0-9]+)?\s*%", cell):
        raise OddNumber("a percentage? write it as a share, 0.75 for 75%")
    raise ValueError("no number")


def list_cell(cell: str) -> list[Any] | None:
    """The list that a cell spells out, None where it is a plain text.

    Read are JSON, a list as Python prints it, and numpy's print without commas, each to the letter. Raises
    ValueError for what begins like a list and is none of these, or was cut when it was printed.
    """
    text = cell.strip()
    if not text.startswith("["):
        if re.match(r"(?:np\.)?array\(\[", text):
            raise ValueError("an array as Python's repr prints it")
        return None
    spelled = re.match(r"\[\s*(?:['\"\]{\[]|(?:None|null|nan|NaN)\b)", text)
    if not spelled and not text.endswith(_CUT) and not _closes(text):
        return None  # a passage that begins with a citation, as in "[1] The fee is 5."
    if text.endswith(_CUT):
        raise ValueError("a list that was cut")
    try:
        made = loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        made = _Spelled(text).whole()
    if not isinstance(made, list):
        raise ValueError("no list")  # noqa: TRY004 - the cell is wrong, not the call
    return made


def _closes(text: str) -> bool:
    """Whether the bracket that opens the text is closed by its last sign."""
    deep = 0
    for at, sign in enumerate(text):
        deep += (sign == "[") - (sign == "]")
        if not deep:
            return at == len(text) - 1
    return False


def _text(part: str) -> str:
    """A text as Python's repr spells it."""
    odd = _ODD.search(part)
    try:
        if odd is None:
            return str(ast.literal_eval(part))
    except SyntaxError:
        odd = re.match(".{20}", part)
    raise ValueError(f"an escape that Python does not write ({odd[0] if odd else part})")


def _no_constant(name: str) -> None:
    if name != "NaN":
        raise ValueError(f"{name} in a list")


class _Spelled:
    """A list as Python or numpy prints it, read a part at a time: nothing is joined, nothing is run."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def whole(self) -> list[Any]:
        self._mark("[")
        made = self._list(1)
        if self.text[self.at :].strip():
            raise ValueError("more behind the list")
        return made

    def _token(self) -> tuple[str, str, bool]:
        """Kind, text, and whether blanks stand before it."""
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            rest = self.text[self.at :].strip()
            raise ValueError("a list that was cut" if rest[:3] == "..." or not rest else f"at {rest[:20]!r}")
        blank = self.text[self.at : self.at + 1].isspace()
        self.at = found.end()
        return str(found.lastgroup), str(found[str(found.lastgroup)]), blank

    def _mark(self, mark: str) -> None:
        if self._token()[1] != mark:
            raise ValueError(f"no {mark!r} where one belongs")

    def _value(self, kind: str, part: str, deep: int) -> Any:
        if deep > DEEPEST:
            raise ValueError("lists within lists without end")
        if kind == "text":
            return _text(part)
        if kind == "number":
            return loads(part) if re.fullmatch(r"-?[0-9]+", part) else float(part)
        if kind == "word" and part in _WORDS:
            return _WORDS[part]
        if part == "[":
            return self._list(deep + 1)
        if part == "{":
            return self._dict(deep + 1)
        raise ValueError(f"{part!r} without quotes")

    def _list(self, deep: int) -> list[Any]:
        made: list[Any] = []
        commas: set[bool] = set()
        while True:
            kind, part, blank = self._token()
            if part == "]":
                break
            if made:
                comma = part == ","
                commas.add(comma)
                if comma:
                    kind, part, _ = self._token()
                    if part == "]":
                        break
                elif not blank:
                    raise ValueError("two items without anything between them")
            made.append(self._value(kind, part, deep))
        if len(commas) > 1:
            raise ValueError("commas between some items and none between others")
        return made

    def _dict(self, deep: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        while True:
            kind, part, _ = self._token()
            if part == "}":
                return made
            if made:
                if part != ",":
                    raise ValueError("an object without commas")
                kind, part, _ = self._token()
            key = self._value(kind, part, deep)
            self._mark(":")
            if str(key) in made:
                raise ValueError(f"the key {key!r} twice")
            made[str(key)] = self._value(*self._token()[:2], deep)
