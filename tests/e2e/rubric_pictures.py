"""The pictures of `docs/how-to/rubric.md`: python -m tests.e2e.rubric_pictures"""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from tests.e2e.desk import Person, until
from tests.report.output.test_html import ARGS, CHROMIUM
from tests.web.house import serving
from tests.web.rubric_house import furnished, study_items

TO = Path(__file__).resolve().parents[2] / "docs" / "img"
DESK = {"width": 1240, "height": 820}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 1.5,
    "has_touch": True,
    "is_mobile": True,
}
TOPICS = ("lease", "deposit", "sublet", "repairs", "garden", "keys", "pets", "noise")


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as engine:
        store, _, _ = furnished(
            Path(folder) / "s.sqlite",
            [study_items(topic) for topic in TOPICS],
            raters=("Ann", "Ben"),
            name="lease",
        )
        browser = engine.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        with serving(store) as url:
            ann = Person(browser, store, url, "Ann", viewport=DESK)
            page = ann.page
            while "Multiple" not in page.locator("#eyebrow").text_content():
                before = page.locator("#eyebrow").text_content()
                page.keyboard.press("y")
                until(lambda before=before: page.locator("#question").text_content() and before)
            page.screenshot(path=TO / "rubric-blind.png")
            page.keyboard.press("y")
            page.wait_for_selector("#checks:not([hidden])")
            page.keyboard.press("y")
            page.keyboard.press("n")
            ann.saved()
            page.screenshot(path=TO / "rubric-light.png")
            page.emulate_media(color_scheme="dark")
            page.screenshot(path=TO / "rubric-dark.png")
            ben = Person(browser, store, url, "Ben", **PHONE)
            ben.page.screenshot(path=TO / "rubric-phone.png")
            print(*ann.wrong, *ben.wrong, sep="\n")
        browser.close()
        store.close()


if __name__ == "__main__":
    main()
