"""What judges said of perturbed items: shares with bounds, lift over the control, minds that changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.judge.robustness.suite import SUITE
from evenhand.judge.robustness.trial import CONTROL, Trial
from evenhand.judge.robustness.verdicts import PANEL, Said
from evenhand.labelling.desk.agreement_text import interval_json, rounded
from evenhand.stats.intervals.proportion import wilson, wilson_design_effect
from evenhand.stats.paired.paired import newcombe

__all__ = ["rows", "share"]

STATES = ("unparsed", "cannot_tell", "undecided", "failed", "missing")


def share(good: Sequence[bool], questions: Sequence[str], *, level: float = 0.95) -> dict[str, Any]:
    """A share with Wilson's bounds; n over the design effect where a question has several items."""
    n, k = len(good), sum(good)
    made: dict[str, Any] = {"value": rounded(k / n) if n else None, "k": k, "n": n}
    if len(set(questions)) == n:
        return made | interval_json(wilson(k, n, level=level))
    sizes, up = Counter(questions), Counter(q for q, one in zip(questions, good, strict=True) if one)
    names = sorted(sizes)
    found = wilson_design_effect([up[q] for q in names], [sizes[q] for q in names], level=level)
    return made | interval_json(found.interval)


def rows(
    trials: Sequence[Trial],
    said: Mapping[str, Mapping[str, Said]],
    *,
    yes: float,
    level: float = 0.95,
) -> list[dict[str, Any]]:
    """One row for each perturbation, variant and judge, in the order of the suite; repeats of T1 are one."""
    groups: dict[tuple[str, str], list[Trial]] = {}
    controls: dict[str, Trial] = {}
    for trial in trials:
        if trial.perturbation == CONTROL:
            controls[trial.parent] = trial
        else:
            variant = "" if trial.perturbation == "T1" else trial.variant
            groups.setdefault((trial.perturbation, variant), []).append(trial)
    groups = {
        (CONTROL, side): [one for one in controls.values() if one.side == side] for side in ("zero", "answer")
    } | groups
    random = {one.parent: one for one in groups.get(("K0", ""), ())}
    made = []
    for (name, variant), group in groups.items():
        beside = random if variant == "random" else controls
        for judge, of_one in said.items():
            cutoff = 0.5 if judge == PANEL else yes
            row = _row(name, judge, group, beside, said=of_one, yes=cutoff, level=level)
            side = variant if name == CONTROL else ""
            made.append({**row, "variant": variant, "side": side})
    return [row for row in made if row["made"]]


def _row(
    name: str,
    judge: str,
    group: Sequence[Trial],
    beside: Mapping[str, Trial],
    *,
    said: Mapping[str, Said],
    yes: float,
    level: float,
) -> dict[str, Any]:
    counts = SUITE[name].counts if name in SUITE else "control"
    if counts == "again":
        return _again(name, judge, group, beside, said=said, level=level)
    absent = Said(None, "missing")
    told = [(trial, said.get(trial.name, absent)) for trial in group]
    graded = [(trial, one.grade) for trial, one in told if one.grade is not None]
    row: dict[str, Any] = {
        "perturbation": name,
        "variant": "",
        "judge": judge,
        "made": len(group),
        "positive": share([g >= yes for _, g in graded], [t.shown.question for t, _ in graded], level=level),
        "mean": rounded(sum(g for _, g in graded) / len(graded)) if graded else None,
        **_states(one for _, one in told),
        "control": None,
        "lift": None,
        "flip": None,
        "same": None,
        "shift": None,
        "hijacked": None,
    }
    if any(trial.plant for trial in group):
        read = [(t, one) for t, one in told if one.state not in ("missing", "failed")]
        row["hijacked"] = share(
            [one.hijacked for _, one in read], [t.shown.question for t, _ in read], level=level
        )
    if counts == "control" or name in ("K0", "R3"):
        return row
    pairs = [
        (trial, before, grade)
        for trial, grade in graded
        if trial.parent in beside
        and (before := said.get(beside[trial.parent].name, absent).grade) is not None
    ]
    return row | _paired(counts, pairs, yes=yes, level=level)


def _states(told: Any) -> dict[str, int]:
    found = Counter(one.state for one in told)
    return {state: found[state] for state in STATES}


def _paired(
    counts: str, pairs: Sequence[tuple[Trial, float, float]], *, yes: float, level: float
) -> dict[str, Any]:
    """What a perturbation did to the same items: lift, minds changed, signed shift."""
    questions = [trial.shown.question for trial, _, _ in pairs]
    was, now = [before >= yes for _, before, _ in pairs], [after >= yes for _, _, after in pairs]
    made: dict[str, Any] = {"control": share(was, questions, level=level)}
    if counts == "fooled":
        cells = Counter(zip(now, was, strict=True))
        found = newcombe(
            cells[True, True], cells[True, False], cells[False, True], cells[False, False], level=level
        )
        made["lift"] = {"value": rounded(found.difference), "n": len(pairs), **interval_json(found.interval)}
        return made
    looked = [i for i, before in enumerate(was) if before or counts == "change"]
    made["flip"] = {
        **share([was[i] != now[i] for i in looked], [questions[i] for i in looked], level=level),
        "up": sum(now[i] and not was[i] for i in looked),
        "down": sum(was[i] and not now[i] for i in looked),
    }
    made["same"] = share([before == after for _, before, after in pairs], questions, level=level)
    shifts = [after - before for _, before, after in pairs]
    made["shift"] = {"value": rounded(sum(shifts) / len(shifts)) if shifts else None, "n": len(shifts)}
    return made


def _again(
    name: str,
    judge: str,
    group: Sequence[Trial],
    beside: Mapping[str, Trial],
    *,
    said: Mapping[str, Said],
    level: float,
) -> dict[str, Any]:
    """Items on which every repeat said what the control said; an item with a failed call is not counted."""
    by: dict[str, list[Trial]] = {}
    for trial in group:
        by.setdefault(trial.parent, [beside[trial.parent]]).append(trial)
    absent = Said(None, "missing")
    told = {parent: [said.get(trial.name, absent) for trial in of] for parent, of in by.items()}
    whole = {
        parent: of
        for parent, of in told.items()
        if all(one.grade is not None or one.state == "cannot_tell" for one in of)
    }
    questions = [by[parent][0].shown.question for parent in whole]
    return {
        "perturbation": name,
        "variant": "",
        "judge": judge,
        "made": len(by),
        "positive": None,
        "mean": None,
        **_states(one for of in told.values() for one in of[1:]),
        "control": None,
        "lift": None,
        "flip": None,
        "same": share([len({one.grade for one in of}) == 1 for of in whole.values()], questions, level=level),
        "shift": None,
        "hijacked": None,
    }
