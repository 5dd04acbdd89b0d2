"""The systems of a plan: checked before work begins, built when they are asked something."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.model.seal import seal
from evenhand.study.steps.code_fingerprint import code_seal, guest_seal
from evenhand.study.steps.participants import null_systems

if TYPE_CHECKING:
    from evenhand.model.plan.study import Plan, SystemPlan
    from evenhand.store.blobs import Blobs

__all__ = ["Systems"]


class Systems:
    """What is asked, by the name of its section.

    Making one checks all of them, and tells everything that is wrong at once, unless the same plan was
    checked before by the same code: then nothing is imported until a system has to work.
    """

    def __init__(self, plan: Plan, folder: Path, blobs: Blobs) -> None:
        self._plans = {s.name: s for s in (*plan.systems, *null_systems(plan)) if s.kind != "run"}
        self._folder, self._seed, self._cuts = folder, plan.seed, plan.chunkings
        self._made: dict[str, Any] = {}
        named = (*(cut.rule for cut in plan.chunkings), *(one.what for one in self._plans.values()))
        guests = [guest_seal(name) for name in named if name.startswith("python:")]
        key = seal(["checked", plan.seal, code_seal("retrieve"), guests])
        known = blobs.meta("checked", key)
        if known is not None:
            self.own: tuple[str, ...] = tuple(known["meta"]["own"])
            return
        self._build_all()
        # a guest that brings its own index is its own chunking
        self.own = tuple(n for n, made in self._made.items() if not getattr(made, "searches_units", True))
        blobs.put("checked", key, {}, {"own": list(self.own)})

    def __getitem__(self, name: str) -> Any:
        """The system, built now if it was not yet."""
        if name not in self._made:
            self._made[name] = self._build(self._plans[name])
        return self._made[name]

    def _build(self, plan: SystemPlan) -> Any:
        from evenhand.retrieve.build import build

        if plan.what == "random" and "seed" not in plan.settings:
            plan = replace(plan, settings={**plan.settings, "seed": self._seed})
        made = build(plan, base_folder=self._folder)
        if plan.what.startswith("python:") and hasattr(made, "identity"):
            made.identity = guest_seal(plan.what)  # answers of this very source are not asked for twice
        return made

    def _build_all(self) -> None:
        from evenhand.corpus.chunking_config import rule_of
        from evenhand.formats.study_file.toml_reader import Problems

        wrong: list[InputError] = []
        for cut in self._cuts:
            try:
                rule_of(cut.rule, cut.settings, where=f"[chunking.{cut.name}]")
            except InputError as error:
                wrong.append(error)
        for name, plan in self._plans.items():
            try:
                self._made[name] = self._build(plan)
            except InputError as error:
                wrong.append(error)
        if wrong:
            raise Problems.of(wrong)
