"""WCAG 2.2 AA of every family of pages in a real browser: axe, focus, sizes of targets, phone width, no shift.

One browser, one server, each page loaded once and looked at in light, in the dark and as wide as a phone. Sections of
reports that only a study of their kind has are looked at where such a study is at hand (tests/report).
"""

import json
from pathlib import Path

import pytest
from tests.e2e.desk import READY, Person, person, until
from tests.report.example import example
from tests.report.output.test_html import browser  # noqa: F401 - a fixture, which skips where Chromium is absent
from tests.web.accessible import SHIFTS, found_by_axe, in_every_light
from tests.web.house import AT, serving, stocked
from tests.web.rubric_house import answers, furnished, study_items

from evenhand.model.judging import Desk, Entry, Task
from evenhand.model.text import Corpus, DocId, Document
from evenhand.report.output.assemble import dumps
from evenhand.store.progress_file import Live
from evenhand.web.authoring.library import Library
from evenhand.web.server import chart_cache

HELD = Path(__file__).resolve().parents[2] / "examples" / "handbook" / "results" / "holdout"
TEXT = "# Prices\n\nA coffee costs 12 crowns.\n\nIn winter it costs 14."
QUESTION = {
    "id": "q001",
    "text": "What does a coffee cost?",
    "type": "numeric",
    "expect": "abstain",
    "evidence": [],
}


@pytest.fixture(scope="module")
def owner(browser, tmp_path_factory):  # noqa: F811
    """An owner who has a desk of each kind, documents to write about, and studies."""
    folder = tmp_path_factory.mktemp("accessible")
    # as large as the drawn ones and named like them; real ones, which take seconds, are in test_workbench
    patch = pytest.MonkeyPatch()
    patch.setattr(
        chart_cache,
        "pictures",
        lambda plans: {name: str(chart_cache._empty("", *plan)) for name, plan in plans.items()},
    )
    store, desks = stocked(folder / "s.sqlite", [TEXT, "Another text."], judges=("me", "ben"))
    _, _, rooms = furnished(store, [study_items(), *answers(1)], raters=("me",))
    _dispute(store, desks)
    corpus = Corpus((Document(id=DocId("a.md"), text=TEXT, kind="markdown"),))
    library = Library(corpus=corpus, gold=folder / "gold.jsonl")
    library.gold.write_text(json.dumps(QUESTION) + "\n", encoding="utf-8")
    results = folder / "work" / "results"
    results.mkdir(parents=True)
    (results / "report.json").write_bytes(dumps(example()))
    with (
        serving(store, library=library, results=[results, HELD]) as url,
        Live(folder / "work" / ".evenhand", study=example()["study"]["name"], what="run", split="dev", out="results",
             command="evenhand run study.toml") as live,
    ):  # fmt: skip
        live("judge", 3, 40, "waiting 12 s: a, rate limit, 3/40 · $0.12 · 2 from cache")
        one = Person(browser, store, url, "me", "owner", viewport={"width": 1280, "height": 800})
        one.live = live
        one.places = {"desk": desks["me"], "room": rooms["me"].id}
        yield one
        one.context.close()
    store.close()
    patch.undo()


def _dispute(store, desks):
    about = []
    for name in desks.values():
        task = store.next_task(name, after=-1)
        desk = store.desk(name)
        entry = Entry(
            desk=name,
            task=task.id,
            token=name,
            kind="grade",
            grade=float(len(about)),
            at=AT,
            sheet=desk.sheet,
        )
        about.append(f"{name}:{store.save(entry).entry.number}")
    first = store.desk(desks["me"])
    desk = Desk(id="dispute", pool=first.pool, judge="me", sheet=first.sheet, kind="adjudication", at=AT)
    task = Task(id="z0", desk="dispute", position=0, item=store.task("t0x000000").item, about=tuple(about))
    store.add_desks([(desk, [task])])


PAGES = {
    "desks": "/desks",
    "desk": "/desk/{desk}",
    "adjudication": "/desk/dispute",
    "rubric": "/rubric/{room}",
    "overview": "/overview",
    "documents": "/author",
    "document": "/author/document?doc=a.md",
    "question written": "/author/question?id=q001",
    "questions written": "/author/questions",
    "studies": "/studies",
    "comparison": "/studies/{study}",
    "questions": "/studies/{study}/questions",
    "question": "/studies/{study}/questions/{asked}",
    "failures": "/studies/{study}/failures?kind=near",
    "gate": "/studies/handbook-gate-holdout/gate",
    "criteria": "/studies/handbook-gate-holdout/criteria",
    "ledger": "/studies/handbook-gate-holdout/ledger",
    "nowhere": "/studies/nowhere",
}


@pytest.fixture(scope="module")
def page(owner):
    """One tab for all pages."""
    made = owner.open("/studies")
    made.wait_for_selector(READY)
    base = made.locator("a[data-row]").filter(has_text=example()["study"]["name"]).first.get_attribute("href")
    asked = next(row["id"] for row in example()["questions"]["rows"] if row["found"])
    owner.places |= {"study": base.removeprefix("/studies/"), "asked": asked}
    return made


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_wcag_2_2_aa_in_every_light_and_on_a_phone(owner, page, name):
    del owner.wrong[:]
    page.goto(owner.url + PAGES[name].format(**owner.places))
    if 'type="module"' in page.content():
        page.wait_for_selector(READY)
    assert page.evaluate(SHIFTS) == 0
    assert in_every_light(page) == []
    assert [one for one in owner.wrong if "404" not in one] == []


def test_nothing_shifts_on_a_page_that_arrives_in_pieces(browser, tmp_path):  # noqa: F811
    store, _ = stocked(tmp_path / "s.sqlite", [TEXT])
    with serving(store, results=[HELD], drip=0.02) as url, person(browser, store, url, "me", "owner") as one:
        for name in ("criteria", "ledger"):
            one.page.goto(url + PAGES[name])
            one.page.wait_for_selector(READY)
            assert one.page.evaluate(SHIFTS) == 0
    store.close()


def test_a_run_is_followed_without_a_reload_a_shift_or_a_word_for_each_step(owner, page):
    page.goto(f"{owner.url}/studies/{owner.places['study']}")
    page.wait_for_selector(READY)
    words, said = page.locator(".run .words"), page.locator("#run-said")
    assert "judge, 3 of 40" in words.inner_text()
    for part in ("waiting 12 s", "$0.12", "2 from cache"):
        assert part in words.inner_text()
    assert page.locator(".run progress").get_attribute("max") == "40"
    page.evaluate(
        "() => { window.spoken = []; new MutationObserver(() => spoken.push(document.getElementById('run-said').textContent))"
        ".observe(document.getElementById('run-said'), { childList: true }); }"
    )
    for done in (10, 20, 30):
        owner.live("judge", done, 40, "$0.13")
        owner.live._written = 0.0  # as half a second later
    owner.live("judge", 31, 40, "$0.13")
    until(lambda: "judge, 31 of 40" in words.inner_text(), "for the next step")
    owner.live("compare", 0, 1)
    until(lambda: said.text_content().endswith(": compare"), "for the stage to be said")
    assert len(page.evaluate("spoken")) <= 2  # the wait that ended, and the stage; not the steps
    assert page.evaluate(SHIFTS) == 0
    assert found_by_axe(page) == []


def test_help_stands_at_the_same_place_on_every_page_of_a_family(owner, page):
    places = set()
    for name in ("studies", "comparison", "questions", "question", "failures", "ledger"):
        page.goto(owner.url + PAGES[name].format(**owner.places))
        places.add(
            page.evaluate(
                "[...document.querySelectorAll('footer a, footer button')].map((el) => el.id || el.tagName).join()"
            )
        )
    assert places == {"A,keys-button"}
