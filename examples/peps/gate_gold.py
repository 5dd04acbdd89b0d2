"""Make the questions of gate.toml from the proposals themselves, by rule: nobody wrote or chose one.

python gate_gold.py [folder of peps]

Three kinds: the title of a proposal in force (its abstract answers); the title of a replaced proposal (the
abstract of its successor answers); the title of a proposal that gate.toml takes out of the corpus (nothing
does). Which are drawn follows from a hash of their names, and so does the split.
"""

import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path

from evenhand.formats.corpus.read import read_corpus
from evenhand.formats.gold.gold_set import load_gold
from evenhand.gold.split import split

HERE = Path(__file__).parent
SOURCE = HERE / "../../../shared/data/peps/peps"
SEED, HOLDOUT, IN_FORCE, GONE = 20241009, 0.3, 80, 40
ABSTRACT = re.compile(r"^Abstract\n=+\n+(?P<first>.+?)(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


def drawn(names, n):
    """The first *n* names by a hash of seed and name, in the order of names."""
    by_hash = sorted(names, key=lambda name: hashlib.sha256(f"{SEED}:{name}".encode()).hexdigest())
    return sorted(by_hash[:n])


def evidence(document):
    """The first paragraph of the abstract; nothing where there is none."""
    found = ABSTRACT.search(document.text)
    if found is None:
        return []
    start, end = found.span("first")
    span = {"doc": document.id, "start": start, "end": end, "quote": document.text[start:end]}
    return [{"nugget": "abstract", "vital": True, "spans": [span]}]


def taken_out(corpus):
    """Names drawn of the proposals in force with an abstract and no links, and all of these proposals."""
    linked = {str(x) for one in corpus for x in (*one.supersedes, *one.superseded_by)}
    linked |= {str(one.id) for one in corpus if one.supersedes or one.superseded_by}
    plain = [one for one in corpus if one.status == "current" and one.id not in linked and evidence(one)]
    return drawn([str(one.id) for one in plain], GONE + IN_FORCE), plain


def rows(corpus):
    """A gold row for each question, and the names to take out of the corpus."""
    names, plain = taken_out(corpus)
    gone = drawn(names, GONE)
    made = []

    def row(kind, asked, answered):
        made.append(
            {
                "id": f"{kind}-{asked.id.removesuffix('.rst')}",
                "text": f"{asked.title}?",
                "type": kind,
                "tags": {"replaced": ["current-vs-obsolete"], "gone": ["thin-evidence"]}.get(kind, []),
                "expect": "answer" if answered else "abstain",
                "cluster": str(answered.id if answered else asked.id),
                "source": str(answered.id) if answered else "",
                "origin": "synthetic",
                "saw_evidence": False,
                "evidence": evidence(answered) if answered else [],
            }
        )

    for one in plain:
        if one.id in names:
            row(*(("gone", one, None) if one.id in gone else ("in-force", one, one)))
    for one in corpus:
        later = [corpus[x] for x in one.superseded_by if x in corpus]
        if len(later) == 1 and later[0].status == "current" and evidence(later[0]):
            row("replaced", one, later[0])
    return made, gone


def make(source=SOURCE, to=HERE):
    """Write both files into *to*; returns their sha256 by name, and what is taken out."""
    corpus = read_corpus(source, glob="*.rst")
    gold, gone = rows(corpus)

    def write(name, entries):
        text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
        (to / name).write_text(text, encoding="utf-8", newline="")
        return hashlib.sha256(text.encode()).hexdigest()

    write("gate.jsonl", gold)
    _, hidden = split(load_gold(to / "gate.jsonl", corpus).gold, holdout=HOLDOUT, seed=SEED)
    kept = set(hidden)
    seals = {
        "gate.jsonl": write("gate.jsonl", [row for row in gold if row["id"] not in kept]),
        "gate.holdout.jsonl": write("gate.holdout.jsonl", [row for row in gold if row["id"] in kept]),
    }
    return seals, gone


if __name__ == "__main__":
    made, gone = make(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE)
    sealed = dict(reversed(line.split("  ")) for line in (HERE / "SEALS.sha256").read_text().splitlines())
    for name, digest in made.items():
        print(f"{digest}  {name}  {'as sealed' if sealed.get(name) == digest else 'NOT AS SEALED'}")
    with (HERE / "gate.toml").open("rb") as file:
        left_out = tomllib.load(file)["corpus"].get("exclude", [])
    if left_out != gone:
        print(f"gate.toml takes out others: exclude = {json.dumps(gone)}")
    sys.exit(made != sealed or left_out != gone)
