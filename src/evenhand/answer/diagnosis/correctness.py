"""Whether an answer is right: by people, by its claims, or by the words of the reference; and by which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evenhand.answer.checks.content_words import Words, code_of
from evenhand.answer.checks.language import language_of, leading
from evenhand.answer.checks.settings import Settings
from evenhand.answer.diagnosis.failure_rates import state_of
from evenhand.answer.numbers.support import look_up
from evenhand.answer.numbers.tokenizer import numbers
from evenhand.answer.rating.ratings import is_blind
from evenhand.model.answer import Finding, Generation, Item, Rating
from evenhand.model.gold import Question
from evenhand.text.plural import noun

__all__ = ["BY", "Known", "Right", "by_reference", "rated_right", "right", "right_item"]

BY = ("state", "expectation", "people", "claims", "reference", "checks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """``right`` is None where it cannot be said (``why``); ``by`` is one of `BY`, ``did`` what it did.

    ``did``: answered, abstained, asked-back, failed (the model gave nothing that counts) or fault.
    """

    right: bool | None
    by: str
    did: str
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is known of items beside themselves.

    ``people``: item → right, by people who were blind to checks; ``claims``: item → right, by the claims of
    item and gold set as a panel or model found them; ``did``: item → what it did, from the check abstention.
    """

    people: Mapping[str, bool | None] = field(default_factory=dict)
    claims: Mapping[str, bool | None] = field(default_factory=dict)
    did: Mapping[str, str] = field(default_factory=dict)
    findings: Mapping[str, Sequence[Finding]] = field(default_factory=dict)


def rated_right(ratings: Iterable[Rating], names: Sequence[str] = ("correct",)) -> dict[str, bool | None]:
    """Item → what most people said of the first of *names* that they rated; None where they are even.

    Only people's ratings count, and only those given before any check was shown; "cannot tell" is no vote.
    """
    votes: dict[str, list[bool]] = {}
    for one in ratings:
        if one.by != "human":
            continue
        said = next(
            (
                one.given[name]
                for name in names
                if one.given.get(name) in ("yes", "no") and is_blind(one, name)
            ),
            None,
        )
        if said is not None:
            votes.setdefault(one.item, []).append(said == "yes")
    return {
        item: None if 2 * sum(said) == len(said) else 2 * sum(said) > len(said)
        for item, said in votes.items()
    }


def _by_people(said: bool | None, what: str) -> str:
    """The rule by which people's ratings decide."""
    if said is None:
        return f"as many of those who rated it blind call it {what} as do not"
    return f"most of those who rated it blind {'' if said else 'do not '}call it {what}"


def right(generation: Generation, question: Question, known: Known, settings: Settings) -> Right:
    """Whether the answer to a gold question is right.

    A model that gave nothing that counts is wrong; a fault says nothing. A question that expects to be
    abstained from or asked back is right when that was done, one that expects an answer is wrong when it was
    not given. What was answered is judged by people where they rated it, else by its claims, else against
    the reference: see `by_reference`.
    """
    state = state_of(generation)
    if state == "fault":
        return Right(right=None, by="state", did="fault", why=generation.why or "it was not reached")
    if state != "made":
        return Right(right=False, by="state", did="failed", why=f"{state}: {generation.why}".strip(": "))
    item = generation.items[0]
    did = known.did.get(item.id, "answered")
    if question.expect != "answer":
        wanted = {"abstain": "abstained", "clarify": "asked-back"}[question.expect]
        return Right(right=did == wanted, by="expectation", did=did, why=f"{wanted} was expected")
    if did != "answered":
        return Right(right=False, by="expectation", did=did, why="an answer was expected")
    if item.id in known.people:
        return Right(
            right=known.people[item.id],
            by="people",
            did=did,
            why=_by_people(known.people[item.id], "correct"),
        )
    if known.claims.get(item.id) is not None:
        return Right(right=known.claims[item.id], by="claims", did=did, why="its claims, or those it lacks")
    return by_reference(item, question, settings, did)


def by_reference(item: Item, question: Question, settings: Settings, did: str) -> Right:
    """Against the words of the reference (of the evidence where there is none).

    Right when every number of the reference is in the answer, and at least the share ``support`` of its
    content words. A stand-in for reading: it passes an answer that says the opposite in the same words, and
    fails one in other words.
    """
    reference = question.reference.strip() or " ".join(
        quote.quote for nugget in question.evidence if nugget.vital for quote in nugget.spans[:1]
    )
    if not reference:
        return Right(
            right=None, by="reference", did=did, why="the gold set has neither reference nor evidence"
        )
    own = code_of(settings.language)
    language = own or language_of(reference).language
    strict = (language or leading(f"{reference}\n{item.text}")) != "en"
    language = language if strict else own
    looks = look_up(
        [("reference", reference, numbers(reference, language=language))],
        [("answer", item.text, numbers(item.text, language=language))],
        language,
        strict=strict,
    )
    lacking = [one.text for one in looks if one.found is None and not one.unread]
    unread = [one.text for one in looks if one.unread]
    rule = Words(own)
    wanted = {word.stem for word in rule.content(reference)}
    there = {word.stem for word in rule.content(item.text)}
    share = len(wanted & there) / len(wanted) if wanted else 1.0
    if lacking:
        return Right(right=False, by="reference", did=did, why=f"lacks {', '.join(lacking[:5])}")
    if not wanted and not looks:
        why = "the reference holds neither a number nor a content word"
        return Right(right=None, by="reference", did=did, why=why)
    if unread:
        why = f"cannot be said whether it has {', '.join(unread[:5])}: what stands around it is not read"
        return Right(right=None, by="reference", did=did, why=why)
    told = f"has {len(wanted & there)} of {len(wanted)} content words of the reference"
    return Right(right=share >= settings.support, by="reference", did=did, why=told)


def right_item(item: Item, known: Known) -> Right:
    """Whether a study item is good: people accept it; else no check of it fails."""
    if item.id in known.people:
        return Right(
            right=known.people[item.id],
            by="people",
            did="answered",
            why=_by_people(known.people[item.id], "acceptable"),
        )
    found = [one for one in known.findings.get(item.id, ()) if one.passed is not None]
    if not found:
        return Right(right=None, by="checks", did="answered", why="no check could be decided")
    failed = [one.check for one in found if not one.passed]
    why = f"fails {', '.join(failed)}" if failed else f"passes {len(found)} {noun(len(found), 'check')}"
    return Right(right=not failed, by="checks", did="answered", why=why)
