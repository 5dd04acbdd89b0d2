"""Calibration, lines of trust, rate or bracket, numbers and words: all that is told of a panel and people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.judge.calibration.calibrate import calibrate
from evenhand.judge.calibration.numbers import numbers_of
from evenhand.judge.calibration.rate_bounds import LIGHT, bracket, trust_words
from evenhand.judge.calibration.text import calibration_words, next_words
from evenhand.judge.calibration.trust_thresholds import lines_of
from evenhand.judge.calibration.trust_verdict import accepted, trust
from evenhand.stats.agreement.raters import SEED
from evenhand.text.plural import verb

if TYPE_CHECKING:
    from evenhand.model.label import Label
    from evenhand.model.plan.calibration_sample import Case, Sample
    from evenhand.model.plan.sections import CriterionPlan

__all__ = ["told_of"]

LATE = "people's sample was drawn when verdicts were there: that nobody had looked is not on record"


def told_of(
    cases: Sequence[Case],
    sample: Sample | None,
    *,
    scale: tuple[float, float] = (0.0, 1.0),
    yes: float | None = None,
    judges: Sequence[str] = (),
    people: Sequence[Label] = (),
    level: float = 0.95,
    half_width: float = 0.1,
    seed: int = SEED,
    lines: Mapping[str, Any] | None = None,
    criteria: Iterable[CriterionPlan] = (),
    gullibility: Mapping[str, Any] | None = None,
    amendments: Iterable[Mapping[str, Any]] = (),
    sheet: str = "",
    models: Sequence[Mapping[str, str]] = (),
    another_sheet: int = 0,
) -> dict[str, Any]:
    """The section ``panel`` of a report, as plain JSON; see `calibrate` for the first arguments.

    *lines* is ``[calibration.trust]``; *gullibility* a number measured by a stress run; *models* who the
    judges are; *another_sheet* how many items people labelled under another sheet alone. Where a line of
    trust has not passed, ``withheld`` is true and ``bracket`` is there, unless only the panel's bias failed:
    then the corrected rate stands. An amendment lifts ``withheld`` and is told; the bracket stays.
    """
    made = calibrate(
        cases,
        sample,
        scale=scale,
        yes=yes,
        judges=judges,
        people=people,
        level=level,
        half_width=half_width,
        seed=seed,
    )
    del made["schema"]
    numbers = numbers_of(made)
    if gullibility is not None:
        numbers["gullibility"] = dict(gullibility)
    asked, left_out = lines_of(lines or {}, criteria)
    held = trust(numbers, asked, left_out=left_out)
    signed = accepted(amendments, held) if held["withheld"] else None
    withheld = held["withheld"] and signed is None
    shown = bracket(made) if held["withheld"] else None
    words = [*trust_words(held, signed), *(shown["sentences"] if shown is not None else ())]
    return {
        **made,
        "sheet": sheet,
        "judges": [dict(one) for one in models] or [{"judge": name} for name in judges],
        "another_sheet": another_sheet,
        "trust": held,
        "accepted": signed,
        "withheld": withheld,
        "bracket": shown,
        "light": LIGHT,
        "numbers": numbers,
        "sentences": [*words, *calibration_words(made, withheld=withheld)],
        "next": next_words(made, held),
        "warnings": list(_warnings(made["sample"], another_sheet)),
    }


def _warnings(sample: Mapping[str, Any], another_sheet: int) -> Iterator[dict[str, Any]]:
    late = bool(sample["verdicts_existed"]) and sample["design"] == "uniform"
    for kind, count, one, more in (
        (
            "labels outside the sample",
            sample["outside"],
            "a label of a person is of an item that was not drawn: it corrects nothing",
            "people's labels are of items that were not drawn: they correct nothing",
        ),
        (
            "labels waiting",
            sample["waiting"],
            "a drawn item has no label of a person yet",
            "drawn items have no label of a person yet",
        ),
        (
            "people could not tell",
            sample["cannot_tell"],
            "a drawn item could not be told by people: the bounds show what it could be",
            "drawn items could not be told by people: the bounds show what they could be",
        ),
        (
            "labels under another sheet",
            another_sheet,
            "an item was labelled under another sheet than the panel's: it does not count",
            "items were labelled under another sheet than the panel's: they do not count",
        ),
        ("sample drawn late", int(late), LATE, LATE),
    ):
        if count:
            yield {"kind": f"calibration: {kind}", "count": count, "text": verb(count, one, more)}
