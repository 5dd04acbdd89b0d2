"""What a desk sends is kept once, as it was meant, or refused in words."""

# ruff: noqa: S106 - tokens of tests are no secrets, and nothing is left listening

from dataclasses import replace

import pytest
from tests.web.house import AT, BASE, act, client, post, stocked

from evenhand.judge.sheets.built_in import CONTRIBUTION, SUFFICIENCY

HARD = "e\u0301 first. 👩‍🔬 second\r\nthird 🇩🇪 <b>bold</b> \x00 nul \ud83d half"


@pytest.fixture
def there(tmp_path):
    store, desks = stocked(tmp_path / "s.sqlite", [HARD, *(f"text {i}" for i in range(30))])
    browser = client(store, "ann")
    path = f"/desk/{desks['ann']}"

    def send(*acts):
        return post(browser, f"{path}/answers.json", {"answers": list(acts)}).json()

    yield store, desks["ann"], browser, send
    store.close()


def test_b063_a_double_click_and_a_retry_are_one_label(there):
    store, desk, _, send = there
    one = act("t0x000001", token="a")
    assert send(one)["results"][0]["fresh"]
    assert not send(one)["results"][0]["fresh"]
    double = [result["fresh"] for result in send(act("t0x000001", token="b"), one, one)["results"]]
    assert double == [False, False, False]
    assert len(list(store.book(desk))) == 1
    other = send(act("t0x000001", token="a", grade=2.0))["results"][0]
    assert not other["saved"]
    assert "token" in other["what"]
    assert send(act("t0x000001", token="c", grade=2.0))["results"][0]["fresh"]
    assert [entry.grade for entry in store.book(desk)] == [1.0, 2.0]
    assert store.progress(desk)[0] == 1


def test_undo_goes_back_without_limit_and_says_what_was_answered(there):
    _, _, _, send = there
    for i in range(1, 6):
        send(act(f"t0x{i:06d}", token=f"a{i}", grade=float(i % 3), comment=f"c{i}"))
    for i in range(5, 0, -1):
        back = send({"token": f"u{i}", "kind": "undo"})["results"][0]
        assert back["undone"]["comment"] == f"c{i}"
        assert back["item"]["task"] == f"t0x{i:06d}"
        again = send({"token": f"u{i}", "kind": "undo"})["results"][0]
        assert (again["fresh"], again["number"]) == (False, back["number"])
    assert send({"token": "u0", "kind": "undo"})["results"][0]["undone"] is None


def test_evidence_is_what_the_text_says_there_or_is_refused(there):
    store, desk, browser, send = there
    text = browser.get(f"/desk/{desk}.json").json()["items"][0]["text"]
    assert text == HARD
    at = HARD.index("👩‍🔬")
    good = {"start": at, "end": at + len("👩‍🔬 second\r\nthird"), "quote": "👩‍🔬 second\r\nthird"}
    utf16 = {**good, "start": good["start"] + 1, "end": good["end"] + 1}
    refused = send(act("t0x000000", token="a", evidence=[utf16]))["results"][0]
    assert not refused["saved"]
    assert "evidence" in refused["what"]
    nul = HARD.index("\x00")
    last = {"start": nul, "end": len(HARD), "quote": HARD[nul:]}
    assert send(act("t0x000000", token="b", evidence=[good, last]))["results"][0]["saved"]
    assert [mark.quote for mark in next(store.book(desk)).evidence] == [good["quote"], HARD[nul:]]


@pytest.mark.parametrize(
    "more",
    [
        {"grade": 5.0}, {"grade": None}, {"kind": "skip", "grade": None}, {"kind": "skip", "grade": None, "reason": "  "},
        {"mode": "off-topic"}, {"grade": 0.0, "mode": "no such"}, {"sheet": SUFFICIENCY}, {"task": "t1x000000"},
        {"evidence": [{"start": 0, "end": 9, "quote": "x"}]},
        {"evidence": [{"start": 1, "end": 1, "quote": ""}]},
    ],
)  # fmt: skip
def test_what_the_sheet_does_not_allow_is_refused_and_holds_up_nothing(there, more):
    store, desk, _, send = there
    bad = act(**{"task": "t0x000001", "token": "a", **more})
    taken = send(bad, act("t0x000002", token="b"))["results"]
    assert [one["saved"] for one in taken] == [False, True]
    assert taken[0]["what"]
    assert taken[0]["mend"]
    assert store.progress(desk)[0] == 1


@pytest.mark.parametrize(
    "content",
    [b"", b"x", b"[]", b"{}", b'{"answers":[]}', b'{"answers":[{"token":"a b","task":"t","kind":"grade"}]}',
     b'{"answers":[{"token":"a","task":"t","kind":"grade","grade":NaN}]}', b"[" * 100_000,
     b'{"answers":[{"token":"a","task":"t","kind":"judge","rank":1}]}', b'{"answers":[],"x":1}', b"\xff\xfe",
     b'{"answers":[{"token":"a","task":"t","kind":"grade","grade":1e999}]}',
     b'{"answers":[{"token":"a","task":"t0x000001","kind":"cannot-tell","shown_at":"<b>"}]}'],
)  # fmt: skip
def test_what_is_not_understood_is_refused(there, content):
    store, desk, browser, _ = there
    heads = {"origin": BASE, "content-type": "application/json"}
    answer = browser.post(f"/desk/{desk}/answers.json", content=content, headers=heads)
    assert answer.status_code in (200, 422)
    assert answer.status_code == 422 or not answer.json()["results"][0]["saved"]
    assert store.progress(desk)[0] == 0


def test_an_answer_that_waited_keeps_the_guideline_its_judge_saw(there):
    store, desk, browser, send = there
    new = replace(CONTRIBUTION, guideline="Shorter.")
    store.use_sheet(store.desk(desk).pool, new, by="owner", at=AT, reason="shorter")
    taken = send(act("t0x000001", token="a"), act("t0x000002", token="b", sheet=new))
    assert [one["saved"] for one in taken["results"]] == [True, True]
    assert taken["sheet"] == new.seal
    assert [entry.sheet for entry in store.book(desk)] == [CONTRIBUTION.seal, new.seal]
    assert browser.get(f"/desk/{desk}.json").json()["sheet_seal"] == new.seal
    never = send(act("t0x000003", token="c", sheet=replace(CONTRIBUTION, ask="never shown")))
    assert not never["results"][0]["saved"]


def test_the_live_interval_is_of_the_own_labels_and_the_pace_of_active_time(there):
    from evenhand.stats.intervals.proportion import wilson

    _, _, _, send = there
    for i in range(1, 5):
        progress = send(act(f"t0x{i:06d}", token=f"a{i}", grade=0.0, active_ms=3000))["progress"]
    assert progress["half_width"] is None
    assert progress["reason"] == "after 5 labels"
    for i in range(5, 11):
        progress = send(act(f"t0x{i:06d}", token=f"a{i}", grade=2.0, active_ms=5000))["progress"]
    found = wilson(6, 10)
    assert progress["half_width"] == pytest.approx((found.high - found.low) / 2)
    assert progress["half_width_at_end"] < progress["half_width"]
    assert progress["next_width"] < progress["half_width"]
    assert progress["next_labels"] >= 1
    assert (progress["pace_s"], progress["left_s"]) == (5.0, 5.0 * 21)
    send({"token": "u", "kind": "undo"})
    assert send(act("t0x000011", token="z", grade=None, kind="cannot-tell"))["progress"]["labels"] == 9


def test_skipped_items_can_be_looked_at_again(there):
    _, desk, browser, send = there
    send(act("t0x000004", token="a", grade=None, kind="skip", reason="broken"))
    again = browser.get(f"/desk/{desk}/items.json?skipped=true").json()
    assert [item["task"] for item in again["items"]] == ["t0x000004"]
    assert again["progress"]["skipped"] == 1
    assert send(act("t0x000004", token="b"))["progress"]["skipped"] == 0


def test_events_are_kept_once_and_nobody_unblinds_himself(there):
    store, desk, browser, _ = there
    sent = {"events": [{"token": "e1", "kind": "away", "at": AT, "task": "t0x000001", "body": {"ms": 3}},
                       {"token": "e2", "kind": "unblinded", "at": AT}, {"token": "e3", "kind": "odd", "at": AT}]}  # fmt: skip
    assert post(browser, f"/desk/{desk}/events.json", sent).json() == {"new": 1}
    assert post(browser, f"/desk/{desk}/events.json", sent).json() == {"new": 0}
    assert [(event.kind, dict(event.body)) for event in store.events(desk)] == [("away", {"ms": 3})]


def test_hostile_text_is_data_in_every_page(tmp_path):
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}"
    sheet = replace(
        CONTRIBUTION,
        ask=evil,
        guideline=f"{evil}\n[x](javascript:alert(3)) ![y](http://a.example/z)",
        name="<b>",
    )
    store, desks = stocked(
        tmp_path / "s.sqlite", [evil], questions=(evil,), title=evil, heading=(evil,), sheet=sheet, name=evil
    )
    for browser, path in (
        (client(store, "ann"), f"/desk/{desks['ann']}"),
        (client(store, "ann"), "/desks"),
        (client(store, "me", "owner"), "/overview"),
    ):
        html = browser.get(path).text
        assert "<script>alert" not in html
        assert "<img src=x" not in html
        assert 'href="javascript' not in html
        assert "2)&gt;49" not in html
        assert html.count("<script") == html.count("</script>")
    sent = browser.get(f"/desk/{desks['ann']}.json")
    assert sent.status_code == 404
    made = client(store, "ann").get(f"/desk/{desks['ann']}.json").json()
    assert made["items"][0]["text"] == evil
    assert "<img" not in made["guideline_html"]
    assert 'href="javascript' not in made["guideline_html"]
    store.close()
