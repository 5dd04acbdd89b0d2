"""The seals of all that a study rests on: plan, corpus, gold by split, systems, judges, files and code."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.model.seal import seal
from evenhand.study.ledger.plan_diff import keyed
from evenhand.study.steps.code_fingerprint import code_of_all, guest_seal, texts_in, versions
from evenhand.study.steps.sections import PARTS, parts_of

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet
    from evenhand.model.plan.study import Plan
    from evenhand.model.text import Corpus
    from evenhand.study.steps.systems import Systems

__all__ = ["COMPARED", "code_sealed", "compared_of", "file_seal", "sealed"]

# the parts of a registration that are held against what is there now; the rest follows from them
COMPARED = ("plan", "corpus", "gold", "systems", "judges", "files", "fitted", "code")
DIGITS = 16  # of the hash of one row, which only has to name the row


def file_seal(path: Path) -> str:
    """SHA-256 of the bytes of a file: they are hashed as they are, nothing in them is understood."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sealed(plan: Plan, folder: Path, corpus: Corpus, gold: GoldSet, systems: Systems) -> dict[str, Any]:
    """What is held against the registration, but for the holdout and the code."""
    return {
        "plan": _masked(keyed(plan.as_json())),
        "corpus": {
            "seal": corpus.seal,
            "documents": {str(one.id): _row([one.header(), one.text]) for one in corpus},
        },
        "gold": {"dev": {"seal": gold.seal, "rows": {str(q.id): _row(q.as_json()) for q in gold}}},
        "systems": _systems(plan, systems),
        "judges": _judges(plan, folder),
        "files": _files(plan, folder),
        "fitted": {name: dict(found) for name, found in _fitted(plan, folder)},
    }


def code_sealed() -> dict[str, Any]:
    """The version of the package, and seals of its sources, package by package."""
    packages = code_of_all()
    return {"version": versions("evenhand").get("evenhand", ""), "seal": seal(packages), "packages": packages}


def compared_of(content: Mapping[str, Any], *, code: bool = True) -> dict[str, Any]:
    """The parts of a registered content that are compared."""
    return {name: content[name] for name in COMPARED if name in content and (code or name != "code")}


def _row(thing: Any) -> str:
    return seal(thing)[:DIGITS]


def _systems(plan: Plan, systems: Systems) -> dict[str, Any]:
    """What each system says of itself: its settings, the seals of its model, the source of a guest."""
    from evenhand.study.steps.participants import null_systems

    found: dict[str, Any] = {}
    for one in (*plan.systems, *null_systems(plan)):
        about: dict[str, Any] = {"kind": one.kind}
        if one.kind != "run":
            made = systems[one.name]
            says = getattr(made, "settings", None)
            about["settings"] = keyed(says()) if callable(says) else keyed(dict(one.settings))
            if model := str(getattr(getattr(made, "model", None), "seal", "") or ""):
                about["model"] = model
        sources = {n: guest_seal(n) for n in (one.what, *texts_in(one.settings)) if n.startswith("python:")}
        if sources:
            about["sources"] = sources
        found[one.name] = _masked(about)
    return found


def _judges(plan: Plan, folder: Path) -> dict[str, Any]:
    """The judges, each with the seal of its model, address and parameters; and that of what they are told."""
    if plan.panel is None:
        return {}
    from evenhand.study.panel.ask import bench_of

    bench = bench_of(plan, folder)
    judges = {
        one.name: {
            "model": one.model,
            "family": one.family,
            "settings": seal(_masked(keyed(dict(one.settings)))),
            "seal": bench.chats[one.name].seal,
        }
        for one in plan.panel.judges
    }
    return {"judges": judges, "sheet": plan.panel.sheet, "prompt": bench.prompt}


def _files(plan: Plan, folder: Path) -> dict[str, str]:
    """Hashes of the files that a plan names beside corpus and gold set: run files, qrels, judgements."""
    named = [str(plan.gold[key]) for key in ("qrels", "judgements") if plan.gold.get(key)]
    named += [one.what for one in plan.systems if one.kind == "run"]
    if plan.panel is not None:
        named.append(plan.panel.sheet)  # votes and the human sample come after registration
    return {name: file_seal(folder / name) for name in dict.fromkeys(named) if (folder / name).is_file()}


def _fitted(plan: Plan, folder: Path) -> list[tuple[str, Mapping[str, Any]]]:
    """What an analysis has chosen on dev, where its module in `PARTS` has ``sealed(plan, folder)``."""
    found = []
    for name in parts_of(plan):
        makes = getattr(import_module(PARTS[name]), "sealed", None)
        if makes is not None:
            found.append((name, makes(plan, folder)))
    return found


def _masked(thing: Any) -> Any:
    """Addresses without a name, a password or the values of their query."""
    from evenhand.llm import shown

    if isinstance(thing, Mapping):
        return {key: _masked(value) for key, value in thing.items()}
    if isinstance(thing, list):
        return [_masked(value) for value in thing]
    return shown(thing) if isinstance(thing, str) and "://" in thing else thing
