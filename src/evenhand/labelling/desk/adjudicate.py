"""Adjudication: what is in dispute, put before one person with unnamed sides; the originals stay."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.errors import InputError, nearest
from evenhand.labelling.desk.assign import open_desk
from evenhand.labelling.desk.task_order import Placed
from evenhand.stats.agreement.votes import plurality
from evenhand.stats.sampling.seeds import stream
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from evenhand.labelling.desk.labels import Answer, Results
    from evenhand.model.judging import Desk, Task
    from evenhand.model.label import Label
    from evenhand.model.pool import PoolItem

__all__ = ["WHY", "Dispute", "adjudication", "disputes", "split_by_panel"]

WHY = ("disagreement", "split", "cannot-tell", "skip", "panel-split")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """An item to be decided, why, and the answers there are (in no order that tells anything)."""

    item: PoolItem
    why: str
    answers: tuple[Answer, ...]


def disputes(
    results: Results, *, why: Sequence[str] = WHY, panel_split: Collection[str] = ()
) -> list[Dispute]:
    """Items to be adjudicated that no ruling has decided yet, in the order of the pool.

    ``disagreement``: answers differ ("cannot tell" is an answer) and most say the same, or two differ;
    ``split``: three or more differ and none has the most; ``cannot-tell``: all who answered could not;
    ``skip``: somebody skipped it and the others do not differ; ``panel-split``: the items named in
    *panel_split*. The first of these that holds is named.
    """
    for word in why:
        if word not in WHY:
            raise InputError(f"nothing is adjudicated because of {word!r}", mend=nearest(word, WHY))
    found = []
    for item, answers in results.by_item.items():
        if item in results.ruled:
            continue
        reason = _why(answers) or ("panel-split" if item in panel_split else "")
        if reason in why:
            found.append(Dispute(item=answers[0].item, why=reason, answers=answers))
    return found


def split_by_panel(labels: Iterable[Label]) -> set[str]:
    """Items on which the models of a panel did not all say the same."""
    said: dict[str, set[float | str]] = {}
    for label in labels:
        if label.by == "panel" and label.kind != "skip":
            said.setdefault(label.item, set()).add(label.answer)
    return {item for item, answers in said.items() if len(answers) > 1}


def _why(answers: Sequence[Answer]) -> str:
    given = [answer.said for answer in answers if answer.entry.kind != "skip"]
    if len(set(given)) > 1:
        split = len(given) > 2 and plurality(given, otherwise="") == ""
        return "split" if split else "disagreement"
    if given and given[0] == "cannot-tell":
        return "cannot-tell"
    return "skip" if len(given) < len(answers) else ""


def adjudication(
    results: Results,
    found: Sequence[Dispute],
    judge: str,
    *,
    sheet: str,
    seed: int,
    agreement: str,
    own: bool = False,
    at: str = "",
) -> tuple[Desk, list[Task]]:
    """The adjudicator's desk: each dispute a task, in blocks of a question, shuffled within and without.

    The sides of each task are in an order of their own by lot, so that A is not one person throughout.
    *agreement* is the seal of the agreement frozen before (it goes into the desk's settings). Nobody
    adjudicates what he has judged, unless *own* says that it is done so; that is recorded.
    """
    if not found:
        raise InputError("nothing is in dispute", mend="let two judges see an item (assign --overlap)")
    mine = sum(any(answer.judge == judge for answer in one.answers) for one in found)
    if mine and not own:
        raise InputError(
            f"{judge} has judged {mine} of the {len(found)} {noun(len(found), 'item')} himself",
            mend="name somebody who has not; or, where nobody else is there, say so (--own): it is recorded",
        )
    dice = stream(seed, "adjudicate", results.pool.seal, judge)
    blocks: dict[str, list[Dispute]] = {}
    for one in sorted(found, key=lambda d: d.item.id):
        blocks.setdefault(one.item.question, []).append(one)
    questions = sorted(blocks)
    placed = []
    for q in dice.permutation(len(questions)).tolist():
        block = blocks[questions[q]]
        for i in dice.permutation(len(block)).tolist():
            names = sorted(answer.name for answer in block[i].answers)
            about = tuple(names[j] for j in dice.permutation(len(names)).tolist())
            placed.append(Placed(item=block[i].item, about=about))
    settings = {
        "seed": seed,
        "agreement": agreement,
        "own": bool(mine),
        "why": {word: sum(d.why == word for d in found) for word in WHY if any(d.why == word for d in found)},
    }
    return open_desk(
        results.pool.seal, judge, placed, sheet=sheet, settings=settings, kind="adjudication", at=at
    )
