"""Which votes count: the last of each judge and item, under the sheet, wording and models that are meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evenhand.model.vote import Vote

__all__ = ["Standing", "standing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The votes that count, and how many do not: of another sheet or prompt, replaced by a later one.

    ``contrary``: the later of two votes that gave different grades, which nobody asked for: a judge is asked
    again only where a call failed.
    """

    votes: tuple[Vote, ...]
    judges: tuple[str, ...]
    other_sheet: int = 0
    other_prompt: int = 0
    other_judge: int = 0
    replaced: int = 0
    contrary: tuple[Vote, ...] = ()


def standing(
    votes: Iterable[Vote],
    *,
    sheet: str = "",
    prompt: str = "",
    judges: Sequence[str] = (),
    models: Mapping[str, str] | None = None,
) -> Standing:
    """The last vote of each judge, item and repeat; a fault never takes the place of anything else.

    With *sheet* or *prompt* (seals) votes under another are left out and counted, with *judges* those of
    others; *models* gives the seal of each judge's model: a vote of another model under the same name is
    one of another judge. Order is by item, judge, repeat.
    """
    found: dict[tuple[str, str, int], Vote] = {}
    contrary: list[Vote] = []
    left = Counter[str]()
    for vote in votes:
        if sheet and vote.sheet != sheet:
            left["other_sheet"] += 1
        elif prompt and vote.prompt != prompt:
            left["other_prompt"] += 1
        elif (judges and vote.judge not in judges) or (
            models and vote.model and models.get(vote.judge, vote.model) != vote.model
        ):
            left["other_judge"] += 1
        else:
            key = (vote.item, vote.judge, vote.repeat)
            old = found.get(key)
            if old is not None:
                left["replaced"] += 1
                if None not in (old.grade, vote.grade) and old.grade != vote.grade:
                    contrary.append(vote)
            if old is None or old.outcome == "fault" or vote.outcome != "fault":
                found[key] = vote
    kept = tuple(found[key] for key in sorted(found))
    names = tuple(judges) or tuple(sorted({vote.judge for vote in kept}))
    return Standing(votes=kept, judges=names, contrary=tuple(contrary), **left)
