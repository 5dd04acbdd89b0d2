"""First paint of the workbench's pages in Chromium, over 5,000 questions and ten systems.

Not the bytes on the wire: from the click to the first words on the screen, as the browser itself counts it
(first-contentful-paint), sign-in, server and style sheets included. The study is conducted here, from ten run files;
the server has read its results before, as `evenhand serve` does when it starts.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, Row

LIMIT = 300.0  # milliseconds
SYSTEMS, DEPTH = 10, 50
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PAINT = """() => new Promise((done) => {
  const at = () => performance.getEntriesByName("first-contentful-paint")[0];
  if (at()) done(at().startTime);
  else new PerformanceObserver(() => at() && done(at().startTime)).observe({ type: "paint", buffered: true });
})"""
SHIFT = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const one of list.getEntries()) sum += one.value; })
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => done(sum)));
})"""
PAGES = {
    "studies": "/studies",
    "comparison, with its pictures": "/studies/large",
    "questions": "/studies/large/questions",
    "questions, searched": "/studies/large/questions?find=fact",
    "one question, ten systems": "{first}",
    "one question of which no units are kept": "{last}",
    "one question that is not listed": "{other}",
    "failures": "/studies/large/failures",
    "criteria": "/studies/large/criteria",
    "ledger": "/studies/large/ledger",
}


def main(quick: bool) -> Bench:
    questions = 500 if quick else 5_000
    title = "Workbench"
    says = (
        f"Milliseconds to first contentful paint, {questions:,} questions × {SYSTEMS} systems: the least of the loads "
        "(median), each a new navigation in Chromium; layout shift of all pages together."
    )
    if CHROMIUM is None:
        return Bench(title=title, says=says, skipped="no Chromium on this machine")
    with tempfile.TemporaryDirectory() as place:
        results = _conducted(Path(place), questions)
        with _served(results, Path(place)) as (url, link):
            times, shifts = _painted(url, link, results, loads=3 if quick else 9)
    rows = [
        Row(
            what=name,
            found=f"{min(found):.0f} ms ({statistics.median(found):.0f})",
            target=f"at most {LIMIT:g} ms",
            met=min(found) <= LIMIT,
        )
        for name, found in times.items()
    ]
    shown = f"{shifts:.4f}"
    rows.append(Row(what="layout shift", found=shown, target="0.0000", met=shown == "0.0000"))
    return Bench(title=title, says=says, rows=tuple(rows))


def _conducted(place: Path, questions: int) -> Path:
    from benchmarks.verify import make
    from evenhand.formats.study_file.read import read_study
    from evenhand.study.comparison.run import conduct

    file = make(place / "large", questions, DEPTH, systems=SYSTEMS, plots=True)
    return conduct(read_study(file), file.parent).folder


@contextmanager
def _served(results: Path, place: Path) -> Iterator[tuple[str, str]]:
    import uvicorn

    from evenhand.store.clock import now
    from evenhand.store.open import create_store
    from evenhand.web.server.app import create_app
    from evenhand.web.server.serve import listening

    store = create_store(place / "store.sqlite")
    bound = listening("127.0.0.1", 0, tls=False)
    bound.listen(2048)
    app = create_app(store, results=[results])
    app.warm()
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    _, token = store.grant("owner", "owner", at=now())
    url = f"http://127.0.0.1:{bound.getsockname()[1]}"
    try:
        yield url, f"{url}/j/{token}"
    finally:
        server.should_exit = True
        thread.join(10)
        store.close()


def _painted(url: str, link: str, results: Path, *, loads: int) -> tuple[dict[str, list[float]], float]:
    import json

    from playwright.sync_api import sync_playwright

    rows = json.loads((results / "report.json").read_bytes())["questions"]["rows"]
    ids = [row["id"] for row in rows]
    other = (
        next(f"q{i:05}" for i in range(5_000) if f"q{i:05}" not in set(ids)) if len(ids) >= 1200 else ids[-1]
    )
    places = {
        name: f"/studies/large/questions/{asked}"
        for name, asked in (("first", ids[0]), ("last", ids[-1]), ("other", other))
    }
    times: dict[str, list[float]] = {name: [] for name in PAGES}
    shifts = 0.0
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page: Any = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.goto(link)
        page.wait_for_url(lambda address: "/welcome" not in address and "/j/" not in address)
        for _ in range(loads):
            for name, path in PAGES.items():
                page.goto(url + path.format(**places))
                times[name].append(page.evaluate(PAINT))
                page.wait_for_selector("html[data-ready]")
                shifts += page.evaluate(SHIFT)
        browser.close()
    return times, shifts
