"""What silently biases a comparison, said aloud."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evenhand.metrics.catalogue.metric_type import SPANS
from evenhand.metrics.catalogue.names import kind, parse
from evenhand.metrics.comparison import verdict
from evenhand.metrics.comparison.resamples import decides, how
from evenhand.metrics.comparison.undercoverage import narrow
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from evenhand.metrics.comparison.resamples import Settings
    from evenhand.model.result import Contrast, Measurements

__all__ = ["warnings_of"]


def warnings_of(
    m: Measurements,
    primary: str,
    *,
    common: Sequence[NDArray[np.bool_]],
    family: Sequence[Contrast],
    aside: Sequence[Contrast],
    nulls: Sequence[str],
    settings: Settings,
) -> Iterator[str]:
    """Warnings, in a fixed order: the questions, the labels, the tests, the systems."""
    yield from _questions(m, common)
    yield from narrow(m, common, nulls)
    yield from _labels(m, primary, nulls)
    yield from _tests(family, settings)
    yield from _nulls(m, primary, [*family, *aside], nulls)
    yield from _twins(m, family)


def _questions(m: Measurements, common: Sequence[NDArray[np.bool_]]) -> Iterator[str]:
    total = len(m.questions)
    for s, system in enumerate(m.systems):
        missing = int(m.missing[s].sum()) if m.missing.size else 0
        if missing and not all(decides(metric) for metric in m.metrics):
            yield f"{system} has no ranking for {missing} of {total} {noun(total, 'question')}: they count 0"
        lost: dict[int, list[str]] = {}
        for x, metric in enumerate(m.metrics):
            if m.unreachable.size and (count := int(m.unreachable[s, x].sum())):
                lost.setdefault(count, []).append(metric)
        for count, of in lost.items():
            yield (
                f"no unit that {system} searches can answer {count} of {total} {noun(total, 'question')} "
                f"at the level of {', '.join(of)}: they count 0"
            )
    left: dict[tuple[int, str], list[str]] = {}
    for x, metric in enumerate(m.metrics):
        defined = m.why[:, x] == 0
        for s in np.flatnonzero(~defined.any(axis=1)).tolist():
            yield f"{metric} is undefined on every question for {m.systems[s]}: it has no value there"
        n = int(common[x].sum())
        if decides(metric):
            continue
        short = [
            f"{m.systems[s]} ({int(defined[s].sum()) - n})"
            for s in range(len(m.systems))
            if defined[s].any() and int(defined[s].sum()) > n
        ]
        if short:
            left.setdefault((n, ", ".join(short)), []).append(metric)
    for (n, told), of in left.items():
        yield (
            f"{', '.join(of)}: taken over the {n} {noun(n, 'question')} defined for every system; "
            f"left out although defined: {told}"
        )


def _labels(m: Measurements, primary: str, nulls: Sequence[str]) -> Iterator[str]:
    if any(m.extra.get("one_sided", {}).values()) or kind(parse(primary)).needs in SPANS:
        # where every label says "relevant", the better system has more of them: that is the finding, not a
        # bias; and spans need no labels of units
        return
    shares = {s: by.get(primary) for s, by in m.extra.get("judged", {}).items()}
    # a null system shows what nobody would judge: it says nothing about the pool
    known = {s: share for s, share in shares.items() if share is not None and s not in nulls}
    if len(known) > 1 and max(known.values()) - min(known.values()) > 0.1:
        least, most = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
        yield (
            f"labels favour {most}: {known[most]:.0%} of the units it shows for {primary} are judged, "
            f"of {least} only {known[least]:.0%}; unjudged units count as not relevant"
        )


def _tests(family: Sequence[Contrast], settings: Settings) -> Iterator[str]:
    lost = [f"{c.a} against {c.b}" for c in family if verdict.adjustment(c)]
    if lost:
        yield (
            f"significant alone and not after Holm over {family[0].family} tests, so not significant by the "
            f"declared rule: {verdict.listed(lost)}"
        )
    if family and family[0].family and how(family[0].metric) == "mean":
        least = family[0].family / (settings.signs + 1)
        if least > settings.alpha:
            yield (
                f"{settings.signs:,} sign vectors cannot give an adjusted p below {least:.2g} "
                f"in a family of {family[0].family}: draw more"
            )


def _nulls(m: Measurements, primary: str, found: Sequence[Contrast], nulls: Sequence[str]) -> Iterator[str]:
    for null in nulls:
        for system in m.systems:
            if system in nulls:
                continue
            for c in found:
                if c.metric != primary or {c.a, c.b} != {system, null}:
                    continue
                if c.verdict != ("better" if c.a == system else "worse"):
                    told = "cannot be told from" if c.verdict == "cannot tell" else "is no better than"
                    yield f"{system} does not beat {null} on {primary}: it {told} a system that knows nothing"
                break


def _twins(m: Measurements, family: Sequence[Contrast]) -> Iterator[str]:
    for c in family:
        if c.verdict != "identical":
            continue
        (a, _), (b, _) = m.at(c.a, c.metric), m.at(c.b, c.metric)
        same = np.array_equal(m.value[a], m.value[b]) and np.array_equal(m.why[a], m.why[b])
        if same:
            yield (
                f"{c.a} and {c.b} have the same value on every question and metric: "
                "if their rankings are the same, fusing them can change nothing"
            )
