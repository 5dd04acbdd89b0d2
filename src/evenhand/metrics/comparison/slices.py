"""Parts of the question set: by type, by tag. Exploratory, each with its n."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.metrics.comparison.contrasts import Pair, contrasts
from evenhand.metrics.comparison.estimates import estimate_of
from evenhand.metrics.comparison.resamples import Draws, Settings, how, place
from evenhand.metrics.comparison.summary import declared
from evenhand.metrics.comparison.undercoverage import FEW
from evenhand.model.comparison import Slice
from evenhand.model.result import Measurements

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.gold import Question
    from evenhand.protocols import Engine

__all__ = ["slices"]

FIELDS = ("type", "tags", "cluster", "source", "origin", "expect")


def slices(
    measurements: Measurements,
    questions: Iterable[Question],
    *,
    by: Sequence[str] = ("type", "tags"),
    metrics: Sequence[str] | None = None,
    pairs: str | Sequence[tuple[str, str]] = (),
    level: float = 0.95,
    resamples: int = 10_000,
    signs: int = 20_000,
    seed: int = 20241009,
    engine: Engine | None = None,
) -> list[Slice]:
    """Estimates (and contrasts of *pairs*) on the questions that share a value of each field in *by*.

    *metrics* None: the first one measured. A question with several tags is in several slices; questions
    without any value of a field are in none. Slices come in the order of *by*, then of their value.
    Nothing is adjusted: slices are for looking, not for deciding. *engine*: whose workers resample.
    """
    settings = Settings(level=level, resamples=resamples, signs=signs, seed=seed)
    m = measurements
    known = {str(question.id): question for question in questions}
    wanted = [place(m, m.systems[0], x)[1] for x in metrics] if metrics is not None else [0]
    chosen = declared(m, pairs)
    found = []
    for name in by:
        for value, mask in _members(m, known, name):
            n, inside = int(mask.sum()), Draws(some_questions(m, mask), settings, engine)
            found.append(
                Slice(
                    by=name,
                    value=value,
                    n=n,
                    estimates=tuple(
                        estimate_of(inside, s, x, inside.common(x) & inside.defined(s, x))
                        for s in range(len(m.systems))
                        for x in wanted
                    ),
                    contrasts=tuple(
                        contrasts(
                            inside,
                            [
                                Pair(a, b, x)
                                for x in wanted
                                for a, b in chosen
                                if how(m.metrics[x]) != "total"
                            ],
                            adjust="none",
                            exploratory=True,
                        )
                    ),
                    note=_note(n, any(how(m.metrics[x]) == "mean" for x in wanted)),
                )
            )
    return found


def _note(n: int, means: bool) -> str:
    if n >= 100:
        return ""
    few = f"; intervals of means are too narrow below {FEW}" if means and n < FEW else ""
    return f"one question moves this by 1/{n}{few}"


def _members(m: Measurements, known: dict[str, Question], name: str) -> list[tuple[str, NDArray[np.bool_]]]:
    """Each value of the field *name* with its questions, as a mask over the measured ones."""
    if name not in FIELDS and not any(name in question.extra for question in known.values()):
        raise InputError(f"questions have no field {name!r} to slice by", mend=nearest(name, FIELDS))
    masks: dict[str, NDArray[np.bool_]] = {}
    for at, identity in enumerate(m.questions):
        question = known.get(identity)
        if question is None:
            continue
        value = getattr(question, name) if name in FIELDS else question.extra.get(name, "")
        for one in value if isinstance(value, (tuple, list)) else (value,):
            if one not in ("", None):
                masks.setdefault(str(one), np.zeros(len(m.questions), dtype=bool))[at] = True
    return sorted(masks.items())


def some_questions(m: Measurements, mask: NDArray[np.bool_]) -> Measurements:
    """The measurements of some questions; shares of labels belong to the whole and are left behind."""
    return Measurements(
        systems=m.systems,
        metrics=m.metrics,
        questions=tuple(q for q, inside in zip(m.questions, mask.tolist(), strict=True) if inside),
        value=m.value[:, :, mask],
        why=m.why[:, :, mask],
        reasons=m.reasons,
        unreachable=m.unreachable[:, :, mask] if m.unreachable.size else m.unreachable,
        missing=m.missing[:, mask] if m.missing.size else m.missing,
    )
