"""The fields of one JSON object, read one by one; what is wrong is collected, not thrown."""

from __future__ import annotations

import json
import unicodedata
from math import isfinite
from typing import TYPE_CHECKING, Any

from evenhand.errors import nearest
from evenhand.gold.lint_finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Fields", "bad_name", "shown"]


def shown(value: Any, limit: int = 60) -> str:
    """A found value, short and in JSON, for a message."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def bad_name(name: str) -> str:
    """Why *name* cannot be an id; empty when it can. Blanks inside are fine, control characters not."""
    if not name.strip():
        return "is empty"
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in name):
        return "holds a control character"
    return ""


class Fields:
    """Typed access to *thing*; faults go to ``findings`` (shared with the objects inside it)."""

    def __init__(self, thing: Mapping[str, Any], *, file: str, line: int, question: str = "") -> None:
        self.thing = thing
        self.file = file
        self.line = line
        self.question = question
        self.path = ""
        self.findings: list[Finding] = []

    def at(self, thing: Mapping[str, Any], path: str) -> Fields:
        """The fields of an object inside this one."""
        inner = Fields(thing, file=self.file, line=self.line, question=self.question)
        inner.path = f"{self.path}.{path}" if self.path else path
        inner.findings = self.findings
        return inner

    def inner(self, key: str, known: Sequence[str]) -> Fields:
        """The object at *key* with only *known* keys; an empty one when absent."""
        inner = self.at(self.mapping(key), key)
        inner.known(known)
        return inner

    def wrong(self, key: str, message: str, *, mend: str, detail: str = "", kind: str = "field") -> None:
        """Note a fault of one field."""
        path = f"{self.path}.{key}" if self.path and key else self.path or key
        self.findings.append(
            Finding(
                kind=kind,
                severity="error",
                file=self.file,
                line=self.line,
                question=self.question,
                field=path,
                message=message,
                detail=detail,
                mend=mend,
            )
        )

    def known(self, keys: Iterable[str], aliases: Mapping[str, str] | None = None) -> None:
        """Note every key that is not one of *keys*."""
        names = tuple(keys)
        for key in self.thing:
            if key in names:
                continue
            meant = (aliases or {}).get(key)
            hint = f"did you mean {meant!r}?" if meant else nearest(key, names)
            self.wrong(
                "",
                "has an unknown key",
                detail=f"found {shown(key)}",
                mend=hint + ("" if self.path else ' (what is yours goes under "meta")'),
                kind="unknown-key",
            )

    def _typed(self, key: str, kind: type | tuple[type, ...], expected: str, default: Any) -> Any:
        value = self.thing.get(key)
        if value is None:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.wrong(
                key,
                f"is {_kind(value)}, expected {expected}",
                detail=f"found {shown(value)}",
                mend=f"write {key!r} as {expected}",
            )
            return default
        return value

    def text(self, key: str, *, needed: bool = False) -> str:
        """A string, empty when absent."""
        value: str = self._typed(key, str, "a string", "")
        if needed and not value.strip() and isinstance(self.thing.get(key), str | None):
            self.wrong(key, "is empty" if key in self.thing else "is missing", mend=f"give {key!r}")
        if any("\ud800" <= c <= "\udfff" for c in value):
            self.wrong(
                key,
                "holds half a surrogate pair",
                mend="write the character itself, or both halves of its \\u escape",
            )
            return ""
        return value

    def maybe(self, key: str) -> str | None:
        """A string or None."""
        return self.text(key) or None

    def name(self, key: str) -> str:
        """An id: a string, as it stands, byte for byte."""
        value = self.text(key, needed=True)
        why = bad_name(value) if value.strip() else ""
        if why:
            self.wrong(key, why, mend="use an id without line ends, tabs and control characters")
        return value

    def one_of(self, key: str, known: Sequence[str], default: str) -> str:
        """One of a few words."""
        value = self.text(key) or default
        if value not in known:
            self.wrong(key, "is not a known word", detail=f"found {shown(value)}", mend=nearest(value, known))
            return default
        return value

    def truth(self, key: str) -> bool | None:
        """True, false or None."""
        value: bool | None = self._typed(key, bool, "true or false", None)
        return value

    def whole(self, key: str) -> int | None:
        """A whole number or None."""
        value: int | None = self._typed(key, int, "a whole number", None)
        return value

    def sequence(self, key: str) -> list[Any]:
        """A list, empty when absent."""
        value: list[Any] = self._typed(key, list, "a list", [])
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        values = self.sequence(key)
        if any(not isinstance(value, str) for value in values):
            self.wrong(
                key,
                "holds something that is not a string",
                detail=f"found {shown(values)}",
                mend=f"write {key!r} as a list of strings",
            )
            return ()
        return tuple(values)

    def mapping(self, key: str) -> dict[str, Any]:
        """An object, empty when absent."""
        value: dict[str, Any] = self._typed(key, dict, "an object", {})
        return value

    def numbers(self, key: str) -> dict[str, float]:
        """An object of finite numbers, empty when absent."""
        value = self.mapping(key)
        wrong = [name for name, one in value.items() if isinstance(one, bool) or not _finite(one)]
        for name in wrong:
            self.wrong(f"{key}.{name}", f"found {shown(value[name])}, expected a number", mend=f'"{name}": 1')
        return {} if wrong else {name: float(one) for name, one in value.items()}


def _finite(value: Any) -> bool:
    try:
        return isinstance(value, int | float) and isfinite(float(value))
    except OverflowError:
        return False


def _kind(value: Any) -> str:
    names = {bool: "true or false", str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")
