"""What authors write about a document, under the names that evenhand uses."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.model.text import STATUSES, DocId, Document

if TYPE_CHECKING:
    from evenhand.formats.reader_warnings import Notes

__all__ = ["described", "linked"]

_FIELDS: dict[str, tuple[str, ...]] = {
    "title": ("title",),
    "source": ("source", "source_url", "url", "link", "canonical"),
    "role": ("role",),
    "version": ("version",),
    "date": ("date", "effective", "updated", "last_updated", "modified", "published", "created"),
    "owner": ("owner",),
    "sensitivity": ("sensitivity", "classification", "confidentiality"),
}
_LINKS: dict[str, tuple[str, ...]] = {
    "supersedes": ("supersedes", "replaces", "obsoletes"),
    "superseded_by": ("superseded_by", "replaced_by", "obsoleted_by"),
}
_STATUS = {status: status for status in STATUSES} | {
    **dict.fromkeys(
        ("active", "final", "accepted", "approved", "published", "valid", "in force", "stable"), "current"
    ),
    **dict.fromkeys(
        ("superseded", "withdrawn", "rejected", "archived", "deprecated", "retired", "expired", "replaced"),
        "obsolete",
    ),
    **dict.fromkeys(("deferred", "proposed", "provisional", "in review", "review"), "draft"),
}


def described(
    about: Mapping[str, Any],
    *,
    id: str,  # noqa: A002  (the field's name)
    text: str,
    kind: str,
    notes: Notes,
    body: int = 0,
    title: str = "",
) -> Document:
    """A document with what *about* says of it; *title* is used when *about* has none.

    Keys may be written with ``-``, ``_`` or blanks, in any case. What has no field of its own goes to
    ``meta`` as text. An unknown status becomes ``unknown`` and is noted.
    """
    given = {re.sub(r"[\s-]+", "_", str(key).strip()).casefold(): value for key, value in about.items()}
    fields: dict[str, Any] = {}
    for name, aliases in _FIELDS.items():
        key = next((a for a in aliases if _plain(given.get(a))), "")
        if key:
            fields[name] = _plain(given.pop(key))
    for name, aliases in _LINKS.items():
        key = next((a for a in aliases if given.get(a)), "")
        if key:
            fields[name] = tuple(_references(given.pop(key)))
    said = _plain(given.get("status"))
    if said:
        fields["status"] = _STATUS.get(said.casefold(), "unknown")
        if fields["status"] == said.casefold():
            given.pop("status")
        elif said.casefold() not in _STATUS:
            notes.add(f"status not known, taken as unknown ({', '.join(STATUSES)} are)", f"{id} ({said})")
    elif fields.get("superseded_by"):
        fields["status"] = "obsolete"
    if fields.get("superseded_by") and fields.get("status") == "current":
        notes.add("document superseded by another, whose status says current", id)
    meta = {key: _plain(value) for key, value in sorted(given.items()) if _plain(value)}
    fields.setdefault("title", title)
    return Document(id=DocId(id), text=text, kind=kind, body=body, meta=meta, **fields)


def linked(documents: Iterable[Document], notes: Notes) -> tuple[Document, ...]:
    """Documents whose ``supersedes`` and ``superseded_by`` are ids of this corpus.

    A reference is an id, a path beside the document, the same without its suffix, or the number of a
    numbered series (``3124`` in ``pep-0008.rst`` is ``pep-3124.rst``). One that leads nowhere is noted and
    kept in ``meta``.
    """
    given = tuple(documents)
    known = {document.id for document in given}
    made = []
    for document in given:
        if not document.supersedes and not document.superseded_by:
            made.append(document)
            continue
        meta = dict(document.meta)
        links: dict[str, tuple[DocId, ...]] = {}
        for name in _LINKS:
            found: list[DocId] = []
            for said in getattr(document, name):
                places = _resolved(said, document.id, known)
                found.extend(place for place in places if place not in found)
                if not places:
                    notes.add("link to a document that is not in the corpus", f"{document.id} {name} {said}")
                    meta[name] = ", ".join(filter(None, (meta.get(name, ""), said)))
            links[name] = tuple(found)
        made.append(
            replace(document, meta=meta, supersedes=links["supersedes"], superseded_by=links["superseded_by"])
        )
    return tuple(made)


def _resolved(said: str, at: str, known: set[DocId]) -> list[DocId]:
    place = _place(said, at, known)
    if place:
        return [place]
    parts = [part.strip() for part in said.split(",") if part.strip()]
    places = [_place(part, at, known) for part in parts] if len(parts) > 1 else []
    return [p for p in places if p] if all(places) else []


def _place(said: str, at: str, known: set[DocId]) -> DocId | None:
    folder, suffix = posixpath.dirname(at), posixpath.splitext(at)[1]
    beside = posixpath.normpath(posixpath.join(folder, said)) if said else ""
    tries = [said, beside, said + suffix, beside + suffix]
    series = re.fullmatch(r"(.*?)(\d+)", posixpath.basename(at).removesuffix(suffix))
    if series and said.isdigit():
        tries.append(posixpath.join(folder, f"{series[1]}{said.zfill(len(series[2]))}{suffix}"))
    return next((DocId(t) for t in tries if t in known), None)


def _references(value: Any) -> list[str]:
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value if _plain(v)]
    return [part for part in (p.strip() for p in _plain(value).split(",")) if part]


def _plain(value: Any) -> str:
    """One line of text: lists joined by commas, deeper things as JSON."""
    if value is None or isinstance(value, str):
        return " ".join((value or "").split())
    if isinstance(value, list | tuple) and all(isinstance(v, str | int | float) for v in value):
        return ", ".join(str(v) for v in value)
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)
