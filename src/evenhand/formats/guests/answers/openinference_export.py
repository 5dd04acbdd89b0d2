"""OpenInference spans and annotations for Phoenix: what its client's ``log_spans`` and frames take."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from evenhand.formats.guests.answers.export import Outgoing, Row, shown
from evenhand.formats.guests.answers.rows import OURS
from evenhand.formats.guests.labels.tasks import dumped
from evenhand.model.answer import Passage

__all__ = ["NEVER", "annotation", "documents_of", "hexed", "retriever", "span", "write"]

NEVER = "1970-01-01T00:00:00+00:00"  # spans need times, and an export has no clock
OK = {"made": "OK", "fault": "ERROR"}


def hexed(*names: str, size: int) -> str:
    """An id of *size* hex digits of its names: the same thing has the same id at every export."""
    return sha256("\x1f".join(("evenhand", *names)).encode("utf-8", "surrogatepass")).hexdigest()[:size]


def span(
    name: str, kind: str, trace: str, own: str, attributes: Mapping[str, Any], **more: Any
) -> dict[str, Any]:
    """One span as Phoenix's API has it, attributes flat."""
    return {
        "name": name,
        "context": {"trace_id": trace, "span_id": own},
        "span_kind": kind,
        "start_time": NEVER,
        "end_time": NEVER,
        "status_code": "OK",
        "attributes": {"openinference.span.kind": kind, **attributes},
        **more,
    }


def documents_of(passages: tuple[Passage, ...]) -> dict[str, Any]:
    """The attributes of what a retriever returned."""
    made: dict[str, Any] = {}
    for i, one in enumerate(passages):
        head = f"retrieval.documents.{i}.document"
        made |= {f"{head}.id": one.unit, f"{head}.content": one.text}
        meta = {"source": one.doc, "title": one.title, "start": one.start, "end": one.end}
        made[f"{head}.metadata"] = json.dumps({k: v for k, v in meta.items() if v not in ("", None)})
    return made


def retriever(ask: str, trace: str, own: str, passages: tuple[Passage, ...], **more: Any) -> dict[str, Any]:
    """A retriever's span."""
    return span("retrieve", "RETRIEVER", trace, own, {"input.value": ask, **documents_of(passages)}, **more)


def annotation(own: str, name: str, kind: str, *, identifier: str = "", **more: Any) -> dict[str, Any]:
    """A row of an annotation frame; *kind* is LLM, CODE or HUMAN.

    Every column is there, None where it has nothing: a frame (``dtype=object``) has no NaN then, which
    Phoenix's client would take for a score.
    """
    row = {"span_id": own, "name": name, "annotator_kind": kind, "identifier": identifier or None}
    return row | dict.fromkeys(("label", "score", "explanation")) | {"metadata": {}} | more


def write(out: Outgoing) -> str:
    """A root and a retriever a row, then the annotations: checks as CODE, ratings as HUMAN or LLM."""
    rows: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    out.all_of_it(undecided=False)
    for row in out:
        rows += _spans(row)
        notes += _annotations(row)
    return dumped([*rows, *notes])


def _ids(row: Row) -> tuple[str, str]:
    one, item, *_ = row
    names = (one.system, one.topic, item.id if item is not None else "")
    return hexed("trace", *names, size=32), hexed("root", *names, size=16)


def _spans(row: Row) -> Iterator[dict[str, Any]]:
    one, item, ours, *_ = row
    trace, root = _ids(row)
    attributes = {
        "input.value": one.ask,
        "metadata": json.dumps({OURS: ours}),
        **({"output.value": shown(item)} if item is not None else {}),
        **({"llm.model_name": one.model} if one.model else {}),
    }
    state = {"status_code": OK.get(one.state, "UNSET"), "status_message": one.why}
    yield span(one.system, "CHAIN", trace, root, attributes, **state)
    child = hexed("retriever", trace, size=16)
    yield retriever(one.ask, trace, child, one.passages, parent_id=root)


def _annotations(row: Row) -> Iterator[dict[str, Any]]:
    _, _, _, found, rated = row
    _, root = _ids(row)
    for one in found:
        if one.passed is not None:
            label = "pass" if one.passed else "fail"
            score = float(one.passed)
            yield annotation(
                root, f"check/{one.check}", "CODE", label=label, score=score, explanation=one.why or None
            )
    for rating in rated:
        kind = "LLM" if rating.by == "model" else "HUMAN"
        for name, said in rating.given.items():
            yield annotation(
                root,
                name,
                kind,
                identifier=rating.rater,
                label=said,
                score={"yes": 1.0, "no": 0.0}.get(said),
                explanation=rating.comment or None,
                metadata={
                    "checks_shown_before_rating": rating.checks_shown_before_rating,
                    "after_checks": name in rating.after_checks,
                },
            )
