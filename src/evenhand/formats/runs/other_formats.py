"""Run and qrels files that are not TREC text: JSON, JSON lines, tables of tabs or commas, Parquet."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from evenhand.errors import InputError
from evenhand.formats.cells import OddNumber, number_cell
from evenhand.formats.runs.rows import Rows
from evenhand.formats.runs.trec_lines import number
from evenhand.formats.tables import rows_of
from evenhand.model.json_text import loads

__all__ = ["COLUMNS", "columns_of", "parse_json", "parse_lines", "parse_table"]

# what other tools call the columns
COLUMNS = {
    "question": (
        "question",
        "query-id",
        "query_id",
        "qid",
        "q_id",
        "query",
        "topic",
        "question_id",
        "topic_id",
    ),
    "unit": (
        "unit",
        "corpus-id",
        "corpus_id",
        "docid",
        "doc_id",
        "docno",
        "did",
        "document",
        "doc",
        "unit_id",
    ),
    "value": ("score", "rel", "relevance", "grade", "label", "sim", "qrel"),
    "extra": ("rank",),
}
SHAPES = 'an object of objects, {"question": {"unit": number}}'


def _bytes(name: Any) -> bytes | None:
    return name.encode("utf-8", "surrogatepass") if isinstance(name, str) else None


def _fail(file: str, where: str, what: str, mend: str) -> InputError:
    return InputError(f"{file}{', ' if where else ''}{where}: {what}", mend=mend)


def parse_json(data: bytes, file: str, *, part: str = "") -> Rows:
    """Rows of an object of objects, ``{question: {unit: number}}`` (ranx, pytrec_eval), or of lists.

    ``{question: [unit, ...]}`` and ``{question: [[unit, number], ...]}`` are understood as rankings, best
    first. A key twice is an error: JSON readers would keep the last without a word. Predictions of MTEB,
    ``{subset: {split: {question: {unit: number}}}}``, need *part*, ``subset/split``, where they have several.
    """
    try:
        thing = loads(data.decode(), object_pairs_hook=lambda pairs: _once(pairs, file))
    except (ValueError, RecursionError) as error:
        raise _fail(file, "", f"not JSON: {error}", f"write {SHAPES}") from error
    if isinstance(thing, dict) and b"\n" not in data.strip() and _is_row(thing):
        return parse_lines(data, file)  # JSON lines of one line
    if isinstance(thing, dict) and ("mteb_model_meta" in thing or _deep(thing) >= 4):
        thing = _mteb(thing, file, part)
    if not isinstance(thing, dict):
        raise _fail(file, "", f"expected {SHAPES}, found a {type(thing).__name__}", f"write {SHAPES}")
    rows = Rows(file, place="")
    for question, ranking in thing.items():
        pairs: Iterable[Any] = ranking.items() if isinstance(ranking, dict) else ()
        if isinstance(ranking, list):
            count = len(ranking)
            pairs = [
                pair if isinstance(pair, list) and len(pair) == 2 else (pair, float(count - i))
                for i, pair in enumerate(ranking)
            ]
        elif not isinstance(ranking, dict):
            raise _fail(
                file, f"question {question!r}", f"found {json.dumps(ranking)[:60]}", f"write {SHAPES}"
            )
        for unit, value in pairs:
            _take(rows, question, unit, value, f"question {question!r}")
    return rows


def _is_row(thing: dict[str, Any]) -> bool:
    """Whether an object is one row or question rather than the rankings of all."""
    named = _column(thing, "question") is not None or "nuggets" in thing or "gold_ids" in thing
    return named and any(not isinstance(value, dict | list) for value in thing.values())


def _once(pairs: list[tuple[str, Any]], file: str) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        raise _fail(file, "", f"the key {twice!r} occurs twice in one object", "give each id once")
    return found


def _deep(thing: Any) -> int:
    """How many objects are nested, going down by the first key each."""
    deep = 0
    while isinstance(thing, dict) and deep < 5:
        deep += 1
        thing = next(iter(thing.values()), None)
    return deep


def _mteb(thing: Mapping[str, Any], file: str, part: str) -> Any:
    parts = {
        f"{subset}/{split}": ranking
        for subset, splits in thing.items()
        if subset != "mteb_model_meta" and isinstance(splits, dict)
        for split, ranking in splits.items()
    }
    if len(parts) == 1 and part in ("", *parts):
        return next(iter(parts.values()))
    if part in parts:
        return parts[part]
    names = ", ".join(parts) or "none"
    raise _fail(
        file,
        "",
        f"an MTEB file with the subsets and splits {names}",
        "cut out the one to be measured: evenhand convert FILE OUT --part SUBSET/SPLIT",
    )


def _number_mend(value: Any) -> str:
    try:
        number_cell(value)
    except OddNumber as error:
        return str(error)
    except ValueError:
        pass
    return "write a number"


def _take(rows: Rows, question: Any, unit: Any, value: Any, where: str) -> None:
    names = _bytes(question), _bytes(unit)
    if names[0] is None or names[1] is None:
        raise _fail(rows.file, where, f"ids are text, found {question!r} and {unit!r}", "put ids in quotes")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise _fail(
            rows.file, where, f"the value {value!r} of {unit!r} is not a finite number", _number_mend(value)
        )
    rows.question.append(names[0])
    rows.unit.append(names[1])
    rows.value.append(float(value))


def _column(names: Iterable[str], what: str) -> str | None:
    by_form = {name.strip().lower(): name for name in names}
    return next((by_form[alias] for alias in COLUMNS[what] if alias in by_form), None)


def columns_of(names: list[str], file: str, line: int) -> dict[str, str | None]:
    """What the columns are called here that hold the question, the unit and the value."""
    found = {what: _column(names, what) for what in COLUMNS}
    for what in ("question", "unit", "value"):
        if found[what] is None:
            raise _fail(
                file,
                f"line {line}" if line else "",
                f"no column for the {what} among {', '.join(names)[:80]}",
                f"call it one of: {', '.join(COLUMNS[what])}",
            )
    return found


def parse_lines(data: bytes, file: str) -> Rows:
    """Rows of JSON lines, one object a row; ids may hold blanks (LIMIT's ``qrels.jsonl``).

    Lines of FreshStack's queries give a row for each nugget and unit, those of BRIGHT's examples one for
    each gold unit and one for each that no ranking may hold.
    """
    rows = Rows(file)
    for at, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            thing = loads(line.decode())
        except ValueError as error:
            raise _fail(file, f"line {at}", f"not JSON: {error}", "one object a line") from error
        if not isinstance(thing, dict):
            raise _fail(file, f"line {at}", f"found a {type(thing).__name__}", "one object a line")
        if "nuggets" in thing or "gold_ids" in thing:
            try:
                _collection(rows, thing, at)
            except (TypeError, KeyError, AttributeError) as error:
                what = f"not a query of FreshStack or BRIGHT ({type(error).__name__}: {error})"
                raise _fail(file, f"line {at}", what, "give the file as it was published") from error
            continue
        of = columns_of(list(thing), file, at)
        _take(rows, thing[of["question"]], thing[of["unit"]], thing[of["value"]], f"line {at}")
        rows.line.append(at)
    return rows


def _collection(rows: Rows, thing: dict[str, Any], at: int) -> None:
    """The rows of one question of FreshStack or BRIGHT."""
    where = f"line {at}"
    if "nuggets" in thing:
        rows.nuggets = True
        question = thing.get("query_id", thing.get("_id"))
        for nugget in thing["nuggets"]:
            for grade, name in ((1, "relevant_corpus_ids"), (0, "non_relevant_corpus_ids")):
                for unit in nugget.get(name) or ():
                    _take(rows, question, unit, grade, where)
                    rows.extra.append(str(nugget["_id"]).encode())
                    rows.line.append(at)
        return
    question = str(thing.get("id"))
    out = [unit for unit in thing.get("excluded_ids") or () if unit != "N/A"]
    for unit in thing["gold_ids"]:
        _take(rows, question, unit, 1, where)
        rows.line.append(at)
    for unit in out:
        rows.excluded.add(len(rows.unit))
        _take(rows, question, unit, -1, where)
        rows.line.append(at)


def parse_table(data: bytes, file: str, *, separator: str) -> Rows:
    """Rows of a table with a header, separated by tabs (BEIR) or commas; ids are text, letter for letter."""
    rows = Rows(file)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = data.decode("latin-1")
        rows.notes["not_utf8"] = 1
    header, lines = rows_of(text, file, separator=separator, quoted=separator != "\t")
    of = columns_of(header, file, 1)
    place = {what: header.index(name) for what, name in of.items() if name is not None}
    for at, row in lines:
        if len(row) != len(header):
            raise _fail(
                file,
                f"line {at}",
                f"expected {len(header)} columns, found {len(row)}",
                "give every line all columns",
            )
        raw = row[place["value"]].strip().encode()
        value = number(raw)
        _take(
            rows,
            row[place["question"]],
            row[place["unit"]],
            raw.decode() if value is None else value,
            f"line {at}",
        )
        rows.line.append(at)
    return rows
