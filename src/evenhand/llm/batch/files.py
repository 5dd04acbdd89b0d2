"""Files of batches for offline runners: written whole before they count, read line by line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.llm.batch.providers import Result, parsed
from evenhand.model.json_text import loads

if TYPE_CHECKING:
    from evenhand.model.call import Call

__all__ = ["Output", "Taken", "new_file", "read_output", "write_rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A runner's file: results by custom id, where lines are ``broken``, and the last one, if ``torn``."""

    results: Mapping[str, Result]
    broken: tuple[str, ...] = ()
    torn: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a runner's file brought. ``calls`` that were known before are ``cached`` ones.

    ``unknown`` are the custom ids that no file emitted here has, ``changed`` says which batches were made
    for other models than the study has now; ``broken`` and ``torn`` are the lines that are none, with their
    place.
    """

    calls: tuple[Call, ...]
    unknown: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    torn: str = ""

    @property
    def known(self) -> int:
        """How many of the calls had been taken in before."""
        return sum(call.cached for call in self.calls)


def new_file(path: Path) -> None:
    """Refuse a path at which no new file can be made."""
    if path.exists():
        raise InputError(f"{path} exists already", mend="name a new file: nothing is overwritten")
    if not path.parent.is_dir():
        raise InputError(
            f"{path} cannot be written: there is no folder {path.parent}",
            mend="make the folder first, or name a file in one that is there",
        )


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """A new file of JSON lines: whole and on the disk under its name, or not there at all."""
    new_file(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror or error}",
            mend="make room or mend its permissions, or name a file elsewhere",
        ) from error
    finally:
        temporary.unlink(missing_ok=True)


def read_output(path: Path) -> Output:
    """Every result there is; of two under one custom id the one with a reply, or else the first."""
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror or error}", mend="give the runner's output file"
        ) from error
    results: dict[str, Result] = {}
    broken: list[str] = []
    torn = ""
    for number, line in enumerate(lines, 1):
        where = f"{path.name}:{number}"
        if not line.strip():
            continue
        if number == len(lines) and not _is_json(line):
            torn = f"{where}: the last line ends before its end, as of a runner that was stopped"
            continue
        try:
            result = parsed(line.decode("utf-8"), where)
        except UnicodeDecodeError as error:
            broken.append(f"{where}: not UTF-8 ({error.reason})")
        except InputError as error:
            broken.append(error.what)
        else:
            old = results.get(result.key)
            if old is None or (old.body is None and result.body is not None):
                results[result.key] = result
    return Output(results=results, broken=tuple(broken), torn=torn)


def _is_json(line: bytes) -> bool:
    try:
        loads(line)
    except (ValueError, RecursionError):
        return False
    return True
