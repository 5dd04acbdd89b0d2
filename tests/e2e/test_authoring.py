"""A question written and reviewed in headless Chromium, by mouse and by keyboard."""

import difflib
import json

import pytest
from tests.e2e.desk import Person, held, until
from tests.e2e.test_desk import drag
from tests.report.output.test_html import browser  # noqa: F401 - a fixture, which skips where Chromium is absent
from tests.web.house import serving, stocked

from evenhand.model.text import Corpus, DocId, Document
from evenhand.web.authoring.library import Library

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ACCENT = "cafe\u0301"
HOSTILE = '<img src=x onerror="window.ran=1"><script>window.ran=1</script></script><!--'
TEXT = (
    f"# Prices {FAMILY}\r\n\r\nThe {FAMILY} ticket costs 30 crowns. A {ACCENT} au lait is 12 crowns.\r\n"
    f"Pay at the desk.\r\n\r\n## More {HOSTILE}\r\n\r\n{HOSTILE} Dogs travel free.\r\n"
)
TEXTS = {"a.md": TEXT, "b.md": f"# {HOSTILE}\n\nAs everywhere: Pay at the desk. Thanks."}
CORPUS = Corpus(
    tuple(Document(id=DocId(k), text=v, title=f"Title {HOSTILE}", kind="markdown") for k, v in TEXTS.items())
)
FIRST = {"id": "q001", "text": HOSTILE, "type": HOSTILE, "expect": "abstain", "evidence": []}


@pytest.fixture
def olga(browser, tmp_path):  # noqa: F811
    store, _ = stocked(tmp_path / "s.sqlite", ["one"])
    library = Library(corpus=CORPUS, gold=tmp_path / "gold.jsonl")
    library.gold.write_bytes((json.dumps(FIRST) + "\r\n").encode())
    with serving(store, library=library) as url:
        one = Person(browser, store, url, "olga", "owner", viewport={"width": 1280, "height": 800})
        one.library = library
        yield one
        one.context.close()
    store.close()


def ready(page):
    page.wait_for_selector("html[data-ready]")
    return page


def visit(one, path):
    one.page.goto(one.url + path)
    return ready(one.page)


def lines(one):
    return one.library.gold.read_bytes().decode().splitlines(keepends=True)


def hinted(page, words):
    until(lambda: words in page.locator("#hint").text_content(), f"for {words!r}")


def units(text):
    return len(text.encode("utf-16-le")) // 2


def test_a_question_is_written_by_mouse_and_keyboard_reloaded_saved_and_reviewed(olga):
    before = lines(olga)
    page = visit(olga, "/author/document?doc=a.md")
    assert page.locator("#text").evaluate("box => box.textContent") == TEXT

    assert [one.strip()[:4] for one in page.locator(".sentence.head").all_text_contents()] == ["# Pr", "## M"]

    # a selection from within the family to before the accent becomes whole characters
    start, end = TEXT.index(f"{FAMILY} ticket"), TEXT.index(f"{ACCENT} au lait")
    page.evaluate(
        """() => {
            const [first, second] = [...document.querySelectorAll('.sentence')].filter(one => /ticket|lait/.test(one.textContent));
            const [a, b] = [first.firstChild, second.firstChild];
            getSelection().setBaseAndExtent(a, a.data.indexOf(' ticket') - 3, b, b.data.indexOf('cafe') + 4);
        }"""
    )
    hinted(page, f"“{TEXT[start : end + len(ACCENT)]}”")

    # by mouse
    page.locator("#text .sentence[role]", has_text="Dogs").click()
    hinted(page, "Dogs")
    drag(page, units(TEXT[:start]), units(TEXT[: end + len(ACCENT)]))
    hinted(page, f"“{TEXT[start : end + len(ACCENT)]}”")
    page.keyboard.press("a")
    hinted(page, "Added.")

    # by keyboard: a new nugget, the sentence that stands in another document too, and its twin
    page.keyboard.press("n")
    page.locator("#text .sentence[tabindex='0']").focus()
    while page.evaluate("document.activeElement.textContent.trim()") != "Pay at the desk.":
        page.keyboard.press("ArrowDown")
    page.keyboard.press(" ")
    hinted(page, "Pay at the desk.")
    page.keyboard.press("Enter")
    hinted(page, "1 other place")
    page.keyboard.press("t")
    hinted(page, "alternative added")
    page.keyboard.press("q")
    page.keyboard.type("What does the family pay, and where? n a t")
    page.locator("#type").fill("numeric")

    # nothing is lost by a reload
    page.reload()
    ready(page)
    assert page.locator("#q").input_value() == "What does the family pay, and where? n a t"
    assert page.locator("#nuggets > li").count() == 2
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("html[data-saved=q002]")
    assert page.locator("#q").input_value() == ""

    after = lines(olga)
    changes = [one[0] for one in difflib.unified_diff(before, after, n=0) if one[0] in "+-" and one[1:3] not in ("++", "--")]  # fmt: skip
    assert changes == ["+"]
    assert after[0] == before[0]
    row = json.loads(after[1])
    quotes = [[span["quote"] for span in one["spans"]] for one in row["evidence"]]
    assert quotes == [[TEXT[start : end + len(ACCENT)]], ["Pay at the desk.", "Pay at the desk."]]
    assert [[span["doc"] for span in one["spans"]] for one in row["evidence"]] == [["a.md"], ["a.md", "b.md"]]
    for one in row["evidence"]:
        for span in one["spans"]:
            assert TEXTS[span["doc"]][span["start"] : span["end"]] == span["quote"]
    assert (row["authoring"]["by"], row["review"]["status"]) == ("olga", "unreviewed")

    # the review: rejected only with a reason, changed, accepted
    visit(olga, "/author/question?id=q002")
    page.keyboard.press("r")
    page.wait_for_selector("text=Say why it is rejected")
    page.keyboard.type("a")
    page.locator("#change").click()
    page.wait_for_url("**/author/document*")
    ready(page)
    page.locator("#reference").fill("30 crowns, at the desk")
    page.locator("#reason").fill("with an answer")
    page.locator("#accept").click()
    page.wait_for_url("**/author/question?id=q002")
    assert "changed by olga" in page.locator(".trail").text_content()
    last = lines(olga)
    assert (len(last), last[0]) == (2, before[0])
    row = json.loads(last[1])
    assert (row["review"]["status"], row["review"]["changed"]) == ("changed", ["reference"])
    assert [one["reason"] for one in row["meta"]["history"]] == ["with an answer"]
    assert olga.wrong == []


def test_a_file_that_changed_meanwhile_is_said_and_the_draft_is_kept(olga):
    page = visit(olga, "/author/document?doc=a.md")
    page.locator(".sentence[role]", has_text="Dogs travel free").click()
    page.keyboard.press("a")
    hinted(page, "Added.")
    page.locator("#q").fill("Do dogs pay?")
    with olga.library.gold.open("ab") as file:
        file.write(json.dumps(FIRST | {"id": "q7", "text": "Another one?"}).encode() + b"\r\n")
    before = olga.library.gold.read_bytes()
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#banner:not([hidden])")
    assert "has changed meanwhile" in page.locator("#banner").text_content()
    assert olga.library.gold.read_bytes() == before
    page.locator("#banner button").click()
    until(lambda: page.locator("#banner").is_hidden(), "for the page anew")
    ready(page)
    assert page.locator("#q").input_value() == "Do dogs pay?"
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("html[data-saved=q8]")
    assert olga.library.gold.read_bytes().startswith(before)
    # the browser itself tells of the refusal
    assert [one for one in olga.wrong if "409" not in one] == []


def test_saving_twice_while_evidence_is_on_its_way_saves_once_and_with_it(olga):
    page = visit(olga, "/author/document?doc=a.md")
    page.locator("#q").fill("Do dogs pay?")
    with held(page, "**/author/check.json") as asked:
        page.locator(".sentence[role]", has_text="Dogs travel free").click()
        page.locator("#add").click()
        until(lambda: page.evaluate("1") and asked)
        for _ in range(3):
            page.keyboard.press("Control+Enter")
    page.wait_for_selector("html[data-saved=q002]")
    row = json.loads(lines(olga)[1])
    assert [span["quote"] for one in row["evidence"] for span in one["spans"]] == [
        f"{HOSTILE} Dogs travel free."
    ]
    page.wait_for_timeout(200)
    assert len(lines(olga)) == 2
    assert page.locator("#banner").is_hidden()
    assert olga.wrong == []


def test_hostile_text_runs_nothing_and_everything_fits_a_phone(olga):
    page = olga.page
    page.set_viewport_size({"width": 390, "height": 844})
    for path in (
        "/author",
        "/author/questions",
        "/author/document?doc=a.md",
        "/author/document?doc=b.md&question=q001",
        "/author/question?id=q001",
    ):
        page.goto(olga.url + path)
        page.wait_for_timeout(50)
        assert page.evaluate("window.ran") is None
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390, f"{path} is {wide} wide"
    assert olga.wrong == []
