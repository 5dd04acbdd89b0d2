"""A study file of one system alone: `evenhand run` measures it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.formats.study_file.toml_writer import toml
from evenhand.retrieve.guests.mutable_sources import INDEXES

if TYPE_CHECKING:
    from evenhand.model.plan.study import CutPlan, Plan, SystemPlan
    from evenhand.study.steps.participants import Participant

__all__ = ["form_of"]

PLACES = ("path", "qrels", "topics", "judgements")  # keys of [corpus] and [gold] that name files


def form_of(
    plan: Plan,
    systems: Sequence[Participant],
    cut: CutPlan | None,
    counter: SystemPlan | None,
    *,
    place: Callable[[str], Any],
    words: Sequence[str],
) -> str:
    """The file: what *plan* says of these systems; *counter*: a dense system whose tokens are counted."""
    there = {one.system.name: one.system for one in systems}
    if counter is not None:
        there.setdefault(counter.name, counter)
    table: dict[str, Any] = {
        "study": {"name": plan.name, "seed": plan.seed},
        "corpus": _placed(plan.corpus, place),
        "gold": _placed(plan.gold, place),
    }
    if cut is not None:
        table["chunking"] = {cut.name: {"rule": cut.rule, **cut.settings}}
    table["system"] = {name: _section(one, place) for name, one in there.items()}
    table["measure"] = {
        "primary": plan.measure.primary,
        "secondary": list(plan.measure.secondary),
        "slices": list(plan.measure.slices),
        "depth": plan.measure.depth,
        "budget": plan.measure.budget,
    }
    table["compare"] = {
        "level": plan.compare.level,
        "resamples": plan.compare.resamples,
        "signs": plan.compare.signs,
    }
    above = ["`evenhand run system.toml` measures it again, on these documents or on yours.", "", *words]
    return toml(table, above=above)


def _placed(section: Any, place: Callable[[str], Any]) -> dict[str, Any]:
    return {key: str(place(value)) if key in PLACES else value for key, value in section.items()}


def _section(system: SystemPlan, place: Callable[[str], Any]) -> dict[str, Any]:
    settings = dict(system.settings)
    options = dict(settings.get("options", {}))
    for key in ("file", "path"):
        if isinstance(options.get(key), str) and options[key]:
            options[key] = str(place(options[key]))
    if options:
        settings["options"] = options
    if system.what in INDEXES and (path := settings.get("path")) and not path.startswith(":"):
        settings["path"] = str(place(path))
    made: dict[str, Any]
    if system.kind == "fuse":
        made = {"fuse": list(system.of)}
    elif system.kind == "rerank":
        by = system.what
        named = by in ("", "status") or ":" in by or by in _rerankers()
        made = {"rerank": system.of[0], "by": (by or "status") if named else str(place(by))}
    else:
        made = {"retriever": system.what}
    return {**made, **settings}


def _rerankers() -> set[str]:
    from evenhand.plugins import BUILT_IN

    return set(BUILT_IN["reranker"])
