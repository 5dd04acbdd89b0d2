"""The workbench in headless Chromium: by keyboard, light, dark, on a phone; nothing shifts, nothing is refused.

axe is not among our files: names, landmarks, headings, contrast and sizes of targets are checked by the
assertions below, which cover less than axe does.
"""

import re

import pytest
from tests.e2e.desk import person, until
from tests.report.example import example
from tests.report.test_html import browser  # noqa: F401 - a fixture, which skips where Chromium is absent
from tests.web.house import serving
from tests.web.test_workbench import shelve

from evenhand.store.open import create_store

CONTRAST = """() => {
  const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
  const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
  const wrong = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode, box = node.parentElement;
    if (!node.textContent.trim() || !box.checkVisibility() || box.closest("svg, dialog:not([open]), .skip, .hidden")) continue;
    let under = null;
    for (let up = box; up && !under; up = up.parentElement) {
      const text = getComputedStyle(up).backgroundColor;
      if (!text.startsWith("rgb")) { under = "other"; break; }
      const c = parse(text);
      if (c[3] === 1) under = c;
    }
    if (under === "other") continue;
    under ??= parse(getComputedStyle(document.documentElement).backgroundColor);
    const style = getComputedStyle(box);
    const [a, b] = [light(parse(style.color).slice(0, 3)), light(under.slice(0, 3))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) wrong.push([node.textContent.trim().slice(0, 30), Number(ratio.toFixed(2))]);
  }
  return wrong;
}"""
BUILT = """() => {
  const wrong = [];
  const named = (el) => (el.getAttribute("aria-label") || (el.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent || "").join(" ")).trim();
  if (document.querySelectorAll("main").length !== 1) wrong.push("one main");
  if (document.querySelectorAll("h1").length !== 1) wrong.push("one h1");
  if (!document.documentElement.lang || !document.title) wrong.push("language and title");
  let last = 0;
  for (const h of document.querySelectorAll("h1, h2, h3, h4")) {
    if (h.closest("dialog")) continue;
    const level = Number(h.tagName[1]);
    if (level > last + 1) wrong.push(`after h${last} comes ${h.outerHTML.slice(0, 60)}`);
    last = level;
  }
  for (const el of document.querySelectorAll("nav, section, [role=region], [role=img], dialog")) if (!named(el)) wrong.push(`no name: ${el.outerHTML.slice(0, 60)}`);
  for (const el of document.querySelectorAll("a[href], button, summary")) if (!el.textContent.trim() && !named(el)) wrong.push(`no words: ${el.outerHTML.slice(0, 60)}`);
  for (const el of document.querySelectorAll("input:not([type=hidden]), select")) if (!el.labels.length) wrong.push(`no label: ${el.outerHTML.slice(0, 60)}`);
  for (const el of document.querySelectorAll("img")) if (!el.hasAttribute("alt")) wrong.push("no alt");
  for (const el of document.querySelectorAll("th")) if (!el.scope) wrong.push(`no scope: ${el.outerHTML.slice(0, 60)}`);
  const ids = [...document.querySelectorAll("[id]")].map((el) => el.id);
  if (new Set(ids).size !== ids.length) wrong.push(`ids twice: ${ids.filter((id, i) => ids.indexOf(id) !== i)}`);
  return wrong;
}"""
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const one of list.getEntries()) sum += one.value; })
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => done(sum)));
})"""


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 320])
def test_every_page_can_be_read_at_any_width_and_in_any_light(browser, there, scheme, width):  # noqa: F811
    size = {"width": width, "height": 800}
    with person(browser, *there, "me", "owner", viewport=size, color_scheme=scheme) as one:
        page = one.open("/studies")
        base = page.locator("a[data-row]").first.get_attribute("href")
        asked = example()["questions"]["rows"][0]["id"]
        for path in (
            "/studies",
            base,
            *(f"{base}/{word}" for word in ("questions", f"questions/{asked}", "failures", "ledger")),
        ):
            page.goto(one.url + path)
            page.wait_for_selector("html[data-ready]")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
            assert page.evaluate(CONTRAST) == [], path
            assert page.evaluate(BUILT) == [], path
            assert page.evaluate(SHIFTS) == 0, path
            small = page.evaluate(
                """() => [...document.querySelectorAll("nav a, footer a, footer button, form button, input, select, thead a, summary, a[data-row]")]
                  .filter((el) => el.checkVisibility()).map((el) => [el.outerHTML.slice(0, 60), el.getBoundingClientRect().height])
                  .filter(([, height]) => height > 0 && height < 24)"""
            )
            assert small == [], path
        assert one.wrong == []
