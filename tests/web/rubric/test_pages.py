"""The bytes that a rater receives: no check, system or other rating before its time; what is sent is kept once."""

# ruff: noqa: S106 - tokens of tests are no secrets, and nothing is left listening

import json
from dataclasses import replace
from threading import Thread

import pytest
from tests.web.house import AT, BASE, client, post
from tests.web.rubric_house import answers, furnished, rate, study_items

from evenhand.answer.rating.batch import PAYLOAD_KEYS
from evenhand.answer.rating.rater_queues import events_log, keep_pack, log_of
from evenhand.answer.rating.rating_log import Act, RaterBook
from evenhand.answer.rating.ratings import ratings_in
from evenhand.answer.rating.rubric import RUBRIC
from evenhand.web.rubric.session import Rooms

CANARY = {
    "check": "canary-check", "why": "canary-why", "missing": "canary-missing", "system": "canary-system",
    "model": "canary-model", "topic": "canary-topic", "expect": "abstain", "rater": "canary-rater", "name": "canary-pack",
    "comment": "canary-comment", "reason": "canary-reason", "extra": "canary-extra", "unit": "canary-unit",
}  # fmt: skip
CHECKS = ("check", "why", "missing")
PROGRESS = {"done", "total", "skipped", "pace_s", "left_s"}


@pytest.fixture
def there(tmp_path):
    one = study_items(CANARY["topic"], CANARY["system"], model=CANARY["model"], extra={"x": CANARY["extra"]})
    # its words must not hold the canary of the topic, which raters may not see
    items = tuple(replace(item, text=f"Question {i}?") for i, item in enumerate(one.items))
    passages = tuple(replace(passage, unit=CANARY["unit"]) for passage in one.passages)
    one = replace(one, items=items, ask="Leases", passages=passages)
    two = answers(2, CANARY["system"], expect="abstain")
    findings = [
        {"item": item.id, "check": CANARY["check"], "passed": False, "why": CANARY["why"],
         "missing": [CANARY["missing"]]}
        for each in (one, *two) for item in each.items
    ]  # fmt: skip
    store, pack, desks = furnished(
        tmp_path / "s.sqlite",
        [one, *two],
        raters=("ann", CANARY["rater"]),
        name=CANARY["name"],
        findings=findings,
    )
    other = log_of(pack.seal, CANARY["rater"])
    first = pack.items[0]["id"]
    for i, act in enumerate(
        (
            Act(token="a", act="rate", item=first, field="faithful", said="cannot-tell", at=AT),
            Act(token="b", act="comment", item=first, comment=CANARY["comment"], at=AT),
            Act(token="c", act="skip", item=pack.items[1]["id"], reason=CANARY["reason"], at=AT),
        )
    ):
        store.append(other, act.as_json(), token=str(i))
    browser = client(store, "ann")
    path = f"/rubric/{desks['ann'].id}"

    def send(*acts):
        return post(browser, f"{path}/answers.json", {"answers": list(acts)}).json()

    yield store, pack, desks, browser, path, send
    store.close()


def tasks(browser, path):
    return [browser.get(f"{path}/items.json?at={i}").json()["items"][0] for i in range(5)]


def see(browser, path, task, **more):
    return post(browser, f"{path}/checks.json", {"token": f"see-{task}", "task": task, **more})


def test_before_faithful_no_byte_holds_a_check_a_system_or_anothers_rating(there):
    _, pack, desks, browser, path, send = there
    other = f"/rubric/{desks[CANARY['rater']].id}"
    task = browser.get(f"{path}.json").json()["items"][0]["task"]
    browser.get(path)
    seen = 0

    def everything():
        for address in (
            path, f"{path}.json", f"{path}/items.json", f"{path}/items.json?after=2", f"{path}/items.json?at=1",
            f"{path}/items.json?skipped=true", f"{path}/items.json?at=x", other, f"{other}.json", f"{other}/items.json",
            "/desks", "/desks.json", "/", "/overview", "/overview.json", f"{path}/checks.json", f"{path}/answers.json",
        ):  # fmt: skip
            yield browser.get(address)
        yield see(browser, path, task)
        yield see(browser, path, "nothing", early=True)
        yield see(browser, other, task, early=True)
        yield post(browser, f"{path}/answers.json", {"answers": [
            rate(task, "correct", token="1"), rate(task, "faithfull", token="2"), rate("nothing", "faithful", token="3"),
            {"token": "4", "act": "undo"}, {"token": "5", "act": "skip", "task": task},
            {"token": "6", "act": "comment", "task": task, "comment": "mine"},
        ]})  # fmt: skip
        yield post(browser, f"{other}/answers.json", {"answers": [rate(task, "faithful", token="7")]})
        yield post(
            browser,
            f"{path}/events.json",
            {"events": [{"token": "e", "kind": "shown", "at": AT, "task": task}]},
        )

    for answer in everything():
        for what, canary in CANARY.items():
            assert canary not in answer.text, (what, answer.request.url)
        assert pack.seal not in answer.text
        assert not [item for item in pack.by_id if item in answer.text]
        seen += answer.status_code == 200
    assert seen >= 10
    assert send(rate(task, "faithful", token="8"))["results"][0]["saved"]
    told = see(browser, path, task).text
    assert all(CANARY[what] in told for what in CHECKS)
    assert not [what for what, canary in CANARY.items() if what not in CHECKS and canary in told]


def test_pages_hold_exactly_these_keys(there):
    _, _, _, browser, path, send = there
    page = browser.get(f"{path}.json").json()
    html = browser.get(path).text
    island = json.loads(html.split('id="data">')[1].split("</script>")[0])
    more = browser.get(f"{path}/items.json").json()
    task = page["items"][0]["task"]
    taken = send(rate(task, "faithful", token="a"), {"token": "u", "act": "undo"})
    assert (
        set(page) == set(island) == {"desk", "rubric", "sheet", "hide", "guideline_html", "items", "progress"}
    )
    assert set(more) == {"items", "sheet", "progress"}
    assert set(taken) == {"results", "sheet", "progress"}
    first, back = taken["results"]
    assert set(first) == {"token", "saved", "fresh", "number"}
    assert set(back) == {*first, "undone", "item"}
    for item in (*page["items"], *island["items"], *more["items"], back["item"]):
        assert set(item) == PAYLOAD_KEYS
    for one in (page, more, taken):
        assert set(one["progress"]) == PROGRESS
    assert page["rubric"] == RUBRIC.as_json()
    send(rate(task, "faithful", token="b"))
    found = see(browser, path, task).json()
    assert set(found) == {"task", "findings", "early"}
    assert {frozenset(one) for one in found["findings"]} == {
        frozenset({"check", "asks", "passed", "why", "sought", "found", "missing"})
    }


def test_an_early_reveal_goes_on_record_and_unblinds_that_item_alone(there):
    store, pack, _, browser, path, send = there
    first, second, *_ = [one["task"] for one in tasks(browser, path)]
    assert see(browser, path, first).status_code == 403
    shown = see(browser, path, first, early=True)
    assert shown.json()["early"]
    send(rate(first, "faithful", token="a"), rate(second, "faithful", token="b"))
    assert not see(browser, path, second, early=True).json()["early"]
    lines = [line for _, line in store.lines(log_of(pack.seal, "ann"))]
    assert [(line["act"], line.get("early", False)) for line in lines] == [
        ("checks", True), ("rate", False), ("rate", False), ("checks", False)
    ]  # fmt: skip
    assert [line["checks_shown_before_rating"] for line in lines if line["act"] == "rate"] == [True, False]
    assert sorted(
        one.checks_shown_before_rating for one in ratings_in(store, pack.seal) if one.rater == "ann"
    ) == [False, True]


def test_with_hide_item_the_checks_wait_for_the_whole_item(tmp_path):
    store, _, desks = furnished(tmp_path / "s.sqlite", answers(1), hide="item")
    browser, path = client(store, "ann"), f"/rubric/{desks['ann'].id}"
    task = browser.get(f"{path}.json").json()["items"][0]["task"]
    fields = RUBRIC.asked("answer")
    for i, name in enumerate(fields):
        assert see(browser, path, task).status_code == 403
        post(browser, f"{path}/answers.json", {"answers": [rate(task, name, token=str(i))]})
    assert see(browser, path, task).status_code == 200
    store.close()


def test_a_double_click_a_retry_and_two_browsers_are_one_rating(there):
    store, pack, _, browser, path, send = there
    task = tasks(browser, path)[0]["task"]
    assert send(rate(task, "faithful", token="a"))["results"][0]["fresh"]
    assert not send(rate(task, "faithful", token="a"))["results"][0]["fresh"]
    assert not send(rate(task, "faithful", token="b"))["results"][0]["fresh"]
    other = send(rate(task, "faithful", "no", token="a"))["results"][0]
    assert not other["saved"]
    assert "token" in other["what"]
    second = client(store, "ann")
    acts = {"answers": [rate(task, "correct", token="c")]}
    threads = [Thread(target=post, args=(one, f"{path}/answers.json", acts)) for one in (browser, second) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = [line for _, line in store.lines(log_of(pack.seal, "ann"))]
    assert [(line["token"], line["field"]) for line in lines] == [("a", "faithful"), ("c", "correct")]


def test_a_rating_said_again_after_the_checks_stays_blind(there):
    store, pack, _, browser, path, send = there
    task = tasks(browser, path)[0]["task"]
    send(rate(task, "faithful", token="a"))
    see(browser, path, task)
    assert not send(rate(task, "faithful", token="b"))["results"][0]["fresh"]
    assert not next(
        one for one in ratings_in(store, pack.seal) if one.rater == "ann"
    ).checks_shown_before_rating


def test_undo_goes_back_without_limit_and_a_skip_is_taken_up_again(there):
    store, pack, _, browser, path, send = there
    one, two, *_ = [item["task"] for item in tasks(browser, path)]
    send(rate(one, "faithful", token="a"), rate(one, "correct", "no", token="b"),
         {"token": "c", "act": "skip", "task": two, "reason": "broken"})  # fmt: skip
    assert browser.get(f"{path}/items.json?skipped=true").json()["items"][0]["skipped"] == "broken"
    assert send(rate(two, "faithful", token="d"))["results"][0]["fresh"]
    assert browser.get(f"{path}/items.json?skipped=true").json()["items"] == []
    undone = [send({"token": f"u{i}", "act": "undo"})["results"][0]["undone"] for i in range(5)]
    assert [(u["task"], u["act"], u["field"]) for u in undone if u] == [
        (two, "rate", "faithful"), (two, "skip", ""), (one, "rate", "correct"), (one, "rate", "faithful")
    ]  # fmt: skip
    assert undone[-1] is None
    again = send({"token": "u0", "act": "undo"})["results"][0]
    assert (again["fresh"], again["undone"]["field"]) == (False, "faithful")
    assert not [r for r in ratings_in(store, pack.seal) if r.rater == "ann"]


@pytest.mark.parametrize(
    "more",
    [{"field": "distractor"}, {"field": ""}, {"said": "maybe"}, {"sheet": "0" * 64}, {"task": "nothing"},
     {"act": "skip", "field": "", "said": ""}, {"act": "comment", "said": ""}],
)  # fmt: skip
def test_what_the_rubric_does_not_have_is_refused_and_holds_up_nothing(there, more):
    store, pack, _, browser, path, send = there
    task = tasks(browser, path)[0]["task"]
    taken = send({**rate(task, "faithful", token="a"), **more}, rate(task, "faithful", token="b"))["results"]
    assert [one["saved"] for one in taken] == [False, True]
    assert taken[0]["what"]
    assert taken[0]["mend"]
    assert len(list(store.lines(log_of(pack.seal, "ann")))) == 1


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'{"answers":[]}', b'{"answers":[{"token":"a","act":"checks","task":"x"}]}', b"[" * 100_000,
     b'{"answers":[{"token":"a","act":"rate","task":"x","checks_shown_before_rating":false}]}', b"\xff"],
)  # fmt: skip
def test_what_is_not_understood_is_refused(there, content):
    store, pack, _, browser, path, _ = there
    heads = {"origin": BASE, "content-type": "application/json"}
    assert browser.post(f"{path}/answers.json", content=content, headers=heads).status_code == 422
    assert list(store.lines(log_of(pack.seal, "ann"))) == []


def test_who_is_not_signed_in_or_comes_from_elsewhere_changes_nothing(there):
    store, pack, _, browser, path, _ = there
    task = tasks(browser, path)[0]["task"]
    acts = {"answers": [rate(task, "faithful", token="a")]}
    assert client(store).get(path).status_code == 401
    assert post(client(store), f"{path}/answers.json", acts).status_code == 401
    assert post(client(store, "zoe"), f"{path}/answers.json", acts).status_code == 404
    assert client(store, "olga", "owner").get(path).status_code == 404
    for heads in ({"origin": "http://evil.example"}, {"content-type": "text/plain"}):
        assert post(browser, f"{path}/answers.json", acts, **heads).status_code in (403, 415)
        assert post(
            browser, f"{path}/checks.json", {"token": "x", "task": task, "early": True}, **heads
        ).status_code in (
            403,
            415,
        )
    assert list(store.lines(log_of(pack.seal, "ann"))) == []


def test_hostile_text_stays_text_and_the_headers_are_those_of_all_pages(tmp_path):
    evil = "</script><script>alert(1)</script> \ud83d {{ 7 * 7 }}"
    store, _, desks = furnished(tmp_path / "s.sqlite", answers(1, text=evil))
    answer = client(store, "ann").get(f"/rubric/{desks['ann'].id}")
    assert "alert(1)</script>" not in answer.text
    assert "<script>alert" not in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    twin = client(store, "ann").get(f"/rubric/{desks['ann'].id}.json").json()
    assert twin["items"][0]["text"] == f"{evil} (0)"
    store.close()


def test_events_are_kept_once_and_nobody_can_tell_of_a_reveal(there):
    store, pack, _, browser, path, _ = there
    task = tasks(browser, path)[0]["task"]
    told = [
        {"token": "e1", "kind": kind, "at": AT, "task": task}
        for kind in ("shown", "shown", "unblinded", "nonsense")
    ]
    told += [{"token": "e2", "kind": "away", "at": AT}]
    post(browser, f"{path}/events.json", {"events": told})
    lines = [line for _, line in store.lines(events_log(pack.seal, "ann"))]
    assert [line["kind"] for line in lines] == ["shown", "away"]
    assert lines[0]["item"] in pack.by_id


def test_an_owner_sees_progress_and_no_rating(there):
    store, pack, _, browser, path, send = there
    task = tasks(browser, path)[0]["task"]
    send(
        rate(task, "faithful", token="a"),
        {"token": "c", "act": "comment", "task": task, "comment": "secret words"},
    )
    owner = client(store, "olga", "owner")
    told = owner.get("/overview.json").json()["desks"]
    assert {one["judge"]: (one["kind"], one["done"], one["total"]) for one in told} == {
        "ann": ("rubric", 0, 5), CANARY["rater"]: ("rubric", 1, 5)
    }  # fmt: skip
    assert "secret words" not in owner.get("/overview").text
    assert pack.name in owner.get("/overview").text


def test_a_pack_of_two_thousand_items_is_looked_through_once(tmp_path, monkeypatch):
    store, pack, desks = furnished(tmp_path / "s.sqlite", answers(2000), findings=[])
    looked, done = [], RaterBook.done

    def counted(book, item, asked):
        looked.append(item)
        return done(book, item, asked)

    monkeypatch.setattr(RaterBook, "done", counted)
    browser, path = client(store, "ann"), f"/rubric/{desks['ann'].id}"
    task = browser.get(f"{path}.json", headers={"accept": "application/json"}).json()["items"][0]["task"]
    assert len(looked) == len(pack.items)
    for i, name in enumerate(RUBRIC.asked("answer")):
        assert (
            post(browser, f"{path}/answers.json", {"answers": [rate(task, name, token=str(i))]}).status_code
            == 200
        )
    asked = browser.get(f"{path}/items.json?after=0").json()
    assert asked["progress"]["done"] == 1
    assert len(looked) < len(pack.items) + 20  # what was rated, and nothing else
    post(browser, f"{path}/answers.json", {"answers": [{"token": "back", "act": "undo", "task": task}]})
    assert browser.get(f"{path}/items.json?after=0").json()["progress"]["done"] == 0


def test_checks_made_anew_are_those_that_are_shown(tmp_path):
    first, second = ([{"item": "", "check": name, "passed": False, "why": name}] for name in ("old", "new"))
    made = answers(1)
    item = made[0].items[0].id
    store, pack, desks = furnished(tmp_path / "s.sqlite", made, findings=[{**first[0], "item": item}])
    rooms = Rooms(store)
    (room,) = rooms.own("ann")
    assert [one["check"] for one in rooms.findings(room, item)] == ["old"]
    keep_pack(store, pack, [{**second[0], "item": item}], at=AT)
    assert [one["check"] for one in rooms.findings(room, item)] == ["new"]
    assert desks["ann"].pack == pack.seal
