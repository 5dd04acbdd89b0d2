"""Gold sets of Ragas, DeepEval, Langfuse, LangSmith: question, answer, contexts; ours as metadata."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.formats.guests.tasks import dumped, json_lines

if TYPE_CHECKING:
    from evenhand.model.gold import Question
    from evenhand.model.text import Corpus

__all__ = ["RAG_SETS", "rag_set", "rows_of_rag_set"]

RAG_SETS = ("ragas", "deepeval", "langfuse", "langsmith")
OURS = "evenhand"  # the key of their metadata under which a question lies whole
ASK = ("user_input", "input", "question", "query")
ANSWER = ("reference", "expected_output", "expectedOutput", "answer", "reference_answer")
CONTEXTS = ("reference_contexts", "context", "contexts")
SYSTEM = ("response", "retrieved_contexts", "actual_output", "actualOutput", "retrieval_context")


def rag_set(tool: str, questions: Iterable[Question]) -> str:
    """The file of *tool*. All but Ragas have metadata, in which each question goes along whole."""
    rows: list[dict[str, Any]] = []
    for q in questions:
        contexts = [nugget.spans[0].quote for nugget in q.evidence if nugget.spans]
        ours = {OURS: q.as_json()}
        forms: dict[str, dict[str, Any]] = {
            "ragas": {
                "user_input": q.text,
                "reference": q.reference or None,
                "reference_contexts": contexts,
            },
            "deepeval": {
                "input": q.text,
                "expected_output": q.reference or None,
                "context": contexts,
                "retrieval_context": None,
                "source_file": q.source or None,
                "additional_metadata": ours,
            },
            "langfuse": {
                "datasetName": "gold",
                "id": q.id,
                "input": {"question": q.text},
                "expectedOutput": {"answer": q.reference, "contexts": contexts},
                "metadata": ours,
            },
            "langsmith": {
                "inputs": {"question": q.text},
                "outputs": {"answer": q.reference, "contexts": contexts},
                "metadata": ours,
                "split": "dev",
            },
        }
        rows.append(forms[tool])
    return json.dumps(rows, indent=1) + "\n" if tool == "deepeval" else dumped(rows)


def rows_of_rag_set(
    text: str, file: str, corpus: Corpus | None
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Objects as in ``gold.jsonl``, and what was lost, counted, in words.

    A question of ours comes back whole. Of others, contexts are looked up in *corpus* word for word: each
    is a nugget, and every document that holds it an alternative. What a system answered is no gold.
    """
    rows: list[dict[str, Any]] = []
    lost: Counter[str] = Counter()
    for _, thing in json_lines(text, file):
        whole = _ours(thing)
        if whole is not None:
            rows.append(dict(whole))
            continue
        flat = _flat(thing)
        for name in SYSTEM:
            if flat.get(name):
                lost[f"{name}: what a system gave is no gold"] += 1
        ask = _first(flat, ASK)
        if not isinstance(ask, str) or not ask.strip():
            lost["rows have no question"] += 1
            continue
        contexts = _first(flat, CONTEXTS) or []
        evidence = [
            found
            for context in ([contexts] if isinstance(contexts, str) else contexts)
            if (found := _placed(str(context), corpus, lost)) is not None
        ]
        answer = _first(flat, ANSWER)
        if not evidence:
            lost["questions have no context that is in the corpus, and are left out"] += 1
            continue
        row: dict[str, Any] = {"id": str(flat.get("id") or f"q{len(rows) + 1:03d}"), "text": ask}
        row |= {"evidence": evidence, "reference": answer if isinstance(answer, str) else ""}
        if flat.get("synthesizer_name"):
            row |= {"origin": "synthetic", "authoring": {"by": "", "model": str(flat["synthesizer_name"])}}
        rows.append(row)
    return rows, tuple(f"{n} {what}" for what, n in sorted(lost.items()))


def _ours(thing: Mapping[str, Any]) -> Mapping[str, Any] | None:
    for key in ("metadata", "additional_metadata", "additionalMetadata"):
        inner = thing.get(key)
        if isinstance(inner, Mapping) and isinstance(inner.get(OURS), Mapping):
            found: Mapping[str, Any] = inner[OURS]
            return found
    return None


def _flat(thing: Mapping[str, Any]) -> dict[str, Any]:
    """One level: what lies in input, inputs, outputs or expectedOutput comes up."""
    made = dict(thing)
    for key in ("input", "inputs", "expectedOutput", "outputs", "reference_outputs"):
        inner = thing.get(key)
        if isinstance(inner, Mapping):
            made.pop(key, None)
            made |= inner
    return made


def _first(thing: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((thing[name] for name in names if thing.get(name)), None)


def _placed(context: str, corpus: Corpus | None, lost: Counter[str]) -> dict[str, Any] | None:
    words = context.strip()
    if corpus is None or not words:
        lost["contexts could not be looked up: give --corpus"] += corpus is None
        return None
    spans = [
        {"doc": str(document.id), "start": at, "end": at + len(words), "quote": words}
        for document in corpus
        if (at := document.text.find(words)) >= 0
    ]
    if not spans:
        lost["contexts are in no document word for word"] += 1
        return None
    return {"nugget": "", "vital": True, "spans": spans}
