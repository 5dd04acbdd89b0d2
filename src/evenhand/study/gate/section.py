"""What a study says of its gate, as plain JSON: tables, failures, curves, costs, promises, queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.gate.calibration import calibration_split
from evenhand.gate.columns import Decisions
from evenhand.gate.outcomes import Outcomes, outcomes_of
from evenhand.gate.production.exported import Gate
from evenhand.gate.queue import queue_of
from evenhand.gate.table import Table as Rates
from evenhand.gate.table import table_of
from evenhand.study.gate.costs import costs_told, promises_told
from evenhand.study.gate.document_status import corpus_told, reranked_told
from evenhand.study.gate.labelled_questions import Candidate, Ground, signals_of
from evenhand.study.gate.rows import cases_told, decisions_told, errors_told, failures_told, rule_told
from evenhand.study.gate.rules import baselines, candidate
from evenhand.study.gate.signals import curves_told, explorer_told, own_signal, separations_told
from evenhand.study.gate.text import BEFORE_USE, NOT_SHOWN, sentences, warnings

if TYPE_CHECKING:
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts

__all__ = ["told"]

SHOWN = 20  # of the queue, in the report; all are in queue.jsonl


def told(table: Table, larder: Artifacts, ground: Ground) -> dict[str, Any]:
    """The section ``gate`` of a report under ``part``; with it the gate, the queue and every decision.

    On the holdout the rule that was registered is evaluated, and nothing is compared, fitted or chosen.
    """
    plan, gold = ground.plan, ground.gold
    level = plan.level or table.plan.compare.level
    options: dict[str, Any] = {"level": level, "resamples": table.plan.compare.resamples, "seed": ground.seed}
    dev = table.split != "holdout"
    table.progress("gate", 0, 1)
    main = candidate(ground, plan.rule, planned=True)
    rules = [main]
    if dev:
        rules += [candidate(ground, name, planned=False) for name in plan.also]
    rules += _as_registered(ground)
    rules += baselines(ground)
    rules = _apart(rules)
    shown: tuple[str, ...] = tuple(gold.ids)
    if main.guarantee is not None:
        shown = calibration_split(gold, calibration=plan.calibration, seed=ground.seed)[1]
        main.guarantee.apart(shown)
    on = ground.take(shown)
    texts = {str(one.id): one.text for one in gold}
    outcomes = [None if one.decisions is None else _outcomes(one, on) for one in rules]
    rates = [None if one is None else table_of(one, level=level) for one in outcomes]
    made = [
        rule_told(one, found, table_, main=i == 0)
        for i, (one, found, table_) in enumerate(zip(rules, outcomes, rates, strict=True))
    ]
    first = outcomes[0]
    signals = signals_of(plan) if dev else tuple(filter(None, (own_signal(main, plan),)))
    curves = curves_told(on, signals, risks=plan.risks if dev else (), **options)
    costs = costs_told(on, [one for one in outcomes if one is not None], options) if dev else None
    part: dict[str, Any] = {
        "split": table.split,
        "level": level,
        "seed": ground.seed,
        "of": list(plan.of),
        "answers": plan.of[-1],
        "rule": main.name,
        "how": main.how,
        "registered": ground.registered is not None,
        "chosen_here": bool(ground.frozen_on) and ground.frozen_on == gold.seal,
        "sufficient": plan.sufficient,
        "questions": _questions(on, calibration=len(gold) - len(shown)),
        "rules": made,
        "cases": cases_told(first, ground) if first else [],
        "failures": failures_told(first, texts) if first else None,
        "errors": errors_told(first, texts, larder["corpus"]) if first else [],
        "curves": curves,
        "separation": separations_told(on, signals, level=level) if dev else [],
        "explorer": explorer_told(on, signals) if dev else None,
        "costs": costs,
        "promises": promises_told(ground, signals, main, level) if dev and plan.alpha is not None else [],
        "corpus": corpus_told(larder["corpus"], on, level=level),
        "reranked": reranked_told(table, larder, on.truth),
        "queue": _queue(main, on, texts),
        "before_use": list(BEFORE_USE),
        "not_shown": list(NOT_SHOWN),
        "numbers": _numbers(rates[0], main, curves, level),
    }
    part["sentences"] = sentences(part)
    part["warnings"] = warnings(part, on)
    queue = part["queue"]["rows"]
    part["queue"] = {**part["queue"], "rows": queue[:SHOWN]}
    table.progress("gate", 1, 1, main.name)
    return {
        "part": part,
        "gate": _gate_json(table, larder, main, rates[0]) if main.rule is not None else None,
        "queue": queue,
        "decisions": decisions_told(rules, outcomes, texts),
    }


def _as_registered(ground: Ground) -> list[Candidate]:
    """The rule that was registered, where it was amended and needs nothing that is not there."""
    first = ground.registered
    fixed = first is not None and (first.rule == "consensus" or first.threshold is not None)
    if first is None or not fixed or not set(first.of) <= set(ground.ranked.systems):
        return []
    made = candidate(replace(ground, plan=first, frozen=None), first.rule, planned=True)
    return [replace(made, name=f"{made.name}, as registered", notes=(f"over {', '.join(first.of)}",))]


def _apart(rules: Sequence[Candidate]) -> list[Candidate]:
    """Each rule under a name of its own: a frozen one and one that is chosen anew may be called the same."""
    made: list[Candidate] = []
    for one in rules:
        taken = {other.name for other in made}
        name = one.name if one.name not in taken else f"{one.name}, {one.how}"
        made.append(replace(one, name=name))
    return made


def _outcomes(one: Candidate, on: Ground) -> Outcomes:
    assert one.decisions is not None  # noqa: S101 - asked for only then
    at = {question: i for i, question in enumerate(one.decisions.questions)}
    some = Decisions(
        one.name,
        one.decisions.answers,
        on.truth.questions,
        tuple(one.decisions.made[at[question]] for question in on.truth.questions),
    )
    return outcomes_of(some, on.truth, on.ranked)


def _questions(on: Ground, *, calibration: int) -> dict[str, Any]:
    expect = Counter(on.truth.expect)
    return {
        "n": len(on.truth.questions),
        **{word: expect[word] for word in ("answer", "clarify", "abstain")},
        "clusters": len(set(on.truth.clusters or on.truth.questions)),
        "unreachable": on.truth.unreachable,
        "calibration": calibration,
    }


def _queue(main: Candidate, on: Ground, texts: Mapping[str, str]) -> dict[str, Any]:
    if main.decisions is None:
        return {"n": 0, "flagged": 0, "rows": []}
    at = {question: i for i, question in enumerate(main.decisions.questions)}
    some = replace(
        main.decisions,
        questions=on.truth.questions,
        made=tuple(main.decisions.made[at[question]] for question in on.truth.questions),
    )
    higher = main.rule.scale.higher if main.rule is not None else True
    rows = [one.as_json() for one in queue_of(some, on.ranked, texts, higher=higher)]
    return {"n": len(rows), "flagged": sum(row["flagged"] for row in rows), "rows": rows}


def _numbers(
    rates: Rates | None, main: Candidate, curves: Sequence[Mapping[str, Any]], level: float
) -> dict[str, dict[str, Any]]:
    from evenhand.gate.table import SAYS

    empty = {"point": None, "low": None, "high": None, "level": level, "n": 0, "k": None, "method": "wilson"}
    if rates is None:
        made = {name: {**empty, "reason": main.reason or "there is no rule"} for name in SAYS}
    else:
        made = {
            row.name: {
                "point": row.rate,
                "low": row.wilson.low,
                "high": row.wilson.high,
                "level": level,
                "n": row.n,
                "k": row.k,
                "method": row.wilson.method,
                "reason": row.reason,
            }
            for row in rates.rows
        }
    curve = next((one for one in curves if one["signal"] == own_signal(main, None)), None)
    if curve is None:
        made["aurc"] = {**empty, "method": "", "reason": "the rule weighs several signals, or there is none"}
    else:
        made["aurc"] = {**curve["aurc"], "level": level, "n": curve["n"], "k": None}
    return made


def _gate_json(table: Table, larder: Artifacts, main: Candidate, rates: Rates | None) -> dict[str, Any]:
    assert main.rule is not None  # noqa: S101 - asked for only then
    promise = main.guarantee
    measured = [
        {"name": row.name, "k": row.k, "n": row.n, "rate": row.rate, "low": row.wilson.low,
         "high": row.wilson.high, "level": row.wilson.level, "method": row.wilson.method}
        for row in (rates.rows if rates is not None else ())
    ]  # fmt: skip
    notes = ["measured on questions that this rule's numbers were chosen on, out of fold"]
    gate = Gate(
        main.rule,
        {name: _scale(larder, name) for name in main.rule.of},
        study={
            "name": table.plan.name,
            "plan": table.plan.seal,
            "corpus": larder["corpus"].seal,
            "gold": larder["gold"].seal,
            "split": table.split,
            "n": len(larder["gold"]),
        },
        measured=measured,
        guarantee={"alpha": promise.alpha, "delta": promise.delta, "method": promise.method,
                   "n": len(promise.calibration)} if promise is not None else None,
        notes=notes if main.how == "out of fold" else (),
    )  # fmt: skip
    return gate.as_json()


def _scale(larder: Artifacts, name: str) -> Any:
    from evenhand.gate.production.scales import scale_of

    return scale_of(larder[f"run/{name}"].provenance)
