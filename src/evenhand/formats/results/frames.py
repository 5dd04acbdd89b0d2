"""Nouns as frames: the columns that polars, pandas and Arrow get of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, MissingExtra
from evenhand.formats.results.parquet import measurements_frame, qrels_frame, run_frame
from evenhand.model.comparison import Comparison, Slice
from evenhand.model.gold import GoldSet
from evenhand.model.result import Contrast, Estimate, Measurement, Measurements, Standing
from evenhand.model.run import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

    from evenhand.model.gold import Nugget, Quote

__all__ = ["arrow", "frame", "pandas"]

INNER = {  # mappings become columns of their own, with these keys
    "labels": ("human", "aligned", "panel"),
    "counts": ("both", "only_a", "only_b", "neither"),
    "needed": ("n", "low", "high", "power", "alpha"),
}


def frame(thing: Any) -> pl.DataFrame:
    """A polars frame of a noun, or of several of one kind.

    - `Run`: system, question, unit, rank, score, and document, start, end where units are known
    - `Qrels`: question, unit, grade, label, facts, excluded
    - `Measurements`: system, metric, question, value (null where undefined), undefined (the reason)
    - `Estimate`, `Contrast`, `Measurement`, `Standing`: their fields, one row each (a standing: one a system)
    - `Comparison`: its estimates; its contrasts are ``eh.frame(comparison.contrasts)``
    - `GoldSet`: its questions, evidence as lists; of a holdout ids alone
    """
    import polars as pl

    if isinstance(thing, Run):
        return run_frame(thing).select(pl.lit(thing.system).alias("system"), pl.all())
    if isinstance(thing, Qrels):
        return qrels_frame({"": thing}).drop("chunking")
    if isinstance(thing, Measurements):
        return measurements_frame(thing)
    if isinstance(thing, GoldSet):
        return _gold(thing)
    if isinstance(thing, Standing):
        return _standing(thing)
    if isinstance(thing, Comparison | Slice):
        return frame(thing.estimates)
    if isinstance(thing, Estimate | Contrast | Measurement):
        return _records([thing])
    if isinstance(thing, Sequence) and not isinstance(thing, str | bytes):
        return _several(thing)
    raise InputError(
        f"{type(thing).__name__} is not given out as a frame",
        mend="give a run, qrels, measurements, estimates, contrasts, a comparison or a gold set",
    )


def pandas(thing: Any) -> Any:
    """The same as a pandas frame; lists stay lists."""
    pd = _installed("pandas")
    given = frame(thing)
    # by way of plain values: pyarrow need not be there, and null is None in text and NaN in numbers
    columns: dict[str, Any] = {}
    for name in given.columns:
        column = given[name]
        plain = column.dtype.is_numeric() and not column.null_count()
        columns[name] = column.to_numpy() if plain else pd.Series(column.to_list(), dtype=_kind(column))
    return pd.DataFrame(columns, columns=given.columns)


def _kind(column: pl.Series) -> str | None:
    if column.dtype.is_float():
        return "float64"
    if column.dtype.is_integer():
        return "Int64"
    return "bool" if str(column.dtype) == "Boolean" and not column.null_count() else "object"


def arrow(thing: Any) -> Any:
    """The same as an Arrow table."""
    _installed("pyarrow")
    return frame(thing).to_arrow()


def _installed(package: str) -> Any:
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise MissingExtra(
            f"this needs the package {package!r}, which is not installed", mend=f"pip install {package}"
        ) from error


def _several(things: Sequence[Any]) -> pl.DataFrame:
    import polars as pl

    kinds = {type(one) for one in things}
    if len(kinds) != 1:
        said = ", ".join(sorted(kind.__name__ for kind in kinds)) or "nothing"
        raise InputError(f"a frame is of one kind of thing, and there are: {said}", mend="give them apart")
    first = things[0]
    if isinstance(first, Estimate | Contrast | Measurement):
        return _records(things)
    return pl.concat([frame(one) for one in things], how="diagonal")


def _records(things: Sequence[Any]) -> pl.DataFrame:
    import polars as pl

    kind = type(things[0])
    columns: dict[str, pl.Series] = {}
    for one in fields(kind):
        values = [getattr(thing, one.name) for thing in things]
        if one.name in INNER:
            for key in INNER[one.name]:
                inner = [value.get(key) for value in values]
                columns[f"{one.name}_{key}"] = pl.Series(inner, dtype=_inner(one.name, key))
        else:
            columns[one.name] = pl.Series(values, dtype=_of(str(one.type)))
    return pl.DataFrame(columns)


def _of(kind: str) -> Any:
    import polars as pl

    word = kind.partition(" | ")[0]
    return {"str": pl.String, "int": pl.Int64, "float": pl.Float64, "bool": pl.Boolean}[word]


def _inner(name: str, key: str) -> Any:
    import polars as pl

    return pl.Int64 if name == "counts" or key in ("n", "low", "high") else pl.Float64


def _standing(thing: Standing) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        {
            "metric": [thing.metric] * len(thing.best),
            "system": list(thing.best),
            "best": pl.Series(list(thing.best.values()), dtype=pl.Float64),
            "in_play": [name in thing.in_play for name in thing.best],
            "leads": [name == thing.leader for name in thing.best],
        }
    )


def _gold(gold: GoldSet) -> pl.DataFrame:
    import polars as pl

    ids = pl.Series([str(one.id) for one in gold], dtype=pl.String)
    if gold.split == "holdout":  # its words are not shown, in no form
        return pl.DataFrame({"id": ids})
    texts: dict[str, Callable[[Any], str]] = {
        name: lambda one, name=name: str(getattr(one, name))  # type: ignore[misc]
        for name in ("text", "type", "expect", "cluster", "source", "origin", "reference")
    }
    evidence = [[_span(n, q) for n in one.evidence for q in n.spans] for one in gold]
    form = pl.Struct({"nugget": pl.String, "vital": pl.Boolean, "doc": pl.String, "start": pl.Int64,
                      "end": pl.Int64, "quote": pl.String})  # fmt: skip
    return pl.DataFrame(
        {
            "id": ids,
            **{name: pl.Series([get(one) for one in gold], dtype=pl.String) for name, get in texts.items()},
            "tags": pl.Series([list(one.tags) for one in gold], dtype=pl.List(pl.String)),
            "provisional": pl.Series([one.provisional for one in gold], dtype=pl.Boolean),
            "evidence": pl.Series(evidence, dtype=pl.List(form)),
        }
    )


def _span(nugget: Nugget, quote: Quote) -> dict[str, Any]:
    span = quote.span
    where = {"doc": str(span.doc), "start": span.start, "end": span.end}
    return {"nugget": nugget.name, "vital": nugget.vital, **where, "quote": quote.quote}
