"""What may be wrong with a gold set although each of its lines is well formed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from evenhand.corpus.quote_match import Place
from evenhand.gold.align import align
from evenhand.gold.holdout_view import wording
from evenhand.gold.leakage import copies
from evenhand.gold.lint_finding import Finding
from evenhand.gold.location_text import few
from evenhand.gold.near_duplicates import near_pairs
from evenhand.gold.words import shingles
from evenhand.model.gold import GoldSet, Question, Quote
from evenhand.model.text import DocId, Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evenhand.gold.holdout_view import Veiled
    from evenhand.model.text import Corpus, Units

__all__ = ["NEAR", "lint"]

PLACES = 20  # of a quote in one document, that are offered as alternatives
NEAR = 0.6  # shared share of word trigrams, or of 4-grams with a document


def lint(
    gold: GoldSet,
    corpus: Corpus | None = None,
    *,
    holdout: Veiled | None = None,
    chunkings: Mapping[str, Units] | None = None,
    file: str = "",
    holdout_file: str = "",
) -> list[Finding]:
    """Findings beyond those of reading: by question where one can be named, else one with a count.

    With a *corpus* also what needs its documents; with *chunkings* the questions that no unit of each can
    answer; with a *holdout* leakage between the two, by hashes. Linear in questions, quotes and corpus.
    """
    work = _Lint(gold, file, holdout, holdout_file)
    work.repeats()
    work.forms()
    if corpus is not None:
        work.against(corpus)
    for name, units in (chunkings or {}).items():
        work.reach(name, units)
    return sorted(work.findings, key=lambda f: (f.file != file, f.line, f.kind, f.question))


@dataclass
class _Lint:
    gold: GoldSet
    file: str
    holdout: Veiled | None
    holdout_file: str
    findings: list[Finding] = field(default_factory=list)
    everyone: list[Question] = field(default_factory=list)  # dev, then holdout
    read: dict[DocId, Place] = field(default_factory=dict)

    def add(self, kind: str, severity: str, message: str, of: Question | None = None, **more: Any) -> None:
        self.findings.append(
            Finding(
                kind=kind,
                severity=severity,
                message=message,
                question=of.id if of else "",
                file=more.pop("file", self.file),
                line=of.line if of else 0,
                **more,
            )
        )

    def repeats(self) -> None:
        """Equal and near-equal wordings, ids and clusters, within and across the splits."""
        hidden = self.holdout
        ours = list(self.gold)
        theirs = list(hidden.bare) if hidden else []
        self.everyone = ours + theirs
        hashes = [wording(q.text) for q in ours] + list(hidden.wordings if hidden else ())
        grams = [shingles(q.text) for q in ours] + list(hidden.shingles if hidden else ())
        first: dict[str, int] = {}
        same: set[tuple[int, int]] = set()
        for j, digest in enumerate(hashes):
            i = first.setdefault(digest, j)
            if i != j:
                same.add((i, j))
                self.pair(i, j, words="asks the same words as", kind="same-text", severity="error")
        for i, j, overlap in near_pairs(grams, threshold=NEAR):
            if (i, j) not in same and hashes[i] != hashes[j]:
                words = f"shares {overlap:.0%} of its word trigrams with"
                self.pair(i, j, words=words, kind="near-text", severity="warning")
        self.across(ours, theirs)

    def pair(self, i: int, j: int, *, words: str, kind: str, severity: str) -> None:
        one, two, border = self.everyone[i], self.everyone[j], len(self.gold)
        if i < border <= j:
            self.add(
                "leak",
                severity,
                f"{words} holdout question {two.id}",
                one,
                mend="take one of the two out, or put both in one split",
            )
        else:
            self.add(
                kind,
                "warning",
                f"{words} {one.id}" + (f" (line {one.line})" if one.line else ""),
                two,
                file=self.file if j < border else self.holdout_file,
                mend="count it once, or put both in one cluster",
            )

    def across(self, ours: list[Question], theirs: list[Question]) -> None:
        lines = {question.id: question for question in ours}
        for question in theirs:
            if question.id in lines:
                self.add(
                    "leak",
                    "error",
                    "has the id of a holdout question",
                    lines[question.id],
                    mend="give each question an id of its own",
                )
        theirs_too = {question.cluster for question in theirs if question.cluster}
        spanning: dict[str, Question] = {}
        for question in ours:
            if question.cluster in theirs_too:
                spanning.setdefault(question.cluster, question)
        for cluster, question in spanning.items():
            self.add(
                "cluster-spans",
                "error",
                f"is of cluster {cluster!r}, which is in the holdout too",
                question,
                mend="a cluster belongs to one split: `evenhand gold split` keeps them whole",
            )

    def forms(self) -> None:
        """What is missing or at odds within the questions themselves."""
        for question in self.gold:
            if question.expect != "answer" and question.evidence:
                self.add(
                    "needless-evidence",
                    "warning",
                    f"expects {question.expect!r} and has evidence",
                    question,
                    mend='take the evidence out, or set "expect" to "answer"',
                )
            if question.evidence and not any(nugget.vital for nugget in question.evidence):
                self.add("no-vital", "info", "has no vital nugget: all count as vital", question)
        for kind, bare in (
            ("type", [q.id for q in self.gold if not q.type]),
            ("tags", [q.id for q in self.gold if not q.tags]),
            ("cluster", [q.id for q in self.gold if not q.cluster]),
        ):
            if bare:
                self.add(f"no-{kind}", "info", f"{_count(bare)} no {kind}: {few(bare)}")
        drafted = [q.id for q in self.gold if q.provisional]
        if drafted:
            self.add(
                "provisional",
                "info",
                f"{_count(drafted)} been drafted by a model and not reviewed: {few(drafted)}",
                mend='a person sets "review": {"status": "accepted", "by": "…", "on": "…"}',
            )

    def against(self, corpus: Corpus) -> None:
        """Copied wordings, twins, obsolete sources and evidence where no unit can be."""
        placed = [
            (question, n, quote)
            for question in self.gold
            for n, nugget in enumerate(question.evidence)
            for quote in nugget.spans
            if quote.span.doc in corpus.position
        ]
        found = copies(
            corpus,
            [question.text for question in self.gold],
            [(corpus.position[quote.span.doc], quote.quote) for _, _, quote in placed],
            share=NEAR,
        )
        for q, (share, d) in sorted(found.copied.items()):
            self.add(
                "copied",
                "warning",
                f"has {share:.0%} of its word 4-grams verbatim in {corpus.documents[d].id!r}",
                self.gold.questions[q],
                mend="ask it in the words of somebody who has not read the document",
            )
        for i, docs in sorted(found.twins.items()):
            self.twin(*placed[i], docs, corpus)
        obsolete: dict[tuple[str, str], Question] = {}
        for question, _, quote in placed:
            document = corpus.documents[corpus.position[quote.span.doc]]
            if quote.span.start < document.body:
                self.add(
                    "front-matter",
                    "warning",
                    f"has evidence in the front matter of {document.id!r}, which is in no unit",
                    question,
                    mend="quote the body of the document",
                )
            if document.status == "obsolete":
                obsolete[question.id, document.id] = question
        for (_, doc), question in obsolete.items():
            newer = corpus[doc].superseded_by
            self.add(
                "obsolete",
                "warning",
                f"has evidence in {doc!r}, which is obsolete",
                question,
                mend=f"quote what replaced it: {few(newer)}" if newer else "quote a current document",
            )

    def twin(
        self, question: Question, nugget: int, quote: Quote, docs: Sequence[int], corpus: Corpus
    ) -> None:
        """Evidence that stands elsewhere too: a miss there is counted unless the gold set says otherwise."""
        spans = [other.span for other in question.evidence[nugget].spans]
        fresh: list[Quote] = []
        names: list[str] = []
        for d in docs:
            document = corpus.documents[d]
            place = self.read.setdefault(document.id, Place(document.text))
            places = [Span(document.id, *at) for at in place.alike(quote.quote)[:PLACES]]
            new = [one for one in places if not any(one.overlap(span) for span in spans)]
            fresh += [Quote(one, document.text[one.start : one.end]) for one in new]
            if document.id == quote.span.doc:
                names += [f"the same document at {one.start:,}" for one in new]
            elif new:  # the same words with another number, "3.5" and "3,5", are no twin
                names.append(f"{document.id!r} ({document.status})")
        if not names:
            return
        evidence = list(question.evidence)
        evidence[nugget] = replace(evidence[nugget], spans=(*evidence[nugget].spans, *fresh))
        self.add(
            "twin",
            "warning",
            f"has evidence in {quote.span.doc!r} that stands word for word in {few(names)} too",
            question,
            field=f"evidence[{nugget}]",
            detail=json.dumps(quote.quote[:80], ensure_ascii=False),
            mend="a find there counts as a miss; paste the corrected line to let it count",
            correction=replace(question, evidence=tuple(evidence)).as_json() if fresh else None,
        )

    def reach(self, name: str, units: Units) -> None:
        """Questions that no unit of one chunking can answer, whole or in part."""
        for gold, file, whose in (
            (self.gold, self.file, ""),
            (self.holdout.bare if self.holdout else None, self.holdout_file, "holdout "),
        ):
            if not gold:
                continue
            qrels = align(gold, units)
            lost = [q for q, gone in zip(qrels.questions, qrels.unreachable, strict=True) if gone]
            for kind, n, what in (
                ("unreachable", len(lost), "have their evidence whole in no unit"),
                ("scattered", qrels.notes["without_sufficient_unit"], "need more than one unit"),
            ):
                if n:
                    self.add(
                        kind,
                        "warning" if kind == "unreachable" else "info",
                        f"chunking {name}: {n} of {len(qrels)} {whose}questions {what}"
                        + (f": {few(lost)}" if kind == "unreachable" else ""),
                        file=file,
                        mend="they count 0 for every system of this chunking"
                        if kind == "unreachable"
                        else "",
                    )


def _count(ids: Sequence[str]) -> str:
    return f"{len(ids)} {'question has' if len(ids) == 1 else 'questions have'}"
