"""Faults of the model count against it, others can be run again, and no rate forgets the topics that failed."""

import pytest

from evenhand.answer.checks.run_checks import Context, check_all
from evenhand.answer.diagnosis.abstention_table import expected_table
from evenhand.answer.diagnosis.failure_rates import accounts, standing, state_of
from evenhand.model.answer import Citation, Finding, Generation, Item, Passage
from evenhand.stats.intervals.proportion import wilson, wilson_design_effect


def made(topic, passing, of=4, system="s", **more):
    """A topic whose first *passing* items cite a passage, and the others nothing."""
    items = tuple(
        Item(
            topic=topic,
            kind="short-answer",
            text=f"{topic} {i}",
            answer="x",
            system=system,
            number=i,
            citations=(Citation(marker="1"),) if i < passing else (),
        )
        for i in range(of)
    )
    passages = (Passage(unit="d#0-1", text="x", marker="1"),)
    return Generation(topic=topic, ask=topic, system=system, passages=passages, items=items, **more)


def failed(topic, state, system="s"):
    return Generation(topic=topic, ask=topic, system=system, state=state)


def of(generations):
    return accounts(generations, check_all(generations, context=Context(checks=("cites-retrieved",))))


def test_model_faults_count_and_others_do_not():
    (account,) = of(
        [
            *(made(f"t{i}", 4) for i in range(4)),
            failed("r", "refused"),
            failed("c", "cut-off"),
            failed("i", "invalid"),
            failed("n", "fault"),
        ]
    )
    assert (account.valid.k, account.valid.n, account.topics) == (4, 7, 8)
    assert account.valid.interval == wilson(4, 7)
    assert account.again == ("n",)
    assert account.against == 3
    assert account.states == {"made": 4, "refused": 1, "cut-off": 1, "invalid": 1, "fault": 1}
    sentence = account.sentence()
    assert sentence.startswith(
        "s: 4 of 7 topics gave items (1 refused, 1 cut-off, 1 invalid), 57% [25%, 84%]; 1 more"
    )


def test_a_fallback_and_an_empty_reply_count_against_the_model():
    fallback = made("f", 4, extra={"fallback": "other-model"})
    empty = Generation(topic="e", ask="e", system="s")
    assert (state_of(fallback), state_of(empty)) == ("fallback", "empty")
    (account,) = of([made("a", 4), fallback, empty])
    assert (account.valid.k, account.valid.n, account.items) == (1, 3, 4)


def test_a_later_try_stands_and_a_fault_replaces_nothing():
    first, second = made("a", 0), made("a", 4)
    assert standing([failed("a", "fault"), first, second]) == [second]
    assert standing([second, failed("a", "fault")]) == [second]
    assert standing([failed("a", "fault"), failed("a", "refused")])[0].state == "refused"


def test_rates_of_items_have_the_design_effect_of_topics():
    (account,) = of([made("a", 4), made("b", 4), made("c", 0), made("d", 1), failed("e", "refused")])
    (rate,) = account.rates
    assert rate.share == wilson_design_effect([4, 4, 0, 1], [4, 4, 4, 4])
    assert rate.share.point == 9 / 16
    assert rate.share.deff > 2
    plain = wilson(9, 16)
    assert rate.share.interval.low < plain.low < plain.high < rate.share.interval.high
    assert rate.undecided == 0


def test_items_that_all_pass_count_as_many_as_there_are_topics():
    (account,) = of([made(f"t{i}", 4) for i in range(3)])
    (rate,) = account.rates
    assert rate.share.n_eff == 3
    assert rate.share.interval.high == 1
    assert rate.share.interval.low == pytest.approx(wilson(3, 3).low)


def test_what_could_not_be_decided_is_counted_and_bounds_the_share():
    one = made("a", 4, of=4)
    findings = [
        Finding(
            item=item.id, check="language-match", passed=passed, why="" if passed is not None else "too short"
        )
        for item, passed in zip(one.items, (True, False, None, None), strict=True)
    ]
    (account,) = accounts([one], findings)
    (rate,) = account.rates
    assert (rate.share.n, rate.undecided, rate.low, rate.high) == (2, 2, 0.25, 0.75)
    assert rate.reasons == {"too short": 2}


def test_a_check_that_could_never_be_decided_has_no_share():
    one = made("a", 4)
    findings = [Finding(item=item.id, check="x", passed=None, why="w") for item in one.items]
    (rate,) = accounts([one], findings)[0].rates
    assert rate.share.point is None
    assert rate.share.interval.reason
    assert (rate.low, rate.high) == (0, 1)


def test_systems_are_apart_and_nothing_valid_has_no_rates():
    first, second = of([made("a", 4), failed("a", "refused", "t")])
    assert (first.system, second.system) == ("s", "t")
    assert second.valid.point == 0
    assert second.rates == ()
    (alone,) = of([failed("a", "fault")])
    assert alone.valid.point is None
    assert alone.valid.interval.reason == "no items"


def said(topic, text, expect, state="made"):
    item = Item(topic=topic, kind="answer", text=text, system="s")
    return Generation(
        topic=topic,
        ask="How long is it?",
        system="s",
        state=state,
        expect=expect,
        items=(item,) if text else (),
    )


def test_abstention_has_a_table_of_its_own():
    generations = [
        said("1", "30 days [1].", "answer"),
        said("2", "I do not know.", "answer"),
        said("3", "I do not know.", "abstain"),
        said("4", "30 days [1].", "abstain"),
        said("5", "", "abstain", "refused"),
        said("6", "", "abstain", "fault"),
        said("7", "Which lease do you mean?", "clarify"),
    ]
    rows = {row.expect: row for row in expected_table(generations, check_all(generations))}
    assert rows["answer"].did == {"answered": 1, "abstained": 1}
    assert rows["abstain"].did == {"answered": 1, "abstained": 1, "failed": 1}
    assert (rows["abstain"].right.k, rows["abstain"].right.n, rows["abstain"].again) == (1, 3, 1)
    assert rows["clarify"].right.point == 1
