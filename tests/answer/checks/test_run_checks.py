"""Each check by what it finds and what it misses, with its explanation."""

import json
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.front import main

from evenhand.answer.checks.context import Borne
from evenhand.answer.checks.run_checks import CHECKS, Context, check, check_all, checks_named
from evenhand.answer.checks.settings import LOOK_IN, Settings, settings_of
from evenhand.answer.claims.claims import asked
from evenhand.answer.diagnosis.evidence import NO_PASSAGES
from evenhand.answer.diagnosis.failure_rates import accounts
from evenhand.errors import InputError
from evenhand.formats.answers.jsonl import read_answers
from evenhand.model.answer import ITEMS, Citation, Generation, Item, Passage

LEASE = Passage(
    unit="lease.md#0-113",
    text="Either party may end this agreement with 30 days' written notice. The fee is 1,250 euros, "
    "due on 9 October 2024.",
    marker="1",
    doc="lease.md",
)
RENT = Passage(
    unit="rent.md#0-80",
    text="The deposit is between 2 and 3 months' rent and is paid back within 6 weeks.",
    marker="2",
    doc="rent.md",
)
ASK = "How long is the notice period?"


def answer(text, **more):
    return Item(topic="q1", kind="answer", text=text, system="s", **more)


def choice(*options, key=0, text=ASK, cites=("1",), **more):
    return Item(
        topic="q1",
        kind="multiple-choice",
        text=text,
        options=options,
        key=key,
        system="s",
        citations=tuple(Citation(marker=m) for m in cites),
        **more,
    )


def short(text, said, cites=("1",)):
    given_ = tuple(Citation(marker=m) for m in cites)
    return Item(topic="q1", kind="short-answer", text=text, answer=said, system="s", citations=given_)


def generation(*items, passages=(LEASE, RENT), ask=ASK, **more):
    return Generation(topic="q1", ask=ask, system="s", passages=passages, items=items, **more)


def finding(name, item, *, settings=None, borne=None, **more):
    context = Context(settings=settings or Settings(), checks=(name,), borne=borne or {})
    (found,) = check(generation(item, **more), context=context)
    assert found.check == name
    assert found.item == item.id
    return found


# --- citations --------------------------------------------------------------------------------------------


def test_an_answer_cites_a_passage_that_was_retrieved():
    found = finding("cites-retrieved", answer("30 days [1]."))
    assert found.passed
    assert found.found == ("1 → passage 1",)
    assert found.where == (("item", 8, 11),)


@pytest.mark.parametrize(
    ("text", "why"), [("30 days.", "cites nothing"), ("30 days [7].", "no citation leads")]
)
def test_an_answer_that_cites_nothing_retrieved_fails(text, why):
    found = finding("cites-retrieved", answer(text), prompt="ours")
    assert found.passed is False
    assert why in found.why


def test_every_citation_must_lead_to_a_passage():
    found = finding("citations-resolve", answer("30 days [1, 3] and more [2]."))
    assert found.passed is False
    assert found.missing == ("3",)
    assert found.where == (("item", 8, 14),)
    assert finding("citations-resolve", answer("30 days [1-2].")).passed
    assert finding("citations-resolve", answer("30 days.")).passed is None


def test_citations_given_apart_count_and_are_not_counted_twice():
    item = answer(
        "30 days [1].", citations=(Citation(marker="1", start=8, end=11), Citation(marker="rent.md"))
    )
    found = finding("citations-resolve", item)
    assert found.passed
    assert found.sought == ("1", "rent.md")


def test_quotations_are_verbatim_but_for_white_space_and_marks():
    for text in (
        'It says "may end this\n agreement with 30 days’ written notice" [1].',
        "It says “Either party may … 30 days' written notice” [1].",
        'It says "Either party [or both] may end this agreement." [1]',
    ):
        found = finding("quotations-verbatim", answer(text))
        if "or both" in text or "…" in text:
            assert found.passed, text
        else:
            assert found.passed is None, "a quotation does not run over a line end"


def test_a_quotation_that_is_not_there_is_named():
    found = finding("quotations-verbatim", answer('It says "either side may end this agreement" [1].'))
    assert found.passed is False
    assert found.missing == ("either side may end this agreement",)
    assert found.where == (("item", 9, 43),)


def test_a_quotation_of_a_passage_that_is_not_cited_fails():
    assert finding("quotations-verbatim", answer('"paid back within 6 weeks" [1]')).passed is False
    assert finding("quotations-verbatim", answer('"paid back within 6 weeks" [2]')).passed
    retrieved = Settings(look_in="retrieved")
    assert finding("quotations-verbatim", answer('"paid back within 6 weeks" [1]'), settings=retrieved).passed


def test_a_quotation_is_no_part_of_a_longer_number():
    cited = [Citation(marker="1", quote=words) for words in ("the FEE is 1,250 euros", "250 euros")]
    found = finding("quotations-verbatim", answer("x", citations=tuple(cited)))
    assert (found.found, found.missing) == (("the FEE is 1,250 euros",), ("250 euros",))


def test_the_quote_of_a_citation_must_be_in_its_own_passage():
    good = answer("x", citations=(Citation(marker="1", quote="The  fee is 1,250 euros"),))
    bad = answer("x", citations=(Citation(marker="2", quote="The fee is 1,250 euros"),))
    assert finding("quotations-verbatim", good).where == (("passage 1", 66, 88),)
    assert finding("quotations-verbatim", bad).passed is False


def test_pieces_of_a_quotation_must_follow_each_other():
    assert finding("quotations-verbatim", answer('"written notice ... Either party may" [1]')).passed is False


# --- numbers, words, keys -------------------------------------------------------------------------------


def test_numbers_are_looked_for_in_the_passages_cited():
    found = finding("numbers-grounded", answer("60 days' notice, a fee of €1,250, 42 days [1]."))
    assert found.passed is False
    assert found.missing == ("60 days", "42 days")
    assert found.found == ("€1,250 → 1,250 euros",)
    assert found.where[0] == ("item", 0, 7)
    assert found.why == "2 of 3 are not in the passages cited"
    assert finding("numbers-grounded", answer("Paid back within 42 days [2].")).passed


def test_a_citation_is_no_number_and_a_number_without_citation_is_not_grounded():
    assert finding("numbers-grounded", answer("Either party may end it [1].")).why == "holds no number"
    assert finding("numbers-grounded", answer("30 days."), prompt="ours").passed is False
    strict = Settings(look_in="cited")
    assert finding("numbers-grounded", answer("30 days."), settings=strict).passed is False


def test_numbers_of_distractors_are_not_looked_for_and_that_of_the_key_is():
    assert finding("numbers-grounded", choice("30 days", "60 days", "90 days", "10 days")).passed
    found = finding("numbers-grounded", choice("30 days", "60 days", "90 days", "10 days", key=1))
    assert found.missing == ("60 days",)
    assert found.where == (("option 2", 0, 7),)


def test_half_of_the_content_words_must_occur():
    found = finding("content-words", answer("Both parties can end the agreements by written notices [1]."))
    assert found.passed
    assert {"parties", "agreements", "notices"} <= set(found.found)
    assert finding("content-words", answer("Bananas grow on tropical islands [1].")).passed is False


def test_the_share_is_a_setting():
    item = answer("Notice may be given by pigeon [1].")
    assert finding("content-words", item).passed
    assert finding("content-words", item, settings=Settings(support=0.9)).passed is False


def test_words_of_another_language_cannot_be_compared():
    found = finding("content-words", answer("Die Frist ist 30 Tage und wird nicht verlängert [1]."))
    assert found.passed is None
    assert "in de, the passages in en" in found.why


@pytest.mark.parametrize(
    ("said", "passed"),
    [
        ("30 days' written notice", True),
        ("30 DAYS’ WRITTEN  NOTICE.", True),
        ("Written notice of 30 days", True),
        ("60 days' written notice", False),
        ("A month of oral notice", False),
        ("0 days", False),
    ],
)
def test_the_key_is_in_the_passages_as_it_is_or_by_its_words(said, passed):
    assert finding("key-grounded", short(ASK, said)).passed is passed


def test_a_key_that_refers_to_other_options_is_not_decided():
    assert finding("key-grounded", choice("30 days", "b", "c", "All of the above", key=3)).passed is None


def test_a_key_without_option_or_citation_is_not_grounded():
    assert finding("key-grounded", choice("a", "b", "c", "d", key=9)).passed is False
    assert finding("key-grounded", choice("30 days", "b", "c", "d", cites=())).passed is False


# --- options --------------------------------------------------------------------------------------------


def test_four_distinct_options():
    assert finding("options-distinct", choice("30 days", "60 days", "90 days", "10 days")).passed
    found = finding("options-distinct", choice("30 days", "A) 30  Days.", "", "10 days"))
    assert found.passed is False
    assert found.missing == ("A) 30  Days.", "(empty)")
    assert "3 options, not 4" in finding("options-distinct", choice("a", "b", "c")).why
    assert finding("options-distinct", choice("a", "b", "c"), settings=Settings(options=3)).passed


@pytest.mark.parametrize(("key", "passed"), [(0, True), (3, True), (4, False), (None, False), (-1, False)])
def test_the_key_points_to_an_option(key, passed):
    assert finding("key-valid", choice("a", "b", "c", "d", key=key)).passed is passed


def test_distractors_on_topic_and_of_like_length():
    item = choice("30 days", "60 days", "the deposit", "bananas")
    found = finding("distractors-on-topic", item)
    assert found.missing == ("bananas",)
    assert found.where == (("option 4", 0, 7),)
    assert finding("distractors-on-topic", choice("30", "12", "7 %", "1999")).passed
    long = choice("30 days", "60 days", "90 days", "thirty days, unless the landlord has agreed to less")
    assert finding("distractors-like-length", item).passed
    assert finding("distractors-like-length", long).missing == (long.options[3],)
    assert finding("distractors-like-length", choice("a", "b", key=7)).passed is None


def test_an_item_that_nearly_repeats_an_earlier_one_is_found():
    one = short("How long is the notice period of the lease in this agreement?", "30 days")
    two = short("How long is the notice period of the lease in the agreement?", "30 days")
    three = short("Which sum is due in October?", "1,250 euros")
    found = {f.item: f for f in check(generation(one, two, three), context=Context(checks=("no-repeat",)))}
    assert found[one.id].passed
    assert found[two.id].passed is False
    assert one.id in found[two.id].why
    assert found[three.id].passed
    (again,) = check(generation(two), earlier=[one], context=Context(checks=("no-repeat",)))
    assert again.passed is False


def test_items_of_other_systems_are_no_earlier_items_and_answers_may_be_the_same():
    one = short("How long is the notice period?", "30 days")
    other = Item(topic="q1", kind="short-answer", text=one.text, answer=one.answer, system="t")
    first = generation(one)
    second = Generation(topic="q1", ask=ASK, system="t", passages=(LEASE,), items=(other,))
    found = check_all([first, second], context=Context(checks=("no-repeat",)))
    assert [f.passed for f in found] == [True, True]
    assert check(generation(answer("I cannot say.")), context=Context(checks=("no-repeat",))) == []


# --- whole answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expect", "passed", "did"),
    [
        ("30 days [1].", "answer", True, "answered"),
        ("The passages do not say how long it is.", "abstain", True, "abstained"),
        ("The passages do not say how long it is.", "answer", False, "abstained"),
        ("30 days [1].", "abstain", False, "answered"),
        ("Do you mean the notice of the tenant?", "clarify", True, "asked-back"),
    ],
)
def test_abstention_is_judged_by_what_the_gold_set_expects(text, expect, passed, did):
    found = finding("abstention", answer(text), expect=expect)
    assert found.passed is passed
    assert found.found == (did,)


def test_without_expectation_abstention_is_not_decided():
    assert finding("abstention", answer("30 days [1].")).passed is None


def test_an_answer_that_abstains_is_not_held_against_passages():
    found = check(generation(answer("The passages do not say how long it is."), expect="abstain"))
    decided = {f.check for f in found if f.passed is not None}
    assert decided == {"abstention", "language-match"}
    assert all("see abstention" in f.why for f in found if f.passed is None)


def test_language_is_that_of_the_question_unless_told():
    german = answer("Die Frist ist 30 Tage, und sie wird nicht verlängert [1].")
    assert finding("language-match", german).passed is False
    assert finding("language-match", german, ask="Wie lang ist die Frist, wenn man nicht zahlt?").passed
    told = answer(german.text, language="de")
    assert finding("language-match", told).passed
    found = finding("language-match", answer("30 days [1].", language="en"))
    assert found.passed is None
    assert "cannot be decided" in found.why


def test_claims_are_as_a_panel_found_them():
    item = answer("30 days [1].")
    assert finding("claims-borne-out", item).passed is None
    good, bad, open_ = (Borne(claim=c, out=o) for c, o in (("a", True), ("b", False), ("c", None)))
    for borne, passed in (([good], True), ([good, bad, open_], False), ([good, open_], None), ([], None)):
        assert finding("claims-borne-out", item, borne={item.id: borne}).passed is passed


# --- all of them ----------------------------------------------------------------------------------------


def test_each_check_is_described_and_applies_to_known_kinds():
    for name, one in CHECKS.items():
        assert one.name == name
        assert one.asks.endswith("?") or "says the panel" in one.asks
        assert set(one.kinds) <= set(ITEMS)
        assert one.made.__doc__
        for setting in one.settings:
            assert hasattr(Settings(), setting)


def test_each_setting_is_heeded_by_a_check():
    heeded = {name for one in CHECKS.values() for name in one.settings}
    assert heeded == set(Settings.__slots__)


def test_unknown_names_tell_the_nearest():
    with pytest.raises(InputError, match="numbers-ground") as caught:
        checks_named(["numbers-ground"])
    assert "numbers-grounded" in caught.value.mend
    with pytest.raises(InputError) as caught:
        settings_of({"suport": 0.4})
    assert "support" in caught.value.mend
    for bad in ({"support": 2}, {"support": "half"}, {"look_in": "all"}, {"options": 4.5}, {"options": True}):
        with pytest.raises(InputError):
            settings_of(bad)
    assert settings_of({"support": 1, "options": 3.0}) == Settings(support=1.0, options=3)


def test_findings_are_the_same_each_time_and_in_order():
    made = generation(
        answer("30 days [1]."), choice("30 days", "60 days", "90 days", "10 days"), expect="answer"
    )
    assert check(made) == check(made)
    order = list(CHECKS)
    for item in made.items:
        names = [f.check for f in check(made) if f.item == item.id]
        assert names == sorted(names, key=order.index)


@given(
    text=st.text(max_size=80),
    options=st.lists(st.text(max_size=20), max_size=4),
    key=st.one_of(st.none(), st.integers(-2, 9)),
    passages=st.lists(st.text(max_size=60), max_size=3),
    kind=st.sampled_from(ITEMS),
    expect=st.sampled_from(["", "answer", "abstain", "clarify"]),
)
def test_any_item_is_checked(*, text, options, key, passages, kind, expect):
    item = Item(topic="t", kind=kind, text=text, options=tuple(options), key=key, answer="".join(options))
    made = Generation(
        topic="t",
        ask=text,
        system="s",
        passages=tuple(Passage(unit=f"d#{i}", text=p, marker=str(i + 1)) for i, p in enumerate(passages)),
        items=(item,),
        expect=expect,
    )
    found = check(made)
    assert {f.check for f in found} == {one.name for one in CHECKS.values() if kind in one.kinds}
    texts = {"item": item.text, "answer": item.answer}
    texts |= {f"passage {i + 1}": p for i, p in enumerate(passages)}
    texts |= {f"option {i + 1}": o for i, o in enumerate(options)}
    for one in found:
        for place, start, end in one.where:
            assert 0 <= start <= end <= len(texts[place]), one
        if one.passed is None:
            assert one.why


def test_work_grows_with_the_items_and_not_faster():
    def took(n):
        made = [
            Generation(
                topic=f"q{i}",
                ask=ASK,
                system="s",
                passages=(LEASE, RENT),
                items=(short(f"How long is period {i} of lease {i * 7}?", f"{i} days"),),
            )
            for i in range(n)
        ]
        began = perf_counter()
        check_all(made)
        return perf_counter() - began

    took(20)
    assert took(400) < 16 * took(100) + 0.5


def test_where_there_is_nothing_to_look_in_the_finding_says_so():
    found = finding("numbers-grounded", answer("30 days."), prompt="ours")
    assert found.why == "cites no passage, so that there is nothing to look in"
    retrieved = Settings(look_in="retrieved")
    bare = finding(
        "content-words", answer("Notice is written."), passages=(), settings=retrieved, prompt="ours"
    )
    assert (bare.passed, bare.why[:24]) == (False, "no passage was retrieved")


# --- what came from elsewhere ------------------------------------------------------------------------------


def rates_of(generations, **settings):
    (account,) = accounts(generations, check_all(generations, context=Context(settings=Settings(**settings))))
    return {rate.check: rate for rate in account.rates}


def ragas_rows(n=20):
    """Rows of Ragas: each response is a copy of one of its contexts, without any mark of a citation."""
    texts = [f"The notice for lease {i} is {i + 10} days, and the fee is {i + 100} euros." for i in range(n)]
    return [
        {
            "user_input": f"What is the notice for lease {i}?",
            "retrieved_contexts": [texts[i], texts[(i + 1) % n]],
            "response": texts[i],
        }
        for i in range(n)
    ]


def test_r17_answers_without_citations_are_looked_up_in_what_was_retrieved(tmp_path, capsys):
    (tmp_path / "r.json").write_text(json.dumps(ragas_rows()))
    made = tmp_path / "answers.jsonl"
    assert main(["answers", "import", str(tmp_path / "r.json"), "--from", "ragas", "--out", str(made)]) == 0
    every = read_answers(made)
    found = rates_of(every)
    for check_ in ("content-words", "numbers-grounded"):
        share = found[check_].share
        assert (share.point, share.n) == (1.0, 20)
    for check_ in ("cites-retrieved", "citations-resolve"):
        assert (found[check_].share.n, found[check_].undecided) == (0, 20)
    capsys.readouterr()
    assert main(["answers", "check", str(made)]) == 0
    shown = capsys.readouterr().out
    assert "20 that cite nothing in all that was retrieved" in shown
    assert "0 of 20 items fail a check" in shown
    assert main(["answers", "check", str(made), "--look-in", "cited"]) == 0
    assert "20 of 20 items fail a check" in capsys.readouterr().out
    assert main(["answers", "check", str(made), "--look-in", "all"]) == 2


def test_answers_with_and_without_citations_in_one_file_go_each_by_its_own():
    cited = finding("numbers-grounded", answer("Paid back within 6 weeks [1]."))
    assert (cited.passed, cited.why) == (False, "1 of 1 are not in the passages cited")
    assert finding("numbers-grounded", answer("Paid back within 6 weeks.")).passed
    wrong = finding("numbers-grounded", answer("Paid back within 7 weeks."))
    assert (wrong.passed, wrong.why) == (False, "1 of 1 are not in the passages retrieved")
    assert finding("cites-retrieved", answer("30 days [1].")).passed
    assert finding("cites-retrieved", answer("30 days.")).passed is None


@pytest.mark.parametrize("look_in", LOOK_IN)
@pytest.mark.parametrize("text", ["30 days [1].", "30 days.", "The parties say “it may end at any time”."])
def test_where_no_passage_is_known_nothing_fails_for_want_of_one(text, look_in):
    context = Context(settings=Settings(look_in=look_in))
    found = check(generation(answer(text), passages=()), context=context)
    assert not [one for one in found if one.passed is False]
    assert {one.why for one in found if one.check == "numbers-grounded"} == {NO_PASSAGES}


def test_what_is_not_found_in_passages_without_text_is_undecided():
    bare = Passage(unit="lease.md", text="", marker="1")
    for name in ("numbers-grounded", "content-words"):
        assert finding(name, answer("Notice is 30 days."), passages=(bare,)).passed is None
        assert finding(name, answer("Notice is 30 days."), passages=(bare, LEASE)).passed


def test_claims_of_an_answer_that_need_not_cite_are_put_against_all_passages():
    (one,) = asked(generation(answer("The notice is 30 days.")))
    assert one.passages == (0, 1)
    assert asked(generation(answer("The notice is 30 days."), prompt="ours")) == []
