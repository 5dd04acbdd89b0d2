"""All checks of generated items: what each looks at, and their findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evenhand.answer.checks.citations import citations_resolve, cites_retrieved, quotations_verbatim
from evenhand.answer.checks.context import Borne, CheckContext, Shelf
from evenhand.answer.checks.language import language_of
from evenhand.answer.checks.near_duplicates import STUDY, repeats
from evenhand.answer.checks.settings import Settings
from evenhand.answer.checks.study_items import (
    distractors_like_length,
    distractors_on_topic,
    key_valid,
    no_repeat,
    options_distinct,
)
from evenhand.answer.checks.support import claims_borne_out, content_words, key_grounded, numbers_grounded
from evenhand.answer.checks.whole_answer import abstention, language_match
from evenhand.answer.diagnosis.evidence import NO_PASSAGES, NO_TEXT
from evenhand.errors import InputError, nearest
from evenhand.model.answer import ITEMS, Finding, Generation, Item

__all__ = ["CHECKS", "Check", "Context", "check", "check_all", "checks_named", "looked_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """``asks`` is its question in one line, ``looks_at`` what it reads, ``kinds`` the items it applies to.

    ``settings`` names the thresholds it heeds. ``when_silent``: it is also made of items that abstain; to
    all others it then does not apply. ``needs`` of passages: ``names`` or ``texts``; it is undecided where
    they are not known.
    """

    name: str
    asks: str
    looks_at: str
    kinds: tuple[str, ...]
    made: Callable[[CheckContext], Finding]
    settings: tuple[str, ...] = ()
    when_silent: bool = False
    needs: str = ""


@dataclass(frozen=True, kw_only=True)
class Context:
    """What checks know besides the generation.

    ``checks`` are those to make (names; empty: all). ``borne``: item → its claims as a panel or a model of
    entailment found them (`evenhand.answer.claims.claims`).
    """

    settings: Settings = field(default_factory=Settings)
    checks: tuple[str, ...] = ()
    borne: Mapping[str, Sequence[Borne]] = field(default_factory=dict)


CHECKS: Mapping[str, Check] = {
    one.name: one
    for one in (
        Check(
            name="cites-retrieved",
            asks="Does it cite a passage that was retrieved?",
            looks_at="citations",
            kinds=ITEMS,
            made=cites_retrieved,
            needs="names",
        ),
        Check(
            name="citations-resolve",
            asks="Does every citation lead to a passage?",
            looks_at="citations",
            kinds=ITEMS,
            made=citations_resolve,
            needs="names",
        ),
        Check(
            name="numbers-grounded",
            asks="Is every number in the cited passages?",
            looks_at="text and key, against passages",
            kinds=ITEMS,
            made=numbers_grounded,
            needs="texts",
            settings=("look_in", "language"),
        ),
        Check(
            name="content-words",
            asks="Are half of its content words in the cited passages?",
            looks_at="text and key, against passages",
            kinds=ITEMS,
            made=content_words,
            needs="texts",
            settings=("support", "look_in", "language"),
        ),
        Check(
            name="quotations-verbatim",
            asks="Are its quotations in the cited passages, letter for letter?",
            looks_at="text in quotation marks and quotes of citations, against passages",
            kinds=ITEMS,
            made=quotations_verbatim,
            needs="texts",
            settings=("quote_words", "look_in"),
        ),
        Check(
            name="key-grounded",
            asks="Is the key in the cited passages?",
            looks_at="key, against passages",
            kinds=STUDY,
            made=key_grounded,
            needs="texts",
            settings=("key_share", "look_in", "language"),
        ),
        Check(
            name="options-distinct",
            asks="Are there four distinct options?",
            looks_at="options",
            kinds=("multiple-choice",),
            made=options_distinct,
            settings=("options",),
        ),
        Check(
            name="key-valid",
            asks="Does the key point to an option?",
            looks_at="key and options",
            kinds=("multiple-choice",),
            made=key_valid,
        ),
        Check(
            name="distractors-on-topic",
            asks="Is each distractor on topic?",
            looks_at="options, against passages, question and key",
            kinds=("multiple-choice",),
            made=distractors_on_topic,
            settings=("language",),
        ),
        Check(
            name="distractors-like-length",
            asks="Is each distractor about as long as the key?",
            looks_at="options",
            kinds=("multiple-choice",),
            made=distractors_like_length,
            settings=("like_length", "length_slack"),
        ),
        Check(
            name="no-repeat",
            asks="Is it something else than earlier items?",
            looks_at="question and key, against earlier items",
            kinds=STUDY,
            made=no_repeat,
            settings=("near_jaccard", "near_words"),
        ),
        Check(
            name="abstention",
            asks="Does it answer, abstain or ask back as the gold set expects?",
            looks_at="text, and what the system told",
            kinds=("answer",),
            made=abstention,
            settings=("abstain_words", "language"),
            when_silent=True,
        ),
        Check(
            name="language-match",
            asks="Is it in the language it should be in?",
            looks_at="text and key",
            kinds=ITEMS,
            made=language_match,
            settings=("language",),
            when_silent=True,
        ),
        Check(
            name="claims-borne-out",
            asks="Does each claim follow from the cited passages, says the panel?",
            looks_at="claims, against passages",
            kinds=ITEMS,
            made=claims_borne_out,
            needs="names",
            settings=("claim_grade", "entailed", "look_in"),
        ),
    )
}


def checks_named(names: Iterable[str], where: str = "checks") -> tuple[str, ...]:
    """*names*, each known; an unknown one is an `InputError` that tells the nearest."""
    made = tuple(names)
    for name in made:
        if name not in CHECKS:
            raise InputError(f"{where}: there is no check {name!r}", mend=nearest(name, CHECKS))
    return made


def check(
    generation: Generation, *, earlier: Iterable[Item] = (), context: Context | None = None
) -> list[Finding]:
    """The findings of every check on every item of *generation*, items in order, then checks in order.

    A check that does not apply to the kind of an item makes no finding; one that cannot be decided makes
    one with ``passed`` None and the reason. *earlier* are items made before, for repeats. Work is linear in
    the text; for many generations `check_all` looks for repeats once.
    """
    context = context or Context()
    again = repeats([*earlier, *generation.items], context.settings)
    return list(_found(generation, again, context))


def check_all(
    generations: Iterable[Generation],
    *,
    context: Context | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Finding]:
    """The findings on all items of *generations*, each held against those before it. Linear."""
    context = context or Context()
    generations = list(generations)
    again = repeats((item for one in generations for item in one.items), context.settings)
    found: list[Finding] = []
    for done, generation in enumerate(generations, start=1):
        found += _found(generation, again, context)
        if progress is not None:
            progress(done)
    return found


def looked_in(generations: Iterable[Generation], settings: Settings) -> dict[str, int]:
    """How many items were held against the passages ``cited``, all ``retrieved``, or ``nothing``."""
    counted = Counter[str]()
    for one in generations:
        shelf = Shelf(one, settings)
        for item in one.items:
            sight = CheckContext(generation=one, item=item, shelf=shelf, settings=settings)
            if item.kind == "answer" and sight.did.what != "answered":
                continue
            counted["nothing" if not sight.against else "retrieved" if sight.retrieved else "cited"] += 1
    return {name: counted[name] for name in ("cited", "retrieved", "nothing") if counted[name]}


def _found(
    generation: Generation, again: Mapping[str, tuple[str, float]], context: Context
) -> Iterator[Finding]:
    made = [CHECKS[name] for name in checks_named(context.checks) or CHECKS]
    shelf = Shelf(generation, context.settings)
    asked = language_of(generation.ask).language
    for item in generation.items:
        sight = CheckContext(
            generation=generation,
            item=item,
            shelf=shelf,
            settings=context.settings,
            repeats=again.get(item.id),
            compared=True,
            borne=context.borne.get(item.id),
            wanted=item.language or context.settings.language or asked,
        )
        for one in made:
            if item.kind not in one.kinds:
                continue
            if item.kind == "answer" and not one.when_silent and sight.did.what != "answered":
                yield sight.finding(one.name, None, f"it {sight.did.what.replace('-', ' ')}: see abstention")
            elif one.needs and not generation.passages_known:
                yield sight.finding(one.name, None, NO_PASSAGES)
            else:
                found = one.made(sight)
                lost = one.needs == "texts" and found.passed is False and sight.textless
                yield replace(found, passed=None, why=NO_TEXT) if lost else found
