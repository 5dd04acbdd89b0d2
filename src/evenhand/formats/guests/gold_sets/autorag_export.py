"""AutoRAG's ``qa.parquet`` and ``corpus.parquet`` on their way out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.formats.guests.exporting import Going
from evenhand.formats.guests.parquet_rows import write_parquet

if TYPE_CHECKING:
    import polars as pl

__all__ = ["write"]

DAY = "1970-01-01"  # AutoRAG wants a date of each chunk; there is no clock in an export


def write(path: Path, going: Going) -> None:
    """A folder; the chunks are whole documents of the corpus, to be cut by AutoRAG or taken as they are."""
    import polars as pl

    if going.corpus is None:
        raise InputError("AutoRAG's corpus.parquet holds the documents", mend="give --corpus")
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is no folder", mend="AutoRAG's data are two files: name a folder")
    rows = []
    for q in going.questions:
        facts = [[*dict.fromkeys(str(one.span.doc) for one in n.spans)] for n in q.evidence if n.vital]
        if facts:
            rows.append((str(q.id), q.text, facts, [q.reference] if q.reference else []))
    going.leave_out("questions without evidence", len(going.questions) - len(rows))
    texts = pl.List(pl.String)
    qa = pl.DataFrame(
        rows,
        schema={
            "qid": pl.String,
            "query": pl.String,
            "retrieval_gt": pl.List(texts),
            "generation_gt": texts,
        },
        orient="row",
    )
    path.mkdir(parents=True, exist_ok=True)
    write_parquet(path / "qa.parquet", qa)
    write_parquet(path / "corpus.parquet", _chunks(going))


def _chunks(going: Going) -> pl.DataFrame:
    import polars as pl

    meta = pl.Struct(
        {"last_modified_datetime": pl.Datetime("us"), "prev_id": pl.String, "next_id": pl.String}
    )
    documents = [d for d in going.corpus or () if d.text.strip()]
    return pl.DataFrame(
        {
            "doc_id": [str(d.id) for d in documents],
            "contents": [d.text for d in documents],
            "path": [str(d.id) for d in documents],
            "start_end_idx": [[0, len(d.text) - 1] for d in documents],
        }
    ).with_columns(
        pl.struct(
            pl.lit(DAY).str.to_datetime("%Y-%m-%d", time_unit="us").alias("last_modified_datetime"),
            pl.lit(None, dtype=pl.String).alias("prev_id"),
            pl.lit(None, dtype=pl.String).alias("next_id"),
        )
        .cast(meta)
        .alias("metadata")
    )
