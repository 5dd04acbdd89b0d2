"""Nouns to bytes and back: how units, runs and measurements lie in the cache of a study."""

from __future__ import annotations

import io
import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.model.result import Measurements
from evenhand.model.run import Run
from evenhand.model.seal import canonical
from evenhand.model.text import Units
from evenhand.study.steps import Form, Larder

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["arrays_form", "bytes_form", "measurements_form", "run_form", "text_form", "units_form"]


def pack(meta: Any, **arrays: NDArray[Any]) -> bytes:
    """Plain JSON and named arrays as one NumPy archive; equal content gives equal bytes."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, meta=np.frombuffer(canonical(meta), dtype=np.uint8), **arrays)
    return buffer.getvalue()


def unpack(data: bytes) -> tuple[Any, dict[str, NDArray[Any]]]:
    """What `pack` was given; never runs code of the file."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return json.loads(arrays.pop("meta").tobytes()), arrays


def _own_seal(thing: Any, data: bytes) -> str:
    del data
    return str(thing.seal)


def _digest(thing: Any, data: bytes) -> str:
    del thing
    return sha256(data).hexdigest()


def units_form() -> Form:
    """Units of one chunking; the corpus is taken from the larder."""

    def put(units: Units) -> bytes:
        meta = {
            "chunking": units.chunking,
            "headings": [list(path) for path in units.headings],
            "settings": dict(units.settings),
        }
        return pack(meta, doc=units.doc, start=units.start, end=units.end)

    def get(data: bytes, larder: Larder) -> Units:
        meta, arrays = unpack(data)
        return Units(
            corpus=larder["corpus"],
            chunking=meta["chunking"],
            headings=tuple(tuple(path) for path in meta["headings"]),
            settings=meta["settings"],
            **arrays,
        )

    return Form(put, get, _digest)


def run_form(units: str | None) -> Form:
    """A run over the units that the larder holds as *units*; with its own table of ids where it is None."""

    def put(run: Run) -> bytes:
        own = None if run.units is not None and units is not None else list(run.table)
        if own is not None and run.units is not None:
            raise TypeError("a run with units of its own is kept by `guest_form`")
        meta = {
            "system": run.system,
            "questions": list(run.questions),
            "table": own,
            "notes": dict(run.notes),
            "provenance": dict(run.provenance),
        }
        return pack(meta, offsets=run.offsets, unit=run.unit, score=run.score)

    def get(data: bytes, larder: Larder) -> Run:
        meta, arrays = unpack(data)
        ours = larder[units] if units is not None and meta["table"] is None else None
        return Run(
            system=meta["system"],
            questions=tuple(meta["questions"]),
            table=ours.ids if ours is not None else tuple(meta["table"]),
            units=ours,
            notes=meta["notes"],
            provenance=meta["provenance"],
            **arrays,
        )

    return Form(put, get, _own_seal)


def measurements_form() -> Form:
    """Measurements, whole."""

    def put(m: Measurements) -> bytes:
        meta = {
            "systems": list(m.systems),
            "metrics": list(m.metrics),
            "questions": list(m.questions),
            "reasons": list(m.reasons),
            "extra": dict(m.extra),
        }
        return pack(meta, value=m.value, why=m.why, unreachable=m.unreachable, missing=m.missing)

    def get(data: bytes, larder: Larder) -> Measurements:
        del larder
        meta, arrays = unpack(data)
        return Measurements(
            systems=tuple(meta["systems"]),
            metrics=tuple(meta["metrics"]),
            questions=tuple(meta["questions"]),
            reasons=tuple(meta["reasons"]),
            extra=meta["extra"],
            **arrays,
        )

    return Form(put, get, _digest)


def arrays_form() -> Form:
    """Named arrays, or None for "cannot be had"."""

    def put(arrays: dict[str, NDArray[Any]] | None) -> bytes:
        return pack(arrays is not None, **(arrays or {}))

    def get(data: bytes, larder: Larder) -> dict[str, NDArray[Any]] | None:
        del larder
        there, arrays = unpack(data)
        return arrays if there else None

    return Form(put, get, _digest)


def text_form() -> Form:
    """A text, as UTF-8."""
    return Form(lambda text: text.encode(), lambda data, _: data.decode(), _digest)


def bytes_form() -> Form:
    """Bytes as they are."""
    return Form(lambda data: data, lambda data, _: data, _digest)
