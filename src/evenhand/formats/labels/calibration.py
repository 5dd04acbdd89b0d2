"""``calibration.json``: the human sample, in git beside the study.

Where it was drawn by strata it says on which items judges split, never what anyone said: keep it from those
who label.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.encoding import decode
from evenhand.formats.gold.jsonl import strict
from evenhand.formats.raw_bytes import read_bytes, write_bytes
from evenhand.model.plan.calibration_sample import Sample

__all__ = ["SCHEMA", "read_sample", "sample_text", "write_sample"]

SCHEMA = "evenhand.calibration-sample/1"
KEYS = ("schema", "population", "of", "phases", "rest", "strata", "items", "seal")
MEND = "draw it again: evenhand judge calibrate STUDY.toml --draw N"


def sample_text(sample: Sample) -> str:
    """The file: sorted keys, an item a line, and the seal over it all."""
    made = sample.as_json()
    items = made.pop("items")
    head = json.dumps({**made, "seal": sample.seal}, indent=1, sort_keys=True)
    rows = ",\n  ".join(json.dumps(one, sort_keys=True) for one in items)
    return f'{head[:-2]},\n "items": [\n  {rows}\n ]\n}}\n'


def write_sample(path: str | os.PathLike[str], sample: Sample) -> None:
    """Write under a temporary name and move into place."""
    write_bytes(path, sample_text(sample).encode())


def read_sample(path: str | os.PathLike[str]) -> Sample:
    """The sample of a file; one that was changed by hand is refused, since its chances would be wrong."""
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no sample {file.name}", mend=MEND)
    text, _ = decode(read_bytes(file), where=file.name)
    try:
        data: Any = strict(text)
    except ValueError as error:
        raise InputError(f"{file.name}: {error}", mend=MEND) from error
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise InputError(f"{file.name} is no sample of calibration ({SCHEMA})", mend=MEND)
    for key in data:
        if key not in KEYS:
            raise InputError(f"{file.name}: unknown key {key!r}", mend=nearest(key, KEYS))
    try:
        made = Sample.of_json(data)
        whole = made.seal == data["seal"] and bool(made.phases)
    except InputError as error:
        raise InputError(f"{file.name}: {error.what}", mend=error.mend) from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"{file.name} is not whole ({type(error).__name__}: {error})", mend=MEND) from error
    if not whole:
        raise InputError(
            f"{file.name} was changed since it was drawn: its seal does not fit",
            mend="restore it from git, or draw a new sample",
        )
    return made
