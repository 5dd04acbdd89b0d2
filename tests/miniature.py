"""A generated miniature study: twelve documents, twenty questions, nothing of the handbook."""

import json
import random
from pathlib import Path

PLACES = (
    "Alder",
    "Birch",
    "Cedar",
    "Dune",
    "Ember",
    "Fjord",
    "Grove",
    "Heath",
    "Islet",
    "Juniper",
    "Knoll",
    "Larch",
)
THINGS = ("ferry", "lantern", "harbour", "anchor", "compass", "ladder")
FILLER = (
    "Visitors are asked to keep to the marked paths.",
    "The office answers letters within a week, except in the winter months.",
    "Boats under six metres need no permission here.",
    "Further particulars are kept at the desk beside the entrance.",
)

STUDY = """\
[study]
name = "miniature"
[corpus]
path = "docs"
[gold]
path = "gold.jsonl"
[chunking.small]
rule = "sentences"
size = 160
count = "characters"
[system.bm25]
retriever = "bm25"
[system.tfidf]
retriever = "tfidf"
[system.both]
fuse = ["bm25", "tfidf"]
[system.current]
rerank = "both"
by = "status"
[measure]
primary = "nDCG@10"
secondary = ["RR(rel=2)@10", "Success(rel=2)@1", "NuggetRecall@5"]
depth = 20
[compare]
resamples = 500
signs = 500
null = ["random"]
[report]
plots = false
"""
WITH_PLOTS = STUDY.replace("plots = false", "plots = true")


def documents(seed=7):
    """Text by name; every fact is a sentence of its own."""
    dice = random.Random(seed)  # noqa: S311
    texts = {}
    for n, place in enumerate(PLACES):
        status = "obsolete" if n % 4 == 3 else "current"
        lines = [f"---\ntitle: {place}\nstatus: {status}\n---\n# {place}\n"]
        for thing in THINGS:
            lines.append(
                f"\n## The {thing}\n\nThe {thing} of {place} costs {dice.randint(11, 99)} crowns a day."
            )
            lines.append(dice.choice(FILLER) + "\n")
        texts[f"{place.lower()}.md"] = "\n".join(lines)
    return texts


def questions(texts, seed=7):
    """Twenty questions, two of which expect no answer and three of which need two facts."""
    dice = random.Random(seed + 1)  # noqa: S311
    rows = []
    for n in range(20):
        name = dice.choice(sorted(texts))
        things = dice.sample(THINGS, 2 if n % 6 == 5 else 1)
        evidence = []
        for thing in things:
            quote = next(line for line in texts[name].splitlines() if line.startswith(f"The {thing} of"))
            start = texts[name].index(quote)
            evidence.append(
                {
                    "nugget": f"price of the {thing}",
                    "vital": True,
                    "spans": [{"doc": name, "start": start, "end": start + len(quote), "quote": quote}],
                }
            )
        place = name.removesuffix(".md")
        expect = "abstain" if n == 8 else "clarify" if n == 15 else "answer"
        rows.append(
            {
                "id": f"q{n:02}",
                "text": f"Number {n}: what has one to pay for the {' and the '.join(things)} at {place}?",
                "type": "comparison" if len(things) > 1 else "numeric",
                "tags": ["multi-hop" if len(things) > 1 else "single-hop"],
                "expect": expect,
                "cluster": place,
                "source": name,
                "origin": "expert",
                "evidence": evidence if expect == "answer" else [],
            }
        )
    return rows


def make(folder, *, study=STUDY, seed=7):
    """Write the miniature into *folder*; returns the path of its study file."""
    folder = Path(folder)
    (folder / "docs").mkdir(parents=True)
    texts = documents(seed)
    for name, text in texts.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    rows = questions(texts, seed)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "gold.jsonl").write_text(lines, encoding="utf-8")
    (folder / "study.toml").write_text(study, encoding="utf-8")
    return folder / "study.toml"
