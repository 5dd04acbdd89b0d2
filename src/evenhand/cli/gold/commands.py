"""``evenhand gold``: check a gold set before it is used, split it by cluster; write it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.gold import author, draft, import_export, type_questions
from evenhand.cli.shared.command_group import group
from evenhand.cli.shared.rerun_hint import again
from evenhand.cli.shared.runs_code import runs_code
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evenhand.formats.gold.gold_set import LoadedGold
    from evenhand.gold.holdout_view import Veiled
    from evenhand.gold.lint_finding import Finding
    from evenhand.model.text import Corpus, Units

__all__ = ["app"]

SEED = 20241009
MOST = 10  # findings of one kind in the terminal

app = group(name="gold", help="Gold sets: check the evidence, split by cluster, add, edit, review.")
app.command("add")(author.add)
app.command("edit")(author.edit)
app.command("review")(author.review)
app.command("draft")(runs_code(draft.draft))
app.command("type")(runs_code(type_questions.type_))
app.command("import")(import_export.import_)
app.command("export")(import_export.export)


@app.command("check")
def check(
    gold: Annotated[Path, typer.Argument(help="The dev questions: gold.jsonl or a guest's form.")],
    *,
    corpus: Annotated[Path | None, typer.Option(help="The documents the quotes are from.")] = None,
    holdout: Annotated[
        Path | None, typer.Option(help="Default: gold.holdout.jsonl beside GOLD, when it exists.")
    ] = None,
    chunking: Annotated[
        list[str] | None,
        typer.Option(help="Count what no unit can answer: fixed:200, fixed:200:40, headings … (repeatable)."),
    ] = None,
    qrels: Annotated[Path | None, typer.Option(help="Judgements of topics or BEIR queries.")] = None,
    fix: Annotated[Path | None, typer.Option(help="Write a corrected copy to this path.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Print every finding, not ten of a kind.")] = False,
) -> None:
    """Verify each quote, and look for what would bias a study: repeats, leaks, copies, twins.

    Exit code 0 when there is no error (warnings are allowed), 2 otherwise. Of a holdout only ids and spans
    are shown, and how many questions it has.
    """
    from evenhand.errors import InputError
    from evenhand.formats.gold.gold_set import is_holdout, load_gold, read_holdout_for_check
    from evenhand.gold.lint import lint

    if is_holdout(gold):
        raise InputError(
            f"{gold.name} is a holdout: it is checked beside its dev questions, and never shown",
            mend=again("gold", "check", gold.with_name("gold.jsonl"), holdout=str(gold)),
        )
    beside = gold.with_name(f"{gold.stem}.holdout.jsonl")
    hidden_path = holdout or (beside if beside.is_file() and not gold.is_dir() else None)
    documents = _corpus(corpus)
    cut = _chunkings(chunking or (), documents)
    loaded = load_gold(gold, documents, qrels=qrels)
    bare = _optional(gold) or not any(q.evidence or q.grades or q.expect != "answer" for q in loaded.gold)
    if bare:  # by design: these are known by what people or a panel judge, as in a threshold study
        loaded = load_gold(gold, documents, qrels=qrels, bare=True)
    hidden = read_holdout_for_check(hidden_path, documents, bare=bare) if hidden_path else None
    findings = [*_unread(documents), *loaded.findings, *(hidden.findings if hidden else ())]
    # evidence that could not be placed has been reported; what stands is checked further
    findings += lint(
        loaded.gold,
        documents,
        holdout=hidden,
        chunkings=cut,
        file=loaded.file,
        holdout_file=hidden_path.name if hidden_path else "",
    )
    undecided = sum(finding.severity == "error" for finding in loaded.findings)
    if fix is not None and not undecided:
        _fix(gold, fix, loaded)
    if json:
        _print_json(loaded, hidden, findings)
    else:
        _print(loaded, hidden, findings, every=every)
        if documents is None:
            print("quotes were not verified: give --corpus")
        if fix is not None:
            needs = f"{many(undecided, 'error')} {'needs' if undecided == 1 else 'need'} a decision"
            print(f"no corrected copy: {needs}" if undecided else f"corrected copy: {fix}")
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(2)


@app.command("split")
def split(
    gold: Annotated[Path, typer.Argument(help="All questions.")],
    *,
    to: Annotated[Path, typer.Option(help="Folder for gold.jsonl and gold.holdout.jsonl.")],
    corpus: Annotated[Path | None, typer.Option(help="The documents, to verify the quotes first.")] = None,
    holdout: Annotated[float, typer.Option(help="Share of the questions.")] = 0.3,
    seed: Annotated[int, typer.Option(help="The same seed gives the same split.")] = SEED,
) -> None:
    """Split questions into dev and holdout, whole clusters at a time."""
    from dataclasses import replace

    from evenhand.errors import InputError
    from evenhand.formats.gold.gold_set import read_gold, write_gold
    from evenhand.gold.split import split as divide

    targets = {"dev": to / "gold.jsonl", "holdout": to / "gold.holdout.jsonl"}
    for target in targets.values():
        if target.exists():
            raise InputError(
                f"{target} exists already", mend="name another folder with --to: nothing is overwritten"
            )
    whole = read_gold(gold, _corpus(corpus))
    parts = dict(zip(targets, divide(whole, holdout=holdout, seed=seed), strict=True))
    to.mkdir(parents=True, exist_ok=True)
    for name, target in targets.items():
        chosen = set(parts[name])
        part = replace(whole, questions=tuple(q for q in whole if q.id in chosen), split=name)
        write_gold(target, part)
        clusters = len({q.cluster or q.id for q in part})
        print(
            f"{name}: {len(part)} {noun(len(part), 'question')} in {clusters} "
            f"{noun(clusters, 'cluster')} → {target}  (sha256 {part.seal[:16]}…)"
        )
    print(f"seed {seed}; put {gold.name} where nobody tunes on it: the holdout is in it too")


def _optional(gold: Path) -> bool:
    """Whether a study file beside the gold set says that its questions need no evidence."""
    from evenhand.formats.regular_files import regular_bytes
    from evenhand.model.json_text import toml_loads

    for file in sorted(gold.parent.glob("*.toml")):
        try:
            held = toml_loads(regular_bytes(file).decode("utf-8")).get("gold")
        except (OSError, ValueError):  # what is wrong with it says who runs it
            continue
        if isinstance(held, dict) and held.get("evidence") == "optional":
            named = held.get("path") or held.get("topics")
            if isinstance(named, str) and (file.parent / named).resolve() == gold.resolve():
                return True
    return False


def _corpus(path: Path | None) -> Corpus | None:
    if path is None:
        return None
    from evenhand.formats.corpus.read import read_corpus

    documents: Corpus = read_corpus(path)
    return documents


def _unread(corpus: Corpus | None) -> list[Finding]:
    """What happened while the documents were read: why one that is named may not be there."""
    from evenhand.gold.lint_finding import Finding

    told = corpus.warnings if corpus is not None else ()
    return [Finding(kind="documents", severity="warning", message=message) for message in told]


def _chunkings(specs: Sequence[str], corpus: Corpus | None) -> dict[str, Units]:
    """Units of ``rule:size:overlap`` specifications."""
    from evenhand.corpus.chunk import chunk, rule_of
    from evenhand.errors import InputError
    from evenhand.plugins import code

    made: dict[str, Units] = {}
    for spec in specs:
        if corpus is None:
            raise InputError(f"--chunking {spec} needs documents", mend="give --corpus as well")
        name, *sizes = spec.split(":")
        if len(sizes) > 2 or not all(size.isdecimal() for size in sizes):
            raise InputError(
                f"--chunking {spec!r} is not understood",
                mend="write rule, rule:size or rule:size:overlap, such as fixed:200:40",
            )
        settings = dict(zip(("size", "overlap"), map(int, sizes), strict=False))
        with code(runs=True):  # a rule that was named on the line
            made[spec] = chunk(corpus, rule_of(name, settings, where=f"--chunking {spec}"), name=spec)
    return made


def _fix(source: Path, target: Path, loaded: LoadedGold) -> None:
    from evenhand.errors import InputError
    from evenhand.formats.gold.gold_set import patch_gold, write_gold

    if target.resolve() == source.resolve():
        raise InputError("--fix would overwrite the gold set itself", mend="name another file, then compare")
    if loaded.format == "jsonl":
        patch_gold(source, target, loaded.findings)
    else:
        write_gold(target, loaded.gold)


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    return {
        name: sum(finding.severity == severity for finding in findings)
        for name, severity in (("errors", "error"), ("warnings", "warning"), ("notes", "info"))
    }


def _expected(questions: Any) -> dict[str, int]:
    from evenhand.model.gold import EXPECTATIONS

    return {word: sum(q.expect == word for q in questions) for word in EXPECTATIONS}


def _print_json(loaded: LoadedGold, hidden: Veiled | None, findings: Sequence[Finding]) -> None:
    import json
    from dataclasses import asdict

    print(
        json.dumps(
            {
                "schema": "evenhand.gold-check/1",
                "gold": loaded.file,
                "questions": len(loaded.gold),
                "expect": _expected(loaded.gold),
                "holdout": None if hidden is None else {"questions": len(hidden.bare)},
                **_counts(findings),
                "findings": [asdict(finding) for finding in findings],
            },
            ensure_ascii=True,
            indent=1,
        )
    )


def _print(loaded: LoadedGold, hidden: Veiled | None, findings: Sequence[Finding], *, every: bool) -> None:
    from evenhand.report.output.terminal import clean

    order = {"error": 0, "warning": 1, "info": 2}
    shown: dict[str, int] = {}
    for finding in sorted(findings, key=lambda f: order[f.severity]):
        shown[finding.kind] = shown.get(finding.kind, 0) + 1
        if shown[finding.kind] > MOST and not every:
            continue
        word = {"info": "note"}.get(finding.severity, finding.severity)
        print(f"{word}: {clean(str(finding))}")
        if finding.mend:
            print(f"  mend: {clean(finding.mend)}")
        if finding.correction is not None:
            print(f"  {_pasteable(finding.correction)}")
    for kind, n in shown.items():
        if n > MOST and not every:
            print(f"… and {n - MOST} more of kind {kind} (--all shows them)")
    parts = ", ".join(f"{n:,} {word}" for word, n in _expected(loaded.gold).items() if n)
    print(f"dev: {many(len(loaded.gold), 'question')}" + (f" ({parts})" if parts else ""))
    if hidden is not None:  # not what they expect: how many are to be deferred would help to tune a gate
        print(f"holdout: {many(len(hidden.bare), 'question')}")
    print(", ".join(many(n, name.removesuffix("s")) for name, n in _counts(findings).items()))


def _pasteable(thing: Any) -> str:
    """One line of JSON; what a terminal could act on is escaped, so that it can still be pasted."""
    import json
    import unicodedata

    return "".join(
        json.dumps(c)[1:-1] if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") else c
        for c in json.dumps(thing, ensure_ascii=False)
    )
