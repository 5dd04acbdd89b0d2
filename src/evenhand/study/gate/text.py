"""What a gate's numbers come to in words, what biases them, and what they do not show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evenhand.text.plural import noun, verb

if TYPE_CHECKING:
    from evenhand.study.gate.labelled_questions import Ground

__all__ = ["BEFORE_USE", "NOT_SHOWN", "sentences", "warnings"]

BEFORE_USE = (
    "a new holdout that is representative of the questions that will come",
    "the prevalence of questions that cannot be answered, and what each mistake costs",
    "who owns the status of documents, and keeps it true",
    "latency and cost under real load",
    "access control: who may be answered from which document",
    "escalation: who gets the deferred questions, and how soon",
    "the generated answers, evaluated apart",
)
NOT_SHOWN = (
    "a calibrated probability that an answer is right",
    "other corpora, domains, languages or real traffic",
    "generation: an answer may be wrong from the right document",
    "what happens in production",
)
WORDS = {
    "obsolete": "from a document that is not current",
    "wrong_document": "from a current document without sufficient evidence",
    "clarify_answered": "to a question that should be asked back",
    "abstain_answered": "to a question that nothing answers",
}


def _per(k: int, n: int) -> str:
    return f"{k}/{n} ({k / n:.0%})" if n else f"{k}/{n}"


def sentences(part: Mapping[str, Any]) -> list[str]:
    """The gate in plain words, the planned rule first."""
    return [*_main(part), *_failed(part), *_costs(part), *_promises(part), *_corpus(part)]


def _main(part: Mapping[str, Any]) -> Iterator[str]:
    main = part["rules"][0]
    if part["registered"]:
        yield "The gate is not the one that was registered; that one stands beside it where it can be had."
    if main["how"] == "refused":
        yield f"The gate {main['name']} has no threshold, so nothing was decided. {main['reason']}"
        return
    rates = {row["name"]: row for row in main["rates"]}
    told = ", ".join(
        f"{label} {_per(rates[name]['k'], rates[name]['n'])}"
        for name, label in (
            ("answered_precision", "answered precision"),
            ("answerable_coverage", "answerable coverage"),
            ("false_answer_rate", "false answers to those to defer"),
        )
    )
    where = "the holdout" if part["split"] == "holdout" else f"{part['split']}"
    if part["sufficient"] == "units":
        yield (
            "Whether a document suffices is by the grades of its units as they stand: where a panel gave "
            "them, they are its own, and no sample of people corrects these rates."
        )
    yield f"On {where}, {main['name']} over {', '.join(part['of'])}: {told}."
    if main["how"] == "out of fold":
        yield "Each question was decided by a threshold chosen without it and its cluster."
    wrong = [f"{main['kinds'][kind]} {told}" for kind, told in WORDS.items() if main["kinds"][kind]]
    if wrong:
        yield f"Wrong answers: {'; '.join(wrong)}."


def _failed(part: Mapping[str, Any]) -> Iterator[str]:
    found = part["failures"]
    if not found or not found["n"]:
        return
    one = found["n"] == 1
    who = ", ".join(f"{name} {n}" for name, n in found["dissent"].items())
    yield (
        f"{found['n']} answerable question{' was' if one else 's were'} deferred: {part['answers']} had the "
        f"answer on top in {found['on_top']}, below in {found['below']}, and did not rank it in "
        f"{found['not_ranked']}." + (f" Another first document: {who}." if who else "")
    )


def _costs(part: Mapping[str, Any]) -> Iterator[str]:
    costs = part["costs"]
    if not costs or costs["best"] is None:
        return
    how = "" if costs["given"] else " (none were given: mistakes count alike)"
    best = next(one for one in costs["rules"] if one["rule"] == costs["best"])
    sure = "" if best["best"] is None else f"; so in {best['best']:.0%} of resamples"
    yield (
        f"At a false answer of {costs['false_answer']:g}, a needless deferral of "
        f"{costs['needless_deferral']:g}{how} and {costs['prevalence']:.0%} of questions not answerable"
        f"{'' if costs['prevalence_given'] else ', as in this gold set,'} the cheapest rule is "
        f"{costs['best']}, {best['cost']:.3f} a question{sure}."
    )
    if costs["best"] in ("answer everything", "defer everything"):
        yield f"No gate beats {costs['best'].split()[0]}ing everything at these costs.".replace(
            "defering", "deferring"
        )


def _promises(part: Mapping[str, Any]) -> Iterator[str]:
    made = [one for one in part["promises"] if one["threshold"] is not None]
    if part["promises"] and not made:
        yield "No signal has a threshold that controls the risk; what each would need is in the table."
    for one in made:
        yield f"{one['signal']}: {one['says']}"


def _corpus(part: Mapping[str, Any]) -> Iterator[str]:
    last = part["corpus"]["outdated_first"][-1]
    first = max(part["corpus"]["outdated_first"], key=lambda one: one["k"])
    if first["k"]:
        yield (
            f"An outdated document is on top of {first['system']} in {_per(first['k'], first['n'])} questions"
            + (
                f", of {last['system']}, which answers, in {_per(last['k'], last['n'])}."
                if last is not first
                else "."
            )
        )


def _rank(curve: Mapping[str, Any]) -> str:
    return ": after a fusion or a rerank by status a score is a rank" if "(" in curve["signal"] else ""


def warnings(part: Mapping[str, Any], on: Ground) -> list[dict[str, Any]]:
    """What biases a gate's numbers, counted."""
    found = [*_about_questions(part["questions"]), *_about_rules(part, on)]
    return [{"kind": f"gate: {kind}", "count": n, "text": text} for kind, n, text in found]


def _about_questions(asked: Mapping[str, Any]) -> Iterator[tuple[str, int, str]]:
    if asked["clusters"] < asked["n"]:
        told = (
            f"{asked['n']} {noun(asked['n'], 'question')} {verb(asked['n'], 'comes', 'come')} in "
            f"{asked['clusters']} {noun(asked['clusters'], 'cluster')}"
        )
        yield "clusters", 1, f"{told}: intervals of the decision table take them as independent: too narrow"
    if asked["unreachable"]:
        told = "answerable questions have no current document that answers them alone: no gate is right there"
        yield "unreachable", asked["unreachable"], told
    if not asked["clarify"] + asked["abstain"]:
        told = "every question expects an answer: the rate of false answers is undefined"
        yield "nothing to defer", 1, told


def _about_rules(part: Mapping[str, Any], on: Ground) -> Iterator[tuple[str, int, str]]:
    if part["chosen_here"]:
        told = "the rule was frozen on these very questions: its numbers here are optimistic"
        yield "chosen on these questions", 1, told
    for rule in part["rules"]:
        if rule["flagged"]:
            n = sum(rule["flagged"].values())
            why = "; ".join(f"{text} ({count})" for text, count in list(rule["flagged"].items())[:3])
            yield "flagged", n, f"deferred by {rule['name']}, as a value could not be had: {why}"
    for one in part["curves"]:
        if not one["varies"]:
            yield (
                "a signal that says nothing",
                1,
                f"{one['signal']} has the same value everywhere{_rank(one)}",
            )
    for name in part["of"]:
        n = sum(not on.ranked.documents(name, q, 1) for q in range(part["questions"]["n"]))
        if n:
            yield "nothing found", n, f"{name} ranked nothing: every rule on it defers"
    if part["corpus"]["faults"]:
        told = "links or versions of documents contradict each other; a rerank by status believes them"
        yield "status of documents", part["corpus"]["faults"], told
