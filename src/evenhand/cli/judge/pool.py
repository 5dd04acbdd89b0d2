"""``evenhand judge pool``: what is to be judged, what it is made of, and what it will cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.shared.runs_code import RunCode, asked
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from evenhand.labelling.pooling.summary import Cost, Part
    from evenhand.model.pool import Pool
    from evenhand.store.sql import SqlStore
    from evenhand.study.comparison.pooling import Gathered

__all__ = ["DEFAULT", "SEED", "Where", "pool"]

SEED = 20241009
DEFAULT = "judgements.sqlite"
Where = Annotated[
    str, typer.Option("--store", help="A file (SQLite) or a URL (postgresql://…); see `evenhand store init`.")
]


def pool(  # noqa: PLR0917 - typer makes options of them
    sources: Annotated[
        list[Path], typer.Argument(help="A study file, or run files.", metavar="STUDY.toml | RUN…")
    ],
    corpus: Annotated[Path | None, typer.Option(help="For run files: the documents.")] = None,
    gold: Annotated[Path | None, typer.Option(help="For run files: the questions.")] = None,
    system: Annotated[list[str] | None, typer.Option(help="Of a study: only this system.")] = None,
    depth: Annotated[int, typer.Option(help="The first so many of each run.")] = 10,
    by: Annotated[str, typer.Option(help="unit, section or document: ranks collapse to it.")] = "unit",
    strategy: Annotated[str, typer.Option(help="depth (all), stratified, or active.")] = "depth",
    n: Annotated[int | None, typer.Option("-n", help="Items of a stratified or active sample.")] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Leave out what an earlier pool of this store has.")
    ] = False,
    name: Annotated[str, typer.Option(help="What the pool is called.")] = "main",
    judges: Annotated[int, typer.Option(help="For the cost: how many judges there will be.")] = 2,
    overlap: Annotated[float, typer.Option(help="For the cost: share that two of them see.")] = 0.2,
    an_hour: Annotated[float | None, typer.Option(help="For the cost: money an hour.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed draws the same sample.")] = SEED,
    dry: Annotated[bool, typer.Option("--dry-run", help="Say size and cost, keep nothing.")] = False,
    run_code: RunCode = False,
    store: Where = DEFAULT,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Pool the tops of runs for judging, and say what it is made of and what it will cost.

    Runs the code that the study names (python:, command:); with --dry-run only where --run-code is given.
    """
    from evenhand.errors import InputError, nearest
    from evenhand.labelling.desk.assign import Filling
    from evenhand.labelling.pooling.pool import texts_of, unjudged
    from evenhand.labelling.pooling.summary import composition, cost
    from evenhand.store.open import open_store

    strategies = ("depth", "stratified", "active")
    if strategy not in strategies:
        raise InputError(f"no strategy is called {strategy!r}", mend=nearest(strategy, strategies))
    if (n is None) != (strategy == "depth"):
        raise InputError(
            f"strategy {strategy} {'needs' if n is None else 'takes no'} -n",
            mend="a sample has a size (-n), a pool to a depth has none",
        )
    kept = None if dry and not new else open_store(store)
    try:
        gathered = _gathered(sources, corpus, gold, system or [], run_code=run_code or not dry)
        made = _pooled(gathered, depth=depth, by=by, name=name)
        if new and kept is not None:
            made = unjudged(made, [item.id for mark, *_ in kept.pools() for item in kept.pool(mark)])
        if n is not None and len(made):
            made = _sampled(made, strategy, n, seed)
        price = cost(
            made,
            texts_of(made, gathered.corpus),
            Filling(overlap=overlap),
            judges=judges,
            an_hour=an_hour,
        )
        parts = {label: composition(made, by=label) for label in ("system", "kind")}
        mark = ""
        if not dry and kept is not None and len(made):
            from evenhand.store.clock import now

            mark = kept.add_pool(made, texts_of(made, gathered.corpus), at=now())
            _remember(kept, made, mark, gathered)
    finally:
        if kept is not None:
            kept.close()
    from evenhand.study.comparison.pooling import left_out

    _say_pool(made, parts, price, mark, left_out(gathered.gold), json=json)


def _gathered(
    sources: list[Path], corpus: Path | None, gold: Path | None, systems: list[str], *, run_code: bool
) -> Gathered:
    from evenhand.errors import InputError
    from evenhand.study.comparison.pooling import of_files, of_study

    first = sources[0] / "study.toml" if sources[0].is_dir() else sources[0]
    if first.suffix == ".toml":
        if len(sources) > 1 or corpus or gold:
            raise InputError(
                "a study file names its corpus, questions and systems itself",
                mend="give the study file alone",
            )
        from evenhand.formats.study_file.read import read_study
        from evenhand.report.output.terminal import progress

        plan = read_study(first)
        with asked(plan, first, run=run_code), progress() as lines:
            return of_study(plan, first.parent, systems=systems, progress=lines)
    if corpus is None or gold is None:
        raise InputError(
            "run files hold only ids", mend="give the documents (--corpus) and the questions (--gold) too"
        )
    from evenhand.formats.corpus.read import read_corpus
    from evenhand.formats.gold.gold_set import read_gold

    documents = read_corpus(corpus)
    return of_files(sources, documents, read_gold(gold, documents))


def _pooled(gathered: Gathered, *, depth: int, by: str, name: str) -> Pool:
    from evenhand.corpus.fixed import Whole
    from evenhand.corpus.headings import Headings
    from evenhand.errors import InputError, nearest
    from evenhand.labelling.pooling.pool import BY
    from evenhand.labelling.pooling.pool import pool as union

    if by not in BY:
        raise InputError(f"a pool by {by!r}", mend=nearest(by, BY))
    outline = Headings().cut(gathered.corpus)
    onto = {"unit": None, "section": outline, "document": Whole().cut(gathered.corpus)}[by]
    return union(gathered.runs, gathered.questions, depth=depth, by=by, onto=onto, outline=outline, name=name)


def _sampled(pool: Pool, strategy: str, n: int, seed: int) -> Pool:
    from evenhand.labelling.pooling.label_sampling import active, sample

    return sample(pool, n=n, seed=seed) if strategy == "stratified" else active(pool, n=n, seed=seed)


def _remember(store: SqlStore, pool: Pool, mark: str, gathered: Gathered) -> None:
    """Beside the pool, for owners: grades that evidence gives already, and words for decoys."""
    if gathered.gold is None:
        return
    evidence: dict[str, list[tuple[str, int, int]]] = {}
    for question in gathered.gold:
        for nugget in question.evidence:
            for quote in nugget.spans:
                place = (quote.span.doc, quote.span.start, quote.span.end)
                evidence.setdefault(str(question.id), []).append(place)
    holds = [
        item.id
        for item in pool
        if any(
            doc == item.doc and item.start <= start and end <= item.end
            for doc, start, end in evidence.get(item.question, ())
        )
    ]
    store.append(f"pool/{mark}", {"holds_evidence": holds}, token="evidence")  # noqa: S106


def _say_pool(
    pool: Pool, parts: dict[str, list[Part]], price: Cost, mark: str, gone: str, *, json: bool
) -> None:
    if json:
        from dataclasses import asdict
        from json import dumps

        shown = {label: [asdict(part) for part in of] for label, of in parts.items()}
        print(
            dumps(
                {
                    "schema": "evenhand.pool/1",
                    "pool": mark or None,
                    "name": pool.name,
                    "by": pool.by,
                    "items": len(pool),
                    "questions": len({item.question for item in pool}),
                    "left_out": gone,
                    "settings": dict(pool.settings),
                    "composition": shown,
                    "cost": asdict(price),
                },
                indent=1,
            )
        )
        return
    from evenhand.report.output.terminal import clean

    asked = len({item.question for item in pool})
    print(
        f"pool {clean(pool.name)} by {pool.by}: {many(len(pool), 'item')} of {asked} "
        f"{noun(asked, 'question')}"
    )
    if gone:
        print(f"  {gone}")
    if not len(pool):
        print("nothing is new to judge")
        return
    for label, of in parts.items():
        for part in of:
            print(f"  {label} {clean(part.name)}: {part.found:,} found, {part.only:,} by it alone")
    most = max(parts["kind"], key=lambda part: part.only)
    if len(parts["kind"]) > 1 and most.only > len(pool) / 2:
        print(
            f"note: {most.only / len(pool):.0%} of the items were found by {clean(most.name)} systems alone: "
            "labels will favour them"
        )
    elif len(parts["kind"]) == 1:
        print(f"note: all systems are of kind {clean(most.name)}: what another kind would find gets no label")
    low, high = price.hours
    print(
        f"cost: {many(price.judgements, 'judgement')}, {price.words:,} words, "
        f"{low:.1f} to {high:.1f} hours in all"
        + (f", {price.money[0]:,.0f} to {price.money[1]:,.0f} in money" if price.money else "")
    )
    print(f"kept: {mark[:12]}" if mark else "nothing was kept (--dry-run)")
