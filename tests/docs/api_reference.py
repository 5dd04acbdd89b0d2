"""docs/reference/api.md, made from the description that `evenhand serve` gives at /openapi.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from unittest.mock import Mock

HEAD = """\
# The server's JSON

Made from the server itself by `python -m tests.docs.runner --update`; a test fails when it is stale. A running server gives the
same as OpenAPI 3.1 at `/openapi.json`, to whoever is signed in.

"""
LIMITS = {"minLength": "at least {} characters", "maxLength": "at most {:,} characters", "minimum": "≥ {:,}", "maximum": "≤ {:,}",
          "minItems": "at least {}", "maxItems": "at most {:,}"}  # fmt: skip
KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
}


def described() -> dict[str, Any]:
    """The description, of an application that serves nothing."""
    from evenhand.web.server.app import create_app
    from evenhand.web.server.openapi import description

    return description(create_app(Mock()).app, cookie="evenhand")  # a store that nobody asks


def render() -> str:
    """The whole page."""
    told = described()
    lines = [HEAD + told["info"]["description"].strip()]
    for tag in told["tags"]:
        lines += [f"## {tag['name'].capitalize()}", tag["description"]]
        for path, methods in told["paths"].items():
            for method, one in methods.items():
                if one["tags"] == [tag["name"]]:
                    lines += list(_operation(path, method, one))
    bodies = {
        _of(one) for methods in told["paths"].values() for one in methods.values() if "requestBody" in one
    }
    answers = {
        one["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for methods in told["paths"].values() for one in methods.values()
    }  # fmt: skip
    parts = told["components"]["schemas"]
    lines += ["## What is sent", "A key that is not listed is refused."]
    lines += _records(parts, _closure(parts, bodies))
    lines += ["## What comes back", "Nothing but these fields."]
    lines += _records(parts, _closure(parts, answers | {"Message"}))
    lines += ["## Statuses", _statuses(told)]
    return "\n\n".join(lines) + "\n"


def _of(one: Mapping[str, Any]) -> str:
    return one["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]


def _operation(path: str, method: str, one: Mapping[str, Any]) -> Iterator[str]:
    yield f"### `{method.upper()} {path}`"
    yield one["description"]
    asked = [p for p in one.get("parameters", ()) if p["in"] == "query"]
    if asked:
        rows = ["| parameter | type | default | must be there |", "|---|---|---|---|"]
        for p in asked:
            default = p["schema"].get("default")
            said = (
                ""
                if default is None
                else f"`{str(default).lower() if isinstance(default, bool) else default or 'empty'}`"
            )
            rows.append(
                f"| `{p['name']}` | {_kind(p['schema'])} | {said} | {'yes' if p.get('required') else 'no'} |"
            )
        yield "\n".join(rows)
    answer = one["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    body = f"Sent: [{_of(one)}](#{_of(one).lower()}). " if "requestBody" in one else ""
    free = " No session needed." if one.get("security") == [] else ""
    others = ", ".join(status for status in one["responses"] if status != "200")
    yield f"{body}Answer: [{answer}](#{answer.lower()}).{free} Also: {others}."


def _closure(parts: Mapping[str, Any], names: set[str]) -> list[str]:
    """These records and those that their fields refer to, in their order."""
    found: set[str] = set()
    wanted = sorted(names)
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.add(name)
            wanted += sorted(_references(parts[name]))
    return sorted(found)


def _references(thing: Any) -> Iterator[str]:
    if isinstance(thing, dict):
        if "$ref" in thing:
            yield thing["$ref"].rpartition("/")[2]
        for inner in thing.values():
            yield from _references(inner)
    elif isinstance(thing, list):
        for inner in thing:
            yield from _references(inner)


def _records(parts: Mapping[str, Any], names: list[str]) -> Iterator[str]:
    for name in names:
        part = parts[name]
        yield f"### {name}"
        yield " ".join(part["description"].split()).replace("``", "`")
        fields = {key: one for key, one in part.get("properties", {}).items() if key != "undefined"}
        if fields:
            rows = ["| field | type | must be there |", "|---|---|---|"]
            rows += [
                f"| `{key}` | {_kind(one)} | {'yes' if key in part.get('required', ()) else 'no'} |"
                for key, one in fields.items()
            ]
            yield "\n".join(rows)


def _kind(one: Mapping[str, Any]) -> str:
    if "$ref" in one:
        name = one["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in one:
        return " or ".join(_kind(inner) for inner in one["anyOf"])
    if "enum" in one:
        return ", ".join(f"`{word}`" for word in one["enum"])
    if one.get("type") == "array":
        many = [LIMITS[key].format(one[key]) for key in ("minItems", "maxItems") if key in one]
        return f"list of {_kind(one.get('items', {}))}" + (f" ({', '.join(many)})" if many else "")
    if one.get("type") == "object":
        inner = one.get("additionalProperties")
        return f"object of {_kind(inner)}" if isinstance(inner, dict) and inner else "object"
    said = KINDS.get(one.get("type", ""), "anything")
    limits = [form.format(one[key]) for key, form in LIMITS.items() if key in one]
    pattern = f", `{one['pattern']}`".replace("|", "\\|") if "pattern" in one else ""
    return said + (f" ({', '.join(limits)})" if limits else "") + pattern


def _statuses(told: Mapping[str, Any]) -> str:
    from evenhand.web.server.routes import STATUSES

    rows = ["| status | means |", "|---|---|", *(f"| {status} | {why} |" for status, why in STATUSES.items())]
    return "\n".join(rows)
