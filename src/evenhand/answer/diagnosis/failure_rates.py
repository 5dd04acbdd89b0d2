"""What counts against a model, what is to be run again, and rates that do not forget failed topics."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from evenhand.model.answer import STATES, Finding, Generation
from evenhand.model.result import Interval
from evenhand.stats.intervals.proportion import DesignEffect, wilson, wilson_design_effect
from evenhand.text.plural import noun

__all__ = ["AGAINST", "Account", "Rate", "Share", "accounts", "rates", "standing", "state_of"]

AGAINST = ("refused", "cut-off", "invalid", "empty", "fallback")  # the model's own faults
FALLBACK = "fallback"  # the key of Generation.extra that names the model which stepped in


def state_of(generation: Generation) -> str:
    """Its state, with two more of its own: ``fallback`` (another model wrote it), ``empty`` (no item came).

    A fallback counts as a refusal, an empty one as a reply not of the form asked for.
    """
    if generation.state == "made" and generation.extra.get(FALLBACK):
        return FALLBACK
    return "empty" if generation.state == "made" and not generation.items else generation.state


def standing(generations: Iterable[Generation]) -> list[Generation]:
    """The last generation of each system and topic, in the order in which topics first came.

    A fault never takes the place of anything else: it was nothing that the model did.
    """
    found: dict[tuple[str, str], Generation] = {}
    for one in generations:
        key = (one.system, one.topic)
        if key not in found or one.state != "fault":
            found[key] = one
    return list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """*k* of *n* with Wilson's interval; ``point`` is None for n = 0."""

    k: int
    n: int
    interval: Interval

    @property
    def point(self) -> float | None:
        """The share itself."""
        return self.k / self.n if self.n else None


def _share(k: int, n: int, level: float) -> Share:
    return Share(k=k, n=n, interval=wilson(k, n, level=level))


@dataclass(frozen=True, kw_only=True)
class Rate:
    """How many of the items of valid topics pass one check.

    ``share`` has Wilson's interval on n / Kish's design effect, with topics as clusters; its n are items
    that could be decided. ``undecided`` could not (``reasons`` → how many); ``low`` and ``high`` are the
    shares if all of those failed, or all passed. None of them: there is no item.
    """

    check: str
    share: DesignEffect
    undecided: int
    reasons: Mapping[str, int] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Account:
    """The topics of one system, and what became of them.

    ``valid`` is the share of topics that gave items, of those that were not kept from the model by a fault
    of network, key or rate; these are in ``again``, and can be run again. ``states`` counts all topics by
    `state_of`. ``rates`` are over items of valid topics, and are never shown without ``valid``.
    """

    system: str
    topics: int
    states: Mapping[str, int]
    valid: Share
    again: tuple[str, ...]
    items: int
    rates: tuple[Rate, ...] = ()

    @property
    def against(self) -> int:
        """How many topics the model failed."""
        return sum(self.states.get(name, 0) for name in AGAINST)

    def sentence(self) -> str:
        """What must stand beside every rate."""
        n, k = self.valid.n, self.valid.k
        failed = ", ".join(f"{self.states[name]} {name}" for name in AGAINST if self.states.get(name))
        text = f"{self.system}: {k} of {n} {noun(n, 'topic')} gave items" + (f" ({failed})" if failed else "")
        interval = self.valid.interval
        if interval.low is not None and interval.high is not None:
            text += f", {k / n:.0%} [{interval.low:.0%}, {interval.high:.0%}]"
        if self.again:
            text += f"; {len(self.again)} more were not reached and can be run again"
        return text + ". Rates of items are over the topics that gave some."


def accounts(
    generations: Iterable[Generation], findings: Iterable[Finding] = (), *, level: float = 0.95
) -> list[Account]:
    """One account a system, systems in the order in which they come; *findings* are those of `check_all`."""
    by_system: dict[str, list[Generation]] = defaultdict(list)
    for one in standing(generations):
        by_system[one.system].append(one)
    by_item: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_item[finding.item].append(finding)
    made = []
    for system, own in by_system.items():
        counted = Counter(state_of(one) for one in own)
        order = [*STATES, "empty", FALLBACK]
        valid = [one for one in own if state_of(one) == "made"]
        made.append(
            Account(
                system=system,
                topics=len(own),
                states={name: counted[name] for name in order if counted[name]},
                valid=_share(len(valid), len(own) - counted["fault"], level),
                again=tuple(one.topic for one in own if one.state == "fault"),
                items=sum(len(one.items) for one in valid),
                rates=tuple(rates(valid, by_item, level=level)),
            )
        )
    return made


def rates(
    generations: Iterable[Generation], findings: Mapping[str, Iterable[Finding]], *, level: float = 0.95
) -> list[Rate]:
    """The rate of each check over the items of *generations* (of valid topics), by item → findings."""
    topics: dict[str, dict[str, list[int]]] = {}
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for one in generations:
        for item in one.items:
            for finding in findings.get(item.id, ()):
                if finding.passed is None:
                    topics.setdefault(finding.check, {})
                    reasons[finding.check][finding.why] += 1
                    continue
                tally = topics.setdefault(finding.check, {}).setdefault(one.topic, [0, 0])
                tally[0] += finding.passed
                tally[1] += 1
    made = []
    for check, tallies in topics.items():
        passed = sum(k for k, _ in tallies.values())
        decided = sum(n for _, n in tallies.values())
        undecided = reasons[check].total()
        every = decided + undecided
        made.append(
            Rate(
                check=check,
                share=wilson_design_effect(
                    [k for k, _ in tallies.values()], [n for _, n in tallies.values()], level=level
                ),
                undecided=undecided,
                reasons=dict(sorted(reasons[check].items())),
                low=passed / every if every else None,
                high=(passed + undecided) / every if every else None,
            )
        )
    return made
