"""What silently biases a study, said aloud and counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from evenhand.study.comparison.judgements import told as judged
from evenhand.study.panel.steps import panel_warnings
from evenhand.study.steps.participants import OWN
from evenhand.text.plural import noun

if TYPE_CHECKING:
    from evenhand.model.result import Measurements
    from evenhand.model.run import Qrels, Run
    from evenhand.study.comparison.steps import Table
    from evenhand.study.steps.loop import Artifacts

__all__ = ["alike", "notices", "unread"]

# what runs count, in words; what is not here biases nothing
NOTES = {
    "no_embedding": "units have no embedding and are in no ranking of {system}",
    "questions_without_embedding": "questions have no embedding: {system} ranks nothing for them",
    "questions_without_terms": "questions hold no word that {system} knows: it ranks nothing for them",
    "duplicates": "hits of {system} were there twice: the first is kept",
    "unresolved": "hits of {system} lie in no unit: they keep their rank and count as not relevant",
    "ambiguous": "hits of {system} stand at several places: the first is taken",
    "beyond_depth": "hits of {system} lie below the depth that was asked for and are left out",
    "scores_against_order": "rankings of {system} have scores that rise: its order is kept, not its scores",
    "distances": "rankings of {system} came with scores that rise: they are taken as distances",
    "fewer_than_asked": "rankings of {system} hold fewer hits than were asked for: nothing is known below",
    "offsets_against_text": "hits of {system} have a text that stands elsewhere: the text decides",
    "offsets_unverified": "hits of {system} have a text that is not, word for word, where they say they lie",
    "contradictions": "ranks in the file of {system} contradict its scores: the scores decide",
    "broken": "lines in the file of {system} could not be read and are left out",
    "not_in_all_runs": "questions of {system} are fused from fewer runs: not every one of them ranks them",
    "other_questions": "rankings of {system} are for questions that are not asked here: they are left out",
    "evidence_not_retrieved": "pieces of evidence lie whole in no hit of {system}: each is a unit missed",
}


def notices(table: Table, larder: Artifacts) -> list[dict[str, Any]]:
    """Warnings of a study beyond those of its comparison; each has a kind, a count and a text."""
    told = [
        *(Notice("input", 1, str(one)) for one in table.warnings if SAME not in str(one)),
        *_documents(larder),
        *_gold(larder),
        *(Notice(*one) for one in judged(table, larder)),
        *(Notice(*one) for one in panel_warnings(table, larder)),
        *_cuts(table, larder),
        *_unread(table, larder),
        *_metrics(table, larder),
        *_runs(table, larder),
    ]
    return [{"kind": one.kind, "count": int(one.times), "text": one.text} for one in told]


class Notice(NamedTuple):
    """One warning: its kind, how often it holds, and the words."""

    kind: str
    times: int
    text: str


SAME = "document with the same text as another"  # of the reader; `_documents` says which is like which


def _documents(larder: Artifacts) -> Iterator[Notice]:
    """Documents that are like others."""
    from evenhand.corpus.duplicates import duplicates

    found = duplicates(larder["corpus"])
    for text in found.warnings():
        yield Notice("duplicate documents", 1, text)


def _gold(larder: Artifacts) -> Iterator[Notice]:
    """Questions that are like others, or like the documents."""
    from evenhand.gold.lint import lint

    counted: dict[str, tuple[int, str]] = {}
    for finding in lint(larder["gold"], larder["corpus"], file="gold"):
        if finding.severity == "info":
            continue
        n, first = counted.get(finding.kind, (0, f"{finding.question}: {finding.message}".lstrip(": ")))
        counted[finding.kind] = (n + 1, first)
    for kind, (n, first) in counted.items():
        more = f" (and {n - 1} more of this kind; `evenhand gold check` lists them)" if n > 1 else ""
        text = f"gold set, {first}{more}"
        yield Notice(kind, n, text)


def _cuts(table: Table, larder: Artifacts) -> Iterator[Notice]:
    """Evidence that a chunking tears apart."""
    for name in table.cuts:
        qrels: Qrels = larder[f"qrels/{name}"]
        of = len(qrels.questions)
        lost = [q for q, no in zip(qrels.questions, qrels.unreachable, strict=False) if no]
        if lost:
            yield Notice(
                "unreachable",
                len(lost),
                f"no unit of {name} holds any evidence of {len(lost)} of {of} {noun(of, 'question')} whole: "
                f"they count 0 ({_few(lost)})",
            )
        if torn := qrels.notes.get("without_sufficient_unit", 0):
            yield Notice(
                "no sufficient unit",
                torn,
                f"no single unit of {name} holds all that {torn} of {of} {noun(of, 'question')} need: a "
                "metric with rel=2 "
                "counts 0 there for every system; nugget recall counts what is found together",
            )
        if cut := qrels.notes.get("with_cut_nugget", 0) - len(lost):
            yield Notice(
                "cut evidence",
                cut,
                f"a fact that {cut} further question{'s need' if cut > 1 else ' needs'} lies whole in no "
                f"unit of {name}",
            )


def _unread(table: Table, larder: Artifacts) -> Iterator[Notice]:
    """Text beyond what an encoder reads."""
    for one in table.field:
        part = unread(table, larder, one)
        if part is None or not part[0]:
            continue
        cut, units, limit, questions = part
        text = (
            f"{cut} of {units} {noun(units, 'unit')} of {table.cut_of(one)} are longer than the {limit} "
            "tokens that "
            f"{one.name} reads: the rest of them is not embedded"
        )
        if questions:
            text += (
                f"; evidence of {len(questions)} {noun(len(questions), 'question')} lies there "
                f"({_few(questions)})"
            )
        yield Notice("cut units", cut, text)


def unread(table: Table, larder: Artifacts, one: Any) -> tuple[int, int, int, tuple[str, ...]] | None:
    """Units cut, units, tokens read of each, questions whose evidence is not read; None for no encoder."""
    if one.system.kind != "retriever" or one.chunking == OWN:
        return None
    model = getattr(table.systems[one.system.name], "model", None)
    tokens, limit = getattr(model, "tokens", None), getattr(model, "limit", None)
    if tokens is None or not limit:
        return None
    from evenhand.retrieve.models.truncation import seen, unseen

    units = larder[f"units/{one.chunking}"]
    part = seen(units, tokens, limit=limit, cache=table.blobs)
    return part.cut, len(units), limit, unseen(units, part, larder[f"qrels/{one.chunking}"])


def _metrics(table: Table, larder: Artifacts) -> Iterator[Notice]:
    """What the chosen metrics cannot show."""
    from evenhand.metrics.comparison.caveats import advice

    qrels: Qrels = larder[f"qrels/{table.cuts[0]}"]
    for one in advice(larder["measurements"], qrels, chunkings=len(table.cuts)):
        yield Notice(*one)


def _runs(table: Table, larder: Artifacts) -> Iterator[Notice]:
    """What runs counted, ties that matter, and rankings that are the same."""
    m: Measurements = larder["measurements"]
    primary = table.plan.measure.primary
    runs = [larder[f"run/{one.name}"] for one in table.field]
    for run in runs:
        yield from _not_run(run, m, primary)
        for name, count in run.notes.items():
            if name in NOTES and count:
                text = f"{count} {NOTES[name].format(system=run.system)}"
                yield Notice(name.replace("_", " "), count, text)
        for text in run.provenance.get("told", ()):  # of an index: how it compares, what it was filled with
            yield Notice("index", 1, str(text))
        tied = m.extra.get("ties", {}).get(run.system, {}).get(primary)
        if tied:
            text = (
                f"equal scores stand around relevant units of {run.system} in {tied['questions']} "
                f"{noun(tied['questions'], 'question')}"
            )
            if "low" in tied and tied["high"] - tied["low"] >= 0.001:
                text += (
                    f": by the order of ties {primary} lies between {tied['low']:.3f} and {tied['high']:.3f}"
                )
            yield Notice("ties", tied["questions"], text)
    shares = {run.system: m.extra.get("judged", {}).get(run.system, {}).get(primary) for run in runs}
    told = [f"{system} {share:.0%}" for system, share in shares.items() if share is not None and share < 1]
    if told:
        yield Notice(
            "unjudged",
            1,
            f"of the units shown for {primary} these have a label, the others count as not relevant: "
            f"{', '.join(told)}",
        )
    moved = {run.system: m.extra.get("bounds", {}).get(run.system, {}).get(primary) for run in runs}
    reach = [
        f"{name} {of['none']:.3f} to {of['all']:.3f}"
        for name, of in moved.items()
        if of and of["all"] - of["none"] >= 0.0005
    ]
    if reach:
        yield Notice(
            "unjudged bounds",
            1,
            f"{primary} if none, and if all, of the unjudged units that a system shows were relevant: "
            f"{', '.join(reach)}",
        )
    families: dict[str, list[str]] = {}
    known: set[str] = set()
    for one, other in alike(table, larder):  # in the order of the field: the first of a family comes first
        if one not in known:
            families.setdefault(one, [one]).append(other)
            known.add(other)
    for names in families.values():
        text = f"{together(names)} rank alike for every question: fusing them can change nothing"
        yield Notice("identical rankings", 1, text)


def alike(table: Table, larder: Artifacts) -> list[tuple[str, str]]:
    """Pairs of systems that rank the same units in the same order for every question."""
    from evenhand.retrieve.combine.fuse import identical

    runs = [larder[f"run/{one.name}"] for one in table.field]
    return [
        (run.system, other.system)
        for i, run in enumerate(runs)
        for other in runs[i + 1 :]
        if run.units is other.units and identical(run, other)
    ]


def _not_run(run: Run, m: Measurements, primary: str) -> Iterator[Notice]:
    """What could not be asked of a system, and how far that could move its rates."""
    from evenhand.metrics.comparison.resamples import how
    from evenhand.metrics.measure.unreached_questions import span_of

    lost = len(run.not_run)
    if not lost:
        return
    why = "; ".join(dict.fromkeys(run.not_run.values()))
    yield Notice(
        "not run",
        lost,
        f"{lost} of {len(run.questions)} {noun(len(run.questions), 'question')} could not be asked of "
        f"{run.system} ({why}): they are "
        f"undefined, not failed ({_few(run.not_run)})",
    )
    for name in m.metrics:
        span = span_of(m, run.system, name) if how(name) == "share" or name == primary else None
        if span is not None and _up_to_one(name):
            yield Notice(
                "not run bounds",
                1,
                f"{name} of {run.system} is {span['point']:.3f} over the {span['n']} "
                f"questions that were "
                f"run, and over all {span['n'] + span['lost']} between {span['low']:.3f} (all that were not "
                f"run fail) and {span['high']:.3f} (all succeed)",
            )


def _up_to_one(name: str) -> bool:
    from evenhand.metrics.catalogue.names import kind, parse

    entry = kind(parse(name))
    return entry.ratio and entry.total == "mean"


def together(names: Sequence[str]) -> str:
    """``a and b``, ``a, b and c``."""
    return " and ".join([", ".join(names[:-1])] * bool(names[1:]) + list(names[-1:]))


def _few(names: Any) -> str:
    listed = list(names)
    return ", ".join(map(str, listed[:5])) + (f" and {len(listed) - 5} more" if len(listed) > 5 else "")
