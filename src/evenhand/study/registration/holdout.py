"""The holdout: opened once, the look written into the ledger first; afterwards only checked for its bytes."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import HoldoutSpent, InputError, SealBroken
from evenhand.formats.results.folder import check_owner
from evenhand.formats.results.ledger import append
from evenhand.protocols import Progress, quiet
from evenhand.study.comparison.run import Outcome, conduct, corpus_of
from evenhand.study.ledger.home_ledger import remember, seen_elsewhere
from evenhand.study.ledger.input_fingerprints import compared_of
from evenhand.study.ledger.plan_diff import changes, told
from evenhand.study.ledger.state import Standing, standing_of
from evenhand.study.registration.first_difference import first_difference, with_versions_of
from evenhand.study.registration.manifest import LATER
from evenhand.study.registration.precheck import holdout_of
from evenhand.study.registration.register import MAKE_NEW, content_now, other_ledgers, unseen
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet
    from evenhand.model.ledger import Ledger
    from evenhand.model.plan.study import Plan
    from evenhand.model.text import Corpus

__all__ = ["Look", "as_registered", "look", "open_holdout", "results_of_look"]

UNSEALED = ("costs.json", "MANIFEST.sha256")  # what differs from run to run, and what follows from the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What came of ``open-holdout``: ``how`` is ``first``, ``resumed`` or ``integrity``.

    ``notes`` say what a check of integrity found besides equal bytes, and of a first look whether its
    questions were looked at before, in whatever folder.
    """

    outcome: Outcome
    how: str
    notes: tuple[str, ...] = ()


def look(
    plan: Plan,
    folder: str | Path,
    *,
    now: Callable[[], str],
    out: Path | None = None,
    cache: Path | None = None,
    ledgers: Sequence[Path] = (),
    progress: Progress = quiet,
) -> Look:
    """Conduct the registered plan on the holdout, once; a later call is a check of integrity.

    The first call writes the look into the ledger, then reads the holdout, and writes its results to
    ``holdout/`` in *out* (default ``results/``). Killed, it goes on as the same look. When it was finished,
    a further call conducts it again beside and compares the bytes: equal is well, with other code too.

    Raises InputError where the study is not registered or has no holdout; SealBroken (3) where something
    differs from what was registered before the look, or the bytes afterwards; HoldoutSpent (3) where
    something differs after the look, naming what.
    """
    home = Path(folder)
    target = (out if out is not None else home / "results") / "holdout"
    check_owner(target.parent, plan.name)
    standing = standing_of(plan, home)
    _may(plan, home, standing, target)
    as_registered(plan, home, standing, cache=cache)
    corpus = corpus_of(plan, home, made=(target.parent, cache or home / ".evenhand"))
    before = standing.look
    words = standing.content["gold"]["holdout"]["seen"].values()
    notes = seen_elsewhere(words) if before is None else ()
    gold, standing = open_holdout(plan, home, corpus, standing, now=now, ledgers=ledgers)
    opened = standing.look
    assert opened is not None  # noqa: S101 - it was written, or found
    notes += remember(words, at=opened.at)
    asked = _as_looked(plan, standing)
    options: dict[str, Any] = {"holdout": gold, "entries": opened.n, "cache": cache, "progress": progress}
    if standing.reported is not None:
        with tempfile.TemporaryDirectory(prefix="evenhand-") as place:
            outcome = conduct(asked, home, out=Path(place) / "holdout", **options)
            return _checked(plan, standing, outcome, target, now)
    outcome = conduct(asked, home, out=target, **options)
    if not outcome.report["incomplete"]["state"]:  # what could not be asked is asked by the same look
        _report(plan, standing, target, now)
    return Look(outcome=outcome, how="first" if before is None else "resumed", notes=notes)


def open_holdout(
    plan: Plan,
    folder: Path,
    corpus: Corpus,
    standing: Standing,
    *,
    now: Callable[[], str],
    ledgers: Sequence[Path] = (),
) -> tuple[GoldSet, Standing]:
    """The questions of the holdout, and how the study stands then: the look is on the disk before.

    The one function that reads a holdout. Two that call it at once make one look.
    """
    from evenhand.formats.gold.gold_set import read_holdout

    path = holdout_of(plan, folder)
    if path is None:
        raise InputError("there is no holdout", mend="it lies beside the gold set: gold.holdout.jsonl")
    known = standing.content["gold"]["holdout"]
    others = other_ledgers(ledgers)

    def entry(ledger: Ledger) -> Mapping[str, Any] | None:
        if ledger.of(plan.name, "look"):
            return None
        unseen(known, [ledger, *others], plan.name)
        return {
            "registration": standing.entries("registered")[0].content["seal"],
            "amendments": len(standing.amendments),
            "holdout": {key: known[key] for key in ("file", "seal", "questions")},
            "seen": known["seen"],
            "code": standing.content["code"]["seal"],
        }

    ledger = standing.ledger
    if standing.look is None:
        _, ledger = append(standing.at, kind="look", study=plan.name, at=now(), content=entry)
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != known["seal"]:
        raise SealBroken(
            f"{path.name} is not the holdout that was registered", mend="take it from git as it was"
        )
    bare = plan.gold.get("evidence") == "optional"
    gold = read_holdout(path, data, corpus, spans=plan.gold.get("spans"), bare=bare)
    return gold, replace(standing, ledger=ledger)


def as_registered(plan: Plan, home: Path, standing: Standing, *, cache: Path | None = None) -> list[Any]:
    """What differs now from what was registered and amended; raises where that is not allowed.

    Before the look nothing may differ; after it the code alone may, once the look was finished.
    """
    known = standing.content["gold"].get("holdout") or {}
    now = content_now(plan, home, known=known, cache=cache)
    made = changes(compared_of(standing.content), compared_of(now))
    opened = standing.look
    code = [one for one in made if one["path"][0] == "code"]
    rest = [one for one in made if one["path"][0] != "code"]
    if opened is None and made:
        raise SealBroken(
            f"{plan.name!r} is not as it was registered: {told(made)}",
            mend="put it back as it was; or, before the look: "
            "evenhand study amend STUDY.toml --author … --reason …",
        )
    if opened is not None and rest:
        raise HoldoutSpent(
            f"the holdout of {plan.name!r} was looked at on {opened.at[:10]}, and since then there has "
            f"changed: {told(rest)}",
            mend=f"{MAKE_NEW}; register a new study with them, or put back what was changed",
        )
    if opened is not None and code and standing.reported is None:
        raise HoldoutSpent(
            f"the look of {opened.at[:10]} was not finished, and the code is another since: {told(code)}",
            mend="go on with the version that was registered; or say why not: evenhand study amend",
        )
    return made


def results_of_look(folder: Path) -> dict[str, str]:
    """SHA-256 of each file of the results of a look, but for what differs from run to run."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in UNSEALED and not path.name.startswith(".")
    }


def _may(plan: Plan, home: Path, standing: Standing, target: Path) -> None:
    """Refuse where nothing was registered, or somebody has looked without the ledger."""
    if standing.registration is None:
        raise InputError(
            f"{plan.name!r} is not registered: a holdout is opened by a registered plan alone",
            mend="evenhand study register STUDY.toml",
        )
    if not standing.content["gold"].get("holdout"):
        raise InputError(
            f"{plan.name!r} was registered without a holdout",
            mend="put gold.holdout.jsonl beside the gold set (evenhand gold split), and register a new study",
        )
    if standing.look is None and (target / "report.json").exists():
        raise SealBroken(
            f"{target.name}/ holds results of a look that {standing.at.name} does not know",
            mend="take the ledger from git as it was; a look that took place is not taken back",
        )
    if holdout_of(plan, home) is None:
        held = standing.content["gold"]["holdout"]["file"]
        raise SealBroken(f"the registered holdout {held} is gone", mend="take it from git as it was")


def _as_looked(plan: Plan, standing: Standing) -> Plan:
    """The plan with the words of the author as they were at the look: they may be amended afterwards."""
    opened = standing.look
    claims = standing.until(opened.n).content["plan"]["claims"] if opened else plan.claims
    return replace(plan, claims=claims)


def _report(plan: Plan, standing: Standing, target: Path, now: Callable[[], str]) -> None:
    files = results_of_look(target)
    code = standing.content["code"]

    def entry(ledger: Ledger) -> Mapping[str, Any] | None:
        if ledger.of(plan.name, "reported"):
            return None
        return {"files": files, "report": files["report.json"], "code": code["seal"]}

    append(standing.at, kind="reported", study=plan.name, at=now(), content=entry)


def _checked(plan: Plan, standing: Standing, outcome: Outcome, target: Path, now: Callable[[], str]) -> Look:
    """Compare a further run with what was reported; SealBroken names the first byte that differs."""
    from evenhand.study.ledger.input_fingerprints import code_sealed

    reported = standing.reported
    assert reported is not None  # noqa: S101 - asked for only then
    sealed: Mapping[str, str] = reported.content["files"]
    kept = results_of_look(target) if target.is_dir() else {}
    touched = sorted(name for name in sealed if name in kept and kept[name] != sealed[name])
    if touched:
        _written(plan, standing, now, "results were changed", touched)
        raise SealBroken(
            f"{touched[0]} of the results of the look is not what was reported on {reported.at[:10]}"
            + (f", and {len(touched) - 1} more" if len(touched) > 1 else ""),
            mend="take results/holdout from git as it was, or remove it and run this again to make it anew",
        )
    notes = list(with_versions_of(target, outcome.folder))
    fresh = results_of_look(outcome.folder)
    code = code_sealed()["seal"]
    other = code != reported.content["code"]
    if other:
        notes.append("the code is another than at the look; that is allowed, as the bytes are equal")
    more = sorted(LATER & (set(fresh) - set(sealed))) if other else []
    if more:
        notes.append(f"made only by later versions than that of the look: {', '.join(more)}")
    wrong = sorted(name for name in {*sealed, *fresh}.difference(more) if sealed.get(name) != fresh.get(name))
    if wrong:
        _written(plan, standing, now, "other bytes", wrong)
        raise SealBroken(
            _first(wrong, target, outcome.folder)
            + (" (the code is another than at the look)" if other else ""),
            mend="run it with the version that was registered"
            if other
            else "what a run depends on has changed without being named in the study: look at the systems",
        )
    _written(plan, standing, now, "same bytes", [])
    if not kept:
        from evenhand.study.registration.package import copied

        copied(outcome.folder, target)
        notes.append("the results of the look were missing, and were made anew with the same bytes")
    made = replace(outcome, folder=target, page=target / "report.html")
    return Look(outcome=made, how="integrity", notes=tuple(notes))


def _first(wrong: Sequence[str], target: Path, fresh: Path) -> str:
    # the report is told of first: the page and the tables follow from it
    name = "report.json" if "report.json" in wrong else wrong[0]
    old, new = target / name, fresh / name
    if not old.is_file() or not new.is_file():
        return f"{name} of the results of the look is {'gone' if new.is_file() else 'not made any more'}"
    more = f", and {len(wrong) - 1} more {noun(len(wrong) - 1, 'file')}" if len(wrong) > 1 else ""
    return f"{first_difference(name, old.read_bytes(), new.read_bytes())}{more}"


def _written(
    plan: Plan, standing: Standing, now: Callable[[], str], outcome: str, files: Sequence[str]
) -> None:
    from evenhand.study.ledger.input_fingerprints import code_sealed

    content = {"outcome": outcome, "files": list(files), "code": code_sealed()["seal"]}
    append(standing.at, kind="integrity", study=plan.name, at=now(), content=lambda _: content)
