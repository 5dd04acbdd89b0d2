"""Starting up: whole processes in turn, against ``import numpy``."""

from __future__ import annotations

import sys

from benchmarks.bench import EVENHAND, Bench, at_most, in_turn


def main(quick: bool) -> Bench:
    python = sys.executable
    cpu = in_turn(
        {
            "numpy": (python, "-c", "import numpy"),
            "import": (python, "-c", "import evenhand"),
            "help": (*EVENHAND, "--help"),
            "version": (*EVENHAND, "--version"),
        },
        3 if quick else 11,
    )
    return Bench(
        title="Start-up",
        says="Whole processes, medians of CPU seconds, as multiples of a process that imports numpy.",
        rows=(
            at_most("`import evenhand`", cpu["import"] / cpu["numpy"], 1.5, "× `import numpy`", digits=2),
            at_most("`evenhand --help`", cpu["help"] / cpu["numpy"], 2.5, "× `import numpy`", digits=2),
        ),
    )
