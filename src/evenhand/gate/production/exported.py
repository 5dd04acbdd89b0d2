"""A gate that left its study: a small JSON that decides in production, in plain Python.

The file holds the rule and its limits, the scale of each system's scores, the seal of the study, and what
was measured, with intervals: whoever loads it sees how good it was, on what, and what was promised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.gate.production.decision import Decision, Rule, decide, systems
from evenhand.gate.production.learned import Learned
from evenhand.gate.production.rules import Consensus, Threshold
from evenhand.gate.production.scales import Scale, limit, number
from evenhand.gate.production.top_documents import Ranking
from evenhand.gate.signals import signal

__all__ = ["SCHEMA", "Gate", "gate_of"]

SCHEMA = "evenhand.gate/1"
RULES = ("consensus", "threshold", "learned")
KEYS = {
    "consensus": (),
    "threshold": ("signal", "threshold"),
    "learned": ("signals", "centre", "spread", "coefficients", "intercept", "threshold"),
}
ABOUT = ("schema", "rule", "of", "answers", "scales", "study", "measured", "guarantee", "notes")
RATE = ("name", "k", "n", "rate", "low", "high", "level", "method")


@dataclass(frozen=True)
class Gate:
    """A rule and where it comes from. ``scales``: of the scores of each system of the rule.

    ``study``: name, seal, split and n it was measured on. ``measured``: rates as rows with intervals.
    ``guarantee``: alpha, delta, method, n of a threshold with a promise; None without one.
    """

    rule: Rule
    scales: Mapping[str, Scale] = field(default_factory=dict)
    study: Mapping[str, Any] = field(default_factory=dict)
    measured: Sequence[Mapping[str, Any]] = ()
    guarantee: Mapping[str, Any] | None = None
    notes: Sequence[str] = ()

    def decide(self, rankings: Mapping[str, Ranking]) -> Decision:
        """Answer or defer one question.

        *rankings*: system -> documents, or pairs (document, score), best first; an empty list for a system
        that found nothing. Units of one document may follow each other. Where the rule reads scores, one that
        is missing, NaN, infinite or off its scale defers, flagged; consensus, agreement and overlap read the
        order alone. Raises InputError for a missing system or a ranking of
        another form.
        """
        return decide(self.rule, rankings)

    def as_json(self) -> dict[str, Any]:
        """The JSON object of the file, keys in their fixed order."""
        own = settings(self.rule)
        kind = own.pop("rule")
        if kind not in RULES:
            raise InputError(
                f"the rule {self.rule.name!r} is no gate to export", mend=f"export {', '.join(RULES)}"
            )
        of = own.pop("of")
        return {
            "schema": SCHEMA,
            "rule": kind,
            "of": of,
            "answers": of[-1],
            **own,
            "scales": {
                name: {"name": one.name, "low": one.low, "high": one.high, "higher": one.higher}
                for name, one in self.scales.items()
                if name in of
            },
            "study": dict(self.study),
            "measured": [{key: row.get(key) for key in RATE} for row in self.measured],
            "guarantee": None if self.guarantee is None else dict(self.guarantee),
            "notes": list(self.notes),
        }


def settings(rule: Rule) -> dict[str, Any]:
    """What makes two rules the same rule, as plain JSON."""
    made: dict[str, Any] = {"rule": type(rule).__name__.lower(), "of": list(rule.of)}
    if isinstance(rule, Threshold):
        made |= {"signal": rule.signal.name, "threshold": rule.threshold}
    elif isinstance(rule, Learned):
        made |= {
            "signals": [one.name for one in rule.signals],
            "centre": list(rule.centre),
            "spread": list(rule.spread),
            "coefficients": list(rule.coefficients),
            "intercept": rule.intercept,
            "threshold": rule.threshold,
        }
    return made


def gate_of(thing: Any, where: str = "gate") -> Gate:
    """The gate of a JSON object; *where* names the file in errors.

    Raises InputError, naming the key: an unknown schema, rule or key, a missing one, a threshold that is not
    a finite number on its signal's scale.
    """
    if not isinstance(thing, dict):
        raise InputError(f"{where} holds no object", mend="give the gate.json that a gate study wrote")
    if thing.get("schema") != SCHEMA:
        raise InputError(
            f"{where}: schema is {thing.get('schema')!r}, and this version reads {SCHEMA!r}",
            mend="export the gate again, or install the version of evenhand that wrote it",
        )
    kind = thing.get("rule")
    if kind not in RULES:
        raise InputError(f"{where}: rule is {kind!r}", mend=nearest(str(kind), RULES))
    known = (*ABOUT, *KEYS[kind])
    if odd := [key for key in thing if key not in known]:
        raise InputError(f"{where}: unknown key {odd[0]!r}", mend=nearest(str(odd[0]), known))
    if gone := [key for key in ("of", "scales", *KEYS[kind]) if key not in thing]:
        raise InputError(f"{where}: {gone[0]} is missing", mend="export the gate again")
    try:
        return _gate(thing, kind)
    except InputError as error:
        raise InputError(f"{where}: {error.what}", mend=error.mend) from None


def _gate(thing: dict[str, Any], kind: str) -> Gate:
    of = systems(_list(thing, "of"))
    if thing.get("answers", of[-1]) != of[-1]:
        raise InputError(
            f"answers is {thing['answers']!r}, and the last of the systems is {of[-1]!r}",
            mend="export the gate again",
        )
    scales = {name: _scale(name, one) for name, one in _object(thing, "scales").items()}
    rule: Rule
    if kind == "consensus":
        rule = Consensus(of)
    elif kind == "threshold":
        made = signal(thing["signal"], of, scales)
        rule = Threshold(made, limit(thing["threshold"], made.scale))
    else:
        centre, spread, coefficients = (
            tuple(_float(key, x) for x in _list(thing, key)) for key in ("centre", "spread", "coefficients")
        )
        rule = Learned(
            signals=tuple(signal(name, of, scales) for name in _list(thing, "signals")),
            intercept=_float("intercept", thing["intercept"]),
            threshold=thing["threshold"],
            centre=centre,
            spread=spread,
            coefficients=coefficients,
        )
    promised = thing.get("guarantee")
    return Gate(
        rule=rule,
        scales=scales,
        study=_object(thing, "study") if "study" in thing else {},
        measured=tuple(_list(thing, "measured")) if "measured" in thing else (),
        guarantee=None if promised is None else _object(thing, "guarantee"),
        notes=tuple(_list(thing, "notes")) if "notes" in thing else (),
    )


def _list(thing: dict[str, Any], key: str) -> list[Any]:
    if not isinstance(thing[key], list):
        raise InputError(f"{key} is {thing[key]!r}, not a list", mend="export the gate again")
    found: list[Any] = thing[key]
    return found


def _object(thing: dict[str, Any], key: str) -> dict[str, Any]:
    if not isinstance(thing[key], dict):
        raise InputError(f"{key} is {thing[key]!r}, not an object", mend="export the gate again")
    found: dict[str, Any] = thing[key]
    return found


def _float(key: str, value: object) -> float:
    made, wrong = number(value)
    if made is None:
        raise InputError(f"{key} holds {value!r}, which {wrong}", mend="export the gate again")
    return made


def _scale(system: str, thing: object) -> Scale:
    if not isinstance(thing, dict) or set(thing) != {"name", "low", "high", "higher"}:
        raise InputError(f"the scale of {system!r} is {thing!r}", mend="give name, low, high and higher")
    low, high = (None if thing[key] is None else _float(key, thing[key]) for key in ("low", "high"))
    if not isinstance(thing["name"], str) or not isinstance(thing["higher"], bool):
        raise InputError(f"the scale of {system!r} is {thing!r}", mend="give name, low, high and higher")
    if low is not None and high is not None and low >= high:
        raise InputError(f"the scale of {system!r} ends before it begins", mend="give low below high")
    return Scale(thing["name"], low, high, thing["higher"])
