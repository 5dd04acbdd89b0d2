"""Everything that is served, in one process, and requests made up from its own description."""

import hashlib
from contextlib import suppress

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient
from tests.report.example import example
from tests.web.house import AT, BASE, post, stocked
from tests.web.rubric_house import answers, furnished, study_items

from evenhand.answer.rating.rubric import RUBRIC
from evenhand.formats.gold.edit_lines import mark_of
from evenhand.judge.sheets.built_in import CONTRIBUTION
from evenhand.model.judging import Desk, Entry, Task
from evenhand.model.text import Corpus, DocId, Document
from evenhand.report.output.assemble import dumps
from evenhand.web.authoring.library import Library
from evenhand.web.server.app import create_app
from evenhand.web.server.headers import HEADERS

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
QUESTION = {
    "text": "What does a coffee cost?", "type": "numeric", "tags": [], "expect": "abstain", "cluster": "", "reference": "",
}  # fmt: skip
CRITERIA = {
    "rows": [
        {
            "name": "found", "on": "estimate", "role": "success", "at_least": 0.5, "at_most": None, "by": "point",
            "level": 0.95, "point": 0.6, "n": 8, "k": None, "bound": 0.4, "bound_side": "lower", "bound_level": 0.95,
            "bound_method": "percentile bootstrap", "verdict": "met", "by_point": "met", "by_bound": "not met",
            "reasons": [], "planned": None,
        }
    ],
    "sentences": ["1 of 1 criterion is met."], "tolerance": 1e-9, "of": 1, "met": 1, "not_met": 0, "undecided": 0,
    "met_by_point": 1, "met_by_bound": 0,
}  # fmt: skip
TEXTS = {
    "a.md": "# Prices \U0001f44b\r\n\r\nA coffee costs 12 crowns.",
    "b/c d.md": "In winter it costs 12 crowns.",
}
UNREAD = "the request is not understood"
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


class Served:
    """A store with desks of all kinds, documents and a study; and an owner who has a desk of each kind."""

    def __init__(self, folder):
        self.store, desks = stocked(
            folder / "s.sqlite", [f"text {i}" for i in range(6)], judges=("me", "other")
        )
        _, _, rooms = furnished(self.store, [study_items(), *answers(2)], raters=("me",))
        dispute = self._dispute(desks)
        results = folder / "results"
        results.mkdir()
        (results / "report.json").write_bytes(dumps({**example(), "criteria": CRITERIA}))
        corpus = Corpus(tuple(Document(id=DocId(k), text=v, kind="markdown") for k, v in TEXTS.items()))
        library = Library(corpus=corpus, gold=folder / "gold.jsonl")
        self.app = create_app(self.store, library=library, results=[results])
        self.browser = self.let_in("me", "owner")
        self.gold = library.gold
        written = {**QUESTION, "evidence": []}
        post(
            self.browser, "/author/save.json", {"mark": mark_of(self.gold), "do": "add", "question": written}
        )
        study = self.browser.get("/studies.json").json()["studies"][0]["name"]
        listed = self.browser.get(f"/studies/{study}/questions.json").json()
        own = {"comparison", "questions", "failures", "ledger"}
        parts = [one["page"] for one in listed["head"]["pages"] if one["page"] not in own]
        items = self.browser.get(f"/rubric/{rooms['me'].id}.json").json()["items"]
        # what is really there: made-up names would be answered with 404 alone
        self.named = {
            "/desk/": {"name": [desks["me"], dispute, desks["other"]], "task": ["t0x000001", "t0x000002", "z0"]},
            "/rubric/": {"name": [rooms["me"].id], "task": [one["task"] for one in items]},
            "/author/": {"doc": [*TEXTS], "id": ["q001"], "question": ["q001"]},
            "/studies/": {
                "name": [study], "word": parts or ["gate"], "metric": [listed["metric"]], "sort": [listed["metric"]],
                "asked": [listed["questions"][0]["id"]], "kind": ["misses", "near"], "way": ["asc", "desc"],
            },
        }  # fmt: skip
        self.sheets = {"/desk/": CONTRIBUTION.seal, "/rubric/": RUBRIC.seal}

    def _dispute(self, desks):
        own = [next(iter(self._answered(desk))) for desk in desks.values()]
        task = self.store.task("t0x000000")
        first = self.store.desk(desks["me"])
        desk = Desk(id="dispute", pool=first.pool, judge="me", sheet=first.sheet, kind="adjudication", at=AT)
        self.store.add_desks(
            [(desk, [Task(id="z0", desk="dispute", position=0, item=task.item, about=tuple(own))])]
        )
        return "dispute"

    def _answered(self, name):
        desk = self.store.desk(name)
        task = self.store.next_task(name, after=-1)
        made = Entry(desk=name, task=task.id, token="x", kind="cannot-tell", at=AT, sheet=desk.sheet)  # noqa: S106
        yield f"{name}:{self.store.save(made).entry.number}"

    def let_in(self, name=None, role="judge"):
        made = TestClient(self.app, base_url=BASE, raise_server_exceptions=False, follow_redirects=False)
        if name is not None:
            _, token = self.store.grant(name, role, at=AT)
            assert made.get(f"/j/{token}").status_code == 303
        return made

    def operations(self):
        """All operations of the description that is served, asked from a page of this server."""
        told = self.browser.get("/openapi.json").json()
        for methods in told["paths"].values():
            for one in methods.values():
                one["parameters"] = [p for p in one.get("parameters", ()) if p["name"] != "origin"]
        schema = schemathesis.openapi.from_dict(told, config=schemathesis.Config())
        schema.config.generation.update(with_security_parameters=False)  # the browser is signed in
        refused = schema.config.checks.negative_data_rejection.expected_statuses
        schema.config.checks.negative_data_rejection.expected_statuses = [
            *refused,
            "413",
        ]  # too long a text may be
        return [one.ok() for one in schema.get_all_operations()]

    def close(self):
        self.store.close()

    def real(self, case, turn):
        """Put what is really there into a well-formed request, three times in four."""
        start = next((start for start in self.named if case.path.startswith(start)), None)
        if start is None or turn % 4 == 0:
            return
        named = {name: values[turn % len(values)] for name, values in self.named[start].items()}
        for part in (case.path_parameters, case.query):
            if isinstance(part, dict):
                part.update({name: named[name] for name in part.keys() & named.keys()})
        named.pop("name", None)
        named |= {
            "sheet": self.sheets.get(start, ""),
            "mark": mark_of(self.gold),
            "grade": 1.0,
            "field": "faithful",
            "said": "yes",
        }
        _put(case.body, named)


def _put(body, named):
    if isinstance(body, dict):
        for name, inner in body.items():
            if name in named and isinstance(inner, str | int | float):
                body[name] = named[name]
            else:
                _put(inner, named)
    elif isinstance(body, list):
        for inner in body:
            _put(inner, named)


def fuzz(served, operation, mode, *, examples, number=1):
    """Ask *operation* with made-up requests; returns the statuses that came."""
    seen = []
    if mode.is_negative and not operation.body and not operation.query:
        return seen  # any text is a name: nothing can be wrong, and finding that out takes a second

    @seed(int(hashlib.sha256(f"{number} {mode.value} {operation.label}".encode()).hexdigest()[:12], 16))
    @settings(
        max_examples=examples, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case):
        if mode.is_positive:
            served.real(case, len(seen))
        elif isinstance(case.path_parameters, dict) and (
            start := next((s for s in served.named if case.path.startswith(s)), "")
        ):
            case.path_parameters |= {
                k: served.named[start][k][0] for k in case.path_parameters if k in served.named[start]
            }
        told = case.as_transport_kwargs(base_url=BASE)
        heads = {name: value for name, value in told["headers"].items() if name.lower() != "user-agent"}
        sent = {"params": told.get("params"), "json": told.get("json"), "content": told.get("data")}
        sent = {name: value for name, value in sent.items() if value is not None}
        answer = served.browser.request(
            told["method"], told["url"], headers={**heads, "origin": BASE}, **sent
        )
        seen.append(answer.status_code)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value
        assert answer.headers["cache-control"] == "no-store"
        case.validate_response(answer, checks=CHECKS)
        if mode.is_positive:
            # 422 may still mean that it cannot be done; never that the description says too little
            assert answer.status_code != 422 or answer.json()["what"] != UNREAD, case.as_curl_command()

    with suppress(Unsatisfiable):  # some parameters cannot be wrong
        ask()
    return seen
