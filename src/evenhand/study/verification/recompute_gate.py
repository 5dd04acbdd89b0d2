"""A gate by another way: decisions from exported rankings by plain loops, intervals by statsmodels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.plugins import need
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from polars import DataFrame

    from evenhand.model.gold import GoldSet
    from evenhand.model.text import Corpus
    from evenhand.study.verification.verify import Verified

__all__ = ["gate_again", "gate_checked"]

NEAR = 1e-9
RATES = {
    "answered_precision": (("correct",), ("correct", "wrong", "false")),
    "answerable_coverage": (("correct",), ("correct", "wrong", "lost")),
    "coverage": (("correct", "wrong", "false"), ("correct", "wrong", "false", "lost", "quiet")),
    "false_answer_rate": (("false",), ("false", "quiet")),
    "decision_accuracy": (("correct", "quiet"), ("correct", "wrong", "false", "lost", "quiet")),
}


def gate_checked(
    report: Mapping[str, Any], results: Path, gold: GoldSet, corpus: Corpus, made: Verified
) -> None:
    """Note what differs in the gate of a report, by the rankings beside it."""
    import polars as pl

    from evenhand.store.blobs import safe_name

    part = report["gate"]
    what = f"{results.name}: gate by counting and statsmodels"
    if part["sufficient"] != "evidence":
        made.unchecked(what, "sufficiency is by graded units, which are not counted anew")
        return
    runs = {}
    for name in part["of"]:
        files = [results / where / f"{safe_name(name)}.parquet" for where in ("runs", "rest")]
        try:
            runs[name] = [pl.read_parquet(file) for file in files if file.is_file()]
        except (OSError, pl.exceptions.PolarsError) as error:
            made.add("fault", what, f"the rankings of {name} cannot be read: {error}")
            return
    faults, good = gate_again(part, runs, gold, corpus)
    made.sort(what, faults, good)


def gate_again(
    part: Mapping[str, Any], runs: Mapping[str, Sequence[DataFrame]], gold: GoldSet, corpus: Corpus
) -> tuple[list[str], str]:
    """What differs in the decision table and the areas of a gate, and what was recomputed.

    *runs*: the rankings of each system of the gate as they were exported. Only the rules that need nothing
    chosen are decided anew: consensus, answer everything, defer everything.
    """
    tops = {name: _tops(frames) for name, frames in runs.items()}
    outdated = {str(one.id) for one in corpus if one.status in ("obsolete", "draft")}
    good = {str(q.id): _holders(q, gold) - outdated for q in gold}
    expect = {str(q.id): q.expect for q in gold}
    asked = list(expect)
    faults: list[str] = []
    done = 0
    decides = {"consensus": _consensus, "answer everything": _always, "defer everything": _never}
    for rule in part["rules"]:
        if rule["name"] not in decides or rule["n"] != len(asked):
            continue
        counts = dict.fromkeys(("correct", "wrong", "false", "lost", "quiet"), 0)
        for question in asked:
            firsts = [tops[name].get(question) for name in part["of"]]
            answer = decides[rule["name"]](firsts)
            if expect[question] != "answer":
                counts["false" if answer else "quiet"] += 1
            elif answer is None:
                counts["lost"] += 1
            else:
                counts["correct" if answer in good[question] else "wrong"] += 1
        faults += _rates(rule, counts, part["level"])
        done += len(RATES)
    faults += list(_areas(part, asked))
    return (
        faults,
        (
            f"{done} {noun(done, 'rate')} by plain counting and statsmodels, {len(part['curves'])} "
            f"{noun(len(part['curves']), 'area')} by sorting"
        ),
    )


def _tops(frames: Sequence[DataFrame]) -> dict[str, str]:
    tops: dict[str, str] = {}
    for frame in frames:
        named = "document" if "document" in frame.columns else "unit"
        tops |= {
            q: first for q, first, rank in frame.select("question", named, "rank").iter_rows() if rank == 1
        }
    return tops


def _holders(question: Any, gold: GoldSet) -> set[str]:
    from evenhand.gold.nuggets import as_counted

    vital = [nugget for nugget in as_counted(question.evidence, gold.spans) if nugget.vital]
    found = [{str(quote.span.doc) for quote in nugget.spans} for nugget in vital]
    return set.intersection(*found) if found else set()


def _consensus(firsts: Sequence[str | None]) -> str | None:
    return firsts[-1] if len(set(firsts)) == 1 else None


def _always(firsts: Sequence[str | None]) -> str | None:
    return firsts[-1]


def _never(firsts: Sequence[str | None]) -> str | None:
    del firsts
    return None


def _rates(rule: Mapping[str, Any], counts: Mapping[str, int], level: float) -> Iterator[str]:
    proportion = need("statsmodels.stats.proportion", extra="verify")
    said = {one["name"]: one for one in rule["rates"]}
    for name, (above, below) in RATES.items():
        k, n = sum(counts[word] for word in above), sum(counts[word] for word in below)
        one = said[name]
        where = f"{rule['name']}: {name}"
        if (one["k"], one["n"]) != (k, n):
            yield f"{where} is {one['k']}/{one['n']}, and {k}/{n} when counted"
            continue
        for key, method in (("wilson", "wilson"), ("exact", "beta")):
            if not n:
                continue
            made = proportion.proportion_confint(k, n, 1 - level, method)
            if any(abs(a - b) > NEAR for a, b in zip(one[key], made, strict=True)):
                yield f"{where}: {key} is {one[key]}, and statsmodels says {list(made)}"


def _areas(part: Mapping[str, Any], asked: Sequence[str]) -> Iterator[str]:
    """AURC by going through all questions in order, ties by their expectation."""
    held = part["explorer"]
    if held is None or held["questions"] != list(asked):
        return
    for curve in part["curves"]:
        higher = curve["scale"]["higher"]
        values = held["values"][curve["signal"]]
        groups: dict[float | None, list[int]] = {}
        for value, right in zip(values, held["right"], strict=True):
            groups.setdefault(value, []).append(0 if right else 1)
        order = sorted((v for v in groups if v is not None), reverse=higher)
        lost, seen, area = 0.0, 0, 0.0
        for value in [*order, *([None] if None in groups else [])]:
            group = groups[value]
            for _ in group:
                lost += sum(group) / len(group)
                seen += 1
                area += lost / seen
        said, mean = curve["aurc"]["point"], area / len(asked)
        if abs(mean - said) > NEAR:
            yield f"AURC of {curve['signal']} is {said}, and {mean} when summed"
