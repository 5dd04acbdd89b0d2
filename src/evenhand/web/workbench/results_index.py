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

from evenhand.errors import EvenhandError, InputError
from evenhand.web.server.app_state import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evenhand.formats.results.ranks import Ranks
    from evenhand.model.plan.check import Side

__all__ = ["DEEP", "REPORT", "Shelf", "Study", "Unread", "folders_in", "reports_in"]

REPORT = "report.json"
DEEP = 3  # folders below one that was named
AGAIN = "make the results again with `evenhand run`"
KEPT = 8  # parsed reports in memory
SEVERAL = re.compile(r"[^A-Za-z0-9._-]+")


def reports_in(places: Iterable[Path]) -> tuple[Path, ...]:
    """The report.json of study files, results folders and folders of these, in the order of their paths."""
    found: dict[Path, None] = {}
    for place in places:
        root, deep = (place.parent / "results", 1) if not place.is_dir() else (place, DEEP)
        if place.name == REPORT and place.exists() and not place.is_dir():
            found[place] = None
            continue
        for folder, files in _walk(root, deep):
            if REPORT in files:  # or a folder, a pipe, a device: the list says that it cannot be read
                found[folder / REPORT] = None
    return tuple(found)


def folders_in(root: Path, deep: int = DEEP) -> Iterator[Path]:
    """*root* and the folders in it, so many deep, without hidden ones."""
    return (folder for folder, _ in _walk(root, deep))


def _walk(root: Path, deep: int) -> Iterator[tuple[Path, list[str]]]:
    for folder, inside, there in os.walk(root):
        below = len(Path(folder).relative_to(root).parts)
        files = there + [REPORT] * (REPORT in inside)
        inside[:] = sorted(n for n in inside if not n.startswith(".") and n != REPORT) if below < deep else []
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
        from evenhand.report.output.html import view

        return view(self.report)

    @cached_property
    def memo(self) -> dict[str, Any]:
        """What pages worked out from this report, by a name of theirs."""
        return {}

    @cached_property
    def measured(self) -> Side | None:
        """All values of all questions; None where the folder does not hold them."""
        from evenhand.formats.results.baseline_sides import read_results

        try:
            return read_results(self.path)
        except InputError:
            return None
        except Exception as error:  # a table made by somebody else may be anything
            raise _not_its_own("the measurements") from error

    @cached_property
    def ranks(self) -> Ranks | None:
        """Where graded units stand in all rankings; None where the folder does not hold them."""
        from evenhand.formats.results.ranks import read_ranks

        try:
            return read_ranks(self.path, self.report)
        except Exception as error:
            raise _not_its_own("the rankings and grades") from error


def _not_its_own(what: str) -> Refused:
    """Another content than the manifest lists, or no table at all."""
    return Refused(
        409, f"{what} beside this report are not those it was made with", mend="run the study again"
    )


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
    _bad: dict[Path, tuple[tuple[int, ...], EvenhandError]] = field(default_factory=dict, repr=False)
    _kept: OrderedDict[Path, tuple[tuple[int, ...], Study]] = field(default_factory=OrderedDict, repr=False)

    def __iter__(self) -> Iterator[tuple[str, Study] | Unread]:
        """Each study with the name in its address, and what cannot be read."""
        with self._lock:
            found: list[tuple[str, Study] | Unread] = []
            taken: set[str] = set()
            for path in reports_in(self.places):
                try:
                    study = self._known(path)
                except EvenhandError as error:
                    found.append(unread(path, error))
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
                study = self._known(path)
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

    def _known(self, path: Path) -> Study:
        """The study of a report; what cannot be read is not tried again before it changes."""
        try:
            there = path.stat()
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}", mend="let it be read") from error
        mark = there.st_mtime_ns, there.st_size, there.st_ino
        before, wrong = self._bad.get(path, (None, None))
        if wrong is not None and before == mark:
            raise wrong.reworded(wrong.what)
        try:
            study = self._read(path, mark)
        except EvenhandError as error:
            self._bad[path] = mark, error
            raise
        self._bad.pop(path, None)
        return study

    def _read(self, path: Path, mark: tuple[int, ...]) -> Study:
        from evenhand.formats.results.folder import read_report

        known, study = self._kept.get(path, (None, None))
        if study is None or known != mark:
            _, told, content = read_report(path)
            digest = hashlib.sha256(content).hexdigest()
            if study is None or study.digest != digest:
                study = _study(path, digest, told)
            self._kept[path] = mark, study
        self._kept.move_to_end(path)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return study


def unread(path: Path, error: Exception) -> Unread:
    """The line of a report that cannot be shown, whatever is wrong with it."""
    if isinstance(error, EvenhandError):
        return Unread(path=path, what=error.what, mend=error.mend)
    what = f"{path} cannot be shown: it is not as `evenhand run` writes it ({type(error).__name__})"
    return Unread(path=path, what=what, mend=AGAIN)


def _study(path: Path, digest: str, report: Mapping[str, Any]) -> Study:
    """A report that is of its form, with all that the list shows of it; InputError for any other."""
    from evenhand.report.schema.whole_report import check

    try:
        check(report, name=path.name)
        study = Study(path=path, digest=digest, report=report)
        _ = study.view, study.rows, study.closed, _slug(study)
    except EvenhandError:
        raise
    except Exception as error:
        told = unread(path, error)
        raise InputError(told.what, mend=told.mend) from error
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
