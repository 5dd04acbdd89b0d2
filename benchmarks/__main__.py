"""``python -m benchmarks [NAME ...] [--quick] [--write]``: run, print, and write the page of measurements.

All of them, not quick, write docs/reference/measured.md anew; ``--write`` puts the sections of those that ran into it.
"""

from __future__ import annotations

import argparse
import platform
import re
import sys
from collections.abc import Sequence
from importlib import import_module

from benchmarks.bench import ROOT, Bench

NAMES = (
    "startup",
    "sizes",
    "gate",
    "report_size",
    "chunking",
    "bm25",
    "judging",
    "threshold",
    "demo",
    "metrics",
    "chunking_job",
    "scale",
    "search",
    "embedding",
    "dense_job",
    "resampling",
    "engine",
    "stats_linear",
    "coverage",
    "coverage_real",
    "workbench",
)
PAGE = ROOT / "docs/reference/measured.md"
HEAD = """# Measurements

Written by `make bench`: every benchmark beside its peers, in one round. Ratios are of processes run side by side;
seconds are of one machine of two cores that did other work too, so that only ratios, memory and sizes carry over. A section
says when it was run apart from the others. What each measures, and how to read it: [Benchmarks](benchmarks.md).
"""


def markdown(name: str, one: Bench, *, apart: str) -> str:
    """One section; *apart*: how it was run, when not in the round of all."""
    lines = [f"## {one.title}", "", one.says, ""] if one.says else [f"## {one.title}", ""]
    lines += [f"`python -m benchmarks {name}{apart}`, Python {platform.python_version()}.", ""]
    if one.skipped:
        return "\n".join([*lines, f"Not run: {one.skipped}.", ""])
    lines += ["| what | found | target | |", "|---|---|---|---|"]
    marks = {None: "", True: "met", False: "**missed**"}
    lines += [f"| {row.what} | {row.found} | {row.target} | {marks[row.met]} |" for row in one.rows]
    lines += [""] + [line for note in one.notes for line in (f"Note: {note}.", "")]
    return "\n".join(lines)


def put_in(page: str, parts: Sequence[str]) -> str:
    """The page with these sections in place of those of the same heading, new ones at its end."""
    held = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    for part in parts:
        heading = part.partition("\n")[0]
        places = [n for n, one in enumerate(held) if one.partition("\n")[0] == heading]
        if places:
            held[places[0]] = part + "\n"
        else:
            held.append(part + "\n")
    return "\n".join(one.strip("\n") + "\n" for one in held)


def main(argv: Sequence[str] | None = None) -> int:
    asked = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    asked.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(NAMES)}; default: all")
    asked.add_argument("--quick", action="store_true", help="fewer repeats, nothing that takes minutes")
    asked.add_argument("--write", action="store_true", help=f"put what was found into {PAGE.name}")
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
        apart = " --quick" if args.quick else ""
        parts.append(markdown(name, one, apart=apart))
        print(parts[-1], flush=True)
    everything = not args.names and not args.quick
    if everything or args.write:
        before = PAGE.read_text(encoding="utf-8") if PAGE.is_file() and not everything else HEAD
        made = PAGE.with_suffix(".part")
        made.write_text(put_in(before, parts), encoding="utf-8")
        made.replace(PAGE)
    return 2 if failed else 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
