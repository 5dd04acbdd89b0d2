"""From a study to its stress test: items of known grade, their trials under each sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import InputError
from evenhand.judge.panel.prompt_spec import brief_of
from evenhand.judge.robustness.injections import vocabulary
from evenhand.judge.robustness.known_items import Known, base_set, known_of
from evenhand.judge.robustness.suite import VERSION
from evenhand.judge.robustness.trials import trials
from evenhand.model.plan.sections import StressPlan
from evenhand.study.panel.ask import bench_of
from evenhand.study.robustness.ask import Sheeted, Stress
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from evenhand.judge.panel.prompt_spec import Brief
    from evenhand.judge.robustness.trial import Given
    from evenhand.model.label import Label
    from evenhand.model.plan.study import Plan
    from evenhand.model.text import Corpus
    from evenhand.study.panel.ask import Bench
    from evenhand.study.panel.items import PanelItems

__all__ = ["others_in", "ranks_of", "stress_of"]


def stress_of(
    plan: Plan,
    folder: Path,
    items: PanelItems,
    *,
    stress: StressPlan | None = None,
    labels: Sequence[Label] = (),
    bench: Bench | None = None,
) -> Stress:
    """The suite for a study's panel on the items it judges; *labels* are those that lie in a store.

    Raises InputError when no item of a known grade is there.
    """
    from evenhand.formats.labels.stress import read_given
    from evenhand.formats.study_file.panel import sheet_of
    from evenhand.study.comparison.run import corpus_of
    from evenhand.study.panel.calibration import labels_of_calibration

    stress = stress if stress is not None else plan.stress or StressPlan()
    suite = stress.suite or VERSION
    bench = bench if bench is not None else bench_of(plan, folder)
    corpus = corpus_of(plan, folder, made=(folder / "results", folder / ".evenhand"))
    every = [*labels_of_calibration(plan, folder), *labels]
    given = read_given(folder / stress.texts) if stress.texts else []
    words = vocabulary(document.text[document.body :] for document in corpus)
    ranks = ranks_of(items)
    _check_given(given, items)
    made: list[Sheeted] = []
    for name in stress.sheets or (bench.plan.sheet,):
        brief = (
            bench.brief if name == bench.plan.sheet else brief_of(sheet_of(name, folder), bench.brief.prompt)
        )
        _on_scale(stress.yes, brief)
        known = known_of(items.shown, every, brief, items.gold, ranks=ranks)
        base = base_set(known, n=stress.n, suite=suite)
        made.append(
            Sheeted(
                name=brief.sheet.name,
                brief=brief,
                base=base,
                made=trials(
                    base,
                    brief,
                    only=stress.only,
                    words=words,
                    others=others_in(corpus, items),
                    given=given,
                    repeats=stress.repeats,
                    suite=suite,
                ),
            )
        )
    if not any(sheet.base.zero or sheet.base.answer for sheet in made):
        raise InputError(
            f"none of the {len(items)} {noun(len(items), 'item')} has a known grade: no labels, and no "
            "evidence in the gold set",
            mend="label some (evenhand serve), and name the file under [gold] judgements",
        )
    _once(made)
    gold = items.gold or ()
    return Stress(
        plan=stress,
        bench=bench,
        folder=folder,
        sheets=tuple(made),
        lengths=items.lengths,
        provisional=sum(question.provisional for question in gold),
    )


def _on_scale(yes: float | None, brief: Brief) -> None:
    """A grade that no verdict can reach would make every judge look sound."""
    levels = [level.grade for level in brief.sheet.levels]
    if yes is not None and not levels[0] < yes <= levels[-1]:
        raise InputError(
            f"[stress] yes = {yes:g} sets no verdict of sheet {brief.sheet.name!r} apart from the others",
            mend=f"give one of {', '.join(f'{grade:g}' for grade in levels[1:])}",
        )


def _once(made: Sequence[Sheeted]) -> None:
    names = [sheet.name for sheet in made]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"[stress] sheets: two are called {twice!r}", mend="give each sheet a name of its own"
        )


def _check_given(given: Iterable[Given], items: PanelItems) -> None:
    """A supplied text for an item that is not there would be passed over in silence."""
    questions, names = {shown.question for shown in items.shown}, {shown.item for shown in items.shown}
    for one in given:
        known = questions if one.perturbation == "L1" else names
        if one.name not in known:
            what = "question" if one.perturbation == "L1" else "item"
            raise InputError(
                f"[stress] texts: {one.perturbation} is for {what} {one.name!r}, which is not judged",
                mend="evenhand judge stress STUDY.toml --needs FILE writes the items that want one",
            )


def ranks_of(items: PanelItems) -> dict[str, int]:
    """The best rank of each item in any run, where the pool is known: for near misses, never for a judge."""
    pool = items.pool
    found: dict[str, int] = {}
    if pool is not None:
        for at, rank in zip(pool.found_item.tolist(), pool.found_rank.tolist(), strict=True):
            name = pool.items[at].id
            found[name] = min(rank, found.get(name, rank))
    return found


def others_in(corpus: Corpus, items: PanelItems) -> Callable[[Known], Sequence[str]]:
    """Further text of an item's document in pieces: what comes after it, then what comes before.

    Left out: what touches evidence of the item's question, for it would add an answer.
    """
    from evenhand.corpus.sentences import Sentences

    rule = Sentences(size=400)
    cut = rule.cut(corpus) if len(corpus) else None
    by_doc: dict[str, list[tuple[int, int]]] = {}
    if cut is not None:
        for i in range(len(cut)):
            doc = str(corpus.documents[int(cut.doc[i])].id)
            by_doc.setdefault(doc, []).append((int(cut.start[i]), int(cut.end[i])))

    def others(one: Known) -> list[str]:
        shown = one.shown
        question = (
            items.gold[shown.question]
            if items.gold is not None and shown.question in items.gold.position
            else None
        )
        taken = [(shown.start, shown.end)] + [
            (quote.span.start, quote.span.end)
            for nugget in (question.evidence if question is not None else ())
            for quote in nugget.spans
            if str(quote.span.doc) == shown.doc
        ]
        free = [
            (start, end)
            for start, end in by_doc.get(shown.doc, ())
            if not any(start < stop and begin < end for begin, stop in taken)
        ]
        free.sort(key=lambda span: (span[0] < shown.end, span[0]))
        text = corpus[shown.doc].text if shown.doc in by_doc else ""
        return [text[start:end] for start, end in free]

    return others
