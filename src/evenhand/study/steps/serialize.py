"""Nouns to bytes and back: how units, runs and measurements lie in the cache of a study."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.model.json_text import loads
from evenhand.model.result import Measurements
from evenhand.model.run import Run
from evenhand.model.seal import canonical, seal, seal_arrays
from evenhand.model.text import Units
from evenhand.study.steps.loop import Artifacts, Columns, Form

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "arrays_form",
    "bytes_form",
    "files_form",
    "json_form",
    "measurements_form",
    "run_form",
    "units_form",
]


def pack(meta: Any, **arrays: NDArray[Any]) -> Columns:
    """Plain JSON as one more column beside named arrays; equal content gives equal columns."""
    return {"meta": np.frombuffer(canonical(meta), dtype=np.uint8), **arrays}


def unpack(columns: Columns) -> tuple[Any, Columns]:
    """What `pack` was given."""
    arrays = dict(columns)
    return loads(arrays.pop("meta").tobytes()), arrays


def _own_seal(thing: Any, columns: Columns) -> str:
    del columns
    return str(thing.seal)


def _digest(thing: Any, columns: Columns) -> str:
    del thing
    names = sorted(columns)
    return seal([names, seal_arrays(*(columns[name] for name in names))])


def units_form() -> Form:
    """Units of one chunking; the corpus is taken from the larder."""

    def put(units: Units) -> Columns:
        meta = {
            "chunking": units.chunking,
            "headings": [list(path) for path in units.headings],
            "settings": dict(units.settings),
        }
        return pack(meta, doc=units.doc, start=units.start, end=units.end)

    def get(data: Columns, larder: Artifacts) -> Units:
        meta, arrays = unpack(data)
        return Units(
            corpus=larder["corpus"],
            chunking=meta["chunking"],
            doc=arrays["doc"],
            start=arrays["start"],
            end=arrays["end"],
            headings=tuple(tuple(path) for path in meta["headings"]),
            settings=meta["settings"],
        )

    return Form(put, get, _digest)


def run_form(units: str | None) -> Form:
    """A run over the units that the larder holds as *units*; where that is None, its own are kept with it."""

    def put(run: Run) -> Columns:
        shared = run.units is not None and units is not None
        own = run.units if not shared else None
        meta = {
            "system": run.system,
            "questions": list(run.questions),
            "shared": shared,
            "table": None if run.units is not None and run.table is run.units.ids else list(run.table),
            "notes": dict(run.notes),
            "provenance": dict(run.provenance),
            "not_run": dict(run.not_run),
            "own": None if own is None else [own.chunking, dict(own.settings)],
        }
        more: Columns = {} if own is None else {"doc": own.doc, "start": own.start, "end": own.end}
        return pack(meta, offsets=run.offsets, unit=run.unit, score=run.score, **more)

    def get(columns: Columns, larder: Artifacts) -> Run:
        meta, arrays = unpack(columns)
        ranked: Units | None = None
        if meta["shared"] and units is not None:
            ranked = larder[units]
        elif meta["own"] is not None:
            doc, start, end = (arrays.pop(name) for name in ("doc", "start", "end"))
            chunking, settings = meta["own"]
            ranked = Units(larder["corpus"], chunking, doc, start, end, settings=settings)
        table = meta["table"]
        if table is not None and ranked is not None:
            # codes go past the units: a copy, so that nobody takes them for units by position
            ranked = replace(ranked)
        return Run(
            system=meta["system"],
            questions=tuple(meta["questions"]),
            table=tuple(table) if table is not None else ranked.ids if ranked is not None else (),
            units=ranked,
            notes=meta["notes"],
            provenance=meta["provenance"],
            not_run=meta["not_run"],
            **arrays,
        )

    return Form(put, get, _own_seal)


def measurements_form() -> Form:
    """Measurements, whole."""

    def put(m: Measurements) -> Columns:
        meta = {
            "systems": list(m.systems),
            "metrics": list(m.metrics),
            "questions": list(m.questions),
            "reasons": list(m.reasons),
            "extra": dict(m.extra),
        }
        return pack(meta, value=m.value, why=m.why, unreachable=m.unreachable, missing=m.missing)

    def get(data: Columns, larder: Artifacts) -> Measurements:
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

    def put(arrays: dict[str, NDArray[Any]] | None) -> Columns:
        return pack(arrays is not None, **(arrays or {}))

    def get(data: Columns, larder: Artifacts) -> dict[str, NDArray[Any]] | None:
        del larder
        there, arrays = unpack(data)
        return arrays if there else None

    return Form(put, get, _digest)


def json_form() -> Form:
    """Plain JSON."""
    return Form(pack, lambda columns, _: unpack(columns)[0], _digest)


def files_form() -> Form:
    """Files by name, as they are."""

    def put(files: dict[str, bytes]) -> Columns:
        return {name: np.frombuffer(data, dtype=np.uint8) for name, data in files.items()}

    return Form(put, lambda columns, _: {name: one.tobytes() for name, one in columns.items()}, _digest)


def bytes_form() -> Form:
    """Bytes as they are."""

    def put(data: bytes) -> Columns:
        return {"bytes": np.frombuffer(data, dtype=np.uint8)}

    return Form(put, lambda columns, _: columns["bytes"].tobytes(), _digest)
