"""Span metrics against sets of positions, and the faults of other tools (cases B045, B047)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.metrics.catalogue.reference import chroma_span_scores
from evenhand.metrics.measure.measure import measure
from evenhand.model.run import Qrels, Run
from evenhand.model.text import Corpus, DocId, Document, Units

NAMES = ["SpanRecall", "SpanPrecision", "IoU", "SpanPrecision(overlap=each)", "IoU(overlap=each)"]


def scored(chunks, evidence, *, names=NAMES, length=400, docs=1, **options):
    """Values by name: *chunks* (doc, start, end) ranked in order; *evidence* (nugget, doc, start, end)."""
    corpus = Corpus(tuple(Document(id=DocId(f"d{i}"), text="x" * length) for i in range(docs)))
    units = Units.of(corpus, "test", chunks)
    place = {
        (int(d), int(s), int(e)): i
        for i, (d, s, e) in enumerate(zip(units.doc, units.start, units.end, strict=True))
    }
    rows = np.array([(0, *row) for row in sorted(evidence)], dtype=np.int64).reshape(-1, 5)
    nuggets = len({row[0] for row in evidence})
    qrels = Qrels(
        questions=("q",),
        offsets=np.array([0, 0]),
        unit=np.zeros(0, np.int32),
        grade=np.zeros(0),
        table=units.ids,
        units=units,
        nugget_offsets=np.array([0, nuggets]),
        vital=np.ones(nuggets, bool),
        evidence=rows,
    )
    code = [place[tuple(chunk)] for chunk in dict.fromkeys(map(tuple, chunks))]
    run = Run(
        system="s",
        questions=("q",),
        offsets=np.array([0, len(code)]),
        unit=np.array(code, np.int32),
        score=-np.arange(len(code), dtype=float),
        table=units.ids,
        units=units,
    )
    m = measure(qrels, run, names, **options)
    return {name: m.measurement("s", name, "q").value for name in m.metrics}


def test_overlapping_chunks_are_counted_once_b045():
    got = scored([(0, 0, 120), (0, 80, 200), (0, 180, 300)], [(0, 0, 100, 160)])
    assert got["SpanRecall"] == 1.0
    assert got["SpanPrecision"] == pytest.approx(0.2)
    assert got["IoU"] == pytest.approx(0.2)


def test_the_same_words_elsewhere_are_not_evidence_b047():
    got = scored([(0, 19, 29)], [(0, 0, 0, 10)])
    assert got == dict.fromkeys(NAMES, 0.0)


def test_the_same_place_in_another_document_is_not_evidence():
    got = scored([(1, 0, 10)], [(0, 0, 0, 10)], docs=2)
    assert got == dict.fromkeys(NAMES, 0.0)


def test_of_alternatives_the_best_covered_counts():
    got = scored([(0, 0, 50)], [(0, 0, 10, 20), (0, 0, 200, 300)])
    assert got["SpanRecall"] == 1.0
    assert got["IoU"] == pytest.approx(10 / 50)
    both = scored([(0, 0, 50)], [(0, 0, 10, 20), (1, 0, 200, 300)])
    assert both["SpanRecall"] == pytest.approx(10 / 110)


def test_a_token_budget_stops_before_the_unit_that_crosses_it():
    chunks = [(0, 0, 100), (0, 100, 200), (0, 200, 210)]
    evidence = [(0, 0, 0, 210)]
    names = ["SpanRecall@149tokens", "SpanRecall@150tokens", "SpanRecall@160tokens", "SpanRecall@99tokens"]
    got = scored(chunks, evidence, names=names, lengths=np.array([100, 50, 10]))
    assert got == {
        "SpanRecall@149tokens": pytest.approx(100 / 210),  # the third would fit, but stands behind
        "SpanRecall@150tokens": pytest.approx(200 / 210),
        "SpanRecall@160tokens": 1.0,
        "SpanRecall@99tokens": 0.0,
    }


def test_a_hit_at_no_unit_takes_its_rank_and_tokens_and_nothing_else():
    units = Units.of(Corpus((Document(id=DocId("d"), text="x" * 90),)), "test", [(0, 0, 30), (0, 30, 90)])
    qrels = Qrels("q", np.array([0, 1]), np.array([1], np.int32), np.array([1.0]), units.ids, units=units)
    table = (*units.ids, "unresolved:1")
    order = np.array([0, 2, 1], np.int32)
    ranked = Run("s", ("q",), np.array([0, 3]), order, np.array([3.0, 2.0, 1.0]), table, units)
    names = ["RR", "R@44tokens", "R@45tokens"]
    m = measure(qrels, ranked, names, lengths=np.array([10, 20]))
    # what nobody can place is taken to be as long as the run's units are on average: 10 + 15 + 20
    assert [m.estimate("s", name).point for name in names] == [pytest.approx(1 / 3), 0.0, 1.0]


def spans(docs=1):
    cut = st.tuples(st.integers(0, docs - 1), st.integers(0, 60), st.integers(1, 20))
    return st.lists(cut.map(lambda t: (t[0], t[1], t[1] + t[2])), min_size=1, max_size=8, unique=True)


@settings(max_examples=80, deadline=None)
@given(spans(2), spans(2))
def test_columns_agree_with_sets_of_positions(chunks, references):
    got = scored(chunks, [(i, *ref) for i, ref in enumerate(references)], docs=2)

    def flat(rows):  # the two documents end to end
        return [(d * 1000 + s, d * 1000 + e) for d, s, e in rows]

    once = chroma_span_scores(flat(chunks), flat(references), dedup_chunks=True)
    each = chroma_span_scores(flat(chunks), flat(references), dedup_chunks=False)
    assert got["SpanRecall"] == pytest.approx(once["recall"], abs=1e-12)
    assert got["SpanPrecision"] == pytest.approx(once["precision"], abs=1e-12)
    assert got["IoU"] == pytest.approx(once["iou"], abs=1e-12)
    assert got["SpanPrecision(overlap=each)"] == pytest.approx(each["precision"], abs=1e-12)
    assert got["IoU(overlap=each)"] == pytest.approx(each["iou"], abs=1e-12)
    assert all(0 <= value <= 1 for value in got.values())
