"""``evenhand judge export | import``: to and from the labelling tools of others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.judge.pool import DEFAULT, Where
from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.model.label import Label, Shown
    from evenhand.model.pool import Pool
    from evenhand.model.sheet import Sheet
    from evenhand.store.sql import SqlStore

__all__ = ["export", "import_"]

Tool = Annotated[
    str,
    typer.Option(
        "--format",
        help="label-studio, argilla, doccano, langsmith, langfuse, phoenix, csv, jsonl; in: qrels too.",
    ),
]
PoolName = Annotated[str, typer.Option("--pool", help="Name or beginning of the seal; default: the last.")]


def export(  # noqa: PLR0917 - typer makes options of them
    out: Annotated[Path, typer.Option(help="A new file.")],
    tool: Tool = "label-studio",
    pool: PoolName = "",
    labels: Annotated[
        bool, typer.Option("--labels", help="With what was said of the items, not the bare tasks.")
    ] = False,
    seed: Annotated[
        int, typer.Option(help="Tasks are shuffled by it: the pool's order tells something.")
    ] = 1,
    store: Where = DEFAULT,
) -> None:
    """Write a pool as tasks of another tool: question and text alone, no system, rank or score."""
    from evenhand.errors import InputError
    from evenhand.formats.guests.labels.registry import export_labels
    from evenhand.labelling.desk.labels import gather, labels_of
    from evenhand.stats.sampling.seeds import stream

    if out.exists():
        raise InputError(f"{out} exists already", mend="name a new file: nothing is overwritten")
    kept, whole, shown = _pool(store, pool)
    try:
        said = labels_of(gather(kept, whole.seal, words=False)) if labels else []
    finally:
        kept.close()
    order = stream(seed, "export", whole.seal).permutation(len(shown)).tolist()
    made = export_labels(out, tool, [shown[i] for i in order], said)
    print(", ".join(many(n, what.removesuffix("s")) for what, n in made.written.items()) + f" → {out}")
    for one in made.lost:
        print(f"note: {one}")
    if tool == "label-studio":
        from evenhand.formats.guests.labels.label_studio import CONFIG

        print(f"a labelling interface that fits:\n{CONFIG}", end="")


def import_(  # noqa: PLR0917 - typer makes options of them
    source: Annotated[Path, typer.Argument(help="What the tool exported.")],
    tool: Tool = "label-studio",
    pool: PoolName = "",
    out: Annotated[
        Path | None, typer.Option(help="A new judgements.jsonl, instead of desks in the store.")
    ] = None,
    judge: Annotated[str, typer.Option(help="Who labelled, where the file does not say.")] = "",
    grade: Annotated[
        list[str] | None, typer.Option(help="The tool's own choice: relevant=2 (repeatable).")
    ] = None,
    control: Annotated[
        str, typer.Option(help="The tool's question, key or column that holds the grade; default: grade.")
    ] = "",
    sheet: Annotated[
        str, typer.Option(help="The guideline they had: a name or a TOML file; default: the pool's.")
    ] = "",
    store: Where = DEFAULT,
) -> None:
    """Take in what people labelled elsewhere; what could not be carried is counted and said.

    Qrels with --out and no --pool need no store: the ids of question and document stand for the texts.
    """
    from evenhand.errors import InputError
    from evenhand.formats.guests.labels.registry import import_labels
    from evenhand.report.output.terminal import clean

    if out is not None and out.exists():
        raise InputError(f"{out} exists already", mend="name a new file: nothing is overwritten")
    if tool == "qrels" and out is not None and not pool and store == DEFAULT:
        _bare(source, out, judge, _grades(grade or ()))
        return
    kept, whole, shown = _pool(store, pool)
    try:
        chosen = _sheet(kept, whole, sheet, needed=out is None)
        taken = import_labels(
            source, tool, shown, grades=_grades(grade or ()), judge=judge, sheet=chosen, control=control
        )
        if not taken.labels:
            raise InputError(
                f"{source.name} holds no label for this pool" + "".join(f"; {one}" for one in taken.lost),
                mend="is it the right pool (--pool) and format (--format)?",
            )
        if out is None:
            told = _keep(
                kept, whole, list(taken.labels), tool=tool, source=source, sheet=chosen, use=bool(sheet)
            )
        else:
            from evenhand.formats.labels.judgements import write_labels

            write_labels(out, taken.labels)
            told = [f"{many(len(taken.labels), 'label')} → {out}"]
    finally:
        kept.close()
    for line in told:
        print(clean(line))
    for one in taken.lost:
        print(f"not carried: {clean(one)}")


def _bare(source: Path, out: Path, judge: str, grades: dict[str, float]) -> None:
    """Qrels as labels without a pool: the ids of question and document stand for what was judged."""
    from evenhand.errors import InputError
    from evenhand.formats.guests.labels.label_files import labels_of_qrels
    from evenhand.formats.labels.judgements import write_labels

    if grades:
        raise InputError("--grade spells words, and qrels hold numbers", mend="leave --grade out")
    labels = labels_of_qrels(source, judge)
    write_labels(out, labels)
    print(f"{many(len(labels), 'label')} of {labels[0].judge} → {out}" if labels else f"no label → {out}")
    print("note: no pool was named (--pool): ids stand for questions and texts")


def _sheet(kept: SqlStore, pool: Pool, named: str, *, needed: bool) -> Sheet | None:
    """The sheet that was named, else the pool's; none where the pool has none yet and none is *needed*."""
    if named:
        from evenhand.cli.judge.commands import sheet_named

        return sheet_named(named)
    if not needed and next(kept.lines(f"sheet/{pool.seal}"), None) is None:
        return None
    return kept.sheet_of(pool.seal)


def _pool(where: str, name: str) -> tuple[SqlStore, Pool, list[Shown]]:
    from evenhand.cli.judge.commands import pool_named
    from evenhand.model.label import Shown
    from evenhand.store.open import open_store

    kept = open_store(where)
    try:
        whole = pool_named(kept, name)
        shown = [
            Shown(
                question=item.question,
                ask=whole.questions[item.question],
                text=kept.text(item.text_sha256),
                doc=item.doc,
                start=item.start,
                end=item.end,
                text_sha256=item.text_sha256,
                title=item.title,
                heading=item.heading,
            )
            for item in whole
        ]
    except BaseException:
        kept.close()
        raise
    return kept, whole, shown


def _grades(given: Any) -> dict[str, float]:
    from evenhand.errors import InputError

    made = {}
    for one in given:
        word, found, grade = one.rpartition("=")
        try:
            made[word] = float(grade)
        except ValueError:
            found = ""
        if not found or not word:
            raise InputError(f"--grade {one!r} is not understood", mend="write relevant=2")
    return made


def _keep(
    kept: SqlStore,
    pool: Pool,
    labels: list[Label],
    *,
    tool: str,
    source: Path,
    sheet: Sheet | None,
    use: bool,
) -> list[str]:
    """A desk a judge, its entries saved; all that can be wrong is looked at before the first is kept."""
    from evenhand.labelling.desk.imported import desks_of
    from evenhand.store.clock import now

    at = now()
    in_use = sheet or kept.sheet_of(pool.seal)
    made, told = desks_of(
        pool,
        labels,
        sheet=in_use,
        settings={"imported": tool, "file": source.name},
        there={(desk.judge, desk.kind): desk.id for desk in kept.desks(pool=pool.seal)},
        at=at,
    )
    if use:
        kept.use_sheet(pool.seal, in_use, by="owner", at=at, reason=f"imported from {tool}")
    kept.add_desks([(desk, tasks) for desk, tasks, _ in made])
    for _, _, entries in made:
        for entry in entries:
            kept.save(entry)
    lines = [
        f"desk {desk.id}  {desk.judge} ({desk.kind}): {many(len(entries), 'label')}"
        for desk, _, entries in made
    ]
    return [*lines, *told]
