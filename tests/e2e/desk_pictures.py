"""The pictures of `docs/how-to/label.md`: python -m tests.e2e.desk_pictures"""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from tests.e2e.desk import Person, wait_text
from tests.report.output.test_html import ARGS, CHROMIUM
from tests.web.house import serving, stocked

TO = Path(__file__).resolve().parents[2] / "docs" / "img"
FIRST = (
    "Black-and-white copies cost 5 cents a page, in colour 30 cents. You pay with your library card at the machine; "
    "cash is not taken.\n\nIf the card is empty, load it at the desk. The smallest amount is 1 euro."
)
TEXTS = [
    (
        "The scanner beside the desk is free of charge. It sends the pages to your own mail address, or saves them "
        "to a stick. It makes no paper copies."
    ),
    (
        "Rare books may be photographed without flash at the table next to the desk. Ask before you begin: some of "
        "them are too fragile to be opened wide."
    ),
    "Maps larger than A3 are copied by the staff. That takes two days.",
]
DESK = {"width": 1180, "height": 730}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 1.5,
    "has_touch": True,
    "is_mobile": True,
}


def main():
    texts = [*(f"{TEXTS[i % 3]}{' ' * (i // 3)}" for i in range(37)), FIRST,
             *(f"{TEXTS[i % 3]}{' ' * (20 + i // 3)}" for i in range(42))]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as engine:
        store, _ = stocked(
            Path(folder) / "s.sqlite", texts, judges=("Ann", "Ben"), name="handbook", title="Copying and scanning",
            heading=("Services", "Prices"),
        )  # fmt: skip
        browser = engine.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        with serving(store) as url:
            ann = Person(browser, store, url, "Ann", viewport=DESK)
            page = ann.page
            page.clock.install()
            for i in range(37):
                wait_text(page, texts[i])
                page.clock.run_for(3000 + 700 * (i % 5))
                page.keyboard.press("12c1"[i % 4])
            wait_text(page, FIRST)
            page.clock.run_for(1000)
            ann.saved()
            page.keyboard.press("e")
            page.keyboard.press(" ")
            page.screenshot(path=TO / "desk-light.png")
            page.emulate_media(color_scheme="dark")
            page.screenshot(path=TO / "desk-dark.png")
            page.emulate_media(color_scheme="light")
            page.keyboard.press("0")
            page.screenshot(path=TO / "desk-why.png")
            ben = Person(browser, store, url, "Ben", **PHONE)
            ben.page.screenshot(path=TO / "desk-phone.png")
            owner = Person(browser, store, url, "Olga", "owner", viewport={"width": 1180, "height": 600})
            owner.page.screenshot(path=TO / "desk-overview.png")
            print(*ann.wrong, *ben.wrong, *owner.wrong, sep="\n")
        browser.close()
        store.close()


if __name__ == "__main__":
    main()
