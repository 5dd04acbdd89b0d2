import numpy as np
from tests.retrieve.conftest import hits

from evenhand.retrieve.null import Constant, Popular, Random
from evenhand.retrieve.search import retrieve

TEXTS = {f"d{i:02}": f"topic{i} shared" for i in range(40)} | {"d07": "hub hub hub hub"}


def test_random_depends_on_seed_and_question_text_alone(units_of):
    units = units_of(TEXTS)
    one = retrieve(Random(seed=1), units, {"a": "what", "b": "why"}, depth=10)
    two = retrieve(Random(seed=1), units, {"x": "why", "y": "what"}, depth=10)
    assert one.codes("a").tolist() == two.codes("y").tolist()
    assert one.codes("a").tolist() != one.codes("b").tolist()
    assert (
        retrieve(Random(seed=2), units, {"a": "what"}, depth=10).codes("a").tolist()
        != one.codes("a").tolist()
    )
    deep = retrieve(Random(seed=1), units, {"a": "what"}, depth=99)
    assert sorted(deep.codes("a")) == list(range(40))
    assert deep.codes("a", 10).tolist() == one.codes("a").tolist()


def test_random_places_every_unit_first_about_equally_often(units_of):
    units = units_of({c: c for c in "abcd"})
    run = retrieve(Random(), units, {str(i): f"question {i}" for i in range(800)}, depth=1)
    assert np.bincount(run.unit, minlength=4).min() > 150


def test_popular_is_the_same_for_every_question_and_leads_with_the_hub(units_of):
    questions = {"p": "hub of topic3", "q": "hub and topic5", "r": "hub"}
    run = retrieve(Popular(), units_of(TEXTS), questions, depth=5)
    assert hits(run, "p") == hits(run, "q") == hits(run, "r")
    assert hits(run, "p")[0][0] == "d07"


def test_constant_is_the_units_in_their_order(units_of):
    run = retrieve(Constant(), units_of(TEXTS), {"q": "hub", "r": "x"}, depth=3)
    assert [unit for unit, _ in hits(run)] == ["d00", "d01", "d02"]
    assert hits(run) == hits(run, "r")
