"""Pools: by unit, by section, by document; what is new; nothing of a system in an item."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.judge.example import QUESTIONS, corpus, run, units

from evenhand.corpus.fixed import Whole
from evenhand.corpus.headings import Headings
from evenhand.errors import InputError
from evenhand.labelling.desk.assign import Filling
from evenhand.labelling.pooling.pool import kind_of, pool, texts_of, unjudged
from evenhand.labelling.pooling.rollup import collapse, homes
from evenhand.labelling.pooling.summary import composition, cost
from evenhand.model.run import Run
from evenhand.model.text import Corpus, DocId, Document, Units

DOCS = corpus()
CUT = units(DOCS)
A = run("bm25", CUT, {"q1": [0, 1, 2, 3], "q2": [4, 5]}, retriever="bm25")
B = run("dense", CUT, {"q1": [1, 0, 5], "q2": [5, 6, 4]}, retriever="dense")


def names(made):
    return {(item.question, item.unit) for item in made}


def test_a_pool_is_the_union_of_the_tops_each_item_once():
    made = pool([A, B], QUESTIONS, depth=2)
    ids = CUT.ids
    assert names(made) == {("q1", ids[0]), ("q1", ids[1]), ("q2", ids[4]), ("q2", ids[5]), ("q2", ids[6])}
    assert len(made) == 5
    assert [item.question for item in made] == sorted(item.question for item in made)
    assert {item.probability for item in made} == {1.0}


@given(
    st.lists(st.lists(st.integers(0, 8), unique=True, max_size=9), min_size=2, max_size=4),
    st.integers(1, 9),
)
@settings(max_examples=60, deadline=None)
def test_a_pool_equals_the_union_made_by_hand(orders, depth):
    cut = units(DOCS, size=15)
    runs = [run(f"s{i}", cut, {"q1": order, "q2": order[::-1]}) for i, order in enumerate(orders)]
    made = pool(runs, QUESTIONS, depth=depth)
    expected = {
        (q, cut.ids[u]) for one in orders for q, o in (("q1", one), ("q2", one[::-1])) for u in o[:depth]
    }
    assert names(made) == expected
    found = {
        (made.items[i].question, made.items[i].unit, made.runs[r].system): int(k)
        for i, r, k in zip(made.found_item, made.found_run, made.found_rank, strict=True)
    }
    for r, order in enumerate(orders):
        for rank, unit in enumerate(order[:depth], 1):
            assert found["q1", cut.ids[unit], f"s{r}"] == rank


def test_an_item_carries_its_text_and_its_headings_and_no_trace_of_a_system():
    outline = Headings().cut(DOCS)
    made = pool([A, B], QUESTIONS, depth=3, outline=outline)
    fields = set(type(made.items[0]).__dataclass_fields__)
    assert fields & {"system", "systems", "found_by", "rank", "score", "run"} == set()
    for item, text in zip(made, texts_of(made, DOCS), strict=True):
        assert DOCS[item.doc].text[item.start : item.end] == text
        assert item.heading
        assert item.title == item.doc[0].upper()


def test_the_same_text_in_two_pools_is_the_same_item():
    one, two = pool([A], QUESTIONS, depth=2), pool([B], QUESTIONS, depth=2)
    assert {i.id for i in one} & {i.id for i in two}
    assert one.seal != two.seal


def test_a_pool_by_section_takes_sections_by_their_best_unit_to_the_depth():
    """P4: a comparison with another unit has its own pool, every section in either arm's top 3 is read."""
    sections = Headings().cut(DOCS)
    made = pool([A, B], QUESTIONS, depth=1, by="section", onto=sections)
    home = homes(CUT, sections)
    best = {("q1", home[0]), ("q1", home[1]), ("q2", home[4]), ("q2", home[5])}
    assert names(made) == {(q, sections.ids[s]) for q, s in best}
    three = pool([A, B], QUESTIONS, depth=3, by="section", onto=sections)
    for one in (A, B):
        flat = collapse(one, sections)
        for question in QUESTIONS:
            for hit in flat.ranking(question, 3):
                assert (question, hit.unit) in names(three)


def test_collapsing_keeps_each_section_at_its_best_rank():
    whole = Whole().cut(DOCS)
    flat = collapse(A, whole)
    order = list(dict.fromkeys(str(CUT[i].doc) for i in (0, 1, 2, 3)))
    assert [hit.unit.split("#")[0] for hit in flat.ranking("q1")] == order
    assert flat.ranking("q1")[0].score == A.ranking("q1")[0].score
    assert flat.provenance["made_of"] == [A.seal]


def test_a_unit_across_two_sections_belongs_to_the_one_it_shares_most_with():
    docs = Corpus((Document(id=DocId("d"), text="abcdefghij"),))
    sections = Units.of(docs, "s", [(0, 0, 4), (0, 4, 10)])
    cut = Units.of(docs, "u", [(0, 0, 3), (0, 2, 6), (0, 3, 9), (0, 9, 10)])
    assert homes(cut, sections).tolist() == [0, 0, 1, 1]  # equal shares: the earlier
    gap = Units.of(docs, "g", [(0, 0, 2), (0, 8, 10)])
    assert homes(cut, gap).tolist() == [0, -1, 1, 1]
    with pytest.raises(InputError, match="overlap"):
        homes(cut, Units.of(docs, "o", [(0, 0, 5), (0, 4, 10)]))


def test_what_lies_in_no_section_is_counted():
    docs = Corpus((Document(id=DocId("d"), text="abcdefghij"),))
    cut = Units.of(docs, "u", [(0, 0, 3), (0, 3, 6), (0, 8, 10)])
    one = run("s", cut, {"q1": [1, 0, 2]})
    flat = collapse(one, Units.of(docs, "g", [(0, 0, 2), (0, 8, 10)]))
    assert flat.notes["outside"] == 1
    assert [hit.unit for hit in flat.ranking("q1")] == ["d#0-2", "d#8-10"]


def test_an_id_without_text_keeps_its_rank_and_is_counted():
    stray = Run(
        system="stray",
        questions=("q1",),
        offsets=np.array([0, 3]),
        unit=np.array([len(CUT), 0, 1], dtype=np.int32),
        score=np.array([3.0, 2.0, 1.0]),
        table=[*CUT.ids, "nowhere"],
        units=CUT,
    )
    made = pool([stray], QUESTIONS, depth=2)
    assert names(made) == {("q1", CUT.ids[0])}
    assert made.settings["unresolved"] == 1


def test_what_is_new_after_a_run_was_added_is_what_no_pool_had():
    before = pool([A], QUESTIONS, depth=2)
    after = pool([A, B], QUESTIONS, depth=2)
    more = unjudged(after, [item.id for item in before])
    assert names(more) == names(after) - names(before)
    assert more.settings["judged_before"] == len(before)
    assert len(unjudged(after, [item.id for item in after])) == 0
    for i, r, k in zip(more.found_item, more.found_run, more.found_rank, strict=True):
        item = more.items[i]
        assert after.runs[r].system in {"bm25", "dense"}
        assert [A, B][r].ranking(item.question)[k - 1].unit == item.unit


def test_composition_says_what_one_kind_alone_has_found():
    made = pool([A, B], QUESTIONS, depth=2)
    assert [(p.name, p.found, p.only) for p in composition(made)] == [("lexical", 4, 1), ("dense", 4, 1)]
    assert sum(p.only for p in composition(made, by="system")) == 2


@pytest.mark.parametrize(
    ("about", "kind"),
    [
        ({"retriever": "tfidf"}, "lexical"),
        ({"fuse": "rrf"}, "hybrid"),
        ({"rerank": "status"}, "reranked"),
        ({"retriever": "guest"}, "other"),
        ({"retriever": "bm25", "null": True}, "null"),
    ],
)
def test_the_kind_of_a_system_is_read_from_its_run(about, kind):
    assert kind_of(run("s", CUT, {"q1": [0]}, **about)) == kind
    assert pool([run("s", CUT, {"q1": [0]}, **about)], QUESTIONS, kinds={"s": "mine"}).runs[0].kind == "mine"


def test_the_cost_counts_overlap_repeats_and_planted_items():
    made = pool([A, B], QUESTIONS, depth=2)
    once = cost(made, texts_of(made, DOCS), Filling(overlap=0, repeats=0), judges=2)
    assert (once.items, once.judgements) == (5, 5)
    twice = cost(made, texts_of(made, DOCS), Filling(overlap=1, repeats=0), judges=2, planted=3, an_hour=60)
    assert twice.judgements == 16
    assert twice.hours[0] < twice.hours[1]
    assert twice.money == (twice.hours[0] * 60, twice.hours[1] * 60)
    alone = cost(made, texts_of(made, DOCS), Filling(overlap=1, repeats=0), judges=1)
    assert alone.judgements == 5


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda: pool([], QUESTIONS), "no run"),
        (lambda: pool([A, A], QUESTIONS), "two runs are called"),
        (lambda: pool([A], QUESTIONS, depth=0), "depth 0"),
        (lambda: pool([A], QUESTIONS, by="page"), "by 'page'"),
        (lambda: pool([A], QUESTIONS, by="section"), "needs units"),
        (lambda: pool([A], QUESTIONS, onto=Whole().cut(DOCS)), "takes no units"),
        (lambda: pool([Run.of("x", {"q1": [("u", 1.0)]})], QUESTIONS), "knows only ids"),
        (
            lambda: pool([A], QUESTIONS, by="document", onto=Whole().cut(Corpus(DOCS.documents[:1]))),
            "corpora",
        ),
    ],
)
def test_what_cannot_be_pooled_is_refused(act, said):
    with pytest.raises(InputError, match=said):
        act()


def seconds(questions):
    """Processor time of pooling so many questions × 10 units of two runs."""
    docs = Corpus((Document(id=DocId("d"), text="x" * 200_000),))
    cut = Units.of(docs, "u", [(0, i * 100, i * 100 + 100) for i in range(2000)])
    dice = np.random.default_rng(3)
    runs = [
        Run(
            system=f"s{s}",
            questions=tuple(f"q{i}" for i in range(questions)),
            offsets=np.arange(questions + 1) * 10,
            unit=np.concatenate([dice.permutation(2000)[:10] for _ in range(questions)]).astype(np.int32),
            score=np.tile(np.arange(10.0)[::-1], questions),
            table=cut.ids,
            units=cut,
        )
        for s in range(2)
    ]
    asked = {f"q{i}": "?" for i in range(questions)}
    start = time.process_time()
    made = pool(runs, asked, depth=10)
    assert len(made) > questions * 19
    return time.process_time() - start


def test_ten_thousand_items_are_pooled_in_a_moment_and_four_times_as_many_in_four_times_it():
    seconds(50)
    small = min(seconds(500) for _ in range(2))
    large = seconds(2000)
    assert small < 3
    assert large < 10 * small + 0.5
