"""Files of a stress test: perturbed items with their parents, texts that were supplied, verdicts given."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evenhand.errors import InputError, nearest
from evenhand.formats.encoding import decode
from evenhand.formats.json_lines import json_line, json_rows
from evenhand.formats.raw_bytes import read_bytes, write_bytes
from evenhand.judge.robustness.precomputed import PAIRED, Pair, Rated
from evenhand.judge.robustness.suite import SUITE
from evenhand.judge.robustness.trial import Given

if TYPE_CHECKING:
    from evenhand.judge.robustness.trial import Trial

__all__ = ["SUPPLIED", "read_given", "read_pairs", "read_rated", "write_trials"]

SUPPLIED = ("R2", "V2", "L1")  # perturbations whose text a person or a model gives
T = TypeVar("T")


def read_given(path: str | os.PathLike[str]) -> list[Given]:
    """Supplied texts: ``{"perturbation": "R2", "item": "…", "text": "…"}``, for L1 ``question`` for item.

    ``variant`` tells several texts of one item apart (the language, for L1), ``by`` says who wrote it.
    """
    return _read(path, _given)


def _given(row: Mapping[str, Any], where: str) -> Given:
    _keys(row, ("perturbation", "item", "question", "text", "variant", "by"), where)
    name = _text(row, "perturbation", where)
    if name not in SUPPLIED:
        mend = nearest(name, SUPPLIED)
        if name in SUITE:
            mend = f"{name} is made by rule; texts are supplied for {', '.join(SUPPLIED)}"
        raise InputError(f"{where}: a text of perturbation {name!r}", mend=mend)
    key = "question" if name == "L1" else "item"
    return Given(
        perturbation=name,
        name=_text(row, key, where),
        text=_text(row, "text", where),
        variant=_text(row, "variant", where, needed=False),
        by=_text(row, "by", where, needed=False),
    )


def read_rated(path: str | os.PathLike[str]) -> list[Rated]:
    """Judged answers (S1): ``question``, ``answer``, ``family`` (whose), ``judge``, ``grade``, ``human``."""
    return _read(path, _rated)


def _rated(row: Mapping[str, Any], where: str) -> Rated:
    _keys(row, ("question", "answer", "family", "judge", "grade", "human"), where)
    return Rated(
        question=_text(row, "question", where),
        answer=_text(row, "answer", where),
        family=_text(row, "family", where),
        judge=_text(row, "judge", where),
        grade=_number(row, "grade", where),
        human=_number(row, "human", where),
    )


def read_pairs(path: str | os.PathLike[str]) -> list[Pair]:
    """Verdicts on pairs in both orders (P3): ``question``, ``pair``, ``judge``, ``ab``, ``ba``: a, b, tie."""
    return _read(path, _pair)


def _pair(row: Mapping[str, Any], where: str) -> Pair:
    _keys(row, ("question", "pair", "judge", "ab", "ba"), where)
    made = {key: _text(row, key, where) for key in ("question", "pair", "judge")}
    for key in ("ab", "ba"):
        word = _text(row, key, where).casefold()
        if word not in PAIRED:
            raise InputError(f"{where}: {key} is {row[key]!r}", mend=nearest(word, PAIRED))
        made[key] = word
    return Pair(**made)


def _read(path: str | os.PathLike[str], one: Callable[[Mapping[str, Any], str], T]) -> list[T]:
    name = Path(path).name
    text, _ = decode(read_bytes(path), where=name)
    found = []
    for row, where in json_rows(text, name, mend="write one JSON object a line"):
        if not isinstance(row, dict):
            raise InputError(f"{where}: is no JSON object", mend="write one JSON object a line")
        found.append(one(row, where))
    if not found:
        raise InputError(f"{name} holds no line", mend="write one JSON object a line, or leave the key away")
    return found


def _keys(row: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in row:
        if key not in known:
            raise InputError(f"{where}: has a field {key!r}", mend=nearest(str(key), known))


def _text(row: Mapping[str, Any], key: str, where: str, *, needed: bool = True) -> str:
    value = row.get(key, "")
    if not isinstance(value, str) or (needed and not value.strip()):
        found = f"{key} is {value!r}" if key in row else f"has no {key!r}"
        raise InputError(f"{where}: {found}", mend=f'write "{key}": "…"')
    return value


def _number(row: Mapping[str, Any], key: str, where: str) -> float:
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < float("inf"):
        raise InputError(f"{where}: {key} is {value!r}", mend="give a finite number")
    return float(value)


def write_trials(path: str | os.PathLike[str], trials: Iterable[Trial]) -> None:
    """Write each perturbed item with the item it was made from, in the order of the suite."""
    write_bytes(path, "".join(_line(trial) for trial in trials).encode())


def _line(trial: Trial) -> str:
    row: dict[str, Any] = {
        "perturbation": trial.perturbation,
        "variant": trial.variant,
        "item": trial.shown.item,
        "parent": trial.parent,
        "side": trial.side,
        "question": trial.shown.question,
        "ask": trial.shown.ask,
        "doc": trial.shown.doc,
        "start": trial.shown.start,
        "end": trial.shown.end,
        "text": trial.shown.text,
        "text_sha256": trial.shown.text_sha256,
        "order": trial.order,
        "lead": trial.lead,
        "ranking": trial.ranking,
        "repeat": trial.repeat,
    }
    return json_line(row)
