"""The miniature study with a panel of three recorded judges, and people who label what is drawn."""

import json

import numpy as np
from tests.miniature import STUDY, make

from evenhand.formats.study_file.read import read_study
from evenhand.model.judging import Entry
from evenhand.store.open import open_store
from evenhand.study.panel.items import items_of_plan

PANEL = """
[panel]
sheet = "sufficiency"
depth = 10
systems = ["bm25", "tfidf"]
[panel.judge.a]
model = "recorded:a.jsonl"
family = "one"
[panel.judge.b]
model = "recorded:b.jsonl"
family = "two"
[panel.judge.c]
model = "recorded:c.jsonl"
family = "three"
"""


def truth_of(items):
    """What is right, by a rule of the test: the text names the thing of the question."""
    return {one.item: len(one.text) % 3 == 0 for one in items.shown}


def panelled(folder, *, more="", wrong=(0.1, 0.15, 0.2), silent=0.0):
    """The study file; each judge errs with its chance, and says nothing readable with chance *silent*."""
    study = make(folder)
    home = study.parent
    for name in "abc":
        (home / f"{name}.jsonl").write_text('{"task": "x", "reply": {"text": ""}}\n')
    study.write_text(STUDY + PANEL + more, encoding="utf-8")
    items = items_of_plan(read_study(study), home)
    truth = truth_of(items)
    for name, chance in zip("abc", wrong, strict=True):
        dice = np.random.default_rng([7, ord(name)])
        lines = []
        for item in sorted(truth):
            says = truth[item] != bool(dice.random() < chance)
            text = "no idea" if dice.random() < silent else json.dumps(reply(says))
            lines.append(json.dumps({"task": item, "reply": {"text": text, "model": name}}))
        (home / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return study


def reply(yes):
    return {
        "evidence": [],
        "contribution": "2" if yes else "0",
        "verdict": "yes" if yes else "no",
        "mode": "none" if yes else "off-topic",
    }


def people(store, truth, *, wrong=0.05, seed=3, only=None):
    """Everybody with a desk labels what waits there; *wrong* of it at odds with the rule."""
    kept = open_store(str(store))
    try:
        for desk in kept.desks():
            if only and desk.judge != only:
                continue
            dice = np.random.default_rng([seed, len(desk.judge)])
            pool, sheet = kept.pool(desk.pool), kept.sheet_of(desk.pool)
            for i, one in enumerate(kept.standing(desk.id)):
                yes = truth[pool[one.task.item].id] != bool(dice.random() < wrong)
                if one.entry is None:
                    kept.save(
                        Entry(
                            desk=desk.id,
                            task=one.task.id,
                            token=f"t{i}",
                            kind="grade",
                            grade=float(yes),
                            mode="" if yes else "off-topic",
                            sheet=sheet.seal,
                            at=f"2026-11-30T08:{i // 60:02}:{i % 60:02}.000000Z",
                        )
                    )
    finally:
        kept.close()
