"""Human and synthetic questions: where they name two winners, the human set's verdict is the verdict."""

import numpy as np
import pytest

from evenhand.metrics.comparison.by_origin import winners, written_by
from evenhand.model.gold import Authoring, Question, QuestionId
from evenhand.model.result import Measurements


def made(human, synthetic, n=20):
    """Two systems with these means on each set, n questions a set."""
    questions = [
        Question(
            id=QuestionId(f"q{i}"), text=f"{i}?", origin="synthetic" if i >= n else ("log", "expert")[i % 2]
        )
        for i in range(2 * n)
    ]
    wave = np.where(np.arange(2 * n) % 2, 0.05, -0.05)
    means = np.array([[*[a] * n, *[b] * n] for a, b in zip(human, synthetic, strict=True)])
    value = (means + wave * np.arange(len(human))[:, None])[:, None, :]
    return (
        Measurements(
            systems=tuple("abc"[: len(human)]),
            metrics=("nDCG@10",),
            questions=tuple(str(q.id) for q in questions),
            value=value,
            why=np.zeros(value.shape, dtype=np.int16),
        ),
        questions,
    )


def test_two_leaders_are_told_with_the_difference_on_the_human_set():
    found = winners(*made((0.7, 0.6), (0.5, 0.8)), metric="nDCG@10", resamples=500)
    assert found.differ
    assert (found.human, found.synthetic, found.n) == ("a", "b", {"human": 20, "synthetic": 20})
    assert found.sentence.startswith(
        "a leads on the 20 human questions (nDCG@10 0.700, b 0.600; difference +0.100 ["
    )
    assert found.sentence.endswith(
        "b on the 20 synthetic ones (0.800, a 0.500): the human set's verdict is the verdict"
    )


def test_one_leader_needs_no_verdict():
    found = winners(*made((0.7, 0.6), (0.8, 0.5)), metric="nDCG@10", resamples=500)
    assert not found.differ
    assert "verdict" not in found.sentence


def test_systems_that_may_not_lead_do_not():
    m, questions = made((0.7, 0.6, 0.9), (0.5, 0.8, 0.9))
    assert winners(m, questions, metric="nDCG@10", resamples=500).human == "c"
    assert winners(m, questions, metric="nDCG@10", resamples=500, systems=("a", "b")).human == "a"
    assert winners(m, questions, metric="nDCG@10", systems=("a",)) is None


@pytest.mark.parametrize("keep", [slice(0, 20), slice(20, 40)])
def test_one_set_alone_has_nothing_to_differ_from(keep):
    m, questions = made((0.7, 0.6), (0.5, 0.8))
    assert winners(m, questions[keep], metric="nDCG@10") is None


def test_who_wrote_it():
    def one(**more):
        return written_by(Question(id=QuestionId("q"), text="?", **more))

    assert one(origin="synthetic") == one(origin="expert", authoring=Authoring(model="m")) == "synthetic"
    assert one(origin="log") == one(origin="expert") == "human"
    assert not one()
