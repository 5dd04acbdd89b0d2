import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from evenhand.errors import InputError
from evenhand.formats.runs.trec import read_qrels, read_run, write_qrels, write_run
from evenhand.gold.align import align
from evenhand.metrics.catalogue import reference
from evenhand.metrics.catalogue.names import parse
from evenhand.metrics.catalogue.registry import CATALOGUE
from evenhand.metrics.comparison.notices import notices
from evenhand.metrics.comparison.summary import estimate
from evenhand.metrics.measure.expected_value import EXPECTED
from evenhand.metrics.measure.measure import measure
from evenhand.model.gold import GoldSet, Nugget, Question, Quote
from evenhand.model.run import Qrels, Run
from evenhand.model.text import Corpus, Document, Span, Units

RANKED = ["nDCG@5", "nDCG(gain=exp)", "RR@10", "R@5", "P@5", "Success@1", "AP", "AP(denom=min)@5", "RPrec"]
RANKED += [
    "Judged@5",
    "Bpref",
    "InfAP",
    "RBP",
    "ERR@5",
    "RBPResidual",
    "R(rel=2)@5",
    "IPrec(recall=0.5)",
    "SetF",
]


def run(rankings, name="s"):
    return Run.of(name, {q: [(u, -float(i)) for i, u in enumerate(us)] for q, us in rankings.items()})


def value(m, metric, question="t", system="s"):
    return m.measurement(system, metric, question).value


def test_a_unit_twice_counts_once_and_ranks_close_up_b041():
    qrels = Qrels.of({"t": {"p": 1, "q": 1}, "u": {"p": 1}})
    given_ = run({"t": ["p", "p", "x"], "u": ["p", "p"]})
    m = measure(qrels, given_, ["R@3", "nDCG@3", "nDCG@2", "R@2"])
    assert value(m, "R@3") == 0.5
    assert value(m, "nDCG@3") == pytest.approx(0.613147, abs=1e-6)
    assert value(m, "nDCG@2", "u") == 1.0
    assert m.extra["notes"]["s"]["duplicates"] == 2
    assert any("repeated rows left out" in text and text.endswith(": 2") for text in notices(m))


def test_a_unit_twice_in_columns_made_by_hand_is_found_too():
    columns = Run(
        "s", ("t",), np.array([0, 3]), np.array([0, 0, 1], np.int32), np.array([3.0, 2.0, 1.0]), ("p", "q")
    )
    m = measure(Qrels.of({"t": {"p": 1, "q": 1}}), columns, ["P@2"])
    assert value(m, "P@2") == 1.0
    assert m.extra["notes"]["s"]["duplicates"] == 1


def test_a_question_without_result_counts_0_and_is_listed_b043():
    qrels = Qrels.of({"a": {"d1": 1}, "b": {"d2": 1}, "c": {"d3": 1}, "d": {"d4": 1}})
    m = measure(qrels, run({"a": ["d1", "d9"], "b": ["d9", "d2"], "d": ["d8"]}), ["RR"])
    assert m.value[0, 0].mean() == 0.375
    assert m.missing[0].tolist() == [False, False, True, False]
    assert (m.why == 0).all()
    assert "s: without a result: c" in list(notices(m))


def test_a_question_asked_and_answered_with_nothing_is_missing_too():
    m = measure(Qrels.of({"a": {"d1": 1}}), Run.of("s", {"a": []}), ["RR"])
    assert m.missing.all()


@pytest.mark.parametrize(
    ("units", "rr", "ndcg"),
    [(("m1", "m2"), 0.5, 0.630930), (("m1", "m0"), 1.0, 1.0)],
)
def test_ties_by_id_descending_are_audited_b039(units, rr, ndcg):
    tied = Run.of("s", {"t": [(unit, 5.0) for unit in units]})
    m = measure(Qrels.of({"t": {"m1": 1}}), tied, ["RR", "nDCG"], ties="trec")
    assert value(m, "RR") == rr
    assert value(m, "nDCG") == pytest.approx(ndcg, abs=1e-6)
    assert m.extra["ties"]["s"]["RR"] == {"questions": 1, "low": 0.5, "expected": 0.75, "high": 1.0}
    assert m.extra["ties"]["s"]["nDCG"]["expected"] == pytest.approx(0.815465, abs=1e-6)


def test_a_tie_of_three_is_averaged_over_its_orders_b039():
    tied = Run.of("s", {"t": [(unit, 1.0) for unit in "abc"]})
    m = measure(Qrels.of({"t": {"b": 1}}), tied, ["RR", "nDCG", "RR@1"])
    assert m.extra["ties"]["s"]["RR"]["expected"] == pytest.approx(0.611111, abs=1e-6)
    assert m.extra["ties"]["s"]["nDCG"]["expected"] == pytest.approx(0.710310, abs=1e-6)
    assert m.extra["ties"]["s"]["RR@1"]["expected"] == pytest.approx(1 / 3)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=6), st.data())
def test_the_tie_audit_is_the_mean_over_all_orders(grades, data):
    from itertools import permutations

    scores = data.draw(st.lists(st.sampled_from([1.0, 2.0]), min_size=len(grades), max_size=len(grades)))
    scores.sort(reverse=True)
    units = [f"u{i}" for i in range(len(grades))]
    qrels = dict(zip(units, map(float, grades), strict=True))
    m = measure(
        Qrels.of({"t": qrels}),
        Run.of("s", {"t": list(zip(units, scores, strict=True))}),
        ["RR@3", "nDCG@3", "nDCG(gain=exp)"],
    )
    ups = [u for u, x in zip(units, scores, strict=True) if x == 2.0]
    lows = [u for u, x in zip(units, scores, strict=True) if x == 1.0]
    orders = [[*one, *two] for one in permutations(ups) for two in permutations(lows)]
    for name, work in (
        ("RR@3", lambda order: reference.mrr_at_k(order, qrels, 3)),
        ("nDCG@3", lambda order: reference.ndcg(order, qrels, 3)),
        ("nDCG(gain=exp)", lambda order: reference.ndcg(order, qrels, None, "exp")),
    ):
        found = m.extra["ties"].get("s", {}).get(name)
        values = [work(order) for order in orders]
        if found is None:
            assert values[0] is None or max(values) - min(values) < 1e-12
        else:
            assert found["low"] == pytest.approx(min(values), abs=1e-12)
            assert found["high"] == pytest.approx(max(values), abs=1e-12)
            assert found["expected"] == pytest.approx(sum(values) / len(values), abs=1e-12)


def test_without_a_relevant_unit_a_question_is_undefined_with_the_reason():
    m = measure(
        Qrels.of({"a": {"d": 0}, "b": {"d": 1}}),
        run({"a": ["d"], "b": ["d"]}),
        ["RR", "R(rel=2)@1", "Judged@1"],
    )
    assert m.measurement("s", "RR", "a").value is None
    assert m.measurement("s", "RR", "a").undefined == "no relevant unit is known"
    assert m.measurement("s", "R(rel=2)@1", "b").undefined == "no unit of grade 2 or more is known"
    assert value(m, "Judged@1", "a") == 1.0


def test_an_unreachable_question_counts_0_and_is_marked():
    qrels = Qrels.of({"a": {"d": 1}, "b": {}}, unreachable=np.array([False, True]))
    m = measure(qrels, run({"a": ["d"], "b": ["d"]}), ["RR", "nDCG@10"])
    assert (m.why == 0).all()
    assert m.value[0].tolist() == [[1.0, 0.0], [1.0, 0.0]]
    assert m.unreachable[0, 0].tolist() == [False, True]


def test_with_a_gold_set_behind_them_all_chunkings_are_measured_on_the_same_questions():
    """A question that no single unit can answer counts 0 at rel=2 and is shown apart: no n shrinks."""
    corpus = Corpus((Document(id="d", text="first fact. second fact."),))
    spans = [Quote(Span("d", 0, 10), "first fact"), Quote(Span("d", 12, 23), "second fact")]
    question = Question(
        id="q", text="?", evidence=tuple(Nugget(name=s.quote, vital=True, spans=(s,)) for s in spans)
    )
    found = {}
    for name, cut in {"whole": [(0, 0, 24)], "halves": [(0, 0, 12), (0, 12, 24)]}.items():
        units = Units.of(corpus, name, cut)
        ranked = Run.of("s", {"q": [(unit, 1.0) for unit in units.ids]})
        found[name] = measure(align(GoldSet((question,)), units), ranked, ["R(rel=2)@5", "NuggetRecall@5"])
    whole, halves = found["whole"], found["halves"]
    assert [whole.values("s", "R(rel=2)@5")[0][0], halves.values("s", "R(rel=2)@5")[0][0]] == [1.0, 0.0]
    assert (halves.why == 0).all()
    assert halves.unreachable[0, :, 0].tolist() == [True, False]
    assert not whole.unreachable.any()
    assert estimate(halves, "s", "R(rel=2)@5").unreachable == 1


def test_all_systems_share_the_questions_of_the_qrels_in_their_order():
    qrels = Qrels.of({"b": {"d": 1}, "a": {"d": 1}})
    m = measure(qrels, [run({"a": ["d"]}, "x"), run({"c": ["d"], "b": ["d"]}, "y")], ["RR"])
    assert m.questions == ("b", "a")
    assert m.value[:, 0].tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert m.extra["notes"]["y"]["unasked"] == 1


def test_judged_shares_say_what_a_number_stands_on():
    m = measure(
        Qrels.of({"a": {"d": 1, "e": 0}}),
        run({"a": ["d", "x", "e", "y"]}),
        ["P@2", "RR", "Judged(denom=retrieved)@9"],
    )
    assert m.extra["judged"]["s"] == {"P@2": 0.5, "RR": 0.5, "Judged(denom=retrieved)@9": 0.5}


def test_condensed_lists_drop_the_unjudged():
    qrels, ranked = {"d1": 2, "d3": 1, "d5": 2, "d9": 1, "d4": 0}, ["d1", "d2", "d3", "d4", "d5"]
    m = measure(Qrels.of({"t": qrels}), run({"t": ranked}), ["nDCG@5"], unjudged="left out")
    assert value(m, "nDCG@5") == pytest.approx(reference.condensed_ndcg(ranked, qrels, 5)["ndcg"], abs=1e-12)


def test_nuggets_are_counted_vital_or_not():
    qrels = Qrels.of(
        {"t": {"a": 1, "b": 2}},
        nugget_offsets=np.array([0, 3]),
        vital=np.array([True, True, False]),
        covers=np.array([[0, 0], [1, 1], [1, 2]], np.int32),
    )
    m = measure(
        qrels,
        run({"t": ["a", "b"]}),
        ["NuggetRecall@1", "NuggetCoverage@1", "AllVital@1", "AllVital@2", "alphaNDCG@2"],
    )
    assert value(m, "NuggetRecall@1") == 0.5
    assert value(m, "NuggetCoverage@1") == pytest.approx(1 / 3)
    assert (value(m, "AllVital@1"), value(m, "AllVital@2")) == (0.0, 1.0)
    covers = {"a": ["0"], "b": ["1", "2"]}
    assert value(m, "alphaNDCG@2") == pytest.approx(reference.alpha_ndcg(["a", "b"], covers, 2))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"metrics": ["R@500tokens"]}, "lengths"),
        ({"metrics": ["SpanRecall@5"]}, "evidence spans"),
        ({"metrics": ["NuggetRecall@5"]}, "nuggets"),
        ({"metrics": []}, "at least one"),
        ({"metrics": ["RR"], "ties": "none"}, "stored"),
        ({"metrics": ["RR"], "lengths": np.array([1, 2, 3])}, "3 lengths"),
    ],
)
def test_what_cannot_be_measured_says_what_it_needs(options, says):
    with pytest.raises(InputError, match=says):
        measure(Qrels.of({"t": {"p": 1}}), [run({"t": ["p"]})], **options)


def test_two_systems_of_one_name_are_refused():
    with pytest.raises(InputError, match="two runs"):
        measure(Qrels.of({"t": {"p": 1}}), [run({"t": ["p"]}), run({"t": ["p"]})], ["RR"])


UNITS = [f"u{i}" for i in range(12)]
GRADES = st.dictionaries(st.sampled_from(UNITS), st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.0]), max_size=8)
RANKING = st.lists(st.sampled_from(UNITS), max_size=10, unique=True)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(GRADES, RANKING), min_size=1, max_size=6))
def test_columns_agree_with_the_plain_functions(questions):
    qrels = Qrels.of({f"q{i}": grades for i, (grades, _) in enumerate(questions)})
    m = measure(qrels, run({f"q{i}": ranking for i, (_, ranking) in enumerate(questions)}), RANKED)
    for i, (grades, ranking) in enumerate(questions):
        plain = {
            "nDCG@5": reference.ndcg(ranking, grades, 5),
            "nDCG(gain=exp)": reference.ndcg(ranking, grades, None, "exp"),
            "RR@10": reference.mrr_at_k(ranking, grades, 10),
            "R@5": reference.recall_at_k(ranking, grades, 5),
            "R(rel=2)@5": reference.recall_at_k(ranking, grades, 5, 2),
            "P@5": reference.precision_at_k(ranking, grades, 5),
            "Success@1": reference.success_at_k(ranking, grades, 1),
            "AP": reference.average_precision_ranked(ranking, grades),
            "AP(denom=min)@5": reference.average_precision_ranked(ranking, grades, 5, 1, "min(R,k)"),
            "RPrec": reference.r_precision(ranking, grades),
            "Judged@5": reference.judged_at_k(ranking, grades, 5),
            "Bpref": reference.bpref(ranking, grades),
            "InfAP": reference.infap(ranking, grades),
            "ERR@5": reference.err(ranking, grades, 5),
        }
        for name, expected in plain.items():
            assert value(m, name, f"q{i}") == (
                None if expected is None else pytest.approx(expected, abs=1e-12)
            ), name
        if value(m, "RBP", f"q{i}") is not None:
            whole = reference.rbp(ranking, grades)
            assert value(m, "RBP", f"q{i}") == pytest.approx(whole["rbp"], abs=1e-12)
            assert value(m, "RBPResidual", f"q{i}") == pytest.approx(whole["residual"], abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(GRADES, RANKING), min_size=1, max_size=6), st.randoms())
def test_every_ratio_lies_within_0_and_1_and_neither_order_nor_repetition_matters(questions, dice):
    names = [kind.example for kind in CATALOGUE.values() if kind.ratio and kind.needs == "grades"]
    names += RANKED
    names = list(dict.fromkeys(str(parse(n)) for n in names))
    judged = {f"q{i}": grades for i, (grades, _) in enumerate(questions)}
    ranked = {f"q{i}": ranking for i, (_, ranking) in enumerate(questions)}
    first = measure(Qrels.of(judged), run(ranked), names)
    again = measure(Qrels.of(judged), run(ranked), names)
    assert np.array_equal(first.value, again.value)
    assert np.array_equal(first.why, again.why)
    assert np.isfinite(first.value).all()
    assert ((first.value >= 0) & (first.value <= 1 + 1e-12)).all()

    order = list(judged)
    dice.shuffle(order)
    shuffled = measure(
        Qrels.of({q: judged[q] for q in order}), run({q: ranked[q] for q in reversed(order)}), names
    )
    back = [shuffled.questions.index(q) for q in first.questions]
    assert np.allclose(first.value, shuffled.value[:, :, back], rtol=0, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    questions=st.lists(
        st.tuples(GRADES, st.lists(st.sampled_from(UNITS), max_size=10)), min_size=1, max_size=5
    ),
    scores=st.lists(st.sampled_from([1.0, 0.5, 1e-9]), min_size=10, max_size=10),
)
def test_exported_files_give_the_same_numbers(tmp_path_factory, questions, scores):
    folder = tmp_path_factory.mktemp("export")
    qrels = Qrels.of({f"q{i}": grades for i, (grades, _) in enumerate(questions) if grades})
    ours = Run.of("s", {f"q{i}": list(zip(r, scores, strict=False)) for i, (_, r) in enumerate(questions)})
    if not len(qrels) or not len(ours.unit):
        return
    write_qrels(folder / "qrels", qrels)
    write_run(folder / "s.run", ours)
    here = measure(qrels, ours, RANKED)
    for ties in ("trec", "trec9"):
        there = measure(read_qrels(folder / "qrels"), read_run(folder / "s.run", ties=ties), RANKED)
        assert there.questions == here.questions
        assert np.array_equal(there.value, here.value)
        assert np.array_equal(there.why, here.why)
        assert np.array_equal(there.missing, here.missing)


HUGE = st.one_of(
    st.sampled_from([-(2.0**53), -1.0, 0.0, 1.0, 53.0, 54.0, 1023.0, 1024.0, 1100.0, 2.0**53]),
    st.floats(-(2.0**53), 2.0**53),
)


@pytest.mark.filterwarnings("error")
@settings(max_examples=40, deadline=None)
@given(
    judged=st.dictionaries(st.sampled_from("abcdef"), HUGE, min_size=1),
    scores=st.dictionaries(
        st.sampled_from("abcdefgh"), st.floats(allow_nan=False, allow_infinity=False), max_size=8
    ),
    k=st.sampled_from([1, 5, 1_000_000_000]),
)
def test_no_number_that_is_none_leaves_whatever_the_grades_scores_and_cutoffs(judged, scores, k):
    names = [kind.example for kind in CATALOGUE.values() if kind.needs == "grades"]
    names += [f"nDCG(gain=exp)@{k}", f"AP@{k}", f"P@{k}", "ERR(max_grade=5000)", "ERR(max_grade=60)"]
    run = Run.of("r", {"q": sorted(scores.items(), key=lambda pair: -pair[1])})
    for ties, asked in (("stored", names), ("expected", [n for n in names if parse(n).name in EXPECTED])):
        m = measure(Qrels.of({"q": judged}), run, asked, ties=ties, bounds=True)
        assert np.isfinite(m.value).all(), np.array(m.metrics)[~np.isfinite(m.value[0, :, 0])]


@pytest.mark.filterwarnings("error")
def test_r15_exponential_gain_of_a_huge_grade_is_computed_without_overflow():
    qrels, run = Qrels.of({"q": {"a": 1100, "b": 1}}), Run.of("r", {"q": [("b", 2.0), ("a", 1.0)]})
    value = measure(qrels, run, "nDCG(gain=exp)@2").measurement("r", "nDCG(gain=exp)@2", "q").value
    assert value == pytest.approx(0.63093, abs=1e-5)
    assert reference.ndcg(["b", "a"], {"a": 1100, "b": 1}, 2, gain="exp") == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("grade", [1e17, float("inf"), float("nan")])
def test_a_grade_that_is_no_level_of_a_scale_is_refused_by_its_name(grade):
    with pytest.raises(InputError, match=r"the grade .* of 'b' for question 'q2'"):
        measure(
            Qrels.of({"q1": {"a": 1}, "q2": {"a": 1, "b": grade}}), Run.of("r", {"q1": [("a", 1)]}), "nDCG@3"
        )


def test_an_ideal_of_what_was_retrieved_is_cut_after_it_is_ordered():
    grades = {"a": 1, "b": 0, "c": 3, "d": 2}
    # by hand: (1 + 0) / (3 + 2 / log2 3) at 2; the whole list is ordered before it is cut
    assert reference.ndcg(["a", "b", "c", "d"], grades, 2, ideal="retrieved") == pytest.approx(
        1 / (3 + 2 / np.log2(3)), abs=1e-12
    )


def test_arguments_that_were_swapped_are_told_with_their_order(tmp_path):
    qrels, run = Qrels.of({"q": {"a": 1}}), Run.of("r", {"q": [("a", 1.0)]})
    corpus = eh.Corpus((Document(id="d", text="One. Two."),))
    units, gold = eh.chunk(corpus, eh.Whole()), GoldSet(())
    for call, order in (
        (lambda: measure(run, qrels, "R@1"), "measure(qrels, runs, metrics)"),
        (lambda: measure([run], qrels, "R@1"), "measure(qrels, runs, metrics)"),
        (lambda: measure(qrels, [qrels], "R@1"), "measure(qrels, runs, metrics)"),
        (lambda: align(units, gold), "align(gold, units)"),
        (lambda: eh.retrieve(units, eh.BM25(), {"q": "One?"}), "retrieve(system, units, questions)"),
        (lambda: eh.chunk(eh.Whole(), corpus), "chunk(corpus, rule)"),
        (lambda: write_run(run, tmp_path / "r"), "write_run(path, run)"),
        (lambda: write_qrels(qrels, tmp_path / "q"), "write_qrels(path, qrels)"),
        (lambda: eh.write_gold(gold, tmp_path / "g"), "write_gold(path, gold)"),
        (lambda: eh.token_lengths(corpus), "token_lengths(units)"),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert order in caught.value.mend


def test_a_token_budget_is_measured_with_the_public_lengths_of_units():
    class Words:
        name = "words"

        def offsets(self, text):
            return np.array([[i, i + 1] for i in range(len(text))], dtype=np.int64)

    corpus = eh.Corpus((Document(id="d", text="abcdef"), Document(id="e", text="ghi")))
    units = eh.chunk(corpus, eh.Whole())
    spans = (Quote(Span("e", 0, 3), "ghi"),)
    gold = GoldSet((Question(id="q", text="?", evidence=(Nugget(name="n", spans=spans),)),))
    one = Run.of("r", {"q": [("d#0-6", 2.0), ("e#0-3", 1.0)]}, units=units)
    lengths = eh.token_lengths(units, tokens=Words())
    assert lengths.tolist() == [6, 3]
    names = ["SpanRecall@8tokens", "SpanRecall@9tokens"]
    m = measure(align(gold, units), one, names, lengths=lengths)
    assert [value(m, name, "q", "r") for name in names] == [0.0, 1.0]


def test_a_comparison_prints_as_a_few_lines():
    qrels = Qrels.of({f"q{i}": {"a": 1, "b": 0} for i in range(30)})
    runs = [Run.of(n, {f"q{i}": [("ab"[(i + s) % 2], 1.0)] for i in range(30)}) for s, n in enumerate("xyz")]
    made = eh.compare(measure(qrels, runs, ["nDCG@3", "R@1"]), primary="nDCG@3")
    assert str(made) == repr(made)
    assert made.sentences[0] in str(made)
    assert len(str(made)) < 1000
