"""Nouns through the cache and back."""

import numpy as np

from evenhand.corpus.chunk import Fixed, chunk
from evenhand.model.result import Measurements
from evenhand.model.run import Run
from evenhand.model.text import Corpus, Document, Units
from evenhand.study.steps.loop import Artifacts
from evenhand.study.steps.serialize import measurements_form, run_form, units_form

CORPUS = Corpus(
    (Document(id="a", text="one two three four five"), Document(id="b", text="🦉 naïve 日本語 text"))
)


def larder(**more):
    return Artifacts({"corpus": (CORPUS.seal, CORPUS), **{k: (v.seal, v) for k, v in more.items()}})


def through(form, thing, **more):
    return form.unpack(form.pack(thing), larder(**more))


def test_units_come_back_the_same():
    units = chunk(CORPUS, Fixed(size=6, count="characters"), name="six")
    back = through(units_form(), units)
    assert (back.ids, back.seal, back.chunking, back.settings) == (
        units.ids,
        units.seal,
        "six",
        units.settings,
    )
    assert back.corpus is CORPUS


def test_headings_come_back_as_paths():
    units = Units.of(CORPUS, "h", [(0, 0, 3), (1, 0, 2)], headings=[("A", "B"), ()])
    assert through(units_form(), units).headings == (("A", "B"), ())


def test_a_run_over_shared_units_comes_back_over_the_very_same():
    units = chunk(CORPUS, Fixed(size=6, count="characters"), name="six")
    run = Run(
        system="s",
        questions=("q1", "q2"),
        offsets=np.array([0, 2, 2]),
        unit=np.array([1, 0], dtype=np.int32),
        score=np.array([0.5, 0.25]),
        table=units.ids,
        units=units,
        notes={"ties": 1},
        provenance={"k": 60},
    )
    back = through(run_form("units/six"), run, **{"units/six": units})
    assert back.units is units
    assert back.seal == run.seal
    assert (back.notes, back.provenance) == (run.notes, run.provenance)
    assert back.ranking("q1") == run.ranking("q1")


def test_a_run_with_units_of_its_own_brings_them_along():
    own = Units.of(CORPUS, "own:g", [(0, 0, 3), (1, 2, 7)])
    run = Run.of("g", {"q": [(own.ids[1], 1.0)]}, units=None)
    run = Run("g", ("q",), np.array([0, 1]), np.array([1], dtype=np.int32), np.array([1.0]), own.ids, own)
    back = through(run_form(None), run)
    assert back.units.ids == own.ids
    assert back.ranking("q") == run.ranking("q")


def test_hits_at_no_unit_keep_their_place_and_the_units_are_a_copy():
    units = chunk(CORPUS, Fixed(size=6, count="characters"), name="six")
    lost = len(units)
    run = Run(
        "g", ("q",), np.array([0, 2]), np.array([lost, 0], dtype=np.int32), np.array([2.0, 1.0]),
        (*units.ids, "unresolved:1"), units,
    )  # fmt: skip
    back = through(run_form("units/six"), run, **{"units/six": units})
    assert [hit.unit for hit in back.ranking("q")] == ["unresolved:1", units.ids[0]]
    assert back.units is not units


def test_measurements_come_back_with_reasons_and_extras():
    m = Measurements(
        systems=("a",),
        metrics=("nDCG@10",),
        questions=("q1", "q2"),
        value=np.array([[[0.5, 0.0]]]),
        why=np.array([[[0, 1]]], dtype=np.int16),
        reasons=("", "no relevant unit is known"),
        unreachable=np.zeros((1, 2), dtype=bool),
        missing=np.array([[True, False]]),
        extra={"judged": {"a": {"nDCG@10": 0.5}}},
    )
    back = through(measurements_form(), m)
    assert back.measurement("a", "nDCG@10", "q2").undefined == "no relevant unit is known"
    assert back.extra == m.extra
    assert back.missing.tolist() == [[True, False]]
