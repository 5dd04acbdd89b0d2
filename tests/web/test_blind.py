"""The bytes of every response to a judge: nothing that could bias, whatever was asked."""

# ruff: noqa: S106 - tokens of tests are no secrets, and nothing is left listening

import json
from dataclasses import replace

import pytest
from tests.web.house import AT, act, client, pool_of, post

from evenhand.judge.sheets.built_in import CONTRIBUTION
from evenhand.labelling.desk.blind import PAYLOAD_KEYS
from evenhand.model.judging import Desk, Entry, Task
from evenhand.model.pool import Pooled, item_id
from evenhand.store.open import create_store

CANARY = {
    "system": "canarysystem", "seal": "canaryseal", "kind": "canarykind", "rank": 918273, "stratum": "canarystratum",
    "score": 0.918273645, "judge": "canaryjudge", "comment": "canarycomment", "reason": "canaryreason",
    "doc": "canarydoc.md", "question": "canaryquestion", "pool": "canarypool", "settings": "canarysetting",
}  # fmt: skip
KINDS = ("warm-up", "repeat", "attention")
KEYS = {
    "page": {"desk", "kind", "sheet", "sheet_seal", "guideline_html", "items", "progress"},
    "items": {"items", "sheet", "progress"},
    "taken": {"results", "sheet", "progress"},
    "result": {"token", "saved", "fresh", "number"},
    "progress": {
        "done", "total", "skipped", "labels", "pace_s", "left_s", "half_width", "half_width_at_end", "next_width",
        "next_labels", "level", "reason",
    },
}  # fmt: skip


@pytest.fixture
def desk(tmp_path):
    store = create_store(tmp_path / "s.sqlite")
    texts = [f"text {i}" for i in range(8)]
    pool = pool_of(texts, name=CANARY["pool"])
    items = tuple(
        replace(
            item, question=CANARY["question"], doc=CANARY["doc"], start=i * 10, end=i * 10 + 6,
            id=item_id(CANARY["question"], CANARY["doc"], i * 10, i * 10 + 6, item.text_sha256),
            stratum=CANARY["stratum"], probability=CANARY["score"], size=CANARY["score"], priority=CANARY["score"],
        )
        for i, item in enumerate(pool.items)
    )  # fmt: skip
    pool = replace(
        pool,
        items=items,
        questions={CANARY["question"]: "What?"},
        runs=(Pooled(system=CANARY["system"], seal=CANARY["seal"], kind=CANARY["kind"]),),
        found_rank=pool.found_rank * 0 + CANARY["rank"],
        settings={"strategy": CANARY["settings"]},
    )
    mark = store.add_pool(pool, texts, at=AT)
    store.use_sheet(mark, CONTRIBUTION, by=CANARY["judge"], at=AT, reason=CANARY["reason"])
    kinds = ["main", *KINDS, "main", "main", "main", "main"]
    for judge, name in (("ann", "desk-ann"), (CANARY["judge"], "desk-other")):
        made = Desk(
            id=name,
            pool=mark,
            judge=judge,
            sheet=CONTRIBUTION.seal,
            settings={"judges": ["ann", CANARY["judge"]], "x": CANARY["settings"]},
            at=AT,
        )
        tasks = [
            Task(id=f"{name}-{i}", desk=name, position=i, item=item.id, kind=kinds[i])
            for i, item in enumerate(items)
        ]
        store.add_desks([(made, tasks)])
    store.save(
        Entry(
            desk="desk-other", task="desk-other-0", token="canarytoken", kind="grade", grade=2.0, at=AT,
            comment=CANARY["comment"], sheet=CONTRIBUTION.seal,
        )
    )  # fmt: skip
    store.grant(CANARY["judge"], "owner", at=AT)
    yield store, mark
    store.close()


def everything(browser, mark):
    """Every page, twin, act and error that a judge can bring about."""
    answers = [
        act("desk-ann-0", token="a", grade=2.0), act("desk-ann-1", token="b"), act("desk-ann-2", token="c", grade=0.0),
        act("desk-ann-3", token="d", grade=7.0), act("desk-other-1", token="e"), act("nothing", token="f"),
        act("desk-ann-4", token="g", sheet=replace(CONTRIBUTION, ask="other")), act("desk-ann-1", token="b", grade=2.0),
        {"token": "h", "kind": "skip", "task": "desk-ann-5", "reason": "broken", "sheet": CONTRIBUTION.seal},
        {"token": "i", "kind": "undo"},
    ]  # fmt: skip
    for path in (
        "/", "/desks", "/desks.json", "/desk/desk-ann", "/desk/desk-ann.json", "/desk/desk-ann/items.json?after=2",
        "/desk/desk-ann/items.json?skipped=true", "/desk/desk-ann/items.json?task=desk-ann-1",
        "/desk/desk-ann/items.json?task=desk-other-1", "/desk/desk-ann/items.json?after=x", "/desk/desk-other",
        "/desk/desk-other.json", "/desk/desk-other/items.json", "/overview", "/overview.json", f"/pool/{mark}",
        "/healthz", "/welcome", "/j/nobody", "/nothing", "/static/nothing", "/openapi.json", "/docs",
    ):  # fmt: skip
        yield browser.get(path)
    yield post(browser, "/desk/desk-ann/answers.json", {"answers": answers})
    yield post(browser, "/desk/desk-other/answers.json", {"answers": answers})
    yield post(browser, "/desk/desk-ann/answers.json", {"answers": "x"})
    event = {"token": "e", "kind": "shown", "at": AT, "task": "desk-ann-0"}
    yield post(browser, "/desk/desk-ann/events.json", {"events": [event]})
    yield post(browser, "/desk/desk-other/events.json", {"events": [event]})
    yield post(browser, "/access/nobody/revoke.json", {})


def test_no_canary_is_in_any_byte_that_a_judge_receives(desk, caplog):
    store, mark = desk
    browser = client(store, "ann")
    browser.get("/desk/desk-ann")
    seen = 0
    for answer in everything(browser, mark):
        head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items() if name != "set-cookie")
        said = head + answer.text
        for what, canary in CANARY.items():
            assert str(canary) not in said, (what, answer.request.url)
        for kind in (*KINDS, "canarytoken", mark):
            assert kind not in said, (kind, answer.request.url)
        seen += answer.status_code == 200
    assert seen >= 11
    assert not [line for line in caplog.text.splitlines() if "canary" in line]


def test_a_desk_receives_exactly_these_keys(desk):
    store, _ = desk
    browser = client(store, "ann")
    page = browser.get("/desk/desk-ann.json").json()
    html = browser.get("/desk/desk-ann").text
    island = json.loads(html.split('id="data">')[1].split("</script>")[0])
    more = browser.get("/desk/desk-ann/items.json").json()
    taken = post(browser, "/desk/desk-ann/answers.json", {"answers": [act("desk-ann-0", token="a")]}).json()
    back = post(browser, "/desk/desk-ann/answers.json", {"answers": [{"token": "u", "kind": "undo"}]}).json()[
        "results"
    ][0]
    assert set(page) == set(island) == KEYS["page"]
    assert set(more) == KEYS["items"]
    assert set(taken) == KEYS["taken"]
    assert set(taken["results"][0]) == KEYS["result"]
    assert set(back) == KEYS["result"] | {"undone", "item"}
    for progress in (page["progress"], more["progress"], taken["progress"]):
        assert set(progress) == KEYS["progress"]
    for item in (*page["items"], *island["items"], *more["items"], back["item"]):
        assert set(item) == PAYLOAD_KEYS
    assert len(page["items"]) == 8


def test_counts_do_not_tell_which_tasks_count(desk):
    store, _ = desk
    browser = client(store, "ann")
    for i in range(8):
        taken = post(
            browser, "/desk/desk-ann/answers.json", {"answers": [act(f"desk-ann-{i}", token=f"t{i}")]}
        ).json()
        assert taken["progress"]["done"] == taken["progress"]["labels"] == i + 1


def test_a_fault_inside_says_nothing_of_the_inside(desk, monkeypatch, caplog):
    store, _ = desk
    browser = client(store, "ann")
    monkeypatch.setattr(store, "next_task", lambda *_, **__: int(CANARY["judge"]))
    answer = browser.get("/desk/desk-ann.json")
    assert answer.status_code == 500
    assert "canary" not in answer.text + caplog.text
    assert "ValueError" in caplog.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_an_adjudicator_sees_two_sides_without_a_name(desk):
    store, mark = desk
    store.save(
        Entry(
            desk="desk-ann",
            task="desk-ann-0",
            token="x",
            kind="cannot-tell",
            at=AT,
            comment=CANARY["comment"],
            sheet=CONTRIBUTION.seal,
        )
    )
    item = store.task("desk-ann-0").item
    made = Desk(id="dispute", pool=mark, judge="zoe", sheet=CONTRIBUTION.seal, kind="adjudication", at=AT)
    store.add_desks(
        [
            (
                made,
                [Task(id="z0", desk="dispute", position=0, item=item, about=("desk-other:1", "desk-ann:1"))],
            )
        ]
    )
    answer = client(store, "zoe", "adjudicator").get("/desk/dispute.json")
    sent = answer.json()["items"][0]
    assert set(sent) == PAYLOAD_KEYS | {"sides"}
    assert [(one["side"], one["kind"], one["grade"], one["label"]) for one in sent["sides"]] == [
        ("A", "grade", 2.0, "answers"),
        ("B", "cannot-tell", None, ""),
    ]
    assert all(set(one) == {"side", "kind", "grade", "label", "mode", "evidence"} for one in sent["sides"])
    assert "canary" not in answer.text
    assert '"ann"' not in answer.text
    assert "desk-ann" not in answer.text
    assert client(store, "zoe", "judge").get("/desk/dispute.json").status_code == 404
