"""From a section of a study file to the system it describes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, MissingExtra, nearest
from evenhand.plugins import BUILT_IN, find, importable
from evenhand.retrieve.combine.fuse import Fusion
from evenhand.retrieve.combine.rerank import ByModel, ByStatus
from evenhand.retrieve.guests.guest import Guest
from evenhand.retrieve.guests.mutable_sources import INDEXES
from evenhand.retrieve.vectors.embed import as_embedder

if TYPE_CHECKING:
    from evenhand.model.plan.study import SystemPlan

__all__ = ["build"]


def build(plan: SystemPlan, *, base_folder: str | Path | None = None) -> Any:
    """The system of one ``[system.NAME]`` section, its settings checked.

    A retriever has ``rank``; what is made from others (``fuse``, ``rerank``) has ``of`` (their names) and
    ``combine(runs, name=, depth=, questions=, cache=, progress=)``. *base_folder* is the study's: guests
    are looked for there too, and relative paths of models begin there. Run files are read by `formats`.
    """
    where = f"[system.{plan.name}]"
    settings = dict(plan.settings)
    guest = any(":" in str(name) for name in (plan.what, settings.get("embedder", "")))
    with _reachable(base_folder if guest else None):
        try:
            return _built(plan, settings, base_folder)
        except InputError as error:
            if error.what.startswith("["):
                raise
            raise InputError(f"{where} {error.what}", mend=error.mend) from error


def _built(plan: SystemPlan, settings: dict[str, Any], base: str | Path | None) -> Any:
    if plan.kind == "fuse":
        return _made(Fusion, {**settings, "of": plan.of}, plan.name)
    if plan.kind == "rerank":
        if plan.what in ("", "status"):
            return _made(ByStatus, {**settings, "of": plan.of}, plan.name)
        own = {key: settings.pop(key) for key in ("depth",) if key in settings}
        settings = {**settings.pop("options", {}), **settings}
        by, name = plan.what, BUILT_IN["reranker"]
        if by not in name and ":" not in by:  # a folder, as a path
            place = Path(base or ".") / by
            if not place.is_dir():
                raise InputError(
                    f"by = {by!r} is no reranker, and there is no folder {place}",
                    mend=f"{nearest(by, ('status', 'cross-encoder'))}; or give a folder that holds "
                    "model.onnx and tokenizer.json, or python:module:function",
                )
            settings["path"], by = str(place), "onnx"
        made = ByModel(of=plan.of, by=by, options=settings, name=plan.name, **own)
        _ = made.model  # an unknown name or setting is told now
        return made
    if plan.kind != "retriever":
        raise InputError(f"is a {plan.kind}, which is not built but read", mend="see evenhand.formats")
    return _retriever(plan, settings, base)


def _retriever(plan: SystemPlan, settings: dict[str, Any], base: str | Path | None = None) -> Any:
    if plan.what.startswith(("http://", "https://")):
        from evenhand.retrieve.guests.remote import Endpoint

        made = _made(Endpoint, {**settings, "url": plan.what}, plan.name)
        return Guest(made, name=plan.name, keep=made.cache)
    if plan.what in {"dense", *INDEXES} and settings.get("embedder") == "stored":
        options = settings.get("options", {})
        if isinstance(options, Mapping) and isinstance(options.get("file"), str) and options["file"]:
            settings["options"] = {**options, "file": str(Path(base or ".") / options["file"])}
    if plan.what == "vectors":
        from evenhand.retrieve.vectors.precomputed import FILES

        placed = {key: str(Path(base or ".") / value) for key in FILES if (value := settings.get(key))}
        settings = {**settings, **placed}
    thing = find(plan.what, "retriever")
    if plan.what in INDEXES:
        return _index(thing, settings, plan.name, Path(base or "."))
    if isinstance(thing, type) and callable(getattr(thing, "rank", None)):
        made = _made(thing, settings, plan.name)
        if plan.what == "dense":
            as_embedder(made.embedder, **made.options)  # an unknown embedder is told now
        return made
    return Guest(thing, name=plan.name, settings=settings)


def _index(kind: Any, settings: dict[str, Any], name: str, base: Path) -> Guest:
    from evenhand.llm import secret

    for key in settings:
        if secret(key):  # its value is not repeated
            raise InputError(
                f"{key!r} is no setting: a study file holds no secrets",
                mend='write key_env = "NAME": the variable of the environment that holds it',
            )
    made = _made(kind, settings, name)
    made.base = base
    try:
        made.check()
    except MissingExtra as error:
        raise MissingExtra(f"[system.{name}] {error.what}", mend=error.mend) from error
    return Guest(made, name=name, keep=made.cache)


def _made(kind: Any, settings: Mapping[str, Any], name: str) -> Any:
    known = {field.name: field for field in fields(kind) if field.name != "name"}
    for key, value in settings.items():
        if key not in known:
            raise InputError(f"has no setting {key!r}", mend=nearest(key, set(known) - {"of", "url"}))
        default = known[key].default
        factory = known[key].default_factory
        if factory is not MISSING:
            default = factory()
        if not _fits(key, value, default):
            raise InputError(
                f"{key} is {value!r}, expected {_word(default)}", mend=f"write {key} = {_example(default)}"
            )
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
    return kind(**given, name=name)


def _fits(key: str, value: Any, default: Any) -> bool:
    if default is MISSING or default is None or key == "embedder":
        return True
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, (int, float)):
        whole = isinstance(default, int)
        return not isinstance(value, bool) and isinstance(
            value, int if whole and key != "k" else (int, float)
        )
    if key == "stopwords" and isinstance(value, (list, tuple)):
        return all(isinstance(word, str) for word in value)
    if isinstance(default, Mapping):
        return isinstance(value, Mapping)
    return isinstance(value, type(default))


def _word(default: Any) -> str:
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", dict: "a table"}
    return kinds.get(type(default), "another value")


def _example(default: Any) -> str:
    return f'"{default}"' if isinstance(default, str) else str(default).lower()


@contextmanager
def _reachable(folder: str | Path | None) -> Iterator[None]:
    """Let ``python:`` find modules beside the study file: first while loading, later after all others."""
    if folder is None:
        yield
        return
    with importable(folder):
        yield
    place = str(Path(folder).resolve())
    if place not in sys.path:  # a guest may import its neighbours only when it is asked
        sys.path.append(place)
