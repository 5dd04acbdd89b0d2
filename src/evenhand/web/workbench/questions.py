"""Questions of a study: a paged list, and one with its systems side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.report.sections.comparison.explain_metric import why
from evenhand.web.server.app_state import Refused
from evenhand.web.server.routes import shows
from evenhand.web.workbench.contexts import AskedLine, AskedPage, QuestionPage
from evenhand.web.workbench.pages import as_study_page, asked_at, head_of
from evenhand.web.workbench.studies import OF_STUDY, study_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenhand.web.workbench.results_index import Study

__all__ = ["Page", "routes", "span"]

routes = APIRouter()
ROWS = 50  # on one page
UNLISTED = {"found": None, "undefined": (), "unreachable": (), "missing": (), "evidence": ()}
Page = Annotated[int, Query(ge=1, le=1_000_000)]


def span(page: int, many: int, *, rows: int = ROWS) -> tuple[int, int, slice]:
    """The page that there is, how many there are, and its place in a list of *many*."""
    pages = max(1, -(-many // rows))
    page = min(page, pages)
    return page, pages, slice((page - 1) * rows, page * rows)


@shows(routes, "/studies/{name}/questions", AskedPage, refuses=OF_STUDY)
def listed(
    request: Request, name: str, find: Annotated[str, Query(max_length=200)] = "", page: Page = 1
) -> Response:
    """The listed questions in the report's order; with *find* those with these words."""
    study = study_of(request, name)
    asked = study.report["questions"]
    words = find.casefold().split()
    rows = (
        [row for row in asked["rows"] if all(word in _words(row) for word in words)]
        if words
        else asked["rows"]
    )
    page, pages, where = span(page, len(rows))
    lead = study.view["questions"].lead
    made = AskedPage(
        head=head_of(name, study),
        find=find.strip(),
        page=page,
        pages=pages,
        found=len(rows),
        listed=asked["listed"],
        of=asked["of"],
        rule=asked["rule"],
        metric=asked["primary"],
        systems=tuple(asked["systems"]),
        questions=tuple(
            AskedLine(
                id=row["id"],
                href=asked_at(name, row["id"]),
                text=row["text"],
                type=row["type"],
                kept=row["found"] is not None,
                values=tuple(values[lead] for values in row["values"] or ()),
            )
            for row in rows[where]
        ),
    )
    return as_study_page(request, "study_questions.html", made, study, rows=rows[where])


def _words(row: Mapping[str, Any]) -> str:
    return " ".join((row["id"], row["text"], row["type"], *row["tags"])).casefold()


@shows(routes, "/studies/{name}/questions/{asked:path}", QuestionPage, refuses=OF_STUDY)
def question(request: Request, name: str, asked: str) -> Response:
    """One question, and why each metric has its value."""
    study = study_of(request, name)
    rows = study.report["questions"]["rows"]
    # an id that ends like a twin or in a slash is told apart by one more slash
    id_ = asked if request.url.path.endswith(".json") else asked.removesuffix("/")
    place = study.rows.get(id_)
    row = rows[place] if place is not None else {}
    values = _values(study, row) if row else _measured(study, id_)
    near = [rows[i]["id"] if place is not None and 0 <= i < len(rows) else "" for i in _beside(place)]
    threshold = study.report.get("threshold") or {}
    page = QuestionPage(
        head=head_of(name, study),
        id=id_,
        listed=place is not None,
        question=row,
        columns=tuple(_columns(study, {**UNLISTED, "id": id_, **row, "by": values})),
        values=values,
        pairs=tuple(
            pair for pair in (threshold.get("pairs") or {}).get("rows", ()) if pair["question"] == id_
        ),
        before=asked_at(name, near[0]) if near[0] else "",
        after=asked_at(name, near[1]) if near[1] else "",
    )
    view = {**study.view, "questions": _Told(page.columns)}
    return as_study_page(request, "study_question.html", page, study, row=row, v=view)


class _Told:
    """Columns for the report's template, made already."""

    def __init__(self, made: tuple[Mapping[str, Any], ...]) -> None:
        self.made = made

    def columns(self, _: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
        """The columns of the one question that is shown."""
        return self.made


def _beside(place: int | None) -> tuple[int, int]:
    return (-1, -1) if place is None else (place - 1, place + 1)


def _measured(study: Study, asked: str) -> dict[str, dict[str, float | None]]:
    """The values of a question that the report does not list."""
    side = study.measured
    if side is None or asked not in side.questions:
        raise Refused(404, "there is no such question in this report", mend="go to its list of questions")
    place = side.questions.index(asked)
    made: dict[str, dict[str, float | None]] = {}
    for (system, metric), values in side.values.items():
        made.setdefault(system, {})[metric] = values[place]
    return made


def _values(study: Study, row: Mapping[str, Any]) -> dict[str, dict[str, float | None]]:
    asked = study.report["questions"]
    return {
        system: dict(zip(asked["metrics"], values, strict=True))
        for system, values in zip(asked["systems"], row["values"] or (), strict=False)
    }


def _columns(study: Study, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What each system found, as the report's page has it, with the why of each value."""
    ranks = study.ranks.of(row["id"]) if study.ranks is not None else {}
    columns = study.view["questions"].columns(row) if row["found"] is not None else _bare(study, row, ranks)
    made = []
    for column in columns:
        told: dict[str, Any] = {
            "unreachable": column["name"] in row["unreachable"],
            "missing": column["name"] in row["missing"],
            "facts": len(row["evidence"]),
            "ranks": ranks.get(column["name"]),
        }
        reasons = [
            why(cell["metric"], cell["value"], column["found"], reason=cell["why"], **told)
            for cell in column["values"]
        ]
        made.append({**column, "why": reasons})
    return made


def _bare(study: Study, row: Mapping[str, Any], ranks: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Columns of a question of which the report keeps no units: values, told by the ranks beside it."""
    reasons = {(system, metric): reason for system, metric, reason in row["undefined"]}
    return [
        {
            "name": name,
            "letter": study.view["letters"].get(name, ""),
            "values": [
                {"metric": metric, "value": value, "why": reasons.get((name, metric), "")}
                for metric, value in values.items()
            ],
            "found": None,
            "hits": [],
        }
        for name, values in row["by"].items()
        if name in ranks
    ]
