"""Label Studio tasks: choices, evidence spans and ``lead_time``; predictions are not people's answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.formats.guests.labels.tasks import (
    GRADE,
    SKIP,
    Reading,
    Taken,
    by_item,
    json_lines,
    place,
    spelled,
)

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
EVIDENCE = "Evidence"
ANSWERS = ("choices", "rating", "number")  # kinds of result that can hold a grade
SPANS = ("labels", "hypertextlabels")
WORDS = ("mode", "reason", "comment", "sheet", "by")  # carried in text areas of these names


def write(shown: Iterable[Shown], labels: Iterable[Label]) -> str:
    """A JSON array of tasks with the annotations of *labels*; evidence counts code points."""
    given = by_item(labels)
    tasks = []
    for i, one in enumerate(shown, start=1):
        made = [_annotation(j, label) for j, label in enumerate(given.get(one.item, ()), start=1)]
        data = {"question": one.ask, "passage": one.text, **place(one)}
        tasks.append({"id": i, "data": data, "annotations": made, "predictions": []})
    return json.dumps(tasks, indent=1, allow_nan=False) + "\n"


def _annotation(number: int, label: Label) -> dict[str, Any]:
    result = []
    if label.kind != SKIP:
        result.append(_result(GRADE, "choices", {"choices": [spelled(label)]}))
    for mark in label.evidence:
        words = mark.quote.replace("\n", "\\n")  # so it writes a line break in the words of a span
        value = {"start": mark.start, "end": mark.end, "text": words, "labels": [EVIDENCE]}
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
    """Labels of an export (JSON). The grade is what the control of its name holds, wherever it stands.

    Raises InputError where the export has choices or ratings, and none under that name.
    """
    others: set[str] = set()
    graded = False
    for _, task in json_lines(text, reading.file):
        data = task.get("data")
        given = task.get("annotations", task.get("completions"))
        if not isinstance(data, Mapping) or not isinstance(given, list):
            reading.lose("rows are no tasks with annotations: export as JSON, not as JSON-MIN or CSV")
            continue
        for kind, why in (
            ("predictions", "of a model: no person's answers"),
            ("drafts", "were not submitted"),
        ):
            for _ in task.get(kind) or ():
                reading.lose(f"{kind} {why}")
        names = {one.get("from_name") for of in given for one in of.get("result") or () if _answers(one)}
        graded |= reading.named(GRADE)[0] in names
        others |= {str(name) for name in names}
        if not given:
            continue
        shown = reading.find(
            data.get("item"), ask=data.get("question"), text=data.get("passage", data.get("text"))
        )
        if shown is not None:
            for annotation in given:
                _take(annotation, shown, reading)
    if others and not graded:
        raise InputError(
            f"{reading.file} has no control called {reading.named(GRADE)[0]!r} "
            f"(found {', '.join(sorted(others))}): which of them is the grade is not known",
            mend=f"add --control {min(others)}",
        )
    return reading.done()


def _answers(one: Mapping[str, Any]) -> bool:
    return one.get("type") in ANSWERS and one.get("from_name") not in WORDS


def _take(annotation: Mapping[str, Any], shown: Shown, reading: Reading) -> None:
    said: list[Any] = []
    spans: list[Any] = []
    more: dict[str, Any] = {}
    control = reading.named(GRADE)[0]
    for one in annotation.get("result") or ():
        value, kind, name = one.get("value", {}), one.get("type"), one.get("from_name")
        if kind in ANSWERS and name == control:
            choices = value.get("choices") or [value.get("rating", value.get("number"))]
            said += [one for one in choices if one not in said]
        elif kind in SPANS and (name == "evidence" or value.get(kind) == [EVIDENCE]):
            spans.append(_span(value, shown.text))
        elif kind == "textarea" and name in WORDS:
            words = value.get("text", "")
            more[name] = words if isinstance(words, str) else "\n".join(words)
        else:
            reading.lose(f"results of kind {kind!r} under {name!r}")
    choice = said[0] if said else None
    if annotation.get("was_cancelled"):
        choice = SKIP
        more.setdefault("reason", "skipped in Label Studio")
    elif len(said) > 1:
        reading.lose(f"annotations hold several answers under {control!r}")
        return
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
        evidence=reading.marks(shown, spans),
        at=annotation.get("created_at"),
        **more,
    )


def _span(value: Mapping[str, Any], text: str) -> tuple[Any, Any, Any]:
    """Offsets and words of a span; those of HTML are ``globalOffsets``, for ``start`` is an XPath there.

    Without them the words say where, if they stand in the text once.
    """
    start, end, words = value.get("start"), value.get("end"), value.get("text")
    if not isinstance(start, str):
        return start, end, words
    whole = value.get("globalOffsets")
    if isinstance(whole, Mapping):
        return whole.get("start"), whole.get("end"), words
    if isinstance(words, str) and words and text.count(words) == 1:
        return text.index(words), text.index(words) + len(words), words
    return None, None, words
