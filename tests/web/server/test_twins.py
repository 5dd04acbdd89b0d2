"""Every page has a twin of the same frozen object, and the twin says nothing that the page does not."""

import dataclasses
import html
import json
import re
import sys
from collections.abc import Mapping

import pytest
from fastapi.routing import iter_route_contexts
from tests.web.fuzzed import Served

from evenhand.web.server import render
from evenhand.web.workbench import pages as workbench_pages

NO_PAGE = {
    "/static/{name}",
    "/studies/{name}/take/{file}",
    "/j/{token}",
    "/",
}  # files, a way in, and what leads elsewhere
# what a program is told in other words than a reader
IN_OTHER_WORDS = (
    r"digest$|seal$|\.sheet$",  # the page shows how they begin
    r"\.(since|last|at|on)$",  # times to the minute
    r"kind$|status$|bound_side$|\.page$|\.role$",  # words of the form, for which the page has its own
    r"desks\[\]\.desk$",  # an id, where the page names pool and person
    r"_html$",  # what the page shows, as markup
    r"hits\[\]\.(unit|doc)\.|hits\[\]\.doc",  # a hit names its unit by its document's title and its text in pieces
    r"standing\.sentence$",  # the headline, without its interval
)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    made = Served(tmp_path_factory.mktemp("twins"))
    yield made
    made.close()


@pytest.fixture
def shown(monkeypatch):
    """The contexts that pages and twins were made from, in order."""
    seen = []

    def spy(real):
        def kept(request, template, context, *rest, **more):
            seen.append(context)
            return real(request, template, context, *rest, **more)

        return kept

    for name, part in list(sys.modules.items()):
        if not name.startswith("evenhand.web."):
            continue
        if hasattr(part, "as_page") and part is not render and part is not workbench_pages:
            monkeypatch.setattr(part, "as_page", spy(render.as_page))
        if hasattr(part, "as_study_page") and part is not workbench_pages:
            monkeypatch.setattr(part, "as_study_page", spy(workbench_pages.as_study_page))
    return seen


def routes(served):
    """Path, methods and what the twin is declared to show, of each route."""
    return [
        (route.path, route.methods, route.response_model)
        for route in iter_route_contexts(served.app.app.routes)
    ]


def page_paths(served):
    return [
        path for path, methods, _ in routes(served)
        if "GET" in methods and not path.endswith(".json") and path not in NO_PAGE and path != "/healthz"
    ]  # fmt: skip


def addresses(served, path):
    """A real address for the path of a route."""
    start = next((start for start in served.named if path.startswith(start)), None)
    named = {name: values[0] for name, values in served.named.get(start, {}).items()}
    for name, value in named.items():
        path = re.sub(r"\{" + name + r"(:path)?\}", value, path)
    if path in ("/author/document", "/author/question"):
        return f"{path}?doc=a.md&id=q001", f"{path}.json?doc=a.md&id=q001"
    return path, f"{path}.json"


def leaves(thing, path=""):
    if isinstance(thing, Mapping):
        for name, inner in thing.items():
            yield from leaves(inner, f"{path}.{name}")
    elif isinstance(thing, list):
        for inner in thing:
            yield from leaves(inner, f"{path}[]")
    elif isinstance(thing, str) and thing:
        yield path, thing


def test_every_page_has_a_twin_of_the_same_object(served, shown):
    declared = {path: kind for path, methods, kind in routes(served) if "GET" in methods}
    paths = page_paths(served)
    assert len(paths) >= 16
    for path in paths:
        page, twin = addresses(served, path)
        shown.clear()
        told = served.browser.get(page)
        said = served.browser.get(twin)
        assert (told.status_code, said.status_code) == (200, 200), path
        assert told.headers["content-type"].startswith("text/html"), path
        assert said.headers["content-type"] == "application/json", path
        one, two = shown[-2:]
        assert one == two, path
        assert dataclasses.is_dataclass(one), path
        assert type(one).__dataclass_params__.frozen, path
        assert type(one) is declared[f"{path}.json"], path
        assert set(said.json()) - {"undefined"} == {field.name for field in dataclasses.fields(one)}, path


def test_a_twin_says_nothing_that_its_page_does_not(served):
    told = 0
    for path in page_paths(served):
        page, twin = addresses(served, path)
        text = html.unescape(served.browser.get(page).text)
        flat = " ".join(re.sub(r"<[^>]*>", "", text).split())
        for where, leaf in leaves(served.browser.get(twin).json()):
            if any(re.search(one, where) for one in IN_OTHER_WORDS):
                continue
            told += 1
            sent = json.dumps(leaf)[1:-1]  # as in the island of a page with a script
            assert leaf in text or sent in text or " ".join(leaf.split()) in flat, (path, where, leaf)
    assert told > 300


def test_twins_are_as_closed_as_their_pages(served):
    """Whoever may not see a page may not see its twin, and is told the same."""
    for name, role in (("ann", "judge"), ("cy", "adjudicator"), (None, "")):
        browser = served.let_in(name, role)
        for path in page_paths(served):
            answers = [browser.get(one) for one in addresses(served, path)]
            assert answers[0].status_code == answers[1].status_code, path
            if answers[1].status_code != 200:
                said = answers[1].json()
                assert set(said) == {"status", "what", "mend"}
                assert said["what"] in html.unescape(answers[0].text), path
            elif path not in ("/desks", "/welcome"):
                pytest.fail(f"{name} sees {path}")
        study = served.named["/studies/"]["name"][0]
        assert browser.get(f"/studies/{study}/take/search.py").status_code == (403 if name else 401)


def test_the_description_names_every_address_that_answers_with_json(served):
    told = served.browser.get("/openapi.json").json()["paths"]
    for path, methods, _ in routes(served):
        if (path.endswith(".json") or path == "/healthz") and path != "/openapi.json":
            assert {one.lower() for one in methods - {"HEAD"}} == set(told[path.replace(":path", "")]), path
    assert served.let_in().get("/openapi.json").status_code == 401
    assert served.let_in("ann").get("/openapi.json").status_code == 200


def test_without_a_session_every_operation_but_two_is_refused(served):
    nobody = served.let_in()
    for one in served.operations():
        path = re.sub(r"\{\w+\}", "x", one.path)
        sent = {"json": {}, "headers": {"origin": "http://127.0.0.1"}} if one.method == "post" else {}
        answer = nobody.request(one.method, path, **sent)
        wanted = (
            {200} if one.path in ("/healthz", "/welcome.json") else {401, 422}
        )  # 422: a parameter is missing
        assert answer.status_code in wanted, path
