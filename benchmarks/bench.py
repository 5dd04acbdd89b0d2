"""What a benchmark returns, and how a process is measured."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
EVENHAND = (sys.executable, "-m", "evenhand")
# A process counts the memory of the one that started it until it has become itself: this one is small.
RELAY = """
import json, os, sys, time
begun = time.perf_counter()
_, status, used = os.wait4(os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ), 0)
told = [os.waitstatus_to_exitcode(status), time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss]
json.dump(told, open(sys.argv[1], "w"))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure; *target* is empty where none was set, *met* then None."""

    what: str
    found: str
    target: str = ""
    met: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What one module found, or why it did not run."""

    title: str
    says: str
    rows: tuple[Row, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One process: seconds of wall and processor, MiB at its largest."""

    code: int
    wall: float
    cpu: float
    rss: float
    out: str
    err: str


def measured(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Sample:
    """Run one process to its end. Raises RuntimeError with the end of its standard error when it fails."""
    with (
        tempfile.TemporaryFile("w+") as out,
        tempfile.TemporaryFile("w+") as err,
        tempfile.NamedTemporaryFile("w+") as told,
    ):
        relay = (sys.executable, "-I", "-S", "-c", RELAY, told.name)
        subprocess.run(
            (*relay, *command), stdout=out, stderr=err, cwd=cwd, env={**os.environ, **(env or {})}, check=True
        )
        out.seek(0)
        err.seek(0)
        code, wall, cpu, rss = json.load(told)
        sample = Sample(
            code=code,
            wall=wall,
            cpu=cpu,
            rss=rss / (1024 * 1024 if sys.platform == "darwin" else 1024),
            out=out.read(),
            err=err.read(),
        )
    if sample.code:
        raise RuntimeError(f"{' '.join(command[:4])} … ended with {sample.code}:\n{sample.err[-2000:]}")
    return sample


def in_turn(commands: Mapping[str, Sequence[str]], times: int) -> dict[str, float]:
    """Median CPU seconds of each command, run in turn so that all see the same weather; one round is not counted."""
    seen: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(times + 1):
        for name, command in commands.items():
            cpu = measured(command).cpu
            if turn:
                seen[name].append(cpu)
    return {name: statistics.median(values) for name, values in seen.items()}


@contextmanager
def example(name: str) -> Iterator[Path]:
    """A fresh copy of the study files of ``examples/NAME``, from which ``../../../shared`` leads to the data."""
    import shutil

    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as top:
        folder = Path(top, "project", "examples", name)
        shutil.copytree(
            ROOT / "examples" / name,
            folder,
            ignore=shutil.ignore_patterns(".evenhand", "results", "__pycache__"),
        )
        if SHARED.is_dir():
            Path(top, "shared").symlink_to(SHARED, target_is_directory=True)
        yield folder


def at_most(what: str, found: float, limit: float, unit: str, *, digits: int = 1) -> Row:
    """A figure that has an upper limit."""
    return Row(
        what=what,
        found=f"{found:,.{digits}f} {unit}".strip(),
        target=f"at most {limit:.2g} {unit}".strip() if limit < 1 else f"at most {limit:g} {unit}".strip(),
        met=found <= limit,
    )
