"""Systems and chunkings of a plan as Python that makes them anew, with every setting said."""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.retrieve.guests.mutable_sources import INDEXES

if TYPE_CHECKING:
    from evenhand.model.plan.study import CutPlan, SystemPlan

__all__ = ["Code", "Placed", "chunking_code", "relative", "systems_code", "written"]

UNMADE = {
    "run": "is a file of rankings: there is nothing in it that could be asked a new question",
    "vectors": "searches with vectors of the study's own questions: it cannot be asked a new one",
}

# names that the snippet uses itself
RESERVED = {"eh", "sys", "path", "units", "search", "decide", "above", "main", "find", "here"}


class Placed(str):
    """A path that is written relative to the snippet's own folder."""

    __slots__ = ()


@dataclass
class Code:
    """Statements that make systems, what they import and what must be brought; ``names``: variables."""

    lines: list[str] = field(default_factory=list)
    imports: set[str] = field(default_factory=set)
    needs: list[str] = field(default_factory=list)
    brings: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)


def written(value: Any) -> str:
    """A setting as Python."""
    if isinstance(value, Placed):
        return f"str(HERE / {written(str.__str__(value))})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{written(k)}: {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple):
        return f"({', '.join(map(written, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    said = repr(value)
    plain = isinstance(value, str) and '"' not in said and "\\" not in said
    return f'"{said[1:-1]}"' if plain else said


def systems_code(plans: Sequence[SystemPlan], *, place: Any) -> Code:
    """The systems in their order, what others are made from first; *place*: a path of the study, placed.

    Raises InputError for what cannot be asked anything new.
    """
    code = Code()
    for plan in plans:
        name = _variable(plan.name, code.names.values())
        code.names[plan.name] = name
        code.lines.append(f"{name} = {_system(plan, code, place)}")
    return code


def _system(plan: SystemPlan, code: Code, place: Any) -> str:
    if (why := UNMADE.get(plan.kind) or UNMADE.get(plan.what)) is not None:
        raise InputError(f"{plan.name} {why}", mend="take away a system that searches")
    own: dict[str, Any] = {"name": plan.name}
    members = "[" + ", ".join(code.names[one] for one in plan.of) + "]"
    if plan.kind == "fuse":
        return _call("eh.Fusion", _filled("Fusion", plan.settings), own, first=f"of={members}")
    if plan.kind == "rerank" and plan.what in ("", "status"):
        return _call("eh.ByStatus", _filled("ByStatus", plan.settings), own, first=f"of={members}")
    if plan.kind == "rerank":
        return _call("eh.ByModel", _reranker(plan, code, place), own, first=f"of={members}")
    if plan.what.startswith(("http://", "https://")):
        from evenhand.llm import shown as without_password
        from evenhand.retrieve.guests.remote import Endpoint

        address = without_password(plan.what)
        code.imports.add("from evenhand.retrieve.guests.remote import Endpoint")
        code.brings.append(f"the endpoint {address}, which answers for the system {plan.name}")
        settings = {**_defaults(Endpoint), **plan.settings}
        return _call("Endpoint", settings, own, first=f"url={written(address)}")
    return _retriever(plan, code, place)


def _retriever(plan: SystemPlan, code: Code, place: Any) -> str:
    import evenhand
    from evenhand.plugins import BUILT_IN

    settings = dict(plan.settings)
    if plan.what in INDEXES:
        return _index(plan, code, place)
    if plan.what == "dense":
        settings["options"] = _embedder(settings, code, place)
    elif plan.what not in BUILT_IN["retriever"]:
        return _guest(plan, code)
    module, _, kind = BUILT_IN["retriever"][plan.what].partition(":")
    if kind in evenhand.__all__:
        return _call(f"eh.{kind}", _filled(kind, settings), {"name": plan.name})
    from importlib import import_module

    made = getattr(import_module(module), kind)
    code.imports.add(f"from {module} import {kind}")
    if is_dataclass(made) and callable(getattr(made, "rank", None)):
        return _call(kind, {**_defaults(made), **settings}, {"name": plan.name})
    code.imports.add("from evenhand.retrieve.guests.guest import Guest")
    code.brings.append(f"what {plan.what!r} searches: {written(settings)}")
    return f"Guest({kind}, name={written(plan.name)}, settings={written(settings)})"


def _index(plan: SystemPlan, code: Code, place: Any) -> str:
    """A database's index: it is asked where it is, and its key stays in the environment."""
    from evenhand.plugins import BUILT_IN, find

    settings, made = dict(plan.settings), find(plan.what, "retriever")
    module, _, kind = BUILT_IN["retriever"][plan.what].partition(":")
    if settings.get("embedder"):
        settings["options"] = _embedder(settings, code, place)
    if settings.get("path") and not settings["path"].startswith(":"):
        settings["path"] = place(settings["path"])
    code.imports.add(f"from {module} import {kind}")
    code.needs.append(made.extra)
    held = "what it is filled with" if settings.get("fill") else f"its {made.keeps} {settings[made.keeps]}"
    key = f", and the key in {settings['key_env']}" if settings.get("key_env") else ""
    code.brings.append(f"{made.label} with {held}{key}, which answers for the system {plan.name}")
    return _call(kind, settings, {"name": plan.name})


def _embedder(settings: Mapping[str, Any], code: Code, place: Any) -> dict[str, Any]:
    options = dict(settings.get("options", {}))
    name = settings.get("embedder", "minilm")
    for key in ("file", "path"):
        if isinstance(options.get(key), str) and options[key]:
            options[key] = place(options[key])
            code.brings.append(f"the file {os.fspath(options[key])} of the embedder {name}")
    if name == "minilm":
        code.needs.append("dense")
    elif name == "sentence-transformers":
        code.needs.append("torch")
    elif name == "openai":
        key = options.get("key_env", "OPENAI_API_KEY")
        code.brings.append(f"the embedding endpoint{f', and its key in {key}' if key else ''}")
    elif name.startswith("python:"):
        code.brings.append(f"the embedder {name.removeprefix('python:')}, where Python finds its module")
    return options


def _reranker(plan: SystemPlan, code: Code, place: Any) -> dict[str, Any]:
    from evenhand.plugins import BUILT_IN

    settings = dict(plan.settings)
    depth = {"depth": settings.pop("depth")} if "depth" in settings else {}
    options, by = {**settings.pop("options", {}), **settings}, plan.what
    if by.startswith("python:"):
        code.brings.append(f"the reranker {by.removeprefix('python:')}, where Python finds its module")
    elif by not in BUILT_IN["reranker"]:  # a folder
        options["path"] = place(by)
        code.brings.append(f"the folder {os.fspath(options['path'])} of the reranker")
        by = "onnx"
    if not by.startswith("python:"):
        code.needs.append("torch" if by == "cross-encoder" else "dense")
    return _filled("ByModel", {**depth, "by": by, "options": options})


def _guest(plan: SystemPlan, code: Code) -> str:
    module, _, thing = plan.what.removeprefix("python:").partition(":")
    if not plan.what.startswith("python:") or not thing:
        code.imports.add("from evenhand.plugins import find")
        code.imports.add("from evenhand.retrieve.guests.guest import Guest")
        code.brings.append(f"the package that offers the retriever {plan.what!r}")
        found = f'find({written(plan.what)}, "retriever")'
        return f"Guest({found}, name={written(plan.name)}, settings={written(plan.settings)})"
    if not all(part.isidentifier() for part in (*module.split("."), *thing.split("."))):
        raise InputError(f"{plan.what!r} is no name of Python", mend="name it python:package.module:Thing")
    code.imports.add(f"from {module} import {thing.partition('.')[0]}")
    code.imports.add("from evenhand.retrieve.guests.guest import Guest")
    code.brings.append(f"{thing} of the module {module}, where Python finds it")
    settings = f", settings={written(plan.settings)}" if plan.settings else ""
    return f"Guest({thing}, name={written(plan.name)}{settings})"


def chunking_code(cut: CutPlan | None, code: Code) -> str:
    """The rule of a chunking; of a system that cuts for itself, whole documents."""
    if cut is None:
        return "eh.Whole()"
    from evenhand.corpus.chunking_config import RULES

    kind = RULES.get(cut.rule)
    if kind is not None:
        return _call(f"eh.{kind.__name__}", {**_defaults(kind), **cut.settings}, {})
    code.imports.add("from evenhand.corpus.chunk import rule_of")
    code.brings.append(f"the splitter {cut.rule.removeprefix('python:')}, where Python finds its module")
    where = written(f"the chunking {cut.name}")
    return f"rule_of({written(cut.rule)}, {written(cut.settings)}, where={where})"


def _filled(kind: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    import evenhand

    return {**_defaults(getattr(evenhand, kind)), **settings}


def _defaults(kind: Any) -> dict[str, Any]:
    """What a setting is when nobody sets it: said all the same, since defaults may change."""
    made = {}
    for one in fields(kind):
        if one.name == "name":
            continue
        if one.default is not MISSING:
            made[one.name] = one.default
        elif one.default_factory is not MISSING:
            made[one.name] = one.default_factory()
    return made


def _call(kind: str, settings: Mapping[str, Any], own: Mapping[str, Any], *, first: str = "") -> str:
    said = [f"{key}={written(value)}" for key, value in {**settings, **own}.items()]
    return f"{kind}({', '.join([*([first] if first else []), *said])})"


def _variable(name: str, taken: Any) -> str:
    word = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower() or "system"
    word = f"s_{word}" if word[0].isdigit() or keyword.iskeyword(word) or word in RESERVED else word
    made, number = word, 1
    while made in taken:
        number += 1
        made = f"{word}_{number}"
    return made


def relative(path: Path, out: Path) -> Placed:
    """*path* as seen from the folder *out*, with forward slashes."""
    return Placed(Path(os.path.relpath(path, out)).as_posix())
