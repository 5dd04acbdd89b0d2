"""Label Studio tasks: choices, evidence spans and ``lead_time``; predictions are not people's answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.formats.guests.tasks import SKIP, Reading, Taken, by_item, json_lines, place, spelled
from evenhand.gold.offsets import to_utf16

if TYPE_CHECKING:
    from evenhand.model.label import Label, Shown

__all__ = ["CONFIG", "read", "write"]

CONFIG = """\
<View>
  <Header value="$question"/>
  <Text name="passage" value="$passage"/>
  <Choices name="grade" toName="passage" choice="single" required="true">
    <Choice value="0"/><Choice value="1"/><Choice value="2"/><Choice value="cannot-tell"/>
  </Choices>
  <Labels name="evidence" toName="passage"><Label value="Evidence"/></Labels>
</View>
"""
WORDS = ("mode", "reason", "comment", "sheet", "by")  # carried in text areas of these names


def write(shown: Iterable[Shown], labels: Iterable[Label]) -> str:
    """A JSON array of tasks with the annotations of *labels*; evidence in UTF-16, as browsers count."""
    given = by_item(labels)
    tasks = []
    for i, one in enumerate(shown, start=1):
        made = [_annotation(j, label, one) for j, label in enumerate(given.get(one.item, ()), start=1)]
        data = {"question": one.ask, "passage": one.text, **place(one)}
        tasks.append({"id": i, "data": data, "annotations": made, "predictions": []})
    return json.dumps(tasks, indent=1, allow_nan=False) + "\n"


def _annotation(number: int, label: Label, shown: Shown) -> dict[str, Any]:
    result = []
    if label.kind != SKIP:
        result.append(_result("grade", "choices", {"choices": [spelled(label)]}))
    for mark in label.evidence:
        start, end = to_utf16(shown.text, mark.start, mark.end)
        value = {"start": start, "end": end, "text": mark.quote, "labels": ["Evidence"]}
        result.append(_result("evidence", "labels", value))
    for name in WORDS:
        text = getattr(label, name)
        if text and not (name == "by" and text == "human"):
            result.append(_result(name, "textarea", {"text": [text]}))
    made: dict[str, Any] = {
        "id": number,
        "completed_by": label.judge,
        "was_cancelled": label.kind == SKIP,
        "ground_truth": False,
        "result": [{"id": f"{number}-{i}", **one} for i, one in enumerate(result)],
    }
    if label.active_ms is not None:
        made["lead_time"] = label.active_ms / 1000
    if label.at:
        made["created_at"] = label.at
    return made


def _result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "passage", "type": kind, "value": value}


def read(text: str, reading: Reading) -> Taken:
    """Labels of an export. Spans are cut anew from the task's text where the export holds no words."""
    for _, task in json_lines(text, reading.file):
        data = task.get("data", {})
        for _ in task.get("predictions", ()):
            reading.lose("predictions of a model: no person's answers")
        shown = None
        for annotation in task.get("annotations", task.get("completions", ())):
            if shown is None:
                shown = reading.find(
                    data.get("item"), ask=data.get("question"), text=data.get("passage", data.get("text"))
                )
                if shown is None:
                    break
            _take(annotation, shown, reading)
    return reading.done()


def _take(annotation: Mapping[str, Any], shown: Shown, reading: Reading) -> None:
    choice: Any = None
    spans: list[Any] = []
    more: dict[str, Any] = {}
    for one in annotation.get("result", ()):
        value, kind, name = one.get("value", {}), one.get("type"), one.get("from_name")
        if kind in ("choices", "rating", "number") and choice is None and name not in WORDS:
            choices = value.get("choices") or [value.get("rating", value.get("number"))]
            choice = choices[0]
        elif kind in ("labels", "hypertextlabels"):
            spans.append((value.get("start"), value.get("end"), value.get("text")))
        elif kind == "textarea" and name in WORDS:
            words = value.get("text", "")
            more[name] = words if isinstance(words, str) else "\n".join(words)
        else:
            reading.lose(f"results of kind {kind!r} under {name!r}")
    if annotation.get("was_cancelled"):
        choice = SKIP
        more.setdefault("reason", "skipped in Label Studio")
    person = annotation.get("completed_by")
    if isinstance(person, Mapping):
        person = person.get("email") or person.get("id")
    seconds = annotation.get("lead_time")
    if isinstance(seconds, int | float) and not isinstance(seconds, bool) and seconds >= 0:
        more["active_ms"] = round(seconds * 1000)
    reading.take(
        shown,
        person,
        choice,
        evidence=reading.marks(shown, spans, utf16=True),
        at=annotation.get("created_at"),
        **more,
    )
