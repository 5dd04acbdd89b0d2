"""Gold sets: ``gold.jsonl`` of our own and what guests bring, read, verified and written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import InputError, expect, nearest
from evenhand.formats.corpus.trectext import is_smart
from evenhand.formats.encoding import decode
from evenhand.formats.gold.jsonl import parse_json, parse_lines, parse_rows
from evenhand.formats.gold.table import parse_csv
from evenhand.formats.guests.collections.chroma import parse_chroma
from evenhand.formats.guests.collections.qrels import with_judgements
from evenhand.formats.guests.collections.queries import beside, parse_queries
from evenhand.formats.guests.collections.squad import parse_squad
from evenhand.formats.guests.collections.topics import parse_topics
from evenhand.formats.raw_bytes import read_bytes, write_bytes
from evenhand.formats.study_file.toml_reader import Problems
from evenhand.gold.holdout_view import Veiled, veil
from evenhand.gold.lint_finding import Finding, warned
from evenhand.gold.nuggets import SPANS, as_nuggets
from evenhand.gold.quotes import resolve
from evenhand.model.gold import GoldSet

if TYPE_CHECKING:
    from evenhand.gold.unresolved import RawQuestion
    from evenhand.model.text import Corpus

__all__ = [
    "FORMATS",
    "LoadedGold",
    "detect",
    "gold_of_rows",
    "is_holdout",
    "load_gold",
    "patch_gold",
    "read_gold",
    "read_holdout",
    "read_holdout_for_check",
    "write_gold",
]

PARSERS = {
    "jsonl": parse_lines,
    "json": parse_json,
    "csv": parse_csv,
    "chroma": parse_chroma,
    "squad": parse_squad,
    "topics": parse_topics,
    "beir": parse_queries,
}
FORMATS = tuple(PARSERS)
SHOWN = 8  # errors of one file, in a message


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedGold:
    """What could be read, and everything found on the way: errors too."""

    gold: GoldSet
    findings: tuple[Finding, ...]
    file: str = ""
    format: str = "jsonl"


def read_gold(
    path: str | os.PathLike[str],
    corpus: Corpus | None = None,
    *,
    format: str | None = None,  # noqa: A002 - the word people use
    spans: str | None = None,
    exclude: Iterable[str] = (),
    lenient: bool = False,
    qrels: str | os.PathLike[str] | None = None,
    bare: bool = False,
) -> GoldSet:
    """The dev questions of a gold set. A holdout is refused: it is opened by a study, into its ledger.

    *format* is one of `FORMATS`, told by the content where not given; *spans* is ``any``, ``all`` or
    ``nuggets`` (default: as the format means it); *exclude* leaves questions out by id; *qrels* is the
    file of judgements of formats that keep them apart (topics, BEIR). With a *corpus* every quote is
    verified and found again where its document has changed; moves are in ``warnings``.

    Raises InputError naming file, line and field; with *lenient* questions whose evidence is not found
    are left out and counted instead; with *bare* questions without any evidence stand, and are counted.
    """
    _not_holdout(Path(path))
    return _checked(
        load_gold(
            path,
            corpus,
            format=format,
            spans=spans,
            exclude=exclude,
            lenient=lenient,
            qrels=qrels,
            bare=bare,
        )
    )


def read_holdout_for_check(
    path: str | os.PathLike[str], corpus: Corpus | None = None, *, bare: bool = False
) -> Veiled:
    """What ``gold check`` may know of a holdout: ids, spans and hashes. Its words do not leave here."""
    loaded = load_gold(path, corpus, bare=bare)
    return veil(loaded.gold, loaded.findings)


def read_holdout(
    path: str | os.PathLike[str],
    data: bytes,
    corpus: Corpus | None = None,
    *,
    spans: str | None = None,
    bare: bool = False,
) -> GoldSet:
    """The questions of a holdout out of its bytes; only `registration.holdout` may ask, after its look."""
    path = Path(path)
    text, _ = decode(data, where=path.name)
    name = detect(text, path.name)
    raws, findings = PARSERS[name](text, path.name)
    raws = _once(raws, path.name, findings)
    questions, more = resolve(raws, corpus, file=path.name, lenient=False, bare=bare)
    every = tuple(sorted([*findings, *more], key=lambda finding: (finding.line, finding.question)))
    counted = {"chroma": "all", "squad": "any"}.get(name, "nuggets")
    gold = GoldSet(questions, spans or counted, "holdout", warned(every), bare)
    return _checked(LoadedGold(gold=gold, findings=every, file=path.name, format=name))


def load_gold(
    path: str | os.PathLike[str],
    corpus: Corpus | None = None,
    *,
    format: str | None = None,  # noqa: A002
    spans: str | None = None,
    exclude: Iterable[str] = (),
    lenient: bool = False,
    qrels: str | os.PathLike[str] | None = None,
    bare: bool = False,
) -> LoadedGold:
    """Read without refusing: the questions that stand, and all findings. `read_gold` refuses."""
    path = Path(path)
    if spans is not None and spans not in SPANS:
        raise InputError(f"spans is {spans!r}", mend=nearest(spans, SPANS))
    if path.is_dir() and (path / "queries.jsonl").is_file():
        path, format = path / "queries.jsonl", format or "beir"  # noqa: A001
    raws, findings, counted, kind = _parse(path, format, qrels)
    raws = _once(raws, path.name, findings)
    raws = _excluded(raws, tuple(exclude), path.name)
    questions, more = resolve(raws, corpus, file=path.name, lenient=lenient, bare=bare)
    findings += more
    findings.sort(key=lambda finding: (finding.line, finding.question))
    gold = GoldSet(questions, spans or counted, "dev", warned(findings), bare)
    return LoadedGold(gold=gold, findings=tuple(findings), file=path.name, format=kind)


def gold_of_rows(
    rows: Iterable[tuple[int, Any]], corpus: Corpus | None = None, *, file: str, lenient: bool = False
) -> GoldSet:
    """The gold set of objects as in ``gold.jsonl`` that were made of another tool's *file*.

    Each comes with its line (or place) there. Quotes are verified and errors raised as by `read_gold`.
    """
    raws, findings = parse_rows(rows, file)
    raws = _once(raws, file, findings)
    questions, more = resolve(raws, corpus, file=file, lenient=lenient)
    every = tuple(sorted([*findings, *more], key=lambda finding: (finding.line, finding.question)))
    return _checked(
        LoadedGold(gold=GoldSet(questions, "nuggets", "dev", warned(every)), findings=every, file=file)
    )


def write_gold(path: str | os.PathLike[str], gold: GoldSet) -> None:
    """Write ``gold.jsonl``: one question a line, keys in fixed order, moved into place when whole.

    How references count is written into the nuggets, so that the file means what *gold* means.
    """
    expect(gold, GoldSet, "the second argument", "write_gold(path, gold)")
    lines = (json.dumps(q.as_json(), ensure_ascii=False) + "\n" for q in as_nuggets(gold))
    write_bytes(path, "".join(lines).encode())


def patch_gold(
    source: str | os.PathLike[str], target: str | os.PathLike[str], findings: Iterable[Finding]
) -> None:
    """Copy a ``gold.jsonl`` with the corrections of *findings* in it; other lines stay as they are.

    Lines repeated word for word are left out; what needs a decision (errors, twins) is not touched.
    """
    mended: dict[int, str] = {}
    for finding in findings:
        if finding.kind == "repeated":
            mended[finding.line] = ""
        elif finding.kind in ("moved", "no-quote") and finding.correction is not None:
            mended[finding.line] = json.dumps(finding.correction, ensure_ascii=False) + "\n"
    text, _ = _text(Path(source))
    lines = text.removesuffix("\n").split("\n")
    kept = (mended.get(n, line + "\n") for n, line in enumerate(lines, start=1))
    write_bytes(target, "".join(kept).encode())


def detect(text: str, name: str = "") -> str:
    """The format of a gold file, by its content (and its name where that decides nothing)."""
    start = text.lstrip()
    if start.startswith("["):
        return "json"
    if start.startswith("{"):
        first = start.split("\n", 1)[0]
        if re.search(r'"_id"\s*:', first):
            return "beir"
        if re.match(r'\{\s*("version"\s*:\s*"[^"]*"\s*,\s*)?"data"\s*:\s*\[', start):
            return "squad"
        return "jsonl"
    if re.match(r"<(DOC|top|topics?)\b", start, re.IGNORECASE):
        return "topics"
    if is_smart(start):
        return "topics"
    header = start.split("\n", 1)[0].lower()
    if "references" in header and "corpus_id" in header:
        return "chroma"
    if re.search(r"[,;\t]", header) and not name.lower().endswith((".jsonl", ".json")):
        return "csv"
    return "jsonl"


def _parse(
    path: Path, name: str | None, qrels: str | os.PathLike[str] | None
) -> tuple[list[RawQuestion], list[Finding], str, str]:
    """Raw questions, findings, how the format's references count, and the format."""
    if name is not None and name not in FORMATS:
        raise InputError(f"gold format {name!r} is not known", mend=nearest(name, FORMATS))
    text, encoding = _text(path)
    name = name or detect(text, path.name)
    notices = [] if encoding.startswith("utf") else [_guessed(path.name, encoding)]
    counted = {"chroma": "all", "squad": "any", "topics": "any", "beir": "any"}.get(name, "nuggets")
    raws, findings = PARSERS[name](text, path.name)
    if name in ("topics", "beir"):
        if qrels is None and name == "topics":
            raise InputError(
                f"{path.name} holds topics, which have no evidence",
                mend="name the file of judgements: qrels =",
            )
        raws, more = with_judgements(raws, Path(qrels) if qrels is not None else beside(path), path.name)
        findings = [*findings, *more]
    return raws, [*notices, *findings], counted, name


def _guessed(file: str, encoding: str) -> Finding:
    return Finding(
        kind="encoding",
        severity="warning",
        file=file,
        message=f"is not UTF-8 and was read as {encoding}",
        mend="look at its accents, and save the file as UTF-8",
    )


def _text(path: Path) -> tuple[str, str]:
    """The text of a gold file and its encoding."""
    text, encoding = decode(read_bytes(path), where=path.name)
    if not text.strip():
        raise InputError(f"gold set {path.name} is empty", mend="write one question a line")
    return text, encoding


def is_holdout(path: Path) -> bool:
    """Whether a file calls itself a holdout, by its name or by the name it is a link to."""
    names = (path.name, path.resolve().name)
    return any(re.search(r"(^|[._-])holdout([._-]|$)", name, re.IGNORECASE) for name in names)


def _not_holdout(path: Path) -> None:
    if is_holdout(path):
        raise InputError(
            f"{path.name} is a holdout, which is not read before its look",
            mend="read gold.jsonl; `evenhand gold check` checks a holdout without showing it",
        )


def _once(raws: list[RawQuestion], file: str, findings: list[Finding]) -> list[RawQuestion]:
    """Each id once: an identical repeat is dropped with a notice, any other is an error (B019)."""
    first: dict[str, RawQuestion] = {}
    for raw in raws:
        one = first.setdefault(raw.question.id, raw)
        if one is raw:
            continue
        same = one == raw
        lines = f"lines {one.question.line} and {raw.question.line}"
        findings.append(
            Finding(
                kind="repeated" if same else "duplicate-id",
                severity="warning" if same else "error",
                file=file,
                line=raw.question.line,
                question=raw.question.id,
                message=f"is repeated word for word ({lines}); counted once"
                if same
                else f"has an id that occurs twice ({lines})",
                mend="take the second line out" if same else "give each question an id of its own",
            )
        )
    return list(first.values())


def _excluded(raws: list[RawQuestion], exclude: tuple[str, ...], file: str) -> list[RawQuestion]:
    known = [raw.question.id for raw in raws]
    for name in exclude:
        if name not in known:
            raise InputError(
                f"exclude names question {name!r}, which is not in {file}",
                mend=nearest(name, known) if len(known) <= 20 else "use the id of a question of the file",
            )
    kept = [raw for raw in raws if raw.question.id not in exclude]
    if known and not kept:
        raise InputError(
            f"exclude names every question of {file}", mend="leave at least one question to be asked"
        )
    return kept


def _checked(loaded: LoadedGold) -> GoldSet:
    """The gold set, unless something is wrong with it: then all that is, the first few in one message."""
    errors = [finding for finding in loaded.findings if finding.severity == "error"]
    if not errors:
        if not loaded.gold:
            raise InputError(f"{loaded.file} holds no questions", mend="write one question a line")
        return loaded.gold
    every = [InputError(str(error), mend=error.advice("mend this line")) for error in errors[:SHOWN]]
    if len(errors) > SHOWN:
        more = f"{loaded.file} has {len(errors) - SHOWN} more errors"
        every.append(InputError(more, mend="`evenhand gold check` lists all of them, with corrections"))
    refusal = Problems("; ".join(error.what for error in every), mend=every[0].mend)
    refusal.problems = tuple(every)
    raise refusal
