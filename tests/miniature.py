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


CRITERIA = """\
[criteria]
good = { on = "bm25.nDCG@10", at_least = 0.2 }
sure = { on = "bm25.Success(rel=2)@1", at_least = 0.3, by = "lower" }
near = { on = "both-minus-bm25.nDCG@10", at_least = -0.5, by = "lower", level = 0.975 }
"""


def hidden(texts, seed=7, *, n=12, mark="charged"):
    """Questions on the places that the dev questions leave out; one to abstain, one to clarify."""
    used = {row["cluster"] for row in questions(texts, seed)}
    places = [name for name in sorted(texts) if name.removesuffix(".md") not in used]
    rows = []
    for i in range(n):
        name, thing = places[i % len(places)], THINGS[(i // len(places)) % len(THINGS)]
        quote = next(line for line in texts[name].splitlines() if line.startswith(f"The {thing} of"))
        start = texts[name].index(quote)
        span = {"doc": name, "start": start, "end": start + len(quote), "quote": quote}
        expect = {4: "abstain", 7: "clarify"}.get(i, "answer")
        rows.append(
            {
                "id": f"h{i:02}",
                "text": f"Hidden {i}: how much is {mark} for the {thing}, {name.removesuffix('.md')}?",
                "type": "numeric",
                "tags": ["single-hop"],
                "expect": expect,
                "cluster": name.removesuffix(".md"),
                "source": name,
                "origin": "expert",
                "evidence": [{"nugget": f"price of the {thing}", "vital": True, "spans": [span]}]
                if expect == "answer"
                else [],
            }
        )
    return rows


def make_held(folder, *, study=STUDY + CRITERIA, seed=7, **options):
    """The miniature with a holdout beside its gold set, and criteria."""
    file = make(folder, study=study, seed=seed)
    lines = "".join(json.dumps(row) + "\n" for row in hidden(documents(seed), seed, **options))
    (file.parent / "gold.holdout.jsonl").write_text(lines, encoding="utf-8")
    return file
