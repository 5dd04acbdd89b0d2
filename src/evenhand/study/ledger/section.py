"""What a report says of its registration: the state, the seals, the looks, and planned beside amended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import SealBroken
from evenhand.study.ledger.plan_diff import changes, keyed
from evenhand.study.ledger.state import CLAIMS, NOT_STAMPED, Standing, accepted, standing_of
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet
    from evenhand.model.ledger import Entry
    from evenhand.model.plan.study import Plan
    from evenhand.model.text import Corpus
    from evenhand.study.steps.systems import Systems

__all__ = ["promised", "record_of"]

SHOWN = 50  # changes in a report; all are counted
WORDS = {"unregistered": "provisional", "registered": "registered", "seen": "seen"}


def record_of(
    plan: Plan,
    folder: Path,
    corpus: Corpus,
    gold: GoldSet,
    systems: Systems,
    *,
    split: str,
    entries: int | None = None,
) -> dict[str, Any]:
    """The section ``registration`` of a report, by the first *entries* of the ledger.

    Without *entries*: all up to the last one that a report tells of, so that checks which are written down
    later leave the report as it is.
    """
    standing = standing_of(plan, folder)
    most = entries if entries is not None else standing.ledger.counting(plan.name)
    if most > len(standing.ledger.entries):
        raise SealBroken(
            f"{standing.at.name} has {len(standing.ledger.entries)} "
            f"{noun(len(standing.ledger.entries), 'entry')}, and had {most} before",
            mend="take the ledger from git as it was; a ledger is only ever added to",
        )
    early = standing.until(most)
    if early.registration is None:
        return section(early, [], split)
    from evenhand.study.ledger.input_fingerprints import compared_of, sealed

    now = sealed(plan, folder, corpus, gold, systems)
    # the code is no part of it: a report of today's code says so under "How to repeat"
    known = compared_of(early.content, code=False)
    known["gold"] = {"dev": known["gold"]["dev"]}
    return section(early, changes(known, now), split)


def section(standing: Standing, changed: Sequence[Mapping[str, Any]], split: str) -> dict[str, Any]:
    """The section as plain JSON."""
    content = standing.registration or {}
    entry = next(iter(standing.entries("registered")), None)
    state = standing.state
    word = "provisional" if changed and split == "dev" else WORDS[state]
    return {
        "state": state,
        "word": word,
        "split": split,
        "file": standing.file if content else None,
        "seal": entry.content["seal"] if entry else None,
        "at": entry.at if entry else None,
        "ledger": {"entries": len(standing.ledger.entries), "head": standing.ledger.head},
        "seals": dict(content.get("seals", {})),
        "code": {key: content["code"][key] for key in ("version", "seal")} if content else None,
        "anchors": standing.anchors if content else [],
        "looks": [_look(one) for one in standing.entries("look")],
        "amendments": [_amendment(one) for one in standing.amendments],
        "accepted": sorted(accepted(standing.amendments)),
        "changed": [dict(one) for one in changed[:SHOWN]],
        "changed_count": len(changed),
        "claims": CLAIMS if content else "",
        "sentences": _sentences(standing, changed, split),
        "planned": {
            "criteria": content.get("plan", {}).get("criteria", {}),
            "threshold": content.get("plan", {}).get("threshold"),
            "gate": content.get("plan", {}).get("gate"),
        }
        if content
        else None,
    }


def _look(one: Entry) -> dict[str, Any]:
    held = one.content["holdout"]
    return {"n": one.n, "at": one.at, "seal": held["seal"], "questions": held["questions"]}


def _amendment(one: Entry) -> dict[str, Any]:
    made = list(one.content["changes"])
    return {
        "n": one.n,
        "at": one.at,
        "author": one.content["author"],
        "reason": one.content["reason"],
        "changes": made[:SHOWN],
        "changes_count": len(made),
        "accepts": list(one.content.get("accepts", ())),
    }


def _sentences(standing: Standing, changed: Sequence[Mapping[str, Any]], split: str) -> list[str]:
    entry = next(iter(standing.entries("registered")), None)
    if entry is None:
        return ["Not registered: nothing was promised before these results."]
    told = [f"Registered on {entry.at[:10]}, by the clock of whoever registered it."]
    anchors = standing.anchors
    told += [anchor_told(one) for one in anchors] or [f"{NOT_STAMPED[0].upper()}{NOT_STAMPED[1:]}."]
    look = standing.look
    if look is not None and split == "holdout":
        told.append(f"These are the results of the one look at the holdout, on {look.at[:10]}.")
    elif look is not None:
        told.append(
            f"The holdout was looked at on {look.at[:10]}; it is seen, and shows nothing about what is "
            "changed from then on."
        )
    else:
        told.append("The holdout has not been looked at by evenhand." if _held(standing) else "No holdout.")
    if n := len(standing.amendments):
        told.append(f"Amended {n} time{'s' if n > 1 else ''} since; what was planned stands beside it.")
    if changed:
        told.append(
            f"Provisional: {len(changed)} value{'s differ' if len(changed) > 1 else ' differs'} from what "
            "was registered, without an amendment."
        )
    return told


def _held(standing: Standing) -> bool:
    return bool((standing.registration or {}).get("gold", {}).get("holdout"))


def anchor_told(one: Mapping[str, Any]) -> str:
    """One anchor in a sentence."""
    if one["kind"] == "git":
        return (
            f"Anchored by the git tag {one['tag']} (commit {one['commit'][:12]}): as independent as the "
            "server that it was pushed to in time."
        )
    held = f"it holds the SHA-256 of {one['of']}" if one["of"] else "what it stamps is not known to evenhand"
    return f"Anchored by the proof {one['file']} ({one['form']}); {held}; not verified here."


def promised(report: dict[str, Any], plan: Plan, record: Mapping[str, Any]) -> dict[str, Any]:
    """*report* with its criteria and its registration; what it cannot claim follows from the anchor."""
    from evenhand.model.plan.sections import CriterionPlan
    from evenhand.report.output.assemble import plain
    from evenhand.study.ledger.criteria import criteria_section

    planned: dict[str, CriterionPlan | None] = {}
    if record.get("planned") is not None:
        first = record["planned"]["criteria"]
        now = keyed({"c": plan.as_json().get("criteria", ())})["c"] or {}
        for name in {**first, **now}:
            if first.get(name) != now.get(name):
                planned[name] = CriterionPlan(name=name, **first[name]) if name in first else None
    if record.get("anchors"):
        report["does_not_claim"] = [one.replace(f": {NOT_STAMPED}", "") for one in report["does_not_claim"]]
    made = criteria_section(plan.criteria, report, planned)
    report["criteria"] = plain(made) if made is not None else None
    report["registration"] = plain(dict(record)) if record else None
    return report
