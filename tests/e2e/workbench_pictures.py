"""The pictures of `docs/how-to/workbench.md`: python -m tests.e2e.workbench_pictures COMPARED GATE

Two results folders: of examples/handbook/study.toml (or lexical.toml) and of gate.toml.
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from tests.e2e.desk import READY, Person, until
from tests.report.output.test_html import ARGS, CHROMIUM
from tests.web.house import serving

from evenhand.store.open import create_store
from evenhand.store.progress_file import Live

TO = Path(__file__).resolve().parents[2] / "docs" / "img"
WIDE = {"viewport": {"width": 1180, "height": 1120}}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 1.5}


def main(compared, gate):
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as engine:
        home = Path(folder) / "studies"
        for name, source in (("compared", compared), ("gate", gate)):
            place = home / name / "results"
            place.parent.mkdir(parents=True)
            place.symlink_to(source.resolve())
        store = create_store(Path(folder) / "s.sqlite")
        browser = engine.chromium.launch(executable_path=CHROMIUM, headless=True, args=ARGS)
        places = [home / name / "results" / "report.json" for name in ("compared", "gate")]
        live = Live(home / ".evenhand", study="handbook, judged by a panel", what="judge panel", split="dev",
                    out="results", command="evenhand judge panel panel.toml")  # fmt: skip
        with serving(store, results=[*places, home / "study.toml"]) as url, live:
            live(
                "judge", 1_240, 1_542, "waiting 12 s: qwen, rate limit · $0.31 · 212 from cache · 2 min left"
            )
            one = Person(browser, store, url, "Olga", "owner", **WIDE)
            page = one.open("/studies")
            page.wait_for_selector(READY)
            bases = [link.get_attribute("href") for link in page.locator("a[data-row]").all()]
            shot = {"clip": {"x": 0, "y": 0, "width": 1180, "height": 620}}
            page.screenshot(path=TO / "workbench-running.png", **shot)
            _open(page, url + bases[0] + "#results")
            page.screenshot(path=TO / "workbench.png")
            _open(page, f"{url}{bases[0]}/questions")
            page.keyboard.press("j")
            page.keyboard.press("Enter")
            page.wait_for_url("**/questions/*")
            page.wait_for_selector(READY)
            for first in page.locator(".col .why:first-of-type summary").all():
                first.click()
            page.mouse.move(0, 0)
            page.locator(".cols").evaluate(
                "box => scrollTo(0, box.getBoundingClientRect().top + scrollY - 260)"
            )
            page.screenshot(
                path=TO / "workbench-why.png", clip={"x": 0, "y": 0, "width": 1180, "height": 900}
            )
            _open(page, f"{url}{bases[1]}/gate")
            page.locator("#gx-at").focus()
            for _ in range(25):
                page.keyboard.press("ArrowLeft")
            page.locator("#gate-explorer h3").evaluate(
                "box => scrollTo(0, box.getBoundingClientRect().top + scrollY - 20)"
            )
            page.screenshot(
                path=TO / "workbench-gate.png", clip={"x": 0, "y": 0, "width": 1180, "height": 760}
            )
            page.emulate_media(color_scheme="dark")
            _open(page, f"{url}{bases[0]}/failures")
            page.screenshot(
                path=TO / "workbench-dark.png", clip={"x": 0, "y": 0, "width": 1180, "height": 800}
            )
            small = Person(browser, store, url, "Olga", "owner", **PHONE)
            phone = small.open(bases[0])
            phone.wait_for_selector(READY)
            until(lambda: not phone.locator("svg[data-figure]").count())
            phone.screenshot(path=TO / "workbench-phone.png")
            print(*one.wrong, *small.wrong, sep="\n")
        browser.close()
        store.close()


def _open(page, address):
    page.goto(address)
    page.wait_for_selector(READY)
    until(lambda: not page.locator("svg[data-figure]").count())


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
