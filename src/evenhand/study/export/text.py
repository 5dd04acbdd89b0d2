"""What was measured for a system, in lines for the head of its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evenhand.report.output.escape import visible
from evenhand.text.plural import many, verb

__all__ = ["measured_of", "measured_words"]


def measured_of(report: Mapping[str, Any], system: str, *, digest: str) -> dict[str, Any]:
    """The rows of a report that are about *system*, as they stand there; *digest*: of report.json."""
    repeat = report["repeat"]
    standing = report["standing"]
    told = report.get("registration") or {}
    threshold = report.get("threshold") or {}
    gate = report.get("gate") or {}
    return {
        "schema": "evenhand.taken/1",
        "system": system,
        "study": {
            "name": report["study"]["name"],
            "primary": report["study"]["primary"],
            "split": report["gold"]["split"],
            "state": told.get("word", "provisional"),
            "state_sentences": list(told.get("sentences", ())),
            "registration": told.get("seal"),
            "report": digest,
            "seals": dict(repeat["seals"]),
            "versions": dict(repeat["versions"]),
            "seed": repeat["seed"],
        },
        "incomplete": report["incomplete"],
        "provisional": report["provisional"],
        "run": next(dict(row) for row in report["systems"] if row["name"] == system),
        "estimates": [row for row in report["estimates"] if row["system"] == system],
        "contrasts": [row for row in report["contrasts"] if system in (row["a"], row["b"])],
        "standing": None
        if standing is None
        else {
            "leader": standing["leader"],
            "best": standing["best"].get(system),
            "in_play": system in standing["in_play"],
            "sentence": standing["sentence"],
        },
        "threshold": {
            key: threshold[key] for key in ("system", "scope", "k", "primary", "sentences", "numbers")
        }
        if _about(threshold.get("system"), system)
        else None,
        "gate": {key: gate[key] for key in ("rule", "of", "answers", "split", "sentences", "numbers")}
        if _about(gate.get("answers"), system)
        else None,
        "warnings": report["warnings"],
        "does_not_claim": report["does_not_claim"],
    }


def _about(name: Any, system: str) -> bool:
    return isinstance(name, str) and name == system


def measured_words(told: Mapping[str, Any]) -> list[str]:
    """The same in lines, for comments: no line holds a line break or a character that acts."""
    return [visible(line).replace("\n", " ").replace("\t", " ") for line in _lines(told)]


def _lines(told: Mapping[str, Any]) -> Iterator[str]:
    study = told["study"]
    where = "the holdout" if study["split"] == "holdout" else "the dev questions"
    yield f"What study {study['name']} measured for {told['system']}, on {where} ({study['state']}):"
    width = max((len(row["metric"]) for row in told["estimates"]), default=0)
    for row in told["estimates"]:
        yield f"  {row['metric']:<{width}}  {_estimate(row)}"
    yield from _labels(told["estimates"])
    yield from (f"  {sentence}" for sentence in study["state_sentences"])
    if told["incomplete"]["state"]:
        yield "  The study is incomplete: some questions could not be asked."
    if told["provisional"]["state"]:
        waiting = told["provisional"]["waiting"]
        yield (
            f"  {waiting:,} of {many(told['provisional']['questions'], 'question')} "
            f"{verb(waiting, 'waits', 'wait')} for a person's "
            "review."
        )
    if told["contrasts"]:
        yield ""
        yield "Against others, paired:"
        yield from (f"  {_contrast(row)}" for row in told["contrasts"] if not row["exploratory"])
    for part in ("threshold", "gate"):
        if told[part]:
            yield ""
            yield f"The {part}:"
            yield from (f"  {sentence}" for sentence in told[part]["sentences"])
    if told["warnings"]:
        yield ""
        yield "Warnings of the study:"
        yield from (f"  {row['text']}" for row in told["warnings"])
    if told["does_not_claim"]:
        yield ""
        yield "It does not claim:"
        yield from (f"  {line}" for line in told["does_not_claim"])
    yield ""
    yield f"Seals: plan {study['seals']['plan']}"
    yield from (
        f"       {name} {study['seals'][name]}" for name in ("corpus", "gold") if study["seals"].get(name)
    )
    yield f"       run {told['run']['seal']}"
    yield f"       report.json {study['report']}"
    if study["registration"]:
        yield f"       registration {study['registration']}"


def _estimate(row: Mapping[str, Any]) -> str:
    if row["point"] is None:
        return f"– ({row['reason']}), n={row['n']:,}"
    bounds = f"[{row['low']:.3f}, {row['high']:.3f}]" if row["low"] is not None else f"({row['reason']})"
    said = f"{row['point']:.3f} {bounds} n={row['n']:,}, {100 * row['level']:g}% {row['method']}"
    left = [f"{row[what]:,} {what}" for what in ("undefined", "missing", "unreachable") if row[what]]
    judged = (
        [] if row["judged"] is None else [f"{100 * row['judged']:.0f}% of the counted units have a label"]
    )
    return ", ".join([said, *left, *judged])


def _labels(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    shares: Mapping[str, float] = next((row["labels"] for row in rows if row["labels"]), {})
    said = [f"{100 * share:.0f}% {whose}" for whose, share in shares.items() if share]
    if said:
        yield f"  Labels behind {rows[0]['metric']}: {', '.join(said)}."


def _contrast(row: Mapping[str, Any]) -> str:
    pair = f"{row['a']} − {row['b']} on {row['metric']}"
    if row["difference"] is None:
        return f"{pair}: – ({row['reason']})"
    bounds = f" [{row['low']:+.3f}, {row['high']:+.3f}]" if row["low"] is not None else ""
    said = f"{pair}: {row['difference']:+.3f}{bounds}".replace("-0.", "−0.").replace("-1.", "−1.")
    p = row["p_adjusted"] if row["p_adjusted"] is not None else row["p"]
    small = "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
    tested = f", p {'adjusted ' if row['p_adjusted'] is not None else ''}{small}" if small else ""
    return f"{said} n={row['n']:,}{tested}: {row['verdict'] or 'no verdict'}"
