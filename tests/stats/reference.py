"""docs/reference/statistics.md, made from the estimators themselves.

    python -m tests.stats.reference

writes it anew; a test fails when it is stale.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "statistics.md"

HEAD = """\
# Statistics

Made from the estimators themselves by `python -m tests.stats.reference`; a test fails when it is stale.

Every number that a report prints comes from a function on this page, and each is a plain function over
arrays that you can call yourself: `from evenhand.stats.intervals.proportion import wilson`.

Rules that hold everywhere:

- **Undefined is a state with a reason.** A value that does not exist is `None` and a `reason` says why. NaN
  and infinity never leave a function; NaN given to one is refused.
- **Degenerate is not agreement.** A value that exists by algebra only (kappa 0 of a rater who never varies)
  is kept, marked `degenerate`, and not printed as agreement.
- **An interval carries its method and level**, and flags: `zero_width` (no variation was seen: reports print
  no interval), `few_clusters` or `few_items` (below 20: too narrow), `approximate` (below 100 labels),
  `clipped`, `icc_undefined`, `merged_strata`, `judge_unused`.
- **Random numbers are `numpy.random.default_rng(seed)`**; indices are `integers(0, n, size=(B, n))`, drawn in
  blocks that never change the stream. Quantiles are linear (type 7). Ties of floats are within 1e-12.
- **Clusters are resampled whole.** Where a function takes `clusters`, items of one cluster (labels of one
  query, say) stay together. An interval that takes them for independent is too narrow, often by half.
- **A resample without a value is dropped and counted**; above one in five there is no interval.
- A library does the work where a sound one exists (scipy, imported when used). Where none does, the formula is
  ours, and `tests/oracles` computes it a second time by another road.

What an interval really covers, at n = 12, 40, 100 and 300, with and without clusters, is measured by
`python -m benchmarks coverage`: [how often the intervals hold](../explanation/coverage.md).
"""

GROUPS = {
    "Proportions": ("intervals.proportion", "power.proportion"),
    "Bootstrap": ("intervals.bootstrap",),
    "Clusters": ("intervals.clusters",),
    "Two systems": ("paired.paired", "paired.signflip", "many_systems.multiple"),
    "How many questions": ("power.paired", "power.mcnemar"),
    "Agreement": (
        "agreement.raw_agreement",
        "agreement.kappa",
        "agreement.gwet",
        "agreement.krippendorff",
        "agreement.votes",
        "agreement.judge_accuracy",
        "agreement.panel_accuracy",
        "intervals.correlation",
    ),
    "Few human labels and many of a judge": (
        "prediction_powered.mean",
        "prediction_powered.designs",
        "prediction_powered.samples",
        "power.prediction_powered",
        "prediction_powered.rogan_gladen",
    ),
    "A score against a label": ("intervals.ranking", "intervals.auc_sources"),
    "Answer or defer": (
        "selective.risk_coverage",
        "selective.intervals",
        "selective.guarantee",
        "selective.expected_cost",
        "selective.logistic",
        "rank_overlap",
        "paired.two_samples",
    ),
    "Looking repeatedly": ("intervals.sequential",),
}
LAST = "Building blocks"  # every other module


def modules() -> list[str]:
    """Every module of the package."""
    package = import_module("evenhand.stats")
    return [
        found.name.removeprefix("evenhand.stats.")
        for found in pkgutil.walk_packages(package.__path__, "evenhand.stats.")
        if not found.ispkg
    ]


def functions(module: ModuleType) -> list[FunctionType]:
    """The public functions that a module defines itself."""
    entries = [getattr(module, name) for name in getattr(module, "__all__", ())]
    return [one for one in entries if isinstance(one, FunctionType) and one.__module__ == module.__name__]


def said(function: FunctionType, word: str) -> str:
    """The sentence of a docstring that starts with *word*, on one line; empty without it."""
    text = re.sub(r"\s+", " ", inspect.getdoc(function) or "")
    found = re.search(re.escape(word) + r"(.+?)(?:\.(?= [A-Z])|\.?$)", text)
    return found.group(1).strip(" :") if found else ""


def first(function: FunctionType) -> str:
    """The first line of a docstring, without its source, which has a column of its own."""
    line = (inspect.getdoc(function) or "").split("\n")[0]
    return re.sub(r" Source: .*$", "", line)


def cell(text: str) -> str:
    """Text fit for a table."""
    return text.replace("|", "\\|").replace("``", "`")


def section(name: str) -> str:
    """One module: a row a function, then what each says of itself."""
    module = import_module(f"evenhand.stats.{name}")
    rows = "".join(
        f"| [`{one.__name__}`][evenhand.stats.{name}.{one.__name__}] "
        f"| {cell(first(one))} "
        f"| {cell(said(one, 'Source:'))} | {cell(said(one, 'grees with'))} |\n"
        for one in functions(module)
    )
    return (
        f"### `evenhand.stats.{name}`\n\n"
        f"| function | what | source | agrees with |\n|---|---|---|---|\n{rows}\n"
        f"::: evenhand.stats.{name}\n    options: {{heading_level: 4, show_root_heading: false}}\n"
    )


def page() -> str:
    """The whole page."""
    known = {name for group in GROUPS.values() for name in group}
    rest = tuple(
        name for name in modules() if name not in known and functions(import_module(f"evenhand.stats.{name}"))
    )
    groups = {**GROUPS, LAST: rest}
    parts = [
        f"## {title}\n\n" + "\n".join(section(name) for name in names) for title, names in groups.items()
    ]
    return HEAD + "\n" + "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
