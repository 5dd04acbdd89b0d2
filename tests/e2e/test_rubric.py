"""The rubric desk in headless Chromium: a recorded pack rated wholly by keyboard, blind until faithful is rated."""

import json
from contextlib import suppress

import pytest
from tests.e2e.desk import Person, held, until
from tests.report.output.test_html import browser  # noqa: F401 - a fixture, which skips where Chromium is absent
from tests.web.house import serving
from tests.web.rubric_house import answers, furnished, study_items

from evenhand.answer.rating.rater_queues import log_of
from evenhand.answer.rating.rating_log import RaterBook
from evenhand.answer.rating.ratings import ratings_in

CANARY = "canary-of-checks"
FIELDS = {
    "answer": ["faithful", "correct", "answerable", "useful", "accept"],
    "short-answer": ["faithful", "correct", "answerable", "useful", "accept"],
    "multiple-choice": ["faithful", "correct", "answerable", "distractors", "useful", "accept"],
}


@pytest.fixture
def desk(browser, tmp_path):  # noqa: F811
    ends = []

    def made(generations, *, name="ann", viewport=None, **how):
        store, pack, desks = furnished(tmp_path / "s.sqlite", generations, raters=(name,), **how)
        server = serving(store)
        url = server.__enter__()
        ends.extend([store.close, lambda: server.__exit__(None, None, None)])
        one = Person(browser, store, url, name, viewport=viewport or {"width": 1280, "height": 800})
        ends.append(one.context.close)
        return one, pack, desks[name]

    yield made
    while ends:
        with suppress(Exception):
            ends.pop()()


def planted(pack_of_generations):
    """A finding with a canary for every item."""
    return [
        {"item": item.id, "check": "numbers-grounded", "passed": False, "why": CANARY, "missing": ["90 days"]}
        for one in pack_of_generations
        for item in one.items
    ]


def press(page, key):
    """Answer the question on the screen and wait for the next."""
    before = page.locator("#question").text_content(), page.locator("#eyebrow").text_content()
    page.keyboard.press(key)
    until(
        lambda: (
            (page.locator("#question").text_content(), page.locator("#eyebrow").text_content()) != before
            or page.locator("#end").is_visible()
        ),
        f"{key} did nothing at {before}",
    )


def kind_shown(page):
    return {"Multiple": "multiple-choice", "Short": "short-answer", "Answer": "answer"}[
        page.locator("#eyebrow").text_content().split()[0]
    ]


def book_of(one, pack):
    return RaterBook.of(one.store.lines(log_of(pack.seal, "ann")))


def test_a_pack_is_rated_wholly_by_keyboard_and_no_check_is_there_before_faithful(desk):
    generations = [study_items(), study_items("deposit"), *answers(1)]
    one, pack, _ = desk(generations, findings=planted(generations))
    page, seen = one.page, []
    page.on("response", lambda answer: seen.append(answer) if ".json" in answer.url else None)
    total = len(pack.items)
    for done in range(total):
        # before the rating: not in the page, not in its data, not in its JSON, not in any answer of the server
        assert CANARY not in page.content()
        assert CANARY not in page.locator("#data").text_content()
        assert page.locator("#checks").is_hidden()
        for path in (page.url + ".json", f"{page.url}/items.json", f"{page.url}/items.json?at={done}"):
            assert CANARY not in page.request.get(path).text()
        assert not [a for a in seen if "checks.json" not in a.url and CANARY in a.text()]
        assert len([a for a in seen if a.url.endswith("checks.json")]) == done
        fields = FIELDS[kind_shown(page)]
        for place, name in enumerate(fields):
            assert page.locator("#fields [aria-current]").get_attribute("data-field") == name
            press(page, "ync"[(done + place) % 3])
            if place == 0:
                page.wait_for_selector("#checks:not([hidden])")
                assert CANARY in page.locator("#findings").text_content()
    page.wait_for_selector("text=This desk is done")
    one.saved()
    assert page.locator("#count").text_content() == f"{total} of {total}"
    ratings = ratings_in(one.store, pack.seal)
    assert len(ratings) == total
    assert not any(rating.checks_shown_before_rating for rating in ratings)
    by_kind = {item["id"]: item["kind"] for item in pack.items}
    for rating in ratings:
        assert list(rating.given) == FIELDS[by_kind[rating.item]]
        assert rating.after_checks == tuple(rating.given)[1:]
        assert rating.active_ms is not None
    assert one.store.check() == []
    assert one.wrong == []


def test_an_early_reveal_is_asked_twice_and_recorded(desk):
    generations = answers(2)
    one, pack, _ = desk(generations, findings=planted(generations))
    page = one.page
    page.keyboard.press("v")
    page.wait_for_selector("#early[open]")
    page.keyboard.press("Enter")  # on "back": nothing is shown
    until(lambda: not page.locator("#early").is_visible())
    assert not any(book_of(one, pack).seen(item["id"]) for item in pack.items)
    assert page.locator("#checks").is_hidden()
    page.keyboard.press("v")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#checks:not([hidden])")
    assert CANARY in page.locator("#findings").text_content()
    for key in "yyyyy":
        press(page, key)
    press(page, "y")
    page.wait_for_selector("#checks:not([hidden])")  # who rates on before they come has not seen them
    for key in "yyyy":
        press(page, key)
    one.saved()
    flags = [rating.checks_shown_before_rating for rating in ratings_in(one.store, pack.seal)]
    assert sorted(flags) == [False, True]
    lines = [line for _, line in one.store.lines(log_of(pack.seal, "ann")) if line["act"] == "checks"]
    assert [line.get("early", False) for line in lines] == [True, False]
    assert one.wrong == []


def test_undo_move_skip_comment_and_resume_at_the_very_question(desk):
    one, pack, _ = desk(answers(4), hide="item")
    page = one.page
    first = page.locator("#item-text").text_content()
    press(page, "y")
    press(page, "n")
    page.keyboard.press("u")
    until(lambda: page.locator("#fields [aria-current]").get_attribute("data-field") == "correct")
    press(page, "c")
    page.keyboard.press("m")
    page.keyboard.type("looks odd <b>&</b>")
    page.keyboard.press("Escape")
    one.saved()
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.locator("#item-text").text_content() == first
    assert page.locator("#fields [aria-current]").get_attribute("data-field") == "answerable"
    assert page.locator("#note").input_value() == "looks odd <b>&</b>"
    page.keyboard.press("Backspace")  # after a reload the server knows what was last
    until(lambda: page.locator("#fields [aria-current]").get_attribute("data-field") == "correct")
    press(page, "y")
    page.keyboard.press("ArrowRight")
    until(lambda: page.locator("#item-text").text_content() != first)
    page.keyboard.press("s")
    page.keyboard.press("2")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("?")
    page.wait_for_selector("#help[open]")
    page.keyboard.press("Escape")
    one.saved()
    book = book_of(one, pack)
    begun = [item for item in book.items if book.given(item)]
    assert [{name: act.said for name, act in book.given(item).items()} for item in begun] == [
        {"faithful": "yes", "correct": "yes"}
    ]
    assert [book.skipped(item).reason for item in book.items if book.skipped(item)] == [
        "It is in a language I do not read well"
    ]
    assert book.comment(begun[0]) == "looks odd <b>&</b>"
    assert not book.seen(begun[0])
    assert one.wrong == []


def test_going_back_is_not_overtaken_by_items_that_were_asked_for_before(desk):
    one, pack, _ = desk(answers(4), hide="item")
    page = one.page
    first = page.locator("#item-text").text_content()
    press(page, "y")
    press(page, "n")
    one.saved()
    with held(page, "**/answers.json"):
        with held(page, "**/items.json?*") as asked:
            page.reload()
            page.wait_for_selector("html[data-ready]")
            until(lambda: page.evaluate("1") and asked)
            page.keyboard.press("u")
            page.wait_for_selector("text=Going back")
        page.wait_for_timeout(100)
        assert page.locator("#item").is_hidden()
    until(lambda: page.locator("#item").is_visible())
    assert page.locator("#item-text").text_content() == first
    assert page.locator("#fields [aria-current]").get_attribute("data-field") == "correct"
    one.saved()
    book = book_of(one, pack)
    assert [[(name, act.said) for name, act in book.given(item).items()] for item in book.items] == [
        [("faithful", "yes")]
    ]
    assert one.wrong == []


def test_a_desk_ends_although_items_were_asked_for_before_the_last_answers_were_saved(desk):
    one, *_ = desk(answers(2), hide="item")
    page = one.page
    with held(page, "**/items.json?*") as asked:
        page.reload()
        page.wait_for_selector("html[data-ready]")
        until(lambda: page.evaluate("1") and asked)
        for key in "y" * 10:
            press(page, key)
        one.saved()
    page.wait_for_selector("text=This desk is done")
    assert one.wrong == []


def test_checks_that_do_not_arrive_are_told_and_come_when_asked_for(desk):
    generations = answers(2)
    one, pack, _ = desk(generations, findings=planted(generations))
    page = one.page
    page.route("**/checks.json", lambda route: route.abort())
    press(page, "y")
    page.wait_for_selector("text=Not connected: press V for the checks in a moment.")
    page.unroute("**/checks.json")
    page.keyboard.press("v")
    page.wait_for_selector("#checks:not([hidden])")
    assert CANARY in page.locator("#findings").text_content()
    book = book_of(one, pack)
    assert [item for item in book.items if book.seen(item)] == [
        item for item in book.items if book.given(item)
    ]


def test_answers_wait_for_the_connection_and_stay_blind(desk):
    one, pack, _ = desk(answers(3))
    page = one.page
    one.context.set_offline(True)
    for key in "yyyyyyyyyy":  # two items
        press(page, key)
    until(lambda: "Not connected" in page.locator("#state").text_content())
    one.context.set_offline(False)
    one.saved()
    ratings = ratings_in(one.store, pack.seal)
    assert len(ratings) == 2
    assert [rating.after_checks for rating in ratings] == [(), ()]
    assert one.store.check() == []


def test_hostile_text_is_shown_letter_for_letter(desk):
    evil = '</script><script>document.title="owned"</script><img src=x onerror=alert(1)> {{ 7*7 }} \u202e [1]'
    one, _, _ = desk(answers(1, text=evil))
    page = one.page
    assert page.locator("#item-text").text_content() == f"{evil} (0)"
    assert page.title() == "Rate what was generated"
    assert page.locator("#item img, #item script").count() == 0
    assert json.loads(page.locator("#data").text_content())["items"][0]["text"] == f"{evil} (0)"
    assert one.wrong == []


def test_on_a_phone_nothing_is_cut_off_and_a_tap_answers(desk):
    one, pack, _ = desk([study_items()], viewport={"width": 360, "height": 740})
    page = one.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("#levels button").first.click()
    until(lambda: page.locator("#fields [aria-current]").get_attribute("data-field") == "correct")
    one.saved()
    assert len(ratings_in(one.store, pack.seal)) == 1
    assert one.wrong == []
