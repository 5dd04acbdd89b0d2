"""Abstention by a table of its own: what the gold set expects × what the system did."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evenhand.answer.checks.abstention import DID
from evenhand.answer.checks.whole_answer import EXPECTED
from evenhand.answer.diagnosis.failure_rates import Share, standing, state_of
from evenhand.model.answer import Finding, Generation
from evenhand.stats.intervals.proportion import wilson

__all__ = ["Row", "expected_table"]


@dataclass(frozen=True, kw_only=True)
class Row:
    """Questions of one expectation: ``did`` counts answered, abstained, asked-back and ``failed``.

    ``failed`` are refusals, cut-offs and replies that could not be read: the model gave no answer, and did
    not abstain either. ``right`` is the share that did as expected, of all but ``again`` (network, key and
    rate faults).
    """

    system: str
    expect: str
    did: Mapping[str, int]
    right: Share
    again: int = 0


def expected_table(
    generations: Iterable[Generation], findings: Iterable[Finding], *, level: float = 0.95
) -> list[Row]:
    """One row a system and expectation, of questions that have one and items of kind answer.

    *findings* are those of the check ``abstention``; others are passed over. A question with several answers
    counts by its first.
    """
    seen = {one.item: one.found[0] for one in findings if one.check == "abstention" and one.found}
    counted: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in standing(generations):
        if one.expect not in EXPECTED:
            continue
        state = state_of(one)
        if state == "fault":
            counted[one.system, one.expect]["again"] += 1
        elif state != "made":
            counted[one.system, one.expect]["failed"] += 1
        else:
            what = next((seen[item.id] for item in one.items if item.id in seen), None)
            if what is not None:
                counted[one.system, one.expect][what] += 1
    order = list(EXPECTED)
    rows = []
    for (system, expect), did in sorted(counted.items(), key=lambda one: (one[0][0], order.index(one[0][1]))):
        n = did.total() - did["again"]
        k = did[EXPECTED[expect]]
        rows.append(
            Row(
                system=system,
                expect=expect,
                did={name: did[name] for name in (*DID, "failed") if did[name]},
                right=Share(k=k, n=n, interval=wilson(k, n, level=level)),
                again=did["again"],
            )
        )
    return rows
