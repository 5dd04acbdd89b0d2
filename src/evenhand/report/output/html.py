"""The report as one self-contained page, readable without scripts, with nothing that report.json lacks."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from evenhand.errors import MissingExtra
from evenhand.model.result import Contrast, Standing
from evenhand.report.output import number_format
from evenhand.report.output.escape import segments, visible
from evenhand.report.sections.comparison.approximate_search import marks
from evenhand.report.sections.comparison.charts import draw, shown_pairs, ticks_for
from evenhand.report.sections.comparison.per_question import SHOWN
from evenhand.report.sections.comparison.tables import leader
from evenhand.report.sections.registry import parts_in
from evenhand.report.sections.robustness.tables import grouped

if TYPE_CHECKING:
    from jinja2 import BaseLoader, Environment

__all__ = ["environment", "render", "source", "view"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def render(report: Mapping[str, Any], *, plots: bool = True) -> str:
    """One HTML file of *report*: own styles and a little script inlined, nothing fetched from anywhere.

    All text is escaped and what would act or hide is written out, see `visible`. A content security
    policy allows the page's own style and script by hash and nothing else. Where the extra ``plots`` is
    not installed, or without *plots*, the page says so in place of the pictures.
    """
    from markupsafe import Markup

    charts: dict[str, str] = {}
    why = "Plots were not asked for; the table holds the same numbers."
    if plots:
        try:
            charts = draw(report)
        except MissingExtra as missing:
            why = f"No plots: {missing.what} ({missing.mend}). The table holds the same numbers."
    pages = _pages()
    style, script = source(pages, "report.css"), source(pages, "report.js")
    if report.get("gate"):
        script += source(pages, "gate.js")
    if report.get("threshold"):
        script += source(pages, "threshold.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page: str = pages.get_template("report.html").render(
        r=report,
        v=view(report),
        charts={name: Markup(svg) for name, svg in charts.items()},  # noqa: S704 - made and escaped by charts
        no_charts=why,
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        policy=policy,
    )
    return page


@cache
def _pages() -> Environment:
    return environment()


def environment(*before: BaseLoader) -> Environment:
    """The report's templates with its filters, all text escaped; templates of *before* are found first."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    pages = Environment(
        loader=ChoiceLoader([*before, PackageLoader("evenhand.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda thing: visible(thing) if type(thing) is str else thing,
    )
    for name in (
        "number",
        "chance",
        "counted",
        "signed",
        "interval",
        "share_interval",
        "signed_interval",
        "share",
        "count",
        "many",
        "pvalue",
    ):
        pages.filters[name] = getattr(number_format, name)
    pages.filters["flat"] = _flat
    pages.filters["stress_groups"] = grouped
    pages.filters["flatly"] = _flatly
    return pages


def source(pages: Environment, name: str) -> str:
    """A style sheet or script that lies beside the templates."""
    assert pages.loader is not None  # noqa: S101 - set three lines above
    return pages.loader.get_source(pages, name)[0]


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _flat(settings: Mapping[str, Any], above: str = "") -> list[tuple[str, str]]:
    """Nested settings as pairs: ``settings.k1``, ``1.2``."""
    pairs: list[tuple[str, str]] = []
    for key in sorted(settings):
        value = settings[key]
        if isinstance(value, Mapping):
            pairs += _flat(value, f"{above}{key}.")
        else:
            told = ", ".join(str(v) for v in value) if isinstance(value, list) else value
            pairs.append((f"{above}{key}", "–" if told is None else str(told)))
    return pairs


def _flatly(value: Any) -> str:
    """A value of a plan in one line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 200 else f"{text[:180]}…"


def view(report: Mapping[str, Any]) -> dict[str, Any]:
    """What the templates need of *report* in another shape: ``v`` in them, beside ``r``, the report."""
    primary = report["study"]["primary"]
    cell = {(e["system"], e["metric"]): e for e in report["estimates"]}
    metrics = list(dict.fromkeys(e["metric"] for e in report["estimates"]))
    if primary in metrics:
        metrics = [primary, *(m for m in metrics if m != primary)]
    first = {name: cell.get((name, primary)) for name, _ in cell}
    systems = sorted(first, key=lambda name: (*_rank(first[name]), name))
    standing = Standing(**report["standing"]) if report["standing"] else None
    contrasts = [Contrast(**c) for c in report["contrasts"]]
    pairs, of = shown_pairs(report)
    return {
        "primary": primary,
        "metrics": metrics,
        "marks": marks(report["systems"]),
        "systems": systems,
        "cell": cell,
        "first": first,
        "best": leader(primary, contrasts=contrasts, standing=standing),
        "uneven": any(e["n"] != (first[name] or e)["n"] for (name, _), e in cell.items()),
        "heads": [
            head
            for head in ("undefined", "unreachable", "missing")
            if any(e and e[head] for e in first.values())
        ],
        "judged": any(e and e["judged"] is not None for e in first.values()),
        "methods": _methods(report["estimates"], metrics),
        "pairs": pairs,
        "more_pairs": [c for c in report["contrasts"] if c not in pairs],
        "pairs_of": of,
        "slices": _slices(report, systems, primary),
        "letters": dict(zip(report["questions"]["systems"], _letters(), strict=False)),
        "questions": _Questions(report["questions"]),
        "parts": parts_in(report),
        "texts": {row["id"]: row["text"] for row in report["questions"]["rows"]},
        "types": sorted({row["type"] for row in report["questions"]["rows"] if row["type"]}),
    }


def _letters() -> list[str]:
    return [*LETTERS, *(a + b for a in LETTERS for b in LETTERS)]


def _rank(estimate: Mapping[str, Any] | None) -> tuple[bool, float]:
    none = estimate is None or estimate["point"] is None
    return none, 0.0 if estimate is None or none else -estimate["point"]


def _methods(estimates: Sequence[Mapping[str, Any]], metrics: Sequence[str]) -> list[tuple[str, list[str]]]:
    """How intervals were made, each with the metrics it was used for."""
    methods: dict[str, list[str]] = {}
    for metric in metrics:
        for one in estimates:
            if one["metric"] != metric or one["low"] is None:
                continue
            how = f"{number_format.share(one['level'])} {one['method']}"
            if one["resamples"] is not None:
                how += f", {number_format.count(one['resamples'])} resamples, seed {one['seed']}"
            if metric not in methods.setdefault(how, []):
                methods[how].append(metric)
    return list(methods.items())


def _slices(report: Mapping[str, Any], systems: Sequence[str], primary: str) -> list[dict[str, Any]]:
    """Slices grouped by what they slice by, on one common scale, systems in the order of the table."""
    every = [
        e
        for one in report["slices"]
        for e in one["estimates"]
        if e["metric"] == primary and e["point"] is not None
    ]
    if not every:
        return []
    ticks = ticks_for(every, zero=False, most=8)
    low, reach = ticks[0], ticks[-1] - ticks[0]

    def bar(e: Mapping[str, Any]) -> dict[str, float] | None:
        if e["point"] is None:
            return None
        left = e["low"] if e["low"] is not None else e["point"]
        right = e["high"] if e["high"] is not None else e["point"]
        place = {"x": left - low, "width": right - left, "point": e["point"] - low}
        return {key: round(100 * value / reach, 2) for key, value in place.items()}

    groups: dict[str, list[dict[str, Any]]] = {}
    for one in report["slices"]:
        by_system = {e["system"]: e for e in one["estimates"] if e["metric"] == primary}
        rows = [(name, by_system[name], bar(by_system[name])) for name in systems if name in by_system]
        groups.setdefault(one["by"], []).append(
            {"value": one["value"], "n": one["n"], "note": one["note"], "rows": rows}
        )
    return [{"by": by, "parts": parts, "low": ticks[0], "high": ticks[-1]} for by, parts in groups.items()]


class _Questions:
    """Rows as the page shows them."""

    def __init__(self, questions: Mapping[str, Any]) -> None:
        self.q = questions
        metrics = questions["metrics"]
        self.lead = metrics.index(questions["primary"]) if questions["primary"] in metrics else 0

    def strip(self, row: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The primary value of each system: text, shade 0 to 4, why it is undefined."""
        why = {(s, m): reason for s, m, reason in row["undefined"]}
        cells = []
        for name, values in zip(self.q["systems"], row["values"] or [], strict=True):
            value = values[self.lead] if values else None
            shade = -1 if value is None else min(4, max(0, int(value * 5)))
            reason = why.get((name, self.q["primary"]), "")
            cells.append(
                {"name": name, "text": number_format.number(value, digits=2), "shade": shade, "why": reason}
            )
        return cells

    def columns(self, row: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What each system found: its values, its units; a unit shown before points to where."""
        spans: dict[str, list[tuple[int, int]]] = {}
        for nugget in row["evidence"]:
            for span in nugget["spans"]:
                spans.setdefault(span["doc"], []).append((span["start"], span["end"]))
        why = {(s, m): reason for s, m, reason in row["undefined"]}
        seen: dict[tuple[str, int | None], str] = {}
        columns = []
        for s, (name, found) in enumerate(zip(self.q["systems"], row["found"], strict=True)):
            if found is None:  # a null system: what it found tells nothing
                continue
            values = [
                {"metric": m, "value": row["values"][s][k], "why": why.get((name, m), "")}
                for k, m in enumerate(self.q["metrics"])
            ]
            hits = []
            for rank, hit in enumerate(found["top"], 1):
                unit = self.q["units"][hit["unit"]]
                doc = self.q["documents"][unit["document"]] if unit["document"] is not None else None
                key = (unit["chunking"], unit["id"])
                shown = unit["text"] if rank <= SHOWN else None
                entry = {**hit, "rank": rank, "unit": unit, "doc": doc, "again": None, "pieces": []}
                if shown is not None and key in seen:
                    entry["again"] = seen[key]
                elif shown is not None:
                    seen[key] = f"{_letters()[s]}{rank}"
                    entry["pieces"] = _trim(
                        segments(shown, unit["from"], spans.get(doc["id"], []) if doc else [])
                    )
                hits.append(entry)
            columns.append(
                {"name": name, "letter": _letters()[s], "values": values, "found": found, "hits": hits}
            )
        return columns


def _trim(pieces: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Pieces without the blank lines around them."""
    if pieces:
        pieces[0] = (pieces[0][0].lstrip("\r\n"), pieces[0][1])
        pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
    return pieces
