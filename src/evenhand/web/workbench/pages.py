"""Pages of a study: our templates around those of the report, so that nothing is written twice."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader
from starlette.responses import Response

from evenhand.report.output.html import environment
from evenhand.report.sections.registry import PARTS, parts_in
from evenhand.web.server.app_state import house
from evenhand.web.server.render import as_page, asset
from evenhand.web.workbench.contexts import Head

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from evenhand.web.workbench.results_index import Study

__all__ = ["as_study_page", "asked_at", "at", "compiled", "head_of", "part_address", "state_of"]

NO_PLOTS = "No pictures: the extra plots is not installed. The table holds the same numbers."
PAGES = 32  # of one study, kept as they were sent
NAMES = {"panel": "calibration"}  # sections whose page has another word


def as_study_page(
    request: Request, template: str, context: Any, study: Study | None = None, **more: Any
) -> Response:
    """The page of a context, or its JSON twin. *more* is for the templates: nothing the context lacks."""
    if request.url.path.endswith(".json"):
        return as_page(request, "", context)
    twin = quote(request.scope["path"].removesuffix("/"), safe="/") + ".json"
    query = f"?{request.url.query}" if request.url.query else ""
    told: dict[str, Any] = {"page": context, "charts": {}, "no_charts": NO_PLOTS, "drawing": False}
    told["twin"] = twin + query
    told["runs"] = house(request).running.lines()  # whose twin is /running.json
    if study is not None:
        told |= {"r": study.report, "v": study.view}
        if more.pop("pictures", False):
            told["charts"], told["drawing"] = house(request).pictures.of(study)
    made = _kept(
        study, twin + query, (context, told["runs"], told["drawing"]), lambda: _html(template, told | more)
    )
    return Response(made, media_type="text/html")


def _html(template: str, told: Mapping[str, Any]) -> bytes:
    return _pages().get_template(template).render(told).encode("utf-8", "replace")


def _kept(study: Study | None, address: str, of: tuple[Any, ...], make: Callable[[], bytes]) -> bytes:
    """The page of an address, made once as long as all that it is made *of* is the same."""
    if study is None:
        return make()
    pages: OrderedDict[str, tuple[tuple[Any, ...], bytes]] = study.memo.setdefault("pages", OrderedDict())
    held, made = pages.get(address, (None, b""))
    if held != of:
        made = make()
        pages[address] = of, made
        while len(pages) > PAGES:
            with suppress(KeyError):  # another thread took it out
                pages.popitem(last=False)
    return made


@cache
def _pages() -> Environment:
    pages = environment(PackageLoader("evenhand.web"))
    pages.globals["at"] = at
    pages.globals["asset"] = asset
    pages.filters["day"] = lambda when: when[:16].replace("T", " ")
    return pages


def compiled() -> None:
    """Have the templates compiled, which takes longer than to fill them."""
    pages = _pages()
    parts = [part.template for part in PARTS]
    for name in (*parts, *pages.list_templates(filter_func=lambda name: name.startswith("stud"))):
        pages.get_template(name)
    for name in ("parts", "verdict", "results", "pairs", "slices", "question", "why", "registration"):
        pages.get_template(f"{name}.html")


def at(name: str, *parts: str, **query: str | int) -> str:
    """The address of a page of the study *name*."""
    path = "/".join(["/studies", *(quote(part, safe="") for part in (name, *parts))])
    asked = {key: value for key, value in query.items() if value not in ("", None)}
    return f"{path}?{urlencode(asked)}" if asked else path


def asked_at(name: str, question: str) -> str:
    """The address of a question; one that ends like a JSON twin, or in a slash, is told apart by a slash."""
    return at(name, "questions", question) + ("/" if question.endswith((".json", "/")) else "")


def part_address(part: str) -> str:
    """The last word in the address of a section."""
    return NAMES.get(part, part)


def state_of(study: Study) -> str:
    """Provisional, registered or seen, as the report says it."""
    return str((study.report.get("registration") or {}).get("word", "provisional"))


def head_of(name: str, study: Study) -> Head:
    """What stands on every page of *study*."""
    pages = [
        ("comparison", "Comparison", at(name)),
        ("questions", "Questions", at(name, "questions")),
        ("failures", "Failures", at(name, "failures")),
        *(
            (part_address(part.name), part.title, at(name, part_address(part.name)))
            for part in parts_in(study.report)
        ),
        ("ledger", "Ledger", at(name, "ledger")),
    ]
    return Head(
        name=name,
        study=study.report["study"]["name"],
        split=study.split,
        state=state_of(study),
        digest=study.digest,
        primary=study.report["study"]["primary"],
        pages=tuple({"page": page, "title": title, "href": href} for page, title, href in pages),
    )
