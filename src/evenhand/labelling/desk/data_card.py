"""The data card of a pool: who judged what, when, by which guideline, how well they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.labelling.desk.adjudicate import disputes
from evenhand.labelling.desk.agreement_text import number_words
from evenhand.labelling.desk.judging_time import RULES, paces
from evenhand.labelling.desk.labels import grade_of, labels_of
from evenhand.text.plural import many, noun

if TYPE_CHECKING:
    from evenhand.labelling.desk.labels import Results
    from evenhand.model.label import Label
    from evenhand.model.sheet import Sheet

__all__ = ["card", "card_of_labels", "markdown"]


def card(
    results: Results, agreement: Mapping[str, Any], sheets: Sequence[Sheet], *, frozen: str = ""
) -> dict[str, Any]:
    """The card of a pool as plain JSON; equal stores give equal cards.

    *agreement* is that before adjudication (*frozen* its seal in the store, empty while nothing was
    adjudicated); *sheets* those under which any answer was given.
    """
    pool, labels = results.pool, labels_of(results)
    used = Counter(answer.entry.sheet for answer in results.main)
    lowest = min((sheet.levels[0].grade for sheet in sheets), default=0.0)
    open_ = disputes(results)
    return {
        "schema": "evenhand.card/1",
        "pool": {
            "seal": pool.seal,
            "name": pool.name,
            "by": pool.by,
            "items": len(pool),
            "questions": len({item.question for item in pool}),
            "systems": [{"name": run.system, "kind": run.kind} for run in pool.runs],
            "settings": dict(pool.settings),
        },
        "guidelines": [
            {"sheet": sheet.name, "hash": sheet.seal, "ask": sheet.ask, "answers": used[sheet.seal]}
            for sheet in sheets
        ],
        "judges": paces(results, lowest=lowest),
        "rules": dict(RULES),
        "desks": [
            {
                "desk": desk.id,
                "judge": desk.judge,
                "kind": desk.kind,
                "done": results.done[desk.id][0],
                "tasks": results.done[desk.id][1],
                "sheet": desk.sheet,
                "settings": dict(desk.settings),
                "at": desk.at,
            }
            for desk in results.desks
        ],
        "labels": _labels(labels, items=len(pool)),
        "agreement": {"frozen": frozen, **agreement},
        "adjudication": {
            "rulings": len(results.ruled),
            "left_open": sum(r.entry.kind == "cannot-tell" for r in results.ruled.values()),
            "by": sorted({ruling.judge for ruling in results.ruled.values()}),
            "waiting": dict(sorted(Counter(dispute.why for dispute in open_).items())),
        },
    }


def card_of_labels(labels: Sequence[Label], agreement: Mapping[str, Any]) -> dict[str, Any]:
    """The card that a ``judgements.jsonl`` allows: without desks, repeats and paces."""
    return {
        "schema": "evenhand.card/1",
        "guidelines": [
            {"hash": mark, "answers": n}
            for mark, n in sorted(Counter(label.sheet for label in labels if label.by == "human").items())
            if mark
        ],
        "judges": [
            {"judge": judge, "by": by, "answers": n}
            for (judge, by), n in sorted(Counter((label.judge, label.by) for label in labels).items())
        ],
        "from": min((label.at for label in labels if label.at), default=""),
        "to": max((label.at for label in labels if label.at), default=""),
        "labels": _labels(labels, items=len({label.item for label in labels})),
        "agreement": dict(agreement),
    }


def _labels(labels: Sequence[Label], *, items: int) -> dict[str, Any]:
    """Of the items: how many have a grade, which, from whom; and how many have two labels."""
    by_item: dict[str, list[Label]] = {}
    for label in labels:
        by_item.setdefault(label.item, []).append(label)
    stands = [found for of_one in by_item.values() if (found := grade_of(of_one)) is not None]
    return {
        "items": items,
        "graded": len(stands),
        "by_grade": {f"{grade:g}": n for grade, n in sorted(Counter(grade for grade, _ in stands).items())},
        "by_source": dict(sorted(Counter(source for _, source in stands).items())),
        "twice": sum(
            len({label.judge for label in of_one if label.by == "human" and label.kind != "skip"}) > 1
            for of_one in by_item.values()
        ),
        "modes": dict(sorted(Counter(label.mode for label in labels if label.mode).items())),
        "evidence": sum(bool(label.evidence) for label in labels),
    }


def markdown(made: Mapping[str, Any]) -> str:
    """The card for people. Names and words of others are escaped: nothing in them acts as markup."""
    said: list[str] = []
    pool = made.get("pool")
    said.append(f"# Data card: {_plain(pool['name'])}" if pool else "# Data card")
    if pool:
        systems = ", ".join(_plain(run["name"]) for run in pool["systems"]) or "none named"
        said.append(
            f"{many(pool['items'], 'item')} of "
            f"{many(pool['questions'], 'question')}, pooled by {pool['by']} "
            f"from {systems}; pool `{pool['seal'][:12]}`."
        )
    labels = made["labels"]
    grades = ", ".join(f"{n} × {grade}" for grade, n in labels["by_grade"].items()) or "none"
    sources = ", ".join(f"{n} {source}" for source, n in labels["by_source"].items()) or "none"
    said.append(
        f"Graded: {labels['graded']:,} of {many(labels['items'], 'item')} ({grades}; "
        f"{sources}); "
        f"{labels['twice']:,} by two people or more."
    )
    said.append("## Judges")
    said.append(_judges(made["judges"]))
    said.append("## Guidelines")
    said.append(
        "\n".join(
            f"- {_plain(sheet.get('sheet', 'sheet'))} `{sheet['hash'][:12]}`: "
            f"{many(sheet['answers'], 'answer')}"
            for sheet in made["guidelines"]
        )
        or "No guideline is on record."
    )
    said.append("## Agreement")
    agreement = made["agreement"]
    if agreement.get("frozen"):
        said.append(f"Frozen before adjudication as `{agreement['frozen'][:12]}`.")
    said.append("\n".join(f"- {_plain(sentence)}" for sentence in agreement["sentences"]))
    said.extend(_types(agreement))
    if "adjudication" in made:
        decided = made["adjudication"]
        waiting = ", ".join(f"{n} {why}" for why, n in decided["waiting"].items()) or "nothing"
        said.append("## Adjudication")
        said.append(
            f"{decided['rulings']} {noun(decided['rulings'], 'ruling')}, {decided['left_open']} of them "
            f"left open; waiting: {waiting}. "
            "The originals are kept."
        )
    if "rules" in made:
        said.append("## Rules")
        said.append("\n".join(f"- {name}: {rule}" for name, rule in made["rules"].items()))
    return "\n\n".join(said) + "\n"


def _types(agreement: Mapping[str, Any]) -> list[str]:
    rows = [
        f"| {_plain(' and '.join(pair['judges']))} | {_plain(one['type']) or '(none)'} | {one['n']} "
        f"| {number_words(one['raw'], share=True)} | {number_words(one['kappa'])} |"
        for pair in agreement["pairs"]
        for one in pair["by_type"]
    ]
    head = "| judges | type | items | raw | kappa |\n|---|---|---|---|---|"
    return ["\n".join([head, *rows])] if rows else []


def _judges(judges: Sequence[Mapping[str, Any]]) -> str:
    rows = ["| judge | answers | cannot tell | skipped | hours | seconds | words a minute | flags |"]
    rows.append("|---|---|---|---|---|---|---|---|")
    for one in judges:
        seconds, pace = one.get("seconds"), one.get("words_a_minute")
        rows.append(
            f"| {_plain(one['judge'])} | {one['answers']} | {one.get('cannot_tell', '')} "
            f"| {one.get('skipped', '')} | {_number(one.get('active_hours'), 1)} "
            f"| {_number(seconds, 1)} | {_number(pace, 0)} | {', '.join(one.get('flags', ())) or '–'} |"
        )
    return "\n".join(rows)


def _number(x: float | None, digits: int) -> str:
    return "–" if x is None else f"{x:.{digits}f}"


def _plain(text: str) -> str:
    """Text in which nothing acts as Markdown, HTML or a line of a table."""
    flat = " ".join(str(text).split())
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>()#|!&" else c for c in flat if c.isprintable())
