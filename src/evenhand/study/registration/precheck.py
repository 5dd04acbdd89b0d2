"""The check before registration: that of ``evenhand gold check``, with what it may know of the holdout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError
from evenhand.study.ledger.input_fingerprints import file_seal
from evenhand.study.ledger.state import gold_of
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evenhand.model.plan.study import Plan
    from evenhand.model.text import Corpus

__all__ = ["checked", "hashed", "holdout_of"]

MOST = 12


def holdout_of(plan: Plan, folder: Path) -> Path | None:
    """The file of the holdout, ``gold.holdout.jsonl`` beside ``gold.jsonl``; None where there is none."""
    gold = gold_of(plan, folder)
    beside = gold.with_name(f"{gold.stem}.holdout.jsonl")
    return beside if beside.is_file() and not gold.is_dir() else None


def checked(plan: Plan, folder: Path, corpus: Corpus) -> dict[str, Any] | None:
    """What may be sealed of the holdout: file, SHA-256, number of questions, hashes of their words by id.

    None where there is no holdout. Raises the errors that ``gold check`` finds, which show no words of it.
    """
    from evenhand.formats.gold.gold_set import load_gold, read_holdout_for_check
    from evenhand.formats.study_file.toml_reader import Problems
    from evenhand.gold.lint import lint

    held = plan.gold
    qrels, bare = held.get("qrels"), held.get("evidence") == "optional"
    loaded = load_gold(
        gold_of(plan, folder),
        corpus,
        qrels=folder / qrels if qrels else None,
        bare=bare,
        **{name: held[name] for name in ("format", "spans", "exclude", "lenient") if name in held},
    )
    path = holdout_of(plan, folder)
    before = file_seal(path) if path else ""
    hidden = read_holdout_for_check(path, corpus, bare=bare) if path else None
    findings = [*loaded.findings, *(hidden.findings if hidden else ())]
    findings += lint(
        loaded.gold, corpus, holdout=hidden, file=loaded.file, holdout_file=path.name if path else ""
    )
    wrong = [one for one in findings if one.severity == "error"]
    if wrong:
        every = [InputError(str(one), mend=one.mend or "mend this line") for one in wrong[:MOST]]
        if len(wrong) > MOST:
            more = f"{len(wrong) - MOST} more {noun(len(wrong) - MOST, 'error')} of the gold set"
            every.append(InputError(more, mend="`evenhand gold check` lists all of them"))
        every[0].mend += "; a gold set with errors is not registered"
        raise Problems.of(every)
    if path is None or hidden is None:
        return None
    return {
        "file": path.name,
        "seal": before,
        "questions": len(hidden.bare),
        "seen": {str(q.id): words for q, words in zip(hidden.bare, hidden.wordings, strict=True)},
    }


def hashed(plan: Plan, folder: Path, known: Mapping[str, Any]) -> dict[str, Any] | None:
    """What was registered of the holdout with the SHA-256 of its bytes as they are now; no text is read."""
    path = holdout_of(plan, folder)
    return None if path is None else {**known, "file": path.name, "seal": file_seal(path)}
