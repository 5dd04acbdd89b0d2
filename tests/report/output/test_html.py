"""The page in a real browser: hostile text is shown letter for letter and never runs; nothing is fetched."""

from __future__ import annotations

import re
import shutil

import pytest
from tests.report.example import example

from evenhand.report.output.escape import visible
from evenhand.report.output.html import render

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PASSAGE = "x</script><script>window.hacked=1</script><!-- y"
QUESTION = "a & b < c \"q\" 'r'"
NAME = "<img src=x onerror=window.hacked=2>"
EVERYWHERE = "</title></style></script><script>window.hacked=3</script><svg onload=window.hacked=4>{{7*7}}{% x %}\"'><b>"


def hostile(kind: str, text: str) -> str:
    if kind == "passage":
        return text + PASSAGE
    if kind == "question":
        return text + QUESTION
    if kind == "system":
        return text + NAME
    return text + EVERYWHERE


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with playwright.sync_playwright() as engine:
        launched = engine.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        yield launched
        launched.close()


@pytest.fixture
def show(browser, tmp_path):
    """Open a page; return it with the list of everything that went wrong on it, filled as it happens."""
    contexts = []

    def opened(html: str, **options):
        file = tmp_path / "report.html"
        file.write_text(html, encoding="utf-8")
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        wrong: list[str] = []

        def route(request):
            if request.request.url == file.as_uri():
                request.continue_()
            else:
                wrong.append(f"fetched {request.request.url}")
                request.abort()

        context.route("**/*", route)
        page = context.new_page()
        page.add_init_script(
            "document.addEventListener('securitypolicyviolation', e => console.error('CSP ' + e.violatedDirective))"
        )
        page.on("console", lambda message: wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.goto(file.as_uri())
        return page, wrong

    yield opened
    for context in contexts:
        context.close()


def test_b074_hostile_text_is_shown_letter_for_letter_and_never_runs(show):
    html = render(example(hostile))
    page, wrong = show(html)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    page.wait_for_timeout(150)
    assert page.evaluate("window.hacked") is None
    assert wrong == []
    words = page.evaluate("document.body.textContent")
    for text in (PASSAGE, QUESTION, NAME, EVERYWHERE):
        assert text in words
    assert page.title().startswith("The handbook" + EVERYWHERE)
    assert page.locator("img").count() == 0
    harmless = render(example())
    assert page.locator("script").count() == 1
    assert html.count("<script") == harmless.count("<script")
    for kind in ("sentence", "warning", "claim", "type", "tag", "reference", "title", "doc", "reason"):
        alone = render(example(lambda k, text, kind=kind: text + "<i>!" if k == kind else text), plots=False)
        assert "&lt;i&gt;!" in alone, kind
        assert "<i>!" not in alone, kind


def test_characters_that_act_or_hide_are_written_out(show):
    bad = "a\x1b[31mb\u202egnp.exe\u2066\u200b\x00\x7f\ufeff"
    assert visible(bad) == "a␛[31mb⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+200B⟩␀␡⟨U+FEFF⟩"
    assert visible("Łódź 👩‍💻 می‌خواهم\r\n\tx") == "Łódź 👩‍💻 می‌خواهم\n\tx"
    page, wrong = show(
        render(example(lambda kind, text: text + bad if kind == "question" else text), plots=False)
    )
    assert "gnp.exe⟨U+2066⟩" in page.evaluate("document.body.textContent")
    assert wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_its_window_and_asks_for_nothing(show, scheme, width):
    page, wrong = show(render(example()), viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert wrong == []
    fill = page.evaluate("getComputedStyle(document.querySelector('.chart text')).fill")
    ink = {"light": "rgb(28, 33, 38)", "dark": "rgb(231, 228, 221)"}[scheme]
    muted = {"light": "rgb(89, 97, 106)", "dark": "rgb(162, 169, 177)"}[scheme]
    assert fill in (ink, muted)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_enough_contrast(show, scheme):
    page, _ = show(render(example()), color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    low = page.evaluate(
        """() => {
        const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
        const rgba = (css) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1);
            return [...canvas.getImageData(0, 0, 1, 1).data]; };
        const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const found = [];
        for (const node of document.querySelectorAll('body *')) {
            if (![...node.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || node.closest('svg, .skip, option')) continue;
            let behind = node, back = null;
            while (behind && !back) { const c = rgba(getComputedStyle(behind).backgroundColor); if (c[3] === 255) back = c; behind = behind.parentElement; }
            const style = getComputedStyle(node), one = light(rgba(style.color)), two = light(back || rgba('white'));
            const ratio = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
            if (ratio < 4.5) found.push(node.className + ' ' + node.textContent.trim().slice(0, 30) + ' ' + ratio.toFixed(2));
        }
        return found;
    }"""
    )
    assert low == []


def test_everything_is_readable_without_scripts(show):
    page, wrong = show(render(example()), java_script_enabled=False)
    assert page.locator("details.q").count() == 8
    assert page.locator(".controls").is_hidden()
    page.locator("details.q summary").first.click()
    assert page.locator("details.q .hits mark").first.is_visible()
    assert wrong == []


def test_search_order_and_keys_move_through_the_questions(show):
    page, wrong = show(render(example()))
    page.fill("#q-search", "mileage")
    shown = page.locator(".q:visible")
    assert shown.count() >= 1
    assert "9" in page.locator("#q-count").inner_text()
    page.fill("#q-search", "")
    page.select_option("#q-order", "position")
    ids = page.locator("#q-list > .q .id").all_inner_texts()
    assert ids == sorted(ids)
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("j")
    focused = "document.activeElement.closest('.q').querySelector('.id').textContent"
    assert page.evaluate(focused) == ids[1]
    page.keyboard.press("k")
    assert page.evaluate(focused) == ids[0]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('details').open")
    assert wrong == []


def test_the_page_prints(show):
    page, wrong = show(render(example()), color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator(".controls").is_hidden()
    assert page.pdf(format="A4").startswith(b"%PDF")
    assert wrong == []


def test_evidence_is_marked_where_the_spans_say():
    report = example()
    html = render(report, plots=False)
    spans = {s["quote"] for row in report["questions"]["rows"] for n in row["evidence"] for s in n["spans"]}
    marked = re.findall(r'<p class="text">.*?</p>', html, flags=re.DOTALL)
    whole = [quote for quote in spans if any(f"<mark>{quote}</mark>" in text for text in marked)]
    assert whole


def test_without_the_extra_the_page_says_so_and_stays_whole(monkeypatch):
    from evenhand import plugins
    from evenhand.report.sections.comparison import charts

    def absent(package, *, extra):
        raise plugins.MissingExtra(
            f"this needs the package {package!r}", mend=f"pip install 'evenhand[{extra}]'"
        )

    monkeypatch.setattr(charts, "find_spec", lambda name: None)
    monkeypatch.setattr(charts, "need", absent)
    html = render(example())
    assert "pip install &#39;evenhand[plots]&#39;" in html
    assert 'class="chart"' not in html
    assert "[0.610, 0.910]" in html


def test_the_page_is_the_same_twice():
    assert render(example()) == render(example())


def test_no_address_is_in_the_page_but_those_of_namespaces():
    html = render(example())
    assert set(re.findall(r"https?://[^\"' <]+", html)) <= {"http://www.w3.org/2000/svg"}
    assert not re.findall(r"\b(?:src|href)=\"(?!#|data:)", html)
