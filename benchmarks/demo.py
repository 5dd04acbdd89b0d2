"""``evenhand demo``: with nothing made yet, and again."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.bench import EVENHAND, Bench, Row, at_most, measured


def main(quick: bool) -> Bench:  # noqa: ARG001  every benchmark is called the same way
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as top:
        command = (*EVENHAND, "demo", "--out", "demo", "--quiet")
        cold = measured(command, cwd=Path(top))
        first = Path(top, "demo", "report.json").read_bytes()
        warm = measured(command, cwd=Path(top))
        same = first == Path(top, "demo", "report.json").read_bytes()
    without = "without the dense system" in cold.err
    return Bench(
        title="The demo",
        says="`evenhand demo`, whole process, everything made and everything found made.",
        rows=(
            at_most("cold", cold.wall, 60, "s"),
            at_most("warm", warm.wall, 5, "s"),
            Row(what="cold, CPU and memory", found=f"{cold.cpu:.1f} CPU s, {cold.rss:.0f} MiB"),
            Row(what="warm, CPU and memory", found=f"{warm.cpu:.1f} CPU s, {warm.rss:.0f} MiB"),
            Row(what="report.json the same bytes", found="yes" if same else "no", target="yes", met=same),
        ),
        notes=("the extra `dense` is not installed: the demo ran without it",) if without else (),
    )
