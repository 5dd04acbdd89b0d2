"""A study's panel held against its people: what is drawn for them, what came back, what it is worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.judge.calibration.paired_labels import cases_of, people_of, status_of
from evenhand.judge.calibration.panel_vs_people import on_sheet
from evenhand.judge.calibration.section import told_of
from evenhand.labelling.desk.agreement_text import number_words
from evenhand.model.plan.sections import CalibrationPlan
from evenhand.model.seal import seal_texts
from evenhand.study.panel.text import REPLIED, replied_words
from evenhand.study.robustness.steps import gullibility_of, noise_of, read_stress
from evenhand.study.steps.code_fingerprint import code_seal
from evenhand.study.steps.loop import Artifacts, Step
from evenhand.study.steps.serialize import json_form
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from evenhand.model.label import Label
    from evenhand.model.plan.calibration_sample import Case, Sample
    from evenhand.model.plan.study import Plan
    from evenhand.study.comparison.steps import Table
    from evenhand.study.panel.ask import Bench
    from evenhand.study.panel.items import PanelItems

__all__ = ["Calibrating", "calibrating", "labels_of_calibration", "sample_of", "steps"]


@dataclass(frozen=True, kw_only=True)
class Calibrating:
    """A study's panel, the items it judges, the sample drawn from them and people's labels."""

    plan: Plan
    bench: Bench
    items: PanelItems
    sample: Sample | None
    labels: Sequence[Label] = ()
    gullibility: Mapping[str, Any] | None = None
    noise: Mapping[str, Any] | None = None  # of the least steady judge, see `noise_of`
    amendments: Iterable[Mapping[str, Any]] = field(default_factory=tuple)

    @property
    def calibration(self) -> CalibrationPlan:
        """What the study plans; the defaults where it has no [calibration]."""
        return self.plan.calibration or CalibrationPlan()

    @cached_property
    def questions(self) -> dict[str, str]:
        """The question of every item that is judged and that the calibration is about."""
        about = self.items.calibrates
        return {s.item: s.question for s in self.items.shown if about is None or s.item in about}

    @cached_property
    def people(self) -> tuple[dict[str, tuple[float | None, str]], int]:
        """What people said of these items under the panel's sheet, and of how many under another alone."""
        return people_of((one for one in self.labels if one.item in self.questions), self.bench.brief)

    @cached_property
    def cases(self) -> list[Case]:
        """Every judged item, with what the panel decided and people said."""
        standing = self.bench.standing(self.bench.kept())
        made = self.bench.decisions(standing.votes, self.items)
        return cases_of(
            made,
            self.questions,
            self.people[0],
            clusters=self.items.clusters,
            asked=self.bench.judges,
        )

    @cached_property
    def replied(self) -> dict[str, str]:
        """By judge: the names that models gave themselves in its replies."""
        found: dict[str, dict[str, int]] = {}
        for vote in self.bench.standing(self.bench.kept()).votes:
            name = str(vote.told.get(REPLIED, ""))
            if name and vote.repeat == 0 and vote.item in self.questions:
                of = found.setdefault(vote.judge, {})
                of[name] = of.get(name, 0) + 1
        return {judge: replied_words({"replied": of}) for judge, of in found.items()}

    @property
    def status(self) -> dict[str, str]:
        """The stratum of each item by what the panel decided."""
        return status_of(self.cases)

    @property
    def voted(self) -> bool:
        """Whether the panel has said anything yet."""
        return any(vote is not None for case in self.cases for vote in case.votes)

    def told(self) -> dict[str, Any]:
        """The section ``panel`` of a report: calibration, lines of trust, rate or bracket, numbers, words."""
        plan, levels = self.calibration, self.bench.brief.sheet.levels
        self._same_items()
        made = told_of(
            self.cases,
            self.sample,
            scale=(levels[0].grade, levels[-1].grade),
            yes=plan.yes,
            judges=self.bench.judges,
            people=on_sheet(self.labels, self.bench.brief),
            level=self.plan.compare.level,
            half_width=plan.half_width,
            seed=self.plan.seed,
            lines=plan.trust,
            criteria=self.plan.criteria,
            gullibility=self.gullibility,
            amendments=self.amendments,
            sheet=self.bench.brief.sheet.name,
            models=[
                {
                    "judge": judge.name,
                    "model": judge.model,
                    "family": self.bench.families[judge.name],
                    **({"replied": self.replied[judge.name]} if judge.name in self.replied else {}),
                }
                for judge in self.bench.plan.judges
            ],
            another_sheet=self.people[1],
        )
        if self.noise is not None:
            made["numbers"]["self_consistency"] = dict(self.noise)
            again = number_words({**self.noise, "value": self.noise["point"]}, share=True)
            made["sentences"].append(
                f"Asked the same again, the least steady judge gave one verdict on {again} of "
                f"{many(self.noise['n'], 'item')}."
            )
        return made

    def _same_items(self) -> None:
        """Raise where the panel judges other items than those that the sample was drawn from."""
        if self.sample is not None and self.sample.of != seal_texts(sorted(self.questions)):
            raise InputError(
                f"[calibration] sample: drawn from {self.sample.population} "
                f"{noun(self.sample.population, 'item')}, and the panel judges "
                f"{len(self.questions)} others now",
                mend="draw a new sample: evenhand judge calibrate STUDY.toml --draw N --anew",
            )


def sample_of(plan: Plan, folder: Path) -> Sample | None:
    """The sample of a study, where one was drawn."""
    from evenhand.formats.labels.calibration import read_sample

    file = folder / (plan.calibration or CalibrationPlan()).sample
    return read_sample(file) if file.is_file() else None


def labels_of_calibration(plan: Plan, folder: Path) -> list[Label]:
    """People's labels of the study's own files: ``[calibration] labels``, and ``[gold] judgements``."""
    from evenhand.formats.labels.judgements import read_labels
    from evenhand.study.comparison.judgements import labels_of_plan

    file = folder / (plan.calibration or CalibrationPlan()).labels
    own = read_labels(file) if file.is_file() else []
    given = labels_of_plan(plan, folder)
    return [*own, *(given[1] if given is not None else ())]


def calibrating(
    plan: Plan,
    folder: Path,
    items: PanelItems,
    bench: Bench,
    *,
    labels: Iterable[Label] = (),
    amendments: Iterable[Mapping[str, Any]] = (),
) -> Calibrating:
    """Everything at hand; *labels* are those that lie elsewhere (in a store)."""
    return Calibrating(
        plan=plan,
        bench=bench,
        items=items,
        sample=sample_of(plan, folder),
        labels=[*labels_of_calibration(plan, folder), *labels],
        gullibility=gullibility_of(plan, folder, bench),
        noise=noise_of(plan, folder, bench),
        amendments=tuple(amendments),
    )


def steps(table: Table) -> Iterator[Step]:
    """The step that makes ``part/panel``."""
    from evenhand.formats.labels.judgements import label_json
    from evenhand.model.seal import seal
    from evenhand.study.panel.steps import VOTES

    plan, folder = table.plan, table.folder
    sample = sample_of(plan, folder)
    amendments = list((table.record or {}).get("amendments", ()))

    def work(larder: Artifacts) -> dict[str, Any]:
        from evenhand.study.panel.ask import bench_of
        from evenhand.study.panel.steps import items_in

        found = calibrating(
            plan, folder, items_in(table, larder), bench_of(plan, folder), amendments=amendments
        )
        return found.told()

    yield Step(
        makes="part/panel",
        needs=(VOTES, "questions", "gold", *(f"run/{one.name}" for one in table.field)),
        work=work,
        settings={
            "plan": plan.seal,
            "sample": sample.seal if sample is not None else None,
            "labels": seal([label_json(one) for one in labels_of_calibration(plan, folder)]),
            "amendments": seal(amendments),
            "stress": seal(read_stress(plan, folder)),
        },
        code=code_seal("judge", "labelling", "stats", "study"),
        form=json_form(),
    )
