"""The rules of a gate study: fixed, frozen in a file, chosen or learned out of fold, or with a promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.errors import InputError, Undecidable
from evenhand.gate.columns import decisions_of
from evenhand.gate.learn import learn
from evenhand.gate.production.rules import Always, Consensus, Never, threshold_rule
from evenhand.gate.threshold import cheapest_threshold
from evenhand.labelling.desk.agreement_text import figure
from evenhand.stats.selective.folds import folds_by_cluster
from evenhand.study.gate.folds import chosen_out_of_fold
from evenhand.study.gate.guarantee import promised
from evenhand.study.gate.labelled_questions import Candidate, signals_of
from evenhand.text.plural import noun, verb

if TYPE_CHECKING:
    from evenhand.gate.production.decision import Rule
    from evenhand.study.gate.labelled_questions import Ground

__all__ = ["baselines", "candidate"]


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
        f"{one.name} {figure(weight, '+.2f')}"
        for one, weight in zip(made.rule.signals, made.rule.coefficients, strict=True)
    )
    notes: tuple[str, ...] = (f"coefficients on standardised signals: {weights}; penalty {made.penalty:g}",)
    if made.left_out:
        notes = (
            *notes,
            (
                f"{made.left_out} {noun(made.left_out, 'question')} {verb(made.left_out, 'lacks', 'lack')} a "
                "signal and are deferred"
            ),
        )
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
    notes = (
        (
            f"cheapest threshold on all {len(made.made)} {noun(len(made.made), 'question')} "
            f"{whole.threshold:g}; by fold {told}"
        ),
    )
    return Candidate(name=name, how="out of fold", rule=rule, decisions=made, notes=notes)
