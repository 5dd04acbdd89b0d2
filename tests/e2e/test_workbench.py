"""The workbench in headless Chromium by keyboard alone; nothing shifts, nothing is refused.

How it looks in light, in the dark and on a phone, and what axe says of it, is in test_accessible.
"""

import re

import pytest
from tests.e2e.desk import person, until
from tests.report.example import example
from tests.report.output.test_html import browser  # noqa: F401 - a fixture, which skips where Chromium is absent
from tests.web.accessible import SHIFTS
from tests.web.house import serving
from tests.web.workbench.test_studies import shelve

from evenhand.store.open import create_store


@pytest.fixture
def there(tmp_path):
    store = create_store(tmp_path / "s.sqlite")
    with serving(store, results=[shelve(tmp_path / "r")]) as url:
        yield store, url
    store.close()


def go(page, key, ending):
    page.keyboard.press(key)
    page.wait_for_url(re.compile(ending + r"$"))
    page.wait_for_selector("html[data-ready]")


def test_from_the_studies_to_a_question_and_back_by_keyboard_alone(browser, there):  # noqa: F811
    with person(browser, *there, "me", "owner", viewport={"width": 1280, "height": 800}) as one:
        page = one.open("/studies")
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press("j")
        base = page.evaluate("document.activeElement.getAttribute('href')")
        go(page, "Enter", base)
        until(lambda: not page.locator("svg[data-figure]").count(), "for the pictures")
        assert page.locator("figure .wide svg.chart").count() >= 2
        assert page.evaluate(SHIFTS) == 0

        head = page.locator("#results thead a").nth(1)
        head.focus()
        place = page.locator("#results table").bounding_box()
        go(page, "Enter", r"sort=.*&way=asc#results")
        assert page.locator("th[aria-sort=ascending]").count() == 1
        after = page.locator("#results table").bounding_box()
        assert (after["width"], after["height"]) == (place["width"], place["height"])
        assert page.evaluate(SHIFTS) == 0

        go(page, "/", "/questions#find")
        page.keyboard.type("leave")
        go(page, "Enter", "find=leave")
        found = page.locator("a[data-row]")
        assert 0 < found.count() < len(example()["questions"]["rows"])
        page.keyboard.press("j")
        if found.count() > 1:
            page.keyboard.press("j")
            page.keyboard.press("k")
        assert page.evaluate("document.activeElement === document.querySelector('a[data-row]')")
        page.keyboard.press("Enter")
        page.wait_for_url("**/questions/*")
        page.wait_for_selector("html[data-ready]")
        first = page.url
        there_is = page.locator("nav.turn a[rel=next]").count() > 0
        page.keyboard.press("j" if there_is else "k")
        page.wait_for_url(lambda address: address != first)
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press("k" if there_is else "j")
        page.wait_for_url(first)
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press("?")
        assert page.locator("#keys").evaluate("box => box.open")
        page.keyboard.press("Escape")
        go(page, "u", "/questions")
        assert one.wrong == []
