"""Scores that other tools gave each question, under names that mean here what they meant there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.encoding import decode
from evenhand.formats.guests.mteb_results import rows_of_results
from evenhand.formats.guests.outputs import ASK, IDS, rows_of
from evenhand.formats.guests.score_names import ours
from evenhand.formats.guests.sets.rag_rows import rows_at, text_at
from evenhand.formats.of_form import of_form
from evenhand.formats.raw_bytes import read_bytes

__all__ = ["READS", "Scored", "read_scores"]

MULTI = "recall_multi_hit"
NOT_SCORES = ("query_length", "token_cost", "completion_time", "latency", "cost")


@dataclass
class Scored:
    """The scores of one file: by metric and question, None where nothing was measured."""

    system: str
    tool: str
    values: dict[str, dict[str, float | None]] = field(default_factory=dict)
    called: dict[str, tuple[str, str]] = field(default_factory=dict)  # ours -> (theirs, what is to be known)
    losses: Counter[str] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()

    def take(self, question: str, name: str, value: Any) -> None:
        """One score; NaN, nothing and what is no number were not measured, and are never 0."""
        metric, remark = ours(self.tool, name)
        self.called.setdefault(metric, (name, remark))
        known = self.values.setdefault(metric, {})
        if question in known:
            self.losses["scores repeat a question and metric: the first stands"] += 1
            return
        known[question] = _number(value)

    def told(self) -> tuple[str, ...]:
        """All losses in words, each with its count."""
        return tuple(f"{n} {what}" for what, n in sorted(self.losses.items()))


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return float(value)
    try:
        made = float(value)
    except (TypeError, ValueError):
        return None
    return made if abs(made) < float("inf") else None


def _question(row: Mapping[str, Any], number: int) -> str:
    given = next((row[name] for name in IDS if row.get(name) not in (None, "")), None)
    asked = next((row[name] for name in ASK if isinstance(row.get(name), str) and row[name]), None)
    if given is not None:
        return str(given)
    return f"q{sha256(asked.strip().encode()).hexdigest()[:12]}" if asked else f"q{number:03d}"


def _columns(path: Path, scored: Scored) -> None:
    """Rows with a column a metric: what holds numbers alone, and does not say what was asked or given."""
    rows = [row for _, row in rows_at(path)]
    if not any(name in row for row in rows for name in ASK):
        raise InputError(
            f"{path.name} has no column of questions", mend="give the scores as to_pandas has them"
        )
    names = dict.fromkeys(name for row in rows for name in row)
    for name in names:
        values = [row.get(name) for row in rows]
        told = [value for value in values if value not in (None, "") and str(value).lower() != "nan"]
        if name in (*IDS, *ASK, *NOT_SCORES) or not told:
            continue
        if any(isinstance(value, list | dict) or _number(value) is None for value in told):
            continue
        for number, (row, value) in enumerate(zip(rows, values, strict=True), start=1):
            scored.take(_question(row, number), name, value)


def _cases(path: Path, scored: Scored) -> None:
    """DeepEval's test runs: each case holds its metrics."""
    for number, row in rows_of(text_at(path), path.name):
        for one in row.get("metricsData") or row.get("metrics_data") or ():
            scored.take(_question(row, number), str(one["name"]), one.get("score"))


def _haystack(path: Path, scored: Scored) -> None:
    whole = json.loads(text_at(path), parse_constant=lambda _: None)
    scored.system = str(whole.get("run_name") or scored.system)
    asked = next((v for k, v in whole["inputs"].items() if k in ("questions", "question", "query")), None)
    for name, result in whole["results"].items():
        each = result["individual_scores"]
        halves = any(0 < (_number(value) or 0) < 1 for value in each)
        called = MULTI if halves and ours("haystack", name)[0] == "Success" else name  # the values decide
        for i, value in enumerate(each):
            question = _question({"query": asked[i]} if asked else {}, i + 1)
            scored.take(question, called, value)


def _results(path: Path, scored: Scored) -> None:
    """LlamaIndex's results; its average precision is AP only where no ranking holds a unit twice."""
    for number, row in rows_of(text_at(path), path.name):
        found = row.get("retrieved_ids") or ()
        scored.losses["rankings hold a unit twice, which its ap and ndcg count twice"] += len(
            set(found)
        ) < len(found)
        for name, value in row["metric_dict"].items():
            scored.take(_question(row, number), name, value["score"] if isinstance(value, Mapping) else value)
    scored.losses = +scored.losses


def _trec_eval(path: Path, scored: Scored) -> None:
    """What ``trec_eval -q`` prints; the line of all questions follows from the others."""
    for line in decode(read_bytes(path), where=path.name)[0].splitlines():
        cells = line.split()
        if len(cells) == 3 and cells[1] != "all" and _number(cells[2]) is not None:
            scored.take(cells[1], cells[0], cells[2])


def _mteb(path: Path, scored: Scored) -> None:
    """Means of whole tasks: where there are several, they stand where questions would."""
    for task, found, others in rows_of_results(path):
        scored.losses["scores are none of a ranking at a cutoff of 10"] += others
        for name, value in found.items():
            scored.take(task, name, value)
    scored.notes += (
        "what is counted are tasks, splits and languages, not questions: MTEB's files hold their means",
    )


READERS: Mapping[str, Callable[[Path, Scored], None]] = {
    "ragas": _columns,
    "deepeval": _cases,
    "haystack": _haystack,
    "llama-index": _results,
    "trec_eval": _trec_eval,
    "mteb": _mteb,
}
READS = tuple(READERS)


def read_scores(path: Path, tool: str, *, system: str = "") -> Scored:
    """The scores of a file of *tool*; the system is called after the file where nothing else says.

    Raises InputError for a file that is not of this kind, or holds no score.
    """
    if tool not in READS:
        raise InputError(f"no scores are read from {tool!r}", mend=nearest(tool, READS))
    scored = Scored(system or path.name.split(".")[0], tool)
    with of_form(path.name, tool, mend="give the scores of each question as the tool wrote them"):
        READERS[tool](path, scored)
    if not any(value is not None for of in scored.values.values() for value in of.values()):
        raise InputError(
            f"{path.name} holds no score of a question",
            mend="means alone, without questions, are for `evenhand audit`",
        )
    return scored
