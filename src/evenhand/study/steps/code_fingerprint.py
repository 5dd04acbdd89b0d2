"""Seals of the code that does a step: change the code, and the step is done again."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.plugins import BUILT_IN, folder_first, may_run

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from evenhand.model.plan.study import Plan

__all__ = ["code_named", "code_of_all", "code_seal", "guest_seal", "stamp", "texts_in", "versions"]


@cache
def code_seal(*packages: str, libraries: tuple[str, ...] = ()) -> str:
    """Seal over the sources of packages of ours (`model` and `text` always) and the versions of libraries."""
    digest = sha256()
    for package in ("model", "text", *packages):
        for name, content in _sources(files("evenhand") / package, package):
            digest.update(f"{name}:{len(content)}:".encode())
            digest.update(content)
    digest.update(repr(sorted(versions(*libraries).items())).encode())
    return digest.hexdigest()


@cache
def code_of_all() -> Mapping[str, str]:
    """A seal over the sources of each package of ours, by name; modules beside them under ``evenhand``."""
    found: dict[str, str] = {}
    top = sha256()
    for entry in sorted(files("evenhand").iterdir(), key=lambda e: e.name):
        if entry.is_dir() and entry.name not in ("__pycache__", "examples"):
            digest = sha256()
            for name, content in _sources(entry, entry.name):
                digest.update(f"{name}:{len(content)}:".encode())
                digest.update(content)
            found[entry.name] = digest.hexdigest()
        elif entry.is_file() and entry.name.endswith(".py"):
            top.update(f"{entry.name}:".encode() + entry.read_bytes())
    return {**found, "evenhand": top.hexdigest()}


def _sources(folder: Traversable, name: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        path = f"{name}/{entry.name}"
        if entry.is_dir() and entry.name != "__pycache__":
            found += _sources(entry, path)
        elif entry.is_file() and not entry.name.endswith(".pyc"):
            found.append((path, entry.read_bytes()))
    return found


def versions(*libraries: str) -> dict[str, str]:
    """Versions of what is installed of *libraries*."""
    found = {}
    for name in libraries:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def guest_seal(name: str) -> str:
    """Seal over the source file behind ``python:package.module:Thing``; empty when there is none to read.

    What the guest imports in its turn is not seen: its file is changed, or the cache deleted, to run anew.
    """
    module = name.removeprefix("python:").partition(":")[0]
    may_run(name)  # to find a module within a package is to import the package
    try:
        loaded = sys.modules.get(module)
        with folder_first():
            spec = loaded.__spec__ if loaded is not None else find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return ""
    if spec is None or not spec.origin or not Path(spec.origin).is_file():
        return ""
    return sha256(Path(spec.origin).read_bytes()).hexdigest()


def code_named(plan: Plan) -> tuple[str, ...]:
    """Names of the code that carrying out *plan* imports or starts, as the study file has them, and where."""
    found: dict[str, None] = {}

    def note(where: str, name: Any, kind: str = "") -> None:
        own = isinstance(name, str) and name and not name.startswith(("http://", "https://"))
        if own and (name not in BUILT_IN[kind] if kind else name.startswith(("python:", "command:"))):
            found[f"{name} ([{where}])"] = None

    for cut in plan.chunkings:
        note(f"chunking.{cut.name}", cut.rule, "chunking")
    for one in plan.systems:
        where = f"system.{one.name}"
        if one.kind == "retriever":
            note(where, one.what, "retriever")
        for kind in ("embedder", "index"):
            if one.settings.get(kind) != "exact":
                note(where, one.settings.get(kind, ""), kind)
        for text in (one.what, *texts_in(one.settings)):
            note(where, text)
    for judge in plan.panel.judges if plan.panel is not None else ():
        note(f"panel.judge.{judge.name}", judge.model)
    for section in ("draft", "answers", "stress", "calibration"):
        for text in texts_in(_fields(getattr(plan, section))):
            note(section, text)
    if plan.engine != "local":
        found[f"what {plan.engine} sends back ([study] engine)"] = None
    return tuple(found)


def _fields(section: Any) -> dict[str, Any]:
    return {name: getattr(section, name) for name in getattr(section, "__dataclass_fields__", ())}


def texts_in(settings: Any) -> Iterator[str]:
    """Every text in settings, however deep."""
    if isinstance(settings, str):
        yield settings
    elif isinstance(settings, Mapping):
        for value in settings.values():
            yield from texts_in(value)
    elif isinstance(settings, (list, tuple)):
        for value in settings:
            yield from texts_in(value)


def stamp(path: Path) -> list[tuple[str, int, int]]:
    """Names, sizes and times of the files of a model: enough to notice that another lies there."""
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    found = [(file, file.stat()) for file in files[:1000]]
    return [(file.name, stat.st_size, stat.st_mtime_ns) for file, stat in found]
