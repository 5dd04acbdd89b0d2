"""Parquet of other tools: rows out of it, and a table into it, the same bytes for the same rows."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.formats.raw_bytes import read_bytes, write_bytes

if TYPE_CHECKING:
    import polars as pl

__all__ = ["parquet_rows", "write_parquet"]


def parquet_rows(path: Path, *needed: str, mend: str) -> list[dict[str, Any]]:
    """The rows of a file, which must have the columns *needed*; *mend* says what to give instead."""
    import polars as pl

    try:
        frame = pl.read_parquet(io.BytesIO(read_bytes(path)))
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{path.name} is no Parquet file: {error}", mend=mend) from error
    for name in needed:
        if name not in frame.columns:
            raise InputError(
                f"{path.name} has no column {name!r} (found {', '.join(frame.columns)})", mend=mend
            )
    rows: list[dict[str, Any]] = frame.to_dicts()
    return rows


def write_parquet(path: Path, frame: pl.DataFrame) -> None:
    """One row group and no statistics: the bytes depend on the rows alone."""
    made = io.BytesIO()
    frame.write_parquet(made, compression="zstd", row_group_size=max(1, frame.height), statistics=False)
    write_bytes(path, made.getvalue())
