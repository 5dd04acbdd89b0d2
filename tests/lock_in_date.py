"""Called by ``make check``: the locks meet every requirement they are meant to hold; says what they do not."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
# torch and what needs it are never in a lock; the guests have a lock of their own
UNLOCKED = ("torch",)
GUESTS = (
    "ray",
    "lancedb",
    "elasticsearch",
    "opensearch",
    "langchain",
    "llama-index",
    "haystack",
    "approximate",
)
BUILD = ("hatchling", "editables")


def locked(text: str) -> dict[str, str]:
    """Name to version of every pin of a lock file."""
    pins = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", text, flags=re.MULTILINE)
    return {canonicalize_name(name): version for name, version in pins}


def wanted(root: Path, name: str = "all") -> list[Requirement]:
    """What a lock is meant to hold: its list, the core, its extras, what builds us; *name* is all or guests."""
    lines = (root / f"requirements/{name}.in").read_text().splitlines()
    plain = [Requirement(line) for line in lines if line.strip() and not line.lstrip().startswith("#")]
    project = tomllib.loads((root / "pyproject.toml").read_text())
    plain += [Requirement(line) for line in project["project"]["dependencies"]]
    for extra, requirements in project["project"]["optional-dependencies"].items():
        if extra not in UNLOCKED and (extra in GUESTS) == (name == "guests"):
            plain += [Requirement(line) for line in requirements]
    return plain + [Requirement(line) for line in project["build-system"]["requires"]]


def out_of_date(requirements: list[Requirement], pins: dict[str, str]) -> list[str]:
    """One line for each requirement the pins do not meet."""
    problems = []
    for requirement in requirements:
        pin = pins.get(canonicalize_name(requirement.name))
        if pin is None:
            problems.append(f"{requirement}: not in the lock")
        elif not requirement.specifier.contains(pin, prereleases=True):
            problems.append(f"{requirement}: the lock has {pin}")
    return problems


def main() -> int:
    """0 when both locks are in date, else 1 and what is not."""
    stale = False
    for name, lock in (("all", "lock.txt"), ("guests", "guests.txt")):
        pins = locked((ROOT / "requirements" / lock).read_text())
        for problem in out_of_date(wanted(ROOT, name), pins):
            stale = True
            print(f"requirements/{lock} is out of date: {problem}", file=sys.stderr)
    if stale:
        print("  mend: make lock", file=sys.stderr)
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
