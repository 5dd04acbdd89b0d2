"""Rankings from outside: tied to units, or completed by the evidence they missed."""

import numpy as np
import pytest

from evenhand.corpus.chunk import Fixed, Whole, chunk
from evenhand.errors import InputError
from evenhand.gold.align import align
from evenhand.metrics.measure.measure import measure
from evenhand.model.gold import GoldSet, Nugget, Question, Quote
from evenhand.model.run import Run
from evenhand.model.text import Corpus, Document, Span, Units
from evenhand.study.comparison.external_results import asked_of, bound, completed

CORPUS = Corpus((Document(id="a", text="abcdefghij"), Document(id="b", text="klmnopqrst")))
WHOLE = chunk(CORPUS, Whole(), name="whole")
HALVES = chunk(CORPUS, Fixed(size=5, count="characters"), name="halves")


def question(name, *spans):
    nuggets = tuple(
        Nugget(name=f"n{i}", spans=(Quote(Span(d, s, e), CORPUS[d].text[s:e]),))
        for i, (d, s, e) in enumerate(spans)
    )
    return Question(id=name, text=f"what is {name}?", evidence=nuggets)


def test_ids_of_documents_are_tied_to_units_that_are_whole_documents():
    run = bound(Run.of("r", {"q": [("b", 2.0), ("a", 1.0)]}), WHOLE, "r.trec")
    assert [hit.unit for hit in run.ranking("q")] == [WHOLE.ids[1], WHOLE.ids[0]]
    assert run.units is WHOLE


def test_ids_that_are_no_unit_keep_their_rank_and_are_counted():
    run = bound(Run.of("r", {"q": [("zzz", 2.0), (HALVES.ids[1], 1.0)]}), HALVES, "r.trec")
    assert [hit.unit for hit in run.ranking("q")] == ["zzz", HALVES.ids[1]]
    assert run.notes["unresolved"] == 1
    m = measure(align(GoldSet((question("q", ("a", 5, 8)),)), HALVES), run, ["RR@10"])
    assert m.measurement("r", "RR@10", "q").value == 0.5


def test_a_file_that_ranks_nothing_we_have_is_an_error_that_shows_an_id():
    with pytest.raises(InputError) as caught:
        bound(Run.of("r", {"q": [("zzz", 1.0)]}), HALVES, "r.trec")
    assert HALVES.ids[0] in caught.value.mend


def test_ids_of_documents_are_not_taken_for_parts_of_them():
    with pytest.raises(InputError):
        bound(Run.of("r", {"q": [("a", 1.0)]}), HALVES, "r.trec")


def test_questions_that_are_not_asked_are_left_out_and_counted():
    run = asked_of(Run.of("r", {"x": [("a", 1.0)], "q": [("b", 1.0), ("a", 0.5)]}), ("q", "p"), "r.trec")
    assert run.questions == ("q",)
    assert [hit.unit for hit in run.ranking("q")] == ["b", "a"]
    assert run.notes["other_questions"] == 1


def test_a_file_for_other_questions_is_an_error():
    with pytest.raises(InputError, match="none of the 1 question"):
        asked_of(Run.of("r", {"x": [("a", 1.0)]}), ("q",), "r.trec")


def test_a_guest_is_held_to_the_evidence_none_of_its_hits_holds():
    own = Units.of(CORPUS, "guest", [(0, 0, 5)])
    run = Run("g", ("q",), np.array([0, 1]), np.array([0], dtype=np.int32), np.array([1.0]), own.ids, own)
    gold = GoldSet((question("q", ("a", 1, 3), ("b", 2, 6)),))
    alone = measure(align(gold, own), run, ["R@5"]).measurement("g", "R@5", "q").value
    grown = completed(run, gold, "own:g")
    held = measure(align(gold, grown.units), grown, ["R@5"]).measurement("g", "R@5", "q").value
    assert (alone, held) == (1.0, 0.5)
    assert grown.notes["evidence_not_retrieved"] == 1
    assert [hit.unit for hit in grown.ranking("q")] == [own.ids[0]]
