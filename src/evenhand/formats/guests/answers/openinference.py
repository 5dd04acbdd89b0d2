"""OpenInference spans (Phoenix, Arize, OTLP): what was asked, retrieved and answered in each trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evenhand.formats.answers.jsonl import generation_of
from evenhand.formats.guests.answers.rows import OURS, Brought, Taking, passages_of, rows_of, words_of
from evenhand.model.answer import Passage
from evenhand.model.json_text import loads

__all__ = ["read"]

KIND = "openinference.span.kind"
REFUSED = frozenset({"content_filter", "refusal", "safety"})


def read(text: str, taking: Taking) -> Brought:
    """One generation a trace: input and output of its root span, passages of its last reranker or retriever.

    Read are JSON or JSON lines of spans with attributes flat (``retrieval.documents.0.document.content``),
    nested, as columns of a data frame (``attributes.input.value``), or as OTLP has them. A root without an
    output that ended in an error is a fault; finish reasons length and content_filter count against the
    model.
    """
    traces: dict[str, list[dict[str, Any]]] = {}
    for _, row in rows_of(text, taking.file):
        if "annotator_kind" in row and "span_id" in row:
            taking.lose("annotations: ratings of others are none of ours")
            continue
        for span in _spans(row):
            flat = dict(_flat(span))
            trace = _first(flat, ("context.trace_id", "trace_id", "traceId"))
            if trace is None:
                taking.lose("spans belong to no trace, and are left out")
                continue
            traces.setdefault(str(trace), []).append(flat)
    for trace, spans in traces.items():
        _take(trace, spans, taking)
    return taking.done()


def _spans(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "resourceSpans" not in row:
        yield row
        return
    for resource in row["resourceSpans"]:
        for scope in resource.get("scopeSpans", ()):
            for span in scope.get("spans", ()):
                attributes = {
                    one["key"]: next(iter(one.get("value", {}).values()), None)
                    for one in span.get("attributes", ())
                }
                yield {**span, "attributes": attributes}


def _flat(thing: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names of everything in a nested object; ``attributes.`` is left out in front."""
    pairs: Iterable[tuple[Any, Any]] = ()
    if isinstance(thing, Mapping):
        pairs = thing.items()
    elif isinstance(thing, list):
        pairs = enumerate(thing)
    else:
        yield path.removeprefix("attributes."), thing
    for name, inner in pairs:
        yield from _flat(inner, f"{path}.{name}" if path else str(name))


def _first(flat: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((flat[name] for name in names if flat.get(name) not in (None, "")), None)


def _said(value: Any) -> str | None:
    """A text, or the telling part of one that is JSON."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            inner = words_of(loads(value))
        except (ValueError, RecursionError):
            inner = None
        return inner if inner is not None else value
    return words_of(value)


def _documents(span: Mapping[str, Any], name: str, taking: Taking) -> list[Passage]:
    held: dict[int, dict[str, Any]] = {}
    for key, value in span.items():
        if key.startswith(f"{name}."):
            number, _, rest = key[len(name) + 1 :].partition(".")
            if number.isdecimal():
                held.setdefault(int(number), {})[rest.removeprefix("document.")] = value
    made: list[dict[str, Any]] = []
    for _, one in sorted(held.items()):
        meta = {k.removeprefix("metadata."): v for k, v in one.items() if k.startswith("metadata.")}
        if isinstance(one.get("metadata"), str):
            try:
                told = loads(one["metadata"])
            except (ValueError, RecursionError):
                told = None
            meta = told if isinstance(told, dict) else meta
        made.append({**one, "metadata": meta})
    return list(passages_of(made, taking)) if made else []


def _ours(root: Mapping[str, Any]) -> dict[str, Any] | None:
    """The generation of ours that lies whole in the metadata of a root span."""
    try:
        meta = loads(str(root.get("metadata") or "null"))
    except (ValueError, RecursionError):
        return None
    inner = meta.get(OURS) if isinstance(meta, dict) else None
    return dict(inner) if isinstance(inner, dict) else None


def _take(trace: str, spans: list[dict[str, Any]], taking: Taking) -> None:
    names = {_first(span, ("context.span_id", "span_id", "spanId")) for span in spans}
    parents = ("parent_id", "parent_span_id", "parentSpanId")
    root = next((span for span in spans if _first(span, parents) not in names), spans[0])
    whole = _ours(root)
    if whole is not None:
        taking.join(generation_of(whole, f"{taking.file}: trace {trace}"))
        return
    ask = _said(_first(root, ("input.value",)))
    if not ask:
        taking.lose("traces have no input, and are left out")
        return
    passages: list[Passage] = []
    for kind, name in (("RETRIEVER", "retrieval.documents"), ("RERANKER", "reranker.output_documents")):
        for span in spans:
            if str(span.get(KIND, "")).upper() == kind:
                passages = _documents(span, name, taking) or passages
    models = [span for span in spans if str(span.get(KIND, "")).upper() == "LLM"]
    said = _said(_first(root, ("output.value",)))
    if said is None:
        for span in models:
            said = _said(_first(span, ("llm.output_messages.0.message.content", "output.value"))) or said
    if not passages:
        taking.lose("traces hold no retrieved passages")
    finish = str(_first(models[-1], ("llm.finish_reason",)) or "") if models else ""
    status = str(_first(root, ("status_code", "status.code", "status.status_code")) or "").upper()
    state, why = "", ""
    if finish == "length":
        state, why = "cut-off", "finish reason length"
    elif finish in REFUSED:
        state, why = "refused", f"finish reason {finish}"
    elif said is None and status in ("ERROR", "2", "STATUS_CODE_ERROR"):
        state, why = (
            "fault",
            str(_first(root, ("status_message", "status.message")) or "the trace ended in an error"),
        )
    taking.answer(
        topic=trace,
        ask=ask,
        text=said,
        passages=passages,
        state=state,
        why=why,
        model=str(_first(models[-1], ("llm.model_name",)) or "") if models else "",
    )
