"""What a study says of its gate, as plain JSON: tables, failures, curves, costs, promises, queue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.gate.calibration import calibration_split
from evenhand.gate.columns import Decisions, decisions_of
from evenhand.gate.cost import reckon
from evenhand.gate.exported import Gate
from evenhand.gate.outcomes import KINDS, Outcomes, outcomes_of
from evenhand.gate.queue import queue_of
from evenhand.gate.rules import threshold_rule
from evenhand.gate.table import Table as Rates
from evenhand.gate.table import table_of
from evenhand.stats.proportion import wilson
from evenhand.study.gate_corpus import corpus_told, reranked_told
from evenhand.study.gate_rules import Candidate, Ground, baselines, candidate, promised, signals_of
from evenhand.study.gate_signals import curves_told, explorer_told, own_signal, separations_told
from evenhand.study.gate_words import BEFORE_USE, NOT_SHOWN, sentences, warnings

if TYPE_CHECKING:
    from evenhand.study.steps import Larder
    from evenhand.study.table import Table

__all__ = ["told"]

SHOWN = 20  # of the queue, in the report; all are in queue.jsonl


def told(table: Table, larder: Larder, ground: Ground) -> dict[str, Any]:
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
    rules += baselines(ground)
    shown: tuple[str, ...] = tuple(gold.ids)
    if main.guarantee is not None:
        shown = calibration_split(gold, calibration=plan.calibration, seed=ground.seed)[1]
        main.guarantee.apart(shown)
    on = ground.take(shown)
    texts = {str(one.id): one.text for one in gold}
    outcomes = [None if one.decisions is None else _outcomes(one, on) for one in rules]
    rates = [None if one is None else table_of(one, level=level) for one in outcomes]
    made = [
        _rule_told(one, found, table_, main=i == 0)
        for i, (one, found, table_) in enumerate(zip(rules, outcomes, rates, strict=True))
    ]
    first = outcomes[0]
    signals = signals_of(plan) if dev else tuple(filter(None, (own_signal(main, plan),)))
    curves = curves_told(on, signals, risks=plan.risks if dev else (), **options)
    costs = _costs(on, [one for one in outcomes if one is not None], options) if dev else None
    part: dict[str, Any] = {
        "split": table.split,
        "level": level,
        "seed": ground.seed,
        "of": list(plan.of),
        "answers": plan.of[-1],
        "rule": main.name,
        "how": main.how,
        "sufficient": plan.sufficient,
        "questions": _questions(on, calibration=len(gold) - len(shown)),
        "rules": made,
        "cases": _cases(first, ground) if first else [],
        "failures": _failures(first, texts) if first else None,
        "errors": _errors(first, texts, larder["corpus"]) if first else [],
        "curves": curves,
        "separation": separations_told(on, signals, level=level) if dev else [],
        "explorer": explorer_told(on, signals) if dev else None,
        "costs": costs,
        "promises": _promises(ground, signals, main, level) if dev and plan.alpha is not None else [],
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
        "decisions": _decisions(rules, outcomes, texts),
    }


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


def _rule_told(one: Candidate, found: Outcomes | None, rates: Rates | None, *, main: bool) -> dict[str, Any]:
    flagged = Counter(row.reason or "" for row in found.rows if row.flagged) if found else Counter[str]()
    return {
        "name": one.name,
        "planned": main,
        "how": one.how,
        "reason": one.reason,
        "notes": list(one.notes),
        "rates": [] if rates is None else [_rate(row) for row in rates.rows],
        "kinds": found.kinds if found else {},
        "flagged": dict(sorted(flagged.items())),
        "n": len(found.rows) if found else 0,
    }


def _rate(row: Any) -> dict[str, Any]:
    return {
        "name": row.name,
        "says": row.says,
        "k": row.k,
        "n": row.n,
        "rate": row.rate,
        "wilson": [row.wilson.low, row.wilson.high],
        "exact": [row.clopper_pearson.low, row.clopper_pearson.high],
        "lower": row.lower.low,
        "upper": row.upper.high,
        "lower_exact": row.lower_exact.low,
        "upper_exact": row.upper_exact.high,
        "descriptive": row.descriptive,
        "reason": row.reason,
    }


def _questions(on: Ground, *, calibration: int) -> dict[str, Any]:
    expect = Counter(on.truth.expect)
    return {
        "n": len(on.truth.questions),
        **{word: expect[word] for word in ("answer", "clarify", "abstain")},
        "clusters": len(set(on.truth.clusters or on.truth.questions)),
        "unreachable": on.truth.unreachable,
        "calibration": calibration,
    }


def _cases(found: Outcomes, ground: Ground) -> list[dict[str, Any]]:
    """Kinds of decisions by tag: exploratory."""
    tags = {str(one.id): one.tags for one in ground.gold}
    counted: dict[str, Counter[str]] = {}
    for row in found.rows:
        for tag in tags[row.question]:
            counted.setdefault(tag, Counter())[row.kind] += 1
    return [
        {"tag": tag, "n": sum(kinds.values()), "kinds": {kind: kinds[kind] for kind in KINDS if kinds[kind]}}
        for tag, kinds in sorted(counted.items())
    ]


def _row(row: Any, texts: Mapping[str, str]) -> dict[str, Any]:
    return {
        "question": row.question,
        "text": texts[row.question],
        "expect": row.expect,
        "kind": row.kind,
        "top": row.top,
        "reason": row.reason,
        "below": row.below,
        "knew": list(row.knew),
        "dissent": list(row.dissent),
        "superseded": row.superseded,
    }


def _failures(found: Outcomes, texts: Mapping[str, str]) -> dict[str, Any]:
    """Answerable questions that were deferred: who disagreed, who knew, and where the answer stood."""
    rows = [row for row in found.rows if row.kind == "needless_deferral"]
    on_top = sum(row.below == 1 for row in rows)
    return {
        "n": len(rows),
        "dissent": found.dissent,
        "on_top": on_top,
        "below": sum(row.below is not None and row.below > 1 for row in rows),
        "not_ranked": sum(row.below is None for row in rows),
        "somebody_knew": sum(bool(row.knew) for row in rows),
        "ranks": {
            str(rank): n for rank, n in sorted(Counter(r.below for r in rows if r.below is not None).items())
        },
        "rows": [_row(row, texts) for row in rows],
    }


def _errors(found: Outcomes, texts: Mapping[str, str], corpus: Any) -> list[dict[str, Any]]:
    rows = []
    for row in found.errors():
        if row.kind == "needless_deferral":
            continue  # these are the failures
        document = corpus[row.top] if row.top is not None else None
        about = {"title": document.title, "status": document.status} if document is not None else {}
        rows.append({**_row(row, texts), "title": "", "status": "", **about})
    return rows


def _costs(on: Ground, outcomes: Sequence[Outcomes], options: Mapping[str, Any]) -> dict[str, Any]:
    found = reckon(outcomes, on.costs, clusters=on.truth.clusters, **options)
    return {
        "given": bool(on.plan.costs),
        "false_answer": on.costs.false_answer,
        "needless_deferral": on.costs.needless_deferral,
        "prevalence": found.prevalence,
        "prevalence_given": on.costs.prevalence is not None,
        "best": found.best,
        "undefined": found.undefined,
        "reason": found.reason,
        "rules": [
            {
                "rule": one.rule,
                "cost": one.cost.point,
                "low": one.cost.interval.low,
                "high": one.cost.interval.high,
                "best": one.best,
                "wrong": one.wrong,
                "deferred": one.deferred,
                "answered": one.answered,
                "prevalences": list(one.prevalences) if one.prevalences else None,
                "ratios": list(one.ratios) if one.ratios else None,
            }
            for one in found.rules
        ],
    }


def _promises(ground: Ground, signals: Sequence[str], main: Candidate, level: float) -> list[dict[str, Any]]:
    """Learn-then-Test on each signal, and the risk of its threshold on questions that did not choose it."""
    from evenhand.errors import EvenhandError

    _, report = calibration_split(ground.gold, calibration=ground.plan.calibration, seed=ground.seed)
    rows: list[dict[str, Any]] = []
    for name in signals:
        try:
            same = main.guarantee is not None and main.guarantee.signal == name
            found = main.guarantee if same else promised(ground, name)
        except EvenhandError as error:
            rows.append({"signal": name, "threshold": None, "says": error.what, "calibration": 0,
                         "needed_error_free": None, "needed_at_seen": None, "needed_questions": None,
                         "grid": [], "reported": None})  # fmt: skip
            continue
        assert found is not None  # noqa: S101 - one of the two made it
        reported = None
        if found.threshold is not None:
            found.apart(report)
            rule = threshold_rule(name, found.threshold, ground.plan.of, ground.ranked.scales)
            on = ground.take(report)
            seen = decisions_of(rule, on.ranked)
            wrong = int((seen.answered & (on.losses > 0)).sum())
            n = int(seen.answered.sum())
            span = wilson(wrong, n, level=level)
            reported = {"wrong": wrong, "answered": n, "of": len(report), "low": span.low, "high": span.high}
        rows.append({
            "signal": name, "threshold": found.threshold, "says": found.says,
            "calibration": len(found.calibration), "needed_error_free": found.needed_error_free,
            "needed_at_seen": found.needed_at_seen, "needed_questions": found.needed_questions,
            "grid": [
                [one.threshold, one.answered, one.wrong, one.p_value, one.upper, one.certified]
                for one in found.grid
            ],
            "reported": reported,
        })  # fmt: skip
    return rows


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


def _gate_json(table: Table, larder: Larder, main: Candidate, rates: Rates | None) -> dict[str, Any]:
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


def _scale(larder: Larder, name: str) -> Any:
    from evenhand.gate.scales import scale_of

    return scale_of(larder[f"run/{name}"].provenance)


def _decisions(
    rules: Sequence[Candidate], outcomes: Sequence[Outcomes | None], texts: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One line a question and rule: what was decided, from which document, and what that was."""
    rows = []
    for one, found in zip(rules, outcomes, strict=True):
        if found is None or one.decisions is None:
            continue
        value = dict(zip(one.decisions.questions, (made.value for made in one.decisions.made), strict=True))
        rows += [
            {"rule": one.name, **_row(row, texts), "value": value[row.question], "flagged": row.flagged}
            for row in found.rows
        ]
    return rows
