"""What stands in a rater's log: the last answer of each field, undone as often as wished, blind or not."""

# ruff: noqa: S106 - tokens of tests are no secrets, and nothing is left listening

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.house import AT
from tests.web.rubric_house import answers, furnished, study_items

from evenhand.answer.rating.batch import PAYLOAD_KEYS, Pack, order_of, pack_of, shown
from evenhand.answer.rating.rater_queues import (
    desks_of,
    findings_of,
    keep_pack,
    log_of,
    open_desk,
    pack_named,
)
from evenhand.answer.rating.rating_log import Act, RaterBook
from evenhand.answer.rating.ratings import is_blind, last_of_each, ratings_in, ratings_of
from evenhand.answer.rating.rubric import RUBRIC
from evenhand.errors import InputError
from evenhand.model.answer import RATED, Rating
from evenhand.store.open import create_store

ITEMS = ("a", "b")
ACTS = st.lists(
    st.one_of(
        st.tuples(
            st.just("rate"), st.sampled_from(ITEMS), st.sampled_from(RATED), st.sampled_from(["yes", "no", "cannot-tell"])
        ),
        st.tuples(st.just("skip"), st.sampled_from(ITEMS)),
        st.tuples(st.just("undo")),
        st.tuples(st.just("checks"), st.sampled_from(ITEMS)),
    ),
    max_size=40,
)  # fmt: skip


def played(script):
    """The book of a script, and what a slow model of it says: (item, field, said, number, seen before)."""
    book, stack, seen = RaterBook(), [], set()
    for number, (kind, *rest) in enumerate(script, start=1):
        token = f"t{number}"
        if kind == "rate":
            item, field, said = rest
            book.add(Act(token=token, act="rate", item=item, field=field, said=said, number=number))
            stack.append(("rate", item, field, said, item in seen))
        elif kind == "skip":
            book.add(Act(token=token, act="skip", item=rest[0], reason="broken", number=number))
            stack.append(("skip", rest[0], "", "", False))
        elif kind == "checks":
            book.add(Act(token=token, act="checks", item=rest[0], number=number))
            seen.add(rest[0])
        else:
            last = book.last()
            book.add(Act(token=token, act="undo", undoes=last.number if last else 999, number=number))
            if stack:
                stack.pop()
    return book, stack, seen


@given(ACTS)
def test_what_stands_is_what_a_stack_of_acts_says(script):
    book, stack, seen = played(script)
    ratings = {one.item: one for one in ratings_of(book, "ann")}
    for item in ITEMS:
        own = [act for act in stack if act[1] == item]
        given_ = {field: (said, late) for kind, _, field, said, late in own if kind == "rate"}
        if not given_ or own[-1][0] == "skip":
            assert item not in ratings
            continue
        one = ratings[item]
        assert dict(one.given) == {name: said for name, (said, _) in given_.items()}
        assert list(one.given) == [name for name in RATED if name in given_]
        assert set(one.after_checks) == {name for name, (_, late) in given_.items() if late}
        expected = given_["faithful"][1] if "faithful" in given_ else item in seen
        assert one.checks_shown_before_rating == expected


@given(ACTS)
def test_lines_make_the_same_book(script):
    book, _, _ = played(script)
    lines = [(act.number, act.as_json()) for act in sorted(book.tokens.values(), key=lambda a: a.number)]
    assert ratings_of(RaterBook.of(lines), "ann") == ratings_of(book, "ann")


@given(ACTS)
def test_an_undo_told_twice_takes_back_once(script):
    book, _, _ = played(script)
    last = book.last()
    if last is None:
        return
    before = len(list(book.acts))
    for i in (1, 2):
        book.add(Act(token=f"u{i}", act="undo", item=last.item, undoes=last.number, number=book.length + 1))
    assert len(list(book.acts)) == before - 1


def test_a_changed_rating_is_no_longer_blind_once_the_checks_were_seen():
    book = RaterBook()
    book.add(Act(token="1", act="rate", item="a", field="faithful", said="yes", number=1))
    book.add(Act(token="2", act="checks", item="a", number=2))
    assert not ratings_of(book, "ann")[0].checks_shown_before_rating
    book.add(Act(token="3", act="rate", item="a", field="faithful", said="no", number=3))
    (one,) = ratings_of(book, "ann")
    assert one.checks_shown_before_rating
    assert not is_blind(one)
    book.add(Act(token="4", act="undo", item="a", undoes=3, number=4))
    assert is_blind(ratings_of(book, "ann")[0])


def test_ratings_from_elsewhere_are_blind_as_their_first_field():
    shown_ = Rating(item="a", rater="x", given={"faithful": "yes"}, checks_shown_before_rating=True)
    assert not is_blind(shown_, "accept")
    assert is_blind(Rating(item="a", rater="x", given={}), "accept")
    later = Rating(item="a", rater="x", given={"accept": "no"})
    assert last_of_each([shown_, later]) == [later]


def test_an_order_is_drawn_for_each_rater_and_keeps_topics_together():
    pack = pack_of([study_items(f"t{i}") for i in range(8)], name="p")
    topic = {item["id"]: item["topic"] for item in pack.items}
    blocks = order_of(pack, order="blocks", seed=1, rater="ann")
    assert sorted(blocks) == sorted(topic)
    runs = [topic[item] for i, item in enumerate(blocks) if i == 0 or topic[item] != topic[blocks[i - 1]]]
    assert len(runs) == 8
    assert blocks == order_of(Pack.of_json(pack.as_json()), order="blocks", seed=1, rater="ann")
    assert len({order_of(pack, order="blocks", seed=1, rater=name) for name in "abcdef"}) == 6
    mixed = order_of(pack, order="mixed", seed=1, rater="ann")
    assert sum(topic[a] != topic[b] for a, b in pairwise(mixed)) > 8
    with pytest.raises(InputError, match="no order"):
        order_of(pack, order="block", seed=1, rater="ann")


def test_a_pack_without_items_is_refused():
    with pytest.raises(InputError, match="no item"):
        pack_of([], name="p")


def test_what_is_shown_has_exactly_these_keys():
    pack = pack_of([*answers(1), study_items()], name="p")
    for item in pack.items:
        sent = shown(pack, item["id"], task="t", position=0, total=4, given={})
        assert set(sent) == PAYLOAD_KEYS
        assert sent["fields"] == list(RUBRIC.asked(item["kind"]))
        assert all(set(passage) == {"marker", "title", "text"} for passage in sent["passages"])


class RaterLog:
    """The log of raters, on whichever store."""

    def test_pack_desk_and_log_come_back(self, store):
        store, pack, desks = furnished(store, [study_items()], raters=("ann", "b/en"))
        assert pack_named(store, "") == pack == pack_named(store, "pack") == pack_named(store, pack.seal[:8])
        assert [desk.rater for desk in desks_of(store)] == ["ann", "b/en"]
        assert desks["ann"] == open_desk(store, pack.seal, "ann", order="blocks", seed=7, at="later")
        with pytest.raises(InputError, match="seed"):
            open_desk(store, pack.seal, "ann", order="blocks", seed=8, at=AT)
        first = pack.items[0]["id"]
        log = log_of(pack.seal, "ann")
        act = Act(token="t", act="rate", item=first, field="faithful", said="no", active_ms=0, at=AT)
        assert store.append(log, act.as_json(), token="t") == 1
        assert store.append(log, act.as_json(), token="t") == 1
        (one,) = ratings_in(store, pack.seal)
        assert (one.rater, dict(one.given), one.active_ms) == ("ann", {"faithful": "no"}, 0)
        assert store.check() == []

    def test_checks_made_anew_are_shown_and_the_pack_stays_the_same(self, store):
        store, pack, _ = furnished(store, [study_items()])
        first = pack.items[0]["id"]
        assert {one["check"] for one in findings_of(store, pack.seal)[first]} > {"numbers-grounded"}
        new = [{"item": first, "check": "numbers-grounded", "passed": None, "why": "anew"}]
        assert (
            keep_pack(store, pack, [*new, {"item": "other", "check": "x", "passed": True}], at=AT)
            == pack.seal
        )
        assert findings_of(store, pack.seal) == {first: new}
        assert len(store.seals("rubric-pack")) == 1

    def test_everything_survives_export_and_import(self, store, another):
        store, pack, _ = furnished(store, [study_items()])
        act = Act(token="t", act="rate", item=pack.items[0]["id"], field="faithful", said="no", at=AT)
        store.append(log_of(pack.seal, "ann"), act.as_json(), token="t")
        another.load(store.dump())
        assert ratings_in(another, pack.seal) == ratings_in(store, pack.seal) != []
        assert findings_of(another, pack.seal) == findings_of(store, pack.seal)

    def test_a_pack_that_is_not_there_names_the_nearest(self, store):
        with pytest.raises(InputError, match="no pack"):
            pack_named(store, "")
        furnished(store, [study_items()], name="leases")
        with pytest.raises(InputError, match="lease") as told:
            pack_named(store, "leasse")
        assert "leases" in told.value.mend


class TestSqlite(RaterLog):
    @pytest.fixture
    def store(self, tmp_path):
        made = create_store(tmp_path / "one.sqlite")
        yield made
        made.close()

    @pytest.fixture
    def another(self, tmp_path):
        made = create_store(tmp_path / "two.sqlite")
        yield made
        made.close()


class TestPostgres(RaterLog):
    @pytest.fixture
    def store(self, postgres):
        made = create_store(postgres.database())
        yield made
        made.close()

    @pytest.fixture
    def another(self, postgres):
        made = create_store(postgres.database())
        yield made
        made.close()
