"""Runs and judgements as files for other tools; each way says what it could not carry."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.errors import InputError, expect, nearest
from evenhand.formats.raw_bytes import SUFFIXES, write_bytes
from evenhand.formats.results.parquet import names_of
from evenhand.formats.tables import ESCAPED, inert_column
from evenhand.model.run import Qrels, Run

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["FORMS", "form_of", "size_of", "write_qrels", "write_run"]

# what is written -> the endings that say so
FORMS = {
    "trec": (".trec", ".txt", ".run", ".qrels", ".qrel"),
    "json": (".json",),
    "jsonl": (".jsonl", ".ndjson"),
    "beir": (".tsv",),
    "csv": (".csv",),
    "parquet": (".parquet", ".parq"),
    "mteb": (),
}


def form_of(path: str | os.PathLike[str], form: str = "") -> str:
    """What is to be written: *form*, or what the name's ending says. Raises InputError where neither does."""
    if form:
        if form not in FORMS:
            raise InputError(f"the form {form!r} is not known", mend=nearest(form, FORMS))
        return form
    name = Path(path)
    if name.suffix in SUFFIXES:
        name = name.with_suffix("")
    for found, endings in FORMS.items():
        if name.suffix.lower() in endings:
            return found
    known = " ".join(ending for endings in FORMS.values() for ending in endings)
    raise InputError(
        f"what {Path(path).name} is to be cannot be told from its name",
        mend=f"end it in one of: {known}, or say --to FORM",
    )


def size_of(thing: Run | Qrels, form: str) -> tuple[int, int]:
    """How many rows and questions the file of *thing* holds in this *form*."""
    rows, lengths = len(thing.unit), np.diff(thing.offsets)
    if form == "trec" and isinstance(thing, Qrels) and len(thing.vital):  # a row for each nugget of a unit
        nuggets = np.bincount(thing.covers[:, 0].astype(np.int64), minlength=rows)
        rows = int(np.maximum(nuggets, 1).sum())
    return rows, len(lengths) if form in ("json", "mteb") else int((lengths > 0).sum())


def write_run(
    path: str | os.PathLike[str], run: Run, *, tag: str | None = None, form: str = "trec"
) -> list[str]:
    """Write a run; returns what could not be carried. Packed by the ending (``.gz``, ``.zst`` ...).

    ``trec``: scores fall strictly, also as float32, so that no tool can reorder it: a score that does not
    fall is lowered to the next float32 below the one before it; where that is not possible (beyond float32)
    the question's scores are replaced by its depth less the rank. ``json``: ``{question: {unit: score}}``
    (ranx, pytrec_eval); ``mteb``: the same as subset ``default``, split ``test``; ``jsonl``, ``csv``,
    ``beir`` (tabs) and ``parquet``: a row for each unit.
    """
    expect(run, Run, "the second argument", "write_run(path, run)")
    if form == "trec":
        data, lost = _run_trec(run, tag)
    elif form in ("json", "mteb"):
        data, lost = _run_json(run, mteb=form == "mteb"), []
    else:
        question = np.repeat(np.arange(len(run.questions)), np.diff(run.offsets))
        data, lost = _table(form, run.questions, question, _names(run), run.unit, "score", run.score)
    empty = int(np.sum(np.diff(run.offsets) == 0))
    if empty and form not in ("json", "mteb"):
        lost.append(f"questions with an empty ranking: {empty}")
    if form != "trec" and run.provenance.get("tag"):
        lost.append(f"the tag {run.provenance['tag']!r}")
    write_bytes(path, data)
    return lost


def _names(thing: Run | Qrels) -> Sequence[str]:
    return names_of(thing.table, thing.units)


def _run_trec(run: Run, tag: str | None) -> tuple[bytes, list[str]]:
    label = "_".join((tag or run.system).split()) or "run"
    lines: list[str] = []
    names = _names(run)
    changed = 0
    for i, question in enumerate(run.questions):
        start, stop = int(run.offsets[i]), int(run.offsets[i + 1])
        if start == stop:
            continue
        head = f"{_fits(question, 'question')} Q0 "
        scores, lowered = _falling(run.score[start:stop])
        changed += lowered
        for rank, (code, score) in enumerate(zip(run.unit[start:stop].tolist(), scores, strict=True), 1):
            lines.append(f"{head}{_fits(names[code], 'unit')} {rank} {score} {label}\n")
    lost = [f"scores that did not fall strictly, lowered to keep the order: {changed}"] if changed else []
    return "".join(lines).encode(), lost


def _fits(name: str, what: str) -> str:
    if len(name.split()) != 1 or not name.isascii():
        raw = name.encode("utf-8", "surrogatepass")
        if raw.split() != [raw]:
            raise InputError(
                f"the {what} id {name!r} does not fit TREC text, which is separated by blanks",
                mend="write JSON instead, or give ids without blanks",
            )
    return name


def _falling(scores: NDArray[np.float64]) -> tuple[list[str], int]:
    """The scores as text, falling strictly as float32, and how many had to be changed."""
    low = np.float32(-np.inf)
    with np.errstate(over="ignore"):
        singles = scores.astype(np.float32)
    if np.isfinite(singles).all() and (singles[1:] < singles[:-1]).all():
        return [repr(score) for score in scores.tolist()], 0
    out: list[str] = []
    last = np.float32(np.inf)
    changed = 0
    for score, single in zip(scores.tolist(), singles, strict=True):
        if single < last and np.isfinite(single):
            out.append(repr(score))
            last = single
            continue
        changed += 1
        with np.errstate(over="ignore"):
            last_ = np.nextafter(last, low)
        if not np.isfinite(last_) or not np.isfinite(last):
            return [str(len(scores) - i) for i in range(len(scores))], len(scores)
        out.append(repr(float(last_)))
        last = last_
    return out, changed


def _run_json(run: Run, *, mteb: bool) -> bytes:
    made: dict[str, Any] = {}
    names = _names(run)
    for i, question in enumerate(run.questions):
        part = slice(int(run.offsets[i]), int(run.offsets[i + 1]))
        units = [names[code] for code in run.unit[part].tolist()]
        made[question] = dict(zip(units, run.score[part].tolist(), strict=True))
    if mteb:
        made = {"mteb_model_meta": {"model_name": run.system}, "default": {"test": made}}
    return json.dumps(made, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass") + b"\n"


def _table(  # noqa: PLR0917 - the columns of one table
    form: str,
    questions: Any,
    question: NDArray[np.int64],
    table: Any,
    unit: NDArray[np.integer[Any]],
    what: str,
    value: NDArray[np.float64],
) -> tuple[bytes, list[str]]:
    import io

    import polars as pl

    names = {
        "beir": ("query-id", "corpus-id", "score"),
        "jsonl": ("query-id", "corpus-id", "score"),
    }.get(form, ("query_id", "doc_id", what) if form == "csv" else ("q_id", "doc_id", "score"))
    whole = what != "score" and bool(np.all(value == np.floor(value)))
    frame = pl.DataFrame(
        {
            names[0]: pl.Series(list(questions), dtype=pl.String).gather(
                pl.Series(question, dtype=pl.UInt32)
            ),
            names[1]: pl.Series(list(table), dtype=pl.String).gather(pl.Series(unit, dtype=pl.UInt32)),
            names[2]: pl.Series(value.astype(np.int64) if whole else value),
        }
    )
    made, lost = io.BytesIO(), []
    if form in ("csv", "beir"):
        calm = frame.with_columns(inert_column(frame[name]) for name in names[:2])
        escaped = sum(int((calm[name] != frame[name]).sum()) for name in names[:2])
        lost = [f"{escaped} {ESCAPED}"] if escaped else []
        frame = calm
    if form == "parquet":
        frame.write_parquet(made, compression="zstd", row_group_size=max(1, frame.height), statistics=False)
    elif form == "jsonl":
        frame.write_ndjson(made)
    elif form == "csv":
        frame.write_csv(made)
    else:
        _no_tabs(frame)
        frame.write_csv(made, separator="\t", quote_style="never")
    return made.getvalue(), lost


def _no_tabs(frame: Any) -> None:
    for name in frame.columns[:2]:
        bad = frame[name].str.contains(r"[\t\r\n]")
        if bad.any():
            found = frame[name].filter(bad)[0]
            raise InputError(
                f"the id {found!r} does not fit a table separated by tabs", mend="write JSON or CSV instead"
            )


def write_qrels(path: str | os.PathLike[str], qrels: Qrels, *, form: str = "trec") -> list[str]:
    """Write judgements; returns what could not be carried. Packed by the ending.

    ``trec``: ``question 0 unit grade``, whole grades without a point; nuggets make it a subtopic file,
    ``question nugget unit grade``. ``json``: ``{question: {unit: grade}}``; ``beir``: tabs under the names
    that BEIR gives; ``jsonl``, ``csv`` and ``parquet``: a row for each judgement.
    """
    expect(qrels, Qrels, "the second argument", "write_qrels(path, qrels)")
    question = np.repeat(np.arange(len(qrels.questions)), np.diff(qrels.offsets))
    lost = []
    nuggets = len(qrels.vital) > 0
    called = replace(qrels, table=_names(qrels))
    if form == "mteb":
        raise InputError("MTEB predictions hold runs, no judgements", mend="write beir, which MTEB reads")
    if form == "trec":
        data = "".join(_qrels_trec(called, question)).encode("utf-8", "surrogatepass")
        if nuggets:
            lost.append("names of nuggets and which are vital: they are numbered")
    elif form == "json":
        graded = {
            name: {unit: int(g) if g.is_integer() else g for unit, g in called.judged(name).items()}
            for name in qrels.questions
        }
        data = json.dumps(graded, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
    else:
        data, escaped = _table(
            form, qrels.questions, question, called.table, qrels.unit, "relevance", qrels.grade
        )
        lost += escaped
    if nuggets and form != "trec":
        lost.append(f"nuggets, of which there are {len(qrels.vital)}: only grades are written")
    if form == "beir" and np.any(qrels.grade != np.floor(qrels.grade)):
        lost.append("nothing here, but BEIR's own reader cuts fractions of grades")
    if qrels.excluded.any():
        lost.append(f"that units are to be taken out of rankings: {int(qrels.excluded.sum())} (grade -1)")
    if len(qrels.label) and len(set(qrels.label.tolist())) > 1:
        lost.append("where each label came from")
    empty = int(np.sum(np.diff(qrels.offsets) == 0))
    if empty and form != "json":
        lost.append(f"questions without any judgement: {empty}")
    write_bytes(path, data)
    return lost


def _qrels_trec(qrels: Qrels, question: NDArray[np.int64]) -> Iterator[str]:
    of: dict[int, list[int]] = {}
    for row, nugget in qrels.covers.tolist():
        of.setdefault(row, []).append(nugget + 1)
    topics = len(qrels.vital) > 0
    for j, (i, code, grade) in enumerate(
        zip(question.tolist(), qrels.unit.tolist(), qrels.grade.tolist(), strict=True)
    ):
        shown = str(int(grade)) if grade.is_integer() else repr(grade)
        name, unit = _fits(qrels.questions[i], "question"), _fits(qrels.table[code], "unit")
        for topic in of.get(j, [1 if topics else 0]):
            yield f"{name} {topic} {unit} {shown}\n"
