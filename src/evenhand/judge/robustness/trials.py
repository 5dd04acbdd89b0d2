"""The trials of a suite: each perturbed item with its parent, and the unperturbed controls beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evenhand.judge.panel.prompt_spec import Brief
from evenhand.judge.robustness.perturbations import MAKERS, Bench, made_of
from evenhand.judge.robustness.suite import VERSION, chosen
from evenhand.judge.robustness.trial import CONTROL, REPEAT, Given, Trial

if TYPE_CHECKING:
    from evenhand.judge.robustness.known_items import Base, Known

__all__ = ["Made", "trials"]


@dataclass(frozen=True, kw_only=True)
class Made:
    """All trials of a suite; ``skipped``: perturbation → items of which none could be made."""

    trials: tuple[Trial, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)


def trials(
    base: Base,
    brief: Brief,
    *,
    only: Sequence[str] = (),
    words: Sequence[str] = (),
    others: Callable[[Known], Sequence[str]] = lambda _: (),
    given: Sequence[Given] = (),
    repeats: int = 3,
    suite: str = VERSION,
) -> Made:
    """Every trial, controls first, in the order of the suite and of the base set.

    *words* is the corpus's vocabulary (K0, and K1, K2, I1 in random words), *others* gives further text of
    an item's document, without evidence of its question (V1); *given* are supplied texts; *repeats* counts
    the calls of T1, its control included.
    """
    by: dict[str, dict[str, list[Given]]] = {}
    for text in given:
        by.setdefault(text.perturbation, {}).setdefault(text.name, []).append(text)
    bench = Bench(brief=brief, words=words, others=others, given=by, repeats=repeats, suite=suite)
    wanted = set(only) | ({"K0"} if {"K1", "K2", "I1"} & set(only) else set())  # their control
    made: list[Trial] = [
        made_of(one, CONTROL, "", repeat=REPEAT) for side in ("zero", "answer") for one in base.of(side)
    ]
    skipped: Counter[str] = Counter()
    for perturbation in chosen(suite=suite):
        maker = MAKERS.get(perturbation.id)
        if maker is None or (wanted and perturbation.id not in wanted):
            continue
        for one in base.of(perturbation.base):
            found = [trial for trial in maker(one, bench) if trial is not None]
            made += found
            skipped[perturbation.id] += not found
    return Made(trials=tuple(made), skipped={name: n for name, n in skipped.items() if n})
