"""What ``evenhand power`` reads of a pilot: contrasts, agreement of people, the panel against them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, nearest

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.model.result import Contrast

__all__ = ["contrasts_of", "held_of", "pairs_of"]

AGAIN = "make the report again with `evenhand run`"
NAMED = (
    'name them in the study ([gold] judgements = "judgements.jsonl") and run it, '
    "or give the judgements.jsonl itself"
)


def contrasts_of(results: Path, metric: str | None) -> list[Contrast]:
    """The declared contrasts of a pilot on one of its metrics: on its primary when none is named."""
    from evenhand.formats.results.report_file import read_report
    from evenhand.metrics.catalogue.names import parse
    from evenhand.model.result import Contrast

    if _labels(results):
        raise InputError(
            f"{results} holds labels and compares no systems",
            mend="give --plan agreement or --plan calibration, or a results folder",
        )
    report = read_report(results)
    try:
        primary = report["study"]["primary"]
        rows = [Contrast(**row) for row in report["contrasts"]]
        wanted = primary if metric is None else str(parse(metric))
        declared = {(c.a, c.b) for c in rows if c.metric == primary and not c.exploratory}
        found = [c for c in rows if c.metric == wanted and (c.a, c.b) in declared]
    except (KeyError, TypeError) as error:
        raise InputError(f"{results}: its contrasts are not of this form ({error})", mend=AGAIN) from error
    if declared and not found:
        raise InputError(
            f"{results} does not measure {wanted}", mend=nearest(wanted, {str(c.metric) for c in rows})
        )
    if not found:
        raise InputError(
            f"{results} compares no two systems on {primary}", mend="give a study of two systems or more"
        )
    return found


def pairs_of(results: Path) -> list[dict[str, Any]]:
    """How each pair of people agrees in a pilot: from its report, or from a judgements.jsonl."""
    if _labels(results):
        from evenhand.formats.labels.judgements import read_labels
        from evenhand.labelling.desk.agreement import agreement

        pairs: Any = agreement(read_labels(results))["pairs"]
    else:
        card = _judgements(results).get("card")
        found = card.get("agreement") if isinstance(card, dict) else None
        pairs = found.get("pairs") if isinstance(found, dict) else None
        _rows(results, pairs, "agreement", ("judges", "n", "questions", "raw", "table", "icc"))
    if not pairs:
        raise InputError(
            f"{results}: no item was labelled by two people, so their agreement is unknown",
            mend="let two people label the same items (`evenhand judge assign --overlap`), "
            "or give --agreement and --width",
        )
    return list(pairs)


def held_of(results: Path) -> list[dict[str, Any]]:
    """Each panel judge of a pilot against its people: from its report, or from a judgements.jsonl."""
    if _labels(results):
        from evenhand.formats.labels.judgements import read_labels
        from evenhand.judge.calibration.overlap import calibration
        from evenhand.labelling.desk.agreement import latest

        rows: Any = calibration(latest(read_labels(results))[0])
    else:
        rows = _judgements(results).get("calibration")
        _rows(
            results,
            rows,
            "calibration",
            ("judge", "grade", "n", "human_rate", "judge_rate", "phi", "icc", "icc_alone"),
        )
    if not rows:
        raise InputError(
            f"{results}: no items have a label of people and one of a panel, in grades that differ",
            mend='put a panel\'s labels of the same items into the judgements ("by": "panel"), '
            "or give --labels, --rho and --width",
        )
    return list(rows)


def _labels(results: Path) -> bool:
    return results.suffix == ".jsonl"


def _judgements(results: Path) -> dict[str, Any]:
    from evenhand.formats.results.report_file import read_report

    found = read_report(results).get("judgements")
    if found is None:
        raise InputError(f"{results} holds no judgements", mend=NAMED)
    if not isinstance(found, dict):
        raise InputError(f"{results}: its judgements are not of this form", mend=AGAIN)
    return found


def _rows(results: Path, rows: Any, what: str, needed: tuple[str, ...]) -> None:
    """Refuse rows of a report that lack what planning needs, as those made before do."""
    if not isinstance(rows, list) or any(not isinstance(row, dict) for row in rows):
        raise InputError(f"{results}: its judgements have no {what}", mend=AGAIN)
    gone = [name for row in rows for name in needed if name not in row]
    if gone:
        raise InputError(f"{results}: the {what} of its judgements has no {gone[0]!r}", mend=AGAIN)
