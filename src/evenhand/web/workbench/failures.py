"""The browser of failures: four lists of questions, by any metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.errors import nearest
from evenhand.report.sections.comparison.failures import failures, listed_values
from evenhand.web.server.app_state import Refused
from evenhand.web.server.routes import shows
from evenhand.web.workbench.contexts import FailuresPage
from evenhand.web.workbench.pages import as_study_page, asked_at, at, head_of
from evenhand.web.workbench.questions import Page, span
from evenhand.web.workbench.studies import OF_STUDY, study_of

if TYPE_CHECKING:
    from evenhand.web.workbench.results_index import Study

__all__ = ["KINDS", "lists", "routes"]

routes = APIRouter()
KINDS = {
    "misses": "Every system misses",
    "alone": "Only one solves",
    "near": "Near misses",
    "cut": "Cut by chunking",
}


@shows(routes, "/studies/{name}/failures", FailuresPage, refuses=OF_STUDY)
def failing(
    request: Request,
    name: str,
    kind: Annotated[str, Query(max_length=20)] = "misses",
    metric: Annotated[str, Query(max_length=200)] = "",
    page: Page = 1,
) -> Response:
    """One list of failures by one metric."""
    study = study_of(request, name)
    asked = study.report["questions"]
    metric = metric or asked["primary"]
    if metric not in asked["metrics"]:
        raise Refused(404, f"there is no metric {metric!r} here", mend=nearest(metric, asked["metrics"]))
    if kind not in KINDS:
        raise Refused(404, f"there is no list {kind!r}", mend=nearest(kind, KINDS))
    found, whole = lists(study, metric)
    rows = found[kind]
    page, pages, where = span(page, len(rows))
    made = FailuresPage(
        head=head_of(name, study),
        metric=metric,
        metrics=tuple(asked["metrics"]),
        kind=kind,
        counts={one: len(found[one]) for one in KINDS},
        of=found["of"],
        whole=whole,
        near_of=found["near_of"],
        cutoff=found["cutoff"],
        page=page,
        pages=pages,
        rows=tuple(_shown(study, name, one) for one in rows[where]),
    )
    tabs = [(one, title, at(name, "failures", kind=one, metric=metric)) for one, title in KINDS.items()]
    return as_study_page(request, "study_failures.html", made, study, tabs=tabs, title=KINDS[kind])


def lists(study: Study, metric: str) -> tuple[dict[str, Any], bool]:
    """The four lists by a metric, made once; and whether they are over all questions."""
    key = f"failures {metric}"
    if key not in study.memo:
        study.memo[key] = _found(study, metric)
    made: tuple[dict[str, Any], bool] = study.memo[key]
    return made


def _found(study: Study, metric: str) -> tuple[dict[str, Any], bool]:
    """The lists, and whether they are over all questions or only those that the report lists."""
    side = study.measured
    if side is None:
        asked = study.report["questions"]
        return failures(study.report, listed_values(study.report, metric), metric), asked["listed"] == asked[
            "of"
        ]
    values = {
        system: dict(zip(side.questions, side.values[system, metric], strict=True))
        for system in side.systems
        if (system, metric) in side.values
    }
    return failures(study.report, values, metric, ranks=study.ranks), True


def _shown(study: Study, name: str, one: dict[str, Any]) -> dict[str, Any]:
    place = study.rows.get(one["question"])
    text = "" if place is None else study.report["questions"]["rows"][place]["text"]
    return {**one, "text": text, "href": asked_at(name, one["question"])}
