"""evenhand: the truth about your retrieval, and how sure you may be of it.

    import evenhand as eh

    corpus = eh.read_corpus("docs/")
    gold = eh.read_gold("gold.jsonl", corpus)
    units = eh.chunk(corpus, eh.Sentences(size=200, count="tokens"))
    runs = [eh.retrieve(s, units, gold, depth=50) for s in (eh.BM25(), eh.Dense("minilm"))]
    m = eh.measure(eh.align(gold, units), runs, ["nDCG@10", "R@5"])
    print(m.estimate("bm25", "nDCG@10"))

Every name is loaded when it is first used: `import evenhand` alone loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.corpus.chunk import Fixed as Fixed
    from evenhand.corpus.chunk import Headings as Headings
    from evenhand.corpus.chunk import Recursive as Recursive
    from evenhand.corpus.chunk import Sentences as Sentences
    from evenhand.corpus.chunk import Whole as Whole
    from evenhand.errors import EvenhandError as EvenhandError
    from evenhand.errors import HoldoutSpent as HoldoutSpent
    from evenhand.errors import InputError as InputError
    from evenhand.errors import MissingExtra as MissingExtra
    from evenhand.errors import SealBroken as SealBroken
    from evenhand.errors import Undecidable as Undecidable
    from evenhand.errors import Unreachable as Unreachable
    from evenhand.formats.corpus.read import read_corpus as read_corpus
    from evenhand.formats.gold.gold_set import read_gold as read_gold
    from evenhand.formats.gold.gold_set import write_gold as write_gold
    from evenhand.formats.results.frames import frame as frame
    from evenhand.formats.results.gate import load_gate as load_gate
    from evenhand.formats.runs.frames import qrels_of as qrels_of
    from evenhand.formats.runs.frames import run_of as run_of
    from evenhand.formats.runs.trec import read_qrels as read_qrels
    from evenhand.formats.runs.trec import read_run as read_run
    from evenhand.formats.runs.trec import write_qrels as write_qrels
    from evenhand.formats.runs.trec import write_run as write_run
    from evenhand.formats.study_file.read import read_study as read_study
    from evenhand.gate.production.decision import Decision as Decision
    from evenhand.gate.production.exported import Gate as Gate
    from evenhand.gold.align import align as align
    from evenhand.gold.lint import lint as lint
    from evenhand.gold.split import split as split
    from evenhand.metrics.catalogue.names import parse as parse
    from evenhand.metrics.comparison.slices import slices as slices
    from evenhand.metrics.comparison.summary import compare as compare
    from evenhand.metrics.comparison.summary import contrast as contrast
    from evenhand.metrics.comparison.summary import estimate as estimate
    from evenhand.metrics.comparison.summary import standing as standing
    from evenhand.metrics.measure.measure import measure as measure
    from evenhand.model.comparison import Comparison as Comparison
    from evenhand.model.comparison import Slice as Slice
    from evenhand.model.gold import GoldSet as GoldSet
    from evenhand.model.gold import Nugget as Nugget
    from evenhand.model.gold import Question as Question
    from evenhand.model.plan.study import Plan as Plan
    from evenhand.model.result import Contrast as Contrast
    from evenhand.model.result import Estimate as Estimate
    from evenhand.model.result import Interval as Interval
    from evenhand.model.result import Measurement as Measurement
    from evenhand.model.result import Measurements as Measurements
    from evenhand.model.result import Standing as Standing
    from evenhand.model.run import Hit as Hit
    from evenhand.model.run import Qrels as Qrels
    from evenhand.model.run import Run as Run
    from evenhand.model.text import Corpus as Corpus
    from evenhand.model.text import Document as Document
    from evenhand.model.text import Span as Span
    from evenhand.model.text import Unit as Unit
    from evenhand.model.text import Units as Units
    from evenhand.report.notebook import charts
    from evenhand.report.notebook.page import Page as Page
    from evenhand.report.notebook.page import page as page
    from evenhand.retrieve.combine.fuse import Fusion as Fusion
    from evenhand.retrieve.combine.fuse import fuse as fuse
    from evenhand.retrieve.combine.fuse import rrf as rrf
    from evenhand.retrieve.combine.rerank import ByModel as ByModel
    from evenhand.retrieve.combine.rerank import ByStatus as ByStatus
    from evenhand.retrieve.combine.rerank import by_status as by_status
    from evenhand.retrieve.combine.rerank import cross_encoder as cross_encoder
    from evenhand.retrieve.dense.dense import Dense as Dense
    from evenhand.retrieve.lexical.bm25 import BM25 as BM25
    from evenhand.retrieve.lexical.tfidf import TFIDF as TFIDF
    from evenhand.retrieve.null import Constant as Constant
    from evenhand.retrieve.null import Popular as Popular
    from evenhand.retrieve.null import Random as Random
    from evenhand.retrieve.search import retrieve as retrieve
    from evenhand.store.blobs import Blobs as Blobs
    from evenhand.study.comparison.api import chunk as chunk
    from evenhand.study.comparison.api import token_lengths as token_lengths
    from evenhand.study.comparison.run import Outcome as Outcome
    from evenhand.study.comparison.run import conduct as conduct

_HOME = {
    "corpus.chunk": ("Fixed", "Headings", "Recursive", "Sentences", "Whole"),
    "errors": (
        "EvenhandError",
        "HoldoutSpent",
        "InputError",
        "MissingExtra",
        "SealBroken",
        "Undecidable",
        "Unreachable",
    ),
    "formats.corpus.read": ("read_corpus",),
    "formats.runs.frames": ("qrels_of", "run_of"),
    "formats.results.frames": ("frame",),
    "formats.results.gate": ("load_gate",),
    "formats.gold.gold_set": ("read_gold", "write_gold"),
    "formats.study_file.read": ("read_study",),
    "formats.runs.trec": ("read_qrels", "read_run", "write_qrels", "write_run"),
    "gate.production.exported": ("Gate",),
    "gate.production.decision": ("Decision",),
    "gold.align": ("align",),
    "gold.lint": ("lint",),
    "gold.split": ("split",),
    "metrics.measure.measure": ("measure",),
    "metrics.catalogue.names": ("parse",),
    "metrics.comparison.slices": ("slices",),
    "metrics.comparison.summary": ("compare", "contrast", "estimate", "standing"),
    "model.comparison": ("Comparison", "Slice"),
    "model.gold": ("GoldSet", "Nugget", "Question"),
    "model.result": ("Contrast", "Estimate", "Interval", "Measurement", "Measurements", "Standing"),
    "model.run": ("Hit", "Qrels", "Run"),
    "model.plan.study": ("Plan",),
    "model.text": ("Corpus", "Document", "Span", "Unit", "Units"),
    "report.notebook.page": ("Page", "page"),
    "retrieve.lexical.bm25": ("BM25",),
    "retrieve.dense.dense": ("Dense",),
    "retrieve.combine.fuse": ("Fusion", "fuse", "rrf"),
    "retrieve.null": ("Constant", "Popular", "Random"),
    "retrieve.combine.rerank": ("ByModel", "ByStatus", "by_status", "cross_encoder"),
    "retrieve.search": ("retrieve",),
    "retrieve.lexical.tfidf": ("TFIDF",),
    "store.blobs": ("Blobs",),
    "study.comparison.run": ("Outcome", "conduct"),
    "study.comparison.api": ("chunk", "token_lengths"),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "BM25",
    "TFIDF",
    "Blobs",
    "ByModel",
    "ByStatus",
    "Comparison",
    "Constant",
    "Contrast",
    "Corpus",
    "Decision",
    "Dense",
    "Document",
    "Estimate",
    "EvenhandError",
    "Fixed",
    "Fusion",
    "Gate",
    "GoldSet",
    "Headings",
    "Hit",
    "HoldoutSpent",
    "InputError",
    "Interval",
    "Measurement",
    "Measurements",
    "MissingExtra",
    "Nugget",
    "Outcome",
    "Page",
    "Plan",
    "Popular",
    "Qrels",
    "Question",
    "Random",
    "Recursive",
    "Run",
    "SealBroken",
    "Sentences",
    "Slice",
    "Span",
    "Standing",
    "Undecidable",
    "Unit",
    "Units",
    "Unreachable",
    "Whole",
    "__version__",
    "align",
    "by_status",
    "charts",
    "chunk",
    "compare",
    "conduct",
    "contrast",
    "cross_encoder",
    "estimate",
    "frame",
    "fuse",
    "lint",
    "load_gate",
    "measure",
    "page",
    "parse",
    "qrels_of",
    "read_corpus",
    "read_gold",
    "read_qrels",
    "read_run",
    "read_study",
    "retrieve",
    "rrf",
    "run_of",
    "slices",
    "split",
    "standing",
    "token_lengths",
    "write_gold",
    "write_qrels",
    "write_run",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        found: Any = version("evenhand")
    elif name == "charts":
        found = import_module("evenhand.report.notebook.charts")
    elif name in _WHERE:
        found = getattr(import_module(f"evenhand.{_WHERE[name]}"), name)
    else:
        from evenhand.errors import nearest

        raise AttributeError(f"evenhand has no {name!r}; {nearest(name, _WHERE)}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
