"""Dense retrieval over vectors that are given in files, however many there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

from evenhand.errors import InputError
from evenhand.model.json_text import loads
from evenhand.retrieve.dense.approximate import Wanted, approximate_top, index_of
from evenhand.retrieve.dense.distributed_exact import nearest
from evenhand.retrieve.dense.exact import DECIMALS, MEMORY, cosine_top
from evenhand.retrieve.rank import Ranked, collect
from evenhand.retrieve.vectors.memmap import Mapped, opened

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.model.text import Units
    from evenhand.protocols import Engine, Progress
    from evenhand.retrieve.dense.matmul import Products
    from evenhand.store.blobs import Blobs

__all__ = ["FILES", "Vectors"]

EXACT = "exact"
FILES = ("units", "questions", "unit_ids", "question_texts")  # settings that are paths


@dataclass(frozen=True, kw_only=True)
class Vectors:
    """Units by the cosine of their given vector with the question's; every unit has a score.

    ``units`` and ``questions`` are ``.npy`` or ``.safetensors`` files (``units_tensor`` and
    ``questions_tensor`` name the matrix where a file holds several). Row i of ``units`` belongs to unit i in
    the order of ids; ``unit_ids``, a file with an id a line, is held against it. Row i of ``questions``
    belongs to line i of ``question_texts`` (JSON lines with ``text`` or ``question``, such as a gold set);
    without that file to the i-th question asked. ``memory``: MiB for the candidates. ``device``: ``cpu``,
    ``cuda``, ``cuda:1``, or ``auto`` (a GPU when torch sees one).

    ``index``: ``exact``; ``hnsw`` (extra ``approximate``) or ``python:package.module:Class`` with ``options``
    search approximately. Then ``min_recall`` is the least share of the exact first ``recall_at`` units that
    the index must find, measured on a ``sample`` of the questions drawn by ``seed`` before it is used.
    """

    units: str = ""
    questions: str = ""
    units_tensor: str = ""
    questions_tensor: str = ""
    unit_ids: str = ""
    question_texts: str = ""
    memory: int = MEMORY
    device: str = "cpu"
    index: str = EXACT
    options: Mapping[str, Any] = field(default_factory=dict)
    min_recall: float = 0.0
    recall_at: int = 10
    sample: int = 200
    seed: int = 20241009
    name: str = "vectors"
    spreads: ClassVar[bool] = True  # rank takes an engine

    def __post_init__(self) -> None:
        for key in ("units", "questions"):
            if not getattr(self, key):
                raise InputError(f"{key} names no file of vectors", mend=f'write {key} = "{key}.npy"')
        if self.memory < 1:
            raise InputError(f"memory is {self.memory}", mend="give a number of MiB, at least 1")
        _ = self.held, self.asked, self.products  # what is wrong with files and device is told now
        if self.index == EXACT:
            if self.min_recall or self.options:
                raise InputError(
                    "min_recall and options are for an index, and index is exact: it finds all",
                    mend='leave them out, or name an index: index = "hnsw"',
                )
            return
        if not 0 < self.min_recall <= 1:
            raise InputError(
                f"index is {self.index!r} and min_recall is {self.min_recall}",
                mend="plan what share of the exact first units it must find: min_recall = 0.95",
            )
        if self.recall_at < 1 or self.sample < 1 or self.seed < 0:
            raise InputError(
                f"recall_at is {self.recall_at}, sample {self.sample}, seed {self.seed}",
                mend="give whole numbers, recall_at and sample of at least 1, seed of at least 0",
            )
        _ = index_of(self.index, self.options, 2)  # an unknown name or option is told now

    @cached_property
    def held(self) -> Mapped:
        """The vectors of the units."""
        return opened(self.units, tensor=self.units_tensor, where="units")

    @cached_property
    def asked(self) -> Mapped:
        """The vectors of the questions."""
        return opened(self.questions, tensor=self.questions_tensor, where="questions")

    @cached_property
    def products(self) -> Products:
        """Where the products run."""
        from evenhand.retrieve.dense.gpu import device_of

        return device_of(self.device)

    def settings(self) -> dict[str, Any]:
        """What the rankings depend on: files by the SHA-256 of their bytes; neither memory nor device."""
        found: dict[str, Any] = {"retriever": "vectors", "decimals": DECIMALS, "search": self.index}
        if self.index != EXACT:
            planned = {name: getattr(self, name) for name in ("min_recall", "recall_at", "sample", "seed")}
            about = getattr(index_of(self.index, self.options, self.held.shape[1]), "settings", None)
            found |= {"planned": planned, "index": about() if callable(about) else dict(self.options)}
        for key, file in (("units", self.held), ("questions", self.asked)):
            found[key] = {"sha256": file.sha256, "rows": len(file), "dimensions": file.shape[1]}
            if tensor := getattr(self, f"{key}_tensor"):
                found[key]["tensor"] = tensor
        return found

    def rank(
        self,
        units: Units,
        questions: Sequence[str],
        depth: int,
        *,
        cache: Blobs | None = None,  # noqa: ARG002
        progress: Progress,
        engine: Engine | None = None,
    ) -> Ranked:
        """Rank *units* for each question, at most *depth* deep; *engine* searches, where it is exact."""
        told = self.settings()
        self._fitting(units)
        begun = perf_counter()
        asked, products = self.rows(questions), self.products
        if self.index == EXACT and engine is not None:
            rows, blank, unasked = nearest(asked, self.held, depth, engine=engine, progress=progress)
        elif self.index == EXACT:
            rows, blank, unasked = cosine_top(
                asked, self.held, depth, memory=self.memory, products=products, progress=progress
            )
        else:
            rows, blank, unasked, recall = approximate_top(
                asked,
                self.held,
                depth,
                index=index_of(self.index, self.options, self.held.shape[1]),
                wanted=Wanted(least=self.min_recall, at=self.recall_at, sample=self.sample, seed=self.seed),
                products=products,
                progress=progress,
            )
            said = (
                f"{{system}} searches approximately: of the first {recall[0].at} that exact search finds it "
                f"finds {recall[0]}, measured on {recall[0].questions} questions; at least "
                f"{self.min_recall} was planned"
            )
            told["told"] = [said]
            told |= {"recall": recall[0].as_json(), "recall_at_depth": recall[1].as_json()}
        each = (perf_counter() - begun) / max(len(questions), 1)
        self.held.unchanged()
        self.asked.unchanged()
        notes = {"no_embedding": blank, "questions_without_embedding": unasked}
        notes = {name: count for name, count in notes.items() if count}
        return collect(rows, [each] * len(questions), notes=notes, provenance=told)

    def _fitting(self, units: Units) -> None:
        """Raise InputError where the rows are not those of *units*."""
        if len(self.held) != len(units):
            raise InputError(
                f"units: {self.held.path.name} holds {len(self.held):,} vectors, and chunking "
                f"{units.chunking!r} has {len(units):,} units",
                mend="give one row a unit, in the order of the units; name the chunking they were made with",
            )
        if not self.unit_ids:
            return
        own = (units.id(i) for i in range(len(units)))
        for line, (mine, theirs) in enumerate(zip_longest(own, _lines(self.unit_ids, "unit_ids")), start=1):
            if mine != theirs:
                raise InputError(
                    f"unit_ids: {Path(self.unit_ids).name}:{line} is {theirs!r}, and that unit is {mine!r}",
                    mend="the vectors were made of another corpus or chunking: make them anew",
                )

    def rows(self, questions: Sequence[str]) -> NDArray[Any] | Mapped:
        """The vectors of *questions*, in their order."""
        if not self.question_texts:
            if len(self.asked) != len(questions):
                raise InputError(
                    f"questions: {self.asked.path.name} holds {len(self.asked):,} vectors, and "
                    f"{len(questions):,} questions are asked",
                    mend='say whose they are: question_texts = "gold.jsonl", a line for each row',
                )
            return self.asked
        place: dict[str, int] = {}
        line = 0
        for line, text in enumerate(_lines(self.question_texts, "question_texts"), start=1):
            place.setdefault(_text(text, f"{Path(self.question_texts).name}:{line}"), line - 1)
        if line != len(self.asked):
            raise InputError(
                f"question_texts: {Path(self.question_texts).name} has {line:,} lines, and "
                f"{self.asked.path.name} {len(self.asked):,} rows",
                mend="give a line for each row",
            )
        for question in questions:
            if question not in place:
                raise InputError(
                    f"question_texts: {Path(self.question_texts).name} has no line for "
                    f"{' '.join(question.split())[:60]!r}",
                    mend="embed the questions that are asked, and name their texts",
                )
        return self.asked.array[[place[question] for question in questions]]


def _lines(name: str, where: str) -> Iterator[str]:
    try:
        with Path(name).open(encoding="utf-8") as file:
            yield from (line.rstrip("\r\n") for line in file)
    except OSError as error:
        raise InputError(
            f"{where}: {Path(name).name} cannot be read ({error.strerror})",
            mend="give a path relative to the study file",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: {Path(name).name} is not UTF-8", mend="save it as UTF-8") from error


def _text(line: str, where: str) -> str:
    try:
        row = loads(line)
    except ValueError:
        row = None
    found = row.get("question", row.get("text")) if isinstance(row, Mapping) else None
    if not isinstance(found, str):
        raise InputError(
            f"question_texts: {where} is no object with a text", mend='write {"question": "…"} on each line'
        )
    return found
