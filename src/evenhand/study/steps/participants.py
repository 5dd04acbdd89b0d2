"""Who takes part: the systems of a plan, each on its chunking, what others are made from coming first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from evenhand.errors import InputError, nearest
from evenhand.model.plan.study import Plan, SystemPlan

__all__ = ["OWN", "Participant", "entrants", "null_systems", "pairs_of"]

OWN = "own"  # the chunking of a guest that cuts for itself, and of run files that know only ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """One system on one chunking. ``of`` names the entrants it is made from."""

    name: str
    system: SystemPlan
    chunking: str
    of: tuple[str, ...] = ()


def null_systems(plan: Plan) -> tuple[SystemPlan, ...]:
    """The systems of ``[compare] null`` that the plan does not name itself."""
    there = {system.name for system in plan.systems}
    return tuple(
        SystemPlan(name=name, kind="retriever", what=name, null=True)
        for name in dict.fromkeys(plan.compare.null)
        if name not in there
    )


def entrants(plan: Plan, *, own: Collection[str] = ()) -> tuple[Participant, ...]:
    """Cross systems with chunkings, in the order of the plan with members first.

    A system that names a chunking, a run file and a guest in *own* (it cuts for itself) take part once,
    under their plain name; the others once a chunking, as ``system/chunking`` when there are several.
    """
    systems = {system.name: system for system in (*plan.systems, *null_systems(plan))}
    cuts = [cut.name for cut in plan.chunkings] or [OWN]
    pins = {name: _pin(name, systems, cuts, own) for name in systems}
    made: dict[str, Participant] = {}

    def name_on(name: str, cut: str) -> str:
        return name if pins[name] or len(cuts) == 1 else f"{name}/{cut}"

    def enter(name: str, cut: str) -> None:
        full = name_on(name, cut)
        if full in made:
            return
        system = systems[name]
        for member in system.of:
            enter(member, cut)
        of = tuple(name_on(member, cut) for member in system.of)
        made[full] = Participant(name=full, system=system, chunking=pins[name] or cut, of=of)

    for name in systems:
        for cut in [pins[name]] if pins[name] else cuts:
            enter(name, cut)
    return tuple(made.values())


def _pin(name: str, systems: dict[str, SystemPlan], cuts: list[str], own: Collection[str]) -> str:
    system = systems[name]
    if system.chunking:
        return system.chunking
    if name in own:
        return OWN
    if system.kind == "run":
        if len(cuts) > 1:
            raise InputError(
                f"[system.{name}] is a run file, and the study has several chunkings",
                mend=f'say which units it ranks: chunking = "{cuts[0]}"; or "own"',
            )
        return cuts[0]
    found = {pin: member for member in system.of if (pin := _pin(member, systems, cuts, own))}
    if len(found) > 1:
        told = ", ".join(f"{member!r} ranks {pin!r}" for pin, member in found.items())
        raise InputError(
            f"[system.{name}] is made from systems on different chunkings: {told}",
            mend="only rankings of the same units can be fused or reranked",
        )
    return next(iter(found), "")


def pairs_of(plan: Plan, field: Collection[Participant]) -> tuple[tuple[str, str], ...]:
    """The declared pairs by entrants' names: "all" as it is, a baseline against every other one.

    Null systems are not in "all": they are held against every system apart. A plain system's name stands
    for it on every chunking.
    """
    names = [one.name for one in field]
    real = [one.name for one in field if not one.system.null]
    pairs = plan.compare.pairs
    if pairs == "all":
        return tuple((a, b) for i, a in enumerate(real) for b in real[i + 1 :])

    def known(word: str) -> list[str]:
        found = [word] if word in names else [one.name for one in field if one.system.name == word]
        if not found:
            raise InputError(f"[compare] pairs names {word!r}, which is not there", mend=nearest(word, names))
        return found

    if isinstance(pairs, str):
        base = known(pairs.removeprefix("baseline:"))
        if len(base) > 1:
            raise InputError(
                f"[compare] baseline {pairs.removeprefix('baseline:')!r} stands for several systems",
                mend=f"name one of them: {', '.join(base)}",
            )
        return tuple((name, base[0]) for name in real if name != base[0])
    told: list[tuple[str, str]] = []
    for a, b in pairs:
        ones, twos = known(a), known(b)
        chunking = {one.name: one.chunking for one in field}
        for one in ones:
            for two in twos:
                # a/fixed with b/fixed, not with b/whole, unless the names say so
                crossed = len(ones) > 1 and len(twos) > 1
                if one != two and not (crossed and chunking[one] != chunking[two]):
                    told.append((one, two))
    return tuple(dict.fromkeys(told))
