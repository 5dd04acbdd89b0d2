"""A world for gate studies: 36 dev and 36 holdout questions whose decisions are known, as run files."""

import json
import random
from pathlib import Path

WORDS = [
    "amber",
    "basalt",
    "cobalt",
    "drift",
    "ember",
    "fathom",
    "garnet",
    "harbour",
    "indigo",
    "jetty",
    "kelp",
    "lagoon",
    "mica",
    "nectar",
    "ochre",
    "pebble",
    "quartz",
    "reef",
    "shale",
    "tide",
    "umber",
    "vellum",
    "willow",
    "xenon",
    "yarrow",
    "zinc",
    "anchor",
    "beacon",
    "copper",
    "dune",
    "estuary",
    "flint",
]
# expect, what the three systems have on top (right, other, obsolete), how many: the holdout of P2
PUBLISHED = (
    ("answer", ("right", "right", "right"), 17),
    ("answer", ("right", "other", "right"), 3),
    ("answer", ("other", "right", "right"), 2),
    ("clarify", ("other", "other", "other"), 2),
    ("clarify", ("right", "other", "right"), 5),
    ("abstain", ("other", "other", "other"), 1),
    ("abstain", ("other", "right", "right"), 6),
)
SYSTEMS = ("bm25", "dense", "current")
STUDY = """\
[study]
name = "gate-golden"
[corpus]
path = "docs"
[gold]
path = "gold.jsonl"
[chunking.whole]
rule = "document"
[system.bm25]
run = "bm25.trec"
[system.dense]
run = "dense.trec"
[system.current]
run = "current.trec"
[measure]
primary = "RR@10"
[compare]
resamples = 200
signs = 200
[gate]
rule = "consensus"
of = ["bm25", "dense", "current"]
[criteria]
precision = { on = "gate.answered_precision", at_least = 0.75 }
coverage = { on = "gate.answerable_coverage", at_least = 0.70 }
false_answers = { on = "gate.false_answer_rate", at_most = 0.50 }
[report]
plots = false
"""


def rows(prefix, seed, plan=PUBLISHED):
    """Questions with what each system has on top; each its own document and cluster, words of its own."""
    dice = random.Random(seed)  # noqa: S311
    made, n = [], 0
    for expect, tops, times in plan:
        for _ in range(times):
            name = f"{prefix}{n:02}"
            made.append((name, expect, tops, " ".join(dice.choice(WORDS) for _ in range(12))))
            n += 1
    return made


def make(folder, *, study=STUDY, plan=PUBLISHED):
    """Write the world into *folder*; returns the path of its study file."""
    folder = Path(folder)
    (folder / "docs").mkdir(parents=True)
    runs = {name: [] for name in SYSTEMS}
    for file, prefix, seed in (("gold.jsonl", "d", 1), ("gold.holdout.jsonl", "h", 2)):
        lines = []
        for name, expect, tops, words in rows(prefix, seed, plan):
            fact = f"The record {name} says {words}."
            text = f"---\ntitle: Record {name}\nstatus: current\nowner: ann\n---\n{fact}\n"
            (folder / "docs" / f"{name}.md").write_text(text, encoding="utf-8")
            (folder / "docs" / f"{name}-old.md").write_text(
                f"---\ntitle: Old record {name}\nstatus: obsolete\nowner: ann\nsuperseded_by: {name}.md\n---\n"
                f"Formerly {words}.\n",
                encoding="utf-8",
            )
            (folder / "docs" / f"{name}-other.md").write_text(
                f"---\ntitle: Other record {name}\nstatus: current\nowner: ann\n---\nSomething else of {name}.\n",
                encoding="utf-8",
            )
            start = text.index(fact)
            span = {"doc": f"{name}.md", "start": start, "end": start + len(fact), "quote": fact}
            evidence = [{"nugget": "fact", "vital": True, "spans": [span]}] if expect == "answer" else []
            lines.append(
                json.dumps(
                    {
                        "id": name,
                        "text": f"Which record mentions {words}?",
                        "type": "factual",
                        "tags": ["thin-evidence"] if expect == "abstain" else [],
                        "expect": expect,
                        "cluster": name,
                        "origin": "expert",
                        "evidence": evidence,
                    }
                )
            )
            for system, top in zip(SYSTEMS, tops, strict=True):
                ids = {"right": f"{name}.md", "other": f"{name}-other.md", "obsolete": f"{name}-old.md"}
                order = [ids[top], *(one for word, one in ids.items() if word != top)]
                runs[system] += [
                    f"{name} Q0 {doc} {rank} {1 / rank:.6f} {system}" for rank, doc in enumerate(order, 1)
                ]
        (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for system, found in runs.items():
        (folder / f"{system}.trec").write_text("\n".join(found) + "\n", encoding="utf-8")
    (folder / "study.toml").write_text(study, encoding="utf-8")
    return folder / "study.toml"
