"""docs/reference/disagreements.md: five cases, evenhand's numbers computed, those of others as measured.

``python -m tests.docs.disagreements`` writes the page anew.
"""

import json

import numpy as np
from tests.docs.runner import ROOT

PAGE = ROOT / "docs" / "reference" / "disagreements.md"
CASES = {
    "A": ("1 of 2 relevant units, at rank 1", ["r1", "r2"], ["r1", "x1", "x2", "x3", "x4"]),
    "B": ("the one relevant unit, returned twice", ["r1"], ["r1", "r1"]),
    "C": ("3 relevant units, one returned and nothing else", ["r1", "r2", "r3"], ["r1"]),
    "D": ("nothing returned", ["r1"], []),
    "E": (
        "7 relevant units, five of them on ranks 1 to 5",
        [f"r{i}" for i in range(1, 8)],
        [f"r{i}" for i in range(1, 6)],
    ),
}
# what the packages themselves say, written by tests/guests/disagreements.py and compared by `make guests`
MEASURED = ROOT / "tests" / "docs" / "disagreements.json"
# the metric that the others' names promise: what differs from it surprises
TRUE = {
    "nDCG@5": "nDCG@5",
    "AP@5": "AP@5",
    "RagasContextPrecision@5": "AP@5",
    "R@5": "R@5",
    "Success@5": "R@5",
}
# what two more gave in November 2026, the shipped file of the metric loaded alone: they are not installed here
RECORDED = {
    "nDCG@5": (
        ("AutoRAG 0.3.27", "0.613 1.631* 1.000* 0 1.000"),
        ("Phoenix 20.26 (ideal of what was retrieved)", "1.000* 1.000 1.000* 0 1.000"),
    ),
    "AP@5": (("AutoRAG 0.3.27", "0.500 1.000 0.333 0 0.326*"),),
    "R@5": (("AutoRAG 0.3.27", "0.500 1.000 0.333 0 0.714"),),
}
HEAD = """# Same question, same gold, another number

Five small cases, and what each tool gives under the name of the metric, at a cutoff of five. **Bold** is what surprises:
an error, or another number than the metric that the tool's name for it promises: “context precision” is held against
average precision, “recall” against recall.

"""
FOOT = """
Where the numbers are from:

- **evenhand**: computed by the program, each time this page is made; a test fails when one changes.
- **AutoRAG, Phoenix**: recorded in November 2026, the shipped file of the metric loaded alone.
- **all others**: asked of the packages themselves, with the versions named, by `make guests`, which fails when one says
  something else. Ragas and DeepEval ask a model for verdicts; here a perfect one gives them, and their own code counts.

Case B cannot be written down for ir_measures and ranx, whose input holds each unit once: there the repeat was
left out beforehand. evenhand leaves it out itself, keeps the first, and says how many there were. In case D it counts 0,
marks the question as missing and lists it.

AutoRAG counts every alternative of an OR in its ideal: gold `[["a", "b"]]` (either is enough) and an answer at rank 1 gives
nDCG 0.613. Here alternatives of one fact are one nugget, and the unit that holds either is sufficient.
"""


def ours(metric):
    """evenhand's values by case, as the page shows them."""
    from evenhand.metrics.measure.measure import measure
    from evenhand.model.run import Qrels, Run

    found = []
    for _, relevant, returned in CASES.values():
        qrels = Qrels.of({"q": dict.fromkeys(relevant, 1)})
        table = [*relevant, "x1", "x2", "x3", "x4"]
        run = Run(
            system="s",
            questions=("q",),
            offsets=np.array([0, len(returned)]),
            unit=np.array([table.index(unit) for unit in returned], dtype=np.int32),
            score=-np.arange(len(returned), dtype=float),
            table=table,
        )
        found.append(shown(measure(qrels, run, metric).value[0, 0, 0]))
    return found


def said():
    """What the packages said, by metric."""
    return json.loads(MEASURED.read_text(encoding="utf-8"))


def shown(value):
    return f"{value:.3f}" if value else "0"


def cell(text):
    return f"**{text[:-1]}**" if text.endswith("*") else text


def render():
    """The whole page."""
    out = [HEAD, "| case | |", "|---|---|"]
    out += [f"| {name} | {text} |" for name, (text, _, _) in CASES.items()]
    out += ["", "| metric | implementation | A | B | C | D | E |", "|---|---|---|---|---|---|---|"]
    for metric, told in said().items():
        out.append(f"| `{metric}` | evenhand | {' | '.join(ours(metric))} |")
        rows = [(one["name"], one["values"]) for one in told]
        rows += [(name, values.split()) for name, values in RECORDED.get(metric, ())]
        out += [f"| | {name} | {' | '.join(map(cell, values))} |" for name, values in rows]
    return "\n".join(out).replace("\n\n\n", "\n\n") + "\n" + FOOT


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
