"""Make the benchmark from the files of CLAPNQ: passages, dev questions, holdout questions.

python make.py [folder of clapnq_dev]

The bytes are always the same. Each passage is a document; the sentences that people selected are the evidence
(of the one answer without any, the whole passage); questions without an answer expect "abstain". Questions on
one Wikipedia article are one cluster, and no cluster is in both splits.
"""

import hashlib
import json
import sys
from pathlib import Path

from evenhand.formats.corpus.read import read_corpus
from evenhand.formats.gold.gold_set import load_gold
from evenhand.gold.split import split

HERE = Path(__file__).parent
SOURCE = HERE / "../../../shared/data/clapnq_dev"
FILES = ("clapnq_dev_answerable.jsonl", "clapnq_dev_unanswerable.jsonl")
SEED, HOLDOUT = 20241009, 0.3


def spans(text, sentences, doc):
    """Where the selected sentences stand, each from behind the one before."""
    at, found = 0, []
    for sentence in sentences:
        words = sentence.strip()
        start = text.find(words, at)
        start = text.find(words) if start < 0 else start
        if start >= 0 and words:
            found.append({"doc": doc, "start": start, "end": start + len(words), "quote": words})
            at = start + len(words)
    return found


def rows(source):
    """Passages by id, and a gold row for each question; identical passages are one document."""
    passages, gold, known = {}, [], {}
    for file in FILES:
        for line in (source / file).read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            passage = entry["passages"][0]
            text, title = passage["text"], passage["title"]
            doc = known.setdefault(text, f"p{len(known):03d}")
            passages[doc] = {"_id": doc, "title": title, "text": text}
            text = f"{title}\n{text}"  # as a document begins
            # of several annotators the first who selected sentences; one who did not gives no evidence
            marked = [one for one in entry["output"] if one["selected_sentences"]] or entry["output"]
            evidence, answer = spans(text, marked[0]["selected_sentences"], doc), marked[0]["answer"]
            if answer and not evidence:  # one question: answered, and no sentence selected
                evidence = spans(text, [passage["text"]], doc)
            gold.append(
                {
                    "id": entry["id"].lstrip("-"),
                    "text": entry["input"],
                    "type": "answerable" if answer else "unanswerable",
                    "tags": [] if answer else ["topical-passage"],
                    "expect": "answer" if answer else "abstain",
                    "cluster": title,
                    "source": doc,
                    "origin": "log",
                    "evidence": [
                        {"nugget": f"sentence {n}", "vital": True, "spans": [span]}
                        for n, span in enumerate(evidence, 1)
                    ],
                    "reference": answer,
                }
            )
    return passages, gold


def make(source=SOURCE, to=HERE):
    """Write passages.jsonl, gold.jsonl and gold.holdout.jsonl into *to*; returns their sha256 by name."""
    passages, gold = rows(Path(source))

    def write(name, entries):
        text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
        (to / name).write_text(text, encoding="utf-8", newline="")
        return hashlib.sha256(text.encode()).hexdigest()

    seals = {"passages.jsonl": write("passages.jsonl", passages.values())}
    write("gold.jsonl", gold)
    whole = load_gold(to / "gold.jsonl", read_corpus(to / "passages.jsonl")).gold
    _, hidden = split(whole, holdout=HOLDOUT, seed=SEED)
    kept = set(hidden)
    seals["gold.jsonl"] = write("gold.jsonl", [row for row in gold if row["id"] not in kept])
    seals["gold.holdout.jsonl"] = write("gold.holdout.jsonl", [row for row in gold if row["id"] in kept])
    return seals


if __name__ == "__main__":
    made = make(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE)
    sealed = dict(reversed(line.split("  ")) for line in (HERE / "SEALS.sha256").read_text().splitlines())
    for name, digest in made.items():
        print(f"{digest}  {name}  {'as sealed' if sealed.get(name) == digest else 'NOT AS SEALED'}")
    sys.exit(made != sealed)
