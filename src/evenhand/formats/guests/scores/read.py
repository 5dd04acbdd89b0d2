"""Scores that other tools gave each question, under names that mean here what they meant there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.cells import OddNumber, number_cell
from evenhand.formats.encoding import decode
from evenhand.formats.guests.answers.rows import ASK, GIVEN, IDS, META, NAMED, REFERENCE, SAID, rows_of
from evenhand.formats.guests.foreign_file import of_form
from evenhand.formats.guests.parquet_rows import parquet_rows
from evenhand.formats.guests.rag_table import rows_at, text_at
from evenhand.formats.guests.scores.mteb_results import rows_of_results
from evenhand.formats.guests.scores.names import ours
from evenhand.formats.raw_bytes import read_bytes
from evenhand.model.json_text import loads
from evenhand.text.plural import counted

__all__ = ["READS", "Scored", "read_scores"]

MULTI = "recall_multi_hit"
MORE_IDS = (
    *("", "unnamed: 0", "index", "idx", "row", "item", "sample", "example", "case", "test", "item_id"),
    *("sample_id", "example_id", "case_id", "test_id", "doc_id", "request_id", "trace_id", "traceid"),
    *("span_id", "context.span_id"),
)
# what was asked, given and answered, what is said of it, and what it cost
NOT_SCORES = frozenset(
    [
        *(*IDS, *ASK, *SAID, *GIVEN, *NAMED, *REFERENCE, *META),
        *("comment", "reason", "explanation", "query_length", "token_cost", "completion_time"),
        *("latency", "cost"),
    ]
)


@dataclass
class Scored:
    """The scores of one file: by metric and question, None where nothing was measured."""

    system: str
    tool: str
    key: str = ""
    values: dict[str, dict[str, float | None]] = field(default_factory=dict)
    called: dict[str, tuple[str, str]] = field(default_factory=dict)  # ours -> (theirs, what is to be known)
    losses: Counter[str] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def take(self, question: str, name: str, value: Any, *, where: str = "") -> None:
        """One score; NaN, nothing and None were not measured, and are never 0.

        Raises InputError, which names the place, for a text that is no number.
        """
        metric, remark = ours(self.tool, name)
        self.called.setdefault(metric, (name, remark))
        known = self.values.setdefault(metric, {})
        if question in known:
            self.losses["scores repeat a question and metric: the first stands"] += 1
            return
        try:
            known[question] = number_cell(value)
        except ValueError as error:
            place = f"{where}: " if where else ""
            raise InputError(
                f"{place}{name} of {question} is {str(value)[:40]!r} ({error})",
                mend="write a number such as 0.75, or leave it empty where nothing was measured",
            ) from None
        self.losses["values were not measured (empty, NaN, None or N/A)"] += known[question] is None
        self.losses = +self.losses

    def told(self) -> tuple[str, ...]:
        """All losses in words, each with its count."""
        return tuple(counted(n, what) for what, n in sorted(self.losses.items()))


def _asked(row: Mapping[str, Any]) -> Any:
    return next((row[name] for name in ASK if isinstance(row.get(name), str) and row[name]), None)


def _question(row: Mapping[str, Any], number: int, column: str = "") -> str:
    names = (column,) if column else IDS
    given = next((row[name] for name in names if row.get(name) not in (None, "")), None)
    asked = None if column else _asked(row)
    if given is not None:
        return str(given)
    return f"q{sha256(asked.strip().encode()).hexdigest()[:12]}" if asked else f"q{number:03d}"


def _id_column(path: Path, names: Iterable[str], wanted: str) -> str:
    """The column that names the question; nothing where it is the question itself, by the usual names."""
    if wanted:
        if wanted not in names:
            raise InputError(f"{path.name} has no column {wanted!r}", mend=nearest(wanted, names))
        return wanted
    if any(name in names for name in (*IDS, *ASK)):
        return ""
    found = next((name for name in names if name.strip().lower() in MORE_IDS), None)
    if found is None:
        raise InputError(
            f"{path.name} has no column that names the question (found {', '.join(names)})",
            mend=f"say which it is: --id {next(iter(names), 'COLUMN')!r}",
        )
    return found


def _columns(path: Path, scored: Scored) -> None:
    """Rows with a column a metric: every column of numbers that does not say what was asked or given."""
    rows = list(_table(path))
    names = dict.fromkeys(name for _, row in rows for name in row)
    key = _id_column(path, names, scored.key)
    if "value" in names and ("metric" in names or "score_name" in names or {"id", "name"} <= {*names}):
        raise InputError(
            f"{path.name} has a row a score, not a row a question", mend="give each score a column of its own"
        )
    read = []
    for name in names:
        if name == key or name in NOT_SCORES or name.strip().lower() in MORE_IDS:
            continue
        odd, numbers, cells = _looked_at(path, name, rows, key)
        if not numbers:
            continue
        if odd is not None and 2 * numbers >= cells:
            raise odd
        if odd is not None:
            few = f"{numbers} of {cells} cells are numbers"
            scored.warnings += (f"{odd.what}; the column is not read: {few}",)
            continue
        read.append(name)
        for number, (_, row) in enumerate(rows, start=1):
            scored.take(_question(row, number, key), name, row.get(name))
    if read:
        by = key or next(name for name in (*IDS, *ASK) if name in names)
        scored.notes += (f"{path.name}: read as scores: {', '.join(read)}; question: {by}",)


def _looked_at(
    path: Path, name: str, rows: list[tuple[int, dict[str, Any]]], key: str
) -> tuple[InputError | None, int, int]:
    """The first cell of a column that is no number, as an error that names it; numbers; cells with a value.

    A number that is spelled in another way (a decimal comma, a percentage) counts as one.
    """
    odd, numbers, cells = None, 0, 0
    for at, (line, row) in enumerate(rows, start=1):
        value = row.get(name)
        try:
            made = None if isinstance(value, list | dict) else number_cell(value)
            numbers, cells = numbers + (made is not None), cells + (made is not None)
            cells += isinstance(value, list | dict)
        except ValueError as error:
            numbers, cells = numbers + isinstance(error, OddNumber), cells + 1
            why = f" ({error})" if isinstance(error, OddNumber) else ""
            odd = odd or InputError(
                f"{path.name}:{line}: row {_question(row, at, key)}, column {name}: "
                f"{str(value)[:40]!r} is no number{why}",
                mend="write a number such as 0.75, or leave the cell empty where nothing was measured",
            )
    return odd, numbers, cells


def _table(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of JSON, JSON lines, a table of commas or tabs, or Parquet."""
    if read_bytes(path).startswith(b"PAR1"):
        yield from enumerate(parquet_rows(path, mend="write it again"), start=1)
        return
    yield from rows_at(path)


def _cases(path: Path, scored: Scored) -> None:
    """DeepEval's test runs: each case holds its metrics."""
    for number, row in rows_of(text_at(path), path.name):
        for one in row.get("metricsData") or row.get("metrics_data") or ():
            at = f"{path.name}, case {number}"
            scored.take(_question(row, number), str(one["name"]), one.get("score"), where=at)


def _between(value: Any) -> bool:
    return isinstance(value, float) and 0 < value < 1


def _haystack(path: Path, scored: Scored) -> None:
    whole = loads(text_at(path), parse_constant=lambda _: None)
    scored.system = str(whole.get("run_name") or scored.system)
    asked = next((v for k, v in whole["inputs"].items() if k in ("questions", "question", "query")), None)
    for name, result in whole["results"].items():
        each = result["individual_scores"]
        halves = any(_between(value) for value in each)
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
    for at, line in enumerate(decode(read_bytes(path), where=path.name)[0].splitlines(), start=1):
        cells = line.split()
        # trec_eval prints the run's name as a measure of all
        if len(cells) == 3 and cells[1] != "all":
            scored.take(cells[1], cells[0], cells[2], where=f"{path.name}:{at}")


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
    "table": _columns,
}
READS = tuple(READERS)


def read_scores(path: Path, tool: str = "table", *, system: str = "", key: str = "") -> Scored:
    """The scores of a file of *tool*; the system is called after the file where nothing else says.

    ``table`` is anybody's: CSV, tabs, JSON, JSON lines or Parquet with a column a score. *key* is the column
    that names the question, where none has a usual name.
    Raises InputError for a file that is not of this kind, or holds no score.
    """
    if tool not in READS:
        raise InputError(f"no scores are read from {tool!r}", mend=nearest(tool, READS))
    if key and READERS[tool] is not _columns:
        raise InputError(f"a file of {tool} has no columns", mend="leave --id out")
    scored = Scored(system or path.name.split(".")[0], tool, key)
    with of_form(path.name, tool, mend="give the scores of each question as the tool wrote them"):
        READERS[tool](path, scored)
    if not any(value is not None for of in scored.values.values() for value in of.values()):
        raise InputError(
            f"{path.name} holds no score of a question",
            mend="means alone, without questions, are for `evenhand audit`",
        )
    return scored
