"""What every store promises, as a class of tests."""

# ruff: noqa: D102, S101 - each name is the sentence that is tested

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.model.json_text import loads
from evenhand.model.judging import Desk, Event, EvidenceMark, Task
from evenhand.testing.example import AT, SHEET, TEXTS, entry, filled, small_pool, worked

if TYPE_CHECKING:
    from evenhand.protocols import Store

__all__ = ["StoreContract"]


def refused(act: Any) -> None:
    """The call raises InputError."""
    try:
        act()
    except InputError:
        return
    raise AssertionError("this should have been refused")


class StoreContract:
    """All that `evenhand.protocols.Store` promises. Fixtures: ``store`` and ``another``, both empty."""

    def test_equal_payloads_have_one_seal(self, store: Store) -> None:
        one = store.put("card", {"a": 1, "b": ["é", None]})
        assert store.put("card", {"b": ["é", None], "a": 1}) == one
        assert store.get(one) == {"a": 1, "b": ["é", None]}
        two = store.put("card", {"a": 2})
        assert store.seals("card") == [one, two]
        assert store.seals("other") == []
        refused(lambda: store.put("other", {"a": 2}))
        refused(lambda: store.get("0" * 64))

    def test_a_log_counts_its_lines_and_takes_a_token_once(self, store: Store) -> None:
        assert store.append("gold", {"edit": 1}, token="t1") == 1  # noqa: S106
        assert store.append("gold", {"edit": 2}) == 2
        assert store.append("gold", {"edit": 3}, token="t1") == 1  # noqa: S106
        assert store.append("elsewhere", {"edit": 1}, token="t1") == 1  # noqa: S106
        assert list(store.lines("gold")) == [(1, {"edit": 1}), (2, {"edit": 2})]
        assert list(store.lines("gold", after=1)) == [(2, {"edit": 2})]
        assert list(store.lines("nothing")) == []

    def test_a_pool_comes_back_as_it_went_in(self, store: Store) -> None:
        pool = small_pool()
        mark = store.add_pool(pool, TEXTS, at=AT)
        assert mark == pool.seal == store.add_pool(pool, TEXTS, at="later")
        back = store.pool(mark)
        assert back.items == pool.items
        assert back.seal == mark
        assert dict(back.questions) == dict(pool.questions)
        assert store.pools() == [(mark, "small", len(pool))]
        assert store.question(mark, "q1") == "Why \x00?"
        for item in pool.items:
            assert store.text(item.text_sha256) in TEXTS
        refused(lambda: store.pool("0" * 64))
        refused(lambda: store.question(mark, "q9"))

    def test_an_item_tells_neither_system_nor_stratum_nor_probability(self, store: Store) -> None:
        pool = small_pool()
        store.add_pool(pool, TEXTS, at=AT)
        first = store.item(pool.items[0].id)
        assert (first.stratum, first.probability, first.priority) == ("", 1.0, 0.0)
        assert first.heading == pool.items[0].heading

    def test_a_pool_with_a_text_too_few_or_too_many_is_refused_whole(self, store: Store) -> None:
        refused(lambda: store.add_pool(small_pool(), TEXTS[1:], at=AT))
        refused(lambda: store.add_pool(small_pool(), (*TEXTS, "another"), at=AT))
        assert store.pools() == []

    def test_a_new_sheet_is_shown_and_earlier_ones_stay_readable(self, store: Store) -> None:
        filled(store)
        mark = small_pool().seal
        newer = replace(SHEET, guideline="Read twice.")
        assert store.use_sheet(mark, newer, by="owner", at=AT, reason="clearer") == newer.seal
        assert store.sheet_of(mark) == newer
        assert store.sheet(SHEET.seal) == SHEET
        refused(lambda: store.use_sheet("0" * 64, newer, by="owner", at=AT))

    def test_desks_and_tasks_come_back_and_are_kept_once(self, store: Store) -> None:
        made = filled(store)
        filled(store)
        assert [desk.id for desk in store.desks()] == ["desk-ann", "desk-ben"]
        assert [desk.judge for desk in store.desks(judge="ben", kind="judge")] == ["ben"]
        assert store.desks(pool="0" * 64) == []
        assert store.tasks("desk-ann") == made["desk-ann"]
        assert store.task("ann-3") == made["desk-ann"][3]
        assert store.desk("desk-ann").settings == {"seed": 1}
        refused(lambda: store.desk("desk-zoe"))
        refused(lambda: store.tasks("desk-zoe"))

    def test_desks_are_added_all_or_none(self, store: Store) -> None:
        filled(store, judges=("ann",))
        pool = small_pool()
        good = Desk(id="good", pool=pool.seal, judge="zoe", sheet=SHEET.seal)
        task = Task(id="z0", desk="bad", position=0, item=pool.items[0].id)
        bad = Desk(id="bad", pool=pool.seal, judge="yan", sheet=SHEET.seal)
        refused(lambda: store.add_desks([(good, []), (bad, [replace(task, position=4)])]))
        stray = replace(task, id="z1", desk="good", item="none")
        refused(lambda: store.add_desks([(good, [stray])]))
        refused(lambda: store.add_desks([(replace(good, pool="0" * 64), [])]))
        refused(lambda: store.add_desks([(replace(good, sheet="0" * 64), [])]))
        assert [desk.id for desk in store.desks()] == ["desk-ann"]

    def test_an_answer_is_saved_with_everything_said(self, store: Store) -> None:
        tasks = filled(store)["desk-ann"]
        said = entry(
            tasks[1],
            2.0,
            token="a",  # noqa: S106
            mode="off-topic",
            comment="née 👩‍🔬 \ud800 \x00",
            evidence=(EvidenceMark(start=0, end=2, quote="e\u0301"),),
            shown_at=AT,
            active_ms=4200,
        )
        saved = store.save(said)
        assert saved.fresh
        assert (saved.entry.number, saved.done, saved.total) == (1, 1, len(tasks))
        assert saved.entry == replace(said, number=1)
        assert list(store.book("desk-ann")) == [saved.entry]

    def test_a_retry_and_a_double_click_store_once(self, store: Store) -> None:
        """Case B063: the same label twice within milliseconds would inflate agreement and counts."""
        tasks = filled(store)["desk-ann"]
        first = store.save(entry(tasks[0], 1.0, token="a"))  # noqa: S106
        retry = store.save(entry(tasks[0], 1.0, token="a"))  # noqa: S106
        click = store.save(entry(tasks[0], 1.0, token="b", at="20 ms later"))  # noqa: S106
        assert (retry.fresh, click.fresh) == (False, False)
        assert retry.entry == click.entry == first.entry
        assert len(list(store.book("desk-ann"))) == 1
        assert store.progress("desk-ann") == (1, len(tasks))

    def test_a_token_used_for_another_answer_is_refused(self, store: Store) -> None:
        tasks = filled(store)["desk-ann"]
        store.save(entry(tasks[0], 1.0, token="a"))  # noqa: S106
        refused(lambda: store.save(entry(tasks[0], 0.0, token="a")))  # noqa: S106
        assert store.save(entry(tasks[1], 0.0, token="a")).fresh  # noqa: S106

    def test_a_different_answer_supersedes_and_both_are_in_the_book(self, store: Store) -> None:
        tasks = filled(store)["desk-ann"]
        store.save(entry(tasks[0], 1.0, token="a"))  # noqa: S106
        saved = store.save(entry(tasks[0], 2.0, token="b"))  # noqa: S106
        assert (saved.entry.number, saved.done) == (2, 1)
        assert [one.grade for one in store.book("desk-ann")] == [1.0, 2.0]
        stands = store.standing("desk-ann")[0].entry
        assert stands is not None
        assert stands.grade == 2.0

    def test_the_same_answer_under_a_new_guideline_is_a_new_entry(self, store: Store) -> None:
        tasks = filled(store)["desk-ann"]
        store.save(entry(tasks[0], 1.0, token="a"))  # noqa: S106
        newer = store.use_sheet(small_pool().seal, replace(SHEET, guideline="2"), by="o", at=AT)
        assert store.save(entry(tasks[0], 1.0, token="b", sheet=newer)).fresh  # noqa: S106

    def test_what_cannot_be_saved_leaves_nothing_behind(self, store: Store) -> None:
        tasks = filled(store)["desk-ann"]
        refused(lambda: store.save(entry(replace(tasks[0], id="ben-0"), 1.0, token="a")))  # noqa: S106
        refused(lambda: store.save(entry(replace(tasks[0], id="none"), 1.0, token="a")))  # noqa: S106
        refused(lambda: store.save(entry(replace(tasks[0], desk="none"), 1.0, token="a")))  # noqa: S106
        refused(lambda: store.save(entry(tasks[0], 1.0, token="a", sheet="0" * 64)))  # noqa: S106
        refused(lambda: store.save(entry(tasks[0], None, token="a", kind="undo")))  # noqa: S106
        assert list(store.book("desk-ann")) == []

    def test_undo_goes_back_without_limit_and_the_book_remembers(self, store: Store) -> None:
        tasks = filled(store)["desk-ann"]
        for i in range(3):
            store.save(entry(tasks[i], 1.0, token=f"s{i}"))
        store.save(entry(tasks[1], None, token="s3"))  # noqa: S106
        undone = []
        for i in range(4):
            back = store.undo("desk-ann", token=f"u{i}", at=AT)
            assert back is not None
            undone.append((back.entry.task, back.entry.undoes, back.done))
        assert undone == [("ann-1", 4, 3), ("ann-2", 3, 2), ("ann-1", 2, 1), ("ann-0", 1, 0)]
        assert store.undo("desk-ann", token="u9", at=AT) is None  # noqa: S106
        assert len(list(store.book("desk-ann"))) == 8
        assert all(one.entry is None for one in store.standing("desk-ann"))

    def test_an_undo_sent_twice_takes_back_one_entry(self, store: Store) -> None:
        tasks = filled(store)["desk-ann"]
        for i in range(2):
            store.save(entry(tasks[i], 1.0, token=f"s{i}"))
        first = store.undo("desk-ann", token="u", at=AT)  # noqa: S106
        again = store.undo("desk-ann", token="u", at=AT)  # noqa: S106
        assert first is not None
        assert again is not None
        assert (first.fresh, again.fresh) == (True, False)
        assert again.entry == first.entry
        assert store.progress("desk-ann")[0] == 1

    def test_undo_of_a_named_task_gives_way_to_what_it_superseded(self, store: Store) -> None:
        tasks = filled(store)["desk-ann"]
        store.save(entry(tasks[0], 1.0, token="a"))  # noqa: S106
        store.save(entry(tasks[0], 2.0, token="b"))  # noqa: S106
        store.save(entry(tasks[1], 0.0, token="c"))  # noqa: S106
        back = store.undo("desk-ann", token="u", at=AT, task="ann-0")  # noqa: S106
        assert back is not None
        assert (back.entry.undoes, back.done) == (2, 2)
        stands = store.standing("desk-ann")[0].entry
        assert stands is not None
        assert stands.grade == 1.0
        # the answer that was taken back can be given again
        assert store.save(entry(tasks[0], 2.0, token="d")).fresh  # noqa: S106

    def test_the_next_task_is_the_first_open_one_and_then_from_the_start(self, store: Store) -> None:
        tasks = filled(store)["desk-ann"]

        def following(after: int = -1) -> str | None:
            task = store.next_task("desk-ann", after=after)
            return task.id if task else None

        assert following() == "ann-0"
        store.save(entry(tasks[0], 1.0, token="a"))  # noqa: S106
        store.save(entry(tasks[1], None, token="b", kind="skip", reason="broken"))  # noqa: S106
        assert following() == "ann-2"
        assert following(5) == "ann-6"
        for i in range(2, len(tasks)):
            if i != 3:
                store.save(entry(tasks[i], 1.0, token=f"t{i}"))
        assert following(6) == "ann-3"
        store.save(entry(tasks[3], 1.0, token="t3"))  # noqa: S106
        assert following() is None
        store.undo("desk-ann", token="u", at=AT, task="ann-7")  # noqa: S106
        assert following() == "ann-7"

    def test_one_judge_s_book_says_nothing_of_another_s(self, store: Store) -> None:
        made = filled(store)
        store.save(entry(made["desk-ann"][0], 1.0, token="a"))  # noqa: S106
        assert list(store.book("desk-ben")) == []
        assert store.progress("desk-ben")[0] == 0
        assert store.save(entry(made["desk-ben"][0], 1.0, token="a")).entry.number == 1  # noqa: S106

    def test_events_are_kept_once_and_in_order(self, store: Store) -> None:
        filled(store)
        first = Event(desk="desk-ann", task="ann-0", kind="shown", token="e1", at=AT, body={"w": 390})  # noqa: S106
        second = Event(desk="desk-ann", kind="away", token="e2", at=AT)  # noqa: S106
        assert store.record([first, second]) == 2
        assert store.record([second, replace(first, at="later")]) == 0
        assert list(store.events("desk-ann")) == [first, second]
        assert list(store.events("desk-ben")) == []
        refused(lambda: store.record([replace(first, desk="none", token="e3")]))  # noqa: S106

    def test_a_token_lets_in_until_it_is_revoked(self, store: Store) -> None:
        ann, token = store.grant("Ann", "judge", at=AT)
        ben, other = store.grant("Ben", "owner", at=AT)
        assert token != other
        assert store.admit(token) == ann
        assert store.admit("") is store.admit(token[:-1]) is None
        store.revoke(ann.id, at=AT)
        store.revoke(ann.id, at="later")
        assert store.admit(token) is None
        assert store.admit(other) == ben
        assert store.accesses() == [replace(ann, revoked=AT), ben]
        refused(lambda: store.revoke("none", at=AT))
        refused(lambda: store.grant("Zoe", "boss", at=AT))

    def test_what_is_dumped_and_loaded_is_the_same_to_the_byte(self, store: Store, another: Store) -> None:
        worked(store)
        records = [loads(json.dumps(record)) for record in store.dump()]
        assert another.load(records) == len(records) - 1
        assert [json.dumps(record) for record in another.dump()] == [json.dumps(r) for r in records]
        assert another.load(records) == 0
        assert another.check() == []
        assert another.progress("desk-ann") == store.progress("desk-ann")
        assert another.standing("desk-ann") == store.standing("desk-ann")

    def test_no_token_nor_its_hash_leaves_with_an_export(self, store: Store, another: Store) -> None:
        _, token = store.grant("Ann", "owner", at=AT)
        records = list(store.dump())
        assert hashlib.sha256(token.encode()).hexdigest() not in json.dumps(records)
        another.load(records)
        assert another.admit(token) is None

    def test_what_contradicts_is_refused_and_nothing_of_it_stays(self, store: Store, another: Store) -> None:
        worked(store)
        records = list(store.dump())
        at = next(i for i, record in enumerate(records) if record["record"] == "entry")
        for change in (
            {"grade": 5.0},
            {"number": 99},
            {"task": "ben-0"},
            {"sheet": "0" * 64},
            {"token": "s1"},
        ):
            wrong = [*records[:at], {**records[at], **change}, *records[at + 1 :]]
            refused(lambda wrong=wrong: store.load(wrong))
        at = next(i for i, record in enumerate(records) if record["record"] == "text")
        wrong = [*records[:at], {**records[at], "body": "forged"}, *records[at + 1 :]]
        refused(lambda: another.load(wrong))
        assert len(list(another.dump())) == 1
        refused(lambda: another.load([]))
        refused(lambda: another.load([{"record": "store", "schema": "other/1"}]))
        refused(lambda: another.load([records[0], {"record": "nonsense"}]))
        refused(lambda: another.load([records[0], {"record": "entry"}]))

    def test_a_whole_store_has_no_faults(self, store: Store) -> None:
        assert store.check() == []
        worked(store)
        assert store.check() == []
