"""The catalogue part of docs/reference/metrics.md, made from the metrics themselves."""

from __future__ import annotations

import inspect
import re
from typing import Any

BEGIN = "<!-- begin catalogue -->"
END = "<!-- end catalogue -->"
FAMILIES = {
    "ranked": "Rankings against grades",
    "pooled": "Judged and unjudged",
    "user_models": "Models of a reader",
    "cwl": "Models of a reader, by expectation",
    "graded_gain": "Rankings against grades, as trec_eval has them",
    "rank_biased_overlap": "Against the ideal ranking",
    "context": "What is put into a prompt",
    "spans": "Characters and tokens of the evidence",
    "nuggets": "Facts",
    "counts": "Counts and sums, as trec_eval prints them",
}
NEEDS = {
    "grades": "grades",
    "nuggets": "nuggets: a gold set, or qrels with subtopics",
    "spans": "spans: a gold set",
    "tokens": "spans: a gold set; tokens are words, unless a tokenizer is given",
}
CUTS = {"optional": "`@k`, or none", "required": "`@k`", "none": "none"}


def render(page: str) -> str:
    """The page with its catalogue made anew."""
    head, rest = page.split(BEGIN)
    tail = rest.split(END)[1]
    return f"{head}{BEGIN}\n\n{catalogue()}\n{END}{tail}"


def catalogue() -> str:
    """One entry a metric, family by family."""
    from evenhand.metrics.catalogue.registry import FAMILIES as ORDER

    out: list[str] = []
    for family in ORDER:
        name = family.__name__.rpartition(".")[2]
        out.append(f"### {FAMILIES.get(name, _first(family.__doc__))}\n")
        for kind in family.KINDS:
            out += entry(kind)
    return "\n".join(out)


def entry(kind: Any) -> list[str]:
    """What one metric says, its formula, its form and its source."""
    from evenhand.metrics.catalogue.documentation import PAGES
    from evenhand.metrics.catalogue.metric_type import spell

    out = [f"#### {kind.name}\n", f"{kind.says[0].upper()}{kind.says[1:]}.\n"]
    out += [f"{part}\n" for part in _paragraphs(kind.score.__doc__)]
    facts = [
        ("cutoff", CUTS[kind.cutoff] + (", `@Ntokens`" if kind.budget and kind.cutoff != "none" else ""))
    ]
    for name, param in kind.params.items():
        shown = spell(param.default)
        choices = f"one of {', '.join(f'`{c}`' for c in param.choices)}" if param.choices else ""
        bounds = ""
        if param.low is not None or param.high is not None:
            bounds = f"from {spell(param.low)}" if param.low is not None else ""
            bounds += f" to {spell(param.high)}" if param.high is not None else " up"
            bounds += ", bounds excluded" if param.open and param.high is not None else ""
        said = "; ".join(
            part for part in (f"default `{shown}`" if shown else "default: none", choices, bounds) if part
        )
        facts.append((f"`{name}`", said))
    facts.append(("needs", NEEDS.get(kind.needs, kind.needs)))
    if kind.total != "mean":
        facts.append(("over questions", {"sum": "sum", "geometric": "geometric mean"}[kind.total]))
    elif kind.proportion:
        facts.append(("interval", "Wilson; in pairs Newcombe's method 10 and the exact McNemar test"))
    page = PAGES[kind.name]
    facts.insert(0, ("formula", page.formula))
    facts += [("misleads", page.misleads), ("source", kind.source)]
    if kind.condensed and kind.needs == "grades":
        facts.insert(-2, ("`judged_only`", "`true` drops unjudged units first; ranks close up"))
    out.append("| | |\n|---|---|")
    out += [f"| {name} | {_cell(text)} |" for name, text in facts]
    out.append("")
    if page.elsewhere:
        out.append("| elsewhere | its number |\n|---|---|")
        out += [f"| {_cell(name)} | {_cell(text)} |" for name, text in page.elsewhere]
        out.append("")
    return out


def _paragraphs(text: str | None) -> list[str]:
    parts = re.split(r"\n\s*\n", inspect.cleandoc(text or ""))
    return [_cell(part.replace("``", "`")) for part in parts if part.strip()]


def _cell(text: str) -> str:
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"(?<!`)\*(\w+)\*(?!`)", r"`\1`", text)  # *name* of a parameter, as docstrings write it
    return re.sub(r"(?<=\w)\*(?=\w)| \* ", lambda m: m[0].replace("*", "·"), text).replace("|", "\\|").strip()


def _first(text: str | None) -> str:
    return _cell((text or "").strip().split("\n")[0]).rstrip(".")
