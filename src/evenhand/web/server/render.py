"""A context becomes HTML, autoescaped, or JSON; and our own static files, by name."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.responses import Response

from evenhand.report.output.escape import visible
from evenhand.web.server.strict_json import json_bytes

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["as_page", "asset", "guideline_html", "mark_of", "static"]

SCRIPTS = (
    *("desk", "text", "queue", "clock", "keys", "overview", "author", "author_review", "author_send"),
    *("rubric", "rubric_item", "dom", "scripted", "workbench", "running"),
)
OF_REPORT = {"report.css": "text/css", "gate.js": "text/javascript", "threshold.js": "text/javascript"}
STATIC = {
    "desk.css": "text/css",
    "author.css": "text/css",
    "rubric.css": "text/css",
    "workbench.css": "text/css",
    "icon.svg": "image/svg+xml",
    **{f"{name}.js": "text/javascript" for name in SCRIPTS},
}


def as_page(request: Request, template: str, context: Any, *, status: int = 200) -> Response:
    """The page of a context, or its JSON twin where the address ends in ``.json``."""
    if request.url.path.endswith(".json") or template == "":
        return Response(json_bytes(context), status, media_type="application/json")
    page = _pages().get_template(template).render(page=context, data=_island(context))
    return Response(page.encode("utf-8", "replace"), status, media_type="text/html")


def _island(context: Any) -> Markup:
    # in a <script type="application/json">: no "<" means that no tag can end or begin in it
    text = json_bytes(context).decode("ascii")
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704 - escaped above


@cache
def _pages() -> Environment:
    pages = Environment(
        loader=PackageLoader("evenhand.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda thing: visible(thing) if type(thing) is str else thing,
    )
    pages.globals["asset"] = asset
    pages.filters["duration"] = _duration
    pages.filters["count"] = lambda n: f"{n:,}"
    pages.filters["day"] = lambda at: at[:16].replace("T", " ")
    return pages


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


@cache
def static(name: str) -> tuple[bytes, str] | None:
    """One of our own files and its type; None for every other name, so that no path can lead elsewhere."""
    kind = STATIC.get(name) or OF_REPORT.get(name)
    if kind is None:
        return None
    loader = (
        PackageLoader("evenhand.report") if name in OF_REPORT else PackageLoader("evenhand.web", "static")
    )
    return loader.get_source(Environment(autoescape=True), name)[0].encode(), kind


@cache
def mark_of(name: str) -> str:
    """What tells one content of a static file from another; empty where there is no such file."""
    found = static(name)
    return hashlib.sha256(found[0]).hexdigest()[:16] if found else ""


def asset(name: str) -> str:
    """The address of a static file as it is now: browsers keep what it leads to for good."""
    return f"/static/{name}?v={mark_of(name)}"


@cache
def guideline_html(markdown: str) -> str:
    """A guideline in Markdown as HTML: no raw HTML, no pictures, and links that lead nowhere harmful."""
    made = MarkdownIt("js-default", {"html": False, "linkify": False}).disable("image")
    made.add_render_rule("softbreak", _line)
    return str(made.render(visible(markdown)))


def _line(_: Any, tokens: Any, i: int, *__: Any) -> str:
    # a line that begins in bold is a level of the scale: it stays a line
    after = next((token for token in tokens[i + 1 :] if token.type != "text" or token.content), None)
    return "<br>\n" if after is not None and after.type == "strong_open" else "\n"
