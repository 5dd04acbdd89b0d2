"""Runs, grades and measurements as Parquet files, for other tools; no run reads them back."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from polars import DataFrame

    from evenhand.model.result import Measurements
    from evenhand.model.run import Qrels, Run
    from evenhand.model.text import Units

__all__ = [
    "LABELS",
    "measurements_frame",
    "measurements_parquet",
    "names_of",
    "qrels_frame",
    "qrels_parquet",
    "run_frame",
    "run_parquet",
]

LABELS = ("people", "evidence", "panel")  # where a grade comes from, as `evenhand.model.run.Qrels` codes it


def names_of(table: Sequence[str], units: Units | None) -> Sequence[str]:
    """What the units of a *table* are called in files: a document by its id where each is one unit."""
    if units is None or units.settings.get("rule") != "document":
        return table
    documents = units.corpus.documents
    return (*(str(documents[d].id) for d in units.doc.tolist()), *table[len(units) :])


def run_parquet(run: Run) -> bytes:
    """The rows of `run_frame` as a file."""
    return _bytes(run_frame(run))


def run_frame(run: Run) -> DataFrame:
    """Columns question, unit, rank (from 1), score, and document, start, end where units are known.

    Units are called as `names_of` says.
    """
    import polars as pl

    counts = np.diff(run.offsets)
    question = np.repeat(np.arange(len(run.questions)), counts)
    rank = np.arange(len(run.unit)) - np.repeat(run.offsets[:-1], counts) + 1
    columns = {
        "question": _words(run.questions, question),
        "unit": _words(names_of(run.table, run.units), run.unit),
        "rank": pl.Series(rank, dtype=pl.Int32),
        "score": pl.Series(run.score, dtype=pl.Float64),
    }
    units = run.units
    if units is not None and run.table is units.ids:
        columns["document"] = _words([str(d.id) for d in units.corpus], units.doc[run.unit])
        columns["start"] = pl.Series(units.start[run.unit], dtype=pl.Int64)
        columns["end"] = pl.Series(units.end[run.unit], dtype=pl.Int64)
    return pl.DataFrame(columns)


def qrels_parquet(named: Mapping[str, Qrels]) -> bytes:
    """The rows of `qrels_frame` as a file."""
    return _bytes(qrels_frame(named))


def qrels_frame(named: Mapping[str, Qrels]) -> DataFrame:
    """Columns chunking, question, unit, grade, label (from whom), facts (nuggets covered), excluded.

    *named*: the grades that metrics were made with, by the name of the chunking. One row for each graded
    unit: with the rankings beside them whoever reads both can make each value again.
    """
    import polars as pl

    frames = []
    for name, qrels in named.items():
        n = len(qrels.unit)
        question = np.repeat(np.arange(len(qrels.questions)), np.diff(qrels.offsets))
        covers = qrels.covers[np.lexsort((qrels.covers[:, 1], qrels.covers[:, 0]))]
        facts = np.split(covers[:, 1], np.searchsorted(covers[:, 0], np.arange(1, n)))[:n]
        label = qrels.label if len(qrels.label) else np.zeros(n, dtype=np.int8)
        excluded = qrels.excluded if len(qrels.excluded) else np.zeros(n, dtype=bool)
        frames.append(
            pl.DataFrame(
                {
                    "chunking": pl.repeat(name, n, dtype=pl.String, eager=True),
                    "question": _words(qrels.questions, question),
                    "unit": _words(names_of(qrels.table, qrels.units), qrels.unit),
                    "grade": pl.Series(qrels.grade, dtype=pl.Float64),
                    "label": _words(LABELS, label),
                    "facts": pl.Series([one.tolist() for one in facts], dtype=pl.List(pl.Int32)),
                    "excluded": pl.Series(excluded, dtype=pl.Boolean),
                }
            )
        )
    return pl.concat(frames)


def measurements_parquet(m: Measurements) -> bytes:
    """The rows of `measurements_frame` as a file."""
    return _bytes(measurements_frame(m))


def measurements_frame(m: Measurements) -> DataFrame:
    """Columns system, metric, question, value (null where undefined), undefined (the reason)."""
    import polars as pl

    s, k, q = np.indices(m.value.shape)
    why = m.why.ravel()
    frame = pl.DataFrame(
        {
            "system": _words(m.systems, s.ravel()),
            "metric": _words(m.metrics, k.ravel()),
            "question": _words(m.questions, q.ravel()),
            "value": pl.Series(m.value.ravel(), dtype=pl.Float64),
            "undefined": _words(m.reasons, why),
        }
    )
    defined = pl.Series(why == 0)
    return frame.with_columns(
        value=pl.when(defined).then(pl.col("value")).otherwise(None),
        undefined=pl.when(defined).then(None).otherwise(pl.col("undefined")),
    )


def _words(table: Sequence[str], codes: NDArray[Any]) -> object:
    import polars as pl

    # only the words that occur: a run shows few of a million units
    used, place = np.unique(np.asarray(codes, dtype=np.int64), return_inverse=True)
    words = pl.Series([table[code] for code in used.tolist()], dtype=pl.String)
    return words.gather(pl.Series(place, dtype=pl.UInt32))


def _bytes(frame: DataFrame) -> bytes:
    # one row group and no page statistics: the bytes depend on the rows alone, whatever the thread count
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", row_group_size=max(1, frame.height), statistics=False)
    return buffer.getvalue()
