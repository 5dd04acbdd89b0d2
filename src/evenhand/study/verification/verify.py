"""`verify`: every artefact derived anew from its inputs, seals compared, the chain of the ledger walked."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import EvenhandError, InputError, SealBroken, Undecidable
from evenhand.formats.results.folder import MANIFEST
from evenhand.formats.results.ledger import append, backwards, read_ledger
from evenhand.model.json_text import loads
from evenhand.protocols import Progress, quiet
from evenhand.retrieve.guests.mutable_sources import outside
from evenhand.study.comparison.run import conduct, corpus_of
from evenhand.study.ledger.input_fingerprints import compared_of, file_seal
from evenhand.study.ledger.plan_diff import changes
from evenhand.study.ledger.state import Standing, ledger_of, standing_of
from evenhand.study.registration.first_difference import first_difference, with_versions_of
from evenhand.study.registration.holdout import open_holdout, results_of_look
from evenhand.study.registration.manifest import LATER, listed_wrong
from evenhand.study.registration.package import VECTORS
from evenhand.study.registration.register import content_now
from evenhand.study.steps.stored_vectors import stored_vectors
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from evenhand.model.plan.study import Plan

__all__ = ["Check", "Verified", "verify"]

PAGE = "report.html"
MOST = 20  # findings of one kind that are listed
FOREIGN = ("embeddings", "answers", "calls")  # what others have answered, at a price


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing looked at: ``state`` is ``ok``, ``fault``, ``unchecked`` (nobody knows) or ``note``."""

    what: str
    state: str
    text: str


@dataclass
class Verified:
    """All checks in order; ``registered`` says whether there was a registration to hold things against."""

    registered: bool = False
    checks: list[Check] = field(default_factory=list)

    def add(self, state: str, what: str, text: str) -> None:
        """Note one check."""
        self.checks.append(Check(what=what, state=state, text=text))

    def unchecked(self, what: str, why: str) -> None:
        """Note one thing that should have been checked and could not be."""
        self.add("unchecked", what, f"not checked, because {why}")

    def count(self, state: str) -> int:
        """How many checks came out like this."""
        return sum(one.state == state for one in self.checks)

    @property
    def exit_code(self) -> int:
        """3 where anything differs, 4 where something could not be checked, else 0."""
        left = Undecidable.exit_code if self.count("unchecked") else 0
        return SealBroken.exit_code if self.count("fault") else left

    def sort(self, what: str, faults: list[str], good: str) -> None:
        """Note the faults of one thing, the first of them one by one, or that it is well."""
        for text in faults[:MOST]:
            self.add("fault", what, text)
        if len(faults) > MOST:
            self.add("fault", what, f"and {len(faults) - MOST} more")
        if not faults:
            self.add("ok", what, good)

    def as_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "schema": "evenhand.verify/1",
            "registered": self.registered,
            "faults": self.count("fault"),
            "unchecked": self.count("unchecked"),
            "checks": [{"what": c.what, "state": c.state, "text": c.text} for c in self.checks],
        }


def verify(
    plan: Plan,
    folder: str | Path,
    *,
    results: Path | None = None,
    cache: Path | None = None,
    independent: bool = False,
    now: Callable[[], str] | None = None,
    progress: Progress = quiet,
) -> Verified:
    """Check a study from its ledger to the last byte of its results; nothing is changed.

    Everything is made anew from nothing, or with what is kept in *cache*; of paid and remote models what
    they have answered is taken as it is kept. *independent*: see `evenhand.study.verification.recompute`.
    With *now* the outcome is written into the ledger. A holdout is read only when it was looked at.
    """
    home = Path(folder)
    target = results if results is not None else home / "results"
    made = Verified()
    _package(home, made)
    standing = _ledger(plan, home, made)
    if standing is None:
        made.unchecked("results", "it is not known what was promised")
        return made
    made.registered = standing.registration is not None
    if made.registered:
        _inputs(plan, home, standing, made, cache)
        _anchors(home, standing, made)
    with tempfile.TemporaryDirectory(prefix="evenhand-") as place:
        kept = cache if cache is not None else _cache(plan, home, Path(place) / "cache", made)
        done = list(_results(plan, home, target, Path(place), kept, standing, made, progress))
        stored = home / VECTORS if (home / VECTORS).is_dir() else home / ".evenhand"
        if kept.resolve() != stored.resolve():
            stored_vectors(stored, kept, made)
        if independent:
            from evenhand.study.verification.recompute import independently

            for where, of, options in done:
                progress(f"recompute {where.name}", 0, 1)
                independently(of, home, where, stored, made, cache=kept, **options)
                progress(f"recompute {where.name}", 1, 1)
    if now is not None and made.registered:
        if (home / MANIFEST).is_file():
            raise InputError("a package is not written into", mend="leave --record away")
        said = {
            k: [f"{c.what}: {c.text}" for c in made.checks if c.state == k] for k in ("fault", "unchecked")
        }
        found: dict[str, Any] = {"faults": said["fault"][:MOST], "independent": independent}
        found |= {"unchecked": said["unchecked"][:MOST]} if said["unchecked"] else {}
        append(standing.at, kind="verified", study=plan.name, at=now(), content=lambda _: found)
    return made


def _package(home: Path, made: Verified) -> None:
    if (home / MANIFEST).is_file():
        made.sort("package", list(listed_wrong(home, skip=())), "every file is as its manifest says")


def _ledger(plan: Plan, home: Path, made: Verified) -> Standing | None:
    at = ledger_of(plan, home)
    ledger = read_ledger(at)
    for line in ledger.torn:
        made.add("note", f"{at.name}:{line}", "was torn by a kill; nothing rests on it")
    faults = [f"line {one.line} {one.what}" for one in ledger.faults]
    if at.is_file() or faults:
        made.sort(
            at.name,
            faults,
            f"{len(ledger.entries)} {noun(len(ledger.entries), 'entry')}, each follows the one before",
        )
    if faults:
        return None
    for text in backwards(ledger):
        made.add("note", at.name, text)
    try:
        standing = standing_of(plan, home)
    except EvenhandError as error:
        made.add("fault", "registration", error.what)
        return None
    if standing.registration is None:
        told = "the study is not registered; its results are held against its inputs"
        made.add("note", "registration", told)
    else:
        made.add("ok", standing.file, "is the one that the ledger names")
        for one in standing.amendments:
            made.add("note", "amendment", f"{one.content['author']}, {one.at[:10]}: {one.content['reason']}")
    return standing


def _inputs(plan: Plan, home: Path, standing: Standing, made: Verified, cache: Path | None) -> None:
    """Hold what is there now against what was registered and amended."""
    known = standing.content["gold"].get("holdout") or {}
    if known and not (home / _beside(plan, home) / known["file"]).is_file():
        # a package without a look holds no holdout: its seal is kept
        state = "note" if standing.look is None and (home / MANIFEST).is_file() else "fault"
        made.add(state, known["file"], "is not here")
    try:
        with tempfile.TemporaryDirectory(prefix="evenhand-") as place:
            now = content_now(plan, home, known=known, cache=cache or Path(place))
    except EvenhandError as error:
        made.add("fault", "inputs", error.what)
        return
    if "holdout" not in now["gold"] and known:
        now["gold"]["holdout"] = known
    found = changes(compared_of(standing.content), compared_of(now))
    code = [one for one in found if one["path"][0] == "code"]
    if code:
        packages = [one["path"][-1] for one in code if one["path"][1] == "packages"]
        made.add("note", "code", f"is not that of the registration ({', '.join(packages) or 'version'})")
    else:
        made.add("ok", "code", f"evenhand {standing.content['code']['version']}, as registered")
    rest = [one for one in found if one["path"][0] != "code"]
    # the seal of a whole follows from its rows: where a row is named, that is enough
    rows = {tuple(one["path"][:-2]) for one in rest if one["path"][-2] in ("documents", "rows")}
    told = [_told(one) for one in rest if not (one["path"][-1] == "seal" and tuple(one["path"][:-1]) in rows)]
    sizes = standing.content["sample_sizes"]
    good = (
        f"{many(sizes['documents'], 'document')}, "
        f"{many(sizes['dev']['questions'], 'question')}, systems: as registered"
    )
    made.sort("inputs", told, good)


def _beside(plan: Plan, home: Path) -> Path:
    return ledger_of(plan, home).parent.relative_to(home)


def _told(one: Mapping[str, Any]) -> str:
    path = one["path"]
    state = (
        "is new"
        if "planned" not in one
        else "is gone"
        if "amended" not in one
        else "is not what was registered"
    )
    if path[:2] == ["corpus", "documents"]:
        return f"document {path[2]} {state}"
    if path[:3] == ["gold", "dev", "rows"]:
        return f"question {path[3]} of the dev set {state}"
    if path[:2] == ["gold", "holdout"]:
        return f"the holdout {state}"
    if path[0] == "files":
        return f"{path[1]} {state}"
    return f"{'.'.join(path)} {state}"


def _anchors(home: Path, standing: Standing, made: Verified) -> None:
    for anchor in standing.anchors:
        if anchor["kind"] == "git":
            told = f"named commit {anchor['commit']}; ask its server since when"
            made.add("note", f"git tag {anchor['tag']}", told)
            continue
        path = home / anchor["file"]
        if not path.is_file():
            made.add("note", anchor["file"], "the proof of time is not here")
        elif file_seal(path) != anchor["seal"]:
            made.add("fault", anchor["file"], "is not the proof of time that was named")
        else:
            made.add(
                "note", anchor["file"], "is the proof that was named; whether it is true is not verified here"
            )
    if not standing.anchors:
        made.add("note", "anchor", "registration not independently time-stamped")


def _cache(plan: Plan, home: Path, place: Path, made: Verified) -> Path:
    """An empty cache, but for what paid and remote models have answered."""
    place.mkdir(parents=True)
    if not _remote(plan):
        return place
    stored = home / VECTORS if (home / VECTORS).is_dir() else home / ".evenhand"
    for kind in FOREIGN:
        if (stored / kind).is_dir():
            shutil.copytree(stored / kind, place / kind)
    made.add(
        "note", "models", "what remote models have answered is taken as it is kept, and not asked for anew"
    )
    return place


def _remote(plan: Plan) -> bool:
    from evenhand.llm import Embeddings
    from evenhand.retrieve.vectors.embed import as_embedder

    for one in plan.systems:
        if outside(one.what):
            return True
        if one.what == "dense":
            named = one.settings.get("embedder", "minilm")
            try:
                model = as_embedder(named, **dict(one.settings.get("options", {})))
            except EvenhandError:
                continue
            if isinstance(model, Embeddings):
                return True
    return False


def _results(  # noqa: PLR0917
    plan: Plan,
    home: Path,
    target: Path,
    place: Path,
    cache: Path,
    standing: Standing,
    made: Verified,
    progress: Progress,
) -> Iterator[tuple[Path, Plan, dict[str, Any]]]:
    """Hold results against manifest, ledger and what comes out anew; yields those that could be read."""
    options: dict[str, Any] = {"cache": cache, "progress": progress}
    if not (target / "report.json").is_file():
        made.add("note", target.name, "there are no results on dev")
    elif (entries := _entries(target, plan, made)) is not None:
        wrong = list(listed_wrong(target, skip=("holdout/",)))
        made.sort(f"{target.name}/{MANIFEST}", wrong, "every file is as it says")
        has = len(standing.ledger.entries)
        if entries > has:
            lost = f"has {has} {noun(has, 'entry')}, and the report knows {entries}: it was cut short"
            made.add("fault", standing.at.name, lost)
        else:
            known: dict[str, Any] = {"entries": entries}
            _derived(made, target, place / "dev", partial(conduct, plan, home, **known, **options))
            yield target, plan, known
    if (found := _held(plan, home, target, standing, made)) is None:
        return
    asked, known = found
    _derived(made, target / "holdout", place / "holdout", partial(conduct, asked, home, **known, **options))
    yield target / "holdout", asked, known


def _held(
    plan: Plan, home: Path, target: Path, standing: Standing, made: Verified
) -> tuple[Plan, dict[str, Any]] | None:
    """The plan and the questions of the look, where there was one; its results held against the ledger."""
    folder, name = target / "holdout", f"{target.name}/holdout"
    opened = standing.look
    if opened is None:
        if folder.exists():
            made.add("fault", name, "holds results of a look that the ledger does not know")
        return None
    if standing.reported is None:
        made.add("note", name, "the look was not finished: evenhand study open-holdout")
        return None
    sealed: Mapping[str, str] = standing.reported.content["files"]
    there = results_of_look(folder) if folder.is_dir() else {}
    wrong = [
        f"{one} is {'gone' if one not in there else 'new' if one not in sealed else 'not what was reported'}"
        for one in sorted({*sealed, *there})
        if sealed.get(one) != there.get(one)
    ]
    made.sort(name, wrong, "is what the ledger says came of the look")
    try:
        corpus = corpus_of(plan, home, made=(target, home / ".evenhand"))
        gold, _ = open_holdout(plan, home, corpus, standing, now=lambda: "")
    except EvenhandError as error:
        made.add("fault", "holdout", error.what)
        return None
    claims = standing.until(opened.n).content["plan"]["claims"]
    return replace(plan, claims=claims), {"entries": opened.n, "holdout": gold}


def _entries(target: Path, plan: Plan, made: Verified) -> int | None:
    """How much of the ledger the report knew; None where it is not a report of this study."""
    try:
        report = loads((target / "report.json").read_bytes())
        name, record = report["study"]["name"], report.get("registration")
        entries = int(record["ledger"]["entries"]) if record else 0
    except (OSError, ValueError, KeyError, TypeError) as error:
        made.add("fault", f"{target.name}/report.json", f"is not a report ({type(error).__name__})")
        return None
    if name != plan.name:
        made.add("fault", f"{target.name}/report.json", f"is of the study {name!r}, not of {plan.name!r}")
        return None
    return entries


def _drawn(new: Path, page: bytes) -> bool:
    """Whether a page is the one of a report, drawn again by `evenhand report` with or without plots."""
    from evenhand.report.output.html import render

    report = loads((new / "report.json").read_bytes())
    return any(render(report, plots=plots).encode("utf-8", "replace") == page for plots in (True, False))


def _derived(made: Verified, old: Path, new: Path, work: Callable[..., Any]) -> None:
    """Make results anew and compare every file; the first byte that differs is named."""
    try:
        work(out=new)
    except EvenhandError as error:
        made.add("fault", f"{old.name} derived anew", error.what)
        return
    for note in with_versions_of(old, new):
        made.add("note", "versions", note)
    kept, fresh = results_of_look(old), results_of_look(new)
    kept = {name: digest for name, digest in kept.items() if not name.startswith("holdout/")}
    wrong = []
    for name in sorted({*kept, *fresh}):
        if name in LATER and name not in kept:
            made.add("note", f"{old.name}/{name}", "is made only by later versions than these results")
        elif name not in fresh or name not in kept:
            wrong.append(f"{name} is {'not made any more' if name not in fresh else 'gone'}")
        elif kept[name] != fresh[name] and not (name == PAGE and _drawn(new, (old / name).read_bytes())):
            both = (new / name).read_bytes(), (old / name).read_bytes()
            wrong.append(first_difference(name, *both, words=("made anew", "in the file")))
    made.sort(f"{old.name} derived anew", wrong, f"{len(fresh)} {noun(len(fresh), 'file')}, the same bytes")
