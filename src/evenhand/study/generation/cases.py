"""Each question of a study with its answer: what was retrieved, whether it is right, and why not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evenhand.answer.checks.run_checks import CHECKS, Context, check_all, checks_named
from evenhand.answer.checks.settings import Settings, settings_of
from evenhand.answer.claims.claims import borne_by_panel
from evenhand.answer.claims.pairs import pairs_of, right_by_claims
from evenhand.answer.diagnosis.correctness import Known, Right, rated_right, right, right_item
from evenhand.answer.diagnosis.diagnose import Case, Place, case
from evenhand.answer.diagnosis.evidence import NO_PASSAGES, given, rank_of_all
from evenhand.answer.diagnosis.failure_rates import state_of
from evenhand.answer.generation.requests import CLOSED_BOOK
from evenhand.study.generation.ask import is_file
from evenhand.study.generation.entailment import ENTAILED, borne_in
from evenhand.study.generation.requests import plan_of, topics_of, units_ranked

if TYPE_CHECKING:
    from evenhand.metrics.catalogue.claims import Claimed
    from evenhand.model.answer import Finding, Generation, Rating
    from evenhand.model.gold import GoldSet, Question
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts

__all__ = ["Ground", "cases_of", "ground_of"]

BORNE = "claims-borne-out"  # asks a panel or a model of entailment: nothing to tell without


@dataclass(frozen=True, kw_only=True)
class Ground:
    """Everything that is said of generated items starts from here.

    ``open`` are the generations that got passages, ``closed`` those of the arm without, on which no check is
    made; ``claimed``: item → its claims and those of the reference, taken apart.
    """

    settings: Settings
    open: tuple[Generation, ...]
    closed: tuple[Generation, ...]
    findings: Mapping[str, Sequence[Finding]]
    known: Known
    abstention: Sequence[Finding] = ()
    claimed: Mapping[str, Claimed] = field(default_factory=dict)
    ratings: tuple[Rating, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """Those that got passages, in the order in which they come."""
        return tuple(dict.fromkeys(one.system for one in self.open))


def ground_of(table: Table, larder: Artifacts, told: Mapping[str, Any], *, progress: Any) -> Ground:
    """Checks made, claims and ratings taken in."""
    from evenhand.formats.answers.jsonl import generation_of
    from evenhand.formats.labels.votes import vote_of

    plan, gold = plan_of(table.plan), larder["gold"]
    settings = settings_of(plan.checks)
    every = [generation_of(row, "generations") for row in told["rows"]]
    closed = tuple(one for one in every if one.system.endswith(CLOSED_BOOK))
    mine = tuple(one for one in every if not one.system.endswith(CLOSED_BOOK))
    borne: dict[str, Any] = {}
    if told["claims"] is not None:
        votes = [vote_of(row, "votes on claims") for row in told["claims"]["votes"]]
        judges = [one["judge"] for one in told["claims"]["judges"]]
        borne = borne_by_panel(mine, votes, judges=judges, settings=settings)
    if plan.entailment:
        borne = borne_in(larder[ENTAILED])
    made = checks_named(plan.only) or tuple(CHECKS)
    if told["claims"] is None and not plan.entailment:
        made = tuple(name for name in made if name != BORNE)
    context = Context(settings=settings, checks=made, borne=borne)
    findings = check_all(mine, context=context, progress=lambda n: progress("check", n, len(mine)))
    abstention = check_all(mine, context=Context(settings=settings, checks=("abstention",)))
    did = [*abstention]
    did += check_all(closed, context=Context(settings=settings, checks=("abstention",)))
    by_item: dict[str, list[Finding]] = defaultdict(list)
    for one in findings:
        by_item[one.item].append(one)
    ratings = tuple(_ratings(told["ratings"]))
    claimed = _claimed(mine, gold, told["claims"], settings)
    names = ("correct",) if plan.kind == "answers" else ("accept", "faithful")
    known = Known(
        people=rated_right(ratings, names),
        claims={item: right_by_claims(one) for item, one in claimed.items()},
        did=_did(every, did, settings),
        findings=by_item,
    )
    return Ground(
        settings=settings,
        open=mine,
        closed=closed,
        findings=by_item,
        known=known,
        abstention=abstention,
        claimed=claimed,
        ratings=ratings,
    )


def _did(
    generations: Iterable[Generation], findings: Iterable[Finding], settings: Settings
) -> dict[str, str]:
    """Item → what it did; where nothing is expected the check says nothing, and its words are read."""
    from evenhand.answer.checks.abstention import did

    seen = {one.item: one.found[0] for one in findings if one.check == "abstention" and one.found}
    for one in generations:
        for item in one.items:
            if item.id not in seen:
                seen[item.id] = did(item, language=settings.language, beside=settings.abstain_words).what
    return seen


def _ratings(rows: Sequence[Mapping[str, Any]]) -> Iterable[Rating]:
    if not rows:
        return ()
    from evenhand.formats.labels.ratings import rating_of

    return [rating_of(row, "ratings") for row in rows]


def _claimed(
    generations: Iterable[Generation], gold: GoldSet, claims: Mapping[str, Any] | None, settings: Settings
) -> dict[str, Claimed]:
    """Item → its claims and those of the reference as the panel decided them; none without a panel."""
    if claims is None:
        return {}
    questions = {str(one.id): one for one in gold}
    said = {item: None if g is None else g >= settings.claim_grade for item, g in claims["grades"].items()}
    made = {}
    for one in generations:
        if one.topic not in questions or state_of(one) != "made":
            continue
        pairs = pairs_of(one, questions[one.topic], spans=gold.spans)
        if pairs is not None and any(shown.item in said for shown in pairs.shown()):
            made[pairs.item] = pairs.claimed(said)
    return made


def cases_of(table: Table, larder: Artifacts, ground: Ground, system: str) -> list[Case]:
    """The cases of one system: a question each, or an item each where items are written on topics."""
    plan = plan_of(table.plan)
    own = [one for one in ground.open if one.system == system]
    if plan.kind == "study-items":
        return list(_items(table, ground, own))
    questions = {str(one.id): one for one in larder["gold"]}
    ranked = units_ranked(table, larder)
    shut = {one.topic: one for one in ground.closed if one.system == system + CLOSED_BOOK}
    reach = _reach(larder)
    made = []
    for one in own:
        question = questions.get(one.topic)
        if question is None:
            continue
        found = right(one, question, ground.known, ground.settings)
        # what a file brought with it may be other passages than ours: rates are of what was given
        known = one.passages_known or (bool(plan.system) and not is_file(plan))
        held = given(question, one.passages, spans=larder["gold"].spans, known=known)
        rank = rank_of_all(question, larder["gold"].spans, ranked.get(one.topic, ()))
        alone = shut.get(one.topic)
        shut_right = None if alone is None else right(alone, question, ground.known, ground.settings).right
        item = one.items[0].id if one.items else ""
        made.append(
            case(
                one.topic,
                found,
                retrieval=held.sufficient,
                place=Place(rank=rank, some=bool(held.held), reachable=rank is not None or reach(question)),
                lacks=held.unknown,
                closed=shut_right if question.expect == "answer" else None,
                failed=_failed(ground, item),
                item=item,
                expect=question.expect,
                cluster=question.cluster,
                slices={by: _values(question, by) for by in table.plan.measure.slices},
            )
        )
    return made


def _items(table: Table, ground: Ground, own: Sequence[Generation]) -> Iterable[Case]:
    """Items of topics. Retrieval is good where a document that the topic names was given.

    It is unknown where none was given and passages do not say which document they are of.
    """
    topics = topics_of(table)
    named = {one.name: set(one.documents) for one in (topics.topics if topics is not None else ())}
    for one in own:
        documents = named.get(one.topic, set())
        held = bool(documents & {p.doc for p in one.passages}) if documents else None
        lacks = "" if documents else "the topic names no document"
        if held is False and not (one.passages_known and all(p.doc for p in one.passages)):
            held, lacks = None, NO_PASSAGES if not one.passages else "passages do not say their document"
        if state_of(one) != "made":
            state = state_of(one)
            told = Right(
                right=None if state == "fault" else False,
                by="state",
                did="fault" if state == "fault" else "failed",
                why=f"{state}: {one.why}".strip(": "),
            )
            yield case(one.topic, told, retrieval=held, lacks=lacks, cluster=one.topic)
            continue
        for item in one.items:
            found = right_item(item, ground.known)
            yield case(
                one.topic,
                found,
                retrieval=held,
                lacks=lacks,
                failed=_failed(ground, item.id),
                item=item.id,
                cluster=one.topic,
                slices={"kind": (item.kind,)},
            )


def _failed(ground: Ground, item: str) -> tuple[str, ...]:
    return tuple(one.check for one in ground.findings.get(item, ()) if one.passed is False)


def _reach(larder: Artifacts) -> Any:
    """Question → do units of some chunking hold all its evidence? From the qrels that are there."""
    cut: set[str] = set()
    whole: set[str] = set()
    for name in larder.seals:
        if name.startswith("qrels/"):
            qrels: Any = larder[name]
            if qrels.covers is None or not len(qrels.nugget_offsets):
                continue
            for i, question in enumerate(qrels.questions):
                first, last = int(qrels.nugget_offsets[i]), int(qrels.nugget_offsets[i + 1])
                rows = (qrels.covers[:, 0] >= qrels.offsets[i]) & (qrels.covers[:, 0] < qrels.offsets[i + 1])
                there = set(qrels.covers[rows, 1].tolist())
                vital = {n for n in range(last - first) if qrels.vital[first + n]}
                (whole if vital <= there else cut).add(str(question))
    return lambda question: str(question.id) in whole or str(question.id) not in cut


def _values(question: Question, by: str) -> tuple[str, ...]:
    value = getattr(question, by, None) if hasattr(question, by) else question.extra.get(by)
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(str(one) for one in value) if isinstance(value, list | tuple) else ()
