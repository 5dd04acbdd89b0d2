"""The section ``answers`` of a report, as plain JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from evenhand.answer.checks.run_checks import CHECKS, looked_in
from evenhand.answer.diagnosis.abstention_table import expected_table
from evenhand.answer.diagnosis.diagnose import Case, cells, rate
from evenhand.answer.diagnosis.failure_rates import accounts
from evenhand.answer.diagnosis.sufficient_context import sufficient_table
from evenhand.answer.rating.human_agreement import agreement
from evenhand.answer.rating.ratings import is_blind
from evenhand.llm.providers.families import family_of
from evenhand.metrics.catalogue.claims import CLAIM_RATES, claim_rates
from evenhand.stats.intervals.bootstrap import mean_percentile
from evenhand.study.generation.ask import name_of, templates_of
from evenhand.study.generation.cases import Ground, cases_of, ground_of
from evenhand.study.generation.items import items_told
from evenhand.study.generation.rates import account_json, rate_json, share_json
from evenhand.study.generation.requests import plan_of
from evenhand.study.generation.text import NOT_SHOWN, sentences, warnings

if TYPE_CHECKING:
    from evenhand.model.answer import Finding
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts

__all__ = ["section"]

ELSEWHERE = "ratings are of items that are not here, and do not count: was something generated anew?"
ANSWER, RETRIEVAL, CLOSED = attrgetter("answer"), attrgetter("retrieval"), attrgetter("closed")


def section(table: Table, larder: Artifacts, told: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that the report says of generated answers and items."""
    plan, level = plan_of(table.plan), table.plan.compare.level
    ground = ground_of(table, larder, told, progress=table.progress)
    every = [*ground.open, *ground.closed]
    findings = [one for found in ground.findings.values() for one in found]
    accounted = accounts(every, findings, level=level)
    made: dict[str, Any] = {
        "kind": plan.kind,
        "name": name_of(plan),
        "model": plan.model,
        "family": plan.family or family_of(plan.model),
        "source": plan.source,
        "system": plan.system,
        "k": plan.k,
        "split": table.split,
        "level": level,
        "seed": table.plan.seed,
        "prompts": [
            {"kind": one.kind, "seal": one.seal, "instructions": one.instructions}
            for one in (templates_of(plan, table.folder) if plan.model else ())
        ],
        **{name: told[name] for name in ("asked", "missing", "failed", "other", "reworded", "lacks")},
        "written_by": dict(
            sorted(Counter(str(one.extra.get("written_by", "")) for one in every if one.call).items())
        ),
        "accounts": [account_json(one) for one in accounted],
        "expected": [
            {
                "system": row.system,
                "expect": row.expect,
                "did": dict(row.did),
                "right": share_json(row.right),
                "again": row.again,
            }
            for row in expected_table(ground.open, ground.abstention, level=level)
        ],
        "diagnosis": [
            diagnosis_json(name, cases_of(table, larder, ground, name), level=level, kind=plan.kind)
            for name in ground.systems
        ],
        "claims": _claims(ground, told["claims"], level=level, seed=table.plan.seed),
        "rated": _rated(ground),
        "agreement": _agreement(table, ground, findings),
        "checks": {name: {"asks": one.asks, "looks_at": one.looks_at} for name, one in CHECKS.items()},
        "looked_in": looked_in(ground.open, ground.settings),
        "items": items_told(every, ground.findings),
        "not_shown": list(NOT_SHOWN),
    }
    if plan.entailment:
        made["entailment"] = {"model": plan.entailment, "at_least": ground.settings.entailed}
    beside = made["agreement"] or {"numbers": {}, "warnings": []}
    made["numbers"] = {**_numbers(made, level), **beside.pop("numbers")}
    made["sentences"] = sentences(made)
    made["warnings"] = [*warnings(made, every), *beside.pop("warnings")]
    if told["ratings_elsewhere"]:
        made["warnings"].append(
            {"kind": "ratings elsewhere", "count": told["ratings_elsewhere"], "text": ELSEWHERE}
        )
    return made


def diagnosis_json(system: str, cases: Sequence[Case], *, level: float, kind: str) -> dict[str, Any]:
    """The four cells with their causes and cases, rates, slices, and the table of sufficient context."""
    answerable = [one for one in cases if one.expect in ("", "answer")]
    found = cells(answerable, level=level)
    return {
        "system": system,
        "n": len(answerable),
        "by": dict(sorted(Counter(one.by for one in answerable).items())),
        "cells": [
            {
                "name": one.name,
                "says": one.says,
                "share": rate_json(one.share),
                "count": len(one.cases),
                "causes": [{"cause": cause, "n": n} for cause, n in one.causes.items()],
                "closed": one.closed,
                "closed_n": one.closed_n,
            }
            for one in found
        ],
        "rates": _rates(answerable, level),
        "retrieval_unknown": dict(
            sorted(Counter(one.lacks for one in answerable if one.retrieval is None).items())
        ),
        "sufficient": [
            {
                "name": row.name,
                "says": row.says,
                "n": row.n,
                "counts": [{"did": did, "n": n} for did, n in row.counts.items()],
                "right": rate_json(row.right),
                "again": row.again,
            }
            for row in (sufficient_table(cases, level=level) if kind == "answers" else ())
        ],
        "slices": list(_slices(answerable, level)),
        "cases": [case_json(one) for one in cases],
    }


def case_json(one: Case) -> dict[str, Any]:
    """One case; slices are told apart."""
    names = ("question", "item", "cell", "cause", "retrieval", "answer", "by", "did", "why", "closed", "rank")
    return {name: getattr(one, name) for name in (*names, "expect")}


def _rates(cases: Sequence[Case], level: float) -> list[dict[str, Any]]:
    good = [one for one in cases if one.retrieval is True]
    bad = [one for one in cases if one.retrieval is False]
    asked = [one for one in cases if one.closed is not None]
    unknown = sum(one.retrieval is None for one in cases)
    rows = [
        ("answer", "answers that are right", rate(cases, ANSWER, level=level)),
        ("passages", "passages that held what is needed", rate(cases, RETRIEVAL, level=level)),
        ("answer_given_retrieval", "right, where the passages held it", rate(good, ANSWER, level=level)),
        ("answer_without_retrieval", "right, where they did not", rate(bad, ANSWER, level=level)),
    ]
    if asked:
        rows.append(("closed_book", "right without any passage", rate(asked, CLOSED, level=level)))
    made = [{"name": name, "says": says, **rate_json(found)} for name, says, found in rows]
    for row in made[1:4]:
        if unknown and not row["n"]:
            row["reason"] = f"retrieval is unknown for {unknown} of {len(cases)}"
    return made


def _slices(cases: Sequence[Case], level: float) -> Iterable[dict[str, Any]]:
    groups: dict[tuple[str, str], list[Case]] = {}
    for one in cases:
        for by, values in one.slices.items():
            for value in values:
                groups.setdefault((by, value), []).append(one)
    order = list(dict.fromkeys(by for by, _ in groups))
    for by, value in sorted(groups, key=lambda key: (order.index(key[0]), key[1])):
        own = groups[by, value]
        yield {
            "by": by,
            "value": value,
            "n": len(own),
            "cells": dict(sorted(Counter(one.cell for one in own).items())),
            "answer": rate_json(rate(own, ANSWER, level=level)),
            "retrieval": rate_json(rate(own, RETRIEVAL, level=level)),
        }


def _claims(
    ground: Ground, told: Mapping[str, Any] | None, *, level: float, seed: int
) -> dict[str, Any] | None:
    if told is None:
        return None
    found = [claim_rates(one) for one in ground.claimed.values()]
    rows = []
    for name, says in CLAIM_RATES.items():
        values = [value for one in found if (value := one[name]) is not None]
        mean = mean_percentile(values, level=level, seed=seed)
        rows.append(
            {
                "name": name,
                "says": says,
                "point": mean.point,
                "low": mean.interval.low,
                "high": mean.interval.high,
                "n": len(values),
                "undefined": len(found) - len(values),
                "method": mean.interval.method,
                "reason": mean.interval.reason,
            }
        )
    return {
        **{name: told[name] for name in ("judges", "items", "asked", "missing", "failed")},
        "answers": len(found),
        "undecided": sum(one.undecided for one in ground.claimed.values()),
        "rates": rows,
    }


def _agreement(table: Table, ground: Ground, findings: Sequence[Finding]) -> dict[str, Any] | None:
    """Checks, people and models beside each other; None where nobody rated."""
    if not ground.ratings:
        return None
    options = table.plan.compare
    return agreement(
        ground.open,
        findings,
        ground.ratings,
        level=options.level,
        resamples=options.resamples,
        seed=table.plan.seed,
    )


def _rated(ground: Ground) -> dict[str, int]:
    blind = [one for one in ground.ratings if is_blind(one)]
    return {
        "ratings": len(ground.ratings),
        "blind": len(blind),
        "raters": len({one.rater for one in blind}),
        "items": len({one.item for one in blind}),
    }


def _numbers(made: Mapping[str, Any], level: float) -> dict[str, Any]:
    """What criteria may speak of: those of the first system that got passages."""
    if not made["diagnosis"]:
        return {}
    first = made["diagnosis"][0]
    own = next(one for one in made["accounts"] if one["system"] == first["system"])
    found: dict[str, Any] = {"valid": {**own["valid"], "method": "Wilson", "reason": None}}
    found |= {
        one["check"]: {**one, "method": "Wilson with design effect", "reason": None} for one in own["rates"]
    }
    found |= {one["name"]: one for one in first["rates"]}
    found |= {one["name"]: one["share"] for one in first["cells"] if one["name"] != "undecided"}
    if made["claims"] is not None:
        found |= {one["name"]: {**one, "k": None} for one in made["claims"]["rates"]}
    return {
        name: {
            "point": one["point"],
            "low": one["low"],
            "high": one["high"],
            "level": level,
            "n": one["n"],
            "k": None if _clustered(one) else one["k"],
            "method": one["method"],
            "reason": one["reason"] or (None if one["point"] is not None else "nothing could be decided"),
        }
        for name, one in found.items()
    }


def _clustered(one: Mapping[str, Any]) -> bool:
    """Whether several items are one cluster: then no bound may be made of k and n alone."""
    return one["k"] is None or one.get("clusters", one["n"]) != one["n"]
