"""The miniature with a panel under stress: recordings made by rule for every trial the study itself makes."""

import json
import re
from dataclasses import replace

from tests.miniature import make
from tests.study.panels import JUDGES, PANEL, SMALL, says

import evenhand as eh
from evenhand.model.plan.sections import StressPlan
from evenhand.study.panel.items import items_of_plan
from evenhand.study.robustness.trials import stress_of


def by_words(judge, trial):
    """Yes where a price or the question itself stands in the text; ``three`` does what it is told."""
    yes = bool(re.search(r"costs \d+ crowns a day", trial.shown.text)) or trial.shown.ask in trial.shown.text
    yes = yes or (judge == "three" and '"verdict": "yes"' in trial.shown.text)
    return says("yes" if yes else "no", mode="none" if yes else "off-topic")


def stressed(folder, rule=by_words, *, stress="[stress]\nn = 6\n", study=SMALL, judges=JUDGES, files=None):
    """A study at *folder* whose recordings hold ``rule(judge, trial)``: a text, a fault (dict), or None."""
    file = make(folder, study=study + PANEL)
    for name, lines in (files or {}).items():
        (folder / name).write_text(lines)
    file.write_text(study + PANEL + stress)
    (folder / "judges").mkdir(exist_ok=True)
    plan = eh.read_study(file)
    for name in judges:
        (folder / "judges" / f"{name}.jsonl").write_text(json.dumps({"task": name, "reply": {"text": ""}}))
    items = items_of_plan(plan, folder)
    made = stress_of(plan, folder, items, stress=plan.stress or StressPlan(n=6))
    for name in judges:
        rows = [json.dumps({"task": "who", "reply": {"text": name}})]
        seen = set()
        for asked in made.calls:
            if asked.judge != name or (asked.request.task, asked.request.repeat) in seen:
                continue
            seen.add((asked.request.task, asked.request.repeat))
            said = rule(name, asked.trial)
            if said is not None:
                what = said if isinstance(said, dict) else {"reply": {"text": said}}
                rows.append(json.dumps({"task": asked.request.task, "repeat": asked.request.repeat, **what}))
        for shown in items.shown:
            one = replace(made.calls[0].trial, shown=shown)
            rows.append(json.dumps({"task": shown.item, "reply": {"text": rule(name, one)}}))
        (folder / "judges" / f"{name}.jsonl").write_text("\n".join(rows) + "\n")
    return file, items
