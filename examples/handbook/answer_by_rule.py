"""A rule in the place of a model that answers and writes items, and the recordings of its replies.

It is no model. For answers.toml it copies the sentences of the passages that share most of the question's words,
cites them, and says that it cannot answer when none shares half of them. For items.toml it takes sentences with a
number out of the passages and blanks the number. On purpose, by the hash of the question's id, it also errs as
models do, so that there is something to be found:

    1 in 12   changes a number of what it copies
    1 in 12   leaves its citation out, or cites a passage that is not there
    1 in 9    answers from memory (from the reference of gold.jsonl) whatever the passages hold
    1 in 25   is refused, cut off, answers in prose in place of JSON, or is written by another model
    1 in 3    knows the answer without any passage (the arm that is asked closed book), and so whenever it
              answers from memory

One topic of items.toml is cut off, one item in eight has a number that no passage holds, and one in ten repeats
an option.

    python answer_by_rule.py    writes answers/answers.jsonl, answers/items.jsonl and topics.vectors.npz anew
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from evenhand.formats.gold.gold_set import read_gold
from evenhand.formats.study_file.read import read_study
from evenhand.formats.study_file.topics import read_topics
from evenhand.retrieve.models.minilm import MiniLM
from evenhand.retrieve.vectors.stored import stored_bytes
from evenhand.study.generation.context import laid_answers

HERE = Path(__file__).parent
STOP = frozenset(
    "a about after all am an and any are as at be been before but by can could did do does for from get had has "
    "have how i if in into is it its may me must my no not of on or our should so than that the their then there "
    "they this to up was we what when where which who whom whose why will with would you your".split()
)
NUMBER = re.compile(r"(?<![\d.,-])\d+(?:[.,]\d+)?(?![\d.,-]*\d)")


def lot(name: str, of: int) -> int:
    """A number below *of* that depends on the name alone."""
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % of


def words_of(text: str) -> set[str]:
    """Content words, cut to six letters."""
    return {word[:6] for word in re.findall(r"[a-zæøåł0-9]+", text.lower()) if word not in STOP}


def sentences(text: str) -> list[str]:
    """Sentences of running text, four words or more."""
    parts = re.split(r"(?<=[.!?])\s+|\n+", text)
    return [
        one.strip()
        for one in parts
        if len(one.split()) > 3 and not one.strip().startswith(("#", "|", "-", ">"))
    ]


def answer(ask, reference: str) -> dict:
    """The reply to a question with its passages."""
    asked = words_of(ask.ask)
    found = [
        (len(asked & words_of(one)) / max(1, len(asked)), -place, passage.marker, one)
        for place, passage in enumerate(ask.passages)
        for one in sentences(passage.text)
    ]
    found.sort(key=lambda row: row[:2], reverse=True)
    if not lot(f"memory {ask.topic}", 9) and ask.expect == "answer":
        marker = found[0][2] if found else "1"
        return {
            "does": "answers",
            "answer": f"{reference} [{marker}]",
            "citations": [{"passage": marker, "quote": ""}],
        }
    if len(asked) < 2:
        return {"does": "asks-back", "answer": f"What exactly do you mean by “{ask.ask}”?", "citations": []}
    if not found or found[0][0] < 0.25:
        return {"does": "cannot-answer", "answer": "The passages do not say.", "citations": []}
    best = [row for row in found if row[0] >= 0.9 * found[0][0]][:2]
    said, cited = [], []
    for _, _, marker, one in best:
        text = one
        if not lot(f"number {ask.topic}", 12):
            text = NUMBER.sub(lambda hit: str(round(float(hit.group().replace(",", "."))) + 3), text, count=1)
        mark = {0: "", 1: " [9]"}.get(lot(f"cites {ask.topic}", 24), f" [{marker}]")
        said.append(text + mark)
        if mark == f" [{marker}]":
            cited.append({"passage": marker, "quote": one})
    return {"does": "answers", "answer": " ".join(said), "citations": cited}


def closed(ask, reference: str) -> dict:
    """The reply without any passage."""
    knows = not lot(f"knows {ask.topic}", 3) or not lot(f"memory {ask.topic}", 9)
    if knows and ask.expect == "answer":
        return {"does": "answers", "answer": reference, "citations": []}
    return {"does": "cannot-answer", "answer": "I do not know.", "citations": []}


def items(ask) -> dict:
    """The reply to a topic: four blanks with options, three with a short answer."""
    taken, rows = set(), []
    pool = [(p.marker, one, NUMBER.search(one)) for p in ask.passages for one in sentences(p.text)]
    with_number = [row for row in pool if row[2] and not (row[1] in taken or taken.add(row[1]))]
    every = sorted({hit.group() for _, _, hit in pool if hit}, key=lambda n: (len(n), n)) or ["1"]
    for i, (marker, one, hit) in enumerate(with_number[:7]):
        key = hit.group()
        blank = f"{one[: hit.start()]}___{one[hit.end() :]}"
        name = f"{ask.topic} {i}"
        if not lot(f"number {name}", 8):
            key = str(int(float(key.replace(",", "."))) + 1000)
        cited = [{"passage": marker, "quote": one}]
        if i < 4:
            others = [*[n for n in every if n != key][:3], "200", "77", "5"]
            options = [key, *others[:3]] if lot(f"twice {name}", 10) else [key, *others[:2], others[1]]
            at = lot(f"place {name}", 4)
            options = [*options[1 : at + 1], key, *options[at + 1 :]]
            question = f"Which number stands in the handbook? {blank}"
            rows.append(
                {
                    "kind": "multiple-choice",
                    "question": question,
                    "options": options,
                    "key": at + 1,
                    "answer": "",
                    "citations": cited,
                }
            )
        else:
            question = f"Which number belongs here? {blank}"
            rows.append(
                {
                    "kind": "short-answer",
                    "question": question,
                    "options": [],
                    "key": 0,
                    "answer": key,
                    "citations": cited,
                }
            )
    return {"items": rows}


def line(task: str, said: dict, *, fails: bool = True) -> str:
    """One line of the recording; one reply in twenty-five goes wrong."""
    reply = {"text": json.dumps(said, ensure_ascii=False), "model": "stand-in"}
    if fails and not lot(f"fails {task}", 25):
        way = lot(f"way {task}", 4)
        reply = (
            {"text": "", "stop": "refused", "model": "stand-in"},
            {"text": reply["text"][:40], "stop": "length", "model": "stand-in"},
            {"text": f"Well, {said.get('answer', 'I would say')}", "model": "stand-in"},
            {**reply, "model": "stand-in-mini"},
        )[way]
    return json.dumps({"task": task, "reply": reply}, ensure_ascii=False) + "\n"


def main() -> None:
    """Write everything anew."""
    folder = HERE / "answers"
    folder.mkdir(exist_ok=True)
    gold = {str(one.id): one for one in read_gold(HERE / "gold.jsonl")}
    with laid_answers(read_study(HERE / "answers.toml"), HERE) as laid:
        asks = laid.asks
    lines = [line(f"answer/{ask.topic}", answer(ask, gold[ask.topic].reference)) for ask in asks]
    lines += [
        line(f"closed/{ask.topic}", closed(ask, gold[ask.topic].reference), fails=False) for ask in asks
    ]
    (folder / "answers.jsonl").write_text("".join(lines), encoding="utf-8")

    plan = read_study(HERE / "items.toml")
    topics = read_topics(HERE / "topics.toml").asks
    with laid_answers(read_study(HERE / "answers.toml"), HERE) as laid:
        laid.make("units/sentences")
        texts = [
            *laid.larder["units/sentences"].texts(),
            *topics.values(),
            *(one.text for one in gold.values()),
        ]
    (HERE / "topics.vectors.npz").write_bytes(stored_bytes(MiniLM(), texts))
    with laid_answers(plan, HERE) as laid:
        asks = laid.asks
    rows = [line(f"items/{ask.topic}", items(ask), fails=False) for ask in asks]
    cut = json.loads(rows[-1])
    rows[-1] = (
        json.dumps(
            {
                "task": cut["task"],
                "reply": {"text": cut["reply"]["text"][:200], "stop": "length", "model": "stand-in"},
            }
        )
        + "\n"
    )
    (folder / "items.jsonl").write_text("".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
