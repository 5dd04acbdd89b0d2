"""Questions in clusters: counted, and said aloud when they make intervals too narrow."""

import numpy as np
import pytest

from evenhand.metrics.comparison.clustering import dependence, dependence_warnings
from evenhand.model.gold import Question
from evenhand.model.result import Measurements
from evenhand.stats.intervals.clusters import cluster_mean


def setting(clusters, per, *, alike=1.0, seed=5, systems=2):
    dice = np.random.default_rng(seed)
    n = clusters * per
    level = np.repeat(dice.random(clusters), per)
    value = np.stack([alike * level + (1 - alike) * dice.random(n) for _ in range(systems)])[:, None, :]
    names = tuple(f"q{i}" for i in range(n))
    m = Measurements(
        tuple(f"s{i}" for i in range(systems)), ("nDCG@10",), names, value, np.zeros(value.shape, np.int16)
    )
    return m, [Question(id=q, text="?", cluster=f"c{i // per}") for i, q in enumerate(names)]


def test_questions_without_clusters_say_nothing():
    m, questions = setting(12, 1)
    assert dependence(m, questions, "nDCG@10") is None
    assert dependence(m, [], "nDCG@10") is None
    assert list(dependence_warnings(None)) == []


def test_few_clusters_are_warned_of_with_their_design_effect():
    m, questions = setting(8, 10)
    found = dependence(m, questions, "nDCG@10")
    assert (found.clusters, found.largest, found.n, found.few) == (8, 10, 80, True)
    values = m.value[0, 0]
    assert found.design_effect["s0"] == cluster_mean(values, [q.cluster for q in questions]).design_effect
    assert found.design_effect["s0"] == pytest.approx(10, rel=0.02)  # all of a cluster alike
    (text,) = dependence_warnings(found)
    assert "80 questions come from 8 clusters (the largest holds 10)" in text
    assert "treat them as independent" in text
    assert "as sure as 8 independent questions (design effect 10.0)" in text
    assert "fewer than 15 clusters" in text


def test_many_clusters_are_warned_of_only_where_they_matter():
    m, questions = setting(40, 3, alike=1.0)
    (text,) = dependence_warnings(dependence(m, questions, "nDCG@10"))
    assert "design effect 3" in text
    assert "too few" not in text
    m, questions = setting(40, 3, alike=0.0)
    found = dependence(m, questions, "nDCG@10")
    assert list(dependence_warnings(found)) == []
    assert not found.few


def test_a_question_without_a_cluster_is_one_of_its_own_whatever_its_name():
    m, questions = setting(2, 3)
    loose = [Question(id="q0", text="?", cluster="q1"), Question(id="q1", text="?"), *questions[2:]]
    found = dependence(m, loose, "nDCG@10")
    assert found.clusters == 4  # q1 the cluster, q1 the question, what is left of c0, and c1


def test_only_the_systems_asked_for_are_looked_at():
    m, questions = setting(8, 4)
    m.why[1] = 1
    found = dependence(m, questions, "nDCG@10", systems=["s0"])
    assert list(found.design_effect) == ["s0"]
    assert found.n == 32
