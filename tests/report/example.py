"""A small comparison made by hand: four systems, two chunkings, a dozen questions; words can be hostile."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from evenhand.model.gold import Authoring, GoldSet, Nugget, Question, Quote
from evenhand.model.plan.study import Compare, MeasurePlan, Plan
from evenhand.model.result import Contrast, Estimate, Measurements, Standing
from evenhand.model.run import Qrels, Run
from evenhand.model.text import Corpus, Document, Span, Units
from evenhand.report.output.assemble import build

METRICS = ("nDCG@10", "R(rel=2)@5", "Success(rel=2)@1")
FACTS = (
    ("leave.md", "Annual leave", "Full-time staff have 27 days of annual leave in each leave year."),
    ("leave.md", "Annual leave", "Up to five days may be carried over, and they lapse on 31 March."),
    ("travel.md", "Travel", "A claim for mileage is made on form T-14 within thirty days of the journey."),
    ("travel.md", "Travel", "Hotels above 140 € a night need the written consent of the head of section."),
    ("lights.md", "Lights and buoys", "A failed light is reported to the watch within ten minutes."),
    ("lights.md", "Lights and buoys", "Lanterns of class B are serviced every 18 months."),
    ("pay.md", "Pay", "Salaries are paid on the 25th; when that is a Sunday, on the Friday before."),
    ("pay.md", "Pay", "Night work between 23:00 and 06:00 is paid at time and a half."),
)
ASKED = (
    "How many days of annual leave does a full-time member of staff have?",
    "Until when can days be carried over?",
    "Which form is used to claim mileage?",
    "Who has to agree to a hotel that costs more than 140 € a night?",
    "How soon must a failed light be reported?",
    "How often are class B lanterns serviced?",
    "When are salaries paid if the 25th is a Sunday?",
    "What is paid for work at two in the morning?",
)
FILLER = (
    "This section sets out what applies to everyone who works for the authority, on land and afloat. "
    "It is read together with the general conditions. Questions go to the office named at the end. "
)


def corpus(words: Any = None) -> Corpus:
    word = words or (lambda _, text: text)
    texts: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    for doc, title, fact in FACTS:
        texts.setdefault(doc, [f"# {title}\n\n{FILLER}\n\n"]).append(f"{fact} {FILLER * 2}\n\n")
        titles[doc] = title
    documents = [
        Document(id=word("doc", doc), text=word("passage", "".join(parts)), title=word("title", titles[doc]))
        for doc, parts in texts.items()
    ]
    documents.append(
        Document(
            id="old-leave.md",
            text=f"# Leave (2019)\n\nFull-time staff have 25 days of annual leave. {FILLER}",
            title="Leave (2019)",
            status="obsolete",
        )
    )
    return Corpus(tuple(documents))


def questions(held: Corpus, words: Any = None) -> GoldSet:
    word = words or (lambda _, text: text)
    made = []
    for i, ((doc, _, fact), text) in enumerate(zip(FACTS, ASKED, strict=True)):
        document = next(d for d in held if fact in d.text and doc in d.id)
        start = document.text.index(fact)
        made.append(
            Question(
                id=word("id", f"q{i:03d}"),
                text=word("question", text),
                type=word("type", "factual" if i % 2 else "procedural"),
                tags=(word("tag", "original" if i % 3 else "paraphrased"),),
                source=document.id,
                origin="synthetic" if i == 5 else "expert",
                authoring=Authoring(by="ann", model="drafter" if i == 5 else None),
                reference=word("reference", fact),
                evidence=(
                    Nugget(
                        name=word("nugget", fact.split(",")[0]),
                        spans=(Quote(Span(document.id, start, start + len(fact)), fact),),
                    ),
                ),
            )
        )
    made.append(
        Question(id="q100", text=word("question", "What is the canteen's phone number?"), expect="abstain")
    )
    return GoldSet(tuple(made))


def cut(held: Corpus, name: str, size: int) -> Units:
    rows = [
        (d, s, min(s + size, len(document.text)))
        for d, document in enumerate(held)
        for s in range(0, len(document.text), size)
    ]
    return Units.of(held, name, rows, settings={"rule": "fixed", "size": size, "count": "characters"})


def align(gold: GoldSet, units: Units) -> Qrels:
    asked = gold.answerable()
    offsets, unit, grade, covers, unreachable = [0], [], [], [], []
    for question in asked:
        span = question.evidence[0].spans[0].span
        held = [
            i
            for i, u in enumerate(units)
            if u.doc == span.doc and u.start <= span.start and span.end <= u.end
        ]
        for i in held:
            covers.append((len(unit), 0))
            unit.append(i)
            grade.append(2.0)
        unreachable.append(not held)
        offsets.append(len(unit))
    return Qrels(
        questions=asked.ids,
        offsets=np.array(offsets, dtype=np.int64),
        unit=np.array(unit, dtype=np.int32),
        grade=np.array(grade),
        table=units.ids,
        units=units,
        unreachable=np.array(unreachable),
        covers=np.array(covers, dtype=np.int32).reshape(-1, 2),
    )


def comparison(systems: tuple[str, ...], words: Any = None) -> SimpleNamespace:
    word = words or (lambda _, text: text)
    shared: dict[str, Any] = {"level": 0.95, "seed": 20241009, "resamples": 10_000}
    estimates = [
        Estimate(
            system=s,
            metric=m,
            point=0.78 - 0.09 * i - 0.05 * j,
            low=max(0.0, 0.61 - 0.09 * i - 0.05 * j),
            high=0.91 - 0.09 * i - 0.05 * j,
            n=8,
            method="percentile bootstrap" if j < 2 else "Wilson score",
            judged=0.993 if j == 0 else None,
            unreachable=1 if "small" in s else 0,
            **(shared if j < 2 else {"level": 0.95, "k": 5}),
        )
        for i, s in enumerate(systems)
        for j, m in enumerate(METRICS)
    ]
    contrasts = [
        Contrast(
            a=a,
            b=b,
            metric=METRICS[0],
            difference=0.09 * (j - i),
            low=0.09 * (j - i) - 0.11,
            high=0.09 * (j - i) + 0.1,
            n=8,
            method="paired percentile bootstrap",
            test="sign-flip permutation, exact",
            p=0.31 / (j - i) ** 3,
            p_adjusted=min(1.0, 0.62 / (j - i) ** 3),
            family=6,
            d_z=0.3 * (j - i),
            wins=3 + (j - i),
            ties=3,
            losses=2 - (j - i) // 2,
            sd=0.21,
            needed={"n": 90 // (j - i), "low": 40, "high": 310, "power": 0.8, "alpha": 0.05},
            verdict="better" if j - i == 3 else "cannot tell",
            **shared,
        )
        for i, a in enumerate(systems)
        for j, b in enumerate(systems)
        if j > i
    ]
    return SimpleNamespace(
        estimates=estimates,
        contrasts=contrasts,
        standing=Standing(
            metric=METRICS[0],
            leader=systems[0],
            best=dict(zip(systems, (0.71, 0.21, 0.078, 0.002), strict=True)),
            in_play=systems[:3],
            n=8,
            resamples=10_000,
            seed=20241009,
            sentence=f"{systems[0]} leads on nDCG@10",
        ),
        warnings=(
            {"kind": "small-n", "count": 1, "text": "one question moves every mean by 1/8 = 0.125"},
            word("warning", "RR is blind to the second fact of a question"),
        ),
        sentences=(
            word(
                "sentence",
                f"{systems[0]} is ahead of {systems[1]} by 0.090 on nDCG@10, but 8 questions cannot tell them apart "
                "(95% interval −0.020 to +0.190, p = 0.62 after Holm over 6 pairs); about 90 would.",
            ),
            f"{systems[0]} is better than {systems[3]} by 0.270 (p = 0.023).",
            "Three of four systems are still in play.",
        ),
    )


def example(words: Any = None) -> dict[str, Any]:
    """A whole report; ``words(kind, text)`` may replace any text that comes from outside."""
    word = words or (lambda _, text: text)
    held = corpus(words)
    gold = questions(held, words)
    units = {name: cut(held, name, size) for name, size in (("large", 700), ("small", 240))}
    qrels = {name: align(gold, one) for name, one in units.items()}
    dice = np.random.default_rng(7)
    runs = []
    for name, cutting in (("bm25", "large"), ("dense", "large"), ("bm25", "small"), ("dense", "small")):
        rankings = {}
        for question in gold.answerable():
            judged = qrels[cutting].judged(question.id)
            noise = dice.random(len(units[cutting])) * (1.0 if name == "bm25" else 1.6)
            score = {u: float(noise[i]) + 0.9 * (u in judged) for i, u in enumerate(units[cutting].ids)}
            best = sorted(score, key=lambda u: (-score[u], u))[:10]
            rankings[question.id] = [(u, score[u]) for u in best]
        plain = Run.of("x", rankings)
        runs.append(
            Run(
                system=word("system", f"{name}/{cutting}"),
                questions=plain.questions,
                offsets=plain.offsets,
                unit=np.array([units[cutting].position[plain.table[c]] for c in plain.unit], dtype=np.int32),
                score=plain.score,
                table=units[cutting].ids,
                units=units[cutting],
                notes={"ties": 2} if name == "bm25" else {},
                provenance={"retriever": name, "settings": {"k1": 1.2, "b": 0.75}},
            )
        )
    systems = tuple(run.system for run in runs)
    asked = gold.answerable().ids
    value = dice.choice([0.0, 0.3869, 0.5, 0.6309, 1.0], size=(4, 3, len(asked)))
    why = np.zeros(value.shape, dtype=np.int16)
    why[1, 1, 3] = 1
    value[1, 1, 3] = 0.0
    told = comparison(systems, words)
    return build(
        plan=Plan(
            name=word("name", "The handbook"),
            measure=MeasurePlan(primary=METRICS[0], secondary=METRICS[1:]),
            compare=Compare(),
            claims={"does_not_claim": [word("claim", "that the handbook is up to date")]},
        ),
        corpus=held,
        gold=gold,
        units=units,
        qrels=qrels,
        runs=runs,
        measurements=Measurements(
            systems=systems,
            metrics=METRICS,
            questions=asked,
            value=value,
            why=why,
            reasons=("", word("reason", "no relevant unit is known")),
            unreachable=np.array(
                [[qrels[r.units.chunking].unreachable] * len(METRICS) for r in runs if r.units]
            ),
            missing=np.zeros((4, len(asked)), dtype=bool),
        ),
        comparison=told,
        slices=[
            {
                "by": "type",
                "value": word("type", kind),
                "n": 4,
                "estimates": told.estimates[::3],
                "contrasts": told.contrasts[:1],
            }
            for kind in ("factual", "procedural")
        ],
        lengths={"large": {"tokens": np.full(len(units["large"]), 130), "tokenizer": "minilm", "limit": 256}},
        warnings=["1 question has evidence that no unit of 'small' holds"],
        seals={"corpus": held.seal},
        versions={"evenhand": "0.1.0", "bm25s": "0.2.14"},
    )
