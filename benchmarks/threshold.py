"""A threshold study of the published size: 30 documents, 166 questions, three recorded judges, three sizes of units."""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.bench import Bench, at_most, measured

LIMIT = 30.0
DOCUMENTS, QUESTIONS = 30, 166
ROLES = ("explain", "guide", "convert", "compare", "evaluate")
TYPES = ("definitional", "procedural", "comparative", "evaluative", "factual")
STUDY = """\
[study]
name = "threshold, published size"
[corpus]
path = "docs"
[gold]
path = "gold.jsonl"
evidence = "optional"
{chunkings}
[system.dense]
retriever = "dense"
[measure]
primary = "Success(rel=2)@1"
depth = 10
[threshold]
system = "dense"
chunking = "t512"
grid = [0.3, 0.4, 0.5, 0.6, 0.7]
primary = 0.4
[threshold.corpus]
documents = 27
[threshold.arms.t256]
documents = "d0*"
[threshold.arms.t1024]
documents = "d0*"
[panel]
of = "threshold"
[panel.judge.a]
model = "recorded:a.jsonl"
[panel.judge.b]
model = "recorded:b.jsonl"
[panel.judge.c]
model = "recorded:c.jsonl"
[calibration]
n = 20
"""
CUT = '[chunking.t{size}]\nrule = "fixed"\nsize = {size}\noverlap = {overlap}\ncount = "tokens"\n'
THINGS = [
    "harbour",
    "anchor",
    "lantern",
    "ledger",
    "ferry",
    "storm",
    "signal",
    "keeper",
    "tide",
    "engine",
    "permit",
    "wage",
    "roster",
]
VERBS = [
    "carries",
    "records",
    "closes",
    "repairs",
    "measures",
    "orders",
    "lends",
    "inspects",
    "rings",
    "stores",
]


def sentence(dice: random.Random) -> str:
    a, b, c = dice.sample(THINGS, 3)
    return f"The {a} of the {b} {dice.choice(VERBS)} the {c} on day {dice.randint(1, 30)} at {dice.randint(1, 99)} crowns."


def lay(folder: Path) -> Path:
    """Documents of about 3,000 words, and questions on sentences of theirs."""
    dice = random.Random(3)  # noqa: S311
    (folder / "docs").mkdir()
    rows = []
    texts = [[sentence(dice) for _ in range(200)] for _ in range(DOCUMENTS)]
    for d, lines in enumerate(texts):
        head = f"---\ntitle: Document {d}\nrole: {ROLES[d % 5]}\n---\n"
        parts = [f"\n## Part {i}\n\n" + " ".join(lines[i : i + 20]) for i in range(0, len(lines), 20)]
        (folder / "docs" / f"d{d:02}.md").write_text(head + "\n".join(parts) + "\n")
    for i in range(QUESTIONS):
        d = i % DOCUMENTS
        line = dice.choice(texts[d])
        ask = line.replace("The ", "What does the ").partition(" on day")[0] + f" for, in document {d}?"
        rows.append({"id": f"q{i:03}", "text": ask, "type": TYPES[i % 5], "expect": "answer",
                     "source": f"d{d:02}.md", "cluster": f"d{d:02}", "origin": "expert"})  # fmt: skip
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cuts = "".join(CUT.format(size=n, overlap=n // 8) for n in (512, 256, 1024))
    for name in "abc":
        told = {"task": "x", "reply": {"text": "", "model": name}}
        (folder / f"{name}.jsonl").write_text(json.dumps(told) + "\n")
    file = folder / "study.toml"
    file.write_text(STUDY.format(chunkings=cuts))
    return file


def record(file: Path) -> int:
    """Three judges who mostly agree, recorded; returns how many pairs they judge."""
    from evenhand.formats.study_file.read import read_study
    from evenhand.study.panel.items import items_of_plan

    items = items_of_plan(read_study(file), file.parent).shown
    dice = random.Random(4)  # noqa: S311
    yes = {one.item: dice.random() < 0.4 for one in items}
    for name in "abc":
        rows = []
        for one in items:
            says = "yes" if yes[one.item] != (dice.random() < 0.07) else "no"
            text = json.dumps({"evidence": [], "contribution": "2" if says == "yes" else "1",
                               "verdict": says, "mode": "none" if says == "yes" else "partial"})  # fmt: skip
            rows.append(json.dumps({"task": one.item, "reply": {"text": text, "model": name}}))
        (file.parent / f"{name}.jsonl").write_text("\n".join(rows) + "\n")
    return len(items)


def main(quick: bool) -> Bench:
    del quick
    command = (sys.executable, "-m", "evenhand", "run")
    with tempfile.TemporaryDirectory(prefix="evenhand-bench-") as place:
        file = lay(Path(place))
        pairs = record(file)
        held = Path(place, ".evenhand")
        for made in [one for one in held.iterdir() if one.is_dir() and one.name != "embeddings"]:
            shutil.rmtree(made)
        warm = measured((*command, str(file), "-q"))
        again = measured((*command, str(file), "-q"))
        report = json.loads(Path(place, "results", "report.json").read_text())["threshold"]
    return Bench(
        title="A threshold study of the published size",
        says=f"{DOCUMENTS} documents, {QUESTIONS} questions, units of 512 tokens and two arms of 256 and 1,024 on ten "
        f"documents, {pairs} pairs, three recorded judges, {len(report['rates'])} rates with 10,000 resamples. Warm: the "
        "vectors are there, everything else is made.",
        rows=(
            at_most("whole study, warm, wall", warm.wall, LIMIT, "s"),
            at_most("the same, CPU", warm.cpu, LIMIT, "s"),
            at_most("run again with nothing changed, CPU", again.cpu, 10.0, "s"),
        ),
    )
