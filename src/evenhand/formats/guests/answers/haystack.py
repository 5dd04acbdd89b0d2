"""Haystack's ``EvaluationRunResult``: inputs as columns, results by metric."""

from __future__ import annotations

import json
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.guests.answers.export import Outgoing, reference_of, shown
from evenhand.formats.guests.answers.rows import Taking, id_of_words, passages_of
from evenhand.model.json_text import loads

__all__ = ["read", "write"]

ASK = ("questions", "question", "query", "queries")
SAID = ("predicted_answers", "predicted_answer", "responses", "answers")
GIVEN = ("contexts", "retrieved_documents", "documents")
TRUE = ("ground_truth_answers", "ground_truth_answer", "true_answers")


def read(text: str, taking: Taking) -> None:
    """One answer a row of the columns; documents may be texts or serialized ``Document``s."""
    try:
        whole = loads(text, parse_constant=lambda _: None)
    except ValueError as error:
        raise InputError(
            f"{taking.file}: {error}", mend="dump run_name, inputs and results as JSON"
        ) from error
    inputs = whole.get("inputs", whole) if isinstance(whole, dict) else None
    asked = _column(inputs, ASK)
    if not isinstance(inputs, dict) or asked is None:
        raise InputError(
            f"{taking.file}: has no column of questions",
            mend='write {"run_name": "…", "inputs": {"questions": […], "contexts": […]}, "results": {}}',
        )
    taking.system = taking.system if taking.system != "haystack" else str(whole.get("run_name") or "haystack")
    said, given, true = (_column(inputs, names) for names in (SAID, GIVEN, TRUE))
    for name in whole.get("results") or {}:
        taking.lose(f"scores called {name!r}: answers are measured anew")
    for name in inputs:
        if name not in (*ASK, *SAID, *GIVEN, *TRUE):
            taking.lose(f"columns called {name!r}")
    for i, ask in enumerate(asked):
        if not isinstance(ask, str) or not ask.strip():
            taking.lose("rows have no question, and are left out")
            continue
        answer, found, reference = (
            column[i] if column is not None and i < len(column) else None for column in (said, given, true)
        )
        taking.answer(
            topic=id_of_words(ask),
            ask=ask,
            text=answer if isinstance(answer, str) else None,
            passages=passages_of(found, taking),
            extra={"reference": reference} if isinstance(reference, str) else {},
        )


def _column(inputs: Any, names: tuple[str, ...]) -> list[Any] | None:
    found = (
        next((inputs[name] for name in names if name in inputs), None) if isinstance(inputs, dict) else None
    )
    return found if isinstance(found, list) else None


def write(out: Outgoing) -> str:
    """What ``EvaluationRunResult(**json)`` takes; each check is a metric: its score the share that passed.

    It knows no row without a score: topics that gave nothing, and checks that are not decided in every row,
    are left out and counted.
    """
    out.without_metadata("Haystack", findings=False)
    rows = [row for row in out if row[1] is not None]
    out.lose("topics gave no item, and are left out of every score", len(list(out)) - len(rows))
    names = sorted({one.check for _, _, _, found, _ in rows for one in found})
    results: dict[str, Any] = {}
    for name in names:
        each = [
            next((float(f.passed) for f in found if f.check == name and f.passed is not None), None)
            for _, _, _, found, _ in rows
        ]
        decided = [value for value in each if value is not None]
        if len(decided) < len(each):
            out.lose("checks are not decided in every row, and are left out")
            continue
        results[f"check/{name}"] = {"score": sum(decided) / len(decided), "individual_scores": each}
    out.lose("ratings: Haystack has no place for them", sum(len(rated) for *_, rated in rows))
    for row in rows:
        once = {f.check: f for f in reversed(row[3]) if f"check/{f.check}" in results}
        out.wrote(row, findings=once.values(), ratings=False)
    systems = sorted({one.system for one in out.generations})
    made = {
        "run_name": ", ".join(systems),
        "inputs": {
            "questions": [one.ask for one, *_ in rows],
            "contexts": [[passage.text for passage in one.passages] for one, *_ in rows],
            "predicted_answers": [None if item is None else shown(item) for _, item, *_ in rows],
            "ground_truth_answers": [reference_of(one) for one, *_ in rows],
        },
        "results": results,
    }
    out.lose("rows lose which of several systems they are of", len(rows) if len(systems) > 1 else 0)
    out.lose("passages lose their id and document", sum(len(one.passages) for one, *_ in rows))
    return json.dumps(made, indent=1, allow_nan=False) + "\n"
