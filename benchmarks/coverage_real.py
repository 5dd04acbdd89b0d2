"""How often corrected rates hold on real labels: people's labels and models' votes of published sets.

A full run writes docs/explanation/coverage-labels.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.bench import ROOT, SHARED, Bench, Row
from evenhand.formats.guests.published.crowdrag25 import ASPECTS
from evenhand.formats.guests.published.registry import read_published
from evenhand.judge.calibration.columns import Column
from evenhand.judge.calibration.corrected_rate import rates
from evenhand.judge.calibration.human_sample import draw, further

__all__ = ["NS", "Found", "World", "main", "page", "simulate", "worlds"]

PAGE = ROOT / "docs" / "explanation" / "coverage-labels.md"
NS = (50, 100, 200)
ITEMS = 1000  # of each study, drawn with replacement from the real ones
STUDIES, QUICK = 1000, 60
SEED = 20241009
DESIGNS = ("uniform", "stratified", "further")
NAMES = ("PPI++, stratified", "PPI++", "PPI, l = 1", "people alone")
SHORT = 0.93


@dataclass(frozen=True, slots=True)
class World:
    """Real items: what people say (0 or 1), what the judge says, and whether a second look of it agrees."""

    name: str
    human: NDArray[np.float64]
    judge: NDArray[np.float64]
    same: NDArray[np.bool_]

    @property
    def truth(self) -> float:
        """People's rate over all of them."""
        return float(self.human.mean())


@dataclass(frozen=True, slots=True)
class Found:
    """One method in one world, design and n: share of intervals that held, mean width, mean error, gain."""

    world: str
    design: str
    n: int
    name: str
    held: float
    width: float
    bias: float
    gain: float


def worlds(data: Path) -> Iterator[World]:
    """Seven aspects of CrowdRAG-25 and two models on WiCE, each by people's majority and the judge's vote."""
    for aspect in ASPECTS:
        found = read_published(data / "webis-crowdrag25", "crowdrag25", aspect=aspect)
        people: dict[str, list[float]] = {}
        for label in found.labels:
            if label.by == "human" and label.grade is not None:
                people.setdefault(label.item, []).append(label.grade)
        votes: dict[str, dict[str, float | None]] = {}
        for vote in found.votes:
            votes.setdefault(vote.item, {})[vote.judge] = vote.grade
        rows = []
        for item, of in votes.items():
            grades = people[item]
            first, again = of.get("gpt-4o combined"), of.get("gpt-4o combined swapped")
            if first is not None and again is not None:
                better = sum(grade == 1 for grade in grades) * 2 > len(grades)
                rows.append((float(better), float(first == 1), (first == 1) == (again == 1)))
        yield _world(f"CrowdRAG-25 {aspect.replace('_', ' ')}, GPT-4o", rows)
    found = read_published(data / "wice", "wice")
    truth = {label.item: float(label.grade == 1) for label in found.labels}
    by: dict[str, dict[str, float]] = {}
    for vote in found.votes:
        by.setdefault(vote.item, {})[vote.judge] = float(vote.grade == 1)
    for model, other in (("gpt-4-0613", "gpt-3.5-turbo-0613"), ("gpt-3.5-turbo-0613", "gpt-4-0613")):
        rows = [(truth[item], of[model], of[model] == of[other]) for item, of in by.items()]
        yield _world(f"WiCE, {model}", rows)


def _world(name: str, rows: Sequence[tuple[float, float, bool]]) -> World:
    human, judge, same = zip(*rows, strict=True)
    return World(name, np.array(human), np.array(judge), np.array(same))


def simulate(world: World, n: int, design: str, *, studies: int) -> list[Found]:
    """*studies* times: `ITEMS` of the world with replacement, *n* labelled as the product draws them.

    ``further``: half of them uniform and the other half among the items on which the two looks differ.
    """
    dice = np.random.default_rng([SEED, n, DESIGNS.index(design)])
    kept: dict[str, list[tuple[bool, float, float, float]]] = {name: [] for name in NAMES}
    names = [f"i{i:04}" for i in range(ITEMS)]
    questions = dict.fromkeys(names, "q")
    for study in range(studies):
        at = dice.integers(0, len(world.human), ITEMS)
        status = {
            name: "unanimous" if same else "split"
            for name, same in zip(names, world.same[at].tolist(), strict=True)
        }
        if design == "further":
            half = min(n // 2, sum(one == "split" for one in status.values()) // 2)
            sample = further(
                draw(questions, n - half, seed=study), questions, half, seed=study, status=status
            )
        else:
            sample = draw(questions, n, by=design, seed=study, status=status)
        strata = status if sample.uniform else {name: sample.stratum(name) for name in names}
        column = Column(
            human=tuple(
                float(world.human[k]) if name in sample.position else None
                for name, k in zip(names, at.tolist(), strict=True)
            ),
            panel=tuple(world.judge[at].tolist()),
            stratum=tuple(strata[name] for name in names),
            uniform=sample.uniform,
            low=0.0,
            high=1.0,
            share=True,
        )
        for row in rates(column, None, level=0.95, half_width=0.1)[1]:
            if row["low"] is not None:
                held = row["low"] <= world.truth <= row["high"]
                kept[row["name"]].append(
                    (held, row["high"] - row["low"], row["point"] - world.truth, row["gain"] or 1.0)
                )
    return [
        Found(world.name, design, n, name, *(float(x) for x in np.mean(rows, axis=0)))
        for name, rows in kept.items()
        if rows
    ]


def every(data: Path, *, quick: bool) -> tuple[list[World], list[Found]]:
    """All worlds and designs; *quick*: few studies of two worlds."""
    there = list(worlds(data))
    chosen = [there[6], there[7]] if quick else there
    studies = QUICK if quick else STUDIES
    found = [
        one
        for world in chosen
        for n in (NS[:2] if quick else NS)
        for design in DESIGNS
        for one in simulate(world, n, design, studies=studies)
    ]
    return chosen, found


HEAD = f"""# How often corrected rates hold on real labels

The simulations of [How often the intervals hold](coverage.md) make judges who err by lot. Real ones do not: they err
together, to one side, and more on some items than on others. So here the labels are real: people's majority of five on
[CrowdRAG-25](https://github.com/webis-de/sigir25-rag-crowdsourcing) (is the second answer better?) with GPT-4o as the
judge, and [WiCE](https://github.com/ryokamoi/wice) (is the claim supported?) with GPT-4 and GPT-3.5. They are read by
`evenhand judge published`.

Each of {STUDIES:,} studies draws {ITEMS:,} items with replacement from the real ones; the judge has labelled all of
them, people n, drawn by the code that `evenhand judge calibrate --draw` and `--more` run. An interval holds when
people's rate over all real items lies in it. The strata are *unanimous* and *split*: does GPT-4o say the same when the
answers change places; do the two models on WiCE agree. *further*: half of the n drawn uniform, the other half later
among the split items. A figure is uncertain by about 0.7 points. `python -m benchmarks coverage_real` makes the page
again.

**Bold**: below 93%. *Gain*: labels that people alone would need for the same width, over labels there are, on average.
"""
SAYS = """
## What it says

The headline is stratified PPI++. How often its intervals held, from the worst set to the best:

| sample | n = 50 | n = 100 | n = 200 |
|---|---:|---:|---:|
{ranges}

- At n = 50 it falls short, as large-sample intervals do; most where half of the labels came later from the split items,
  since then few are left for the unanimous ones, which are most of the items. So from samples that are not uniform the
  corrected rate is a headline from 100 labels on, and below that people's labels alone are.
- No estimate leans: the largest mean error of the headline is {bias:.1f} points, where the judges' own rates are off by up
  to {off:.0f}.
- These judges are poor: they agree with people on {agree[0]:.0%} to {agree[1]:.0%}, and on {worse} of {worlds} sets less
  often than one who always names the commonest answer. So the gain is small: at n = 100, {gains[0]:.2f} to
  {gains[1]:.2f} uniform.
- PPI with l = 1, the judge taken at full weight, is wider than people alone on {harm} of {worlds} sets at n = 100.
- Wilson's interval on people alone held in {alone[0]:.1%} to {alone[1]:.1%}.
- The gains of plain PPI++ in samples that are not uniform are over people's labels in the same design, by the sum of
  weighted labels, which is wider than the interval printed as *people alone*.
"""


def page(there: Sequence[World], found: Sequence[Found]) -> str:
    """The page, from the figures."""
    lines = [
        HEAD,
        "## The sets",
        "",
        "| set | items | people's rate | the judge says | they agree | same twice |",
    ]
    lines += ["|---|---:|---:|---:|---:|---:|"]
    lines += [
        f"| {w.name} | {len(w.human):,} | {w.truth:.1%} | {w.judge.mean():.1%} | "
        f"{(w.human == w.judge).mean():.1%} | {w.same.mean():.1%} |"
        for w in there
    ]
    at = {(f.world, f.design, f.n, f.name): f for f in found}
    for design in DESIGNS:
        lines += ["", f"## {design.capitalize()} samples", ""]
        lines += ["| set | estimate | " + " | ".join(f"n = {n} | gain" for n in NS) + " |"]
        lines += ["|---|---|" + "---:|---:|" * len(NS)]
        for w in there:
            for name in NAMES:
                cells = [_cell(at.get((w.name, design, n, name))) for n in NS]
                lines.append(f"| {w.name} | {name} | " + " | ".join(cells) + " |")
    lines.append(_says(there, found, at))
    return "\n".join(lines)


def _cell(one: Found | None) -> str:
    if one is None:
        return "– | –"
    held = f"**{one.held:.1%}**" if one.held < SHORT else f"{one.held:.1%}"
    return f"{held} | {one.gain:.2f}"


def _says(
    there: Sequence[World], found: Sequence[Found], at: Mapping[tuple[str, str, int, str], Found]
) -> str:
    head = [f for f in found if f.name == NAMES[0]]
    alone = [f.held for f in found if f.name == "people alone"]
    gains = [at[w.name, "uniform", 100, NAMES[0]].gain for w in there]
    agree = [float((w.human == w.judge).mean()) for w in there]
    commonest = [max(w.truth, 1 - w.truth) for w in there]
    ranges = []
    for design in DESIGNS:
        cells = []
        for n in NS:
            held = [f.held for f in head if (f.design, f.n) == (design, n)]
            cells.append(f"{min(held):.1%} to {max(held):.1%}")
        ranges.append(f"| {design} | " + " | ".join(cells) + " |")
    return SAYS.format(
        ranges="\n".join(ranges),
        bias=100 * max(abs(f.bias) for f in head),
        off=100 * max(abs(float(w.judge.mean()) - w.truth) for w in there),
        agree=(min(agree), max(agree)),
        worse=sum(a < c for a, c in zip(agree, commonest, strict=True)),
        gains=(min(gains), max(gains)),
        harm=sum(at[w.name, "uniform", 100, "PPI, l = 1"].gain < 1 for w in there),
        alone=(min(alone), max(alone)),
        worlds=len(there),
    )


def main(quick: bool) -> Bench:
    """Simulate, write the page (not when *quick*), and name the worst figure of each estimate."""
    title = "Coverage of corrected rates on real labels"
    says = "The lowest share of studies whose interval held people's rate; all of it is in "
    says += "[the page](../docs/explanation/coverage-labels.md)."
    data = SHARED / "data"
    if not data.is_dir():
        return Bench(title=title, says=says, skipped="the reference data ../shared/data are absent")
    there, found = every(data, quick=quick)
    if not quick:
        PAGE.write_text(page(there, found), encoding="utf-8")
    rows = []
    for name in NAMES:
        worst = min((f for f in found if f.name == name), key=lambda f: f.held)
        rows.append(
            Row(what=name, found=f"{worst.held:.1%} at n = {worst.n}, {worst.design} ({worst.world})")
        )
    return Bench(title=title, says=says, rows=tuple(rows))
