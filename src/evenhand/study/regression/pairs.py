"""What two sides have in common: what must not differ, and the questions that are paired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.model.plan.check import Side

__all__ = ["Paired", "metrics_alike", "pair"]

KEPT = "conduct both studies with this version of evenhand, which keeps a seal of each question"


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Ids of the questions that both sides measured, and those left out by why."""

    questions: tuple[str, ...]
    only_results: tuple[str, ...] = ()
    only_baseline: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    same_gold: bool = True

    def record(self, *, common: bool) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "paired": len(self.questions),
            "only_results": list(self.only_results),
            "only_baseline": list(self.only_baseline),
            "changed": list(self.changed),
            "same_gold": self.same_gold,
            "common": common,
        }


def metrics_alike(new: Side, old: Side, metrics: Sequence[str]) -> None:
    """Raise `InputError` where a metric of one side is another thing on the other side."""
    told = list(_unlike(new, old, metrics))
    if told:
        raise InputError(
            f"the two are not measured alike: {'; '.join(told)}",
            mend="conduct the study of the baseline again, measured as the new one is, and keep that",
        )


def _unlike(new: Side, old: Side, metrics: Sequence[str]) -> Iterator[str]:
    for name in metrics:
        now, then = new.definitions.get(name), old.definitions.get(name)
        if now and then and now != then:
            yield f"{name} is “{now}” in the results and “{then}” in the baseline"
    if new.spans != old.spans:
        yield f"evidence counts by {new.spans!r} in the results and by {old.spans!r} in the baseline"
    if new.judgements != old.judgements:
        lacking = "the results" if not new.judgements else "the baseline" if not old.judgements else ""
        yield (
            f"{lacking} used no judgements of people or a panel"
            if lacking
            else ("other judgements of people or a panel were used")
        )


def pair(new: Side, old: Side, *, common: bool) -> Paired:
    """Pair the questions by id, and by what a metric reads of them.

    Raises `InputError` where gold set or split differ, unless *common*; then questions that are new, gone
    or changed are left out and counted. Gold sets that differ in what no metric reads are the same here.
    """
    there = set(old.questions)
    both = sorted(q for q in new.questions if q in there)
    only_new = tuple(sorted(set(new.questions) - there))
    only_old = tuple(sorted(there - set(new.questions)))
    same = new.gold == old.gold
    changed: tuple[str, ...] = ()
    if not same:
        if new.content is None or old.content is None:
            lacking = "the results" if new.content is None else "the baseline"
            raise InputError(
                f"the gold sets differ, and {lacking} cannot tell which questions are the same", mend=KEPT
            )
        changed = tuple(q for q in both if new.content[q] != old.content[q])
    told = [f"split {new.split!r} against {old.split!r}"] if new.split != old.split else []
    if only_new or only_old or changed:
        told.append(
            f"the gold sets differ: {many(len(only_new), 'question')} only in the results, "
            f"{len(only_old)} only in the baseline, {len(changed)} changed"
            + _named((*changed, *only_new, *only_old))
        )
    kept = tuple(q for q in both if q not in set(changed))
    if told and not common:
        raise InputError(
            f"the two are not asked the same: {'; '.join(told)}",
            mend=f"keep a new baseline, or ask for the {len(kept)} common questions by name: --common"
            if kept
            else "no question is common: keep a new baseline",
        )
    if not kept:
        raise InputError(
            f"no question is common to both ({len(new.questions)} and {len(old.questions)})",
            mend="keep a new baseline from results on these questions",
        )
    return Paired(
        questions=kept, only_results=only_new, only_baseline=only_old, changed=changed, same_gold=same
    )


def _named(ids: Sequence[str]) -> str:
    return f" ({', '.join(ids[:3])}{' …' if len(ids) > 3 else ''})" if ids else ""
