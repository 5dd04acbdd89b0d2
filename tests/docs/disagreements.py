"""docs/reference/disagreements.md: five cases, evenhand's numbers computed, those of others as measured.

``python -m tests.docs.disagreements`` writes the page anew.
"""

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
# What others give, as measured in November 2026: (implementation, values A to E; * marks what surprises)
RECORDED = {
    "nDCG@5": (
        ("trec_eval by ir_measures 0.4.3", "0.613 1.000 0.469 0 1.000"),
        ("ranx 0.3.21", "0.613 1.000 0.469 raises* 1.000"),
        ("context-grid, ragproof", "0.613 1.000 0.469 0 1.000"),
        ("Haystack 3.4.1 (ideal without the cutoff)", "0.613 1.000 0.469 0 0.810*"),
        ("LlamaIndex 0.14.25", "0.613 1.631* 0.469 ValueError* 0.810*"),
        ("AutoRAG 0.3.27", "0.613 1.631* 1.000* 0 1.000"),
        ("Phoenix 20.26 (ideal of what was retrieved)", "1.000* 1.000 1.000* 0 1.000"),
    ),
    "AP@5": (
        ("ir_measures 0.4.3", "0.500 1.000 0.333 0 0.714"),
        ("ranx 0.3.21", "0.500 1.000 0.333 raises* 0.714"),
        ("Haystack 3.4.1, context-grid", "0.500 1.000 0.333 0 0.714"),
        ("LlamaIndex 0.14.25", "0.500 2.000* 0.333 ValueError* 0.714"),
        ("AutoRAG 0.3.27", "0.500 1.000 0.333 0 0.326*"),
    ),
    "RagasContextPrecision@5": (
        (
            "Ragas 0.4 “context precision” (its formula, given perfect verdicts)",
            "1.000* 1.000 1.000* 0 1.000*",
        ),
    ),
    "R@5": (
        ("ir_measures 0.4.3", "0.500 1.000 0.333 0 0.714"),
        ("Haystack 3.4.1 `multi_hit`, context-grid, AutoRAG 0.3.27", "0.500 1.000 0.333 0 0.714"),
        ("LlamaIndex 0.14.25", "0.500 1.000 0.333 ValueError* 0.714"),
    ),
    "Success@5": (("Haystack 3.4.1 “recall”, its default (`single_hit`)", "1.000* 1.000 1.000* 0 1.000*"),),
}
HEAD = """# Same question, same gold, another number

Five small cases, and what each tool gives under the name of the metric, at a cutoff of five. **Bold** is what surprises:
above 1, an error, or a number that cannot see what is missing.

"""
FOOT = """
Where the numbers are from:

- **evenhand**: computed by the program, each time this page is made; a test fails when one changes.
- **ir_measures, ranx**: as measured, and asked anew by a test wherever they are installed.
- **all others**: recorded, as measured in November 2026 with the versions named. AutoRAG and Phoenix: the shipped file of
  the metric, loaded alone. Ragas: its formula, typed anew from its source.

Case B cannot be written down for ir_measures, ranx and ragproof, whose input holds each unit once: there the repeat was
left out beforehand. evenhand leaves it out itself, keeps the first, and says how many there were. In case D it counts 0,
marks the question as missing and lists it.

AutoRAG counts every alternative of an OR in its ideal: gold `[["a", "b"]]` (either is enough) and an answer at rank 1 gives
nDCG 0.613. Here alternatives of one fact are one nugget, and the unit that holds either is sufficient.
"""


def ours(metric):
    """evenhand's values by case, as the page shows them."""
    from evenhand.metrics.measure import measure
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


def shown(value):
    return f"{value:.3f}" if value else "0"


def cell(text):
    return f"**{text[:-1]}**" if text.endswith("*") else text


def render():
    """The whole page."""
    out = [HEAD, "| case | |", "|---|---|"]
    out += [f"| {name} | {text} |" for name, (text, _, _) in CASES.items()]
    out += ["", "| metric | implementation | A | B | C | D | E |", "|---|---|---|---|---|---|---|"]
    for metric, rows in RECORDED.items():
        out.append(f"| `{metric}` | evenhand | {' | '.join(ours(metric))} |")
        out += [f"| | {name} | {' | '.join(map(cell, values.split()))} |" for name, values in rows]
    return "\n".join(out).replace("\n\n\n", "\n\n") + "\n" + FOOT


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
