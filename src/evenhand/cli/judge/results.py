"""``evenhand judge adjudicate | agree | qrels | card``: from labels to qrels that can be believed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli.judge.pool import DEFAULT, SEED, Where
from evenhand.cli.shared.rerun_hint import again
from evenhand.text.plural import many

if TYPE_CHECKING:
    from evenhand.labelling.desk.labels import Results
    from evenhand.model.label import Label
    from evenhand.store.sql import SqlStore

__all__ = ["adjudicate", "agree", "card", "frozen_agreement", "qrels"]

PoolName = Annotated[str, typer.Option("--pool", help="Name or beginning of the seal; default: the last.")]
Gold = Annotated[Path | None, typer.Option("--gold", help="The questions, for their types and clusters.")]
Labels = Annotated[
    Path | None, typer.Option("--labels", help="Instead of a store: a judgements.jsonl.", metavar="FILE")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
FROZEN = "agreement"


def adjudicate(  # noqa: PLR0917 - typer makes options of them
    judge: Annotated[str, typer.Argument(help="Who decides: somebody who has not judged these items.")],
    pool: PoolName = "",
    why: Annotated[
        list[str] | None,
        typer.Option(help="disagreement, split, cannot-tell, skip, panel-split (repeatable); default: all."),
    ] = None,
    panel: Annotated[
        Path | None, typer.Option(help="A votes.jsonl or judgements.jsonl: also what its panel is split on.")
    ] = None,
    own: Annotated[
        bool, typer.Option("--own", help="They have judged some of them already; this is recorded.")
    ] = False,
    gold: Gold = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same desk.")] = SEED,
    dry: Annotated[bool, typer.Option("--dry-run", help="Say what is in dispute, keep nothing.")] = False,
    store: Where = DEFAULT,
) -> None:
    """Freeze the agreement, then give one person a desk with what is in dispute, its sides unnamed."""
    from evenhand.cli.judge.commands import pool_named
    from evenhand.labelling.desk.adjudicate import WHY, adjudication, disputes
    from evenhand.labelling.desk.labels import gather
    from evenhand.report.output.terminal import clean
    from evenhand.store.clock import now
    from evenhand.store.open import open_store

    kept = open_store(store)
    try:
        mark = pool_named(kept, pool).seal
        results = gather(kept, mark, words=False)
        models = _split(panel) if panel is not None else ()
        found = disputes(_waiting(kept, results), why=why or WHY, panel_split=models)
        counts = {word: sum(one.why == word for one in found) for word in WHY}
        named = ", ".join(f"{n} {word}" for word, n in counts.items() if n) or "nothing"
        if dry or not found:
            print(f"in dispute: {named}")
            return
        made = _agreement(results, gold)
        at = now()
        seal = frozen_agreement(kept, mark, made, at=at)
        sheet = kept.sheet_of(mark)
        desk, tasks = adjudication(
            results, found, judge, sheet=sheet.seal, seed=seed, agreement=seal, own=own, at=at
        )
        kept.add_desks([(desk, tasks)])
    finally:
        kept.close()
    print(f"in dispute: {named}")
    for sentence in made["sentences"]:
        print(f"before adjudication: {clean(sentence)}")
    print(f"frozen: {seal[:12]}")
    print(f"desk {desk.id}  {clean(desk.judge)}: {len(tasks):,} tasks, sides unnamed and by lot")
    way_in = again("judge", "invite", judge, role="adjudicator", store=store if store != DEFAULT else "")
    print(f"next: {clean(way_in)}")


def _split(panel: Path) -> set[str]:
    """Items on which the models of a panel differ, by its votes or by labels of each model."""
    from evenhand.formats.labels.judgements import read_labels
    from evenhand.formats.labels.votes import holds_votes, read_votes
    from evenhand.judge.panel.labels import single_labels
    from evenhand.labelling.desk.adjudicate import split_by_panel

    return split_by_panel(single_labels(read_votes(panel)) if holds_votes(panel) else read_labels(panel))


def frozen_agreement(store: SqlStore, pool: str, made: dict[str, Any], *, at: str) -> str:
    """Keep an agreement under its seal, and note in the log of the pool that it was frozen now."""
    seal = store.put(FROZEN, made)
    store.append(f"pool/{pool}", {"frozen": seal, "at": at}, token=f"frozen-{seal[:40]}")
    return seal


def agree(  # noqa: PLR0917 - typer makes options of them
    pool: PoolName = "",
    gold: Gold = None,
    labels: Labels = None,
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    resamples: Annotated[int, typer.Option(help="Of the bootstrap over questions.")] = 2000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same intervals.")] = SEED,
    store: Where = DEFAULT,
    json: Json = False,
) -> None:
    """How far judges agree with each other, by question type and over time, and with themselves.

    Intervals resample questions, not items. Once something was adjudicated, the agreement frozen before
    is shown; what came later is counted.
    """
    options: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed}
    if labels is not None:
        from evenhand.formats.labels.judgements import read_labels
        from evenhand.labelling.desk.agreement import agreement

        made = agreement(read_labels(labels), **_about(gold), **options)
        _say_agreement(made, "", json=json)
        return
    results, frozen, seal = _read(store, pool, words=False)
    live = _agreement(results, gold, **options)
    if frozen is not None and frozen["labels"] != live["labels"]:
        if not json:
            print(
                "note: labels have come or changed since the agreement was frozen; it stands as it was then"
            )
        live = frozen  # otherwise both are about the same labels, and the live one may know more (types)
    _say_agreement(live, seal, json=json)


def _say_agreement(made: dict[str, Any], seal: str, *, json: bool) -> None:
    from evenhand.labelling.desk.agreement_text import number_words
    from evenhand.report.output.terminal import clean

    if json:
        from json import dumps

        print(dumps({"frozen": seal, **made}, indent=1))
        return
    if seal:
        print(f"frozen before adjudication: {seal[:12]}")
    for sentence in made["sentences"]:
        print(clean(sentence))
    for pair in made["pairs"]:
        if pair["kappa"].get("note"):
            print(f"  note: {pair['kappa']['note']}")
        rows = [(f"type {one['type'] or '(none)'}", one) for one in pair["by_type"]]
        rows += [(f"quarter {one['quarter']}", one) for one in pair["over_time"]]
        for name, one in rows:
            print(
                f"  {clean(' and '.join(pair['judges']))}, {clean(name)}: "
                f"{number_words(one['raw'], share=True)} of {one['n']}; kappa {number_words(one['kappa'])}"
            )
    left = [f"{made[key]} {word}" for key, word in LEFT if made[key]]
    if left:
        print(f"left out: {', '.join(left)}")


LEFT = (
    ("skipped", "skipped"),
    ("repeated", "said twice"),
    ("revised", "revised"),
    ("not_human", "not human"),
)


def qrels(  # noqa: PLR0917 - typer makes options of them
    out: Annotated[
        list[Path],
        typer.Option(help="qrels.txt (TREC) or judgements.jsonl (everything), by its ending; repeatable."),
    ],
    pool: PoolName = "",
    labels: Labels = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="judge-1, judge-2 … instead of names.")
    ] = False,
    store: Where = DEFAULT,
    json: Json = False,
) -> None:
    """Write what the judges found: the grade that stands for each item, or every label with its source.

    An adjudicated grade stands before people's (of several the lower median), those before a panel's.
    """
    from evenhand.errors import InputError

    for target in out:
        if target.exists():
            raise InputError(f"{target} exists already", mend="name a new file: nothing is overwritten")
    found = _labels(labels, pool, store)
    if not found:
        raise InputError("nothing has been judged", mend="`evenhand judge status` shows how far desks are")
    if anonymous:
        from evenhand.labelling.desk.labels import without_judges

        found = without_judges(found)
    told = _write_all(found, out)
    if json:
        from json import dumps

        print(dumps({"schema": "evenhand.qrels/1", **told}, indent=1))
        return
    sources = ", ".join(f"{n} {source}" for source, n in told["by_source"].items())
    print(f"{told['graded']:,} of {many(told['items'], 'item')} have a grade ({sources or 'none'})")
    if told["open"]:
        print(f"{told['open']} are open: skipped, or nobody could tell")
    if told["differ"]:
        print(
            f"on {many(told['differ'], 'item')} judges differ and nobody has ruled: the lower of two grades "
            "stands (of more, the lower median)"
        )
    for target in out:
        print(f"→ {target}")


def _write_all(found: list[Label], out: list[Path]) -> dict[str, Any]:
    from collections import Counter

    from evenhand.formats.labels.judgements import write_labels
    from evenhand.formats.runs.trec import write_qrels
    from evenhand.labelling.desk.labels import grade_of
    from evenhand.model.run import Qrels

    by_item: dict[str, list[Label]] = {}
    for label in found:
        by_item.setdefault(label.item, []).append(label)
    grades: dict[str, dict[str, float]] = {}
    sources: Counter[str] = Counter()
    differ = 0
    for of_one in by_item.values():
        stands = grade_of(of_one)
        if stands is not None and stands[1] != "adjudicated":
            differ += len({one.grade for one in of_one if one.by == stands[1] and one.grade is not None}) > 1
        if stands is not None:
            first = of_one[0]
            grades.setdefault(first.question, {})[f"{first.doc}#{first.start}-{first.end}"] = stands[0]
            sources[stands[1]] += 1
    for target in out:
        if target.suffix == ".jsonl":
            write_labels(target, found)
        else:
            write_qrels(target, Qrels.of(grades))
    graded = sum(sources.values())
    return {
        "items": len(by_item),
        "graded": graded,
        "open": len(by_item) - graded,
        "by_source": dict(sorted(sources.items())),
        "differ": differ,
    }


def card(  # noqa: PLR0917 - typer makes options of them
    pool: PoolName = "",
    gold: Gold = None,
    labels: Labels = None,
    out: Annotated[
        list[Path] | None, typer.Option(help="card.json or card.md, by its ending; repeatable.")
    ] = None,
    store: Where = DEFAULT,
    json: Json = False,
) -> None:
    """The data card: who judged what, when, by which guideline, how fast, and how well they agree."""
    from evenhand.labelling.desk.data_card import markdown
    from evenhand.report.output.assemble import dumps
    from evenhand.report.output.terminal import clean

    made = _card(store, pool, gold, labels)
    for target in out or ():
        from evenhand.formats.raw_bytes import write_bytes

        write_bytes(target, markdown(made).encode() if target.suffix == ".md" else dumps(made))
    if json:
        print(dumps(made).decode(), end="")
    elif out:
        print("\n".join(f"→ {target}" for target in out))
    else:
        print("\n".join(clean(line) for line in markdown(made).split("\n")))


def _card(store: str, pool: str, gold: Path | None, labels: Path | None) -> dict[str, Any]:
    from evenhand.labelling.desk.data_card import card as of_store
    from evenhand.labelling.desk.data_card import card_of_labels

    if labels is not None:
        from evenhand.formats.labels.judgements import read_labels
        from evenhand.labelling.desk.agreement import agreement

        given = read_labels(labels)
        return card_of_labels(given, agreement(given, **_about(gold)))
    from evenhand.cli.judge.commands import pool_named
    from evenhand.labelling.desk.labels import gather
    from evenhand.store.open import open_store

    kept = open_store(store)
    try:
        mark = pool_named(kept, pool).seal
        results = gather(kept, mark)
        frozen, seal = _frozen(kept, mark)
        used = dict.fromkeys(a.entry.sheet for a in (*results.answers, *results.rulings))
        sheets = [kept.sheet(one) for one in used]
    finally:
        kept.close()
    live = _agreement(results, gold)
    if frozen is not None and frozen["labels"] != live["labels"]:
        live = frozen
    return of_store(results, live, sheets, frozen=seal)


def _read(store: str, pool: str, *, words: bool) -> tuple[Results, dict[str, Any] | None, str]:
    from evenhand.cli.judge.commands import pool_named
    from evenhand.labelling.desk.labels import gather
    from evenhand.store.open import open_store

    kept = open_store(store)
    try:
        mark = pool_named(kept, pool).seal
        frozen, seal = _frozen(kept, mark)
        return gather(kept, mark, words=words), frozen, seal
    finally:
        kept.close()


def _labels(labels: Path | None, pool: str, store: str) -> list[Label]:
    if labels is not None:
        from evenhand.formats.labels.judgements import read_labels

        return read_labels(labels)
    from evenhand.labelling.desk.labels import labels_of

    return labels_of(_read(store, pool, words=False)[0])


def _frozen(store: SqlStore, pool: str) -> tuple[dict[str, Any] | None, str]:
    """The agreement that was frozen last, and its seal; none while nothing was adjudicated."""
    seals = [line["frozen"] for _, line in store.lines(f"pool/{pool}") if "frozen" in line]
    return (store.get(seals[-1]), seals[-1]) if seals else (None, "")


def _waiting(store: SqlStore, results: Results) -> Results:
    """The same with what lies on an adjudication desk already taken as ruled: it is not given out twice."""
    from dataclasses import replace

    given = {
        task.item for d in results.desks if d.kind == "adjudication" for task in store.tasks(d.id)
    } - results.ruled.keys()
    return replace(results, answers=tuple(a for a in results.answers if a.item.id not in given))


def _agreement(results: Results, gold: Path | None, **options: Any) -> dict[str, Any]:
    from evenhand.labelling.desk.agreement import agreement_of

    return agreement_of(results, **_about(gold), **options)


def _about(gold: Path | None) -> dict[str, Any]:
    """Types and clusters by question id."""
    if gold is None:
        return {}
    from evenhand.formats.gold.gold_set import read_gold

    questions = read_gold(gold)
    return {
        "types": {str(q.id): q.type for q in questions},
        "clusters": {str(q.id): q.cluster or str(q.id) for q in questions},
    }
