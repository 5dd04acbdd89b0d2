"""``python -m benchmarks [NAME ...] [--quick] [--out FILE]``: run, print, and write RESULTS.md."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.bench import Bench

NAMES = (
    "startup",
    "sizes",
    "gate",
    "threshold",
    "demo",
    "resampling",
    "metrics",
    "stats_linear",
    "coverage",
    "coverage_real",
    "chunking_job",
    "embedding",
    "dense_job",
)  # the quick ones first
HEAD = """# Benchmarks

Made by `python -m benchmarks{options}` (`make bench`). Ratios are of processes run side by side in the same round;
seconds are of one machine of two cores that did other work too, so that only ratios, memory and sizes carry over.
Python {python}. What each measures is in [its page](../docs/reference/benchmarks.md).
"""


def markdown(one: Bench) -> str:
    lines = [f"## {one.title}", "", one.says, ""]
    if one.skipped:
        return "\n".join([*lines, f"Not run: {one.skipped}.", ""])
    lines += ["| what | found | target | |", "|---|---|---|---|"]
    marks = {None: "", True: "met", False: "**missed**"}
    lines += [f"| {row.what} | {row.found} | {row.target} | {marks[row.met]} |" for row in one.rows]
    lines += [""] + [line for note in one.notes for line in (f"Note: {note}.", "")]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    asked = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    asked.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(NAMES)}; default: all")
    asked.add_argument("--quick", action="store_true", help="fewer repeats, nothing that takes minutes")
    asked.add_argument("--out", type=Path, help="default: benchmarks/RESULTS.md when all are run")
    asked.add_argument("--list", action="store_true", help="print the names and leave")
    args = asked.parse_args(argv)
    if args.list:
        print("\n".join(NAMES))
        return 0
    if unknown := [name for name in args.names if name not in NAMES]:
        asked.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(NAMES)}")
    parts: list[str] = []
    missed = failed = 0
    for name in args.names or NAMES:
        print(f"… {name}", file=sys.stderr, flush=True)
        try:
            one: Bench = import_module(f"benchmarks.{name}").main(args.quick)
        except RuntimeError as error:
            print(error, file=sys.stderr)
            one = Bench(title=name, says="", skipped="it failed")
            failed += 1
        missed += sum(row.met is False for row in one.rows)
        parts.append(markdown(one))
        print(parts[-1], flush=True)
    out = args.out or (None if args.names or args.quick else Path(__file__).parent / "RESULTS.md")
    if out:
        options = " --quick" if args.quick else ""
        head = HEAD.format(python=platform.python_version(), options=options)
        out.write_text("\n".join([head, *parts]), encoding="utf-8")
    return 2 if failed else 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
