"""The miniature with a writer: a rule that reads a request, for recordings, programs and endpoints."""

import json
import re

from tests.miniature import STUDY, make

PART = re.compile(r"<<<([a-z0-9 ]+) (\w{16})>>>\n(.*?)\n<<<end \1 \2>>>", re.DOTALL)
SMALL = STUDY[: STUDY.index("[system.tfidf]")] + STUDY[STUDY.index("[measure]") :]
ANSWERS = """
[answers]
model = "MODEL"
name = "writer"
system = "bm25"
k = 3
"""
TOPICS = """
[topic.ferries]
ask = "What ferries cost"
documents = ["alder.md"]
[topic.lanterns]
ask = "What lanterns cost"
"""


def parts_of(prompt):
    """Name of each part of a request → its text."""
    return {name: text for name, _, text in PART.findall(prompt)}


def answers(prompt):
    """The price out of the passages, with citations; without one it says that it cannot answer."""
    parts = parts_of(prompt)
    things = re.findall(r"the (\w+)(?= and| at)", parts["question"])
    place = re.search(r" at (\w+)\?", parts["question"])[1]
    said, cited = [], []
    for name, text in parts.items():
        for found in re.findall(r"The \w+ of \w+ costs \d+ crowns a day\.", text):
            if place in found.lower() and any(thing in found for thing in things) and "passage" in name:
                said.append(f"{found} [{name.split()[1]}]")
                cited.append({"passage": name.split()[1], "quote": found})
    if not said:
        return json.dumps({"does": "cannot-answer", "answer": "The passages do not say.", "citations": []})
    return json.dumps({"does": "answers", "answer": " ".join(said), "citations": cited})


def items(prompt):
    """One multiple-choice and one short-answer item out of the first prices."""
    found = [
        (name.split()[1], hit)
        for name, text in parts_of(prompt).items()
        for hit in re.findall(r"(The \w+ of \w+) costs (\d+) crowns a day", text)
        if "passage" in name
    ]
    rows = []
    for n, (marker, (thing, price)) in enumerate(found[:2]):
        cited = [{"passage": marker, "quote": f"{thing} costs {price} crowns a day"}]
        options = [price, "5", "7", "8"]
        choice = {
            "kind": "multiple-choice",
            "question": f"What does {thing.lower()} cost?",
            "options": options,
        }
        short = {"kind": "short-answer", "question": f"How much is {thing.lower()}?", "options": [], "key": 0}
        rows.append(
            {
                **(choice | {"key": 1, "answer": ""} if n == 0 else short | {"answer": price}),
                "citations": cited,
            }
        )
    return json.dumps({"items": rows})


def answered(folder, *, model="recorded:replies.jsonl", more="", study=SMALL):
    """The study file; `record` fills the recording."""
    file = make(folder, study=study + ANSWERS.replace("MODEL", model) + more)
    (file.parent / "replies.jsonl").write_text('{"task": "nobody", "reply": {"text": ""}}\n')
    return file


def record(file, rule):
    """Write the recording of ``rule(task, prompt)``: a text, a whole line's reply (dict), or None for none."""
    from evenhand.formats.study_file.read import read_study
    from evenhand.study.generation.context import laid_answers

    with laid_answers(read_study(file), file.parent) as laid:
        working = laid.working
        lines = []
        for job in working.jobs:
            made = working.request(job.ask, job.template)
            said = rule(made.task, made.messages[-1].content)
            if said is not None:
                what = said if isinstance(said, dict) else {"reply": {"text": said}}
                lines.append(json.dumps({"task": made.task, **what}) + "\n")
    (file.parent / "replies.jsonl").write_text("".join(lines))


def by_rule(task, prompt):
    return answers(prompt) if not task.startswith("items/") else items(prompt)
