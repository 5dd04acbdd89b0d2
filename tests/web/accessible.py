"""WCAG 2.2 AA in a real browser: axe, and what axe cannot see. The pages' policy needs no hole for it."""

import json
from functools import cache
from importlib.resources import files

import pytest

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
ASK = """async (asked) => {
  // a picture has a name, and what is in it is no picture of its own: to look at each line of it takes seconds
  const found = await axe.run({ exclude: [["svg.chart > *"]] }, asked);
  const told = (one) => one.nodes.slice(0, 4).map((node) => `${one.id}: ${node.html.slice(0, 140)} | ${(node.any[0] || node.all[0] || node.none[0] || {}).message || ""}`);
  return { wrong: found.violations.flatMap(told), unsure: found.incomplete.flatMap(told), passed: found.passes.map((one) => one.id) };
}"""
SHIFTS = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const one of list.getEntries()) sum += one.value; })
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => done(sum)));
})"""
# each thing that takes the focus (the first so many): is it marked, and can it be seen?
FOCUS = """(most) => {
  const wrong = [];
  const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]")]
    .filter((el) => el.tabIndex >= 0 && !el.disabled && el.checkVisibility({ visibilityProperty: true }) && el.getBoundingClientRect().width > 1).slice(0, most);
  for (const el of all) {
    const name = el.outerHTML.slice(0, 90);
    const before = getComputedStyle(el), was = [before.outlineStyle, before.outlineWidth, before.boxShadow, before.borderColor, before.backgroundColor].join();
    el.focus();
    if (document.activeElement !== el) continue;
    const now = getComputedStyle(el), is = [now.outlineStyle, now.outlineWidth, now.boxShadow, now.borderColor, now.backgroundColor].join();
    if (was === is && (now.outlineStyle === "none" || parseFloat(now.outlineWidth) < 1)) wrong.push(`focus is not seen: ${name}`);
    const box = el.getBoundingClientRect();
    const seen = [[.5, .5], [.1, .5], [.9, .5], [.5, .1], [.5, .9]].some(([a, b]) => {
      const at = document.elementFromPoint(box.left + a * box.width, box.top + b * box.height);
      return at && (at === el || el.contains(at) || at.contains(el));
    });
    if (!seen) wrong.push(`focus is covered: ${name}`);
  }
  document.activeElement?.blur();
  return wrong;
}"""
WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll("body *")].filter((el) => el.getBoundingClientRect().right > innerWidth + 1 && !el.closest(".scroll, .cols, svg, .hidden, pre"))
    .slice(0, 5).map((el) => `too wide: ${el.outerHTML.slice(0, 100)}`).concat(`${document.documentElement.scrollWidth} of ${innerWidth}`)"""


@cache
def axe():
    """The script of axe, from the package; tests skip where that is not installed."""
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def found_by_axe(page, rules=(), tags=TAGS):
    """What is wrong on a page by axe: all rules of WCAG 2.2 AA, or these alone."""
    if not page.evaluate("typeof window.axe === 'object'"):
        page.evaluate(axe())  # by the debugger: the page's policy neither allows it nor is changed
    asked = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
    asked["runOnly"] = {"type": "rule", "values": list(rules)} if rules else {"type": "tag", "values": tags}
    told = page.evaluate(ASK, json.loads(json.dumps(asked)))
    assert told["passed"], "axe found nothing to test"
    return told["wrong"]


def in_every_light(page, *, focus=40):
    """Light, dark and a phone, without loading the page again: all that is wrong in each."""
    wrong = [("light", one) for one in found_by_axe(page)]
    page.keyboard.press("Tab")  # so that focus is shown as for the keyboard
    wrong += [("light", one) for one in page.evaluate(FOCUS, focus)]
    page.emulate_media(color_scheme="dark")
    wrong += [("dark", one) for one in found_by_axe(page, ["color-contrast", "link-in-text-block"])]
    page.emulate_media(color_scheme="light")
    size = page.viewport_size
    page.set_viewport_size({"width": 320, "height": 700})
    wrong += [("phone", one) for one in page.evaluate(WIDE)]
    few = ["target-size", "scrollable-region-focusable"]
    wrong += [("phone", one) for one in found_by_axe(page, few)]
    page.set_viewport_size(size)
    return wrong
