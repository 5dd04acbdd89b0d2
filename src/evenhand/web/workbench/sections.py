"""Further sections of a report, each on a page of its own, and the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from evenhand.errors import nearest
from evenhand.formats.results.ledger import LEDGER, read_ledger
from evenhand.report.sections.registry import parts_in
from evenhand.web.server.app_state import Refused
from evenhand.web.server.routes import shows
from evenhand.web.workbench.contexts import LedgerPage, PartPage
from evenhand.web.workbench.pages import as_study_page, head_of, part_address
from evenhand.web.workbench.studies import OF_STUDY, study_of

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["routes"]

routes = APIRouter()
ABOVE = 3  # a ledger lies beside the study: results/ is in its folder, results/holdout/ a folder deeper


@shows(routes, "/studies/{name}/ledger", LedgerPage, refuses=OF_STUDY)
def ledger(request: Request, name: str) -> Response:
    """What was promised and looked at."""
    study = study_of(request, name)
    beside = _ledger_of(study.path)
    read = read_ledger(beside) if beside is not None else None
    entries = read.entries if read is not None else ()
    called = study.report["study"]["name"]
    own = [entry for entry in entries if entry.study == called]
    page = LedgerPage(
        head=head_of(name, study),
        registration=study.report.get("registration"),
        entries=tuple({**entry.as_json(), "hash": entry.hash} for entry in own),
        others=len(entries) - len(own),
        whole=None if read is None else not read.faults,
        faults=() if read is None else tuple({"line": f.line, "what": f.what} for f in read.faults),
    )
    return as_study_page(request, "study_ledger.html", page, study)


def _ledger_of(report: Path) -> Path | None:
    places = [folder / LEDGER for folder in report.resolve().parents[:ABOVE]]
    return next((place for place in places if place.is_file()), None)


@shows(routes, "/studies/{name}/{word}", PartPage, refuses=OF_STUDY)
def part(request: Request, name: str, word: str) -> Response:
    """Calibration, threshold, gate and the others, as the report has them."""
    study = study_of(request, name)
    here = {part_address(one.name): one for one in parts_in(study.report)}
    if word not in here:
        raise Refused(
            404, "this report has no such section", mend=nearest(word, here) if here else "see its pages"
        )
    one = here[word]
    section = study.report[one.name]
    page = PartPage(head=head_of(name, study), part=word, title=one.title, section=section)
    return as_study_page(request, "study_part.html", page, study, pictures=True, p=section, part=one)
