"""Readers who go on with a chance: the C/W/L metrics and Compat against plain loops over the ranks."""

from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.metrics.measure.measure import measure
from evenhand.model.run import Qrels, Run

UNITS = [f"u{i}" for i in range(10)]
GRADES = st.dictionaries(st.sampled_from(UNITS), st.sampled_from([-1.0, 0.0, 1.0, 2.0, 5.0]), max_size=8)
RANKING = st.lists(st.sampled_from(UNITS), max_size=9, unique=True)


def want(i, gained, wanted):
    return ((i + 2 * wanted - 1 - gained) / (i + 2 * wanted - gained)) ** 2


# name -> chance to go on from rank i, with the gain of that rank and what was gained down to it
RULES = {
    "INST(T=2,max_rel=2,depth=30)": lambda i, g, got: want(i, got, 2),
    "INSQ(T=0.5,max_rel=2,depth=30)": lambda i, g, got: want(i, 0, 0.5),
    "BPM(T=1.5,max_rel=2,depth=30)@4": lambda i, g, got: float(got < 1.5 and i < 4),
    "NERR8(max_rel=2)@5": lambda i, g, got: (1 - g) * (i < 5),
    "NERR9(max_rel=2)@5": lambda i, g, got: i / (i + 1) * (1 - g) * (i < 5),
    "NERR10(p=0.7,max_rel=2,depth=30)": lambda i, g, got: 0.7 * (1 - g),
    "NERR11(max_rel=2,depth=30)": lambda i, g, got: want(i, 0, 1) * (1 - g),
    "SDCG(max_rel=2)@6": lambda i, g, got: log2(i + 1) / log2(i + 2) * (i < 6),
}


def expected_gain(rule, gains, depth=30):
    gains = [*gains, *[0.0] * depth][:depth]
    weight, total, value, got = 1.0, 0.0, 0.0, 0.0
    for i, gain in enumerate(gains, 1):
        got += gain
        total += weight
        value += weight * gain
        weight *= rule(i, gain, got)
    return value / total


def overlap(ranking, ideal, p, depth):
    top = sum(p ** (i - 1) * len({*ranking[:i]} & {*ideal[:i]}) / i for i in range(1, depth + 1))
    return top / sum(p ** (i - 1) for i in range(1, depth + 1))


def compat(ranking, grades, p, normalize):
    good = [u for u in grades if grades[u] > 0]
    ideal = sorted(good, key=lambda u: (-grades[u], ranking.index(u) if u in ranking else 99, u))
    depth = max(len(ranking), len(ideal))
    value = overlap(ranking, ideal, p, depth)
    return value / overlap(ideal, ideal, p, depth) if normalize else value


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(GRADES, RANKING), min_size=1, max_size=5))
def test_columns_agree_with_loops_over_the_ranks(questions):
    qrels = Qrels.of({f"q{i}": of for i, (of, _) in enumerate(questions)})
    run = Run.of(
        "s", {f"q{i}": [(u, -float(j)) for j, u in enumerate(r)] for i, (_, r) in enumerate(questions)}
    )
    m = measure(qrels, run, [*RULES, "Compat(p=0.8)", "Compat(normalize=false)"])
    for i, (grades, ranking) in enumerate(questions):
        gains = [min(max(grades.get(unit, 0.0), 0.0), 2.0) / 2 for unit in ranking]
        for name, rule in RULES.items():
            one = m.measurement("s", name, f"q{i}")
            if max(grades.values(), default=0) <= 0:
                assert one.undefined == "no unit of a grade above 0 is known"
            else:
                assert one.value == pytest.approx(expected_gain(rule, gains), abs=1e-12), name
        for name, p, normalize in (("Compat(p=0.8)", 0.8, True), ("Compat(normalize=false)", 0.95, False)):
            one = m.measurement("s", name, f"q{i}")
            if max(grades.values(), default=0) <= 0:
                assert one.value is None
            else:
                assert one.value == pytest.approx(compat(ranking, grades, p, normalize), abs=1e-12), name


def test_a_scale_upside_down_is_refused():
    with pytest.raises(InputError, match="not below"):
        measure(Qrels.of({"q": {"a": 1}}), Run.of("s", {"q": [("a", 1.0)]}), ["INST(min_rel=2,max_rel=2)"])


def test_many_questions_in_blocks_are_the_same_as_one_by_one():
    grades = {f"q{i}": {"a": i % 3, "b": 2, "c": 1} for i in range(40)}
    ranked = {q: [("c", 3.0), ("x", 2.0), ("a", 1.0)] for q in grades}
    name = "INST(max_rel=2,depth=100000)"  # ten questions a block
    m = measure(Qrels.of(grades), Run.of("s", ranked), [name])
    for i, q in enumerate(grades):
        alone = measure(Qrels.of({q: grades[q]}), Run.of("s", {q: ranked[q]}), [name])
        assert alone.value[0, 0, 0] == m.value[0, 0, i]
