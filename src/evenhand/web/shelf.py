"""The studies whose results are shown: found in folders, each report read once and kept by its hash."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import EvenhandError, InputError, SealBroken
from evenhand.web.house import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evenhand.formats.ranks import Ranks
    from evenhand.model.check import Side

__all__ = ["DEEP", "REPORT", "Shelf", "Study", "Unread", "folders_in", "reports_in"]

REPORT = "report.json"
DEEP = 3  # folders below one that was named
KEPT = 8  # parsed reports in memory
SEVERAL = re.compile(r"[^A-Za-z0-9._-]+")


def reports_in(places: Iterable[Path]) -> tuple[Path, ...]:
    """The report.json of study files, results folders and folders of these, in the order of their paths."""
    found: dict[Path, None] = {}
    for place in places:
        root, deep = (place.parent / "results", 1) if not place.is_dir() else (place, DEEP)
        if place.name == REPORT and place.is_file():
            found[place] = None
            continue
        for folder, files in _walk(root, deep):
            if REPORT in files:
                found[folder / REPORT] = None
    return tuple(found)


def folders_in(root: Path, deep: int = DEEP) -> Iterator[Path]:
    """*root* and the folders in it, so many deep, without hidden ones."""
    return (folder for folder, _ in _walk(root, deep))


def _walk(root: Path, deep: int) -> Iterator[tuple[Path, list[str]]]:
    for folder, inside, files in os.walk(root):
        below = len(Path(folder).relative_to(root).parts)
        inside[:] = sorted(n for n in inside if not n.startswith(".")) if below < deep else []
        yield Path(folder), files


@dataclass(frozen=True)
class Study:
    """One report, checked; ``digest`` is the SHA-256 of its file."""

    path: Path
    digest: str
    report: Mapping[str, Any]

    @property
    def split(self) -> str:
        """``dev`` or ``holdout``."""
        return str(self.report["gold"]["split"])

    @property
    def closed(self) -> bool:
        """Is it of a holdout at which, by its own account, nobody has looked yet?"""
        told = self.report.get("registration") or {}
        return self.split == "holdout" and not (told.get("state") == "seen" and told.get("looks"))

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """Places of the listed questions by id."""
        return {row["id"]: i for i, row in enumerate(self.report["questions"]["rows"])}

    @cached_property
    def view(self) -> Mapping[str, Any]:
        """What the report's templates need in another shape."""
        from evenhand.report.html import view

        return view(self.report)

    @cached_property
    def memo(self) -> dict[str, Any]:
        """What pages worked out from this report, by a name of theirs."""
        return {}

    @cached_property
    def measured(self) -> Side | None:
        """All values of all questions; None where the folder does not hold them."""
        from evenhand.formats.sides import read_results

        try:
            return read_results(self.path)
        except InputError:
            return None
        except SealBroken as error:
            raise Refused(
                409,
                "the measurements beside this report are not those it was made with",
                mend="run the study again",
            ) from error

    @cached_property
    def ranks(self) -> Ranks | None:
        """Where graded units stand in all rankings; None where the folder does not hold them."""
        from evenhand.formats.ranks import read_ranks

        try:
            return read_ranks(self.path, self.report)
        except SealBroken as error:
            raise Refused(
                409,
                "the rankings and grades beside this report are not those it was made with",
                mend="run the study again",
            ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A report that cannot be shown, and why."""

    path: Path
    what: str
    mend: str


@dataclass
class Shelf:
    """The reports in *places*, looked for anew with every overview."""

    places: tuple[Path, ...] = ()
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _names: dict[str, Path] = field(default_factory=dict, repr=False)
    _kept: OrderedDict[Path, tuple[tuple[int, int], Study]] = field(default_factory=OrderedDict, repr=False)

    def __iter__(self) -> Iterator[tuple[str, Study] | Unread]:
        """Each study with the name in its address, and what cannot be read."""
        with self._lock:
            found: list[tuple[str, Study] | Unread] = []
            taken: set[str] = set()
            for path in reports_in(self.places):
                try:
                    study = self._read(path)
                except EvenhandError as error:
                    found.append(Unread(path=path, what=error.what, mend=error.mend))
                    continue
                name = _free(_slug(study), taken)
                taken.add(name)
                self._names[name] = path
                found.append((name, study))
            return iter(found)

    def names(self) -> dict[Path, str]:
        """The name in its address of each report that can be read."""
        with self._lock:
            for _ in self:
                pass
            return {path: name for name, path in self._names.items()}

    def study(self, name: str) -> Study:
        """The study of an address; refused where there is none, or a holdout nobody has looked at."""
        with self._lock:
            if name not in self._names:
                list(self)
            path = self._names.get(name)
            if path is None or not path.is_file():
                raise Refused(404, "there is no such study", mend="go to the list of studies")
            try:
                study = self._read(path)
            except EvenhandError as error:
                # neither the place of the file nor what is in it: the overview names it
                raise Refused(409, "this report cannot be read", mend="see the list of studies") from error
        if study.closed:
            raise Refused(
                403,
                "this holdout has not been looked at by the registered plan",
                mend="open it with `evenhand study open-holdout`",
            )
        return study

    def _read(self, path: Path) -> Study:
        from evenhand.formats.results import read_report
        from evenhand.report.schema import check

        try:
            there = path.stat()
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}", mend="let it be read") from error
        mark = there.st_mtime_ns, there.st_size
        known, study = self._kept.get(path, (None, None))
        if study is None or known != mark:
            _, told, content = read_report(path)
            digest = hashlib.sha256(content).hexdigest()
            if study is None or study.digest != digest:
                check(told, name=path.name)
                study = Study(path=path, digest=digest, report=told)
            self._kept[path] = mark, study
        self._kept.move_to_end(path)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return study


def _slug(study: Study) -> str:
    words = SEVERAL.sub("-", str(study.report["study"]["name"])).strip("-.") or "study"
    words = words.removesuffix(".json") or "study"
    return words if study.split == "dev" else f"{words}-{study.split}"


def _free(name: str, taken: set[str]) -> str:
    number, made = 1, name
    while made in taken:
        number += 1
        made = f"{name}-{number}"
    return made
