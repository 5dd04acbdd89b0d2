"""Exports for other tools."""

import io

import numpy as np
import polars as pl

from evenhand.formats.results.parquet import measurements_parquet, run_parquet
from evenhand.model.result import Measurements
from evenhand.model.run import Run
from evenhand.model.text import Corpus, Document, Units


def test_a_run_is_a_row_a_hit_with_its_place():
    corpus = Corpus((Document(id="d", text="abcdefgh"),))
    units = Units.of(corpus, "c", [(0, 0, 3), (0, 3, 8)])
    run = Run(
        "s",
        ("q", "p"),
        np.array([0, 2, 2]),
        np.array([1, 0], dtype=np.int32),
        np.array([2.0, 1.0]),
        units.ids,
        units,
    )
    frame = pl.read_parquet(io.BytesIO(run_parquet(run)))
    assert frame.to_dict(as_series=False) == {
        "question": ["q", "q"],
        "unit": ["d#3-8", "d#0-3"],
        "rank": [1, 2],
        "score": [2.0, 1.0],
        "document": ["d", "d"],
        "start": [3, 0],
        "end": [8, 3],
    }


def test_an_undefined_value_is_null_with_its_reason():
    m = Measurements(
        systems=("s",),
        metrics=("m",),
        questions=("q", "p"),
        value=np.array([[[0.5, 0.0]]]),
        why=np.array([[[0, 1]]], dtype=np.int16),
        reasons=("", "no relevant unit is known"),
    )
    frame = pl.read_parquet(io.BytesIO(measurements_parquet(m)))
    assert frame["value"].to_list() == [0.5, None]
    assert frame["undefined"].to_list() == [None, "no relevant unit is known"]


def test_a_run_without_a_hit_is_an_empty_table():
    frame = pl.read_parquet(io.BytesIO(run_parquet(Run.of("s", {"q": []}))))
    assert frame.height == 0
    assert frame.columns == ["question", "unit", "rank", "score"]
