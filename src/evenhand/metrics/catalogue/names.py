"""The one grammar of metric names: ``Name(param=value,...)@k`` and ``@Ntokens``."""

from __future__ import annotations

import re
from functools import cache

from evenhand.errors import InputError, nearest
from evenhand.metrics.catalogue.aliases import ELSEWHERE, translate
from evenhand.metrics.catalogue.metric_type import Kind, Metric, Value, Values
from evenhand.metrics.catalogue.registry import CATALOGUE

__all__ = ["here", "kind", "parse"]

_FORM = re.compile(
    r"""^ \s* (?P<name>[A-Za-z][A-Za-z0-9_+]*) \s*
        (?: \( (?P<params>[^()]*) \) )? \s*
        (?: @ \s* (?P<number>-?[0-9][0-9_]*) \s* (?P<tokens>tokens?)? )? \s* $""",
    re.VERBOSE,
)
_COMMA = re.compile(r",(?![^{]*\})")  # between parameters, not within {grade:gain,...}
_MEND = "write Name(param=value)@k or Name@Ntokens: nDCG@10, R(rel=2)@5, R@2000tokens"


# a score of another tool, under its own name there: ragas:faithfulness
_FOREIGN = re.compile(r"\s*(?P<tool>[a-z][a-z0-9_-]*):(?P<name>\S(?:.*\S)?)\s*")


def kind(metric: Metric) -> Kind:
    """The catalogue's entry of a metric; a score of another tool has one that only means."""
    found = CATALOGUE.get(metric.name)
    return _elsewhere(metric.name) if found is None else found


def here(text: str | Metric) -> Metric:
    """The metric that *text* names, which must be one that is measured here and not by another tool."""
    metric = parse(text)
    if metric.name not in CATALOGUE:
        raise _not_here(metric.name)
    return metric


def _not_here(name: str) -> InputError:
    tool, _, theirs = name.partition(":")
    known = {known.casefold(): known for known in (*CATALOGUE, *ELSEWHERE)}
    mend = f"its scores are read by `evenhand scores FILE --from {tool}`"
    if theirs.partition("@")[0].casefold() in known:
        mend = f"did you mean {theirs!r}? {mend}"
    return InputError(f"{name!r} is a score of {tool}, which is not measured here", mend=mend)


@cache
def _elsewhere(name: str) -> Kind:
    def score(*_: object, **__: object) -> Values:
        raise _not_here(name)

    return Kind(
        name=name,
        score=score,
        says="measured elsewhere",
        source=name.partition(":")[0],
        cutoff="none",
        budget=False,
        ratio=False,
        needs="elsewhere",
        condensed=False,
    )


def parse(text: str | Metric) -> Metric:
    """The metric that *text* names: ``nDCG(gain=exp)@10``, ``R(rel=2)@5``, ``R@2000tokens``.

    The spellings of trec_eval (``ndcg_cut_10``, ``P_5``, ``recip_rank``), ir_measures (``nDCG@10``,
    ``P(rel=2)@5``, ``RBP(p=0.9)``) and ranx (``mrr@10``) are understood. Printing gives the canonical
    name, which parses back to an equal metric. ``tool:name`` is a score of another tool: a name like any
    other, but not measured here. Raises InputError, which names the nearest known.
    """
    if isinstance(text, Metric):
        return text
    if foreign := _FOREIGN.fullmatch(text):
        return Metric(name=f"{foreign['tool']}:{foreign['name']}")
    form = _FORM.match(translate(text))
    if form is None:
        raise InputError(f"{text!r} is not the name of a metric", mend=_MEND)
    name = form["name"]
    if name not in CATALOGUE:
        raise InputError(f"no metric is called {name!r}", mend=_nearest(name))
    entry = CATALOGUE[name]
    params = _params(entry, form["params"] or "", text)
    number = None if form["number"] is None else int(form["number"].replace("_", ""))
    tokens = form["tokens"] is not None
    _check_cut(entry, text, number=number, tokens=tokens)
    if name == "AP" and dict(params).get("denom") == "min" and (number is None or tokens):
        raise InputError(f"{text!r} divides by min(R, k) but has no k", mend="write AP(denom=min)@10")
    return Metric(
        name=name,
        params=params,
        cutoff=None if tokens else number,
        budget=number if tokens else None,
    )


def _nearest(name: str) -> str:
    """The nearest name whatever its capitals, ours or another tool's; ours are listed when none is near."""
    from difflib import get_close_matches

    known = {known.casefold(): known for known in (*ELSEWHERE, *CATALOGUE)}  # of two alike, ours stands
    close = get_close_matches(name.casefold(), known, n=1, cutoff=0.6)
    if not close:
        return f"use one of: {', '.join(sorted(CATALOGUE))}"
    found = known[close[0]]
    return f"did you mean {found!r}" + (f", here {ELSEWHERE[found]}?" if found not in CATALOGUE else "?")


def _check_cut(entry: Kind, text: str, *, number: int | None, tokens: bool) -> None:
    if number is None and entry.cutoff == "required":
        raise InputError(f"{text!r} needs a cutoff", mend=f"write {entry.name}@10")
    if number is not None and entry.cutoff == "none":
        raise InputError(f"{entry.name} has no cutoff, found {text!r}", mend=f"write {entry.name}")
    if tokens and not entry.budget:
        raise InputError(f"{entry.name} has no token budget, found {text!r}", mend=f"write {entry.name}@10")


def _params(entry: Kind, inside: str, text: str) -> tuple[tuple[str, Value], ...]:
    given: dict[str, Value] = {}
    known_ = entry.accepts
    for part in filter(str.strip, _COMMA.split(inside)):
        name, equals, value = part.partition("=")
        name = name.strip()
        if not equals:
            raise InputError(f"{text!r} holds {part.strip()!r}, which is not param=value", mend=_MEND)
        if name not in known_:
            known = nearest(name, known_) if known_ else f"{entry.name} takes none"
            if name == "rel" and entry.name == "nDCG":
                known = "nDCG uses the grades themselves and knows no level; leave rel out"
            raise InputError(f"{entry.name} has no parameter {name!r}, found {text!r}", mend=known)
        if name in given:
            raise InputError(f"{text!r} gives {name!r} twice", mend="give it once")
        given[name] = known_[name].read(value, name)
    for name, param in known_.items():
        if param.required and name not in given:
            raise InputError(
                f"{text!r} does not say {name}, without which it has no value",
                mend=f"write {entry.example}",
            )
    if given.get("gain") == "exp" and "gains" in given:
        raise InputError(
            f"{text!r} gives the gain twice", mend="leave gain=exp out: gains says what each is worth"
        )
    return tuple(
        (n, given[n]) for n, p in known_.items() if n in given and (p.required or given[n] != p.default)
    )
