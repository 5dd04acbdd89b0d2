"""The workbench: studies and their comparison, read only, for owners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from evenhand.errors import nearest
from evenhand.web.server.app_state import Refused, house, visitor
from evenhand.web.server.render import as_page
from evenhand.web.server.routes import asks, shows
from evenhand.web.workbench.contexts import Figures, StudiesPage, StudyLine, StudyPage
from evenhand.web.workbench.pages import as_study_page, at, head_of, state_of
from evenhand.web.workbench.results_index import Study, Unread
from evenhand.web.workbench.results_index import unread as unread_line

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["OF_STUDY", "routes", "study_of"]

routes = APIRouter()
OF_STUDY = (404, 409)  # statuses of its pages beside the usual ones
CLOSED = "the holdout has not been looked at: `evenhand study open-holdout` looks once"


def study_of(request: Request, name: str) -> Study:
    """The study of an address; nobody but an owner comes in."""
    visitor(request, "owner")
    return house(request).shelf.study(name)


@shows(routes, "/studies", StudiesPage, refuses=())
def studies(request: Request) -> Response:
    """All studies that were found."""
    visitor(request, "owner")
    lines, unread = [], []
    for found in house(request).shelf:
        if isinstance(found, Unread):
            unread.append({"file": str(found.path), "what": found.what, "mend": found.mend})
            continue
        try:
            lines.append(_line(*found))
        except Exception as error:  # noqa: BLE001 - one report takes no other from the list
            told = unread_line(found[1].path, error)
            unread.append({"file": str(told.path), "what": told.what, "mend": told.mend})
    return as_study_page(request, "studies.html", StudiesPage(studies=tuple(lines), unread=tuple(unread)))


def _line(name: str, study: Study) -> StudyLine:
    report, shut = study.report, study.closed
    primary = report["study"]["primary"]
    standing = report["standing"]
    ranked = study.view["systems"]
    leader = standing["leader"] if standing else ranked[0] if ranked else ""
    first: Mapping[str, Any] = study.view["first"].get(leader) or {}
    rows: Mapping[str, Any] = {} if shut else report.get("criteria") or {}
    told = {} if shut else first
    return StudyLine(
        name=name,
        href="" if shut else at(name),
        study=report["study"]["name"],
        split=study.split,
        state=state_of(study),
        withheld=CLOSED if shut else "",
        headline="" if shut else report["headline"],
        primary=primary,
        leader="" if shut else leader,
        point=told.get("point"),
        low=told.get("low"),
        high=told.get("high"),
        level=told.get("level"),
        n=told.get("n"),
        systems=len(ranked),
        met=rows.get("met"),
        not_met=rows.get("not_met"),
        undecided=rows.get("undecided"),
        incomplete=bool(report["incomplete"]["state"]),
        drafted=bool(report["provisional"]["state"]),
    )


Word = Annotated[str, Query(max_length=200)]


@shows(routes, "/studies/{name}", StudyPage, refuses=OF_STUDY)
def comparison(request: Request, name: str, sort: Word = "", way: Word = "") -> Response:
    """Systems side by side, sorted by any metric, with pairs and slices."""
    study = study_of(request, name)
    report, view = study.report, dict(study.view)
    columns = ("system", *view["metrics"])
    sort = sort or view["primary"]
    if sort not in columns:
        raise Refused(404, f"there is no column {sort!r}", mend=nearest(sort, columns))
    way = way or ("asc" if sort == "system" else "desc")
    if way not in ("asc", "desc"):
        raise Refused(404, f"a table is not sorted {way!r}", mend="asc or desc")
    view["systems"] = _sorted(view, sort, way)
    page = StudyPage(
        head=head_of(name, study),
        sort=sort,
        way=way,
        order=tuple(view["systems"]),
        headline=report["headline"],
        sentences=tuple(report["sentences"]),
        does_not_claim=tuple(report["does_not_claim"]),
        incomplete=report["incomplete"],
        provisional=report["provisional"],
        estimates=tuple(report["estimates"]),
        contrasts=tuple(report["contrasts"]),
        standing=report["standing"],
        slices=tuple(report["slices"]),
        warnings=tuple(report["warnings"]),
    )
    return as_study_page(
        request, "study.html", page, study, pictures=True, v=view, sorting=_Sorting(name, sort, way)
    )


def _sorted(view: Mapping[str, Any], sort: str, way: str) -> list[str]:
    """Systems by a column; those without a value last, either way; equal ones as the report has them."""
    names: list[str] = list(view["systems"])
    if sort == "system":
        return sorted(names, reverse=way == "desc")
    point = {name: (view["cell"].get((name, sort)) or {}).get("point") for name in names}
    have = [(value, name) for name, value in point.items() if value is not None]
    have.sort(key=lambda one: one[0], reverse=way == "desc")
    return [*(name for _, name in have), *(name for name in names if point[name] is None)]


class _Sorting:
    """What the head of a column needs to be a link that sorts."""

    def __init__(self, name: str, sort: str, way: str) -> None:
        self.name, self.sort, self.way = name, sort, way

    def href(self, column: str) -> str:
        """Where this column leads: the other way when the table is sorted by it already."""
        usual = "asc" if column == "system" else "desc"
        way = ("asc" if self.way == "desc" else "desc") if column == self.sort else usual
        return at(self.name, sort=column, way=way) + "#results"

    def aria(self, column: str) -> Markup:
        """How the table is sorted by this column, for those who do not see it."""
        if column != self.sort:
            return Markup("")
        way = "ascending" if self.way == "asc" else "descending"
        return Markup(' aria-sort="{}"').format(way)


@asks(routes, "/studies/{name}/figures.json", Figures, refuses=(401, 403, *OF_STUDY))
def figures(request: Request, name: str) -> Response:
    """The pictures of the report as SVG, when they are drawn."""
    study = study_of(request, name)
    return as_page(request, "", Figures(figures=house(request).pictures.wait(study)))
