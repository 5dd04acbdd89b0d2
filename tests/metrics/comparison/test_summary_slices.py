"""Parts of the question set."""

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.metrics.comparison.slices import slices
from evenhand.metrics.comparison.summary import contrast, estimate
from evenhand.model.gold import Question, QuestionId
from evenhand.model.result import Measurements


def made():
    n = 12
    questions = [
        Question(
            id=QuestionId(f"q{i}"),
            text=f"question {i}",
            type="definition" if i < 5 else "procedure",
            tags=("original",) if i % 2 else ("paraphrased", "multi-hop"),
            extra={"region": "north" if i < 3 else ""},
        )
        for i in range(n)
    ]
    value = np.random.default_rng(0).random((2, 2, n))
    m = Measurements(
        systems=("a", "b"),
        metrics=("nDCG@10", "RR@10"),
        questions=tuple(q.id for q in questions),
        value=value,
        why=np.zeros(value.shape, dtype=np.int16),
    )
    return m, questions


def test_each_type_and_tag_has_its_n_and_interval_and_is_exploratory():
    m, questions = made()
    found = slices(m, questions, pairs="all")
    assert [(s.by, s.value, s.n) for s in found] == [
        ("type", "definition", 5),
        ("type", "procedure", 7),
        ("tags", "multi-hop", 6),
        ("tags", "original", 6),
        ("tags", "paraphrased", 6),
    ]
    assert all(s.exploratory and s.contrasts[0].exploratory for s in found)
    assert found[0].note.startswith("one question moves this by 1/5")
    assert {e.metric for s in found for e in s.estimates} == {"nDCG@10"}
    assert all(e.n == s.n and e.low is not None for s in found for e in s.estimates)


def test_a_slice_is_the_estimate_of_its_questions_alone():
    m, questions = made()
    part = Measurements(
        systems=m.systems,
        metrics=m.metrics,
        questions=m.questions[:5],
        value=m.value[:, :, :5],
        why=m.why[:, :, :5],
    )
    first = slices(m, questions, by=["type"], pairs=[("a", "b")], metrics=["RR@10"])[0]
    assert first.estimates == tuple(estimate(part, s, "RR@10") for s in "ab")
    alone = contrast(part, "a", "b", "RR@10")
    assert (first.contrasts[0].p, first.contrasts[0].low) == (alone.p, alone.low)


def test_other_fields_can_be_sliced_by_and_unknown_ones_are_named():
    m, questions = made()
    assert [(s.value, s.n) for s in slices(m, questions, by=["region"])] == [("north", 3)]
    with pytest.raises(InputError) as caught:
        slices(m, questions, by=["typ"])
    assert "'type'" in caught.value.mend
