"""Which field of a database holds what: text, document, offsets, and the id of a unit of ours."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.retrieve.frameworks.document import UNIT

__all__ = ["PARTS", "Fields", "names_in"]

PARTS = ("unit", "doc", "start", "end", "text")
ENOUGH = (("unit",), ("doc", "start", "end"), ("text",))  # any of these places a hit


class Fields:
    """The field of each part, as far as there is one; ``metadata.source`` is one inside another."""

    def __init__(self, given: Mapping[str, Any], known: Collection[str], *, told: str) -> None:
        """Check *given* (part to field) against the *known* fields of *told*, and find the rest by name."""
        check_parts(given)
        for part, field in given.items():
            if field not in known:
                raise InputError(
                    f"{told} has no field {field!r} (fields.{part})", mend=nearest(str(field), known)
                )
        self.of = {part: str(given.get(part, part)) for part in PARTS if given.get(part, part) in known}
        if not any(all(part in self.of for part in parts) for parts in ENOUGH):
            raise InputError(
                f"{told} has none of: text; doc, start and end; unit",
                mend=f'say which is which: fields = {{ text = "…" }}; it has: {", ".join(sorted(known))}',
            )

    @property
    def tops(self) -> list[str]:
        """The fields to ask for, the outermost of each."""
        return list(dict.fromkeys(name.split(".")[0] for name in self.of.values()))

    def hit(self, row: Mapping[str, Any], score: float | None) -> dict[str, Any]:
        """One row as a hit."""
        made = {part: value for part, name in self.of.items() if (value := _inside(row, name)) is not None}
        if not isinstance(made.get("unit"), str) or not UNIT.fullmatch(made["unit"]):
            made.pop("unit", None)  # a field of that name may hold kilograms
        start = made.get("start")
        if isinstance(start, int) and "end" not in made and "text" in made:
            made["end"] = start + len(str(made["text"]))
        if not made.keys() & {"unit", "text"} and not {"doc", "start", "end"} <= made.keys():
            made["text"] = ""  # a row without any of them is nowhere, and is counted as such
        if score is not None:
            made["score"] = score
        return made


def check_parts(given: Mapping[str, Any]) -> None:
    """InputError where *given* names something that is no part of a hit."""
    for part, field in given.items():
        if part not in PARTS:
            raise InputError(f"fields has no part {part!r}", mend=nearest(part, PARTS))
        if not isinstance(field, str) or not field:
            raise InputError(f"fields.{part} is {field!r}", mend="give the name of a field")


def names_in(row: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """The names of all fields of a row; those inside others with a dot."""
    for name, value in row.items():
        yield before + str(name)
        if isinstance(value, Mapping):
            yield from names_in(value, f"{before}{name}.")


def _inside(row: Mapping[str, Any], name: str) -> Any:
    if name in row:
        return row[name]
    first, _, rest = name.partition(".")
    found = row.get(first)
    return _inside(found, rest) if rest and isinstance(found, Mapping) else None
