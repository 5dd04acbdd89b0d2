"""The OpenAPI description of all addresses that answer with JSON, made from the routes themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi

from evenhand.web.server.headers import HEADERS

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["description"]

OPEN = ("app.healthz", "app.welcome")  # the only operations for which nobody need be signed in
ABOUT = """\
What `evenhand serve` answers to programs. Each page has a twin here: put `.json` behind its address.
A twin is made from the same frozen object as the page, and holds nothing that the page does not show.

**Who is asking.** A person's link (`/j/TOKEN`, printed by `evenhand serve` or `evenhand judge invite`)
answers with a session cookie. Everything but `/healthz` and `/welcome.json` needs it. Judges reach their
own desks alone; the overview, authoring and studies are for owners.

**Acts come from a page of this server.** Each POST needs an `Origin` header with this server's own
scheme, name and port, exactly; where a browser sends `Sec-Fetch-Site` it must be `same-origin`. Bodies
are `application/json` of at most 2,000,000 bytes, and a key that is not described is refused.

**Errors** have three fields: `status`, `what`, and `mend`, which says what to do.

**Numbers.** A number that is not finite is null, and `undefined` then names its place and why.
"""
TAGS = {
    "server": "Is the server well?",
    "desk": "The blind desk and the adjudicator's: items, answers, events; for owners how far all are.",
    "rubric": "The rubric desk: generated items, ratings, and checks when their time has come.",
    "authoring": "Questions with their evidence, written and reviewed; for owners.",
    "workbench": "Studies and what they found, read only; for owners.",
}
ORIGIN = {
    "name": "origin",
    "in": "header",
    "required": True,
    "description": "this server's own scheme, name and port; anything else is refused (403)",
    "schema": {"type": "string"},
}


def description(app: FastAPI, *, cookie: str) -> dict[str, Any]:
    """The description; *cookie* is the name of the session's cookie."""
    made = get_openapi(
        title=app.title,
        version=app.version,
        openapi_version="3.1.0",
        summary="Desks and studies of evenhand, as JSON.",
        description=ABOUT,
        routes=app.routes,
        tags=[{"name": name, "description": told} for name, told in TAGS.items()],
    )
    parts = made.setdefault("components", {}).setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        parts.pop(unused, None)
    made["components"]["securitySchemes"] = {
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": cookie,
            "description": "set by a person's link, `/j/TOKEN`",
        }
    }
    made["security"] = [{"session": []}]
    headers = {name: _header(told) for name, told in _headers().items()}
    for methods in made["paths"].values():
        for method, operation in methods.items():
            if operation["operationId"] in OPEN:
                operation["security"] = []
            if method == "post":
                operation.setdefault("parameters", []).append(ORIGIN)
                _hoisted(operation["requestBody"]["content"]["application/json"], parts)
            for answer in operation["responses"].values():
                answer["headers"] = headers
    for name in _contexts(made):
        _closed(parts[name], whole=True)
    for part in parts.values():
        _closed(part)
    return made


def _headers() -> dict[str, str]:
    return {**HEADERS, "cache-control": "no-store"}


def _header(value: str) -> dict[str, Any]:
    return {"required": True, "schema": {"type": "string", "const": value}}


def _hoisted(content: dict[str, Any], parts: dict[str, Any]) -> None:
    """A body's own definitions become components, and the body refers to one."""
    form = dict(content["schema"])
    parts |= form.pop("$defs", {})
    parts[form["title"]] = form
    content["schema"] = {"$ref": f"#/components/schemas/{form['title']}"}


def _contexts(made: dict[str, Any]) -> set[str]:
    """The names of what answers with 200 hold, which may also hold ``undefined``."""
    found = set()
    for methods in made["paths"].values():
        for operation in methods.values():
            schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
            found.add(schema["$ref"].rpartition("/")[2])
    return found


def _closed(part: dict[str, Any], *, whole: bool = False) -> None:
    """No field but those that are named: what a page does not show is in no twin either."""
    if whole:
        part["properties"]["undefined"] = {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "places of numbers that are not finite, and so null, with the reason",
        }
    if part.get("type") == "object" and "properties" in part:
        part["additionalProperties"] = False
