"""Three rule-based stand-ins for judges, and the recordings of their replies for two studies.

They are no models. Each answers the sheet `sufficiency` by one rule that is told here, so that a panel can be
tried, and its numbers looked at, without a key or a cent:

    key      holds the unit against the evidence of gold.jsonl: all vital nuggets, some, or none
    words    counts how many of the question's content words stand in the unit
    vectors  takes the cosine of question and unit by all-MiniLM-L6-v2, the built-in embedder

A fourth rule stands in for a person, and is none either: one vital nugget in the unit is enough for *yes*,
and one verdict in twenty is turned. Its labels are of the 100 items that `evenhand judge calibrate panel.toml
--draw 100 --by uniform` draws, and of the 20 pairs that the same command draws for threshold.toml.

    python stand_ins.py       writes judges/key.jsonl, words.jsonl, vectors.jsonl and person.jsonl anew, and
                              those of threshold.toml, with threshold- before their names
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

from evenhand.formats.labels.calibration import write_sample
from evenhand.formats.labels.judgements import write_labels
from evenhand.formats.study_file.read import read_study
from evenhand.judge.calibration.human_sample import draw
from evenhand.judge.sheets.built_in import SUFFICIENCY
from evenhand.model.plan.calibration_sample import Sample
from evenhand.model.label import Label
from evenhand.study.panel.items import items_of_plan

HERE = Path(__file__).parent
STOP = frozenset(
    "a about after all am an and any are as at be been before but by can could did do does for from get had has "
    "have how i if in into is it its may me must my no not of on or our should so than that the their then there "
    "they this to up was we what when where which who whom whose why will with would you your".split()
)
SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")


def reply(verdict: str, contribution: str, mode: str = "none", evidence: tuple[str, ...] = ()) -> str:
    """A reply in the form of the sheet."""
    told = {"evidence": evidence, "contribution": contribution, "verdict": verdict, "mode": mode}
    return json.dumps(told, ensure_ascii=False)


def words_of(text: str) -> list[str]:
    """Content words, cut to their first six letters so that "ferries" and "ferry" meet."""
    return [word[:6] for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in STOP]


def key(shown, question) -> str:
    """All vital nuggets inside the unit: yes. Some: a part. None: no."""
    spans = {
        nugget.name: quote
        for nugget in question.evidence
        if nugget.vital
        for quote in nugget.spans
        if quote.span.doc == shown.doc and shown.start <= quote.span.start and quote.span.end <= shown.end
    }
    vital = {nugget.name for nugget in question.evidence if nugget.vital}
    quotes = tuple(quote.quote for quote in spans.values())[:3]
    if spans.keys() >= vital:
        return reply("yes", "2", evidence=quotes)
    if spans:
        return reply("no", "1", "partial", quotes)
    return reply("no", "0", "off-topic" if shown.doc != question.source else "related-no-answer")


def words(shown, question) -> str:
    """The share of the question's words that stand in the unit: 70% and more yes, 60% and more cannot tell."""
    asked = set(words_of(shown.ask))
    share = len(asked & set(words_of(shown.text))) / max(1, len(asked))
    best = max(
        (one.strip() for one in SENTENCE.findall(shown.text) if one.strip()),
        key=lambda one: (len(asked & set(words_of(one))), -len(one)),
        default="",
    )
    if share >= 0.7:
        return reply("yes", "2", evidence=(best[:300],))
    if share >= 0.6:
        return reply("cannot-tell", "1", evidence=(best[:300],))
    return reply("no", "1" if share >= 0.4 else "0", "related-no-answer" if share >= 0.25 else "off-topic")


def vectors(shown, cosine: float) -> str:
    """The cosine: 0.60 and more yes, 0.45 and more a part."""
    if cosine >= 0.60:
        first = SENTENCE.search(shown.text)
        return reply("yes", "2", evidence=(first.group().strip()[:300],) if first else ())
    if cosine >= 0.45:
        return reply("no", "1", "partial")
    return reply("no", "0", "related-no-answer" if cosine >= 0.3 else "off-topic")


def person(shown, question) -> bool:
    """One vital nugget inside the unit: yes. One verdict in twenty, by the item's name, is turned."""
    inside = any(
        quote.span.doc == shown.doc and shown.start <= quote.span.start and quote.span.end <= shown.end
        for nugget in question.evidence
        if nugget.vital
        for quote in nugget.spans
    )
    return inside != (int(shown.item, 16) % 20 == 0)


def labels(items, sample) -> list[Label]:
    """The stand-in's labels of the items drawn, as they come back from a desk."""
    return [
        Label(
            question=shown.question,
            doc=shown.doc,
            start=shown.start,
            end=shown.end,
            text_sha256=shown.text_sha256,
            judge="person",
            grade=float(person(shown, items.gold[shown.question])),
            sheet=SUFFICIENCY.seal,
        )
        for shown in items.shown
        if shown.item in sample.position
    ]


def main() -> None:
    """Judge every item of both studies and write the recordings."""
    record("panel.toml", "", 100)
    sample = record("threshold.toml", "threshold-", 20)
    write_sample(HERE / "judges" / "threshold-sample.json", sample)


def record(study: str, prefix: str, n: int) -> Sample:
    """Judge every item of one study, and *n* of them as a person; gives the sample."""
    from evenhand.retrieve.models.minilm import MiniLM

    plan = read_study(HERE / study)
    items = items_of_plan(plan, HERE)
    embedder = MiniLM()
    asked = {shown.question: shown.ask for shown in items.shown}
    of = dict(zip(asked, embedder.embed(list(asked.values())), strict=True))
    texts = embedder.embed([shown.text for shown in items.shown])
    cosines = [
        float(np.dot(of[shown.question], text)) for shown, text in zip(items.shown, texts, strict=True)
    ]
    (HERE / "judges").mkdir(exist_ok=True)
    made = {
        "key": [key(shown, items.gold[shown.question]) for shown in items.shown],
        "words": [words(shown, items.gold[shown.question]) for shown in items.shown],
        # two decimals, so that the last bits of a vector do not decide
        "vectors": [vectors(shown, round(c, 2)) for shown, c in zip(items.shown, cosines, strict=True)],
    }
    for name, replies in made.items():
        rows = [
            json.dumps({"task": shown.item, "reply": {"text": text}}, ensure_ascii=False)
            for shown, text in zip(items.shown, replies, strict=True)
        ]
        (HERE / "judges" / f"{prefix}{name}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
        print(f"judges/{prefix}{name}.jsonl: {len(rows)} replies")
    about = {
        s.item: s.question for s in items.shown if items.calibrates is None or s.item in items.calibrates
    }
    sample = draw(about, n, seed=20241009)
    said = labels(items, sample)
    write_labels(HERE / "judges" / f"{prefix}person.jsonl", said)
    print(f"judges/{prefix}person.jsonl: {len(said)} labels")
    return sample


if __name__ == "__main__":
    main()
