"""`check`: results held against a baseline, by margins that were declared beforehand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest
from evenhand.report.output.assemble import plain
from evenhand.study.ledger.criteria import MET, NOT_MET, UNDECIDED
from evenhand.study.regression.pairs import Paired, metrics_alike, pair
from evenhand.study.regression.text import row_sentence, sentences, warnings
from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.metrics.comparison.noninferiority import Case, Decided
    from evenhand.model.plan.check import CheckPlan, Side

__all__ = ["SCHEMA", "check", "margins_of"]

SCHEMA = "evenhand.check/1"
CODES = {"pass": 0, "fail": 1, "inconclusive": 4}
SAME = {MET: "pass", NOT_MET: "fail", UNDECIDED: "inconclusive"}
POLICY = {"fail": "fail", "pass": "pass", "4": "inconclusive"}  # what stands for inconclusive


def margins_of(plan: CheckPlan, side: Side) -> dict[str, float]:
    """The margin of each metric that is checked, the primary first; `InputError` where it has none."""
    from evenhand.metrics.comparison.noninferiority import checkable

    named = {metric or side.primary: margin for metric, margin in plan.margins.items()}
    if len(named) < len(plan.margins):
        raise InputError(
            f"the margin of {side.primary}, the primary metric, is given twice", mend="give it once"
        )
    if side.primary not in named:
        raise InputError(
            f"{side.primary}, the primary metric, has no margin",
            mend=f'declare one: --margin "{side.primary}=0.02"; others may be named beside it',
        )
    for metric in named:
        if metric not in side.metrics:
            raise InputError(f"{metric} was not measured", mend=nearest(metric, side.metrics))
        checkable(metric)
    return {metric: named[metric] for metric in sorted(named, key=lambda m: m != side.primary)}


def check(new: Side, old: Side, plan: CheckPlan) -> dict[str, Any]:
    """Is each system of *new* no worse than in *old* by more than its margin? ``evenhand.check/1``.

    Systems are paired by name, or as *plan* says; questions by id and content, see
    `evenhand.study.regression.pairs.pair`; a difference is taken where both sides define the metric. A pass
    of a system that could not be asked everything is inconclusive. ``verdict`` is what was found, ``status``
    what it comes to by the declared policy: the one value that exit code, text and files go by.
    Raises `InputError` where the two sides cannot be compared.
    """
    from evenhand.metrics.comparison.noninferiority import Case, enough, hold_all

    margins = margins_of(plan, new)
    for metric in margins:
        if metric not in old.metrics:
            raise InputError(
                f"the baseline does not hold {metric}",
                mend=f'keep it anew with --margin "{metric}=…", or leave that margin out '
                f"(it holds {', '.join(old.metrics)})",
            )
    metrics_alike(new, old, list(margins))
    paired = pair(new, old, common=plan.common)
    names = list(_systems(new, old, plan))
    keys = [(a, b, metric, margin) for a, b in names for metric, margin in margins.items()]
    held = [_columns(new, old, paired, key[:3]) for key in keys]
    cases = [
        Case(metric, one["new"], one["old"], margin, one["cluster"])
        for (_, _, metric, margin), one in zip(keys, held, strict=True)
    ]
    found = hold_all(
        cases,
        adjust=plan.adjust,
        alpha=plan.alpha,
        test=plan.test,
        seed=new.seed,
        resamples=new.resamples,
    )
    rows = []
    for (a, b, _, _), one, case, decided in zip(keys, held, cases, found, strict=True):
        row = _row(a, b, case, decided, one) | _unasked(new.not_run.get(a, 0), decided)
        row["needed"] = enough(case, alpha=decided.alpha) if row["verdict"] == "inconclusive" else None
        row["sentence"] = row_sentence(row)
        rows.append(row)
    criteria = _criteria(new, old, counts=plan.criteria)
    verdict = _verdict(rows, criteria)
    status = POLICY[plan.inconclusive] if verdict == "inconclusive" else verdict
    made: dict[str, Any] = {
        "schema": SCHEMA,
        "verdict": verdict,
        "status": status,
        "exit_code": CODES[status],
        "alpha": plan.alpha,
        "adjust": plan.adjust,
        "family": len(rows) if plan.adjust == "holm" else None,
        "inconclusive": plan.inconclusive,
        "results": _about(new),
        "baseline": _about(old),
        "questions": paired.record(common=plan.common),
        "rows": rows,
        "systems": {
            "only_results": sorted(set(new.systems) - set(old.systems)),
            "only_baseline": sorted(set(old.systems) - set(new.systems)),
        },
        "criteria": criteria,
    }
    made["warnings"] = list(warnings(made, cases, named=bool(plan.systems)))
    made["sentences"] = list(sentences(made))
    return plain(made)


def _verdict(rows: Sequence[Mapping[str, Any]], criteria: Mapping[str, Any] | None) -> str:
    """``fail``, ``inconclusive`` or ``pass``, by all comparisons and the criteria that count."""
    verdicts = {row["verdict"] for row in rows} | {
        SAME[row["verdict"]] for row in (criteria or {}).get("rows", ()) if row["counts"]
    }
    return next((word for word in ("fail", "inconclusive") if word in verdicts), "pass")


def _systems(new: Side, old: Side, plan: CheckPlan) -> Iterator[tuple[str, str]]:
    """Which system of the results is held against which of the baseline."""
    for name in plan.systems:
        if name not in new.systems:
            raise InputError(f"the results have no system {name!r}", mend=nearest(name, new.systems))
    if plan.against and not plan.systems:
        raise InputError(
            f"{plan.against!r} of the baseline is held against nothing", mend="name a --system as well"
        )
    if plan.against and plan.against not in old.systems:
        raise InputError(
            f"the baseline has no system {plan.against!r}", mend=nearest(plan.against, old.systems)
        )
    if plan.systems:
        for name in plan.systems:
            other = plan.against or name
            if other not in old.systems:
                raise InputError(
                    f"the baseline has no system {other!r}",
                    mend=f"say which it stands for: --against …; {nearest(other, old.systems)}",
                )
            yield name, other
        return
    alike = [name for name in new.systems if name in old.systems]
    if not alike:
        raise InputError(
            f"no system has the same name in both: {', '.join(sorted(new.systems))} in the results, "
            f"{', '.join(sorted(old.systems))} in the baseline",
            mend="say which is held against which: --system … --against …",
        )
    yield from ((name, name) for name in alike)


def _columns(new: Side, old: Side, paired: Paired, key: tuple[str, str, str]) -> dict[str, Any]:
    """Values of both on the questions that both define, and how many each leaves undefined."""
    import numpy as np

    a, b, metric = key
    first = dict(zip(new.questions, new.values[a, metric], strict=True))
    second = dict(zip(old.questions, old.values[b, metric], strict=True))
    kept = [q for q in paired.questions if first[q] is not None and second[q] is not None]
    return {
        "new": np.array([first[q] for q in kept], dtype=float),
        "old": np.array([second[q] for q in kept], dtype=float),
        # a question without a cluster is one of its own
        "cluster": [f"c{new.cluster[q]}" if q in new.cluster else f"q{q}" for q in kept],
        "undefined_results": sum(first[q] is None and second[q] is not None for q in paired.questions),
        "undefined_baseline": sum(first[q] is not None and second[q] is None for q in paired.questions),
    }


def _row(a: str, b: str, case: Case, decided: Decided, held: Mapping[str, Any]) -> dict[str, Any]:
    from evenhand.stats.intervals.bootstrap import mean
    from evenhand.stats.paired.paired import of_differences

    about, found = of_differences(case.gaps), decided.found
    return {
        "system": a,
        "against": b,
        "metric": case.metric,
        "margin": case.margin,
        "verdict": found.verdict,
        "n": about.n,
        "results": mean(case.new),
        "baseline": mean(case.old),
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "level": 1 - 2 * decided.alpha,
        "alpha": decided.alpha,
        "test": found.method,
        "p": found.p,
        "wins": about.wins,
        "ties": about.ties,
        "losses": about.losses,
        "undefined_results": held["undefined_results"],
        "undefined_baseline": held["undefined_baseline"],
        "not_run": 0,
        "reason": found.reason,
    }


def _unasked(questions: int, decided: Decided) -> dict[str, Any]:
    """Where a system could not be asked everything, a pass is not shown: what is missing may be lost."""
    if not questions:
        return {}
    told: dict[str, Any] = {"not_run": questions}
    if decided.found.verdict == "pass":
        told |= {
            "verdict": "inconclusive",
            "reason": f"{many(questions, 'question')} could not be asked: run it again",
        }
    return told


def _about(side: Side) -> dict[str, Any]:
    return {
        "kind": side.kind,
        "study": side.study,
        "split": side.split,
        "gold": side.gold,
        "corpus": side.corpus,
        "report": side.report,
        "state": side.state,
        "versions": dict(side.versions),
        "notes": list(side.notes),
    }


def _criteria(new: Side, old: Side, *, counts: bool) -> dict[str, Any] | None:
    """The criteria of the report as it states them, beside what they were in the baseline."""
    if new.criteria is None:
        if counts:
            raise InputError(
                "criteria are to count, and the report has none",
                mend="add [criteria] to the study file and run it again, or leave --criteria away",
            )
        return None
    before = {row["name"]: row["verdict"] for row in (old.criteria or {}).get("rows", ())}
    shown = ("name", "on", "at_least", "at_most", "by", "level", "role", "point", "bound", "verdict")
    return {
        "counts": counts,
        "of": new.criteria["of"],
        "met": new.criteria["met"],
        "not_met": new.criteria["not_met"],
        "undecided": new.criteria["undecided"],
        "rows": [
            {
                **{key: row[key] for key in shown},
                "before": before.get(row["name"]),
                "counts": counts and row["role"] != "descriptive" and not _withdrawn(row),
            }
            for row in new.criteria["rows"]
        ],
    }


def _withdrawn(row: Mapping[str, Any]) -> bool:
    """Whether a criterion was registered and taken back: it is shown, and counts for nothing."""
    return bool((row.get("planned") or {}).get("withdrawn"))
