"""What each judge of a panel came to: verdicts, failures, its rate with bounds, quotes made up, its noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.judge.panel.positive_rate import rate_json
from evenhand.model.vote import VOTES, Vote
from evenhand.stats.agreement.raters import SEED

if TYPE_CHECKING:
    from evenhand.judge.panel.prompt_spec import Brief

__all__ = ["tally"]


def tally(
    votes: Sequence[Vote],
    brief: Brief,
    *,
    judges: Sequence[str],
    items: int,
    clusters: Mapping[str, str] | None = None,
    level: float = 0.95,
    seed: int = SEED,
) -> list[dict[str, Any]]:
    """One row a judge, in the order of *judges*; *items* is how many each should have judged.

    ``outcomes`` counts first votes by what became of them, ``missing`` those that are not there. ``rate`` is
    the share at the sheet's top level among verdicts, with its bounds if everything else were below it, or
    at it; items of one question (or of one of *clusters*) are resampled together. ``lost`` counts quotes
    that do not occur in the text, ``quoted`` those that do; ``at_odds`` verdicts that the same reply's other
    grade contradicts; ``replied`` the names that models gave themselves; ``again`` how
    often a repeated call said the same.
    """
    return [
        _row(
            name,
            [vote for vote in votes if vote.judge == name],
            brief,
            items,
            clusters or {},
            level=level,
            seed=seed,
        )
        for name in judges
    ]


def _row(
    name: str,
    votes: Sequence[Vote],
    brief: Brief,
    items: int,
    clusters: Mapping[str, str],
    *,
    level: float,
    seed: int,
) -> dict[str, Any]:
    first = [vote for vote in votes if vote.repeat == 0]
    counted = Counter(vote.outcome for vote in first)
    missing = max(0, items - len(first))
    absent: list[Vote | None] = [None] * missing
    grades = Counter(f"{vote.grade:g}" for vote in first if vote.grade is not None)
    words = {f"{grade:g}": word for word, grade in brief.options.items()}
    return {
        "judge": name,
        "family": next((vote.family for vote in first if vote.family), ""),
        "items": items,
        "outcomes": {word: counted[word] for word in VOTES if counted[word]}
        | ({"missing": missing} if missing else {}),
        "grades": {words[grade]: grades[grade] for grade in words if grades[grade]},
        "rate": rate_json([*first, *absent], brief, clusters, level=level, seed=seed),
        "quoted": sum(len(vote.told.get("evidence", ())) for vote in first),
        "lost": sum(int(vote.told.get("lost", 0)) for vote in first),
        "modes_lost": sum(int(vote.told.get("mode_lost", 0)) for vote in first),
        "replied": dict(sorted(Counter(str(x) for v in first if (x := v.told.get("replied"))).items())),
        "at_odds": sum(_at_odds(vote, brief) for vote in first),
        "again": _again(votes),
    }


def _at_odds(vote: Vote, brief: Brief) -> bool:
    """Yes beside "not enough alone", or no beside "enough alone"."""
    if brief.beside is None or vote.grade is None:
        return False
    beside = vote.told.get(brief.beside.name)
    top = brief.beside.levels[-1].grade
    return beside is not None and (vote.grade == brief.sheet.levels[-1].grade) != (beside == top)


def _again(votes: Sequence[Vote]) -> dict[str, int]:
    first = {vote.item: vote for vote in votes if vote.repeat == 0}
    pairs = [(first[vote.item], vote) for vote in votes if vote.repeat and vote.item in first]
    both = [(one, other) for one, other in pairs if None not in (one.grade, other.grade)]
    return {"n": len(both), "same": sum(one.grade == other.grade for one, other in both)}
