"""``[threshold]``: the grid, the arms, the corpus criterion, the relaxation and the typing of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.study_file.panel import JUDGE_KEYS
from evenhand.formats.study_file.toml_reader import Book, Table
from evenhand.gate.production.scales import SCALES, Scale, limit
from evenhand.model.plan.sections import ArmPlan, JudgePlan, ThresholdPlan

__all__ = ["SCOPES", "SUFFICIENCY", "read"]

SCOPES = ("source", "corpus")
SUFFICIENCY = ("panel", "span")
INNER = ("arms", "corpus", "relaxation", "typing")
EXAMPLE = 'system = "dense", grid = [0.3, 0.4, 0.5] and primary = 0.4'


def read(
    book: Book,
    content: Any,
    folder: Path,  # noqa: ARG001 - the shape of all sections
    *,
    systems: Sequence[str],
) -> ThresholdPlan | None:
    """The plan of a threshold study; every value is held against the scale of the system's scores."""
    if not isinstance(content, Mapping):
        book.wrong("threshold", "", f"found {content!r}, expected a section", mend="write [threshold]")
        return None
    before = len(book.problems)
    inner = {name: content[name] for name in INNER if name in content}
    table = Table(book, "threshold", {key: value for key, value in content.items() if key not in INNER})
    plain = ThresholdPlan.__dataclass_fields__
    system = table.take("system", str, "")
    for key in ("system", "grid", "primary"):
        if key not in table and len(book.problems) == before:
            book.wrong("threshold", "", f"has no {key}", mend=f"write {EXAMPLE}")
    if system and system not in systems:
        table.wrong("system", f"there is no system {system!r}", mend=nearest(system, systems))
    scale = scale_of_system(book, system)
    grid = values(table, "grid", scale)
    primary = value(table, "primary", scale)
    if grid and primary is not None and primary not in grid:
        table.wrong("primary", f"{primary:g} is not in the grid", mend=f"add {primary:g} to grid")
    made: dict[str, Any] = {
        "scope": table.name("scope", SCOPES, "source"),
        "k": table.take("k", int, plain["k"].default, least=1),
        "min_n": table.take("min_n", int, plain["min_n"].default, least=1),
        "min_sources": table.take("min_sources", int, plain["min_sources"].default, least=1),
        "chunking": table.take("chunking", str, ""),
        "sufficiency": table.name("sufficiency", SUFFICIENCY, "panel"),
        "role": table.take("role", str, plain["role"].default),
        "types": table.texts("types"),
    }
    table.known.update(INNER)
    table.close(
        elsewhere={
            "words": "words belongs to [threshold.corpus]",
            "reason": "reason belongs to [threshold.relaxation]",
            "model": "model belongs to [threshold.typing]",
            "depth": "the number of units a question is k",
        }
    )
    made |= _corpus(book, inner.get("corpus", {}))
    made |= _relaxation(book, inner.get("relaxation"), scale, grid)
    made |= _typing(book, inner.get("typing"))
    made["arms"] = tuple(_arms(book, inner.get("arms", {}), made["chunking"]))
    if len(book.problems) > before or primary is None:
        return None
    return ThresholdPlan(system=system, grid=grid, primary=primary, **made)


def scale_of_system(book: Book, system: str) -> Scale:
    """The scale of the system's scores, where its section tells it; cosines else."""
    from evenhand.formats.study_file.toml_reader import load_toml

    try:
        one = load_toml(book.path)[0].get("system", {}).get(system, {})
    except (InputError, AttributeError):
        one = {}
    known = {"dense": "cosine", "bm25": "bm25", "tfidf": "share"}
    retriever = str(one.get("retriever")) if isinstance(one, Mapping) else ""
    return SCALES[known.get(retriever, "any")] if retriever in known or one else SCALES["cosine"]


def value(table: Table, key: str, scale: Scale) -> float | None:
    """One threshold; text, NaN, infinities and what lies off the scale are refused by name."""
    table.known.add(key)
    if key not in table.content:
        return None
    return _limit(table, key, table.content[key], scale)


def values(table: Table, key: str, scale: Scale) -> tuple[float, ...]:
    """A list of thresholds, each once, rising."""
    table.known.add(key)
    given = table.content.get(key, [])
    if not isinstance(given, list) or (key in table.content and not given):
        table.wrong(key, f"found {given!r}, expected a list of numbers", mend=f"{key} = [0.3, 0.4, 0.5]")
        return ()
    found = [made for one in given if (made := _limit(table, key, one, scale)) is not None]
    if len(set(found)) < len(found):
        table.wrong(key, "names a value twice", mend="name each once")
    return tuple(sorted(set(found)))


def _limit(table: Table, key: str, given: object, scale: Scale) -> float | None:
    try:
        return limit(given, scale, "a threshold")
    except InputError as error:
        table.wrong(key, error.what, mend=error.mend)
        return None


def _corpus(book: Book, content: Any) -> dict[str, Any]:
    table = Table(book, "threshold.corpus", content)
    plain = ThresholdPlan.__dataclass_fields__
    roles = table.take("roles", dict, {})
    for name, count in roles.items():
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            table.wrong("roles", f"{name} is {count!r}, expected a number of documents", mend="{ guide = 6 }")
            roles = {}
            break
    made = {
        "words": table.take("words", int, plain["words"].default, least=1),
        "documents": table.take("documents", int, None, least=1),
        "roles": dict(roles),
        "seal": table.take("seal", str, ""),
    }
    table.close()
    return made


def _relaxation(book: Book, content: Any, scale: Scale, grid: Sequence[float]) -> dict[str, Any]:
    """Values added and a primary moved; nothing planned goes away, and a reason is asked for."""
    if content is None:
        return {}
    table = Table(book, "threshold.relaxation", content)
    added = values(table, "grid", scale)
    moved = value(table, "primary", scale)
    reason = table.take("reason", str, "")
    if not str(reason).strip():
        book.wrong(
            "threshold.relaxation",
            "",
            "has no reason",
            mend='write what the pilot showed: reason = "top-1 median 0.40, max 0.645"',
        )
    if moved is not None and grid and moved not in (*grid, *added):
        table.wrong("primary", f"{moved:g} is in neither grid", mend=f"add {moved:g} to the grid here")
    if not added and moved is None:
        book.wrong("threshold.relaxation", "", "changes nothing", mend="give grid, primary, or both")
    table.close()
    return {"added": tuple(one for one in added if one not in grid), "moved": moved, "reason": reason}


def _typing(book: Book, content: Any) -> dict[str, Any]:
    if content is None:
        return {}
    table = Table(book, "threshold.typing", content)
    model = table.take("model", str, "")
    family = table.take("family", str, "")
    typed = table.take("file", str, ThresholdPlan.__dataclass_fields__["typed"].default)
    if not model.strip() and "model" not in table:
        book.wrong("threshold.typing", "", "has no model", mend='write model = "provider:name"')
    if not typed.endswith(".json"):
        table.wrong("file", f"found {typed!r}, expected a .json file", mend='file = "types.json"')
    door = model.partition(":")[0]
    table.known.update(() if door in ("recorded", "command") else JUDGE_KEYS)
    settings = {key: table.content[key] for key in JUDGE_KEYS if key in table and key in table.known}
    table.close()
    typist = JudgePlan(name="typist", model=model, family=family, settings=settings) if model else None
    return {"typist": typist, "typed": typed}


def _arms(book: Book, content: Any, main: str) -> list[ArmPlan]:
    if not isinstance(content, Mapping) or any(not isinstance(one, Mapping) for one in content.values()):
        book.wrong(
            "threshold.arms",
            "",
            "needs the name of a chunking for each arm",
            mend='write [threshold.arms.small] with documents = ["guides/*"]',
        )
        return []
    known = _chunkings(book)
    made = []
    for name, inner in content.items():
        table = Table(book, f"threshold.arms.{name}", inner)
        if name not in known:
            book.wrong(table.section, "", f"there is no chunking {name!r}", mend=nearest(name, known))
        elif name == main:
            book.wrong(table.section, "", "is the main arm already", mend="name another chunking")
        documents = table.texts("documents")
        called = table.take("name", str, "")
        table.close()
        made.append(ArmPlan(name=name, documents=documents, called=called))
    return made


def _chunkings(book: Book) -> list[str]:
    from evenhand.formats.study_file.toml_reader import load_toml

    try:
        found = load_toml(book.path)[0].get("chunking", {})
    except InputError:
        return []
    return list(found) if isinstance(found, Mapping) else []
