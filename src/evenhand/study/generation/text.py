"""What generated answers come to in words, what biases it, and what it does not show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.study.generation.ask import is_source

if TYPE_CHECKING:
    from evenhand.model.answer import Generation

__all__ = ["NOT_SHOWN", "looked_words", "sentences", "warnings"]

NOT_SHOWN = (
    "that an item which passes all checks is right: checks look at words, numbers and places",
    "causes: each is the likely one, read off what was retrieved and what was said",
    "other questions, models, prompts or real traffic",
)
OTHERS = (
    "answers in {} belong to no question of this study, by id or by words, or to one that another line "
    "answers: they do not count"
)
BY = {
    "people": "by most of the people who rated it before they saw the checks",
    "claims": "by their claims, as the panel decided them",
    "reference": "by the words and numbers of the reference, a stand-in for reading",
    "checks": "by whether a check fails, a stand-in for reading",
    "expectation": "because an answer was expected and none was given",
    "state": "because the model gave nothing that counts, or was not reached",
}


def sentences(part: Mapping[str, Any]) -> list[str]:
    """The systems one after the other: what counts against them first."""
    made = [one["sentence"] for one in part["accounts"]]
    made += looked_words(part["looked_in"])
    for one in part["diagnosis"]:
        made += _diagnosed(one, part["kind"])
    entailment = part.get("entailment")
    if entailment is not None:
        made.append(
            f"Claims are borne out by a model of entailment ({entailment['model']}) from probability "
            f"{entailment['at_least']:g}; whether it can be believed is for people's ratings to show."
        )
    return made


def looked_words(counts: Mapping[str, int]) -> list[str]:
    """What the checks looked in; nothing where that is what each item cites."""
    if "cited" in counts and "retrieved" not in counts:
        return []
    told = {
        "cited": "{n} in the passages they cite",
        "retrieved": "{n} that cite nothing in all that was retrieved",
        "nothing": "{n} in nothing, since they cite no passage or none is known",
    }
    return [f"Looked up: {'; '.join(told[name].format(n=n) for name, n in counts.items())}."]


def _per(k: int, n: int) -> str:
    return f"{k} of {n}" + (f" ({k / n:.0%})" if n else "")


def _rate(one: Mapping[str, Any]) -> str:
    told = _per(one["k"], one["n"])
    if one["low"] is not None:
        told = told[:-1] + f", {one['low']:.0%} to {one['high']:.0%})"
    return told


def _diagnosed(one: Mapping[str, Any], kind: str) -> Iterator[str]:
    what = "questions that expect an answer" if kind == "answers" else "items"
    rates = {row["name"]: row for row in one["rates"]}
    cells = {row["name"]: row for row in one["cells"]}
    if not rates["answer"]["n"]:
        yield f"{one['system']}: of no {what} can it be said whether the answer is right."
        return
    unknown = one["retrieval_unknown"]
    held = f"the passages held what is needed for {_rate(rates['passages'])}"
    if unknown and not rates["passages"]["n"]:
        held = "whether the passages held what is needed cannot be said"
    yield (
        f"{one['system']}: {_rate(rates['answer'])} {what} are answered rightly; {held}."
        if kind == "answers"
        else f"{one['system']}: {_rate(rates['answer'])} items are good."
    )
    if unknown:
        whys = "; ".join(f"{n} × {why}" for why, n in unknown.items())
        yield f"Retrieval is unknown for {sum(unknown.values())} of {one['n']} ({whys}): no failure of it."
    wrong = cells["generation"]["count"] + cells["retrieval"]["count"]
    if wrong and rates["passages"]["n"]:
        more = "generation" if cells["generation"]["count"] > cells["retrieval"]["count"] else "retrieval"
        even = cells["generation"]["count"] == cells["retrieval"]["count"]
        yield (
            f"Of {wrong} wrong ones {cells['generation']['count']} had what they need (generation) and "
            f"{cells['retrieval']['count']} had not (retrieval): "
            + ("neither is to blame more than the other." if even else f"look at {more} first.")
        )
        if rest := rates["answer"]["n"] - rates["answer"]["k"] - wrong:
            yield f"{rest} more {'is' if rest == 1 else 'are'} wrong, of which retrieval is unknown."
    fragile = cells["fragile"]
    if fragile["count"]:
        n = fragile["count"]
        told = f"{n} {'is' if n == 1 else 'are'} fragile: right, and the passages did not hold the evidence"
        if fragile["closed_n"]:
            told += f"; the model knew {fragile['closed']} of {fragile['closed_n']} without any passage"
        yield told + "."
    judged = ", ".join(f"{n} {BY[name]}" for name, n in one["by"].items())
    yield f"Right or wrong was decided for {judged}."


def warnings(part: Mapping[str, Any], generations: Iterable[Generation]) -> list[dict[str, Any]]:
    """What silently biases these numbers, each with its count."""
    every = list(generations)
    brought = is_source(part["source"])
    without = Counter(name for one in every for name in one.extra.get("without", ()))
    notes = Counter[str]()
    for one in every:
        for name in ("short", "over", "lost"):
            notes[name] += int(one.extra.get(name, 0) or 0)
    rows: list[tuple[str, int, str]] = [
        (
            "answers missing",
            part["missing"],
            f"questions have no answer in {part['source']}"
            if brought
            else "questions or topics have no generation yet",
        ),
        ("answers failed", part["failed"], "calls failed on their way, and can be run again"),
        (
            "other prompt or passages",
            0 if brought else part["other"],
            "generations in the file are of another prompt, model or other passages, and do not count",
        ),
        (
            "other questions",
            part["other"] if brought else 0,
            OTHERS.format(part["source"]),
        ),
        (
            "other words",
            part["reworded"],
            "answers have the id of a question and are to other words: is it the same question?",
        ),
        ("items short", notes["short"], "items were asked for and not written"),
        ("items over", notes["over"], "items were written beyond those asked for, and are left out"),
        ("items lost", notes["lost"], "items or citations of replies could not be read"),
        (
            "no temperature",
            without["temperature"],
            "replies come from an endpoint that takes no temperature: asked again they may differ",
        ),
    ]
    fallback = sum("fallback" in one.extra for one in every)
    rows.append(("fallback", fallback, "replies were written by another model than was asked: refused"))
    rows += _standing_in(part["diagnosis"])
    claims = part["claims"]
    if claims is not None:
        rows.append(("votes on claims", claims["missing"] + claims["failed"], "votes on claims are missing"))
        kin = [one["judge"] for one in claims["judges"] if one["family"] and one["family"] == part["family"]]
        told = f"judges of claims are of the family that wrote the answers ({part['family']})"
        rows.append(("judge of the same family", len(kin), f"{told}: {', '.join(kin)}"))
    return [{"kind": kind, "count": n, "text": text} for kind, n, text in rows if n]


def _standing_in(diagnosis: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, int, str]]:
    for one in diagnosis:
        n = one["by"].get("reference", 0) + one["by"].get("checks", 0)
        yield (
            "nobody read it",
            n,
            f"answers of {one['system']} are called right or wrong by a rule: no person or panel judged them",
        )
