"""A results folder as one side of a check: its report, its measurements, the seals of its questions."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, SealBroken
from evenhand.formats.regular_files import TABLE, regular_bytes
from evenhand.formats.results.folder import MANIFEST, read_report
from evenhand.model.json_text import loads
from evenhand.model.plan.check import Side
from evenhand.model.seal import seal

__all__ = ["QUESTIONS", "read_results", "rounded"]

MEASURED, QUESTIONS = "measurements.parquet", "questions.json"
DIGITS = 10  # significant digits of a value, as in a report: the last bits may differ between machines
AGAIN = "make the results again with `evenhand run`"


def read_results(folder: Path) -> Side:
    """One side of a check.

    Raises `InputError` for a folder that is none, SealBroken where a file is not the one that its manifest
    lists.
    """
    place = folder if folder.is_dir() else folder.parent
    path, report, text = read_report(folder)
    try:
        listing = regular_bytes(place / MANIFEST).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{place} has no {MANIFEST} that can be read, so nobody knows whether it is whole",
            mend="give the whole folder that `evenhand run` wrote",
        ) from error
    listed = {line[66:]: line[:64] for line in listing.splitlines()}
    frame = _frame(_sealed(place / MEASURED, listed))
    told = loads(_sealed(place / QUESTIONS, listed)) if QUESTIONS in listed else {}
    try:
        return _side(report, hashlib.sha256(text).hexdigest(), frame, told)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} is not of this form ({type(error).__name__}: {error})", mend=AGAIN
        ) from error


def _sealed(path: Path, listed: Mapping[str, str]) -> bytes:
    try:
        content = regular_bytes(path, most=TABLE)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror or error}",
            mend="give the whole folder that `evenhand run` wrote",
        ) from error
    if listed.get(path.name) != hashlib.sha256(content).hexdigest():
        raise SealBroken(f"{path} is not the file that {MANIFEST} lists", mend=AGAIN)
    return content


def _frame(content: bytes) -> dict[tuple[str, str], dict[str, float | None]]:
    """Values by system and metric, then by question."""
    import polars as pl

    frame = pl.read_parquet(io.BytesIO(content))
    found: dict[tuple[str, str], dict[str, float | None]] = {}
    for (system, metric), part in frame.group_by(["system", "metric"], maintain_order=True):
        values = map(rounded, part["value"].to_list())
        found[str(system), str(metric)] = dict(zip(part["question"].to_list(), values, strict=True))
    return found


def rounded(value: float | None) -> float | None:
    """A value with as many digits as a baseline keeps, so that both sides of a difference are alike."""
    return None if value is None else float(f"{value:.{DIGITS}g}") + 0.0


def _side(
    report: Mapping[str, Any],
    digest: str,
    frame: Mapping[tuple[str, str], Mapping[str, float | None]],
    told: Mapping[str, Any],
) -> Side:
    questions = tuple(next(iter(frame.values()), {}))
    metrics = tuple(dict.fromkeys(metric for _, metric in frame))
    rows = told.get("questions")
    judged = report.get("judgements")
    tokens = sorted({str(cut["tokenizer"]) for cut in report["chunkings"] if cut["tokenizer"]})
    defined = dict(told.get("metrics", {}))
    for name in metrics:
        if name in defined and name.endswith("tokens") and tokens:
            defined[name] += f"; tokens of {', '.join(tokens)}"
    repeat = report["repeat"]
    return Side(
        kind="results",
        study=report["study"]["name"],
        primary=report["study"]["primary"],
        metrics=metrics,
        split=report["gold"]["split"],
        spans=report["gold"]["spans"],
        gold=repeat["seals"]["gold"],
        corpus=repeat["seals"].get("corpus", ""),
        judgements=seal(judged["card"])[:32] if judged else "",
        questions=questions,
        content={row[0]: row[1] for row in rows} if rows is not None else None,
        cluster={row[0]: row[2] for row in rows or () if row[2]},
        # a null system is a yardstick and nobody's to get worse
        systems={one["name"]: one["seal"] for one in report["systems"] if not one["provenance"].get("null")},
        not_run={one["system"]: len(one["questions"]) for one in report["incomplete"]["not_run"]},
        values={key: [values[q] for q in questions] for key, values in frame.items()},
        definitions=defined,
        versions=dict(repeat["versions"]),
        report=digest,
        seed=int(repeat["seed"]),
        resamples=int(repeat["resamples"]),
        state=(report.get("registration") or {}).get("word", ""),
        criteria=report.get("criteria"),
        notes=("questions drafted by a model wait for a person",) if report["provisional"]["state"] else (),
    )
