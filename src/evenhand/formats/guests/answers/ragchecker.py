"""RAGChecker's results (``{"results": [...]}``): answers, claims, and what its checker found of each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.guests.answers.export import Outgoing, reference_of, shown
from evenhand.formats.guests.answers.rows import Taking, passage_of, rows_of
from evenhand.metrics.catalogue.claims import Claimed, Said
from evenhand.model.answer import Generation, Passage

__all__ = ["claimed_of", "read", "write"]

KEPT = "ragchecker"  # under this name of a generation's extra lies what was found
LABELS = {"Entailment": True, "Neutral": False, "Contradiction": False}
BY_CLAIM = {"answer2response": "response_claims", "response2answer": "gt_answer_claims"}
BY_PASSAGE = {"retrieved2response": "response_claims", "retrieved2answer": "gt_answer_claims"}


def read(text: str, taking: Taking) -> None:
    """Take in every result; its metrics are not carried over, since they follow from what was found."""
    for number, row in rows_of(text, taking.file):
        where = f"{taking.file}: results[{number - 1}]"
        for name in ("query", "retrieved_context"):
            if name not in row:
                raise InputError(f"{where}: has no {name!r}", mend="give the file as RAGChecker wrote it")
        passages = _passages(row["retrieved_context"], where)
        claims = _claims(row.get("response_claims"), f"{where}: response_claims")
        found: dict[str, Any] = {}
        if all(row.get(name) is not None for name in (*BY_CLAIM, *BY_PASSAGE)):
            found = {KEPT: _found(row, len(passages), where)}
        else:
            taking.lose("rows have not all that its checker finds: their claims have no rates")
        if row.get("metrics"):
            taking.lose("rows have metrics of its own: they are counted anew from what was found")
        if isinstance(row.get("gt_answer"), str):
            found["reference"] = row["gt_answer"]
        before = len(taking.made)
        response = row.get("response")
        taking.answer(
            topic=str(row.get("query_id", number)),
            ask=str(row["query"]),
            text=response if isinstance(response, str) else None,
            passages=passages,
            extra=found,
        )
        one = taking.made[before]
        items = tuple(replace(item, claims=claims) for item in one.items)
        taking.made[before] = replace(one, items=items)


def write(out: Outgoing) -> str:
    """What its checker takes: a result an answer, with the reference that it needs."""
    out.without_metadata("RAGChecker")
    rows = []
    for row in out:
        one, item, *_ = row
        reference = reference_of(one)
        if item is None or reference is None:
            out.lose("answers without a response or a reference, which RAGChecker cannot check, are left out")
            continue
        out.wrote(row, findings=(), ratings=False)
        rows.append(
            {
                "query_id": one.topic,
                "query": one.ask,
                "gt_answer": reference,
                "response": shown(item),
                "retrieved_context": [{"doc_id": p.unit, "text": p.text} for p in one.passages],
            }
        )
    return json.dumps({"results": rows}, indent=1) + "\n"


def claimed_of(one: Generation) -> Claimed | None:
    """The claims of an answer and its reference as RAGChecker's checker found them; None where it did not."""
    found = one.extra.get(KEPT)
    if not isinstance(found, Mapping) or not one.items:
        return None
    said = {name: tuple(found[name]) for name in BY_CLAIM}
    by_passage = {name: tuple(tuple(line) for line in found[name]) for name in BY_PASSAGE}
    return Claimed(
        correct=said["answer2response"],
        held=by_passage["retrieved2response"],
        made=said["response2answer"],
        there=by_passage["retrieved2answer"],
    )


def _passages(given: Any, where: str) -> tuple[Passage, ...]:
    if not isinstance(given, list):
        raise InputError(
            f"{where}: retrieved_context is no list", mend="write [] where nothing was retrieved"
        )
    made = []
    for place, one in enumerate(given, start=1):
        named = one.get("doc_id") if isinstance(one, Mapping) else None
        passage = passage_of(one, place, named)
        if passage is None:
            raise InputError(
                f"{where}: retrieved_context[{place - 1}] has no text", mend="give each passage its text"
            )
        made.append(replace(passage, unit=str(named)) if named is not None else passage)
    return tuple(made)


def _claims(given: Any, where: str) -> tuple[str, ...]:
    """Claims as texts; one that is a triplet becomes its parts in their order."""
    if given is None:
        return ()
    if not isinstance(given, list):
        raise InputError(f"{where}: is no list", mend="give the file as RAGChecker wrote it")
    return tuple(one if isinstance(one, str) else " ".join(map(str, one)) for one in given)


def _found(row: Mapping[str, Any], passages: int, where: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, claims in {**BY_CLAIM, **BY_PASSAGE}.items():
        given, wanted = row[name], len(row.get(claims) or ())
        if not isinstance(given, list) or len(given) != wanted:
            raise InputError(
                f"{where}: {name} does not match {claims}: {wanted} claims",
                mend="write one entry a claim, as RAGChecker does",
            )
        if name in BY_CLAIM:
            made[name] = [_said(one, f"{where}: {name}[{i}]") for i, one in enumerate(given)]
        else:
            made[name] = [_line(one, passages, f"{where}: {name}[{i}]") for i, one in enumerate(given)]
    return made


def _line(given: Any, passages: int, where: str) -> Sequence[Said]:
    if not isinstance(given, list) or len(given) != passages:
        raise InputError(
            f"{where}: expected one label for each of {passages} passages", mend="write one a passage"
        )
    return [_said(one, where) for one in given]


def _said(given: Any, where: str) -> Said:
    """What a label says; None where the checker said nothing."""
    if given is None:
        return None
    if not isinstance(given, str) or given not in LABELS:
        raise InputError(
            f"{where}: the label {given!r} is not known", mend=f"use one of: {', '.join(LABELS)}"
        )
    return LABELS[given]
