"""`amend`: a change after registration, with who made it and why; what was planned stays beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import HoldoutSpent, InputError, nearest
from evenhand.formats.results.ledger import append
from evenhand.judge.calibration.trust_thresholds import lines_of
from evenhand.judge.calibration.trust_verdict import ACCEPTS
from evenhand.model.plan.sections import CalibrationPlan
from evenhand.protocols import Progress, quiet
from evenhand.study.ledger.input_fingerprints import compared_of
from evenhand.study.ledger.plan_diff import changes, told
from evenhand.study.ledger.state import standing_of
from evenhand.study.registration.register import MAKE_NEW, content_now, unseen

if TYPE_CHECKING:
    from evenhand.model.ledger import Entry, Ledger
    from evenhand.model.plan.study import Plan

__all__ = ["Amended", "amend"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Amended:
    """The entry in the ledger, and the changes it holds: path, planned and amended value."""

    entry: Entry
    changes: Sequence[Mapping[str, Any]]
    ledger: Path


def amend(
    plan: Plan,
    folder: str | Path,
    *,
    author: str,
    reason: str,
    now: Callable[[], str],
    accepts: Sequence[str] = (),
    cache: Path | None = None,
    progress: Progress = quiet,
) -> Amended:
    """Write into the ledger what differs from the registration, value by value.

    *accepts* names criteria of trust that failed and are accepted in writing. After the look everything
    that it depends on is refused; the code, and the words of the report, may still be amended.

    Raises InputError without author or reason, for a study that is not registered, when nothing has changed,
    and for a name in *accepts* that is no line of trust; HoldoutSpent (3) for changes that come too late.
    """
    for name, text in (("author", author), ("reason", reason)):
        if not text.strip():
            raise InputError(
                f"an amendment needs its {name}", mend=f'give --{name} "…": it stands in every report'
            )
    home = Path(folder)
    standing = standing_of(plan, home)
    if standing.registration is None:
        raise InputError(
            f"{plan.name!r} is not registered, so there is nothing to amend",
            mend="change the study as you like, then evenhand study register STUDY.toml",
        )
    known = standing.content["gold"].get("holdout") or {}
    opened = standing.look
    # before the look a changed holdout is checked like the first one; afterwards it may not change at all
    content = content_now(plan, home, known=known, cache=cache, progress=progress)
    made = changes(compared_of(standing.content), compared_of(content))
    if opened is None and any(one["path"][:2] == ["gold", "holdout"] for one in made):
        content = content_now(plan, home, cache=cache, progress=progress)
        unseen(content["gold"].get("holdout"), [standing.ledger], plan.name)
        made = changes(compared_of(standing.content), compared_of(content))
    late = [one for one in made if opened is not None and not _free(one["path"])]
    if opened is not None and late:
        raise HoldoutSpent(
            f"the holdout of {plan.name!r} was looked at on {opened.at[:10]}: what its result depends on is "
            f"not amended any more: {told(late)}",
            mend=f"{MAKE_NEW}; register a new study with them, or put back what was changed",
        )
    names = tuple(dict.fromkeys(name.strip() for name in accepts if name.strip()))
    _acceptable(plan, names)
    if not made and not names:
        raise InputError(
            f"nothing of {plan.name!r} differs from what was registered",
            mend="change the study file first; an amendment then says what, who and why",
        )
    for one in made:  # planned is what was registered, not what an earlier amendment made of it
        first = standing.planned(*one["path"])
        if first != one.get("planned"):
            one |= {"before": one.get("planned"), "planned": first}
            if first is None:
                del one["planned"]  # an amendment had put it there: nothing of it was planned

    def entry(ledger: Ledger) -> dict[str, Any]:
        if opened is None and ledger.of(plan.name, "look"):
            raise HoldoutSpent(
                f"the holdout of {plan.name!r} was looked at just now", mend="see what came of it first"
            )
        return {"author": author.strip(), "reason": reason.strip(), "changes": made, "accepts": list(names)}

    written, _ = append(standing.at, kind="amended", study=plan.name, at=now(), content=entry)
    assert written is not None  # noqa: S101 - entry returns something or raises
    return Amended(entry=written, changes=made, ledger=standing.at)


def _acceptable(plan: Plan, names: Sequence[str]) -> None:
    """Refuse to accept what is no line of trust of this study: it would stand in reports and do nothing."""
    if not names:
        return
    if plan.panel is None:
        raise InputError(
            f"{plan.name!r} has no panel of judges, so there is no trust to accept",
            mend="leave --accept away; a criterion that is not met stays not met",
        )
    known = [
        ACCEPTS,
        *(line.name for line in lines_of((plan.calibration or CalibrationPlan()).trust, plan.criteria)[0]),
    ]
    for name in names:
        if name not in known:
            raise InputError(f"no line of trust is called {name!r}", mend=nearest(name, known))


def _free(path: Sequence[str]) -> bool:
    """Whether no result of a look depends on it: the code (bytes are compared), the author's words."""
    return path[0] == "code" or list(path[:2]) == ["plan", "claims"]
