"""A threshold study whose numbers are known beforehand: 30 documents, 166 questions, similarities by design.

Each question has a section of its own in one of the documents; a brought embedder gives question and section the
cosine that was designed, and 0 to everything else. So a question retrieves exactly one unit above 0.2.
"""

import json
import random

from evenhand.formats.study_file.read import read_study
from evenhand.study.panel.items import items_of_plan

DOCUMENTS, QUESTIONS = 30, 166
ROLES = ("explain", "guide", "convert", "compare", "evaluate")
TYPES = ("definitional", "procedural", "comparative", "evaluative", "factual")
# 66 below 0.40, 34 at 0.40, 57 above it, 9 at 0.60 or more, 0.645 the highest: the median is 0.40
COSINES = (
    [round(0.25 + 0.002 * i, 3) for i in range(66)]
    + [0.4] * 34
    + [round(0.41 + 0.003 * i, 3) for i in range(57)]
    + [0.6, 0.605, 0.61, 0.615, 0.62, 0.625, 0.63, 0.64, 0.645]
)
EMBEDDER = '''
import re

import numpy as np

COSINES = {cosines}


class Designed:
    """Question i is the axis i; its section lies at the designed angle, in a plane of its own."""

    name = "designed"
    seal = "designed-1"

    def embed(self, texts):
        n = len(COSINES)
        made = np.zeros((len(texts), 2 * n + 1), dtype=np.float32)
        for row, text in zip(made, texts):
            asked, held = re.search(r"number (\\d+)\\?", text), re.search(r"Entry (\\d+)\\.", text)
            if asked:
                row[int(asked[1])] = 1
            elif held:
                i = int(held[1])
                row[i], row[n + i] = COSINES[i], (1 - COSINES[i] ** 2) ** 0.5
            else:
                row[2 * n] = 1
        return made
'''
STUDY = """\
[study]
name = "threshold by design"
[corpus]
path = "docs"
[gold]
path = "gold.jsonl"
evidence = "optional"
[chunking.sections]
rule = "headings"
[system.dense]
retriever = "dense"
embedder = "python:designed:Designed"
[measure]
primary = "Success(rel=2)@1"
depth = 10
[compare]
resamples = 500
signs = 500
[report]
plots = false
[threshold]
system = "dense"
k = 5
grid = [0.6, 0.7]
primary = 0.6
[threshold.relaxation]
grid = [0.3, 0.4]
primary = 0.4
reason = "top-1 median 0.40, max 0.645; 9 of 166 questions retrieve anything at 0.6"
[threshold.corpus]
words = 500
documents = 27
[panel]
of = "threshold"
[panel.judge.a]
model = "recorded:a.jsonl"
family = "one"
[panel.judge.b]
model = "recorded:b.jsonl"
family = "two"
[panel.judge.c]
model = "recorded:c.jsonl"
family = "three"
[calibration]
n = 20
[calibration.trust]
set = "plain"
agreement = { at_least = 0.75, by = "point" }
disputed = { at_most = 0.25, by = "point" }
"""


def order(seed=5):
    """Which question has which cosine: spread over documents."""
    places = list(range(QUESTIONS))
    random.Random(seed).shuffle(places)  # noqa: S311
    cosines = [0.0] * QUESTIONS
    for place, cosine in zip(places, COSINES, strict=True):
        cosines[place] = cosine
    return cosines


def make(folder, *, study=STUDY):
    """Documents, questions, the embedder and empty recordings; returns the study file."""
    docs = folder / "docs"
    docs.mkdir(parents=True)
    rows = []
    by_doc = [[] for _ in range(DOCUMENTS)]
    for i in range(QUESTIONS):
        by_doc[i % DOCUMENTS].append(i)
        rows.append(
            {
                "id": f"q{i:03}",
                "text": f"What is said of number {i}?",
                "type": TYPES[i % len(TYPES)],
                "expect": "answer",
                "source": f"d{i % DOCUMENTS:02}.md",
                "cluster": f"d{i % DOCUMENTS:02}",
                "origin": "expert",
            }
        )
    for d, held in enumerate(by_doc):
        words = 40 if d >= 27 else 500  # three documents are short
        parts = [f"---\ntitle: Document {d}\nrole: {ROLES[d % 5]}\n---\n"]
        parts += [f"## Section {i}\n\nEntry {i}. It is one of many.\n" for i in held]
        parts.append("## The rest\n\n" + " ".join(["filler"] * words) + "\n")
        (docs / f"d{d:02}.md").write_text("\n".join(parts), encoding="utf-8")
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "designed.py").write_text(EMBEDDER.format(cosines=order()), encoding="utf-8")
    for name in "abc":
        empty = {"task": "x", "reply": {"text": "", "model": name}}
        (folder / f"{name}.jsonl").write_text(json.dumps(empty) + "\n", encoding="utf-8")
    file = folder / "study.toml"
    file.write_text(study, encoding="utf-8")
    return file


def judged(folder, *, study=STUDY, yes=0.3, split=14):
    """The study with recorded judges: of the pairs at the primary or above *split* are split, the rest not.

    Every other pair is unanimous. About *yes* of the pairs can answer, by majority.
    """
    file = make(folder, study=study)
    items = items_of_plan(read_study(file), folder)
    above = sorted(items.calibrates)
    dice = random.Random(11)  # noqa: S311
    torn = set(dice.sample(above, min(split, len(above))))
    truth = {shown.item: dice.random() < yes for shown in items.shown}
    for n, name in enumerate("abc"):
        lines = []
        for shown in items.shown:
            says = truth[shown.item] != (shown.item in torn and n == 2)
            told = {"text": json.dumps(reply(says)), "model": name}
            lines.append(json.dumps({"task": shown.item, "reply": told}))
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file, truth


def reply(yes):
    return {
        "evidence": [],
        "contribution": "2" if yes else "1",
        "verdict": "yes" if yes else "no",
        "mode": "none" if yes else "partial",
    }


def graded(file, truth, *, apart, lenient=True):
    """A person's labels of the sample drawn: at odds with the panel on *apart* items, all in one direction."""
    from evenhand.formats.labels.calibration import read_sample
    from evenhand.formats.labels.judgements import write_labels
    from evenhand.judge.sheets.built_in import SUFFICIENCY
    from evenhand.model.label import Label

    home = file.parent
    items = {shown.item: shown for shown in items_of_plan(read_study(file), home).shown}
    drawn = [one.item for one in read_sample(home / "calibration.json").items]
    turned = [item for item in drawn if truth[item] != lenient][:apart]
    assert len(turned) == apart, "too few items of that kind were drawn"
    labels = []
    for item in drawn:
        shown = items[item]
        grade = truth[item] != (item in turned)
        labels.append(
            Label(
                question=shown.question,
                doc=shown.doc,
                start=shown.start,
                end=shown.end,
                text_sha256=shown.text_sha256,
                judge="person",
                grade=float(grade),
                mode="" if grade else "partial",
                sheet=SUFFICIENCY.seal,
            )
        )
    write_labels(home / "calibration.jsonl", labels)
