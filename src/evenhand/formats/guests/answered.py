"""Generated answers in and out of other tools, by the name of the tool."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.answers import answers_text, generation_json, parse_answers
from evenhand.formats.encoding import decode
from evenhand.formats.guests import langfuse_traces, openinference, ragchecker
from evenhand.formats.guests.outputs import OURS, Brought, Taking, answer_row, rows_of
from evenhand.formats.guests.tasks import dumped
from evenhand.formats.raw_bytes import read_bytes, write_bytes
from evenhand.model.answer import Finding, Generation, Item, Rating

__all__ = ["READS", "WRITES", "export_answers", "import_answers"]

READS = ("jsonl", "ragas", "deepeval", "langfuse", "openinference", "ragchecker")
WRITES = ("jsonl", "ragas", "deepeval", "langfuse")


def import_answers(path: str | os.PathLike[str], tool: str, *, system: str = "") -> Brought:
    """The generations of a tool's file; ``lost`` says what it could not carry, each with its count.

    ``jsonl`` is ours, or plain rows with a question and a response by any usual name. *system* names who
    answered where the file does not; without it the tool's name stands for it. A missing response is a
    fault (it can be run again), an empty one counts against the model. Raises InputError for a file that is
    not of this kind.
    """
    if tool not in READS:
        raise InputError(f"nothing is read from {tool!r}", mend=nearest(tool, READS))
    file = Path(path).name
    text, _ = decode(read_bytes(path), where=file)
    if tool == "jsonl" and _ours(text, file):
        return Brought(generations=tuple(parse_answers(text, file)), lost=())
    joined = "|" if tool == "deepeval" else ""  # as its JSON lines and CSV have lists
    taking = Taking(file, system or ("" if tool == "jsonl" else tool), joined)
    try:
        if tool == "langfuse":
            return langfuse_traces.read(text, taking)
        if tool == "openinference":
            return openinference.read(text, taking)
        if tool == "ragchecker":
            ragchecker.read(text, taking)
            return taking.done()
        for number, row in rows_of(text, file):
            answer_row(row, number, taking)
    except (TypeError, AttributeError, KeyError, IndexError, RecursionError) as error:
        raise InputError(
            f"{file} has not the form of {tool} ({error})", mend="give the file as the tool exported it"
        ) from error
    return taking.done()


def _ours(text: str, file: str) -> bool:
    for _, row in rows_of(text, file):
        return "ask" in row and "system" in row and ("passages" in row or "items" in row or "state" in row)
    return False


def export_answers(
    path: str | os.PathLike[str],
    tool: str,
    generations: Iterable[Generation],
    findings: Iterable[Finding] = (),
    ratings: Iterable[Rating] = (),
) -> tuple[str, ...]:
    """Write JSON lines for *tool* with what checks found and how people rated; returns what it cannot carry.

    A row an item (and a row for a topic that gave none). The generation goes along whole as metadata, so
    that an import of ours gets it back; Ragas has no place for metadata. ``jsonl`` is ours and holds no
    findings or ratings: these have files of their own.
    """
    if tool not in WRITES:
        raise InputError(f"nothing is written for {tool!r}", mend=nearest(tool, WRITES))
    generations = list(generations)
    if tool == "jsonl":
        write_bytes(path, answers_text(generations).encode())
        return tuple(
            f"{n} {what}: they have a file of their own"
            for what, n in (("findings", len(list(findings))), ("ratings", len(list(ratings))))
            if n
        )
    found, rated = defaultdict[str, list[Finding]](list), defaultdict[str, list[Rating]](list)
    for finding in findings:
        found[finding.item].append(finding)
    for rating in ratings:
        rated[rating.item].append(rating)
    rows: list[Mapping[str, Any]] = []
    lost: Counter[str] = Counter()
    for generation in generations:
        for item in generation.items or (None,):
            ours = generation_json(replace(generation, items=() if item is None else (item,)))
            own, given = (found[item.id], rated[item.id]) if item is not None else ([], [])
            if tool == "langfuse":
                rows += langfuse_traces.rows(generation, item, ours, own, given)
            elif tool == "deepeval":
                rows.append(_deepeval(generation, item, ours, own, given))
            else:
                rows.append(_ragas(generation, item, own, given))
                _losses(generation, item, lost)
    write_bytes(path, dumped(rows).encode())
    return tuple(f"{n} {what}" for what, n in sorted(lost.items()))


def _shown(item: Item) -> str:
    """An item as one text: options with letters, the key or answer behind it."""
    options = [f"{chr(65 + i)}) {option}" for i, option in enumerate(item.options[:26])]
    key = chr(65 + item.key) if item.key is not None and 0 <= item.key < len(options) else ""
    answer = item.answer or key
    return "\n".join([item.text, *options, *([f"Answer: {answer}"] if answer else [])])


def _judged(findings: list[Finding], ratings: list[Rating]) -> dict[str, Any]:
    made: dict[str, Any] = {
        f"check/{one.check}": None if one.passed is None else int(one.passed) for one in findings
    }
    for i, rating in enumerate(ratings, start=1):
        made |= {f"rating{i}/{name}": said for name, said in rating.given.items()}
        made[f"rating{i}/rater"] = rating.rater
        made[f"rating{i}/checks_shown_before_rating"] = rating.checks_shown_before_rating
        made[f"rating{i}/after_checks"] = list(rating.after_checks)
    return made


def _ragas(
    generation: Generation, item: Item | None, findings: list[Finding], ratings: list[Rating]
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "user_input": generation.ask,
        "retrieved_contexts": [passage.text for passage in generation.passages],
        "retrieved_context_ids": [passage.unit for passage in generation.passages],
    }
    if item is not None:
        row["response"] = _shown(item)
    reference = generation.extra.get("reference")
    if isinstance(reference, str):
        row["reference"] = reference
    return row | _judged(findings, ratings)


def _losses(generation: Generation, item: Item | None, lost: Counter[str]) -> None:
    if item is None:
        lost[f"topics were {generation.state}: Ragas has no place for why there is no response"] += 1
    elif item.kind != "answer":
        lost["study items: their options and key are in the text of the response"] += 1
    if item is not None and item.citations:
        lost["items have citations given apart: Ragas has no place for them"] += 1
    if generation.expect:
        lost["rows have an expectation (answer, abstain, clarify): Ragas has no place for it"] += 1


def _deepeval(
    generation: Generation,
    item: Item | None,
    ours: Mapping[str, Any],
    findings: list[Finding],
    ratings: list[Rating],
) -> dict[str, Any]:
    reference = generation.extra.get("reference")
    return {
        "input": generation.ask,
        "actual_output": None if item is None else _shown(item),
        "expected_output": reference if isinstance(reference, str) else None,
        "retrieval_context": [passage.text for passage in generation.passages],
        "name": item.id if item is not None else f"{generation.system}/{generation.topic}",
        "additional_metadata": {OURS: dict(ours), **_judged(findings, ratings)},
    }
