"""A panel of three held against people: is the majority better than its best, and where is it a coin flip?"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.errors import InputError
from evenhand.stats.agreement.raters import RESAMPLES, SEED, Coefficient, kept_of
from evenhand.stats.agreement.raw_agreement import raw_agreement, share_of
from evenhand.stats.agreement.votes import majority_of_three

__all__ = ["PanelJudged", "panel_against_human"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelJudged:
    """A panel against people. The split share says how much of it has to go to people first."""

    majority: Coefficient  # agreement of decisions with people
    singles: tuple[Coefficient, ...]  # each judge's, on the items it labelled
    best: int | None  # the judge that agrees most often; None when nobody can be compared
    given_unanimous: Coefficient
    given_split: Coefficient
    split: Coefficient  # share of split among decisions of three valid votes
    undecided: int  # items without a decision: to people


def panel_against_human(
    votes: Sequence[Sequence[Hashable | None]],
    human: Sequence[Hashable | None],
    *,
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> PanelJudged:
    """Agreement with people of the majority of three, of each judge, and of unanimous and split decisions.

    *votes*: one row of three an item, None for a failed call; *human*: None where there is no label. A
    majority is not better by itself: judges err together. Items without a decision are counted, never
    taken as "no". Wilson's interval, or the bootstrap over whole *clusters*.

    Source: `majority_of_three`; on public labels split decisions agree with people 51 to 58% of the time.
    """
    if len(votes) != len(human):
        raise InputError(
            f"{len(votes)} rows of votes, {len(human)} labels", mend="give one row and label an item"
        )
    made = [majority_of_three(row) for row in votes]
    decisions = [one.decision for one in made]
    status = np.array([one.status for one in made], dtype=object)
    three = (status == "unanimous") | (status == "split")
    options = {"level": level, "resamples": resamples, "seed": seed}

    def among(kept: np.ndarray) -> Coefficient:
        chosen = np.flatnonzero(kept).tolist()
        return raw_agreement(
            [decisions[i] for i in chosen],
            [human[i] for i in chosen],
            clusters=kept_of(clusters, kept),
            **options,  # type: ignore[arg-type]
        )

    singles = tuple(
        raw_agreement([row[j] for row in votes], human, clusters=clusters, **options)  # type: ignore[arg-type]
        for j in range(3)
    )
    comparable = [j for j, one in enumerate(singles) if one.value is not None]
    return PanelJudged(
        majority=among(np.ones(len(made), dtype=bool)),
        singles=singles,
        best=max(comparable, key=lambda j: (singles[j].value, -j)) if comparable else None,
        given_unanimous=among(np.asarray(status == "unanimous")),
        given_split=among(np.asarray(status == "split")),
        split=share_of(
            np.asarray(status[three] == "split"),
            clusters=kept_of(clusters, three),
            level=level,
            resamples=resamples,
            seed=seed,
            dropped=int((~three).sum()),
            reason="no item has three valid votes",
        ),
        undecided=sum(decision is None for decision in decisions),
    )
