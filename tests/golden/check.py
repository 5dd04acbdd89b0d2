"""Run every entry of a golden file against the product.

    python tests/golden/check.py FILE

A file is a list of entries, or {"items": [...]}; an entry is {id, function, inputs, expected, tolerance}:
tolerance is absolute and applies to every numeric leaf, null means undefined, a key "note" is for readers.
Prints each mismatch and one line of counts; exit 1 on any. An entry that no adapter takes is a mismatch.
Only entries named R* and S*, which read data files, are skipped, and only when the data are absent.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import adapters_files  # noqa: E402, F401 - it adds its lines to the table
import adapters_judging  # noqa: E402, F401
from adapters import Absent, find  # noqa: E402

SHARED_DATA = HERE.parents[2] / "shared" / "data"


@dataclass
class Outcome:
    """What a run over one file found."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def line(self) -> str:
        """The last line: counts."""
        return f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped"


def entries(path: Path) -> list[dict[str, Any]]:
    """The entries of a golden file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return content["items"] if isinstance(content, dict) else content


def data_of(path: Path) -> Path:
    """The folder that the data files of an entry are relative to: ../data of the golden file."""
    beside = path.resolve().parent.parent / "data"
    return beside if beside.is_dir() else SHARED_DATA


def mismatches(found: Any, expected: Any, tolerance: float, at: str = "") -> list[str]:
    """Where *found* differs from *expected*; an adapter may give more keys than are asked for."""
    where = at or "value"
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return [f"{where}: found {found!r}, expected an object"]
        asked = [key for key in expected if key not in ("note", "notes")]
        wrong = [f"{where}: key {key!r} is missing" for key in asked if key not in found]
        for key in asked:
            if key in found:
                wrong += mismatches(found[key], expected[key], tolerance, f"{at}.{key}" if at else key)
        return wrong
    if isinstance(expected, list):
        found = list(found) if isinstance(found, tuple) else found
        if not isinstance(found, list) or len(found) != len(expected):
            return [f"{where}: found {found!r}, expected {expected!r}"]
        return [
            line
            for i, (one, other) in enumerate(zip(found, expected, strict=True))
            for line in mismatches(one, other, tolerance, f"{at}[{i}]")
        ]
    if isinstance(expected, bool) or expected is None or isinstance(expected, str):
        same = found == expected and isinstance(found, bool) == isinstance(expected, bool)
        return [] if same else [f"{where}: found {found!r}, expected {expected!r}"]
    number = isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found)
    if number and abs(found - expected) <= tolerance:
        return []
    return [f"{where}: found {found!r}, expected {expected!r} ± {tolerance:g}"]


def answer(item: dict[str, Any], folder: Path) -> Any:
    """What the product says to an entry."""
    inputs = item["inputs"]
    adapter = find(item["function"], inputs)
    if adapter is None:
        raise LookupError(f"no adapter takes {item['function']} with {', '.join(inputs) or 'no inputs'}")
    extras: dict[str, Any] = {}
    if "folder" in adapter.extras:
        extras["folder"] = folder
    if "rows" in adapter.extras:
        extras["rows"] = item["expected"]["table"]
    return adapter.call(**inputs, **extras)


def check(items: list[dict[str, Any]], folder: Path = SHARED_DATA) -> Outcome:
    """Run *items* against the product."""
    outcome = Outcome()
    for item in items:
        name = item.get("id", item["function"])
        try:
            found = answer(item, folder)
        except Absent as why:
            if name[:1] in ("R", "S"):
                outcome.skipped.append(f"{name}: {why}")
            else:
                outcome.failed.append(f"{name}: {why}")
            continue
        except Exception as error:  # noqa: BLE001 - any failure is a mismatch to be listed
            outcome.failed.append(f"{name}: {type(error).__name__}: {error}")
            continue
        wrong = mismatches(found, item["expected"], item.get("tolerance", 0))
        if wrong:
            outcome.failed.append(f"{name}: " + "; ".join(wrong))
        else:
            outcome.passed += 1
    return outcome


def main(arguments: list[str]) -> int:
    """Check one file; 1 when anything differs, 2 when the file cannot be used."""
    if len(arguments) != 1:
        print("usage: check.py FILE", file=sys.stderr)
        return 2
    path = Path(arguments[0])
    try:
        items = entries(path)
    except (OSError, ValueError, KeyError) as error:
        print(f"{path} cannot be read as a golden file: {error!r}", file=sys.stderr)
        return 2
    outcome = check(items, data_of(path))
    for line in outcome.failed:
        print(line)
    for line in outcome.skipped:
        print(f"skipped {line}")
    print(outcome.line())
    return 1 if outcome.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
