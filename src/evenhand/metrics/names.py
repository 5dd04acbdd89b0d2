"""The one grammar of metric names: ``Name(param=value,...)@k`` and ``@Ntokens``."""

from __future__ import annotations

import re

from evenhand.errors import InputError, nearest
from evenhand.metrics.catalogue import CATALOGUE
from evenhand.metrics.kinds import Kind, Metric, Value
from evenhand.metrics.spellings import ELSEWHERE, translate

__all__ = ["kind", "parse"]

_FORM = re.compile(
    r"""^ \s* (?P<name>[A-Za-z][A-Za-z0-9_+]*) \s*
        (?: \( (?P<params>[^()]*) \) )? \s*
        (?: @ \s* (?P<number>-?[0-9][0-9_]*) \s* (?P<tokens>tokens?)? )? \s* $""",
    re.VERBOSE,
)
_COMMA = re.compile(r",(?![^{]*\})")  # between parameters, not within {grade:gain,...}
_MEND = "write Name(param=value)@k or Name@Ntokens: nDCG@10, R(rel=2)@5, R@2000tokens"


def kind(metric: Metric) -> Kind:
    """The catalogue's entry of a metric."""
    return CATALOGUE[metric.name]


def parse(text: str | Metric) -> Metric:
    """The metric that *text* names: ``nDCG(gain=exp)@10``, ``R(rel=2)@5``, ``R@2000tokens``.

    The spellings of trec_eval (``ndcg_cut_10``, ``P_5``, ``recip_rank``), ir_measures (``nDCG@10``,
    ``P(rel=2)@5``, ``RBP(p=0.9)``) and ranx (``mrr@10``) are understood. Printing gives the canonical
    name, which parses back to an equal metric. Raises InputError, which names the nearest known.
    """
    if isinstance(text, Metric):
        return text
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
