"""Signals of one question and of many: hand-made values, ranges, and every way to have no value."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.gate.worlds import ranked

from evenhand.errors import InputError
from evenhand.gate.columns import column_of, passing
from evenhand.gate.production.scales import SCALES, Scale, limit, scale_of
from evenhand.gate.production.top_documents import heads
from evenhand.gate.rankings import rankings_of
from evenhand.gate.signals import signal
from evenhand.model.run import Run
from evenhand.model.text import Corpus, Document, Units
from evenhand.stats.rank_overlap import jaccard, rank_biased_overlap

OF = ("a", "b", "c")
NAMES = ("score(a)", "margin(a)", "agreement@2", "jaccard@3", "rbo@3", "rbo(p=0.5)@3", "consensus")


def value(name, rankings, scales=None, of=OF):
    made = signal(name, of, scales)
    return made.value(heads(rankings, of, made.k))


def test_values_made_by_hand():
    world = {
        "a": [("x", 0.9), ("y", 0.7), ("z", 0.1)],
        "b": [("y", 5.0), ("x", 4.0), ("z", 3.0)],
        "c": [("x", 1.0), ("w", 0.5), ("v", 0.1)],
    }
    assert value("score(a)", world) == (0.9, "")
    assert value("margin(a)", world)[0] == pytest.approx(0.2)
    assert value("agreement@2", world)[0] == pytest.approx(1 / 3)  # {x,y} twice, {x,w} once
    assert value("agreement@1", world)[0] == pytest.approx(1 / 3)
    assert value("jaccard@3", world)[0] == pytest.approx((1 + 1 / 5 + 1 / 5) / 3)
    assert value("consensus", world) == (0.0, "")
    assert value("consensus", world, of=("a", "c")) == (1.0, "")


def test_rank_biased_overlap_by_hand():
    # agreement 1, 1/2, 1 at depths 1, 2, 3: (0.1/0.9)(0.9 + 0.405 + 0.729) + 0.729
    assert rank_biased_overlap([1, 2, 3], [1, 3, 2]) == pytest.approx(0.955)
    assert rank_biased_overlap([1, 2, 3], [1, 2, 3]) == 1.0
    assert rank_biased_overlap([1, 2], [3, 4]) == 0.0
    assert rank_biased_overlap([], [1]) is None
    assert jaccard([], []) is None
    assert rank_biased_overlap([1], [1, 2]) == pytest.approx(1.0)  # nothing contradicts the shorter one
    with pytest.raises(InputError, match="twice"):
        rank_biased_overlap([1, 1], [1, 2])


def slowly(a, b, p):
    """Webber, Moffat & Zobel 2010, equation 32, as it is printed."""
    short, long = sorted((a, b), key=len)
    s, n = len(short), len(long)
    x = [len(set(short[:d]) & set(long[:d])) for d in range(n + 1)]
    first = sum(x[d] / d * p**d for d in range(1, n + 1))
    second = sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * (first + second) + ((x[n] - x[s]) / n + x[s] / s) * p**n


lists = st.lists(st.integers(0, 12), min_size=1, max_size=10, unique=True)


@settings(max_examples=200, deadline=None)
@given(lists, lists, st.floats(0.05, 0.95))
def test_rank_biased_overlap_is_the_published_formula(a, b, p):
    found = rank_biased_overlap(a, b, p=p)
    assert found == pytest.approx(slowly(a, b, p), abs=1e-11)
    assert found == rank_biased_overlap(b, a, p=p)
    assert -1e-12 <= found <= 1 + 1e-12


documents = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.floats(-1, 1, allow_nan=False)), max_size=9)


@settings(max_examples=150, deadline=None)
@given(st.fixed_dictionaries(dict.fromkeys(OF, documents)))
def test_every_value_lies_on_its_scale_or_has_a_reason(world):
    world = {name: sorted(rows, key=lambda row: -row[1]) for name, rows in world.items()}
    for name in NAMES:
        made = signal(name, OF, dict.fromkeys(OF, "cosine"))
        found, why = value(name, world, dict.fromkeys(OF, "cosine"))
        assert (found is None) == bool(why)
        assert found is None or made.scale.holds(found, 1e-9), (name, found)


@settings(max_examples=60, deadline=None)
@given(documents.filter(bool))
def test_systems_that_agree_wholly_have_the_highest_agreement(rows):
    world = dict.fromkeys(OF, rows)
    for name in ("agreement@2", "jaccard@3", "rbo@3", "consensus"):
        assert value(name, world)[0] == 1.0


@pytest.mark.parametrize(
    ("score", "why"),
    [
        (None, "is missing"),
        (math.nan, "NaN"),
        (math.inf, "infinite"),
        (-math.inf, "infinite"),
        ("0.9", "not a number"),
        (True, "not a number"),
        (10**400, "infinite"),
        (7.2, "outside −1..1"),
    ],
)
def test_a_score_that_is_none_has_a_reason_and_no_value(score, why):
    found, said = value("score(a)", {"a": [("x", score)]}, {"a": "cosine"}, of=("a",))
    assert found is None
    assert why in said
    if score != 7.2:
        assert value("margin(a)", {"a": [("x", 0.9), ("y", score)]}, of=("a",))[0] is None


def test_margins_need_two_documents_and_scores_that_fall():
    assert "one document only" in value("margin(a)", {"a": [("x", 1.0), ("x", 0.5)]}, of=("a",))[1]
    assert "do not fall" in value("margin(a)", {"a": [("x", 0.1), ("y", 0.5)]}, of=("a",))[1]
    far = {"a": [("x", 0.1), ("y", 0.5)]}
    assert value("margin(a)", far, {"a": "distance"}, of=("a",))[0] == pytest.approx(0.4)
    assert "found nothing" in value("agreement@2", {"a": [], "b": ["x"], "c": ["x"]})[1]


def test_scores_of_numpy_are_numbers():
    assert value("score(a)", {"a": [("x", np.float32(0.5))]}, of=("a",))[0] == 0.5


@pytest.mark.parametrize(
    "name",
    [
        "score",
        "scores(a)",
        "score(z)",
        "agreement",
        "agreement@0",
        "rbo(p=2)@5",
        "consensus@2",
        "",
        "rbo(0.9)@5",
    ],
)
def test_a_signal_of_another_form_is_refused(name):
    with pytest.raises(InputError):
        signal(name, OF)


def test_names_go_round():
    for name in NAMES:
        assert signal(name, OF).name == name
    with pytest.raises(InputError, match="there is one"):
        signal("agreement@2", ("a",))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1, 1.2, "0,7", "0.7", None, True, [0.7]])
def test_b070_only_a_finite_number_on_the_scale_is_a_threshold(bad):
    with pytest.raises(InputError, match="threshold") as raised:
        limit(bad, SCALES["share"])
    assert repr(bad) in raised.value.what
    assert limit(0.7, SCALES["share"]) == 0.7


def test_a_scale_comes_from_what_made_the_run():
    assert scale_of({"retriever": "dense"}) is SCALES["cosine"]
    assert scale_of({"retriever": "bm25"}) is SCALES["bm25"]
    assert scale_of({"rerank": "status"}) is SCALES["share"]
    assert scale_of({}) is SCALES["any"]
    assert str(SCALES["bm25"]) == "0..∞"
    with pytest.raises(InputError):
        limit(-1.0, SCALES["bm25"])
    assert limit(400.0, SCALES["bm25"]) == 400.0


def test_units_collapse_to_their_document_by_best_rank():
    corpus = Corpus((Document(id="a", text="aaaaaa"), Document(id="b", text="bbbbbb")))
    units = Units.of(corpus, "x", [(0, 0, 3), (0, 3, 6), (1, 0, 3)])
    names = units.ids
    run = Run.of("s", {"q": [(names[1], 3.0), (names[0], 2.0), (names[2], 1.0)], "r": []}, units=units)
    # Run.of codes by appearance, so the table must be the chunking's own
    code = {name: i for i, name in enumerate(names)}
    run = Run(
        system="s",
        questions=run.questions,
        offsets=run.offsets,
        unit=np.array([code[run.table[u]] for u in run.unit], dtype=np.int32),
        score=run.score,
        table=names,
        units=units,
    )
    found = rankings_of([run], ("r", "q", "nowhere"))
    assert found.documents("s", 1) == ["a", "b"]
    assert list(found.heads(("s",), 9))[1]["s"] == (["a", "b"], [3.0, 1.0])
    assert found.documents("s", 0) == found.documents("s", 2) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.fixed_dictionaries({"a": documents, "b": documents}), min_size=1, max_size=5))
def test_columns_are_the_values_of_each_question(worlds):
    rows = {s: {f"q{i}": world[s] for i, world in enumerate(worlds)} for s in ("a", "b")}
    found = ranked(**rows)
    for name in ("score(a)", "rbo@3", "agreement@2"):
        column = column_of(signal(name, ("a", "b"), found.scales), found)
        for i, world in enumerate(worlds):
            one, why = value(name, world, found.scales, of=("a", "b"))
            assert (column.value[i], column.why[i]) == (one or 0.0, why)
        assert (column.confidence[~column.defined] < column.confidence[column.defined].min(initial=9)).all()
        assert not passing(column, -5.0)[~column.defined].any()


def test_taking_questions_keeps_their_rankings():
    found = ranked(a={"p": [("x", 1.0)], "q": [], "r": [("y", 2.0), ("z", 1.0)]})
    part = found.take(("r", "p"))
    assert [part.documents("a", q) for q in range(2)] == [["y", "z"], ["x"]]
    with pytest.raises(InputError, match="not ranked"):
        found.take(("nobody",))


def test_a_distance_is_surer_the_smaller_it_is():
    far = Scale("distance", 0.0, None, higher=False)
    runs = [Run.of("s", {"p": [("x", 0.1)], "q": [("y", 3.0)]})]
    found = rankings_of(runs, ("p", "q"), scales={"s": far})
    column = column_of(signal("score(s)", ("s",), found.scales), found)
    assert passing(column, 1.0).tolist() == [True, False]
    assert column.confidence[0] > column.confidence[1]


def test_equal_margins_of_equal_scores_tie():
    made = signal("margin(a)", ["a"])
    one, _ = made.value({"a": (["x", "y"], [0.3, 0.2])})
    two, _ = made.value({"a": (["x", "y"], [0.2, 0.1])})
    assert 0.3 - 0.2 != 0.2 - 0.1
    assert one == two == 0.1


def test_joined_rankings_are_those_of_both_sets_of_questions():
    from evenhand.gate.rankings import joined

    first = ranked(a={"q0": [("x", 2.0), ("y", 1.0)]}, b={"q0": [("y", 3.0)]})
    second = ranked(a={"q1": [("z", 1.0)], "q2": []}, b={"q1": [("x", 1.0)], "q2": [("y", 5.0), ("w", 4.0)]})
    made = joined(first, second)
    assert made.questions == ("q0", "q1", "q2")
    assert [made.documents("a", q) for q in range(3)] == [["x", "y"], ["z"], []]
    assert [made.documents("b", q) for q in range(3)] == [["y"], ["x"], ["y", "w"]]
    again = made.take(("q2", "q0"))
    assert [again.documents("b", q) for q in range(2)] == [["y", "w"], ["y"]]


def test_the_same_question_cannot_be_joined_twice():
    from evenhand.gate.rankings import joined

    one = ranked(a={"q0": [("x", 2.0)]})
    with pytest.raises(InputError, match="same questions"):
        joined(one, one)
