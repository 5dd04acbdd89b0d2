"""A second look at the head of a ranking: by the status of documents, or by a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evenhand.errors import InputError
from evenhand.model.run import Run
from evenhand.model.seal import seal
from evenhand.protocols import Progress, Reranker, quiet
from evenhand.retrieve.guests.ask_guest import called
from evenhand.retrieve.guests.custom_model import brought

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.gold import GoldSet
    from evenhand.model.text import Corpus, Unit, Units
    from evenhand.store.blobs import Blobs
    from evenhand.store.retrieval_journal import Journal

__all__ = ["ByModel", "ByStatus", "Move", "as_reranker", "by_status", "cross_encoder", "moves"]

ORDER = {"current": 0, "unknown": 1, "draft": 1, "obsolete": 2}
DECIMALS = 6  # a model's scores are rounded to this before ranking


class Move(NamedTuple):
    """One unit whose rank changed."""

    question: str
    unit: str
    before: int
    after: int
    status: str


def by_status(run: Run, corpus: Corpus, *, depth: int = 50, name: str = "") -> Run:
    """Current documents first, obsolete ones last, within the first *depth* of each ranking.

    Unknown and draft stand between; within a status the order is kept. Scores become 1 / rank, since those
    of the first ranking no longer say its order. ``notes`` counts the questions whose order changed.
    """
    _whole(depth)
    status = _statuses(run, corpus)
    order = np.arange(len(run.unit), dtype=np.int64)
    moved = 0
    for start, stop in _ranges(run):
        head = slice(start, min(start + depth, stop))
        new = head.start + np.argsort(status[run.unit[head]], kind="stable")
        moved += not np.array_equal(new, order[head])
        order[head] = new
    return replace(
        run,
        system=name or f"{run.system}+status",
        unit=run.unit[order],
        score=_by_rank(run),
        notes={"reordered": moved},
        provenance={"rerank": "status", "of": run.system, "depth": depth, "made_of": [run.seal]},
    )


def moves(before: Run, after: Run, corpus: Corpus | None = None) -> list[Move]:
    """Every unit whose rank differs between a run and what was made of it, with its document's status."""
    found: list[Move] = []
    for question, ranking in after:
        ranks = {hit.unit: hit.rank for hit in before.ranking(question)}
        for hit in ranking:
            if hit.unit in ranks and ranks[hit.unit] != hit.rank:
                status = ""
                if corpus is not None and after.units is not None and hit.unit in after.units.position:
                    unit = after.units.position[hit.unit]  # type: ignore[index]
                    status = corpus.documents[after.units.doc[unit]].status
                found.append(Move(question, hit.unit, ranks[hit.unit], hit.rank, status))
    return found


def cross_encoder(
    run: Run,
    reranker: Any,
    units: Units,
    questions: Mapping[str, str],
    *,
    depth: int = 50,
    name: str = "",
    cache: Blobs | None = None,
    progress: Progress = quiet,
) -> Run:
    """Rank the first *depth* units of each question anew by a model's score; the rest follows unchanged.

    *reranker*: an object with ``rerank(question, units)``, a plain function ``(question, texts) -> scores``,
    or the name of one. Scores are rounded to six decimals, ties go by unit position.
    """
    _whole(depth)
    model = as_reranker(reranker)
    own = str(getattr(model, "seal", "") or "")
    key = seal(["rerank", own, run.seal, [questions[q] for q in run.questions], units.seal, depth])
    held = cache.get("rerank", key) if cache is not None and own else None
    if held is not None and len(held.get("score", ())) == len(run.unit):
        given = held["score"]
    else:
        journal = cache.journal("rerank-answers", key) if cache is not None and own else None
        given = _given(run, model, units, questions, depth=depth, journal=journal, progress=progress)
        if cache is not None and own:
            cache.put("rerank", key, {"score": given}, {"reranker": _called(model)})
        if journal is not None:
            journal.remove()
    order = np.arange(len(run.unit), dtype=np.int64)
    score = np.zeros(len(run.unit))
    for start, stop in _ranges(run):
        head = slice(start, min(start + depth, stop))
        order[head] = head.start + np.lexsort((run.unit[head], -given[head]))
        score[head] = given[order[head]]
        if head.stop < stop:  # below every score of the head, in the order they had
            score[head.stop : stop] = score[head.stop - 1] - np.arange(1, stop - head.stop + 1)
    return replace(
        run,
        system=name or f"{run.system}+{_called(model)}",
        unit=run.unit[order],
        score=score,
        notes={},
        provenance={
            "rerank": _called(model),
            "reranker_seal": own or None,
            "of": run.system,
            "depth": depth,
            "decimals": DECIMALS,
            "made_of": [run.seal],
        },
    )


def _given(
    run: Run,
    model: Reranker,
    units: Units,
    questions: Mapping[str, str],
    *,
    depth: int,
    journal: Journal | None,
    progress: Progress,
) -> NDArray[np.float64]:
    """The scores, question by question; each is in *journal* before the next one is asked for."""
    given = np.zeros(len(run.unit))
    for q, (start, stop) in enumerate(_ranges(run)):
        stop = min(start + depth, stop)  # noqa: PLW2901
        pieces: list[Unit] = [units[int(code)] for code in run.unit[start:stop] if code < len(units)]
        if len(pieces) != stop - start:
            raise InputError(
                f"{run.system!r} ranks hits that are no units, which cannot be reranked",
                mend="rerank a system that searches the chunking's units",
            )
        asked = run.questions[q]
        held = journal.get(asked) if journal is not None else None
        if held is None:
            held = (
                called(_called(model), "rerank", _listed, model, questions[asked], pieces, kind="reranker")
                if pieces
                else []
            )
            if journal is not None and len(held) == len(pieces) and np.isfinite(held).all():
                journal.put(asked, held)
        scores = np.asarray(held, float)
        if scores.shape != (len(pieces),) or not np.isfinite(scores).all():
            raise InputError(
                f"reranker {_called(model)!r} returned {scores.shape} scores for {len(pieces)} units, "
                "or one that is not finite",
                mend="return one finite number a unit, in the order given",
            )
        given[start:stop] = np.round(scores, DECIMALS)
        progress(f"rerank {_called(model)}", q + 1, len(run))
    return given


def _listed(model: Reranker, question: str, pieces: list[Unit]) -> list[float]:
    return [float(score) for score in model.rerank(question, pieces)]


@dataclass(frozen=True)
class _Function:
    """A plain function ``(question, texts) -> scores``."""

    name: str
    function: Callable[[str, list[str]], Sequence[float]]

    @property
    def seal(self) -> str:
        own = getattr(self.function, "seal", "")
        return seal(["python", self.name, str(own)]) if own else ""

    def rerank(self, question: str, units: Sequence[Unit]) -> Sequence[float]:
        return self.function(question, [unit.text for unit in units])


def as_reranker(thing: Any, **settings: Any) -> Reranker:
    """A reranker from a name, a class, an object with ``rerank``, or a plain function."""
    made: Reranker = brought(
        thing,
        "reranker",
        verb="rerank",
        function=_Function,
        shape="give a function (question, texts) -> scores, or an object with rerank(question, units)",
        settings=settings,
    )
    return made


def _called(model: Any) -> str:
    return str(getattr(model, "name", "") or type(model).__name__)


def _whole(depth: int) -> None:
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise InputError(f"the depth to rerank is {depth!r}", mend="give a whole number of at least 1")


def _ranges(run: Run) -> list[tuple[int, int]]:
    cuts: list[int] = run.offsets.tolist()
    return list(pairwise(cuts))


def _by_rank(run: Run) -> NDArray[np.float64]:
    size = np.diff(run.offsets)
    return np.asarray(1.0 / (np.arange(len(run.unit)) - np.repeat(run.offsets[:-1], size) + 1.0))


def _statuses(run: Run, corpus: Corpus) -> NDArray[np.int64]:
    if run.units is None:
        raise InputError(
            f"{run.system!r} ranks ids alone, so no unit has a document whose status is known",
            mend="rerank a system that searches the corpus of this study",
        )
    of_document = np.array([ORDER[document.status] for document in corpus], dtype=np.int64)
    found = np.full(len(run.table), ORDER["unknown"], dtype=np.int64)  # unresolved hits: unknown
    found[: len(run.units)] = of_document[run.units.doc]
    return found


@dataclass(frozen=True)
class ByStatus:
    """A system made from one other by `by_status`."""

    of: Sequence[Any]
    depth: int = 50
    name: str = "current-first"

    def combine(
        self,
        runs: Sequence[Run],
        *,
        name: str,
        depth: int,  # noqa: ARG002  as deep as the run it is made from
        questions: GoldSet | Mapping[str, str],  # noqa: ARG002
        cache: Blobs | None = None,  # noqa: ARG002
        progress: Progress = quiet,  # noqa: ARG002
    ) -> Run:
        """Rerank the one run."""
        if runs[0].units is None:
            _statuses(runs[0], ())  # type: ignore[arg-type]  # says why not
            raise AssertionError
        return by_status(runs[0], runs[0].units.corpus, depth=self.depth, name=name)


@dataclass(frozen=True)
class ByModel:
    """A system made from one other by `cross_encoder`."""

    of: Sequence[Any]
    by: Any = ""
    depth: int = 50
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = "reranked"

    @cached_property
    def model(self) -> Reranker:
        """The reranker itself."""
        return as_reranker(self.by, **self.options)

    def combine(
        self,
        runs: Sequence[Run],
        *,
        name: str,
        depth: int,  # noqa: ARG002  as deep as the run it is made from
        questions: GoldSet | Mapping[str, str],
        cache: Blobs | None = None,
        progress: Progress = quiet,
    ) -> Run:
        """Rerank the one run."""
        run = runs[0]
        if run.units is None:
            raise InputError(
                f"{run.system!r} ranks ids alone: there is no text to rerank",
                mend="rerank a system that searches the corpus of this study",
            )
        from evenhand.retrieve.search import asked

        return cross_encoder(
            run,
            self.model,
            run.units,
            asked(questions),
            depth=self.depth,
            name=name,
            cache=cache,
            progress=progress,
        )
