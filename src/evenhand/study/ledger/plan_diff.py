"""What differs between two registered contents: path by path, and put into effect again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evenhand.model.json_text import loads

__all__ = ["applied", "changes", "keyed", "told"]

SHOWN = 6


def keyed(thing: Any) -> Any:
    """Plain JSON in which lists of named tables are tables by name, so that a path says what it means."""
    if isinstance(thing, Mapping):
        return {str(key): keyed(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        rows = list(thing)
        if rows and all(isinstance(row, Mapping) and "name" in row for row in rows):
            return {
                str(row["name"]): keyed({key: value for key, value in row.items() if key != "name"})
                for row in rows
            }
        return [keyed(row) for row in rows]
    return loads(json.dumps(thing))


def changes(
    planned: Mapping[str, Any], now: Mapping[str, Any], path: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Each value that differs: ``path``, and ``planned`` and ``amended`` where there is such a value."""
    found: list[dict[str, Any]] = []
    for key in sorted({*planned, *now}):
        here = [*path, key]
        if key in planned and key in now:
            one, two = planned[key], now[key]
            if isinstance(one, Mapping) and isinstance(two, Mapping):
                found += changes(one, two, here)
            elif one != two:
                found.append({"path": here, "planned": one, "amended": two})
        elif key in planned:
            found.append({"path": here, "planned": planned[key]})
        else:
            found.append({"path": here, "amended": now[key]})
    return found


def applied(content: Mapping[str, Any], made: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """*content* with changes put into effect; it is not touched itself."""
    whole: dict[str, Any] = loads(json.dumps(content))
    for one in made:
        *above, last = one["path"]
        place = whole
        for key in above:
            place = place.setdefault(key, {})
        if "amended" in one:
            place[last] = one["amended"]
        else:
            place.pop(last, None)
    return whole


def told(made: Sequence[Mapping[str, Any]], *, most: int = SHOWN) -> str:
    """Changes in one line: ``plan.gate.rule (consensus → margin)``, the first few and how many more."""
    lines = [f"{'.'.join(one['path'])} ({_value(one, 'planned')} → {_value(one, 'amended')})" for one in made]
    more = f" and {len(lines) - most} more" if len(lines) > most else ""
    return "; ".join(lines[:most]) + more


def _value(one: Mapping[str, Any], key: str) -> str:
    if key not in one:
        return "nothing"
    value = one[key]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 40 else f"{text[:16]}…"
