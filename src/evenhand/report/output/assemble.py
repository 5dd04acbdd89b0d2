"""All that a study found, as one plain JSON object: the page shows nothing that is not in it."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any, Protocol

from evenhand.errors import InputError
from evenhand.metrics.comparison.clustering import Dependence, dependence, dependence_warnings
from evenhand.metrics.comparison.stability import Stability, stability
from evenhand.report.sections.comparison.per_question import drill

if TYPE_CHECKING:
    from evenhand.model.gold import GoldSet
    from evenhand.model.plan.study import Plan
    from evenhand.model.result import Contrast, Estimate, Measurements, Standing
    from evenhand.model.run import Qrels, Run
    from evenhand.model.text import Corpus, Units

__all__ = ["DIGITS", "SCHEMA_VERSION", "Compared", "build", "dumps", "not_run_rows", "plain"]

SCHEMA_VERSION = "1.0"
DIGITS = 10  # significant digits of every float: the last bits may differ between machines, these do not

NOT_CLAIMED = (
    "that the order of the systems carries over to another corpus, domain, language or to real traffic",
    "anything about answers generated from what was retrieved",
    "that nobody looked at the questions before: registration not independently time-stamped",
)


class Compared(Protocol):
    """What is read of an `evenhand.metrics.comparison.summary.Comparison`."""

    estimates: Sequence[Estimate]
    contrasts: Sequence[Contrast]
    standing: Standing | None
    warnings: Sequence[Any]
    sentences: Sequence[str]


def build(
    *,
    plan: Plan,
    corpus: Corpus | None,
    gold: GoldSet,
    units: Mapping[str, Units],
    qrels: Mapping[str, Qrels],
    runs: Sequence[Run],
    measurements: Measurements,
    comparison: Compared | Any,
    slices: Iterable[Any] = (),
    lengths: Mapping[str, Mapping[str, Any]] | None = None,
    warnings: Iterable[Any] = (),
    seals: Mapping[str, str] | None = None,
    versions: Mapping[str, str] | None = None,
    judgements: Mapping[str, Any] | None = None,
    parts: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """The report of a comparison, and of the analyses beside it.

    ``units`` and ``qrels`` go by the name of their chunking (a run is looked up by ``run.units.chunking``,
    ``""`` for files that know only ids). ``slices`` are objects or mappings with ``by``, ``value``, ``n``,
    ``estimates``, ``contrasts`` and ``note``. ``lengths``, by chunking, may hold ``tokens`` (int[n], of
    each unit), ``tokenizer``, ``limit``, ``cut`` (units longer than the limit) and ``cut_questions``. A
    warning is a text, or a mapping or record with ``kind``, ``count`` and ``text``; equal ones are
    counted together. ``judgements``: the card of what people and panels judged, and by chunking how it was
    used. ``parts``: by name, what the other analyses of the study found (see
    `evenhand.report.sections.registry`); each becomes the section of that name, its ``warnings`` stand with
    the others.

    The result is plain JSON: every float is rounded to `DIGITS` significant digits, nothing in it depends
    on the clock, a path or the machine. Raises `InputError` for a number that is not finite.
    """
    questions = drill(
        gold=gold,
        qrels=qrels,
        runs=runs,
        measurements=measurements,
        primary=plan.measure.primary,
        most=plan.claims.get("questions"),
    )
    beside = {name: dict(part) for name, part in (parts or {}).items()}
    alerts = [one for part in beside.values() for one in part.pop("warnings", ())]
    said = list(comparison.sentences)
    settled, belonging = _settled(plan, measurements, comparison, gold)
    report = {
        "schema_version": SCHEMA_VERSION,
        "kind": "comparison",
        "study": {
            "name": plan.name,
            "primary": plan.measure.primary,
            "secondary": list(plan.measure.secondary),
            "pairs": plan.compare.pairs,
            "adjust": plan.compare.adjust,
        },
        "headline": said[0] if said else "",
        "sentences": said[1:],
        "provisional": _provisional(gold),
        "incomplete": _incomplete(runs),
        "does_not_claim": [*_texts(plan.claims.get("does_not_claim")), *NOT_CLAIMED],
        "estimates": [_record(e) for e in comparison.estimates],
        "contrasts": [_record(c) for c in comparison.contrasts],
        "standing": _record(comparison.standing) if comparison.standing is not None else None,
        "slices": [_slice(one) for one in slices],
        "stability": _record(settled) if settled is not None else None,
        "warnings": _warnings([*comparison.warnings, *dependence_warnings(belonging), *warnings, *alerts]),
        "gold": _gold(gold, measurements),
        "dependence": _record(belonging) if belonging is not None else None,
        "judgements": dict(judgements) if judgements is not None else None,
        "corpus": _corpus(corpus),
        "chunkings": [
            _chunking(name, units[name], qrels.get(name), (lengths or {}).get(name, {}))
            for name in sorted(units)
        ],
        "systems": [
            {
                "name": run.system,
                "chunking": run.units.chunking if run.units is not None else "",
                "seal": run.seal,
                "notes": dict(run.notes),
                # what is told of it stands among the warnings
                "provenance": {key: value for key, value in run.provenance.items() if key != "told"},
            }
            for run in runs
        ],
        "questions": questions,
        "repeat": {
            "seed": plan.seed,
            "level": plan.compare.level,
            "resamples": plan.compare.resamples,
            "signs": plan.compare.signs,
            "digits": DIGITS,
            "seals": {"plan": plan.seal, "gold": gold.seal, **(seals or {})},
            "versions": dict(versions or {}),
        },
        **beside,
    }
    return plain(report)


def plain(thing: Mapping[str, Any]) -> dict[str, Any]:
    """*thing* as plain JSON, its floats rounded; `InputError` for a number that is not finite."""
    made: dict[str, Any] = _plain(thing, "report")
    return made


def _settled(
    plan: Plan, measurements: Measurements, comparison: Compared, gold: GoldSet
) -> tuple[Stability | None, Dependence | None]:
    """How the field settles on the primary metric as questions are added, and which belong together."""
    standing, primary = comparison.standing, plan.measure.primary
    return stability(
        measurements,
        primary,
        standing=standing,
        contrasts=comparison.contrasts,
        level=plan.compare.level,
        seed=plan.seed,
    ), dependence(measurements, gold, primary, systems=standing.best if standing is not None else None)


def dumps(report: Mapping[str, Any]) -> bytes:
    """The bytes of a report: UTF-8, keys sorted, a line for each row of its tables, so that it diffs well."""
    return (_lines(report, 3) + "\n").encode()


_SURROGATE = re.compile("[\ud800-\udfff]")  # no UTF-8 holds them, and few readers of JSON


def _lines(thing: Any, depth: int) -> str:
    if depth and thing and isinstance(thing, dict):
        rows = (f"{_text(key)}: {_lines(thing[key], depth - 1)}" for key in sorted(thing))
        return "{\n" + ",\n".join(rows) + "\n}"
    if depth and thing and isinstance(thing, list) and isinstance(thing[0], dict):
        return "[\n" + ",\n".join(_text(row) for row in thing) + "\n]"
    return _text(thing)


def _text(thing: Any) -> str:
    return json.dumps(thing, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain(thing: Any, where: str) -> Any:
    """Plain JSON of *thing*: text keys, lists, rounded finite floats."""
    if thing is None or isinstance(thing, bool):
        return thing
    if isinstance(thing, str):
        return _SURROGATE.sub("\ufffd", thing)
    if isinstance(thing, Mapping):
        return {
            _SURROGATE.sub("\ufffd", str(key)): _plain(value, f"{where}.{key}")
            for key, value in thing.items()
        }
    if isinstance(thing, list | tuple):
        return [_plain(value, f"{where}[{i}]") for i, value in enumerate(thing)]
    if isinstance(thing, set | frozenset):
        return sorted(_plain(value, where) for value in thing)
    if hasattr(thing, "tolist"):  # numpy scalars and arrays
        return _plain(thing.tolist(), where)
    if isinstance(thing, int):
        return int(thing)
    if isinstance(thing, float):
        if not math.isfinite(thing):
            raise InputError(
                f"{where} is {thing}, which no report may hold",
                mend="an undefined value must be None with a reason",
            )
        return float(f"{thing:.{DIGITS}g}") + 0.0
    return _SURROGATE.sub("\ufffd", str(thing))


def _record(thing: Any) -> dict[str, Any]:
    if isinstance(thing, Mapping):
        return dict(thing)
    return asdict(thing) if is_dataclass(thing) and not isinstance(thing, type) else dict(vars(thing))


def _texts(thing: Any) -> list[str]:
    if not thing:
        return []
    return [thing] if isinstance(thing, str) else [str(one) for one in thing]


def _slice(thing: Any) -> dict[str, Any]:
    def take(name: str, default: Any) -> Any:
        return thing.get(name, default) if isinstance(thing, Mapping) else getattr(thing, name, default)

    estimates = [_record(e) for e in take("estimates", ())]
    return {
        "by": take("by", ""),
        "value": take("value", ""),
        "n": take("n", max((e["n"] for e in estimates), default=0)),
        "note": take("note", ""),
        "exploratory": True,
        "estimates": estimates,
        "contrasts": [{**_record(c), "exploratory": True} for c in take("contrasts", ())],
    }


def _warnings(warnings: Sequence[Any]) -> list[dict[str, Any]]:
    """Each warning once, in the order they came, with how often it holds."""
    counted: dict[tuple[str, str], int] = {}
    for one in warnings:
        entry: dict[str, Any] = (
            {"kind": "note", "count": 1, "text": one} if isinstance(one, str) else _record(one)
        )
        key = (str(entry.get("kind", "note")), str(entry.get("text", entry.get("kind", ""))))
        counted[key] = counted.get(key, 0) + int(entry.get("count", 1))
    return [{"kind": kind, "count": n, "text": text} for (kind, text), n in counted.items()]


def _provisional(gold: GoldSet) -> dict[str, Any]:
    waiting = sum(question.provisional for question in gold)
    drafted = sum(q.origin == "synthetic" or q.authoring.model is not None for q in gold)
    return {
        "state": waiting > 0,
        "waiting": waiting,
        "drafted": drafted,
        "questions": len(gold),
        "labels_changed": sum(len(question.review.changed) for question in gold),
    }


def _incomplete(runs: Sequence[Run]) -> dict[str, Any]:
    """What could not be asked: such questions are undefined for that system, and no failure of it."""
    rows = not_run_rows(runs)
    return {"state": bool(rows), "not_run": rows}


def not_run_rows(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """A row for each run with questions that could not be asked."""
    return [
        {
            "system": run.system,
            "asked": len(run.questions),
            "questions": list(run.not_run),
            "reasons": dict(Counter(run.not_run.values())),
        }
        for run in runs
        if run.not_run
    ]


def _gold(gold: GoldSet, measurements: Measurements) -> dict[str, Any]:
    return {
        "split": gold.split,
        "spans": gold.spans,
        "questions": len(gold),
        "measured": len(measurements.questions),
        "by_expect": dict(Counter(q.expect for q in gold)),
        "by_type": dict(Counter(q.type for q in gold if q.type)),
        "by_tag": dict(Counter(tag for q in gold for tag in q.tags)),
        "by_origin": dict(Counter(q.origin for q in gold)),
        "clusters": len({q.cluster for q in gold if q.cluster}),
        "saw_evidence": sum(q.saw_evidence is True for q in gold),
    }


def _corpus(corpus: Corpus | None) -> dict[str, Any] | None:
    if corpus is None:
        return None
    return {
        "documents": len(corpus),
        "characters": sum(len(document.text) for document in corpus),
        "by_status": dict(Counter(document.status for document in corpus)),
        "seal": corpus.seal,
    }


def _chunking(name: str, units: Units, qrels: Qrels | None, lengths: Mapping[str, Any]) -> dict[str, Any]:
    tokens = lengths.get("tokens")
    limit = lengths.get("limit")
    cut = lengths.get("cut")
    if cut is None and tokens is not None and limit is not None:
        cut = sum(int(n) > int(limit) for n in tokens)
    unreachable = None
    if qrels is not None:
        unreachable = [q for q, no in zip(qrels.questions, qrels.unreachable, strict=False) if no]
    return {
        "name": name,
        "settings": dict(units.settings),
        "seal": units.seal,
        "units": len(units),
        "characters": _spread((units.end - units.start).tolist()),
        "tokens": _spread([int(n) for n in tokens]) if tokens is not None else None,
        "tokenizer": lengths.get("tokenizer"),
        "limit": limit,
        "cut": cut,
        "cut_questions": lengths.get("cut_questions"),
        "unreachable": unreachable,
        "notes": dict(qrels.notes) if qrels is not None else {},
    }


def _spread(sizes: Sequence[int]) -> dict[str, float] | None:
    """Least, median, mean, most and all of *sizes*."""
    if not sizes:
        return None
    ordered = sorted(sizes)
    half = len(ordered) // 2
    middle = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    total = sum(ordered)
    return {
        "min": ordered[0],
        "median": middle,
        "mean": total / len(ordered),
        "max": ordered[-1],
        "sum": total,
    }
