"""Run every entry of a golden file against the product.

    python tests/golden/check.py FILE

A file is a list of entries, or {"items": [...]}; an entry is {id, function, inputs, expected, tolerance}:
tolerance is absolute and applies to every numeric leaf, null means undefined. Prints each mismatch and
one line of counts; exit 1 on any mismatch. Functions the product does not have yet are listed as not
covered.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from adapters import ADAPTERS


@dataclass
class Outcome:
    """What a run over one file found."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    uncovered: Counter[str] = field(default_factory=Counter)

    def line(self) -> str:
        """The last line: counts."""
        missing = sum(self.uncovered.values())
        text = f"{self.passed} passed, {len(self.failed)} failed, {missing} not covered"
        return text + (f" ({len(self.uncovered)} functions)" if missing else "")


def entries(path: Path) -> list[dict[str, Any]]:
    """The entries of a golden file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return content["items"] if isinstance(content, dict) else content


def mismatches(found: Any, expected: Any, tolerance: float, at: str = "") -> list[str]:
    """Where *found* differs from *expected*; an adapter may give more keys than are asked for."""
    where = at or "value"
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return [f"{where}: found {found!r}, expected an object"]
        wrong = [f"{where}: key {key!r} is missing" for key in expected if key not in found]
        for key in expected:
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


def check(items: list[dict[str, Any]], adapters: dict[str, Any] = ADAPTERS) -> Outcome:
    """Run *items* against the product."""
    outcome = Outcome()
    for item in items:
        adapter = adapters.get(item["function"])
        if adapter is None:
            outcome.uncovered[item["function"]] += 1
            continue
        try:
            found = adapter(item["inputs"])
        except Exception as error:  # noqa: BLE001 - any failure is a mismatch to be listed
            outcome.failed.append(f"{item['id']}: {type(error).__name__}: {error}")
            continue
        wrong = mismatches(found, item["expected"], item["tolerance"])
        if wrong:
            outcome.failed.append(f"{item['id']}: " + "; ".join(wrong))
        else:
            outcome.passed += 1
    return outcome


def main(arguments: list[str]) -> int:
    """Check one file; 1 when anything differs, 2 when the file cannot be used."""
    if len(arguments) != 1:
        print("usage: check.py FILE", file=sys.stderr)
        return 2
    outcome = check(entries(Path(arguments[0])))
    for line in outcome.failed:
        print(line)
    for name, count in sorted(outcome.uncovered.items()):
        print(f"not covered: {name} ({count})")
    print(outcome.line())
    return 1 if outcome.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
