"""Langfuse: traces and observations in; traces with scores of checks and ratings out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evenhand.formats.answers.jsonl import generation_of
from evenhand.formats.guests.answers.export import Outgoing
from evenhand.formats.guests.answers.rows import (
    OURS,
    Brought,
    Taking,
    id_of_words,
    passages_of,
    rows_of,
    words_of,
)
from evenhand.formats.guests.labels.tasks import dumped
from evenhand.model.answer import Finding, Generation, Item, Passage, Rating

__all__ = ["read", "write"]

TYPES = (
    "SPAN",
    "GENERATION",
    "EVENT",
    "AGENT",
    "TOOL",
    "CHAIN",
    "RETRIEVER",
    "EVALUATOR",
    "EMBEDDING",
    "GUARDRAIL",
)


def read(text: str, taking: Taking) -> Brought:
    """One generation a trace: its input and output, and the output of its last retriever.

    A trace may hold its ``observations``, stand beside them, or be no row of its own (observations of API
    version 2): then the observation without a parent speaks for it. Scores are not carried.
    """
    traces: dict[str, dict[str, Any]] = {}
    inner: dict[str, list[dict[str, Any]]] = {}
    for number, row in rows_of(text, taking.file):
        if "value" in row and "name" in row and "input" not in row:
            taking.lose("scores: ratings of others are none of ours")
        elif "traceId" in row or row.get("type") in TYPES:
            if row.get("traceId") is None:
                taking.lose("observations belong to no trace, and are left out")
                continue
            inner.setdefault(str(row["traceId"]), []).append(row)
        else:
            name = str(row["id"]) if row.get("id") is not None else f"\x00{number}"
            traces[name] = row
            held = row.get("observations")
            if isinstance(held, list):
                inner.setdefault(name, []).extend(one for one in held if isinstance(one, dict))
    for name in [*traces, *(name for name in inner if name not in traces)]:
        _take(name, traces.get(name), inner.get(name, []), taking)
    return taking.done()


def _take(name: str, trace: Mapping[str, Any] | None, inner: list[dict[str, Any]], taking: Taking) -> None:
    root = trace or next((one for one in inner if not one.get("parentObservationId")), inner[0])
    meta = root.get("metadata")
    if isinstance(meta, Mapping) and isinstance(meta.get(OURS), Mapping):
        taking.join(generation_of(dict(meta[OURS]), f"{taking.file}: trace {name}"))
        return
    ask = words_of(root.get("input"))
    if not ask:
        taking.lose("traces have no input, and are left out")
        return
    passages: list[Passage] = []
    model = ""
    for one in inner:
        if one.get("type") == "RETRIEVER" or "retriev" in str(one.get("name") or "").casefold():
            passages = _passages(one.get("output"), taking) or passages
        if one.get("type") == "GENERATION":
            model = str(one.get("model") or one.get("providedModelName") or model)
    if not passages:
        taking.lose("traces hold no retrieved passages")
    said = words_of(root.get("output"))
    failed = next((one for one in [root, *inner] if one.get("level") == "ERROR"), None)
    fault = said is None and failed is not None
    taking.answer(
        topic=id_of_words(ask) if name.startswith("\x00") else name,
        ask=ask,
        text=said,
        passages=passages,
        state="fault" if fault else "",
        why=str((failed or {}).get("statusMessage") or "the trace ended in an error") if fault else "",
        model=model,
    )


def _passages(output: Any, taking: Taking) -> list[Passage]:
    if isinstance(output, Mapping):
        output = next(
            (output[k] for k in ("documents", "contexts", "passages", "results") if k in output), output
        )
    return list(passages_of(output, taking))


def write(out: Outgoing) -> str:
    """JSON lines: traces, each with its scores; the generation goes along whole as metadata."""
    out.all_of_it(undecided=False)
    return dumped(
        row for one, item, ours, found, rated in out for row in _rows(one, item, ours, found, rated)
    )


def _rows(
    generation: Generation,
    item: Item | None,
    ours: Mapping[str, Any],
    findings: Iterable[Finding],
    ratings: Iterable[Rating],
) -> list[dict[str, Any]]:
    """A trace, and a score for each check that could be decided and for each answer of each rating."""
    trace = f"{generation.system}/{generation.topic}" if item is None else item.id
    made: list[dict[str, Any]] = [
        {
            "id": trace,
            "name": generation.system,
            "input": {"question": generation.ask},
            "output": None if item is None else item.text,
            "metadata": {OURS: dict(ours)},
        }
    ]
    made += [
        _score(trace, one.check, one.passed, one.why, by=None, more={"by": "check"})
        for one in findings
        if one.passed is not None
    ]
    for rating in ratings:
        stamp = {"timestamp": rating.at} if rating.at else {}
        made += [
            _score(
                trace,
                name,
                said,
                rating.comment,
                by=rating.rater,
                more={
                    "by": rating.by,
                    "checks_shown_before_rating": rating.checks_shown_before_rating,
                    "after_checks": name in rating.after_checks,
                },
            )
            | stamp
            for name, said in rating.given.items()
        ]
    return made


def _score(
    trace: str,
    name: str,
    said: bool | str,
    comment: str,
    *,
    by: str | None,
    more: Mapping[str, Any],
) -> dict[str, Any]:
    truth = said if isinstance(said, bool) else {"yes": True, "no": False}.get(said)
    return {
        "id": f"{trace}-{name}" + (f"-{by}" if by else ""),
        "traceId": trace,
        "name": name,
        "value": said if truth is None else int(truth),
        "dataType": "CATEGORICAL" if truth is None else "BOOLEAN",
        "source": "API",  # what anybody may create; EVAL is refused there, ANNOTATION wants a configuration
        "authorUserId": by,
        "comment": comment or None,
        "metadata": dict(more),
    }
