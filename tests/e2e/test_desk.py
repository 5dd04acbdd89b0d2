"""The desk in headless Chromium: by keyboard, with marks, without a connection, twice, back, again."""

import re
from contextlib import suppress
from dataclasses import replace

import pytest
from tests.e2e.desk import READY, Person, held, person, until, wait_saved, wait_text
from tests.report.output.test_html import browser  # noqa: F401 - a fixture, which skips where Chromium is absent
from tests.web.house import AT, serving, stocked

from evenhand.judge.sheets.built_in import CONTRIBUTION, SUFFICIENCY

TEXTS = [f"Text {i}. It has a second sentence." for i in range(30)]


@pytest.fixture
def desk(browser, tmp_path):  # noqa: F811
    """Open a desk over these texts; everything ends with the test."""
    ends = []

    def made(texts=TEXTS, *, name="ann", viewport=None, **more):
        store, desks = stocked(tmp_path / "s.sqlite", texts, **more)
        server = serving(store)
        url = server.__enter__()
        ends.extend([store.close, lambda: server.__exit__(None, None, None)])
        one = Person(browser, store, url, name, viewport=viewport or {"width": 1280, "height": 800})
        ends.append(one.context.close)
        return one, desks[name]

    yield made
    while ends:
        with suppress(Exception):
            ends.pop()()


def book(one, desk):
    return list(one.store.book(desk))


def test_two_hundred_of_ten_thousand_items_by_keyboard_and_the_next_is_there_at_once(desk):
    one, name = desk([f"Text {i}." for i in range(10_000)])
    page = one.page
    assert one.token not in page.url
    for i in range(200):
        wait_text(page, f"Text {i}.")
        page.keyboard.press("012c"[i % 4])
        if i % 4 == 0:
            page.keyboard.press("r")
    one.saved()
    assert page.locator("#count").text_content() == "200 of 10,000"
    entries = book(one, name)
    assert [(entry.kind, entry.grade, entry.mode) for entry in entries] == [
        [("grade", 0.0, "related-no-answer"), ("grade", 1.0, ""), ("grade", 2.0, ""), ("cannot-tell", None, "")][i % 4]
        for i in range(200)
    ]  # fmt: skip
    assert all(entry.active_ms is not None and entry.shown_at for entry in entries)
    waits = page.evaluate(
        """() => {
            const marks = performance.getEntriesByType('mark');
            return marks.flatMap((mark, i) => mark.name === 'evenhand:answered' && marks[i + 1]?.name === 'evenhand:shown'
              ? [marks[i + 1].startTime - mark.startTime] : []);
        }"""
    )
    assert len(waits) >= 190
    assert sorted(waits)[len(waits) * 95 // 100] < 100
    assert one.store.check() == []
    assert one.wrong == []


def test_keys_of_yes_and_no_and_a_level_that_must_have_evidence(desk):
    yes = replace(
        SUFFICIENCY, levels=(SUFFICIENCY.levels[0], replace(SUFFICIENCY.levels[1], evidence="must"))
    )
    one, name = desk(sheet=yes)
    page = one.page
    page.keyboard.press("y")
    page.wait_for_selector("text=Mark the words that carry the answer")
    page.keyboard.press("ArrowDown")
    page.keyboard.press(" ")
    page.keyboard.press("Enter")
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    one.saved()
    first, second = book(one, name)
    assert (first.grade, [mark.quote for mark in first.evidence]) == (1.0, ["It has a second sentence."])
    assert (second.grade, second.mode) == (0.0, "")


def drag(page, start, end):
    """Drag from before UTF-16 unit *start* to before *end* of the text, with the mouse."""
    box = page.evaluate(
        """([start, end]) => {
            const walk = document.createTreeWalker(document.querySelector('#text'), NodeFilter.SHOW_TEXT);
            const at = (wanted) => {
                let seen = 0; walk.currentNode = walk.root;
                for (let node = walk.nextNode(); node; node = walk.nextNode()) {
                    if (wanted < seen + node.length) {
                        const range = document.createRange();
                        range.setStart(node, wanted - seen); range.collapse(true);
                        const box = range.getBoundingClientRect();
                        return [box.left, box.top + box.height / 2];
                    }
                    seen += node.length;
                }
            };
            return [at(start), at(end)];
        }""",
        [start, end],
    )
    (x, y), (to_x, to_y) = box
    page.mouse.move(x + 0.5, y)
    page.mouse.down()
    page.mouse.move(to_x, to_y, steps=4)
    page.mouse.move(to_x + 0.5, to_y)
    page.mouse.up()


HARD = [
    "Cafe\u0301 👩‍🔬 costs 5 francs.\n🇩🇪🇫🇷 Second one.\r\nThird line,\r\n𝒜 math e\u0301\u0323 end.",
    "👍🏽👍🏽 a 👨‍👩‍👧‍👦 b",
]


def units(text):
    return len(text.encode("utf-16-le")) // 2


def test_marks_are_right_with_emoji_combining_marks_and_crlf(desk):
    one, name = desk(HARD)
    page = one.page
    assert one.shown() == HARD[0]
    text = HARD[0]
    page.keyboard.press("e")
    page.locator(".sentence", has_text="Second one").click()
    drag(page, units(text[: text.index("𝒜")]), units(text[: text.index(" end")]))
    page.wait_for_selector("text=2 stretches marked")
    page.keyboard.press("2")
    wait_text(page, HARD[1])
    page.keyboard.press("e")
    # a selection that cuts a family and a skin tone in two is widened to whole characters
    page.evaluate(
        """() => {
            const node = document.querySelector('#text .sentence').firstChild;
            getSelection().setBaseAndExtent(node, 5, node, 15);
        }"""
    )
    page.keyboard.press("e")
    page.wait_for_selector("text=1 stretch marked")
    page.keyboard.press("2")
    one.saved()
    first, second = book(one, name)
    assert [mark.quote for mark in first.evidence] == ["🇩🇪🇫🇷 Second one.", "𝒜 math e\u0301\u0323"]
    assert [mark.quote for mark in second.evidence] == ["👍🏽 a 👨‍👩‍👧‍👦"]
    for entry, text in ((first, HARD[0]), (second, HARD[1])):
        assert all(text[mark.start : mark.end] == mark.quote for mark in entry.evidence)
    assert one.wrong == []


def test_a_lost_connection_holds_nothing_up_and_loses_nothing(desk):
    one, name = desk()
    page = one.page
    page.keyboard.press("1")
    one.saved()
    one.context.set_offline(True)
    for _ in range(3):
        page.keyboard.press("2")
    page.wait_for_selector("text=Not connected · 3 kept here")
    page.keyboard.press("u")
    page.keyboard.press("1")
    page.wait_for_selector("text=Not connected · 5 kept here")
    assert len(book(one, name)) == 1
    one.context.set_offline(False)
    one.saved()
    assert [entry.grade for entry in book(one, name)] == [1.0, 2.0, 2.0, 2.0, None, 1.0]
    assert one.store.progress(name)[0] == 4
    assert page.locator("#count").text_content() == "4 of 30"
    assert "All saved" in page.locator("#state").text_content()


def test_answers_of_a_lost_connection_survive_the_tab_and_the_item_comes_up_again(desk):
    one, name = desk()
    page = one.page
    page.route("**/answers.json", lambda route: route.abort())  # the server is gone for saving
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.wait_for_selector("text=Not connected · 2 kept here")
    page.keyboard.press("e")
    page.keyboard.press(" ")  # a mark on the third, not yet answered
    page.close()
    again = one.open()
    wait_saved(again)
    assert [entry.grade for entry in book(one, name)] == [1.0, 2.0]
    assert one.shown(again) == TEXTS[2]
    assert again.locator("#text mark").text_content() == "Text 2."


def test_a_double_click_a_held_key_and_a_lost_acknowledgement_are_one_answer(desk):
    one, name = desk()
    page = one.page
    page.locator("[data-act='level:1']").dblclick()
    one.saved()
    assert len(book(one, name)) == 1
    page.keyboard.down("2")
    for _ in range(5):
        page.keyboard.down("2")  # auto-repeat
    page.keyboard.up("2")
    one.saved()
    assert len(book(one, name)) == 2
    lost = []

    def lose(route):
        if lost:
            route.continue_()
            return
        lost.append(route.fetch())  # the server has saved it, and nobody hears of it
        route.abort()

    page.route("**/answers.json", lose)
    page.keyboard.press("1")
    page.wait_for_selector("text=Not connected")
    one.saved()
    assert len(lost) == 1
    assert [entry.grade for entry in book(one, name)] == [1.0, 2.0, 1.0]


def test_going_back_has_no_end_and_a_new_browser_resumes_at_the_item(browser, desk):  # noqa: F811
    one, name = desk()
    page = one.page
    for key in "1212":
        page.keyboard.press(key)
    for i in (3, 2):
        page.keyboard.press("u")
        wait_text(page, TEXTS[i])
    assert page.locator("[data-act='level:1'].before").count() == 1
    one.saved()
    with person(browser, one.store, one.url, "ann") as other:
        assert other.shown() == TEXTS[2]
        for i in (1, 0):
            other.page.keyboard.press("u")
            wait_text(other.page, TEXTS[i])
        other.page.keyboard.press("u")
        other.page.wait_for_selector("text=There is nothing to take back")
        other.page.keyboard.press("2")
        other.saved()
    assert one.store.progress(name)[0] == 1
    assert [entry.kind for entry in book(one, name)] == ["grade"] * 4 + ["undo"] * 4 + ["grade"]


def test_going_back_is_not_overtaken_by_items_that_were_asked_for_before(desk):
    one, name = desk(TEXTS[:4])
    page = one.page
    page.keyboard.press("1")
    wait_text(page, TEXTS[1])
    one.saved()
    with held(page, "**/answers.json"):
        with held(page, "**/items.json?*") as asked:
            page.reload()
            page.wait_for_selector(READY)
            until(lambda: page.evaluate("1") and asked)
            page.keyboard.press("u")
            page.wait_for_selector("text=Going back")
        page.wait_for_timeout(100)
        assert page.locator("#item").is_hidden()
    wait_text(page, TEXTS[0])
    one.saved()
    assert [entry.kind for entry in book(one, name)] == ["grade", "undo"]
    assert one.shown() == TEXTS[0]


def test_a_desk_ends_although_items_were_asked_for_before_the_last_answers_were_saved(desk):
    one, _ = desk(TEXTS[:2])
    page = one.page
    with held(page, "**/items.json?*") as asked:
        page.reload()
        page.wait_for_selector(READY)
        until(lambda: page.evaluate("1") and asked)
        page.keyboard.press("1")
        wait_text(page, TEXTS[1])
        page.keyboard.press("2")
        one.saved()
    page.wait_for_selector("text=This desk is done")
    assert one.wrong == []


def test_two_tabs_share_a_desk_without_a_word_lost_or_doubled(desk):
    one, name = desk()
    first, second = one.page, one.open()
    for i in range(12):
        tab = (first, second)[i % 2]
        wait_text(tab, TEXTS[i])
        tab.keyboard.press("12"[i % 2])
        wait_saved(tab)
    entries = book(one, name)
    assert len(entries) == 12
    assert len({entry.task for entry in entries}) == 12
    assert one.store.progress(name)[0] == 12


HOSTILE = (
    "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2>{{7*7}} \x1b[31m \u202eabc"
)


def test_hostile_text_is_shown_letter_for_letter_and_runs_nothing(browser, desk):  # noqa: F811
    sheet = replace(
        CONTRIBUTION, ask=HOSTILE, guideline=HOSTILE + "\n\n[x](javascript:window.hacked=3) <b>b</b>"
    )
    judge = HOSTILE[:50]
    one, _ = desk(
        [HOSTILE, "x"],
        questions=(HOSTILE,),
        title=HOSTILE,
        heading=(HOSTILE,),
        sheet=sheet,
        judges=(judge,),
        name=judge,
    )
    page = one.page
    assert one.shown() == HOSTILE
    assert page.locator("#question").evaluate("box => box.textContent") == HOSTILE
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, #guideline img, #guideline b, #guideline script").count() == 0
    page.keyboard.press("s")
    page.locator("#reason").fill(HOSTILE)
    page.keyboard.press("Enter")
    one.saved()
    with person(browser, one.store, one.url, judge, "owner") as owner:
        assert owner.page.evaluate("window.hacked") is None
        assert owner.wrong == []
    assert one.wrong == []


def test_keys_can_be_changed_and_are_remembered(desk):
    one, name = desk()
    page = one.page
    page.keyboard.press("?")
    page.locator("[data-bind='level:2']").click()
    page.keyboard.press("c")
    page.wait_for_selector("text=That key is taken: cannot tell")
    page.locator("[data-bind='level:2']").click()
    page.keyboard.press("j")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    page.keyboard.press("j")
    one.saved()
    again = one.open()
    again.keyboard.press("j")
    wait_saved(again)
    assert [entry.grade for entry in book(one, name)] == [2.0, 2.0]


def test_skips_come_back_when_asked_for_and_the_end_says_so(desk):
    one, name = desk(TEXTS[:3])
    page = one.page
    page.keyboard.press("s")
    page.keyboard.press("1")
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.wait_for_selector("text=All 3 tasks have your answer, 1 of them a skip")
    page.locator("#skipped").click()
    wait_text(page, TEXTS[0])
    page.keyboard.press("2")
    page.wait_for_selector("text=This desk is done")
    one.saved()
    skipped = next(one.store.book(name))
    assert (skipped.kind, skipped.reason) == (
        "skip",
        "The text is broken or empty",
    )
    assert [standing.entry.grade for standing in one.store.standing(name)] == [2.0, 1.0, 2.0]


def test_a_new_guideline_is_shown_before_the_next_answer(desk):
    one, name = desk()
    page = one.page
    new = replace(CONTRIBUTION, guideline="**Now** shorter.")
    one.store.use_sheet(one.store.desk(name).pool, new, by="owner", at=AT, reason="shorter")
    page.keyboard.press("1")
    page.wait_for_selector("text=The guideline has changed")
    page.wait_for_selector(READY)
    assert page.locator("#guideline").text_content().strip() == "Now shorter."
    page.keyboard.press("2")
    one.saved()
    assert [entry.sheet for entry in book(one, name)] == [CONTRIBUTION.seal, new.seal]


def test_an_ended_link_is_said_and_the_answers_are_kept(desk):
    one, name = desk()
    access = next(access for access in one.store.accesses() if access.name == "ann")
    one.store.revoke(access.id, at=AT)
    one.page.wait_for_timeout(1100)  # the server believes its list for a second
    one.page.keyboard.press("1")
    one.page.wait_for_selector("text=Signed out · 1 kept here")
    assert book(one, name) == []


def test_a_phone_has_big_buttons_and_nothing_to_scroll_sideways(browser, desk):  # noqa: F811
    one, name = desk(viewport={"width": 1280, "height": 800})
    with person(
        browser,
        one.store,
        one.url,
        "ann",
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
    ) as phone:
        page = phone.page
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for button in page.locator(".levels button, .tools button").all():
            assert button.bounding_box()["height"] >= 44
        assert not page.locator("#guideline").is_visible()
        page.tap("[data-act='evidence']")
        page.tap(".sentence >> nth=1")
        page.wait_for_selector("text=1 stretch marked")
        page.tap("[data-act='level:2']")
        phone.saved()
        assert page.screenshot()[:4] == b"\x89PNG"
        assert phone.wrong == []
    assert [mark.quote for mark in book(one, name)[0].evidence] == ["It has a second sentence."]


def luminance(colour):
    parts = [int(float(part)) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_landmarks_names_focus_and_contrast(desk, scheme):
    one, _ = desk()
    page = one.page
    page.emulate_media(color_scheme=scheme)
    for role in ("banner", "main", "complementary", "contentinfo"):
        assert page.get_by_role(role).count() == 1, role
    assert page.locator("[role=status][aria-live=polite]#state").count() == 1
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.press("1")
    assert page.evaluate("document.activeElement.id") == "question"
    assert page.evaluate(
        "[...document.querySelectorAll('button')].every(b => b.textContent.trim() || b.ariaLabel)"
    )
    pairs = page.evaluate(
        """() => [...document.querySelectorAll('h1, p, small, kbd, span, summary, li, button, .text, mark')]
          .filter(box => box.checkVisibility() && box.textContent.trim())
          .map(box => {
            let under = box;
            while (under && getComputedStyle(under).backgroundColor.endsWith(', 0)')) under = under.parentElement;
            return [box.textContent.trim().slice(0, 30), getComputedStyle(box).color,
                    getComputedStyle(under ?? document.documentElement).backgroundColor];
          })"""
    )
    assert len(pairs) > 30
    for words, ink, paper in pairs:
        light, dark = sorted((luminance(ink), luminance(paper)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (words, ink, paper)


def test_nothing_shifts_when_an_answer_is_saved(desk):
    one, _ = desk()
    page = one.page
    page.evaluate(
        """() => { window.shifts = 0;
          new PerformanceObserver(list => list.getEntries().forEach(one => { if (!one.hadRecentInput) window.shifts += one.value; }))
            .observe({type: 'layout-shift', buffered: true}); }"""
    )
    for _ in range(8):
        page.keyboard.press("1")
        page.wait_for_timeout(30)
    one.saved()
    page.wait_for_timeout(600)
    assert page.evaluate("window.shifts") < 0.02
