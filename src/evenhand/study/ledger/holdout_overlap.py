"""Dev questions kept apart from a holdout that is registered and has not been looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import SealBroken
from evenhand.formats.results.ledger import read_ledger
from evenhand.gold.holdout_view import wording
from evenhand.model.json_text import loads
from evenhand.study.ledger.plan_diff import applied
from evenhand.study.ledger.state import ledger_of
from evenhand.text.plural import noun, verb

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet
    from evenhand.model.ledger import Ledger
    from evenhand.model.plan.study import Plan

__all__ = ["kept_apart"]

MOST = 6


def kept_apart(plan: Plan, folder: Path, gold: GoldSet) -> None:
    """Raise `SealBroken` where dev questions have the words of a registered holdout before its look.

    A copy of the holdout under another name, or one merged into the dev questions by mistake, would be
    retrieved on and measured. The holdout itself is not read: its registration holds a hash of the words
    of each question, and what stands in the ledger beside this gold set is compared.
    """
    ledger = read_ledger(ledger_of(plan, folder))
    hidden: dict[str, tuple[str, str]] = {}
    seen = ledger.seen()  # by another study: they hide nothing any more
    for study, held in _unopened(ledger, folder):
        for question, words in held.get("seen", {}).items():
            if words not in seen:
                hidden.setdefault(str(words), (study, str(question)))
    if not hidden:
        return
    found = {str(q.id): hidden[words] for q in gold if (words := wording(q.text)) in hidden}
    if found:
        names = ", ".join(
            own if own == other else f"{own} (there {other})"
            for own, (_, other) in list(found.items())[:MOST]
        )
        more = f" and {len(found) - MOST} more" if len(found) > MOST else ""
        whose = ", ".join(map(repr, dict.fromkeys(study for study, _ in found.values())))
        raise SealBroken(
            f"{len(found)} dev {noun(len(found), 'question')} {verb(len(found), 'is', 'are')} those of the "
            f"holdout that {whose} registered and has not looked "
            f"at: {names}{more}",
            mend="take them out of the dev questions: nothing is measured on a holdout before its look",
        )


def _unopened(ledger: Ledger, folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each study beside the ledger that has not looked, and what it sealed of its holdout, as amended."""
    for entry in ledger.entries:
        if entry.kind != "registered" or ledger.of(entry.study, "look"):
            continue
        try:
            content = loads((folder / str(entry.content["file"])).read_bytes())
        except (OSError, ValueError):
            continue  # of a study in another folder, or broken: that is said where this study is opened
        made = [one for more in ledger.of(entry.study, "amended") for one in more.content.get("changes", ())]
        held = applied(content, made).get("gold", {}).get("holdout")
        if held:
            yield entry.study, held
