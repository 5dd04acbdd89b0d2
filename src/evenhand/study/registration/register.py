"""`register`: everything that a study rests on is sealed, before its holdout is looked at."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import HoldoutSpent, InputError, SealBroken
from evenhand.formats.raw_bytes import write_bytes
from evenhand.formats.results.ledger import append, read_ledger, whole
from evenhand.model.ledger import Ledger
from evenhand.protocols import Progress, quiet
from evenhand.study.comparison.run import importable, inputs
from evenhand.study.ledger.home_ledger import seen_elsewhere
from evenhand.study.ledger.input_fingerprints import code_sealed, compared_of, sealed
from evenhand.study.ledger.plan_diff import changes, keyed, told
from evenhand.study.ledger.state import (
    CLAIMS,
    Standing,
    gold_of,
    ledger_of,
    settled,
    staged,
    standing_of,
)
from evenhand.study.registration.precheck import checked, hashed
from evenhand.study.steps.code_fingerprint import versions
from evenhand.study.steps.participants import entrants, pairs_of
from evenhand.study.steps.systems import Systems
from evenhand.study.threshold.question_types import need_types
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from evenhand.model.ledger import Entry
    from evenhand.model.plan.study import Plan

__all__ = ["Registered", "content_now", "other_ledgers", "register", "unseen"]

SCHEMA = "evenhand.registration/1"
MAKE_NEW = "write new questions for the holdout: what was seen shows nothing any more"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """What came of it: the file, its seal, the entry in the ledger, and what was sealed."""

    file: Path
    seal: str
    ledger: Path
    entry: Entry
    content: Mapping[str, Any]
    anchored: bool  # an anchor was added to what had been registered before
    notes: tuple[str, ...] = ()  # what speaks against the holdout, of looks in other folders


def register(
    plan: Plan,
    folder: str | Path,
    *,
    now: Callable[[], str],
    anchors: Callable[[Mapping[str, Path]], Mapping[str, Any] | None] = lambda _: None,
    ledgers: Sequence[Path] = (),
    cache: Path | None = None,
    progress: Progress = quiet,
) -> Registered:
    """Seal *plan* and all that it rests on into ``registration.json``, and write so into the ledger.

    *anchors* is asked with the files that may be stamped, by name, and returns the anchor; where the study
    is registered as it is, the anchor alone is added. *ledgers* are those of other gold sets, whose seen
    questions may not be in this holdout. *now* gives the time, which nobody vouches for.

    Raises InputError when it is registered already or ``gold check`` finds an error; HoldoutSpent when the
    holdout shares a question with one that was seen.
    """
    home = Path(folder)
    standing = standing_of(plan, home)
    if standing.registration is None:
        need_types(plan, home)
    content = content_now(plan, home, cache=cache, progress=progress)
    if standing.registration is not None:
        return _again(plan, home, standing, content, anchors, now)
    unseen(content["gold"].get("holdout"), [standing.ledger, *other_ledgers(ledgers)], plan.name)
    notes = seen_elsewhere((content["gold"].get("holdout") or {}).get("seen", {}).values())
    data = (json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
    anchor = anchors(_stampable(plan, home))
    digest = hashlib.sha256(data).hexdigest()

    def entry(ledger: Ledger) -> dict[str, Any]:
        if ledger.of(plan.name, "registered"):
            raise _twice(plan.name)
        held = content["gold"].get("holdout")
        # under the lock, so that two studies that are registered at once take a name each; the line of the
        # ledger is what counts: one that is killed before it has registered nothing, after it all is there
        file = _file(plan, home, ledger, data)
        write_bytes(staged(file, digest), data)
        return {
            "file": file.name,
            "seal": digest,
            "seals": content["seals"],
            "holdout": {key: held[key] for key in ("file", "seal", "questions")} if held else None,
            "anchor": dict(anchor) if anchor else None,
        }

    at = ledger_of(plan, home)
    made, _ = append(at, kind="registered", study=plan.name, at=now(), content=entry)
    assert made is not None  # noqa: S101 - entry returns something or raises
    file = settled(home / str(made.content["file"]), digest)
    for left in home.glob(f".{file.name}.*"):  # of one that was killed before its line
        left.unlink(missing_ok=True)
    return Registered(
        file=file, seal=digest, ledger=at, entry=made, content=content, anchored=False, notes=notes
    )


def content_now(
    plan: Plan,
    home: Path,
    *,
    known: Mapping[str, Any] | None = None,
    cache: Path | None = None,
    progress: Progress = quiet,
) -> dict[str, Any]:
    """What would be registered if it were done now: plan, seals, sizes, and what is not claimed.

    With what is *known* of the holdout by a registration its bytes are hashed and nothing else; without,
    it is checked as `gold check` does.
    """
    from evenhand.report.output.assemble import NOT_CLAIMED
    from evenhand.store.blobs import Blobs
    from evenhand.study.comparison.report import LIBRARIES
    from evenhand.study.comparison.steps import metrics_of

    blobs = Blobs(cache if cache is not None else home / ".evenhand")
    with importable(home):
        systems = Systems(plan, home, blobs)
        field = entrants(plan, own=systems.own)
        pairs = pairs_of(plan, field)
        corpus, gold = inputs(plan, home, progress, made=(home / "results", blobs.root))
        held = sealed(plan, home, corpus, gold, systems)
    hidden = checked(plan, home, corpus) if known is None else hashed(plan, home, known)
    if hidden is not None:
        held["gold"]["holdout"] = hidden
    claims = plan.claims.get("does_not_claim") or []
    return {
        "schema": SCHEMA,
        "study": plan.name,
        **held,
        "code": code_sealed(),
        "versions": versions("evenhand", *LIBRARIES),
        "metrics": {"primary": plan.measure.primary, "all": list(metrics_of(plan))},
        "family": {
            "pairs": [list(pair) for pair in pairs],
            "metric": plan.measure.primary,
            "adjust": plan.compare.adjust,
            "level": plan.compare.level,
        },
        "criteria": keyed({"c": plan.as_json().get("criteria", ())})["c"] or {},
        "sample_sizes": {
            "documents": len(corpus),
            "dev": {"questions": len(gold), "answerable": len(gold.answerable())},
            "holdout": hidden["questions"] if hidden else None,
        },
        "seals": {
            "plan": plan.seal,
            "corpus": corpus.seal,
            "gold_dev": gold.seal,
            "gold_holdout": hidden["seal"] if hidden else None,
        },
        "does_not_claim": [*claims, *NOT_CLAIMED],
        "claims": CLAIMS,
    }


def unseen(hidden: Mapping[str, Any] | None, ledgers: Sequence[Ledger], study: str) -> None:
    """Raise `HoldoutSpent` where a holdout shares questions with one that was looked at, naming the ids."""
    if hidden is None:
        return
    shared: list[str] = []
    whose: list[str] = []
    for ledger in ledgers:
        whole(ledger)
        seen = ledger.seen()
        for question, words in hidden["seen"].items():
            if words in seen:
                other, name = seen[words]
                shared.append(question if name == question else f"{question} (seen as {name})")
                whose.append(other)
    if shared:
        names = ", ".join(dict.fromkeys(shared))
        raise HoldoutSpent(
            f"the holdout of {study!r} shares {len(set(shared))} {noun(len(set(shared)), 'question')} with "
            "one that was looked at "
            f"(by {', '.join(map(repr, dict.fromkeys(whose)))}): {names}",
            mend=MAKE_NEW,
        )


def other_ledgers(ledgers: Sequence[Path]) -> list[Ledger]:
    """The ledgers of other gold sets, read."""
    found = []
    for path in ledgers:
        if not path.is_file():
            raise InputError(f"there is no ledger {path}", mend="name the ledger.jsonl of the other gold set")
        found.append(read_ledger(path))
    return found


def _again(  # noqa: PLR0917
    plan: Plan,
    home: Path,
    standing: Standing,
    content: Mapping[str, Any],
    anchors: Callable[[Mapping[str, Path]], Mapping[str, Any] | None],
    now: Callable[[], str],
) -> Registered:
    """A study that is registered already: an anchor may be added, and nothing else."""
    held = home / standing.file
    anchor = anchors({standing.file: held, **_stampable(plan, home)})
    made = changes(compared_of(standing.content), compared_of(content))
    if anchor is None:
        raise _twice(plan.name, f", and these differ from it: {told(made)}" if made else ", as it is now")
    entry, _ = append(
        standing.at,
        kind="anchored",
        study=plan.name,
        at=now(),
        content=lambda _: {"anchor": dict(anchor)},
    )
    assert entry is not None  # noqa: S101
    first = standing.entries("registered")[0]
    return Registered(
        file=held,
        seal=str(first.content["seal"]),
        ledger=standing.at,
        entry=entry,
        content=standing.registration or {},
        anchored=True,
    )


def _twice(study: str, more: str = "") -> InputError:
    return InputError(
        f"{study!r} is registered already{more}",
        mend="to change what was planned: evenhand study amend STUDY.toml --author … --reason …; "
        "or give a new study another name",
    )


def _file(plan: Plan, home: Path, ledger: Ledger, data: bytes) -> Path:
    """``registration.json``, or with the study's name in it where that one belongs to another study."""
    from evenhand.store.blobs import safe_name

    taken = {str(e.content["file"]) for e in ledger.entries if e.kind == "registered"}
    name = "registration.json"
    if name in taken:
        name = f"registration.{safe_name(plan.name)}.json"
    file = home / name
    # there already and in no ledger: the ledger was thrown away
    if file.exists() and file.read_bytes() != data:
        raise SealBroken(
            f"{name} is there, and {ledger.name} does not know it",
            mend="take the ledger from git as it was; if nothing was ever registered, remove the file",
        )
    return file


def _stampable(plan: Plan, home: Path) -> dict[str, Path]:
    """Files that a proof may be of, besides the registration itself."""
    gold = gold_of(plan, home)
    found = [*sorted(home.glob("*.toml")), *([gold] if gold.is_file() else [])]
    return {file.name: file for file in found}
