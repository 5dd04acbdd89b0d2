"""The arms of a threshold study: one size of units each, and what the system finds in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from evenhand.errors import InputError, nearest
from evenhand.study.steps.code_fingerprint import code_seal
from evenhand.study.steps.loop import Artifacts, Step
from evenhand.study.steps.serialize import run_form

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet
    from evenhand.model.plan.sections import ThresholdPlan
    from evenhand.model.plan.study import Plan
    from evenhand.model.run import Run
    from evenhand.model.text import Corpus
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.participants import Participant

__all__ = ["Arm", "allowed_in", "arms_of", "check_arms", "found_in", "planned", "within_steps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One chunking, and the entrant that is the system on it; *documents*: patterns, none for all."""

    name: str
    entrant: str
    documents: tuple[str, ...] = ()
    called: str = ""
    main: bool = False

    @property
    def parted(self) -> bool:
        """Whether it is limited to a named sub-corpus."""
        return bool(self.documents)

    def holds(self, doc: str) -> bool:
        """Whether a document belongs to it."""
        return not self.documents or any(fnmatchcase(doc, pattern) for pattern in self.documents)


def planned(plan: Plan) -> ThresholdPlan:
    """The section [threshold] of a plan that has one."""
    if plan.threshold is None:
        raise InputError("the study has no [threshold]", mend="add [threshold], or leave its numbers away")
    return plan.threshold


def arms_of(plan: Plan, field: Sequence[Participant]) -> tuple[Arm, ...]:
    """The main arm and the others. Raises InputError where the system is not on a chunking of theirs."""
    asked = planned(plan)
    on = {one.chunking: one.name for one in field if one.system.name == asked.system}
    main = asked.chunking or next((cut.name for cut in plan.chunkings if cut.name in on), "")
    made = [Arm(name=main, entrant=on.get(main, ""), main=True)]
    made += [
        Arm(name=one.name, entrant=on.get(one.name, ""), documents=one.documents, called=one.called)
        for one in asked.arms
    ]
    for arm in made:
        if not arm.entrant:
            raise InputError(
                f"[threshold] {asked.system} does not rank the units of {arm.name or 'any chunking'!r}",
                mend=nearest(arm.name, on) if on else "a threshold needs a system on a chunking of the study",
            )
    if len({arm.name for arm in made}) < len(made):
        raise InputError("[threshold] an arm is the main arm already", mend="name another chunking")
    return tuple(made)


def check_arms(plan: Plan, field: Sequence[Participant]) -> None:
    """Raise `InputError` for what could not be retrieved or judged."""
    asked, arms = planned(plan), arms_of(plan, field)
    system = next(one.system for one in field if one.name == arms[0].entrant)
    alone = asked.scope == "source" or any(arm.parted for arm in arms)
    if alone and not (system.kind == "retriever" and system.what == "dense"):
        raise InputError(
            f"[threshold] system: {asked.system} cannot be asked within a part of the corpus",
            mend='name a dense retriever, or set scope = "corpus" and no documents for an arm',
        )
    if plan.measure.depth < asked.k:
        raise InputError(
            f"[threshold] k is {asked.k}, and runs end at {plan.measure.depth}",
            mend=f"set depth = {asked.k} under [measure]",
        )
    if asked.sufficiency == "span" and plan.gold.get("evidence") == "optional":
        raise InputError(
            "[threshold] sufficiency goes by spans, and the questions may have none",
            mend='set evidence = "needed" under [gold], or sufficiency = "panel"',
        )
    if asked.sufficiency == "panel" and (plan.panel is None or plan.panel.of != "threshold"):
        raise InputError(
            "[threshold] sufficiency is judged by a panel, and no panel judges its pairs",
            mend='add [panel] with of = "threshold" and its judges, or set sufficiency = "span"',
        )


def within_steps(table: Table) -> Iterator[Step]:
    """The steps that make ``within/<arm>``: exact cosines in the documents that each question may see."""
    if table.plan.threshold is None:
        return
    asked = table.plan.threshold
    for arm in arms_of(table.plan, table.field):
        if asked.scope == "corpus" and not arm.parted:
            continue

        def work(larder: Artifacts, arm: Arm = arm) -> Run:
            from evenhand.retrieve.dense.per_source import within
            from evenhand.study.threshold.corpus_criterion import check_seal

            corpus = larder["corpus"]
            check_seal(asked, corpus)
            allowed = allowed_in(arm, asked, corpus, larder["gold"], larder["questions"])
            return within(
                table.systems[asked.system],
                larder[f"units/{arm.name}"],
                larder["questions"],
                allowed,
                asked.k,
                cache=table.blobs,
                progress=table.progress,
                name=arm.entrant,
            )

        units = f"units/{arm.name}"
        one = next(one for one in table.field if one.name == arm.entrant)
        yield Step(
            makes=f"within/{arm.name}",
            needs=("questions", "gold", units, f"run/{arm.entrant}"),
            work=work,
            settings={
                "k": asked.k,
                "scope": asked.scope,
                "documents": list(arm.documents),
                "seal": asked.seal,
                "system": dict(one.system.settings),
            },
            code=code_seal("retrieve", "study"),
            form=run_form(units),
        )


def allowed_in(
    arm: Arm, asked: ThresholdPlan, corpus: Corpus, gold: GoldSet, questions: Mapping[str, str]
) -> dict[str, tuple[int, ...]]:
    """Positions of the documents that each question of an arm looks in; others are not asked."""
    part = tuple(i for i, one in enumerate(corpus) if arm.holds(str(one.id)))
    if arm.parted and not part:
        raise InputError(
            f"[threshold.arms.{arm.name}] documents: no document has such a name",
            mend="patterns are held against ids of documents: paths below the corpus, as in guides/*.md",
        )
    made: dict[str, tuple[int, ...]] = {}
    for question in questions:
        source = gold[question].source
        if asked.scope == "source":
            if source in corpus and arm.holds(source):
                made[question] = (corpus.position[source],)
        elif not source or arm.holds(source):
            made[question] = part
    return made


def found_in(arm: Arm, larder: Artifacts) -> Run:
    """What the system found in an arm: within each question's documents, or in the whole corpus."""
    name = f"within/{arm.name}"
    run: Run = larder[name] if name in larder else larder[f"run/{arm.entrant}"]
    return run
