"""The miniature with a panel of recordings, made by rule from the items the study itself pools."""

import json

from tests.miniature import STUDY, make

import evenhand as eh
from evenhand.study.panel.items import items_of_plan

JUDGES = ("one", "two", "three")
SMALL = STUDY[: STUDY.index("[system.both]")] + STUDY[STUDY.index("[measure]") :]
PANEL = """\
[panel]
depth = 2
""" + "".join(
    f'[panel.judge.{name}]\nmodel = "recorded:judges/{name}.jsonl"\nfamily = "{name}"\n' for name in JUDGES
)


def says(verdict, contribution="", mode="none", evidence=()):
    return json.dumps(
        {
            "evidence": list(evidence),
            "contribution": contribution or ("2" if verdict == "yes" else "0"),
            "verdict": verdict,
            "mode": mode,
        }
    )


def panelled(folder, rule, *, study=SMALL, panel=PANEL, judges=JUDGES):
    """A study at *folder* whose recordings hold ``rule(judge, i, shown)``: a text, a fault (dict), or None."""
    file = make(folder, study=study + panel)
    (folder / "judges").mkdir(exist_ok=True)
    plan = eh.read_study(file)
    for name in judges:
        (folder / "judges" / f"{name}.jsonl").write_text("{}")
    items = items_of_plan(plan, folder)
    for name in judges:
        rows = [json.dumps({"task": "who", "reply": {"text": name}})]  # no two are the same model
        for i, shown in enumerate(items.shown):
            said = rule(name, i, shown)
            if said is not None:
                what = said if isinstance(said, dict) else {"reply": {"text": said}}
                rows.append(json.dumps({"task": shown.item, **what}))
        (folder / "judges" / f"{name}.jsonl").write_text("\n".join(rows) + "\n")
    return file, items


def by_evidence(judge, i, shown):
    """Yes where the text holds a price, told apart by judge on every fifth item."""
    yes = "crowns" in shown.text
    if judge == "three" and i % 5 == 0:
        yes = not yes
    return says("yes" if yes else "no", mode="none" if yes else "off-topic")
