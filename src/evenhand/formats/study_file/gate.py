"""``[gate]``: the rule that answers or defers, what it is compared with, and what mistakes cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.study_file.gate_rules import WORDS, check_rule, checked_limit, limit_in, scales_in
from evenhand.formats.study_file.toml_reader import Book, Table
from evenhand.gate.cost import Costs
from evenhand.gate.production.scales import Scale
from evenhand.model.plan.sections import GatePlan

__all__ = ["METHODS", "SUFFICIENT", "read"]

METHODS = ("fixed_sequence", "bonferroni")
SUFFICIENT = ("evidence", "units")
COSTS = ("false_answer", "needless_deferral", "prevalence")
EXAMPLE = 'rule = "consensus" and of = ["bm25", "dense", "current"]'


def read(
    book: Book,
    content: Any,
    folder: Path,
    *,
    systems: Sequence[str],
) -> GatePlan | None:
    """The plan of a gate; a threshold is held against the scale of its signal where that is known."""
    table = Table(book, "gate", content)
    before = len(book.problems)
    plain = GatePlan.__dataclass_fields__
    rule = table.take("rule", str, "")
    of = table.texts("of")
    for key, found in (("rule", rule), ("of", of)):
        if not found and key not in table:
            book.wrong("gate", "", f"has no {key}", mend=f"write {EXAMPLE}")
        elif not found and len(book.problems) == before:
            table.wrong(key, "is empty", mend=f"write {EXAMPLE}")
    if len(set(of)) < len(of):
        table.wrong("of", "names a system twice", mend="name each once; the last one answers")
    for name in of:
        # a system on one of several chunkings is system/chunking
        if name.partition("/")[0] not in systems:
            table.wrong("of", f"there is no system {name!r}", mend=nearest(name, systems))
    scales = scales_in(book, of)
    frozen = rule.endswith(".json")
    if frozen and not (folder / rule).is_file():
        table.wrong("rule", f"there is no file {folder / rule}", mend="paths are relative to the study file")
    elif rule and not frozen and of:
        check_rule(table, "rule", rule, of, scales)
    also = table.texts("also")
    for name in also if of else ():
        check_rule(table, "also", name, of, scales)
    if len({rule, *also}) < 1 + len(also):
        table.wrong("also", "names a rule twice", mend="name each once; the rule itself is there anyway")
    signals = table.texts("signals")
    for name in signals if of else ():
        check_rule(table, "signals", name, of, scales, words=("consensus",))
    threshold = limit_in(table, "threshold", rule, of, scales) if table.has("threshold") else None
    if "threshold" in table and (rule in WORDS or frozen):
        table.wrong("threshold", f"the rule {rule!r} has none of its own", mend="leave threshold away")
    alpha, delta, calibration = (
        _share(table, key, default)
        for key, default in (("alpha", None), ("delta", 0.1), ("calibration", 0.5))
    )
    grid = _numbers(table, "grid")
    for step in grid if of and rule not in WORDS and not frozen else ():
        checked_limit(table, "grid", rule, step, of, scales)
    if grid and alpha is None:
        table.wrong(
            "grid", "is tested against alpha, and there is none", mend="write alpha = 0.1, or no grid"
        )
    if threshold is not None and alpha is not None:
        table.wrong("alpha", "chooses a threshold, and one is given", mend="leave threshold or alpha away")
    made = {
        "also": also,
        "threshold": threshold,
        "thresholds": _thresholds(table, of, scales, (rule, *also)),
        "signals": signals,
        "alpha": alpha,
        "delta": delta,
        "calibration": calibration,
        "method": table.name("method", METHODS, METHODS[0]),
        "grid": grid,
        "costs": _costs(table),
        "risks": tuple(_numbers(table, "risks")) or plain["risks"].default,
        "folds": table.take("folds", int, plain["folds"].default, least=2),
        "sufficient": table.name("sufficient", SUFFICIENT, SUFFICIENT[0]),
        "level": table.take("level", float, 0.0),
    }
    if any(not 0 < risk < 1 for risk in made["risks"]):
        table.wrong("risks", f"found {list(made['risks'])!r}, expected shares between 0 and 1", mend="[0.05]")
    if made["level"] and not 0.5 <= made["level"] < 1:
        table.wrong(
            "level", f"found {made['level']!r}, expected at least 0.5 and below 1", mend="level = 0.95"
        )
    table.close(elsewhere={"systems": "the systems are named by of = [...]"})
    return GatePlan(rule=rule, of=of, **made) if len(book.problems) == before else None


def _thresholds(
    table: Table, of: Sequence[str], scales: Mapping[str, Scale], rules: Sequence[str]
) -> dict[str, float]:
    found = table.take("thresholds", dict, {})
    made: dict[str, float] = {}
    for name, value in found.items():
        if name not in rules[1:] or name in WORDS:
            table.wrong(
                "thresholds", f"{name!r} is no rule of also", mend=nearest(name, rules[1:] or ("also",))
            )
        elif of:
            step = checked_limit(table, "thresholds", name, value, of, scales)
            if step is not None:
                made[name] = step
    return made


def _share(table: Table, key: str, default: float | None) -> float | None:
    value = table.take(key, float, default)
    if value is not None and not 0 < value < 1:
        table.wrong(key, f"found {value!r}, expected a share above 0 and below 1", mend=f"{key} = 0.1")
        return default
    return None if value is None else float(value)


def _numbers(table: Table, key: str) -> tuple[float, ...]:
    found = table.take(key, list, [])
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in found):
        table.wrong(key, f"found {found!r}, expected a list of numbers", mend=f"{key} = [0.1, 0.2]")
        return ()
    return tuple(float(one) for one in found)


def _costs(table: Table) -> dict[str, float]:
    found = table.take("costs", dict, {})
    for name in found:
        if name not in COSTS:
            table.wrong("costs", f"unknown key {name!r}", mend=nearest(name, COSTS))
            return {}
    if not found:
        return {}
    try:
        made = Costs(
            false_answer=found.get("false_answer", 1.0),
            needless_deferral=found.get("needless_deferral", 1.0),
            prevalence=found.get("prevalence"),
        )
    except InputError as error:
        table.wrong("costs", error.what, mend=error.mend)
        return {}
    kept = {name: getattr(made, name) for name in COSTS}
    return {name: float(value) for name, value in kept.items() if value is not None}
