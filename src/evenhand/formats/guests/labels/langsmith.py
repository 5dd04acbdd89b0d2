"""LangSmith: examples to be judged, and feedback of people (``app``) and models (``model``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.formats.guests.labels.tasks import Reading, Taken, by_item, dumped, item_uuid, json_lines, place

if TYPE_CHECKING:
    from evenhand.model.label import Label, Shown

__all__ = ["KEYS", "read", "write"]

KEYS = ("grade", "relevance")
WORDS = ("mode", "reason", "sheet", "by")


def write(shown: Iterable[Shown], labels: Iterable[Label]) -> str:
    """JSON lines: an example an item (``inputs``, ``metadata``), then a feedback row a label.

    ``run_id`` is the UUID of the item; what a score cannot say stands in ``value``.
    """
    shown = list(shown)
    given = by_item(labels)
    rows: list[dict[str, Any]] = [
        {
            "id": item_uuid(one.item),
            "inputs": {"question": one.ask, "passage": one.text},
            "outputs": None,
            "metadata": place(one),
            "split": "base",
        }
        for one in shown
    ]
    for one in shown:
        for number, label in enumerate(given.get(one.item, ())):
            value: dict[str, Any] = {"kind": label.kind}
            value |= {name: getattr(label, name) for name in WORDS if getattr(label, name)}
            if label.evidence:
                value["evidence"] = [[m.start, m.end, m.quote] for m in label.evidence]
            if label.active_ms is not None:
                value["active_ms"] = label.active_ms
            rows.append(
                {
                    "id": item_uuid(f"{one.item}/{label.judge}/{number}"),
                    "run_id": item_uuid(one.item),
                    "trace_id": None,
                    "key": KEYS[0],
                    "score": label.grade,
                    "value": value,
                    "comment": label.comment or None,
                    "created_at": label.at or None,
                    "feedback_source": {
                        "type": "model" if label.by == "panel" else "app",
                        "user_id": label.judge,
                    },
                }
            )
    return dumped(rows)


def read(text: str, reading: Reading) -> Taken:
    """Labels of feedback rows under the key ``grade``, else ``relevance``; examples tell what runs are of."""
    rows = [row for _, row in json_lines(text, reading.file)]
    about = {str(row.get("id")): row for row in rows if "inputs" in row}
    grade = reading.only([str(row.get("key")) for row in rows if "inputs" not in row], *KEYS)
    for row in rows:
        if "inputs" in row:
            continue
        if row.get("key") != grade:
            reading.lose(f"feedback under the key {row.get('key')!r}")
            continue
        run = str(row.get("run_id"))
        example = about.get(run) or about.get(str(row.get("example_id"))) or {}
        inputs, metadata = example.get("inputs") or {}, example.get("metadata") or {}
        shown = reading.find(
            run, metadata.get("item"), ask=inputs.get("question"), text=inputs.get("passage")
        )
        if shown is not None:
            _take(row, shown, reading)
    return reading.done()


def _take(row: Mapping[str, Any], shown: Shown, reading: Reading) -> None:
    source = row.get("feedback_source") or {}
    if row.get("correction") is not None:
        reading.lose("corrections: only the answer itself is taken")
    value = row.get("value")
    more = dict(value) if isinstance(value, Mapping) else {}
    said = row.get("score")
    if said is None:
        said = more.get("kind") if more else value
    if source.get("type") == "model":
        more["by"] = "panel"
    spans = more.get("evidence") or ()
    reading.take(
        shown,
        source.get("user_id"),
        said,
        evidence=reading.marks(shown, spans),
        comment=row.get("comment"),
        at=row.get("created_at"),
        active_ms=more.get("active_ms"),
        **{name: more.get(name) for name in WORDS},
    )
