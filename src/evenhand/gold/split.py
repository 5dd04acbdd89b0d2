"""Dev and holdout, by cluster and seed."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet, QuestionId

__all__ = ["split"]


def split(
    gold: GoldSet, *, holdout: float = 0.3, seed: int
) -> tuple[tuple[QuestionId, ...], tuple[QuestionId, ...]]:
    """Ids of dev and of holdout, each in file order; no cluster is in both.

    Clusters (a question without one is a cluster of its own) are taken in the order of a hash of seed and
    name, as long as they bring the holdout nearer to its share of the questions. The order of the file
    does not matter.
    """
    if not 0 < holdout < 1:
        raise InputError(f"holdout is {holdout:g}", mend="give a share between 0 and 1, such as 0.3")
    members: dict[str, list[QuestionId]] = {}
    for question in gold:
        # a prefix keeps a cluster named like a question apart from that question
        name = f"c{question.cluster}" if question.cluster else f"q{question.id}"
        members.setdefault(name, []).append(question.id)
    if len(members) < 2:
        raise InputError(
            f"{len(gold)} {noun(len(gold), 'question')} in {len(members)} cluster cannot be split",
            mend="questions of one cluster stay together: give the questions clusters of their own",
        )
    target = holdout * len(gold)
    chosen: set[QuestionId] = set()
    for name in sorted(members, key=lambda name: _draw(seed, name)):
        if abs(len(chosen) + len(members[name]) - target) < abs(len(chosen) - target):
            chosen.update(members[name])
    if not chosen or len(chosen) == len(gold):
        raise InputError(
            f"no set of whole clusters comes near a holdout of {holdout:g}",
            mend="the clusters are too large: change the share, or split clusters that are independent",
        )
    dev = tuple(name for name in gold.ids if name not in chosen)
    return dev, tuple(name for name in gold.ids if name in chosen)


def _draw(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}".encode("utf-8", "surrogatepass")).digest()
