"""Rankings and judgements from what is in memory, and from Parquet: data frames, Arrow tables, dictionaries.

run = run_of(frame, system="bm25")          # columns such as query_id, doc_id, score
qrels = qrels_of({"q1": {"d1": 2}})
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError
from evenhand.formats.runs import rows as columns
from evenhand.formats.runs.id_hash import Ids, spare
from evenhand.formats.runs.judged_index import encoded, mixed
from evenhand.formats.runs.judged_scan import Interleaved
from evenhand.formats.runs.other_formats import columns_of
from evenhand.formats.runs.rows import ORDERS, Coded
from evenhand.formats.runs.stream import Piece
from evenhand.formats.runs.ungrouped import Held

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from evenhand.model.run import Qrels, Run

__all__ = ["FrameReader", "HeldFrame", "coded", "frame", "hashes", "qrels_of", "run_of", "usual"]

SEED = 1  # of the hashes by which rows of frames are known
ROWS = 1 << 17  # of a piece: few calls, and arrays that stay near the processor
SHAPES = (
    "a data frame (polars, pandas, Arrow) with columns query_id, doc_id and score, "
    "{question: {unit: number}}, or rows (question, unit, number)"
)


def run_of(thing: Any, *, system: str = "run", ties: str = "trec", lenient: bool = False) -> Run:
    """The run that *thing* holds, called *system*; see `trec.read_run` for the options."""
    if ties not in ORDERS:
        raise InputError(f"ties={ties!r} is not known", mend=f"use one of: {', '.join(ORDERS)}")
    found = coded(usual(frame(thing, kind="run"), where="the run"), file="the run")
    provenance = {"retriever": "object", "ties": ties}
    return columns.run_of(found, system=system, ties=ties, lenient=lenient, provenance=provenance)


def qrels_of(thing: Any, *, lenient: bool = False) -> Qrels:
    """The judgements that *thing* holds."""
    found = coded(usual(frame(thing, kind="qrels"), where="the qrels"), file="the qrels")
    return columns.grades_of(found, lenient=lenient)


def frame(thing: Any, *, kind: str) -> pl.DataFrame:
    """A polars frame of *thing*, whatever it is, with the columns it has."""
    import polars as pl

    if isinstance(thing, pl.LazyFrame):
        return thing.collect()
    if isinstance(thing, pl.DataFrame):
        return thing
    if isinstance(thing, Mapping):
        return _rows(_of_mapping(thing), kind=kind)
    if type(thing).__module__.partition(".")[0] == "pandas":
        # by column: pandas hands strings over only where pyarrow is installed
        return pl.DataFrame({str(name): _series(str(name), thing[name].tolist()) for name in thing.columns})
    if hasattr(thing, "__arrow_c_stream__") or hasattr(thing, "__arrow_c_array__"):
        return pl.DataFrame(thing)
    if isinstance(thing, Iterable) and not isinstance(thing, (str, bytes)):
        return _rows(_of_rows(thing), kind=kind)
    raise InputError(f"the {kind} is a {type(thing).__name__}", mend=f"give {SHAPES}")


def _of_mapping(thing: Mapping[Any, Any]) -> Iterable[tuple[Any, Any, Any]]:
    for question, ranking in thing.items():
        pairs = ranking.items() if isinstance(ranking, Mapping) else ranking
        if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
            raise InputError(f"question {question!r} has {ranking!r}", mend=f"give {SHAPES}")
        listed = list(pairs)
        for i, pair in enumerate(listed):
            if isinstance(pair, str):
                yield question, pair, float(len(listed) - i)  # units alone, best first
            else:
                unit, value = pair
                yield question, unit, value


def _of_rows(thing: Iterable[Any]) -> Iterable[tuple[Any, Any, Any]]:
    for row in thing:
        if hasattr(row, "query_id") and hasattr(row, "doc_id"):  # as ir_measures has them
            yield row.query_id, row.doc_id, row.score if hasattr(row, "score") else row.relevance
        elif isinstance(row, (tuple, list)) and len(row) == 3:
            yield row[0], row[1], row[2]
        else:
            raise InputError(f"a row is {row!r}", mend=f"give {SHAPES}")


def _rows(rows: Iterable[tuple[Any, Any, Any]], *, kind: str) -> pl.DataFrame:
    import polars as pl

    question, unit, value = [], [], []
    for q, u, v in rows:
        for what, name in (("question", q), ("unit", u)):
            if not isinstance(name, str):
                raise InputError(
                    f"a {what} id of the {kind} is {name!r}, a {type(name).__name__}",
                    mend="ids are text, letter for letter: write str(id)",
                )
        if isinstance(v, bool) or not isinstance(v, (int, float, np.number)) or not isfinite(v):
            raise InputError(
                f"{kind}, question {q!r}: the value {v!r} of {u!r} is not a finite number",
                mend="give a number",
            )
        question.append(q)
        unit.append(u)
        value.append(float(v))
    return pl.DataFrame(
        {
            "question": pl.Series(question, dtype=pl.String),
            "unit": pl.Series(unit, dtype=pl.String),
            "score": pl.Series(value, dtype=pl.Float64),
        }
    )


def _series(name: str, values: list[Any]) -> pl.Series:
    import polars as pl

    if any(isinstance(one, str) for one in values):
        wrong = next((one for one in values if not isinstance(one, str)), None)
        if wrong is not None:
            raise InputError(
                f"column {name} holds {wrong!r} between texts", mend="give ids as text, without gaps"
            )
        return pl.Series(name, values, dtype=pl.String)
    return pl.Series(name, values, strict=False)


def usual(given: pl.DataFrame, *, where: str) -> pl.DataFrame:
    """The columns question, unit and value (and topic, where there is one), by whatever names they had.

    Raises InputError where one is missing, an id is a fraction or missing, or a value is no finite number.
    """
    import polars as pl

    of = columns_of(given.columns, where, 0)
    chosen = {"question": of["question"], "unit": of["unit"], "value": of["value"]}
    for what in ("question", "unit"):
        kind = given[str(chosen[what])].dtype
        if kind.is_float() or kind.is_nested() or kind == pl.Boolean:
            raise InputError(
                f"{where}: the {what} ids in column {chosen[what]} are of type {kind}",
                mend="ids are text, letter for letter: write the column as text",
            )
    if given[str(chosen["value"])].dtype == pl.Boolean:
        raise InputError(
            f"{where}: the values in column {chosen['value']} are true or false", mend="write them as 1 and 0"
        )
    text = {what: pl.col(str(chosen[what])) for what in ("question", "unit")}
    if not isinstance(given[str(chosen["question"])].dtype, pl.Categorical):
        text["question"] = text["question"].cast(pl.String)
    made = given.select(
        question=text["question"],
        unit=text["unit"].cast(pl.String),
        value=pl.col(str(chosen["value"])).cast(pl.Float64, strict=False),
    )
    if any(made.null_count().row(0)) or not np.isfinite(made["value"].to_numpy()).all():
        bad = made.with_row_index("at").filter(
            pl.any_horizontal(pl.all().is_null()) | ~pl.col("value").is_finite()
        )
        at = bad["at"][0]
        row = given.row(at, named=True)
        odd = next((n for n in (chosen["question"], chosen["unit"]) if n and row[n] is None), chosen["value"])
        raise InputError(
            f"{where}, row {at + 1}: {row[str(odd)]!r} is not a finite number, or an id is missing "
            f"(column {odd})",
            mend="ids are text, and values numbers with a decimal point",
        )
    return made


def _questions(column: pl.Series) -> tuple[list[str], NDArray[np.int64]]:
    """Questions as they appear, and which of them each row is."""
    stretches = column.rle().struct.unnest()
    value = stretches["value"].cast(column.dtype)
    if column.dtype == _text():
        value = value.cast(_category())
    each = value.to_physical().to_numpy().astype(np.int64)
    _, first, back = np.unique(each, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    names = value.gather(first[order]).cast(_text()).to_list()
    return names, np.repeat(place[back], stretches["len"].to_numpy().astype(np.int64))


def _text() -> Any:
    import polars as pl

    return pl.String


def _category() -> Any:
    import polars as pl

    return pl.Categorical


def coded(given: pl.DataFrame, *, file: str) -> Coded:
    """The rows of a frame that `usual` made."""
    names, question = _questions(given["question"])
    table = given["unit"].unique().sort()
    place = table.to_frame("unit").with_row_index("code")
    unit = given.select("unit").join(place, on="unit", how="left", maintain_order="left")["code"].to_numpy()
    return Coded(
        file,
        tuple(names),
        question,
        tuple(table.to_list()),
        unit.astype(np.int64),
        given["value"].to_numpy().copy(),
        line=np.arange(1, given.height + 1),
        place="row",
    )


def hashes(ids: list[bytes]) -> NDArray[np.uint64]:
    """What `HeldFrame` knows ids by."""
    import polars as pl

    return _hashed(pl.Series([one.decode("utf-8", "replace") for one in ids], dtype=pl.String))


def _hashed(column: pl.Series) -> NDArray[np.uint64]:
    made: NDArray[np.uint64] = column.hash(SEED).to_numpy()
    return made


class _Units:
    """A column of ids, of which few are ever looked at."""

    def __init__(self, column: pl.Series) -> None:
        self.column = column

    def __getitem__(self, rows: NDArray[np.int64]) -> Ids:
        return Ids.of(encoded(self.column.gather(rows).to_list()))

    def keep(self, rows: NDArray[np.bool_]) -> _Units:
        return _Units(self.column.filter(rows))


class FrameReader:
    """Pieces of a frame that `usual` made. Raises Interleaved where questions do not stand together."""

    def __init__(self, given: pl.DataFrame, *, file: str, lenient: bool) -> None:
        self.given = given
        self.file = file
        self.lenient = lenient
        self.notes: Counter[str] = Counter()
        self.ranked = True  # nothing is said of ranks
        self.tag = ""
        spare()

    def pieces(self, *, complete: bool) -> Iterator[Piece]:  # noqa: ARG002 - they always are
        """All rows, whole questions at a time."""
        stretches = self.given["question"].rle().struct.unnest()
        names = encoded(stretches["value"].cast(_text()).to_list())
        if len(set(names)) < len(names):
            raise Interleaved
        upto = np.concatenate([[0], np.cumsum(stretches["len"].to_numpy().astype(np.int64))])
        code = hashes(names)
        mix = mixed(code)
        first = 0
        while first < len(names):
            last = max(int(np.searchsorted(upto, upto[first] + ROWS, side="right")) - 1, first + 1)
            start, stop = int(upto[first]), int(upto[last])
            begin = upto[first : last + 1] - start
            part = self.given.slice(start, stop - start)
            unit = part["unit"]
            yield Piece(
                question=Ids.of(names[first:last]),
                code=code[first:last],
                begin=begin,
                key=_hashed(unit) ^ np.repeat(mix[first:last], np.diff(begin)),
                unit=_Units(unit),
                score=part["value"].to_numpy(),
                rank=None,
                line=np.arange(start + 1, stop + 1),
                place="row",
            )
            first = last


class HeldFrame(Held):
    """The rows of a frame that `usual` made, held whole."""

    def __init__(self, given: pl.DataFrame, *, file: str, lenient: bool) -> None:
        names, question = _questions(given["question"])
        raw = encoded(names)
        key = _hashed(given["unit"]) ^ mixed(hashes(raw))[question]
        super().__init__(file, raw, question, key, given["value"].to_numpy(), None, Counter(), lenient)
        self._unit = _Units(given["unit"])

    def units(self, rows: NDArray[np.int64]) -> Ids:
        """The ids of some rows."""
        return self._unit[rows]

    def place(self, row: int) -> str:
        """The row, from 1."""
        return f"row {row + 1}"

    def keep(self, rows: NDArray[np.bool_]) -> None:
        """Leave all other rows out."""
        super().keep(rows)
        self._unit = self._unit.keep(rows)
