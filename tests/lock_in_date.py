"""Called by ``make check``: the lock meets every requirement it is meant to hold; says what it does not."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
# torch and what needs it are never in the lock; clusters are the user's own
UNLOCKED = ("torch", "dask", "ray")
BUILD = ("hatchling", "editables")


def locked(text: str) -> dict[str, str]:
    """Name to version of every pin of a lock file."""
    pins = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", text, flags=re.MULTILINE)
    return {canonicalize_name(name): version for name, version in pins}


def wanted(root: Path) -> list[Requirement]:
    """What the lock is meant to hold: all.in, the core, the extras that are locked, what builds us."""
    lines = (root / "requirements/all.in").read_text().splitlines()
    plain = [Requirement(line) for line in lines if line.strip() and not line.lstrip().startswith("#")]
    project = tomllib.loads((root / "pyproject.toml").read_text())
    plain += [Requirement(line) for line in project["project"]["dependencies"]]
    for extra, requirements in project["project"]["optional-dependencies"].items():
        if extra not in UNLOCKED:
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
    """0 when the lock is in date, else 1 and what is not."""
    pins = locked((ROOT / "requirements/lock.txt").read_text())
    problems = out_of_date(wanted(ROOT), pins)
    for problem in problems:
        print(f"requirements/lock.txt is out of date: {problem}", file=sys.stderr)
    if problems:
        print("  mend: make lock", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
