"""A real browser at a real desk: what the tests of the desk share."""

import time
from contextlib import contextmanager

from tests.web.house import AT

READY = "html[data-ready]"


class Person:
    """Somebody with a browser of their own; ``wrong`` collects everything that went wrong on their pages."""

    def __init__(self, browser, store, url, name, role="judge", **options):
        self.store, self.url = store, url
        self.wrong = []
        self.context = browser.new_context(**options)
        _, self.token = store.grant(name, role, at=AT)
        self.page = self.open(f"/j/{self.token}")

    def open(self, path="/"):
        page = self.context.new_page()
        page.add_init_script(
            "document.addEventListener('securitypolicyviolation', e => console.error('CSP ' + e.violatedDirective))"
        )
        page.on("console", lambda message: self.wrong.append(message.text))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.goto(self.url + path)
        page.wait_for_url(lambda address: "/j/" not in address and "/welcome" not in address)
        if "/desk/" in page.url or "/rubric/" in page.url:
            page.wait_for_selector(READY)
        return page

    def saved(self, page=None):
        """Wait until everything is on the server's disk."""
        wait_saved(page or self.page)

    def shown(self, page=None):
        return (page or self.page).locator("#text").evaluate("box => box.textContent")


def until(true, what=""):
    """Wait for something; the page's policy forbids the browser's own way of waiting for a script."""
    end = time.monotonic() + 15
    while not true():
        assert time.monotonic() < end, f"waited in vain {what}"
        time.sleep(0.01)


def wait_saved(page):
    until(
        lambda: page.evaluate(
            """() => document.querySelector('#state').dataset.state === 'saved'
               && !Object.keys(localStorage).some(key => key.includes(':act:'))"""
        ),
        "until all was saved",
    )


def wait_text(page, text):
    until(lambda: page.locator("#text").evaluate("box => box.textContent") == text, f"for {text!r}")


@contextmanager
def person(*args, **options):
    made = Person(*args, **options)
    try:
        yield made
    finally:
        made.context.close()


@contextmanager
def held(page, path):
    """Hold up what the server answers at a path, as it was when it was asked; it arrives when the block ends."""
    ready = []
    page.route(path, lambda route: ready.append((route, route.fetch())))
    yield ready
    until(lambda: page.evaluate("1") and ready, f"for a request of {path}")
    for route, answer in ready:
        route.fulfill(response=answer)
    page.unroute(path)
