"""TOML read section by section: every problem is gathered with its line, none stops the reading."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from evenhand.errors import EvenhandError, InputError, nearest
from evenhand.formats.regular_files import regular_bytes
from evenhand.model.json_text import toml_loads
from evenhand.redact import may_be_key

__all__ = ["Problems", "Table", "load_toml"]

MOST = 20_000_000  # bytes
_HEADER = re.compile(r"^\s*\[\[?\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*(?P<key>"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*(\.[^=]*)?=""")

_WORDS: dict[type, str] = {
    str: "a text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


class Problems(InputError):
    """All that is wrong with one file; the first is ``what`` and ``mend``, ``problems`` holds every one."""

    def __init__(self, what: str, *, mend: str) -> None:
        super().__init__(what, mend=mend)
        self.problems: tuple[EvenhandError, ...] = (InputError(what, mend=mend),)

    @classmethod
    def of(cls, problems: Iterable[EvenhandError]) -> Problems:
        """One error that tells of all of them."""
        every = tuple(problems)
        made = cls(every[0].what, mend=every[0].mend)
        made.problems = every
        return made


def load_toml(path: Path) -> tuple[dict[str, Any], Book]:
    """The tables of a TOML file and the book that knows their lines; InputError when it cannot be read."""
    try:
        text = regular_bytes(path, most=MOST).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise InputError(
            f"there is no file {path}", mend="check the path; `evenhand new DIR` makes a study to fill in"
        ) from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder", mend=f"name the file in it: {path / 'study.toml'}") from error
    except PermissionError as error:
        raise InputError(f"{path} may not be read", mend="give yourself the right to read it") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}", mend="name another") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 (byte {error.start})", mend="save it as UTF-8, which TOML asks for"
        ) from error
    text = text.replace("\r\n", "\n")
    try:
        return toml_loads(text), Book(path, text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"{path} is not TOML: {error}",
            mend='texts stand in quotes (name = "x"), a section once ([system.bm25]), a key once a section',
        ) from error


class Book:
    """Where sections and keys stand in a file, and what was found wrong with them."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.problems: list[InputError] = []
        self.lines: dict[tuple[str, str], int] = {}
        section = ""
        for number, line in enumerate(text.split("\n"), start=1):
            if header := _HEADER.match(line):
                section = ".".join(part.strip().strip("\"'") for part in header["name"].split("."))
                self.lines.setdefault((section, ""), number)
            elif key := _KEY.match(line):
                self.lines.setdefault((section, key["key"].strip("\"'")), number)

    def where(self, section: str, key: str = "") -> str:
        """``study.toml:12 [chunking.fixed] size``, the line left out when it cannot be found."""
        line = self._line(section, key)
        place = f"{self.path}:{line}" if line else str(self.path)
        return " ".join(part for part in (place, f"[{section}]" if section else "", key) if part)

    def has(self, section: str, key: str) -> bool:
        """Whether *key* was seen in *section*; in a table that is written within a line none is."""
        return (section, key) in self.lines

    def _line(self, section: str, key: str) -> int | None:
        """The line of a key, else of its section, else of what the section is written within."""
        line = self.lines.get((section, key)) or self.lines.get((section, ""))
        outer, _, last = section.rpartition(".")
        return line or (self._line(outer, last) if outer else None)

    def wrong(self, section: str, key: str, what: str, *, mend: str) -> None:
        """Note a problem; reading goes on."""
        self.problems.append(InputError(f"{self.where(section, key)}: {what}", mend=mend))

    def note(self, section: str, error: InputError, key: str = "") -> None:
        """Note a problem that somebody else found, with its place put before it."""
        self.wrong(section, key, error.what, mend=error.mend)

    def close(self) -> None:
        """Raise what was found, if anything was."""
        if self.problems:
            raise Problems.of(self.problems)


def _finite(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, Mapping):
        return all(map(_finite, value.values()))
    return all(map(_finite, value)) if isinstance(value, list) else True


def _holds_key(name: str, value: Any) -> bool:
    """Whether a key itself stands where the name of its variable belongs, however deep."""
    if isinstance(value, Mapping):
        return any(_holds_key(inner, one) for inner, one in value.items())
    return name == "key_env" and isinstance(value, str) and bool(value) and may_be_key(value)


class Table:
    """One section: keys are taken out by name and kind, what is left over is unknown."""

    def __init__(self, book: Book, section: str, content: Any) -> None:
        self.book, self.section = book, section
        self.known: set[str] = set()
        if not isinstance(content, Mapping):
            book.wrong("", section, f"found {content!r}, expected a section", mend=f"write [{section}]")
            content = {}
        self.content: dict[str, Any] = dict(content)
        for key in [key for key, value in self.content.items() if not _finite(value)]:
            self.wrong(
                key,
                f"found {self.content.pop(key)!r}, expected a finite number",
                mend=f"write {key} as digits",
            )
        for key in [key for key, value in self.content.items() if _holds_key(key, value)]:
            del self.content[key]  # so that nothing further can repeat it
            self.wrong(
                key,
                ("" if key == "key_env" else "key_env: ")
                + "found what is no name of a variable, and may be a key (it is not shown)",
                mend='put the key into a variable of the environment, and write its NAME: key_env = "MY_KEY"',
            )

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def has(self, key: str) -> bool:
        """Whether *key*, which is one that may be written here, was."""
        self.known.add(key)
        return key in self.content

    def wrong(self, key: str, what: str, *, mend: str) -> None:
        """Note a problem of one key."""
        self.book.wrong(self.section, key, what, mend=mend)

    def take(self, key: str, kind: type, default: Any = None, *, least: float | None = None) -> Any:
        """The value of *key* if it is of *kind* (and not below *least*); else the default, and a note."""
        self.known.add(key)
        if key not in self.content:
            return default
        value = self.content[key]
        fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
        if isinstance(value, bool) and kind is not bool:
            fits = False
        if not fits:
            self.wrong(key, f"found {value!r}, expected {_WORDS[kind]}", mend=f"give {key} {_WORDS[kind]}")
            return default
        if least is not None and not value >= least:  # not a number is not at least anything
            self.wrong(
                key, f"found {value!r}, expected at least {least:g}", mend=f"raise {key} to {least:g} or more"
            )
            return default
        return value

    def name(self, key: str, known: Iterable[str], default: str = "") -> str:
        """A word out of *known*; an unknown one names the nearest."""
        names = tuple(known)
        value = self.take(key, str, default)
        if value != default and value not in names:
            self.wrong(key, f"found {value!r}, which is not known", mend=nearest(value, names))
            return default
        return str(value)

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A list of texts; one text alone will do."""
        self.known.add(key)
        if isinstance(self.content.get(key), str):
            return (self.content[key],)
        value = self.take(key, list, None)
        if value is None:
            return default
        if not all(isinstance(item, str) for item in value):
            self.wrong(key, f"found {value!r}, expected a list of texts", mend=f'write {key} = ["…", "…"]')
            return default
        return tuple(value)

    def rest(self) -> dict[str, Any]:
        """What was not taken: the settings of a rule or a retriever."""
        left = {key: value for key, value in self.content.items() if key not in self.known}
        self.known |= set(left)
        return left

    def close(self, *, elsewhere: Mapping[str, str] | None = None) -> None:
        """Note every key that nobody took; *elsewhere* says where a misplaced one belongs."""
        for key in self.content:
            if key not in self.known:
                hint = (elsewhere or {}).get(key) or nearest(key, self.known)
                self.wrong(key, "unknown key", mend=hint)
