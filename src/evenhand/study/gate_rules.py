"""The rules of a gate study: fixed, frozen in a file, chosen or learned out of fold, or with a promise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, Undecidable
from evenhand.gate.calibration import calibration_split, one_per_cluster
from evenhand.gate.columns import Column, Decisions, column_of, decisions_of
from evenhand.gate.cost import Costs
from evenhand.gate.guarantee import Guarantee, guarantee
from evenhand.gate.learn import learn
from evenhand.gate.rules import Always, Consensus, Never, threshold_rule
from evenhand.gate.signals import signal
from evenhand.gate.threshold import cheapest_threshold, grid_of
from evenhand.stats.folds import folds_by_cluster
from evenhand.stats.proportion import min_n_zero_errors
from evenhand.study.gate_folds import chosen_out_of_fold

if TYPE_CHECKING:
    from evenhand.gate.decision import Rule
    from evenhand.gate.rankings import Rankings
    from evenhand.gate.truth import Truth
    from evenhand.model.analysis import GatePlan
    from evenhand.model.gold import GoldSet

__all__ = ["Candidate", "Ground", "baselines", "candidate", "signals_of"]

GRID_SHARE = 0.25  # of the calibration questions, to lay a grid by where a scale has no two ends


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One rule and its decisions. ``how``: fixed, frozen, out of fold, promised, baseline, or refused.

    ``rule`` is what would be exported; None where none could be made, and ``reason`` says why. ``questions``
    are those that it may be reported on: for a promise, not the ones that chose its threshold.
    """

    name: str
    how: str
    rule: Rule | None = None
    decisions: Decisions | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    guarantee: Guarantee | None = None


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What rules are judged on: rankings and truth over the same questions."""

    plan: GatePlan
    gold: GoldSet
    ranked: Rankings
    truth: Truth
    seed: int
    frozen: Rule | None = None  # of the gate.json that [gate] rule names
    frozen_on: str = ""  # the seal of the questions that it was measured on
    registered: GatePlan | None = None  # what was planned, where it was amended
    progress: Callable[..., None] = field(default=lambda *_: None)

    @property
    def costs(self) -> Costs:
        """Those of the plan; where it names none, all mistakes count alike."""
        given = self.plan.costs
        return Costs(
            false_answer=given.get("false_answer", 1.0),
            needless_deferral=given.get("needless_deferral", 1.0),
            prevalence=given.get("prevalence"),
        )

    @property
    def losses(self) -> np.ndarray:
        """1 where answering from the first document of the answering system would be wrong."""
        return self.truth.losses(self.ranked, self.plan.of[-1])

    def column(self, name: str) -> Column:
        """A signal over all questions."""
        return column_of(signal(name, self.plan.of, self.ranked.scales), self.ranked)

    def take(self, questions: Sequence[str]) -> Ground:
        """The same for some of the questions."""
        from dataclasses import replace

        return replace(self, ranked=self.ranked.take(questions), truth=self.truth.take(questions))


def signals_of(plan: GatePlan) -> tuple[str, ...]:
    """The signals that a study looks at: those it names, and those of its rules."""
    of = plan.of
    own = [f"{kind}({name})" for name in of for kind in ("score", "margin")]
    alike = ["consensus", "agreement@5", "rbo@10"] if len(of) > 1 else []
    rules = [name for name in (plan.rule, *plan.also) if name != "learned" and not name.endswith(".json")]
    return tuple(dict.fromkeys([*(plan.signals or (*own, *alike)), *rules]))


def baselines(ground: Ground) -> list[Candidate]:
    """Answer everything, and defer everything."""
    of = ground.plan.of
    return [
        Candidate(name=one.name, how="baseline", rule=one, decisions=decisions_of(one, ground.ranked))
        for one in (Always(of), Never(of))
    ]


def candidate(ground: Ground, name: str, *, planned: bool) -> Candidate:
    """The rule called *name*; a threshold that is not given is chosen so that no question chose its own."""
    plan = ground.plan
    rule: Rule | None = None
    if ground.frozen is not None and planned:
        rule, how = ground.frozen, "frozen"
    elif name == "consensus":
        rule, how = Consensus(plan.of), "fixed"
    elif name == "learned":
        return _learned(ground)
    else:
        given = plan.threshold if planned else plan.thresholds.get(name)
        if given is not None:
            rule, how = threshold_rule(name, given, plan.of, ground.ranked.scales), "fixed"
    if rule is not None:
        return Candidate(name=rule.name, how=how, rule=rule, decisions=decisions_of(rule, ground.ranked))
    if planned and plan.alpha is not None:
        promise = promised(ground, name)
        if promise.threshold is None:
            return Candidate(name=name, how="refused", reason=promise.says, guarantee=promise)
        rule = threshold_rule(name, promise.threshold, plan.of, ground.ranked.scales)
        made = decisions_of(rule, ground.ranked)
        return Candidate(name=rule.name, how="promised", rule=rule, decisions=made, guarantee=promise)
    return _chosen(ground, name)


def _learned(ground: Ground) -> Candidate:
    columns = [ground.column(name) for name in ground.plan.signals or signals_of(ground.plan)]
    useful = [one for one in columns if one.varies and one.signal.name != "learned"]
    if not useful:
        return Candidate(
            name="learned", how="refused", reason="no signal varies: there is nothing to learn from"
        )
    try:
        made = learn(
            useful,
            ground.truth,
            ground.ranked,
            ground.costs,
            folds=ground.plan.folds,
            seed=ground.seed,
            progress=ground.progress,
        )
    except Undecidable as error:
        return Candidate(name="learned", how="refused", reason=error.what)
    weights = ", ".join(
        f"{one.name} {weight:+.2f}"
        for one, weight in zip(made.rule.signals, made.rule.coefficients, strict=True)
    )
    notes: tuple[str, ...] = (f"coefficients on standardised signals: {weights}; penalty {made.penalty:g}",)
    if made.left_out:
        notes = (*notes, f"{made.left_out} questions lack a signal and are deferred")
    return Candidate(name="learned", how="out of fold", rule=made.rule, decisions=made.decisions, notes=notes)


def _chosen(ground: Ground, name: str) -> Candidate:
    column, of = ground.column(name), ground.plan.of
    clusters = ground.truth.clusters or list(ground.truth.questions)
    try:
        whole = cheapest_threshold(column, ground.losses, ground.truth.answerable, ground.costs)
        rule = threshold_rule(name, whole.threshold, of, ground.ranked.scales)
        folds = folds_by_cluster(1 - ground.losses, clusters, folds=ground.plan.folds, seed=ground.seed)
    except (Undecidable, InputError) as error:
        return Candidate(name=name, how="refused", reason=error.what)
    made, cuts = chosen_out_of_fold(column, ground.truth, ground.ranked, ground.costs, folds)
    told = ", ".join("defer all" if cut is None else f"{cut:g}" for cut in cuts)
    notes = (f"cheapest threshold on all {len(made.made)} questions {whole.threshold:g}; by fold {told}",)
    return Candidate(name=name, how="out of fold", rule=rule, decisions=made, notes=notes)


def promised(ground: Ground, name: str) -> Guarantee:
    """A threshold on a signal by Learn-then-Test: the grid, the choice and the report on questions apart."""
    plan = ground.plan
    assert plan.alpha is not None  # noqa: S101 - asked for only then
    chosen, _ = calibration_split(ground.gold, calibration=plan.calibration, seed=ground.seed)
    cluster = dict(zip(ground.truth.questions, ground.truth.clusters or ground.truth.questions, strict=True))
    grid: tuple[float, ...] = (1.0,) if name == "consensus" else plan.grid if name == plan.rule else ()
    if not grid:
        chosen, grid = _laid(ground, name, chosen, cluster)
    alone = one_per_cluster(chosen, [cluster[q] for q in chosen], seed=ground.seed)
    part = ground.take(alone)
    return guarantee(
        part.column(name),
        part.losses,
        grid,
        alpha=plan.alpha,
        delta=plan.delta,
        method="bonferroni" if plan.method == "bonferroni" else "fixed_sequence",
    )


def _laid(
    ground: Ground, name: str, chosen: Sequence[str], cluster: dict[str, str]
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The calibration questions without some clusters, and a grid by the values on these."""
    plan = ground.plan
    names = sorted({cluster[q] for q in chosen})
    kept = one_per_cluster(names, list(range(len(names))), seed=ground.seed)
    from evenhand.stats.seeds import stream

    order = stream(ground.seed, "gate", "grid").permutation(len(kept))
    aside = {kept[i] for i in order[: max(1, round(GRID_SHARE * len(kept)))].tolist()}
    lay = [q for q in chosen if cluster[q] in aside]
    rest = tuple(q for q in chosen if cluster[q] not in aside)
    column = ground.take(lay).column(name)
    values = np.sort(column.value[column.defined])
    if not len(values):
        raise Undecidable(f"no question has a value of {name}", mend="see its reasons in the report")
    # a first threshold that answers too few can never pass: begin where enough is to be expected
    need = min_n_zero_errors(plan.alpha or 0.1, plan.delta) / max(1, len({cluster[q] for q in rest}))
    if need < 1:
        sure = np.quantile(values, 1 - need if column.signal.scale.higher else need, method="lower")
        values = values[values <= sure] if column.signal.scale.higher else values[values >= sure]
    return rest, grid_of(column.signal.scale, other=values)
