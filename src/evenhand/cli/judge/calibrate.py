"""``evenhand judge calibrate``: draw items for people, and hold a panel against them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.judge.pool import DEFAULT, SEED
from evenhand.cli.shared.error_location import places_errors
from evenhand.cli.shared.rerun_hint import again
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from evenhand.model.label import Label
    from evenhand.model.plan.calibration_sample import Sample
    from evenhand.study.panel.calibration import Calibrating

__all__ = ["calibrate"]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Votes = Annotated[Path | None, typer.Option("--votes", help="A votes.jsonl, or qrels.", metavar="FILE")]
Labels = Annotated[
    Path | None, typer.Option("--labels", help="A judgements.jsonl, or qrels.", metavar="FILE")
]


@places_errors
def calibrate(  # noqa: PLR0917 - typer makes options of them
    study: Annotated[
        Path | None,
        typer.Argument(help="The study file; or give --votes and --labels.", metavar="STUDY.toml"),
    ] = None,
    draw: Annotated[
        int | None,
        typer.Option(help="Draw so many items for people, by lot; with --votes: of the labelled ones."),
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            help="With --draw: uniform, or stratified (unanimous, split); default: the study's. With "
            "--votes: uniform says that the labelled items were drawn at random of all."
        ),
    ] = "",
    more: Annotated[
        int | None, typer.Option(help="Draw so many further items on which judges split.")
    ] = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="With --draw: in place of the sample there is.")
    ] = False,
    votes: Votes = None,
    labels: Labels = None,
    judge: Annotated[
        list[str] | None, typer.Option(help="With --votes: only this judge (repeatable).")
    ] = None,
    sample: Annotated[
        Path | None, typer.Option(help="With --votes: what was drawn, a calibration.json.", metavar="FILE")
    ] = None,
    yes: Annotated[
        float | None, typer.Option(help="With --votes: the grade from which on it is yes.")
    ] = None,
    scale: Annotated[
        tuple[float, float] | None,
        typer.Option(
            help="With --votes: lowest and highest grade; default: people's, in qrels.", metavar="LOW HIGH"
        ),
    ] = None,
    out_of_scale: Annotated[
        str,
        typer.Option(help="With --votes: refuse grades outside the scale, clamp them, or call them missing."),
    ] = "refuse",
    seed: Annotated[int, typer.Option(help="The same seed draws the same sample.")] = SEED,
    store: Annotated[
        str, typer.Option("--store", help="Where people label: a file (SQLite) or a URL.")
    ] = DEFAULT,
    json: Json = False,
) -> None:
    """Hold a panel against people: confusion, lines of trust, corrected rates, what to do next.

    Leaves with 1 when a line of trust fails, with 4 when it cannot be decided.
    """
    from evenhand.errors import InputError

    if study is None:
        if votes is None or labels is None:
            raise InputError(
                "there is nothing to calibrate",
                mend="give a study file, or --votes votes.jsonl --labels judgements.jsonl",
            )
        from evenhand.cli.judge.calibrate_files import of_files

        if by not in ("", "uniform") or (sample is not None and (by or draw is not None)) or more or anew:
            raise InputError(
                "--more, --anew, --by stratified, or --sample beside --by or --draw, with files alone",
                mend="give --sample, --by uniform or --draw N: one says how the labelled items were drawn",
            )
        told = of_files(
            votes,
            labels,
            judges=judge or [],
            sample=sample,
            yes=yes,
            seed=seed,
            scale=scale,
            beyond=out_of_scale,
            by=by,
            draw=draw,
        )
        _leave(told, json=json)
        return
    if votes or labels or judge or sample or yes is not None or scale or out_of_scale != "refuse":
        raise InputError(
            "--votes, --labels, --judge, --sample, --yes, --scale and --out-of-scale stand in place of a "
            "study file",
            mend="the study says them under [panel] and [calibration]",
        )
    if draw is not None and more is not None:
        raise InputError("--draw and --more in one go", mend="draw first; draw more when verdicts are there")
    if (by or anew) and draw is None:
        raise InputError(
            "--by and --anew go with --draw", mend="evenhand judge calibrate STUDY.toml --draw 100"
        )
    file = study / "study.toml" if study.is_dir() else study
    found = _found(file, store)
    if draw is not None:
        _drawn(file.parent, found, _first(found, draw, by, seed, anew=anew), 1, store, json=json)
    elif more is not None:
        from evenhand.judge.calibration.human_sample import further

        if found.sample is None:
            raise InputError("no sample was drawn yet", mend="evenhand judge calibrate STUDY.toml --draw 100")
        grown = further(found.sample, found.questions, more, seed=seed, status=found.status)
        _drawn(file.parent, found, grown, len(grown.phases), store, json=json)
    else:
        told = found.told()
        _leave({"schema": "evenhand.calibration/1", **told}, json=json)


def _found(file: Path, store: str) -> Calibrating:
    """The study's panel with its items, votes, sample and all labels: of its files, and of the store."""
    from evenhand.formats.study_file.read import read_study
    from evenhand.report.output.terminal import progress
    from evenhand.study.ledger.state import standing_of
    from evenhand.study.panel.ask import bench_of
    from evenhand.study.panel.calibration import calibrating
    from evenhand.study.panel.items import items_of_plan

    plan, folder = read_study(file), file.parent
    bench = bench_of(plan, folder)
    with progress() as lines:
        items = items_of_plan(plan, folder, progress=lines)
    amended = [
        {"n": one.n, **{key: one.content.get(key) for key in ("author", "reason", "accepts")}}
        for one in standing_of(plan, folder).amendments
    ]
    known = {shown.item for shown in items.shown}
    kept = [label for label in _labels_in(store) if label.item in known]
    if kept:
        _save_labels(plan, folder, kept)
    return calibrating(plan, folder, items, bench, labels=kept, amendments=amended)


def _labels_in(store: str) -> list[Label]:
    """What people have said at all desks of the store; nothing where there is no store yet."""
    if "://" not in store and not Path(store).is_file():
        return []
    from evenhand.labelling.desk.labels import gather, labels_of
    from evenhand.store.open import open_store

    kept = open_store(store)
    try:
        return [label for mark, *_ in kept.pools() for label in labels_of(gather(kept, mark, words=False))]
    finally:
        kept.close()


def _save_labels(plan: Any, folder: Path, labels: list[Label]) -> None:
    """Lay the labels of the store beside the study, where `evenhand run` reads them; nothing is taken out."""
    from evenhand.formats.labels.judgements import labels_text, read_labels, write_labels
    from evenhand.labelling.desk.agreement import latest
    from evenhand.model.plan.sections import CalibrationPlan

    file = folder / (plan.calibration or CalibrationPlan()).labels
    before = read_labels(file) if file.is_file() else []
    whole, *_ = latest([*before, *labels])
    whole.sort(key=lambda label: (label.item, label.judge, label.by))
    if not file.is_file() or labels_text(whole) != labels_text(before):
        write_labels(file, whole)


def _first(found: Calibrating, n: int, by: str, seed: int, *, anew: bool) -> Sample:
    from evenhand.errors import InputError
    from evenhand.judge.calibration.human_sample import draw

    if found.sample is not None and not anew:
        raise InputError(
            f"{found.calibration.sample} holds a sample of {len(found.sample.items)} "
            f"{noun(len(found.sample.items), 'item')} already",
            mend="--more N draws further ones; --anew draws another, and these labels are no sample of it",
        )
    how = by or found.calibration.by
    if how == "stratified" and not found.voted:
        raise InputError(
            "a stratified sample needs the panel's verdicts, and there are none yet",
            mend="evenhand judge panel STUDY.toml; or draw it uniform, before anyone looks",
        )
    return draw(
        found.questions,
        n,
        by=how,
        seed=seed,
        status=found.status if how == "stratified" else None,
        verdicts=found.voted,
    )


def _drawn(folder: Path, found: Calibrating, sample: Sample, phase: int, store: str, *, json: bool) -> None:
    """Keep a sample: in its file, and as a pool for people; say what its intervals will be like."""
    from evenhand.cli.judge.commands import name_of_pool
    from evenhand.formats.labels.calibration import write_sample
    from evenhand.judge.calibration.human_sample import pool_of
    from evenhand.judge.calibration.sample_size import planned, planned_words
    from evenhand.report.output.terminal import clean
    from evenhand.store.clock import now
    from evenhand.store.open import open_store

    plan = found.calibration
    name = "calibration" if phase == 1 else f"calibration-{phase}"
    made = pool_of(found.items.shown, sample, phase=phase, name=name)
    texts = {shown.item: shown.text for shown in found.items.shown}
    kept = open_store(store)
    try:
        mark = kept.add_pool(made, [texts[item.id] for item in made.items], at=now())
        named = name_of_pool(kept, mark)
    finally:
        kept.close()
    write_sample(folder / plan.sample, sample)
    clusters = {item: found.items.clusters.get(q, q) for item, q in found.questions.items()}
    words = planned(sample, clusters, half_width=plan.half_width, level=found.plan.compare.level)
    last = sample.phases[-1]
    if json:
        from json import dumps

        print(
            dumps(
                {
                    "schema": "evenhand.calibration-drawn/1",
                    "pool": mark,
                    "name": name,
                    "file": plan.sample,
                    "seal": sample.seal,
                    "design": last.design,
                    "verdicts_existed": last.verdicts,
                    "drawn": dict(last.drawn),
                    "of": dict(last.there),
                    "planned": words,
                },
                indent=1,
            )
        )
        return
    print(f"drawn: {many(last.n, 'item')}, {last.design}, seed {last.seed} → {clean(plan.sample)}")
    if len(last.there) > 1:
        for stratum, there in last.there.items():
            print(f"  {stratum}: {last.drawn[stratum]:,} of {there:,}")
    if last.design == "uniform" and last.verdicts:
        print("note: verdicts are there already; that nobody has looked at them is not on record")
    for line in planned_words(words):
        print(line)
    print(f"pool {name} {mark[:12]} waits for people, who see neither verdict, rank nor system")
    given = found.bench.plan.sheet
    sheet = str(folder / given) if given.endswith(".toml") else given
    desk = again(
        "judge", "assign", pool=named, judge="NAME", sheet=sheet, store=store if store != DEFAULT else ""
    )
    print(f"next: {clean(desk)}")
    print(f"then: {clean(again('serve', *([store] if store != DEFAULT else [])))}")


def _leave(told: dict[str, Any], *, json: bool) -> None:
    """Print, and leave as the lines of trust say."""
    if json:
        from json import dumps

        print(dumps(told, indent=1, ensure_ascii=False))
    else:
        from evenhand.report.output.terminal import console
        from evenhand.report.sections.panel.tables import tables

        on = console()
        for i, one in enumerate(tables(told)):
            if i:
                on.print()
            on.print(one)
        for warning in told["warnings"]:
            times = f"{warning['count']:,} " if warning["count"] > 1 else ""
            on.print(f"note: {times}{warning['text']}", style="yellow")
    if told["trust"]["exit"] and told["accepted"] is None:
        raise typer.Exit(told["trust"]["exit"])
