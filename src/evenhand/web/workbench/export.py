"""A system to take away: its files to read and to save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.errors import InputError, nearest
from evenhand.web.server.app_state import Refused
from evenhand.web.server.routes import shows
from evenhand.web.workbench.contexts import TakePage
from evenhand.web.workbench.pages import as_study_page, head_of
from evenhand.web.workbench.studies import OF_STUDY, study_of

if TYPE_CHECKING:
    from evenhand.model.exported_system import Taken
    from evenhand.web.workbench.results_index import Study

__all__ = ["routes"]

routes = APIRouter()
Word = Annotated[str, Query(max_length=500)]


@shows(routes, "/studies/{name}/take", TakePage, refuses=OF_STUDY)
def taking(request: Request, name: str, system: Word = "") -> Response:
    """The files of one system, or why there are none; without *system* those of the leader."""
    study = study_of(request, name)
    systems = _systems(study)
    chosen = system or _leader(study, systems)
    made, why, mend = None, "", ""
    try:
        made = _taken(study, chosen)
    except InputError as error:
        # a name that is not there is somebody's mistake; that no study file fits is what the page says
        if chosen not in systems:
            raise Refused(
                404, f"there is no system {chosen!r} here", mend=nearest(chosen, systems)
            ) from error
        why, mend = error.what.replace(str(study.path.parent), "these results"), error.mend
    page = TakePage(
        head=head_of(name, study),
        system=chosen,
        systems=systems,
        files={} if made is None else {file: text.decode() for file, text in made.files.items()},
        needs=() if made is None else made.needs,
        brings=() if made is None else made.brings,
        why=why,
        mend=mend,
    )
    return as_study_page(request, "study_take.html", page, study)


@routes.get("/studies/{name}/take/{file}", include_in_schema=False)
def saved(request: Request, name: str, file: str, system: Word = "") -> Response:
    """One of the files, to be saved."""
    study = study_of(request, name)
    try:
        found = _taken(study, system).files.get(file)
    except InputError as error:
        raise Refused(404, "there is no such file", mend="see the page of the system") from error
    if found is None:
        raise Refused(404, "there is no such file", mend="see the page of the system")
    heads = {"content-disposition": f"attachment; filename*=utf-8''{quote(file)}"}
    return Response(found, media_type="text/plain", headers=heads)


def _systems(study: Study) -> tuple[str, ...]:
    return tuple(row["name"] for row in study.report["systems"] if not row["provenance"].get("null"))


def _leader(study: Study, systems: tuple[str, ...]) -> str:
    standing = study.report["standing"]
    return str(standing["leader"]) if standing else next(iter(systems), "")


def _taken(study: Study, system: str) -> Taken:
    from evenhand.study.export.export import take

    return take(study.path, system)
